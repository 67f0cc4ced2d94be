"""Codes against a slow coder, and which value gets which slot."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_kdb.features.boxes import MISSING, UNSEEN, box, unbox
from river_kdb.features.coder import SKIPPED, UNOPENED, Coder, code_block, code_rows
from river_kdb.features.discretize import cut_points
from river_kdb.features.encoder import CATEGORICAL, NUMERIC, UNKNOWN
from tests.features.test_boxes import NANS

pytestmark = pytest.mark.kernel

QUANTILE = ("quantile", 3)


def coder_of(n_features, max_categories=3, skip_missing=False):
    coder = Coder(max_categories, skip_missing)
    coder.insert(np.arange(n_features))
    return coder


def one(cells):
    return np.array([cells], dtype=np.float64)


def opened(cells, kind=CATEGORICAL, **kwargs):
    """A coder of one feature that has opened slots for these cells in turn."""
    coder = coder_of(1, **kwargs)
    coder.open_slots(one(cells), [kind])
    return coder


def codes_of(coder, cells):
    return coder.code(one(cells))[0].tolist()


def refitted(cells, kind, weights=None, labels=None, discretizer=QUANTILE, **kwargs):
    coder = coder_of(1, **kwargs)
    n = len(cells)
    coder.refit(
        one(cells),
        np.zeros(n, dtype=np.int64) if labels is None else np.array(labels),
        np.ones(n) if weights is None else np.array(weights, dtype=np.float64),
        [kind],
        discretizer,
    )
    return coder


class SlowCoder:
    """Opens slots and codes values one at a time, with a dict a feature."""

    def __init__(self, kind, max_categories, skip_missing):
        self.kind, self.max_categories, self.skip_missing = kind, max_categories, skip_missing
        self.slots: dict = {}
        self.n_categories = 0

    def key(self, cell):
        if cell == cell:
            return "number"
        return "missing" if unbox(cell) < 0 else unbox(cell)

    def open_block(self, cells):
        """Bins first, then the missing value, then the categories as they come."""
        if self.kind == NUMERIC:
            self.open("number")
        for key in sorted({self.key(cell) for cell in cells} & {"missing"}):
            if not self.skip_missing:
                self.open(key)
        for cell in cells:
            if isinstance(self.key(cell), int):
                self.open_category(self.key(cell))

    def open_category(self, key):
        if key in self.slots:
            return
        if self.n_categories < self.max_categories:
            self.n_categories += 1
            self.open(key)
        else:
            self.open("other")

    def open(self, key):
        self.slots.setdefault(key, len(self.slots))

    def code(self, cell):
        key = self.key(cell)
        if key == "missing" and self.skip_missing:
            return SKIPPED
        unseen = cell != cell and unbox(cell) == unbox(UNSEEN)
        if isinstance(key, int) and key not in self.slots and not unseen:
            key = "other"
        return self.slots.get(key, UNOPENED)


# -- Bins ----------------------------------------------------------------------------------------

CUTS = st.lists(st.integers(-5, 5).map(lambda i: i / 2), unique=True, max_size=6).map(sorted)
NUMBERS = st.one_of(
    st.integers(-11, 11).map(lambda i: i / 4),
    st.sampled_from([math.inf, -math.inf, 0.0, -0.0, 5e-324, -5e-324, 1e308]),
    st.floats(allow_nan=False),
)


@given(CUTS, st.lists(NUMBERS, max_size=12))
def test_a_number_falls_in_the_bin_that_counts_the_cuts_below_it(cuts, numbers):
    coder = coder_of(1)
    coder.set_bins(0, np.array(cuts))
    assert codes_of(coder, numbers) == [sum(cut < x for cut in cuts) for x in numbers]


def test_bins_after_other_slots():
    coder = coder_of(1)
    coder.open_slots(one([MISSING]), [NUMERIC])
    assert codes_of(coder, [MISSING, 1.0]) == [1, 0]
    late = coder_of(1)
    late.open_slots(one([MISSING, box(0)]), [UNKNOWN])
    late.set_bins(0, np.array([0.0]))
    assert codes_of(late, [MISSING, box(0), -1.0, 1.0]) == [0, 1, 2, 3]


@pytest.mark.parametrize("value", NANS)
@pytest.mark.parametrize(("skip_missing", "code"), [(False, 1), (True, SKIPPED)])
def test_any_nan_is_missing(value, skip_missing, code):
    coder = opened([MISSING, 1.0], NUMERIC, skip_missing=skip_missing)
    assert codes_of(coder, [value, 1.0]) == [code, 0]


# -- Slots ---------------------------------------------------------------------------------------


def test_slots_open_in_the_order_of_need():
    coder = opened([box(4), box(2), box(4)])
    coder.open_slots(one([MISSING, box(0)]), [CATEGORICAL])
    assert codes_of(coder, [box(4), box(2), MISSING, box(0)]) == [0, 1, 2, 3]
    assert coder.n_slots == [4]


def test_categories_past_the_most_share_one_slot():
    coder = opened([box(i) for i in range(5)], max_categories=2)
    assert codes_of(coder, [box(i) for i in range(6)]) == [0, 1, 2, 2, 2, 2]
    assert (coder.n_own, coder.n_slots, coder.other) == ([2], [3], [2])


def test_a_category_without_a_slot_has_none_until_it_is_learned():
    coder = opened([box(0)])
    codes = np.empty((1, 2), dtype=np.int16)
    assert coder.code_into(one([box(0), box(1)]), codes)
    assert codes.tolist() == [[0, UNOPENED]]
    coder.open_slots(one([box(1)]), [CATEGORICAL])
    assert not coder.code_into(one([box(0), box(1)]), codes)
    assert codes.tolist() == [[0, 1]]


def test_an_unseen_category_is_never_other():
    coder = opened([box(i) for i in range(4)], max_categories=2)
    assert codes_of(coder, [UNSEEN, box(3)]) == [UNOPENED, 2]


def test_a_missing_value_that_never_was_has_no_slot():
    coder = opened([box(0)])
    assert codes_of(coder, [MISSING]) == [UNOPENED]
    skipping = opened([box(0)], skip_missing=True)
    codes = np.empty((1, 1), dtype=np.int16)
    assert not skipping.code_into(one([MISSING]), codes)
    assert codes.tolist() == [[SKIPPED]]


def test_a_feature_that_comes_late_was_missing():
    for skip_missing, slot in ((False, 0), (True, SKIPPED)):
        coder = Coder(3, skip_missing)
        assert coder.insert(np.array([0]))[0] < 0
        assert coder.insert(np.array([0]), missing_so_far=True).tolist() == [slot]
        assert coder.code(np.array([[MISSING], [MISSING]]))[0, 0] == slot


@pytest.mark.parametrize("new", [[0], [1], [2], [0, 1], [1, 3], [2, 3], [0, 2, 4]])
def test_new_features_leave_the_others_their_slots(new):
    coder = coder_of(2)
    coder.open_slots(np.array([[box(3)], [MISSING]]), [CATEGORICAL, NUMERIC])
    coder.cuts[1] = np.array([5.0])
    coder.n_slots[1] += 1
    slots = coder.insert(np.array(new), missing_so_far=True)
    assert slots.tolist() == [0] * len(new)
    n = 2 + len(new)
    first, second = (i for i in range(n) if i not in new)
    for cells, codes in (((box(3), 6.0), (0, 1)), ((box(4), MISSING), (UNOPENED, 1))):
        raw = np.full((n, 1), MISSING)
        raw[[first, second], 0] = cells
        found = coder.code(raw)[:, 0]
        assert found[first] == codes[0]
        assert (found[new] == 0).all()
    assert coder.n_slots[first] == 1


CELLS = st.one_of(
    st.integers(0, 5).map(box),
    st.sampled_from([MISSING, math.nan]),
    st.sampled_from([0.0, -2.5, math.inf]),
)
QUESTIONS = st.one_of(CELLS, st.just(UNSEEN), st.just(box(9)))


@given(
    st.lists(st.lists(st.tuples(CELLS, CELLS), max_size=5), max_size=5),
    st.lists(st.tuples(QUESTIONS, QUESTIONS), max_size=8),
    st.sampled_from([1, 2, 30]),
    st.booleans(),
)
@settings(max_examples=80)
def test_codes(blocks, questions, max_categories, skip_missing):
    """Two numeric features, in whichever order their numbers, categories and gaps come."""
    coder = coder_of(2, max_categories, skip_missing)
    slow = [SlowCoder(NUMERIC, max_categories, skip_missing) for _ in range(2)]
    for block in blocks:
        raw = np.array(block, dtype=np.float64).reshape(len(block), 2).T
        coder.open_slots(raw, [NUMERIC, NUMERIC])
        for i in range(2):
            slow[i].open_block(raw[i])
    rows = [*questions, *(row for block in blocks for row in block)]
    raw = np.ascontiguousarray(np.array(rows, dtype=np.float64).reshape(len(rows), 2).T)
    expected = [[slow[i].code(cell) for cell in raw[i]] for i in range(2)]
    codes = np.empty(raw.shape, dtype=np.int16)
    assert coder.code_into(raw, codes) == any(UNOPENED in row for row in expected)
    assert codes.tolist() == expected
    assert coder.n_slots == [len(slow[i].slots) for i in range(2)]


# -- Refitting -----------------------------------------------------------------------------------


def test_the_weightiest_categories_get_the_slots():
    cells = [box(0), box(1), box(2), box(2), box(3)]
    coder = refitted(cells, CATEGORICAL, weights=[1, 3, 1, 1, 9], max_categories=2)
    assert codes_of(coder, [box(i) for i in (3, 1, 2, 0, 8)]) == [0, 1, 2, 2, 2]
    assert coder.slotted_ids(0) == {1, 3}


def test_of_equal_categories_the_one_seen_first_goes_first():
    cells = [box(5), box(2), box(9), box(2), box(5), box(9)]
    coder = refitted(cells, CATEGORICAL, max_categories=2)
    assert codes_of(coder, [box(5), box(2), box(9)]) == [0, 1, 2]


def test_bins_come_first_and_the_missing_value_last():
    cells = [1.0, MISSING, box(1), 2.0, box(0), 3.0, box(0), box(2), box(3)]
    coder = refitted(cells, NUMERIC, max_categories=2)
    assert codes_of(coder, [1.0, 2.0, 3.0]) == [0, 1, 2]
    assert codes_of(coder, [box(0), box(1), box(2), box(3), MISSING]) == [3, 4, 5, 5, 6]
    assert coder.n_slots == [7]


def test_what_the_sample_lacks_has_no_slot():
    coder = opened([box(0), MISSING])
    coder.refit(one([box(1)]), np.zeros(1, dtype=int), np.ones(1), [CATEGORICAL], QUANTILE)
    assert codes_of(coder, [box(1), box(0), MISSING]) == [0, UNOPENED, UNOPENED]
    assert coder.n_slots == [1]


@pytest.mark.parametrize("method", ["quantile", "uniform", "mdl"])
def test_cuts_are_those_of_the_discretizer(method):
    rng = np.random.default_rng(1)
    numbers = rng.normal(size=60)
    labels, weights = (numbers > 0.3).astype(int), rng.uniform(0.5, 2, 60)
    cells = np.append(numbers, [MISSING, box(0)])
    coder = refitted(
        cells,
        NUMERIC,
        weights=np.append(weights, [1, 1]),
        labels=np.append(labels, [0, 0]),
        discretizer=(method, 4),
    )
    expected = cut_points(numbers, labels, weights, method=method, n_bins=4)
    assert len(expected)
    assert coder.cuts[0].tolist() == expected.tolist()


def test_skipped_missing_values_get_no_slot():
    coder = refitted([MISSING, box(0)], CATEGORICAL, skip_missing=True)
    assert codes_of(coder, [MISSING, box(0)]) == [SKIPPED, 0]


@given(
    st.lists(st.tuples(CELLS, st.integers(1, 4)), min_size=1, max_size=15),
    st.sampled_from([1, 2, 30]),
    st.booleans(),
)
@settings(max_examples=60)
def test_every_value_of_the_sample_has_a_slot(sample, max_categories, skip_missing):
    cells, weights = zip(*sample, strict=True)
    options = {"max_categories": max_categories, "skip_missing": skip_missing}
    coder = refitted(cells, NUMERIC, weights, **options)
    codes = np.array(codes_of(coder, cells))
    gaps = np.array([cell != cell and unbox(cell) < 0 for cell in cells])
    assert ((codes >= 0) | (gaps & skip_missing)).all()
    bins = set(range(len(coder.cuts[0]) + 1))
    assert set(range(coder.n_slots[0])) == bins | set(codes[codes >= 0].tolist())
    again = refitted(cells, NUMERIC, weights, **options)
    assert codes_of(again, cells) == codes.tolist()


def test_settled_is_when_a_refit_would_change_nothing():
    coder = opened([box(0), box(1)], max_categories=2)
    assert coder.is_settled([CATEGORICAL])
    assert not coder.is_settled([NUMERIC])
    coder.open_slots(one([box(2)]), [CATEGORICAL])
    assert not coder.is_settled([CATEGORICAL])


def test_no_features_and_no_rows():
    coder = Coder(3, False)
    assert coder.code(np.empty((0, 4))).shape == (0, 4)
    assert opened([box(0)]).code(np.empty((1, 0))).shape == (1, 0)


@pytest.mark.parametrize("n_cuts", [0, 3, 64, 65, 200])
def test_many_rows_are_coded_as_one_by_one(n_cuts):
    rng = np.random.default_rng(n_cuts)
    coder = coder_of(2)
    coder.open_slots(np.array([[box(0), box(2), 1.0, MISSING], [2.0] * 4]), [NUMERIC, UNKNOWN])
    cuts = np.unique(rng.integers(0, 1000, n_cuts)) / 10.0
    coder.set_bins(0, cuts)
    cells = [*cuts, *(cuts + 0.05), math.inf, -math.inf, *NANS, UNSEEN, box(0), box(1), box(5)]
    raw = np.stack([cells, cells[::-1]])
    codes, expected = np.empty((2, raw.shape[0], raw.shape[1]), dtype=np.int16)
    unopened = code_rows(raw, coder.tables, codes)
    assert unopened == code_block(raw, coder.tables, expected)
    assert codes.tolist() == expected.tolist()


# -- Slots that stay -----------------------------------------------------------------------------


@pytest.mark.parametrize("skip_missing", [False, True])
def test_the_slots_of_a_frozen_coder_do_not_depend_on_what_comes_first(skip_missing):
    cells = [[box(0), box(1)], [1.0, 2.0], [MISSING, MISSING]]
    kinds = [CATEGORICAL, NUMERIC, UNKNOWN]
    new = [[MISSING, box(5), box(7)], [box(3), MISSING, 9.0], [4.0, MISSING, box(2)]]
    found = []
    for order in ([0, 1, 2], [2, 1, 0], [1, 0, 2]):
        coder = coder_of(3, skip_missing=skip_missing)
        coder.open_slots(np.array(cells), kinds)
        coder.freeze()
        for r in order:
            coder.open_slots(np.array(new)[:, [r]], kinds)
        found.append(coder.code(np.array(new)).tolist())
    assert found[0] == found[1] == found[2]
    if skip_missing:
        assert found[0] == [[SKIPPED, 2, 2], [1, SKIPPED, 0], [0, SKIPPED, 0]]
    else:
        assert found[0] == [[2, 3, 3], [2, 1, 0], [1, 0, 1]]


def test_a_frozen_coder_knows_every_value():
    """Of a feature that comes later all values have one slot, beside that for the missing value."""
    coder = opened([box(0)])
    coder.freeze()
    assert coder.is_frozen
    assert not coder.is_shared(0)
    assert coder.insert(np.array([0])).tolist() == [0]
    assert coder.is_shared(0)
    assert not coder.is_shared(1)
    raw = np.array([[3.5, box(4), MISSING, UNSEEN], [box(0), MISSING, box(9), UNSEEN]])
    assert coder.code(raw).tolist() == [[1, 1, 0, UNOPENED], [0, 1, UNOPENED, UNOPENED]]
    coder.open_slots(raw[:, 2:3], [NUMERIC, CATEGORICAL])
    assert coder.code(raw)[1].tolist() == [0, 1, 2, UNOPENED]
    assert coder.n_slots == [2, 3]


def test_freezing_twice_changes_nothing():
    coder = opened([1.0, 2.0, box(3), MISSING], kind=NUMERIC)
    coder.freeze()
    before = [tables.tolist() for tables in coder.tables]
    coder.freeze()
    assert [tables.tolist() for tables in coder.tables] == before


def test_opening_returns_the_slot_that_is_there():
    coder = coder_of(1, max_categories=1)
    assert [coder.open_category(0, k) for k in (4, 4, 6, 9)] == [0, 0, 1, 1]
    assert coder.open_other(0) == 1
    assert [coder.open_missing(0) for _ in "12"] == [2, 2]
    assert coder_of(1, skip_missing=True).open_missing(0) == SKIPPED
    assert codes_of(coder, [box(4)]) == [UNOPENED]
    coder.renew_tables()
    assert codes_of(coder, [box(4), box(6), MISSING]) == [0, 1, 2]
