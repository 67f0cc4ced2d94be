"""Counts of the classes and of every feature with the class."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from river_kdb.counts.cells import shifted
from river_kdb.counts.clock import new_clock
from river_kdb.counts.layout import Layout
from river_kdb.jit import inlined


class Singles(NamedTuple):
    """N(c) and N(x_i, c); the class axis is last and padded.

    Attributes
    ----------
    classes
        float64 array of shape (class capacity,): N(c).
    cells
        float64 array of shape (rows, class capacity): N(x_i = s, c) at row `start[i] + s`.
    sums
        float64 array of shape (n_features, class capacity): the sum over the slots, which is
        N(c) unless missing values are left out.
    totals
        float64 array of shape (rows,): N(x_i = s).
    used
        int64 array of shape (n_features,): slots with any count.
    start
        int64 array of shape (n_features,): first row of a feature.
    clock
        float64 array of shape (5,): in which unit all tables count.
    """

    classes: np.ndarray
    cells: np.ndarray
    sums: np.ndarray
    totals: np.ndarray
    used: np.ndarray
    start: np.ndarray
    clock: np.ndarray


def new_singles(layout: Layout, clock: np.ndarray | None = None) -> Singles:
    """Return empty tables.

    Parameters
    ----------
    layout
        Room for slots and classes.
    clock
        The clock to count by; None: a new one, by which nothing fades.
    """
    caps, m = layout
    rows = int(caps.sum())
    return Singles(
        np.zeros(m),
        np.zeros((rows, m)),
        np.zeros((len(caps), m)),
        np.zeros(rows),
        np.zeros(len(caps), dtype=np.int64),
        np.cumsum(caps) - caps,
        new_clock() if clock is None else clock,
    )


def singles_bytes(layout: Layout) -> int:
    """Return what the tables take.

    Parameters
    ----------
    layout
        Room for slots and classes.
    """
    caps, m = layout
    return 8 * (int(caps.sum()) * (m + 1) + len(caps) * (m + 2) + m) + new_clock().nbytes


@inlined
def add_singles(singles, codes, labels, weights):
    """Count a block of codes (n, b) with their labels (b,) and weights (b,).

    An event whose weight is negative is taken out.
    """
    classes, cells, sums, totals, used, start, _ = singles
    for r in range(labels.shape[0]):
        classes[labels[r]] = shifted(classes[labels[r]], weights[r])
    for i in range(codes.shape[0]):
        first = start[i]
        for r in range(labels.shape[0]):
            if codes[i, r] < 0:
                continue
            row = first + codes[i, r]
            before, after = totals[row], shifted(totals[row], weights[r])
            if before == 0.0 and after > 0.0:
                used[i] += 1
            elif before > 0.0 and after == 0.0:
                used[i] -= 1
            totals[row] = after
            cells[row, labels[r]] = shifted(cells[row, labels[r]], weights[r])
            sums[i, labels[r]] = shifted(sums[i, labels[r]], weights[r])


def insert_missing(singles: Singles, i: int, slot: int) -> None:
    """Let a slot of feature `i` take over all counts: the feature was missing so far.

    Parameters
    ----------
    singles
        The tables, with room for the feature.
    i
        Index of the feature.
    slot
        Its slot for the missing value.
    """
    row = singles.start[i] + slot
    singles.cells[row] = singles.sums[i] = singles.classes
    singles.totals[row] = singles.classes.sum()
    singles.used[i] = int(singles.totals[row] > 0)


def recount_used(singles: Singles) -> None:
    """Count anew how many slots of every feature have any count.

    Parameters
    ----------
    singles
        The tables.
    """
    ends = np.append(singles.start[1:], len(singles.totals))
    for i, (first, end) in enumerate(zip(singles.start, ends, strict=True)):
        singles.used[i] = np.count_nonzero(singles.totals[first:end])


def regrown_singles(singles: Singles, old: Layout, new: Layout, where: np.ndarray) -> Singles:
    """Return the same counts in larger tables.

    Parameters
    ----------
    singles
        The tables.
    old, new
        Their layout now, and the one to have.
    where
        int array: the new index of every old feature.
    """
    grown = new_singles(new, singles.clock)
    m = old.class_capacity
    grown.classes[:m] = singles.classes
    for i, j in enumerate(where):
        here, there, cap = singles.start[i], grown.start[j], old.caps[i]
        grown.cells[there : there + cap, :m] = singles.cells[here : here + cap]
        grown.totals[there : there + cap] = singles.totals[here : here + cap]
        grown.sums[j, :m] = singles.sums[i]
        grown.used[j] = singles.used[i]
    return grown
