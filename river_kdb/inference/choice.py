"""Which of its candidate parents a value takes in the network of one event."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from river_kdb.counts.clock import UNIT
from river_kdb.inference.event_network import family_counts
from river_kdb.inference.smoothing import m_estimate
from river_kdb.jit import ZERO, kernel
from river_kdb.structure.kdb import TIE

CRITERIA = ("posterior", "expected", "sum", "min-sum")
"""Names of the criteria; the kernels take their numbers."""

POSTERIOR, EXPECTED, SUM, MIN_SUM = range(4)


class Choice(NamedTuple):
    """How parents are chosen.

    Attributes
    ----------
    k
        Parents at most.
    n_candidates
        Candidates of a value at most.
    criterion
        Number of the criterion.
    """

    k: int
    n_candidates: int
    criterion: int


@kernel
def worth_of_parents(criterion, context, both, n_values, total, unit=1.0):
    """Return how much a set of parents is worth, the more the better.

    It is the sum of ln P(x | parents, c) over the classes: weighted by P(c | x, parents) as
    `POSTERIOR`, by P(c, parents) as `EXPECTED`, not weighted as `SUM`, and its negative as
    `MIN_SUM`. `total` is the weight of all events counted, in the same unit.
    """
    m, seen, worth = context.shape[0], 0.0, 0.0
    for c in range(m):
        seen += both[c]
    for c in range(m):
        likelihood = math.log(m_estimate(both[c], context[c], n_values, unit))
        if criterion == POSTERIOR:
            likelihood *= m_estimate(both[c], seen, m, unit)
        elif criterion == EXPECTED:
            likelihood *= context[c] / total
        worth += likelihood
    return -worth if criterion == MIN_SUM else worth


@kernel
def next_subset(places, size, n):
    """Turn `size` rising places below `n` into the next ones; return whether there were any."""
    q = size - 1
    while q >= 0 and places[q] == n - size + q:
        q -= 1
    if q < 0:
        return False
    places[q] += 1
    for later in range(q + 1, size):
        places[later] = places[later - 1] + 1
    return True


@kernel
def best_subset(child, candidates, n, choice, evidence, totals, out):
    """Write to `out` (k,) the 1 to k of the first `n` candidates that are worth most.

    `totals` are what `weights_counted` returned. A context that was never
    seen is passed over.
    """
    m, unit = evidence.alone.shape[1], evidence.clock[UNIT]
    context, both = np.empty(m), np.empty(m)
    places, chosen = np.zeros(choice.k, dtype=np.int64), np.full(choice.k, -1)
    best = -np.inf
    for size in range(1, min(choice.k, n) + 1):
        for q in range(size):
            places[q] = q
        while True:
            for q in range(size):
                chosen[q] = candidates[places[q]]
            total = totals[1] if size > 1 else totals[0]
            if family_counts(evidence, child, chosen, size, context, both) > 0.0:
                n_values = evidence.n_values[child]
                worth = worth_of_parents(choice.criterion, context, both, n_values, total, unit)
                if worth > best + TIE:
                    best = worth
                    for q in range(choice.k):
                        out[q] = chosen[q] if q < size else -1
            if not next_subset(places, size, n):
                break


@kernel
def choose_parents(candidates, choice, evidence, totals):
    """Return the parents (n, k) that every value chooses among its first candidates (n, any).

    Candidates whose value was never learned are passed over.
    """
    n = candidates.shape[0]
    parents = np.full((n, choice.k), -1)
    usable = np.empty(candidates.shape[1], dtype=np.int64)
    for a in range(n):
        if not evidence.seen[a]:
            continue
        found = ZERO
        for place in range(candidates.shape[1]):
            b = candidates[a, place]
            if found < choice.n_candidates and b >= 0 and evidence.seen[b]:
                usable[found] = b
                found += 1
        best_subset(a, usable, found, choice, evidence, totals, parents[a])
    return parents


@kernel
def weights_counted(counts, m):
    """Return the weights of the events that pairs count, and of those in the window."""
    in_pairs, held = 0.0, 0.0
    for place in range(counts.bitsets.weights.shape[0]):
        held += counts.bitsets.weights[place]
    for c in range(m):
        in_pairs += counts.singles.classes[c]
    return (held if counts.windowed else in_pairs), held
