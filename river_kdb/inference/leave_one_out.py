"""Which arcs and features of a network are worth keeping, judged event by event."""

from __future__ import annotations

import math

import numpy as np

from river_kdb.counts.clock import UNIT
from river_kdb.counts.families import CAP, FIRST_PARENT, START, Families
from river_kdb.counts.singles import Singles
from river_kdb.inference.smoothing import M_ESTIMATE, back_off, m_estimate
from river_kdb.inference.static import log_or_never
from river_kdb.jit import inlined, kernel
from river_kdb.structure.kdb import TIE, order_by_information
from river_kdb.structure.structure import ABSENT

_SEEN = 1e-9
"""Counts above this share of the weight that was taken out are of other events."""


@inlined
def own_contexts(levels, i, codes, spec, rows):
    """Write the first row of the contexts of the families of feature `i` to `rows` (k, W).

    It is -1 where there is no family, or a parent's value has no slot.
    """
    for q in range(levels.shape[1]):
        f = levels[i, q]
        for r in range(codes.shape[1]):
            rows[q, r] = spec[f, START] if f >= 0 else np.int64(-1)
        for column in range(FIRST_PARENT, spec.shape[1], 2):
            if f < 0 or spec[f, column] < 0:
                break
            for r in range(codes.shape[1]):
                code = np.int64(codes[spec[f, column], r])
                gap = code < 0 or rows[q, r] < 0
                rows[q, r] = np.int64(-1) if gap else rows[q, r] + code * spec[f, column + 1]


@inlined
def factors_without_own(
    levels, i, codes, rows, labels, weights, m, singles, families, smoothing, factors
):
    """Write P(x_i | parents, c) of every event to `factors` (k + 1, W, m), counted without it.

    The first is without parents, the next with the strongest one, and so on; a parent whose
    context no other event has changes nothing.
    """
    _, cells, sums, _, used, start, clock = singles
    spec, family_cells = families
    unit = clock[UNIT]
    for r in range(labels.shape[0]):
        code, label, weight = np.int64(codes[i, r]), labels[r], weights[r]
        for c in range(m):
            own = weight if c == label else 0.0
            if code < 0:
                factors[0, r, c] = 1.0
            else:
                count = max(0.0, cells[start[i] + code, c] - own)
                factors[0, r, c] = m_estimate(count, max(0.0, sums[i, c] - own), used[i], unit)
        ended = code < 0
        for q in range(levels.shape[1]):
            seen, whole = -weight, np.int64(0)
            if not ended and rows[q, r] >= 0:
                whole = rows[q, r] + spec[levels[i, q], CAP]
                for c in range(m):
                    seen += family_cells[whole, c]
            ended = ended or seen <= _SEEN * weight
            for c in range(m):
                if ended:
                    factors[q + 1, r, c] = factors[q, r, c]
                    continue
                own = weight if c == label else 0.0
                count = max(0.0, family_cells[rows[q, r] + code, c] - own)
                context = max(0.0, family_cells[whole, c] - own)
                if smoothing == M_ESTIMATE:
                    factors[q + 1, r, c] = m_estimate(count, context, used[i], unit)
                else:
                    factors[q + 1, r, c] = back_off(
                        count, context, factors[q, r, c], smoothing, used[i], unit
                    )


@inlined
def squared_errors(scores, factors, labels, weights, shares, errors):
    """Write to `errors` (k + 1,) the sum over the events of w (1 - P(true class))^2.

    That is with each of the `factors` (k + 1, W, m) put on the log `scores` (W, m).
    """
    m = scores.shape[1]
    for q in range(factors.shape[0]):
        errors[q] = 0.0
    for r in range(labels.shape[0]):
        top = scores[r, 0]
        for c in range(1, m):
            top = max(top, scores[r, c])
        for c in range(m):
            shares[c] = math.exp(scores[r, c] - top) if top > -np.inf else 1.0
        for q in range(factors.shape[0]):
            total = 0.0
            for c in range(m):
                total += shares[c] * factors[q, r, c]
            true = shares[labels[r]] * factors[q, r, labels[r]]
            miss = 1.0 - true / total if total > 0.0 else 1.0
            errors[q] += weights[r] * miss * miss


@inlined
def priors_without_own(labels, weights, m, singles, scores):
    """Write log P(c) to `scores` (W, m), counted without the event itself."""
    classes, unit = singles.classes, singles.clock[UNIT]
    n = 0.0
    for c in range(m):
        n += classes[c]
    for r in range(labels.shape[0]):
        for c in range(m):
            own = weights[r] if c == labels[r] else 0.0
            others = max(0.0, n - weights[r])
            scores[r, c] = math.log(m_estimate(max(0.0, classes[c] - own), others, m, unit))


@kernel
def first_smallest(values, n):
    """Return the first of the `n` values that is the smallest, within `TIE`."""
    least = np.inf
    for j in range(n):
        least = min(least, values[j])
    for j in range(n):
        if values[j] <= least + TIE:
            return j
    return 0


@kernel
def sweep(order, levels, codes, labels, weights, m, singles, families, smoothing, all_arcs):
    """Return how many parents every feature takes (n,), and the error at each place of the order.

    `levels` (n, k) are the families of the network whose arcs are chosen from, `codes` (n, W),
    `labels` and `weights` (W,) events that its tables have counted. The error is the leave-one-out
    RMSE of the network of the features so far, of which each takes as many of its strongest
    parents as make it smallest; with `all_arcs` all of them.
    """
    k, n_events = levels.shape[1], labels.shape[0]
    taken, losses = np.zeros(levels.shape[0], dtype=np.int64), np.empty(order.shape[0])
    rows, factors = np.empty((k, n_events), dtype=np.int64), np.empty((k + 1, n_events, m))
    scores, shares, errors = np.empty((n_events, m)), np.empty(m), np.empty(k + 1)
    priors_without_own(labels, weights, m, singles, scores)
    total = 0.0
    for r in range(n_events):
        total += weights[r]
    for place in range(order.shape[0]):
        i = order[place]
        n_parents = 0
        while n_parents < k and levels[i, n_parents] >= 0:
            n_parents += 1
        own_contexts(levels, i, codes, families.spec, rows)
        factors_without_own(
            levels, i, codes, rows, labels, weights, m, singles, families, smoothing, factors
        )
        squared_errors(scores, factors, labels, weights, shares, errors)
        for q in range(k + 1):
            errors[q] = math.sqrt(errors[q] / total)
        best = n_parents if all_arcs else first_smallest(errors, n_parents + 1)
        taken[i], losses[place] = best, errors[best]
        for r in range(n_events):
            for c in range(m):
                scores[r, c] += log_or_never(factors[best, r, c])
    return taken, losses


def whole_order(first: np.ndarray, information: np.ndarray) -> np.ndarray:
    """Return an order of some features followed by the others by falling I(X_i; C).

    Parameters
    ----------
    first
        The features that come first.
    information
        float array of shape (n_features,): I(X_i; C).
    """
    ranked = order_by_information(information)
    return np.append(first, ranked[~np.isin(ranked, first)])


def selected_parents(
    order: np.ndarray,
    parents: np.ndarray,
    levels: np.ndarray,
    events: tuple[np.ndarray, np.ndarray, np.ndarray],
    m: int,
    singles: Singles,
    families: Families,
    smoothing: float,
    all_arcs: bool,
) -> np.ndarray:
    """Return the parents that are left of a network when the best arcs and features are kept.

    Going down the order, a feature takes those of its strongest parents with which the network
    so far has the smallest leave-one-out error. Then as many features from the front of the order
    are kept as have the smallest. Of equal errors the smaller network wins.

    Parameters
    ----------
    order
        int array of shape (n_features,).
    parents
        int array of shape (n_features, k), k at least 1: parents, the strongest first, -1 for
        none.
    levels
        The numbers of their families, see `Program`.
    events
        Codes (n_features, n_events), labels and weights of events that the tables have counted.
    m
        How many classes there are.
    singles, families
        The counts.
    smoothing
        As the kernels take it.
    all_arcs
        Whether every feature that is kept takes all its parents.

    Returns
    -------
    int array of shape (n_features, k), `ABSENT` in the first place of features left out.
    """
    codes, labels, weights = events
    if not len(labels):
        return parents
    taken, losses = sweep(
        order, levels, codes, labels, weights, m, singles, families, smoothing, all_arcs
    )
    left = np.where(np.arange(parents.shape[1]) < taken[:, None], parents, -1)
    dropped = order[first_smallest(losses, len(losses)) + 1 :]
    left[dropped] = -1
    left[dropped, 0] = ABSENT
    return left
