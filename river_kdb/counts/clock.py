"""How much an event counts: with a half-life the later the more.

The tables are never touched because time goes by. A later event is added with a larger weight
instead: event number t with its own weight times `unit_of(clock, t)`. Counts are read in units of
the newest event: where a constant meets a count, it is multiplied by `clock[UNIT]`.
"""

from __future__ import annotations

import numpy as np

from river_kdb.jit import inlined, kernel

UNIT, RATE, EPOCH, FIRST, SLIDES = range(5)
"""Places of a clock, a float64 array: the unit of the newest event, one by the half-life (0 without
one), the number of the event that has unit 1, that of the first event that counts, and 1 where
only the events of the window count."""

DOUBLINGS = 64
"""After so many half-lives the tables are brought to a later epoch."""

FADED = 2.0**-DOUBLINGS
"""Counts below this, in units of the newest event, are as never seen."""


def new_clock(half_life: float | None = None, slides: bool = False) -> np.ndarray:
    """Return a clock before the first event.

    Parameters
    ----------
    half_life
        Events after which an event counts half as much as a new one; None: it never fades.
    slides
        Whether only the events of the window count.

    Examples
    --------
    >>> from river_kdb.counts.clock import new_clock, unit_of
    >>> [float(unit_of(new_clock(half_life=2), t)) for t in range(5)]
    [1.0, 1.4142135623730951, 2.0, 2.8284271247461903, 4.0]
    """
    rate = 0.0 if half_life is None else 1.0 / half_life
    return np.array([1.0, rate, 0.0, 0.0, float(slides)])


@inlined
def unit_of(clock, t):
    """Return how much event number `t` counts for each unit of its weight."""
    return 2.0 ** ((t - clock[EPOCH]) * clock[RATE]) if clock[RATE] > 0.0 else 1.0


@inlined
def lets_go(clock, t, capacity):
    """Say whether event number `t` takes the place of one that counts, in a window so large."""
    return t - capacity >= clock[FIRST]


@kernel
def counted_weights(clock, first, weights):
    """Return how much events number `first` and on count, given their weights (b,).

    The clock is set to the last of them.
    """
    counted = np.empty(weights.shape[0])
    for r in range(weights.shape[0]):
        clock[UNIT] = unit_of(clock, first + r)
        counted[r] = weights[r] * clock[UNIT]
    return counted


def due_at(clock: np.ndarray) -> int:
    """Return the number of events after which the tables are to be brought to a later epoch.

    Parameters
    ----------
    clock
        The clock, of a half-life.
    """
    return int(clock[EPOCH] + np.ceil(DOUBLINGS / clock[RATE])) + 1


def advance(clock: np.ndarray) -> float:
    """Bring the clock to an epoch near the newest event; return the factor for all counts.

    Parameters
    ----------
    clock
        The clock, of a half-life. Its unit becomes at least 1 and less than 2.
    """
    doublings = np.floor(np.log2(clock[UNIT]))
    clock[EPOCH] += doublings / clock[RATE]
    clock[UNIT] *= 2.0**-doublings
    return float(2.0**-doublings)
