"""How strongly the values of one event bear on the class and on each other.

Each function returns the measures of single values (nets, n) and of pairs of values
(nets, n, n), the larger the stronger, over the features of the evidence; what concerns a value
never learned is 0.
"""

from __future__ import annotations

import math

import numpy as np

from river_kdb.counts.clock import UNIT
from river_kdb.jit import inlined, kernel

LOGARITHMS = np.log(np.maximum(np.arange(4096), 1))
"""Logarithms of small whole numbers, which most counts are."""


@inlined
def log_count(count, logarithms):
    """Return the logarithm of a count, 0 of 0."""
    whole = np.int64(count)
    if whole == count and whole < logarithms.shape[0]:
        return logarithms[whole]
    return math.log(count)


@kernel
def log_counts(counts, logarithms):
    """Return the logarithms of counts (any, any, m), 0 of 0."""
    out = np.empty(counts.shape)
    for a in range(counts.shape[0]):
        for b in range(counts.shape[1]):
            for c in range(counts.shape[2]):
                out[a, b, c] = log_count(counts[a, b, c], logarithms)
    return out


@kernel
def local_information(evidence, n_nets):
    """Return the mutual information of values.

    With as many nets as classes net c has the term of class c: of single values
    P(x_i, c) ln P(x_i, c) / (P(x_i) P(c)), of pairs
    P(x_i, x_j, c) ln P(x_i, x_j | c) / (P(x_i | c) P(x_j | c)). One net has their sums.
    """
    n, m = evidence.alone.shape
    single, pair = np.zeros((n_nets, n)), np.zeros((n_nets, n, n))
    logarithms = evidence.logarithms
    given = log_counts(evidence.given, logarithms)
    together = log_counts(evidence.together, logarithms)
    for a in range(n):
        if not evidence.seen[a]:
            continue
        total, value = 0.0, 0.0
        for c in range(m):
            total += evidence.sums[a, c]
            value += evidence.alone[a, c]
        for c in range(m):
            joint, net = evidence.alone[a, c], c if n_nets > 1 else 0
            if joint > 0.0:
                ratio = joint * total / (value * evidence.sums[a, c])
                single[net, a] += joint / total * math.log(ratio)
        for b in range(a + 1, n):
            if not evidence.seen[b]:
                continue
            own_a, own_b = evidence.own[a], evidence.own[b]
            total = 0.0
            for c in range(m):
                total += evidence.together[own_a, own_b, c]
            for c in range(m):
                joint, net = evidence.joint[a, b, c], c if n_nets > 1 else 0
                if joint > 0.0:
                    ratio = log_count(joint, logarithms) + together[own_a, own_b, c]
                    ratio -= given[own_a, b, c] + given[own_b, a, c]
                    pair[net, a, b] += joint / total * ratio
            for net in range(n_nets):
                pair[net, b, a] = pair[net, a, b]
    return single, pair


@kernel
def local_likelihood(evidence, n_nets):
    """Return ln P(x_j | c) and, at [c, j, i], ln P(x_j | x_i, c), the event counted once more."""
    n, m = evidence.alone.shape
    unit = evidence.clock[UNIT]
    single, pair = np.zeros((n_nets, n)), np.zeros((n_nets, n, n))
    for a in range(n):
        if not evidence.seen[a]:
            continue
        for c in range(m):
            single[c, a] = math.log((evidence.alone[a, c] + unit) / (evidence.sums[a, c] + unit))
        for b in range(n):
            if b == a or not evidence.seen[b]:
                continue
            own = evidence.own[a]
            for c in range(m):
                pair[c, a, b] = math.log(
                    (evidence.joint[a, b, c] + unit) / (evidence.given[own, b, c] + unit)
                )
    return single, pair
