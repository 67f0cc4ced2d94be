"""From dicts to raw rows, against what the values themselves say."""

from __future__ import annotations

import copy
import datetime
import math
import pickle
import random
from collections import Counter, OrderedDict, defaultdict
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_kdb.features.boxes import UNSEEN_ID, unbox
from river_kdb.features.encoder import (
    CATEGORICAL,
    NUMERIC,
    UNKNOWN,
    Encoder,
    check_value,
    feature_key,
    is_nan,
    value_role,
)


def learned(*events, nominal=()):
    encoder = Encoder(nominal)
    for x in events:
        learn(encoder, x)
    return encoder


def learn(encoder, x):
    row, fresh = encoder.prepare(x)
    return encoder.register(fresh, row) if fresh else row


def cell(encoder, name, value):
    return encoder.row({name: value})[encoder.index[name]]


def is_missing(value):
    return value != value and unbox(value) == -1


def state(encoder):
    return copy.deepcopy(
        (
            encoder.names,
            encoder.index,
            encoder.kinds,
            [list(vocabulary) for vocabulary in encoder.vocabularies],
            encoder.free_ids,
            encoder.next_ids,
        )
    )


# -- Names ---------------------------------------------------------------------------------------


def test_names_are_in_order_whatever_their_type():
    names = ["b", 2, ("a", 1), 1.5, "a", -1, frozenset("q"), np.str_("aa"), np.int64(0)]
    ordered = sorted(names, key=feature_key)
    assert ordered == [-1, 0, 1.5, 2, "a", "aa", "b", ("a", 1), frozenset("q")]


def test_a_nan_for_a_name_still_has_a_place():
    names = [math.nan, 1.0, "a"]
    for _ in range(5):
        random.shuffle(names)
        ordered = sorted(names, key=feature_key)
        assert ordered[:2] == [1.0, "a"]


@given(st.permutations(["b", 2, "a", 1, ("t", 0)]), st.permutations(["b", 2, "a", 1, ("t", 0)]))
@settings(max_examples=30)
def test_the_order_of_a_dict_never_matters(one, other):
    first, second = (
        learned({name: place for place, name in enumerate(names)}) for names in (one, other)
    )
    assert first.names == second.names == [1, 2, "a", "b", ("t", 0)]
    x = {name: hash(name) % 7 for name in one}
    shuffled = {name: x[name] for name in other}
    assert first.row(x).tolist() == first.row(shuffled).tolist()


def test_a_feature_that_comes_late_takes_its_place():
    encoder = learned({"b": 1.0, "d": "x"})
    row = learn(encoder, {"d": "y", "c": 3, "a": "new"})
    assert encoder.names == ["a", "b", "c", "d"]
    assert encoder.kinds == [CATEGORICAL, NUMERIC, NUMERIC, CATEGORICAL]
    assert unbox(row[0]) == 0
    assert is_missing(row[1])
    assert row[2] == 3.0
    assert unbox(row[3]) == 1


# -- Values --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "role"),
    [
        *((value, "number") for value in (1, 1.0, np.int8(1), np.float32(1), 10**400)),
        *((value, "number") for value in (Decimal(1), Fraction(1, 3), math.nan)),
        *((value, "category") for value in ("a", b"a", True, np.bool_(True), np.str_("a"), (1,))),
        *((value, "category") for value in (datetime.date(2020, 1, 1), frozenset(), ...)),
        *((value, "impossible") for value in (1j, np.complex64(1))),
        (None, "missing"),
    ],
)
def test_roles(value, role):
    assert value_role(type(value)) == role


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (3, 3.0),
        (True + 2, 3.0),
        (np.int64(-4), -4.0),
        (np.uint8(200), 200.0),
        (np.float32(0.5), 0.5),
        (np.float16(0.25), 0.25),
        (Decimal("1.25"), 1.25),
        (Fraction(3, 8), 0.375),
        (10**400, math.inf),
        (-(10**400), -math.inf),
        (Fraction(10**400, 3), math.inf),
        (Decimal("-1e999"), -math.inf),
        (math.inf, math.inf),
        (5e-324, 5e-324),
    ],
)
def test_numbers(value, number):
    assert cell(learned({"a": 0.5}), "a", value) == number
    assert cell(learned({"a": value}), "a", value) == number


@pytest.mark.parametrize("value", [None, math.nan, np.float32("nan"), Decimal("NaN")])
def test_missing_values(value):
    for encoder in (learned({"a": 1.0}), learned({"a": "x"}), learned({"a": None})):
        assert is_missing(cell(encoder, "a", value))
    encoder = learned({"a": value})
    assert encoder.kinds == [UNKNOWN]
    assert not encoder.vocabularies[0]


def test_missing_values_of_pandas_and_numpy():
    pd = pytest.importorskip("pandas")
    for value in (pd.NA, pd.NaT, np.datetime64("NaT", "s")):
        for encoder in (learned({"a": 1.0}), learned({"a": "x"}), learned({"a": value})):
            assert is_missing(cell(encoder, "a", value))
            assert all(not is_nan(key) for key in encoder.vocabularies[0])


def test_a_span_of_time_that_is_none_is_missing():
    value = np.timedelta64("NaT", "s")
    for encoder in (learned({"a": 1.0}), learned({"a": "x"}), learned({"a": value})):
        assert is_missing(cell(encoder, "a", value))


def test_nothing_but_gaps_says_nothing_of_the_kind():
    """A time that is not a time is a gap, and the numbers after it are numbers."""
    encoder = learned({"a": np.datetime64("NaT", "s")}, {"a": 1.5})
    assert encoder.kinds == [NUMERIC]


def test_an_absent_key_is_missing():
    encoder = learned({"a": 1.0, "b": "x"})
    row = encoder.row({"b": "x"})
    assert is_missing(row[0])
    assert unbox(row[1]) == 0
    assert np.isnan(encoder.row({})).all()


def test_unknown_keys_are_no_features_until_learned():
    encoder = learned({"a": 1.0})
    assert encoder.row({"a": 2.0, "other": [1]}).tolist() == [2.0]
    assert encoder.names == ["a"]


def test_the_first_value_makes_the_kind():
    encoder = learned({"n": 1, "c": "1", "b": True, "u": None, "m": np.bool_(False)})
    kinds = dict(zip(encoder.names, encoder.kinds, strict=True))
    assert kinds == {
        "n": NUMERIC,
        "c": CATEGORICAL,
        "b": CATEGORICAL,
        "u": UNKNOWN,
        "m": CATEGORICAL,
    }
    learn(encoder, {"u": 2.5})
    assert encoder.kinds[encoder.index["u"]] == NUMERIC


def test_a_kind_once_made_stays():
    encoder = learned({"n": 1, "c": "x"}, {"n": "text", "c": 5})
    assert encoder.kinds == [CATEGORICAL, NUMERIC]
    assert unbox(cell(encoder, "c", 5)) == 1
    assert cell(encoder, "n", 5) == 5.0
    assert unbox(cell(encoder, "n", "text")) == 0


def test_truth_among_numbers_is_a_category():
    encoder = learned({"a": 1}, {"a": True})
    assert cell(encoder, "a", 1) == 1.0
    assert unbox(cell(encoder, "a", True)) == 0


def test_numbers_of_nominal_attributes_are_categories():
    encoder = learned({"a": 3, "b": 3}, {"a": 1.5, "b": 2}, {"a": None, "b": None}, nominal=["a"])
    assert encoder.kinds == [CATEGORICAL, NUMERIC]
    assert [unbox(cell(encoder, "a", value)) for value in (3, 1.5, 2)] == [0, 1, UNSEEN_ID]
    assert is_missing(cell(encoder, "a", math.nan))
    assert cell(encoder, "b", 2) == 2.0


@pytest.mark.parametrize(
    ("value", "twin"),
    [
        (np.bool_(True), True),
        (np.str_("red"), "red"),
        (np.int64(7), 7),
        (7.0, 7),
        (Decimal(7), 7),
        (np.float64(0.5), 0.5),
        (0.0, -0.0),
    ],
)
def test_twins_are_one_category(value, twin):
    encoder = learned({"a": value}, nominal=["a"])
    assert unbox(cell(encoder, "a", twin)) == 0
    assert learned({"a": value}, {"a": twin}, nominal=["a"]).next_ids == [1]


def test_a_category_never_learned_is_unseen():
    encoder = learned({"a": "x", "b": 1.0})
    row = encoder.row({"a": "y", "b": "text"})
    assert [unbox(value) for value in row] == [UNSEEN_ID, UNSEEN_ID]
    assert list(encoder.vocabularies[0]) == ["x"]


# -- Bad values ----------------------------------------------------------------------------------

UNHASHABLE = [[1], {}, {1}, np.zeros(1), ([1],), bytearray(b"q")]
NO_NUMBERS = [1j, np.complex128(1), Decimal("sNaN")]


@pytest.mark.parametrize("value", UNHASHABLE + NO_NUMBERS, ids=repr)
@pytest.mark.parametrize("known", [{}, {"bad": 1.0}, {"bad": "x"}, {"bad": None}], ids=repr)
def test_a_bad_value_is_named_and_leaves_no_trace(value, known):
    encoder = learned({"other": 1, **known})
    before = state(encoder)
    with pytest.raises(TypeError, match="'bad'") as caught:
        encoder.prepare({"bad": value, "other": 2, "new": "y"})
    assert repr(value) in str(caught.value)
    assert state(encoder) == before
    if known:
        with pytest.raises(TypeError, match="'bad'"):
            encoder.row({"bad": value})


@pytest.mark.parametrize("value", NO_NUMBERS, ids=repr)
def test_no_number_is_no_category_either(value):
    encoder = learned({"bad": 1}, nominal=["bad"])
    with pytest.raises(TypeError, match="'bad'"):
        encoder.prepare({"bad": value})


@pytest.mark.parametrize("value", [1, "a", None, math.nan, (1, "a"), 10**400])
def test_good_values_pass(value):
    check_value("a", value)


def test_a_value_that_cannot_be_compared_is_no_nan():
    assert not is_nan(np.zeros(3))
    assert not is_nan(Decimal("sNaN"))
    assert is_nan(math.nan)
    assert not is_nan("nan")


# -- Inputs --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [dict, Counter, OrderedDict, MappingProxyType])
def test_any_mapping_will_do(kind):
    x = kind({"a": 1, "b": 2})
    encoder = Encoder()
    assert learn(encoder, x).tolist() == [1.0, 2.0]
    assert encoder.row(x).tolist() == [1.0, 2.0]


def test_a_default_dict_is_not_filled_by_looking():
    encoder = learned({"a": 1.0, "b": 1.0})
    for x in (defaultdict(float, a=2.0), Counter(a=2)):
        assert is_missing(encoder.row(x)[1])
        row, _ = encoder.prepare(x)
        assert is_missing(row[1])
        assert list(x) == ["a"]


def test_preparing_changes_nothing():
    encoder = learned({"a": 1.0, "b": "x"})
    before = state(encoder)
    _, fresh = encoder.prepare({"a": "text", "b": "y", "c": 1})
    assert fresh == [("a", "text"), ("b", "y"), ("c", 1)]
    assert state(encoder) == before


def test_nothing_new_is_nothing_to_register():
    encoder = learned({"a": 1.0, "b": "x"})
    for x in ({"a": 2, "b": "x"}, {"b": "x"}, {}, {"a": None, "b": math.nan}):
        assert encoder.prepare(x)[1] == []


def test_one_feature_and_none():
    encoder = learned({})
    assert encoder.row({}).shape == (0,)
    learn(encoder, {"only": "x"})
    assert unbox(encoder.row({"only": "x"})[0]) == 0
    assert is_missing(encoder.row({})[0])


# -- Categories come and go ----------------------------------------------------------------------


def test_ids_of_forgotten_categories_are_used_again():
    encoder = learned(*({"a": value} for value in "pqrs"))
    encoder.forget(0, {1, 3})
    assert list(encoder.vocabularies[0]) == ["q", "s"]
    assert unbox(cell(encoder, "a", "p")) == UNSEEN_ID
    assert unbox(cell(encoder, "a", "q")) == 1
    taken = {unbox(learn(encoder, {"a": value})[0]) for value in "pt"}
    assert taken == {0, 2}
    assert unbox(learn(encoder, {"a": "u"})[0]) == 4


def test_pickle_keeps_everything():
    encoder = learned({"a": 1, "b": "x", "c": None}, {"b": "y", "d": (1, 2)}, nominal=["e"])
    encoder.forget(encoder.index["b"], {1})
    twin = pickle.loads(pickle.dumps(encoder))
    assert state(twin) == state(encoder)
    for x in ({"a": 2, "b": "y", "c": 4, "d": (1, 2)}, {"b": "x"}, {"a": "t"}):
        assert twin.row(x).tobytes() == encoder.row(x).tobytes()
        assert learn(twin, x).tobytes() == learn(encoder, x).tobytes()
    assert state(twin) == state(encoder)


# -- Laws ----------------------------------------------------------------------------------------

NAMES = ["a", "b", "c", 7]
GAPS = [None, math.nan, np.float64("nan")]
VALUES = st.one_of(
    st.sampled_from(GAPS),
    st.integers(-3, 3),
    st.floats(-2, 2, width=16),
    st.sampled_from(["x", "y", True, False, (1, "t"), np.int64(2), np.float32(0.5), np.str_("x")]),
    st.sampled_from([Fraction(1, 2), Decimal("0.5"), 10**400]),
)
EVENTS = st.fixed_dictionaries({}, optional=dict.fromkeys(NAMES, VALUES))


class Reader:
    """What a row has to say, worked out value by value from the events learned so far."""

    def __init__(self, nominal):
        self.kinds = dict.fromkeys(nominal, "category")
        self.names: set = set()
        self.known: dict = {}

    def role(self, name, value):
        if value is None or value != value:
            return "missing"
        kind = value_role(type(value))
        return "category" if self.kinds.get(name) == "category" else kind

    def learn(self, x):
        for name, value in x.items():
            self.names.add(name)
            role = self.role(name, value)
            if role == "missing":
                continue
            self.kinds.setdefault(name, role)
            if self.role(name, value) == "category":
                self.known.setdefault(name, {})[value] = None

    def check(self, encoder, x, row):
        assert len(row) == len(self.names)
        for name, value in zip(encoder.names, row, strict=True):
            self.check_cell(name, x.get(name), value, unbox(value))

    def check_cell(self, name, value, number, category):
        role = self.role(name, value)
        if role == "missing":
            assert number != number
            assert category == -1
        elif role == "number" and name in self.kinds:
            assert number == (math.inf if isinstance(value, int) and value > 9 else float(value))
        elif value in self.known.get(name, {}):
            self.ids.setdefault((name, value), category)
            assert self.ids[name, value] == category
        else:
            assert category == UNSEEN_ID


@given(
    st.lists(EVENTS, max_size=12),
    st.lists(EVENTS, max_size=6),
    st.sets(st.sampled_from(NAMES), max_size=1),
)
@settings(max_examples=150)
def test_rows_say_what_the_events_say(events, questions, nominal):
    encoder, reader = Encoder(nominal), Reader(nominal)
    for x in events:
        reader.learn(x)
        reader.ids = {}
        reader.check(encoder, x, learn(encoder, x))
    reader.ids = {}
    for x in events + questions:
        reader.check(encoder, x, encoder.row(x))
    assert all(category != UNSEEN_ID for category in reader.ids.values())
    assert len({(key[0], i) for key, i in reader.ids.items()}) == len(reader.ids)


def test_more_mixtures_of_types_than_are_remembered():
    rng = random.Random(3)
    names = [f"f{i}" for i in range(8)]
    encoder = learned(dict.fromkeys(names, 0.0))
    for _ in range(300):
        x = {name: rng.choice([1, 2.5, None, np.float32(0.5), "t", True]) for name in names}
        reader = Reader(())
        reader.kinds, reader.names, reader.ids = dict.fromkeys(names, "number"), set(names), {}
        reader.check(encoder, x, encoder.row(x))


# -- The latest row ------------------------------------------------------------------------------


def test_the_row_of_the_same_values_is_not_made_twice():
    encoder = learned({"a": 1.5, "b": "x", "c": None}, {"a": 2.5, "b": "y", "c": 1.0})
    x = {"a": 2.5, "b": "x", "c": None}
    row = encoder.row(x)
    assert encoder.prepare(dict(reversed(x.items())))[0] is row
    x["a"] = 3.5
    assert encoder.row(x).tolist()[0] == 3.5
    assert row.tolist()[0] == 2.5


@pytest.mark.parametrize("values", [(1, True, 1.0), (0.0, False, 0), (1.0, np.float64(1.0), True)])
def test_equal_values_of_other_types_are_others(values):
    """A bool is a category of a numeric feature, whatever number it equals."""
    encoder = learned({"a": 5.0, "b": 1.0}, {"a": True, "b": 1.0}, {"a": False, "b": 1.0})
    for value in values:
        fresh = learned({"a": 5.0, "b": 1.0}, {"a": True, "b": 1.0}, {"a": False, "b": 1.0})
        assert encoder.row({"a": value, "b": 1.0}).tobytes() == (
            fresh.row({"a": value, "b": 1.0}).tobytes()
        )


def test_a_category_that_was_forgotten_is_not_remembered():
    x = {"a": "old", "b": 1.0}
    encoder = learned(x)
    assert unbox(encoder.row(x)[0]) == 0
    encoder.forget(0, set())
    assert unbox(encoder.row(x)[0]) == UNSEEN_ID
    learn(encoder, {"a": "new", "b": 1.0})
    assert unbox(encoder.row(x)[0]) == UNSEEN_ID


def test_what_is_remembered_is_no_part_of_the_state():
    encoder = learned({"a": 1.5, "b": "x"})
    before = pickle.dumps(encoder)
    encoder.row({"a": 2.5, "b": "x"})
    assert pickle.dumps(encoder) == before
    assert encoder.row({}).tolist() != encoder.row({"a": 2.5, "b": "x"}).tolist()


def test_a_kind_is_settled_once():
    encoder = Encoder(["nominal"])
    encoder.add_features(["f", "nominal"])
    encoder.settle_kind(0, UNKNOWN)
    assert encoder.kinds == [UNKNOWN, CATEGORICAL]
    assert encoder.row({"f": 2.0}).tolist() != [2.0, 2.0]
    encoder.settle_kind(0, NUMERIC)
    encoder.settle_kind(1, NUMERIC)
    assert encoder.kinds == [NUMERIC, CATEGORICAL]
    assert encoder.row({"f": 2.0})[0] == 2.0
    encoder.settle_kind(0, CATEGORICAL)
    assert encoder.kinds == [NUMERIC, CATEGORICAL]
