"""Whether two models code their features alike, and which of their slots stand for the same."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from typing import Any, NamedTuple

import numpy as np

from river_kdb.features.boxes import unbox, unbox_array
from river_kdb.features.coder import Coder
from river_kdb.features.encoder import CATEGORICAL, KIND_NAMES, UNKNOWN, Encoder, feature_key

_ADVICE = (
    "freeze() a model that has learned a sample, and make the others like() it before they learn"
)


class Coding(NamedTuple):
    """How a model codes its features.

    Attributes
    ----------
    encoder
        Names, kinds and vocabularies.
    coder
        Cut points and slots.
    in_other
        bool array of shape (n_features,): whether any event counts in OTHER.
    """

    encoder: Encoder
    coder: Coder
    in_other: np.ndarray


def check_agreement(mine: Coding, theirs: Coding) -> None:
    """Raise unless the features that both models have are coded alike, by name.

    Parameters
    ----------
    mine, theirs
        The codings.

    Raises
    ------
    ValueError
        If they differ; the message names the feature.
    """
    _check_order({*mine.encoder.names, *theirs.encoder.names})
    for name, i in mine.encoder.index.items():
        if name in theirs.encoder.index:
            reason = _difference(mine, i, theirs, theirs.encoder.index[name])
            if reason:
                raise ValueError(f"feature {name!r}: {reason}; {_ADVICE}")


def _check_order(names: Collection[Hashable]) -> None:
    """Raise where two names have the same place in the order of the features."""
    by_key: dict[tuple[int, Any], Hashable] = {}
    for name in names:
        other = by_key.setdefault(feature_key(name), name)
        if other is not name:
            raise ValueError(f"the features {other!r} and {name!r} can't be put in an order")


def _difference(mine: Coding, i: int, theirs: Coding, j: int) -> str:
    """Say in what feature `i` of one model differs from feature `j` of the other, if it does."""
    shared = mine.coder.is_shared(i), theirs.coder.is_shared(j)
    if all(shared):
        return ""
    kinds = mine.encoder.kinds[i], theirs.encoder.kinds[j]
    if kinds[0] != kinds[1] and UNKNOWN not in kinds:
        return f"{KIND_NAMES[kinds[0]]} here, {KIND_NAMES[kinds[1]]} in the other model"
    has_bins = mine.coder.bin_start[i] >= 0, theirs.coder.bin_start[j] >= 0
    if all(has_bins) and any(shared):
        return "all its values have one slot in one of the models only"
    if all(has_bins) and not np.array_equal(mine.coder.cuts[i], theirs.coder.cuts[j]):
        return "the cut points differ"
    return _difference_of_categories(mine, i, theirs, j)


def _difference_of_categories(mine: Coding, i: int, theirs: Coding, j: int) -> str:
    here, there = _slotted(mine, i), _slotted(theirs, j)
    for more, fewer, coding, k in ((here, there, theirs, j), (there, here, mine, i)):
        lacking = [value for value in more if value not in fewer]
        closed = coding is mine and mine.coder.is_frozen
        if lacking and (closed or coding.in_other[k]):
            return f"the category {lacking[0]!r} has a slot in one of the models only"
    n_together = len({*here, *there})
    if n_together > mine.coder.max_categories:
        return f"together the models have {n_together} categories, more than max_categories"
    return ""


def _slotted(coding: Coding, i: int) -> dict[Hashable, int]:
    """Return the categories of a feature that have a slot of their own, by rising slot."""
    slots = coding.coder.slot_of_id[i]
    ids = {value: unbox(cell) for value, cell in coding.encoder.vocabularies[i].items()}
    own = {value: int(slots[k]) for value, k in ids.items() if k < len(slots) and slots[k] >= 0}
    return dict(sorted(own.items(), key=lambda pair: pair[1]))


def take_slots(mine: Coding, i: int, theirs: Coding, j: int) -> np.ndarray:
    """Open the slots for feature `i` that feature `j` of another model has, which agrees.

    Parameters
    ----------
    mine, i
        The coding to open them in, which knows all categories of the other, and the feature.
    theirs, j
        The other one, and its feature.

    Returns
    -------
    int64 array: for every slot of the other model the one that stands for the same here. The
    coder's `tables` are left to be renewed.
    """
    coder, other = mine.coder, theirs.coder
    found = np.full(other.n_slots[j], -1, dtype=np.int64)
    if other.bin_start[j] >= 0 and not other.is_shared(j):
        if coder.bin_start[i] < 0:
            coder.set_bins(i, other.cuts[j])
        n_bins = len(other.cuts[j]) + 1
        found[other.bin_start[j] :][:n_bins] = coder.bin_start[i] + np.arange(n_bins)
    vocabulary = mine.encoder.vocabularies[i]
    for value, slot in _slotted(theirs, j).items():
        found[slot] = coder.open_category(i, unbox(vocabulary[value]))
    if other.missing[j] >= 0:
        found[other.missing[j]] = coder.open_missing(i)
    if other.other[j] >= 0:
        found[other.other[j]] = coder.open_other(i, other.is_shared(j))
    return found


def take_values(mine: Coding, i: int, theirs: Coding, j: int) -> None:
    """Learn kind and categories of feature `i` as another model knows them of its feature `j`.

    Parameters
    ----------
    mine, i, theirs, j
        As for `take_slots`.
    """
    mine.encoder.settle_kind(i, theirs.encoder.kinds[j])
    for value in theirs.encoder.vocabularies[j]:
        mine.encoder.learn_value(i, value)


def take_cells(mine: Coding, i: int, theirs: Coding, j: int, cells: np.ndarray) -> np.ndarray:
    """Return raw cells (b,) of feature `j` of another model as they stand for feature `i` here.

    Parameters
    ----------
    mine, i, theirs, j
        As for `take_slots`.
    cells
        float64 array of shape (b,), contiguous.
    """
    encoder, found = mine.encoder, cells.copy()
    ids, where = np.unique(unbox_array(cells), return_inverse=True)
    value_of = {unbox(cell): value for value, cell in theirs.encoder.vocabularies[j].items()}
    known = ids >= 0
    if known.any():
        table = [encoder.learn_value(i, value_of[k]) for k in ids[known].tolist()]
        is_category = known[where]
        found[is_category] = np.array(table)[where[is_category] - np.argmax(known)]
    if encoder.kinds[i] == CATEGORICAL and not np.isnan(cells).all():
        is_number = ~np.isnan(cells)
        numbers, which = np.unique(cells[is_number], return_inverse=True)
        found[is_number] = np.array([encoder.learn_value(i, x) for x in numbers.tolist()])[which]
    return found
