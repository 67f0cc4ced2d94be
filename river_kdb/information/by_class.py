"""Mutual information and entropy within one class, from count tables."""

from __future__ import annotations

import math

import numpy as np

from river_kdb.information.average import pair_block
from river_kdb.jit import kernel


@kernel
def information_of_class(singles, caps, m):
    """Return I(X_i; c), the part of I(X_i; C) that one class has, of classes and features (m, n).

    It is the sum of P(x_i, c) ln P(x_i, c) / (P(x_i) P(c)) over the values x_i.
    """
    information = np.zeros((m, caps.shape[0]))
    for i in range(caps.shape[0]):
        n = 0.0
        for c in range(m):
            n += singles.sums[i, c]
        for row in range(singles.start[i], singles.start[i] + caps[i]):
            for c in range(m):
                joint = singles.cells[row, c]
                if joint > 0.0:
                    expected = singles.totals[row] * singles.sums[i, c] / n
                    information[c, i] += joint / n * math.log(joint / expected)
    return information


@kernel
def information_in_block(block, out):
    """Write I(A; B | c), the part of I(A; B | C) that one class has, of a table N(a, b, c)."""
    size_a, size_b, m = block.shape
    n = 0.0
    for c in range(m):
        out[c] = 0.0
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
                    out[c] += joint * math.log(joint * in_c / (in_a[s] * in_b[t]))
    if n > 0.0:
        for c in range(m):
            out[c] /= n


@kernel
def conditional_information_of_class(pairs, n, m):
    """Return I(X_i; X_j | c) of every class and pair of `n` features (m, n, n), 0 without counts.

    It is the sum of P(x_i, x_j, c) ln P(x_i, x_j | c) / (P(x_i | c) P(x_j | c)) over the values.
    """
    matrix = np.zeros((m, n, n))
    of_class = np.empty(m)
    for a in range(pairs.span[0], pairs.span[1]):
        for b in range(a + 1, pairs.members.shape[0]):
            i, j = pairs.members[a], pairs.members[b]
            information_in_block(pair_block(pairs, a, b, m), of_class)
            for c in range(m):
                matrix[c, i, j] = matrix[c, j, i] = of_class[c]
    return matrix


@kernel
def entropy_in_class(singles, caps, m):
    """Return H(X_i | c) of every class and feature (m, n)."""
    entropy = np.zeros((m, caps.shape[0]))
    for i in range(caps.shape[0]):
        for row in range(singles.start[i], singles.start[i] + caps[i]):
            for c in range(m):
                joint, n = singles.cells[row, c], singles.sums[i, c]
                if joint > 0.0:
                    entropy[c, i] -= joint / n * math.log(joint / n)
    return entropy


@kernel
def entropies_in_block(block, out_a, out_b):
    """Write H(A | B, c) to `out_a` (m,) and H(B | A, c) to `out_b` (m,) of a table N(a, b, c)."""
    size_a, size_b, m = block.shape
    in_a, in_b = np.empty(size_a), np.empty(size_b)
    for c in range(m):
        in_a[:] = 0.0
        in_b[:] = 0.0
        n = 0.0
        for s in range(size_a):
            for t in range(size_b):
                joint = block[s, t, c]
                in_a[s] += joint
                in_b[t] += joint
                n += joint
        out_a[c] = out_b[c] = 0.0
        for s in range(size_a):
            for t in range(size_b):
                joint = block[s, t, c]
                if joint > 0.0:
                    out_a[c] -= joint / n * math.log(joint / in_b[t])
                    out_b[c] -= joint / n * math.log(joint / in_a[s])


@kernel
def conditional_entropy_in_class(pairs, n, m):
    """Return H(X_j | X_i, c) at [c, j, i] of every pair of `n` features, 0 without counts."""
    matrix = np.zeros((m, n, n))
    of_a, of_b = np.empty(m), np.empty(m)
    for a in range(pairs.span[0], pairs.span[1]):
        for b in range(a + 1, pairs.members.shape[0]):
            i, j = pairs.members[a], pairs.members[b]
            entropies_in_block(pair_block(pairs, a, b, m), of_a, of_b)
            for c in range(m):
                matrix[c, i, j], matrix[c, j, i] = of_a[c], of_b[c]
    return matrix
