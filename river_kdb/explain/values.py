"""What the slots of a feature stand for."""

from __future__ import annotations

from river_kdb.features.boxes import unbox
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
        edges = ["-inf", *(f"{cut:.6g}" for cut in coder.cuts[i]), "inf"]
        for b in range(len(edges) - 1):
            closing = ")" if edges[b + 1] == "inf" else "]"
            names[coder.bin_start[i] + b] = f"({edges[b]}, {edges[b + 1]}{closing}"
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
