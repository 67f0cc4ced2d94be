"""What the slots of a feature stand for."""

from __future__ import annotations

from typing import Any

from river_kdb.features.boxes import unbox
from river_kdb.features.coder import Coder
from river_kdb.features.encoder import NUMERIC
from river_kdb.learner import Learner


def slot_names(learner: Learner, i: int) -> list[str]:
    """Return what each slot of a feature stands for.

    Parameters
    ----------
    learner
        What the model has learned.
    i
        Index of the feature.
    """
    coder, encoder = learner.coder, learner.encoder
    names = ["?"] * coder.n_slots[i]
    if encoder.kinds[i] == NUMERIC and coder.bin_start[i] >= 0:
        for b in range(len(coder.cuts[i]) + 1):
            names[coder.bin_start[i] + b] = _bin_name(coder, i, b)
    slots = coder.slot_of_id[i]
    for value, cell in encoder.vocabularies[i].items():
        category = unbox(cell)
        if category < len(slots) and slots[category] >= 0:
            names[slots[category]] = repr(value)
    if coder.missing[i] >= 0:
        names[coder.missing[i]] = "missing"
    if coder.other[i] >= 0:
        names[coder.other[i]] = "other"
    return names


def slot_name(coder: Coder, i: int, code: int, value: Any) -> str | None:
    """Return what the slot of a value stands for, None where the value has none.

    Parameters
    ----------
    coder
        The bins and slots.
    i
        Index of the feature.
    code
        The slot.
    value
        The value.
    """
    if code < 0:
        return None
    if code == coder.missing[i]:
        return "missing"
    if code == coder.other[i]:
        return "other"
    b = code - coder.bin_start[i]
    if coder.bin_start[i] >= 0 and 0 <= b <= len(coder.cuts[i]):
        return _bin_name(coder, i, b)
    return repr(value)


def _bin_name(coder: Coder, i: int, b: int) -> str:
    cuts = coder.cuts[i]
    low = f"{cuts[b - 1]:.6g}" if b else "-inf"
    return f"({low}, {cuts[b]:.6g}]" if b < len(cuts) else f"({low}, inf)"
