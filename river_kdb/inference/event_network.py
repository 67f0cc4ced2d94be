"""A network that is learned for one event: its order, its parents, its posterior.

Everything here is over the features that keep pairs, numbered as in the `Evidence`; the others
are naive Bayes factors. Counts with one parent are those of all events where there are tables of
pairs; they, and contexts of two and more parents always, are else counted in the window, at the
moment.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from river_kdb.counts.bitsets import BitSets
from river_kdb.counts.clock import UNIT
from river_kdb.counts.event_sets import count_context
from river_kdb.counts.pairs import Pairs
from river_kdb.counts.singles import Singles
from river_kdb.inference.smoothing import M_ESTIMATE, back_off, m_estimate
from river_kdb.inference.static import log_or_never, to_posteriors
from river_kdb.jit import ZERO, kernel
from river_kdb.structure.kdb import strongest
from river_kdb.structure.tan import spanning_tree


class Counts(NamedTuple):
    """All that is counted at once, and how it is read.

    Attributes
    ----------
    singles, pairs, bitsets
        The tables, and the window as sets.
    windowed
        Whether pairs have no tables, and are counted in the window.
    together
        N(X_i and X_j present, c), see `Evidence`.
    some_missing
        Whether values are ever left out.
    smoothing
        As the kernels take it.
    logarithms
        float64 array of shape (any,): those of the first whole numbers.
    """

    singles: Singles
    pairs: Pairs
    bitsets: BitSets
    windowed: bool
    together: np.ndarray
    some_missing: bool
    smoothing: float
    logarithms: np.ndarray


@kernel
def event_order(scores, seen):
    """Return the features whose value was seen, by falling score."""
    left, count = seen.copy(), 0
    for a in range(seen.shape[0]):
        count += seen[a]
    order = np.empty(count, dtype=np.int64)
    for place in range(count):
        order[place] = strongest(scores, left)
        left[order[place]] = False
    return order


@kernel
def event_tree(scores, pair, seen):
    """Return the parents (n, 1) in the maximum spanning tree of the values that were seen.

    Its root is the one of the largest score.
    """
    n, count = seen.shape[0], 0
    for i in range(n):
        count += seen[i]
    parents = np.full((n, 1), -1)
    if count == 0:
        return parents
    members, weights = np.empty(count, dtype=np.int64), np.empty((count, count))
    first, root, a = strongest(scores, seen), ZERO, 0
    for i in range(n):
        if seen[i]:
            members[a] = i
            root = a if i == first else root
            a += 1
    for a in range(count):
        for b in range(count):
            weights[a, b] = pair[members[a], members[b]]
    edges = spanning_tree(weights, root)
    for e in range(count - 1):
        parents[members[edges[e, 1]], 0] = members[edges[e, 0]]
    return parents


@kernel
def family_counts(evidence, child, parents, q, context, both):
    """Write N(parents, c) and N(x_child, parents, c) for the first `q` parents; return the sum.

    The sum is that of N(parents, c) over the classes.
    """
    m = context.shape[0]
    if q >= 2:
        return count_context(evidence.sets, parents, q, child, context, both)
    own, total = evidence.own[child], 0.0
    for c in range(m):
        if q == 1:
            context[c] = evidence.given[own, parents[0], c]
            both[c] = evidence.joint[child, parents[0], c]
        else:
            context[c], both[c] = evidence.sums[child, c], evidence.alone[child, c]
        total += context[c]
    return total


@kernel
def base_log_joint(codes, r, m, counts):
    """Return ln P(c) and the naive Bayes factors of the features that keep no pairs (m,)."""
    singles, members = counts.singles, counts.pairs.members
    scores = np.empty(m)
    n, unit = 0.0, singles.clock[UNIT]
    for c in range(m):
        n += singles.classes[c]
    for c in range(m):
        scores[c] = log_or_never(m_estimate(singles.classes[c], n, m, unit))
    a = 0
    for i in range(codes.shape[0]):
        if a < members.shape[0] and members[a] == i:
            a += 1
            continue
        row = singles.start[i] + codes[i, r]
        if codes[i, r] < 0 or singles.totals[row] <= 0.0:
            continue
        for c in range(m):
            p = m_estimate(singles.cells[row, c], singles.sums[i, c], singles.used[i], unit)
            scores[c] += log_or_never(p)
    return scores


@kernel
def network_posterior(parents, base, evidence, smoothing):
    """Return the posterior (m,) under the network with `parents` (n, k).

    `base` (m,) is what `base_log_joint` returned.
    """
    n, m = evidence.alone.shape
    unit = evidence.clock[UNIT]
    scores, p = base.copy(), np.empty(m)
    context, both = np.empty(m), np.empty(m)
    for a in range(n):
        if not evidence.seen[a]:
            continue
        n_values = evidence.n_values[a]
        for c in range(m):
            p[c] = m_estimate(evidence.alone[a, c], evidence.sums[a, c], n_values, unit)
        for q in range(parents.shape[1]):
            if parents[a, q] < 0:
                break
            if family_counts(evidence, a, parents[a], q + 1, context, both) <= 0.0:
                break
            for c in range(m):
                if smoothing == M_ESTIMATE:
                    p[c] = m_estimate(both[c], context[c], n_values, unit)
                else:
                    p[c] = back_off(both[c], context[c], p[c], smoothing, n_values, unit)
        for c in range(m):
            scores[c] += log_or_never(p[c])
    to_posteriors(scores.reshape((1, m)), np.empty(1))
    return scores
