"""Mutual information of features and class, from count tables.

All measures are in nats. They are sums over the cells of a table, each with the table's own
total, so a table that leaves some events out (missing values that are skipped) is measured on
the events that it has.
"""

from __future__ import annotations

import math

import numpy as np

from river_kdb.counts.pairs import pair_row
from river_kdb.jit import kernel


@kernel
def class_information(singles, caps, m):
    """Return I(X_i; C) of every feature from the counts of the first `m` classes."""
    information = np.zeros(caps.shape[0])
    for i in range(caps.shape[0]):
        first = singles.start[i]
        n = 0.0
        for c in range(m):
            n += singles.sums[i, c]
        total = 0.0
        for row in range(first, first + caps[i]):
            for c in range(m):
                joint = singles.cells[row, c]
                if joint > 0.0:
                    total += joint * math.log(
                        joint * n / (singles.totals[row] * singles.sums[i, c])
                    )
        information[i] = total / n if n > 0.0 else 0.0
    return information


@kernel
def pair_block(pairs, a, b, m):
    """Return N(x_a, x_b, c) of members number a < b as an array (slots, slots, m)."""
    block = np.empty((pairs.caps[a], pairs.caps[b], m))
    for s in range(pairs.caps[a]):
        first = pair_row(pairs, a, b, s, 0)
        for t in range(pairs.caps[b]):
            for c in range(m):
                block[s, t, c] = pairs.cells[first + t, c]
    return block


@kernel
def conditional_information(block):
    """Return I(A; B | C) of a table N(a, b, c)."""
    size_a, size_b, m = block.shape
    total, n = 0.0, 0.0
    in_a, in_b = np.empty(size_a), np.empty(size_b)
    for c in range(m):
        in_a[:] = 0.0
        in_b[:] = 0.0
        in_c = 0.0
        for s in range(size_a):
            for t in range(size_b):
                joint = block[s, t, c]
                in_a[s] += joint
                in_b[t] += joint
                in_c += joint
        n += in_c
        for s in range(size_a):
            for t in range(size_b):
                joint = block[s, t, c]
                if joint > 0.0:
                    total += joint * math.log(joint * in_c / (in_a[s] * in_b[t]))
    return total / n if n > 0.0 else 0.0


@kernel
def pair_information(block):
    """Return I(A; B) of a table N(a, b, c)."""
    size_a, size_b, m = block.shape
    flat = np.zeros((size_a, size_b, 1))
    for s in range(size_a):
        for t in range(size_b):
            for c in range(m):
                flat[s, t, 0] += block[s, t, c]
    return conditional_information(flat)


@kernel
def class_information_given_first(block):
    """Return I(C; B | A) of a table N(a, b, c)."""
    size_a, size_b, m = block.shape
    turned = np.empty((size_b, m, size_a))
    for s in range(size_a):
        for t in range(size_b):
            for c in range(m):
                turned[t, c, s] = block[s, t, c]
    return conditional_information(turned)


@kernel
def class_information_given_second(block):
    """Return I(C; A | B) of a table N(a, b, c)."""
    size_a, size_b, m = block.shape
    turned = np.empty((size_a, m, size_b))
    for s in range(size_a):
        for t in range(size_b):
            for c in range(m):
                turned[s, c, t] = block[s, t, c]
    return conditional_information(turned)


@kernel
def conditional_information_matrix(pairs, n, m):
    """Return I(X_i; X_j | C) of every pair of `n` features, 0 where a pair has no counts."""
    matrix = np.zeros((n, n))
    for a in range(pairs.span[0], pairs.span[1]):
        for b in range(a + 1, pairs.members.shape[0]):
            i, j = pairs.members[a], pairs.members[b]
            matrix[i, j] = matrix[j, i] = conditional_information(pair_block(pairs, a, b, m))
    return matrix


@kernel
def pair_information_matrix(pairs, n, m):
    """Return I(X_i; X_j) of every pair of `n` features, 0 where a pair has no counts."""
    matrix = np.zeros((n, n))
    for a in range(pairs.span[0], pairs.span[1]):
        for b in range(a + 1, pairs.members.shape[0]):
            i, j = pairs.members[a], pairs.members[b]
            matrix[i, j] = matrix[j, i] = pair_information(pair_block(pairs, a, b, m))
    return matrix


@kernel
def class_information_matrix(pairs, n, m):
    """Return I(C; X_j | X_i) at [i, j] of every pair of `n` features, 0 without counts."""
    matrix = np.zeros((n, n))
    for a in range(pairs.span[0], pairs.span[1]):
        for b in range(a + 1, pairs.members.shape[0]):
            i, j = pairs.members[a], pairs.members[b]
            block = pair_block(pairs, a, b, m)
            matrix[i, j] = class_information_given_first(block)
            matrix[j, i] = class_information_given_second(block)
    return matrix
