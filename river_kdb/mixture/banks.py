"""Counts of families under several half-lives at once.

Features are numbered chain by chain: number b n + i is feature i in the bins of chain b. The
column c H + h of every table belongs to class c and half-life h, so one event touches one run of
memory in a family, whatever half-lives there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from river_kdb.counts.clock import DOUBLINGS, EPOCH, FADED, RATE, UNIT, new_clock
from river_kdb.counts.clock import due_at as clock_due_at
from river_kdb.counts.families import CAP, CHILD, START
from river_kdb.jit import inlined, kernel
from river_kdb.schedule import NEVER


class Banks(NamedTuple):
    """The counts.

    Attributes
    ----------
    spec, cells
        As in `Families`, with a family without parents for every feature; cells of shape
        (rows, class capacity * n_half_lives).
    levels
        int32 array of shape (n_chains * n_features, k + 1): number of the family with no parent,
        with the strongest one, with the two strongest, ...; -1 ends the list.
    depths
        int64 array of shape (n_chains,): the largest k of each chain.
    used
        int64 array of shape (n_chains * n_features,): slots with any count.
    classes
        float64 array of shape (class capacity * n_half_lives,).
    clocks
        float64 array of shape (n_half_lives, 5): a clock a half-life, the slowest last.
    """

    spec: np.ndarray
    cells: np.ndarray
    levels: np.ndarray
    depths: np.ndarray
    used: np.ndarray
    classes: np.ndarray
    clocks: np.ndarray


def new_clocks(half_lives: Sequence[float | None]) -> np.ndarray:
    """Return a clock for every half-life.

    Parameters
    ----------
    half_lives
        Half-lives in events, None for ever; the shortest first.
    """
    clocks = [new_clock(half_life) for half_life in half_lives]
    return np.array(clocks).reshape(len(half_lives), len(new_clock()))


@inlined
def total_of(cells, row, n_columns, n_half_lives):
    """Return the sum of a row over the classes, under the slowest half-life."""
    total = 0.0
    for z in range(n_half_lives - 1, n_columns, n_half_lives):
        total += cells[row, z]
    return total


@inlined
def set_clocks(clocks, t):
    """Set the clocks to event number `t`."""
    for h in range(clocks.shape[0]):
        clocks[h, UNIT] = 2.0 ** ((t - clocks[h, EPOCH]) * clocks[h, RATE])


@kernel
def add_event(codes, rows, label, weight, t, banks):
    """Count event number `t`, given its codes (V, 1) and the rows (F, 1) of its contexts."""
    spec, cells, _, _, used, classes, clocks = banks
    n_half_lives = clocks.shape[0]
    set_clocks(clocks, t)
    first = label * n_half_lives
    for h in range(n_half_lives):
        classes[first + h] += weight * clocks[h, UNIT]
    for f in range(spec.shape[0]):
        child = spec[f, CHILD]
        code = codes[child, 0]
        if rows[f, 0] < 0 or code < 0:
            continue
        here, whole = rows[f, 0] + code, rows[f, 0] + spec[f, CAP]
        if f < used.shape[0] and total_of(cells, here, cells.shape[1], n_half_lives) <= 0.0:
            used[child] += 1
        for h in range(n_half_lives):
            more = weight * clocks[h, UNIT]
            cells[here, first + h] += more
            cells[whole, first + h] += more


@kernel
def fill_families(banks, which, codes, rows, labels, weights, first, since):
    """Count events number `first` and on in the families `which`; the clocks stay.

    `codes` (V, b) are theirs and `rows` (len(which), b) their contexts. Under half-life h only
    those from number `since[h]` on count.
    """
    spec, cells = banks.spec, banks.cells
    clocks = banks.clocks
    n_half_lives = clocks.shape[0]
    for g in range(which.shape[0]):
        child, cap = spec[which[g], CHILD], spec[which[g], CAP]
        for r in range(labels.shape[0]):
            code = codes[child, r]
            if rows[g, r] < 0 or code < 0:
                continue
            column = labels[r] * n_half_lives
            for h in range(n_half_lives):
                if first + r < since[h]:
                    continue
                more = weights[r] * 2.0 ** ((first + r - clocks[h, EPOCH]) * clocks[h, RATE])
                cells[rows[g, r] + code, column + h] += more
                cells[rows[g, r] + cap, column + h] += more


@kernel
def fill_classes(banks, labels, weights, first, since):
    """Count the labels of events number `first` and on; the clocks stay."""
    classes, clocks = banks.classes, banks.clocks
    for r in range(labels.shape[0]):
        for h in range(clocks.shape[0]):
            if first + r >= since[h]:
                age = (first + r - clocks[h, EPOCH]) * clocks[h, RATE]
                classes[labels[r] * clocks.shape[0] + h] += weights[r] * 2.0**age


@kernel
def count_used(banks):
    """Count anew how many slots of every feature have any count."""
    spec, cells, _, _, used, _, clocks = banks
    for f in range(used.shape[0]):
        used[f] = 0
        for row in range(spec[f, START], spec[f, START] + spec[f, CAP]):
            used[f] += total_of(cells, row, cells.shape[1], clocks.shape[0]) > 0.0


def due_at(clocks: np.ndarray) -> int:
    """Return the number of events after which a clock is to be brought to a later epoch.

    Parameters
    ----------
    clocks
        float64 array of shape (n_half_lives, 5).
    """
    return min((clock_due_at(clock) for clock in clocks if clock[RATE] > 0.0), default=NEVER)


def renormalise(banks: Banks, n_events: int) -> None:
    """Bring the clocks that are due to a later epoch; counts that have faded away become 0.

    Parameters
    ----------
    banks
        The counts.
    n_events
        Events learned so far.
    """
    clocks = banks.clocks
    for h in range(len(clocks)):
        age = (n_events - clocks[h, EPOCH]) * clocks[h, RATE]
        if age < DOUBLINGS:
            continue
        doublings = np.floor(age)
        clocks[h, EPOCH] += doublings / clocks[h, RATE]
        clocks[h, UNIT] *= 2.0**-doublings
        for table in (banks.cells.T, banks.classes):
            part = table[h :: len(clocks)]
            part *= 2.0**-doublings
            part[part < FADED] = 0.0
    count_used(banks)
