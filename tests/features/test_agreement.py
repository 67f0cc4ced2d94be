"""Codings held against each other, by name, and slots that stand for the same."""

from __future__ import annotations

import numpy as np
import pytest

from river_kdb.features.agreement import (
    Coding,
    check_agreement,
    take_cells,
    take_slots,
    take_values,
)
from river_kdb.features.boxes import unbox
from river_kdb.features.coder import Coder
from river_kdb.features.encoder import CATEGORICAL, NUMERIC, Encoder

NAN = float("nan")


def coding(rows, cuts=None, max_categories=3, frozen=False, in_other=False):
    """The coding of a feature f after some values; its bins are cut at `cuts`."""
    encoder, coder = Encoder(), Coder(max_categories, False)
    encoder.add_features(["f"])
    coder.insert(np.array([0]))
    if cuts is not None:
        encoder.settle_kind(0, NUMERIC)
        coder.set_bins(0, np.array(cuts, dtype=float))
    for value in rows:
        raw = np.array([[encoder.learn_value(0, value)]])
        coder.open_slots(raw, encoder.kinds)
    if frozen:
        coder.freeze()
    return Coding(encoder, coder, np.array([in_other]))


def late(*rows):
    """A feature that came after freezing."""
    encoder, coder = Encoder(), Coder(3, False)
    coder.freeze()
    encoder.add_features(["f"])
    coder.insert(np.array([0]))
    for value in rows:
        encoder.learn_value(0, value)
    return Coding(encoder, coder, np.array([bool(rows)]))


AGREE = [
    (coding([]), coding([])),
    (coding([]), coding(["a"])),
    (coding([]), coding([1.0], cuts=[0.5])),
    (coding(["a", "b"]), coding(["b", "c"])),
    (coding([1.0], cuts=[0.5]), coding([2.0, "a"], cuts=[0.5])),
    (coding(["a"], frozen=True), coding(["a"])),
    (coding(["a", "b"]), coding(["a"], frozen=True)),
    (coding(["a", "b", "c", "d"], in_other=True), coding(["c", "b"])),
    (late(1.0), late("a")),
    (late(), coding([])),
]
DIFFER = [
    (coding([1.0], cuts=[0.5]), coding([1.0], cuts=[0.6]), "cut points differ"),
    (coding([1.0], cuts=[0.5]), coding([1.0], cuts=[]), "cut points differ"),
    (coding([1.0], cuts=[]), coding(["a"]), "numeric here, categorical"),
    (coding([1.0], cuts=[]), late(1.0), "one slot in one of the models only"),
    (coding(["a"]), late("a"), "category 'a' has a slot in one"),
    (coding(["a", "b"]), coding(["c", "b"], in_other=True), "category 'a' has a slot in one"),
    (coding(["a", "b"]), coding(["c", "d"]), "4 categories, more than max_categories"),
    (coding(["a"], frozen=True), coding(["a", "b"]), "category 'b' has a slot in one"),
]


@pytest.mark.parametrize(("mine", "theirs"), AGREE)
def test_what_agrees(mine, theirs):
    check_agreement(mine, theirs)


@pytest.mark.parametrize(("mine", "theirs", "reason"), DIFFER)
def test_what_differs(mine, theirs, reason):
    with pytest.raises(ValueError, match=f"feature 'f': .*{reason}.*freeze"):
        check_agreement(mine, theirs)


def test_features_of_one_model_only_agree():
    encoder = Encoder()
    encoder.add_features(["g"])
    coder = Coder(3, False)
    coder.insert(np.array([0]))
    check_agreement(coding([1.0], cuts=[]), Coding(encoder, coder, np.array([False])))


class Named:
    def __repr__(self):
        return "named"


def test_names_without_an_order_are_refused():
    codings = []
    for _ in "12":
        encoder = Encoder()
        encoder.add_features([Named()])
        codings.append(Coding(encoder, Coder(3, False), np.array([False])))
    with pytest.raises(ValueError, match="features named and named can't be put in an order"):
        check_agreement(*codings)


def taken(mine, theirs):
    """The slot here for each of the other's, by what it stands for there."""
    take_values(mine, 0, theirs, 0)
    slots = take_slots(mine, 0, theirs, 0)
    mine.coder.renew_tables()
    return slots.tolist()


def test_slots_are_opened_by_name():
    mine = coding(["b", None, "a"])
    theirs = coding(["a", "c", "b", None])
    assert taken(mine, theirs) == [2, 3, 0, 1]
    assert mine.coder.n_slots == [4]
    assert theirs.coder.n_slots == [4]
    assert mine.encoder.vocabularies[0].keys() == {"a", "b", "c"}


def test_bins_and_what_stands_beside_them():
    theirs = coding([None, 1.0, "a", "b", "c", "d"], cuts=[0.5, 2.0])
    mine = coding(["a"])
    mine.encoder.kinds[0] = NUMERIC
    # there bins 0 to 2, missing 3, a to c, OTHER 7; here a stands first
    assert taken(mine, theirs) == [1, 2, 3, 6, 0, 4, 5, 7]
    assert mine.coder.cuts[0].tolist() == [0.5, 2.0]


def test_a_slot_for_all_values_stays_one():
    mine, theirs = coding([]), late("a", 2.0)
    assert taken(mine, theirs) == [0, 1]
    assert mine.coder.is_shared(0)
    assert mine.encoder.kinds == [CATEGORICAL]


def test_cells_get_the_ids_of_here():
    mine, theirs = coding(["b", "a"]), coding(["a", "b", "c"])
    cells = np.array([theirs.encoder.vocabularies[0][v] for v in "cab"] + [NAN, NAN])
    found = take_cells(mine, 0, theirs, 0, cells)
    assert [unbox(cell) for cell in found.tolist()] == [2, 1, 0, -1, -1]
    assert np.isnan(found).all()
    numbers = take_cells(coding([], cuts=[]), 0, coding([], cuts=[]), 0, np.array([1.5, NAN]))
    assert numbers[0] == 1.5
    assert np.isnan(numbers[1])


def test_numbers_and_categories_of_a_feature_with_one_slot():
    mine, theirs = late("a", 3), late(3.0, "b")
    found = take_cells(mine, 0, theirs, 0, np.array([3.0, 4.0, NAN, 3.0]))
    assert [unbox(cell) for cell in found.tolist()] == [1, 2, -1, 1]
    assert mine.encoder.vocabularies[0].keys() == {"a", 3, 4}
    back, others = late(1.0), late("b", 3, "c")
    ids = others.encoder.vocabularies[0]
    found = take_cells(back, 0, others, 0, np.array([ids[3], ids["c"], NAN]))
    assert found[0] == 3.0
    assert unbox(found[1]) == 0
    assert unbox(found[2]) == -1
