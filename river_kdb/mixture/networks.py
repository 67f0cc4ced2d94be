"""Posteriors of all networks of a mixture, each chain in one pass."""

from __future__ import annotations

import math

import numpy as np

from river_kdb.counts.clock import UNIT
from river_kdb.counts.families import CAP
from river_kdb.inference.smoothing import EQUAL_SHARES
from river_kdb.jit import kernel
from river_kdb.mixture.banks import total_of

_FACTORS_A_LOGARITHM = 16
_TINY = 1e-18


@kernel
def write_log_posteriors(codes, rows, m, banks, numbers, strength, out):
    """Write the log posteriors of the networks to `out` (E, class capacity).

    It is about the event with codes (V, 1), whose contexts lie at `rows` (F, 1). Expert
    `numbers[b, q, h]` is the network of chain b with q parents under half-life h. The estimate
    with q parents backs off to that with q - 1, so that a chain needs no more than its deepest
    network.
    """
    spec, cells, levels, depths, used, classes, clocks = banks
    n_half_lives = clocks.shape[0]
    n_columns = m * n_half_lives
    n_chains = depths.shape[0]
    n = levels.shape[0] // max(1, n_chains)
    depth = numbers.shape[1]
    p, one = np.empty(n_columns), np.empty(n_columns)
    product, scores = np.empty((depth, n_columns)), np.empty((depth, n_columns))
    prior = np.empty(n_columns)
    for h in range(n_half_lives):
        total = 0.0
        for z in range(h, n_columns, n_half_lives):
            total += classes[z]
            one[z] = clocks[h, UNIT]
        for z in range(h, n_columns, n_half_lives):
            prior[z] = math.log((classes[z] + one[z] / m) / (total + one[z]))
    for b in range(n_chains):
        for q in range(depths[b] + 1):
            for z in range(n_columns):
                scores[q, z] = prior[z]
                product[q, z] = 1.0
        for i in range(n):
            v = b * n + i
            code = codes[v, 0]
            if code >= 0:
                here, whole = rows[v, 0] + code, rows[v, 0] + spec[v, CAP]
                if total_of(cells, here, n_columns, n_half_lives) > 0.0:
                    share = 1.0 / used[v]
                    for z in range(n_columns):
                        p[z] = (cells[here, z] + one[z] * share) / (cells[whole, z] + one[z])
                    goes_on = True
                    equal = EQUAL_SHARES * share
                    for q in range(depths[b] + 1):
                        f = levels[v, q]
                        if q > 0 and goes_on:
                            goes_on = f >= 0 and rows[f, 0] >= 0
                            if goes_on:
                                here, whole = rows[f, 0] + code, rows[f, 0] + spec[f, CAP]
                                goes_on = total_of(cells, whole, n_columns, n_half_lives) > 0.0
                            if goes_on:
                                for z in range(n_columns):
                                    lean = one[z] * (strength * p[z] + equal)
                                    context = cells[whole, z] + one[z] * (strength + EQUAL_SHARES)
                                    p[z] = (cells[here, z] + lean) / context
                        for z in range(n_columns):
                            product[q, z] *= max(p[z], _TINY)
            if i % _FACTORS_A_LOGARITHM == _FACTORS_A_LOGARITHM - 1 or i == n - 1:
                for q in range(depths[b] + 1):
                    for z in range(n_columns):
                        scores[q, z] += math.log(product[q, z])
                        product[q, z] = 1.0
        for q in range(depths[b] + 1):
            for h in range(n_half_lives):
                e = numbers[b, q, h]
                if e < 0:
                    continue
                top = -np.inf
                for z in range(h, n_columns, n_half_lives):
                    top = max(top, scores[q, z])
                total = 0.0
                for z in range(h, n_columns, n_half_lives):
                    total += math.exp(scores[q, z] - top)
                level = top + math.log(total)
                for c in range(m):
                    out[e, c] = scores[q, c * n_half_lives + h] - level
