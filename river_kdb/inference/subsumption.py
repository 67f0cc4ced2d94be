"""Subsumption resolution: leave out a value that another one implies."""

from __future__ import annotations

from river_kdb.counts.clock import UNIT
from river_kdb.counts.families import CHILD, FIRST_PARENT, context_rows
from river_kdb.jit import kernel

_SAME = 1.0 - 1e-9
"""Counts are the same from this share on: of weights that are no whole numbers sums differ."""


@kernel
def drop_generalisations(codes, m, singles, families, least):
    """Return a block of codes (n, b) without the values that generalise another of their event.

    x_j is left out where N(x_i, x_j) = N(x_i) >= `least` for some x_i; of two values that imply
    each other the earlier feature's stays. The families are one-parent ones.
    """
    kept = codes.copy()
    spec, cells = families
    totals, start = singles.totals, singles.start
    least *= singles.clock[UNIT]
    rows = context_rows(codes, spec)
    for f in range(spec.shape[0]):
        j, i = spec[f, CHILD], spec[f, FIRST_PARENT]
        for r in range(codes.shape[1]):
            if codes[j, r] < 0 or codes[i, r] < 0:
                continue
            n_i = totals[start[i] + codes[i, r]]
            n_j = totals[start[j] + codes[j, r]]
            if n_i < least or n_j < _SAME * n_i or (_SAME * n_j <= n_i and j < i):
                continue
            both = 0.0
            for c in range(m):
                both += cells[rows[f, r] + codes[j, r], c]
            if both >= _SAME * n_i:
                kept[j, r] = -1
    return kept
