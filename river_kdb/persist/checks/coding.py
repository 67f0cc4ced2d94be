"""Whether the slots of values are sound."""

from __future__ import annotations

from typing import Any

import numpy as np

from river_kdb.features.coder import (
    BIN_START,
    CUT_START,
    ID_START,
    MISSING_SLOT,
    N_CUTS,
    N_IDS,
    OTHER_SLOT,
    Coder,
    CodeTables,
)
from river_kdb.persist.checks.require import (
    require,
    require_array,
    require_whole,
    require_within,
)

_MOST_SLOTS = 2**15 - 1


def check_coder(coder: Coder, next_ids: list[int], caps: np.ndarray) -> None:
    """Raise unless every code that a coder gives has room in the tables.

    Parameters
    ----------
    coder
        The coder.
    next_ids
        Ids that the categories of every feature have had.
    caps
        int64 array of shape (n_features,): room for slots.

    Raises
    ------
    ValueError
        If one has not.
    """
    n = len(caps)
    for key in ("cuts", "bin_start", "n_slots", "missing", "other", "slot_of_id", "n_own"):
        found = getattr(coder, key)
        require(type(found) is list and len(found) == n, f"{key}: not one for each feature")
    for i in range(n):
        _check_feature(coder, i, next_ids[i], int(caps[i]))
    check_tables(coder.tables, np.array(coder.n_slots, dtype=np.int64))


def _check_feature(coder: Coder, i: int, n_ids: int, cap: int) -> None:
    n_slots, cuts, slots = coder.n_slots[i], coder.cuts[i], coder.slot_of_id[i]
    require_whole("number of slots", n_slots, 0, min(cap, _MOST_SLOTS))
    require_array("cut points", cuts, np.float64, (np.size(cuts),))
    require_whole("first bin", coder.bin_start[i], -2, n_slots - 1 - len(cuts))
    require(coder.bin_start[i] >= 0 or not len(cuts), "cut points without bins")
    for slot in (coder.missing[i], coder.other[i]):
        require_whole("slot", slot, -2, n_slots - 1)
    require_array("slots", slots, np.int16, (np.size(slots),))
    require_within("slots", slots, -2, n_slots - 1)
    require(len(slots) <= n_ids, "slots of categories that there are not")
    require_whole("slots of its own", coder.n_own[i], 0, n_slots)


def check_tables(tables: CodeTables, n_slots: np.ndarray) -> None:
    """Raise unless the kernels find nothing but slots that there are.

    Parameters
    ----------
    tables
        The tables.
    n_slots
        int64 array of shape (n_features,): slots of every feature.

    Raises
    ------
    ValueError
        If they would find something else.
    """
    spec, cuts, slots = tables
    require_array("code tables", spec, np.int64, (len(n_slots), 7))
    require_array("cut points", cuts, np.float64, (np.size(cuts),))
    require_array("slots", slots, np.int16, (np.size(slots),))
    _check_runs(spec[:, CUT_START], spec[:, N_CUTS], len(cuts))
    _check_runs(spec[:, ID_START], spec[:, N_IDS], len(slots))
    last = n_slots - 1
    require_within("first bin", spec[:, BIN_START], -2, last - spec[:, N_CUTS])
    require(((spec[:, BIN_START] >= 0) | (spec[:, N_CUTS] == 0)).all(), "cut points without bins")
    for column in (MISSING_SLOT, OTHER_SLOT):
        require_within("slots", spec[:, column], -2, last)
    for i, (first, size) in enumerate(spec[:, [ID_START, N_IDS]].tolist()):
        require_within("slots", slots[first : first + size], -2, last[i])


def _check_runs(start: np.ndarray, size: np.ndarray, length: Any) -> None:
    """Raise unless runs lie within an array."""
    require_within("start of a run", start, 0, length)
    require_within("length of a run", size, 0, length - start)
