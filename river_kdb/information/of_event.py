"""How strongly the values of one event bear on the class and on each other.

Each function returns the measures of single values (nets, n) and of pairs of values
(nets, n, n), the larger the stronger, over the features of the evidence; what concerns a value
never learned is 0.
"""

from __future__ import annotations

import math

import numpy as np

from river_kdb.counts.clock import UNIT
from river_kdb.jit import kernel


@kernel
def local_information(evidence, n_nets):
    """Return the mutual information of values.

    With as many nets as classes net c has the term of class c: of single values
    P(x_i, c) ln P(x_i, c) / (P(x_i) P(c)), of pairs
    P(x_i, x_j, c) ln P(x_i, x_j | c) / (P(x_i | c) P(x_j | c)). One net has their sums.
    """
    n, m = evidence.alone.shape
    single, pair = np.zeros((n_nets, n)), np.zeros((n_nets, n, n))
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
                    apart = evidence.given[own_a, b, c] * evidence.given[own_b, a, c]
                    ratio = joint * evidence.together[own_a, own_b, c] / apart
                    pair[net, a, b] += joint / total * math.log(ratio)
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
