"""The factors of one posterior one by one, for people to read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from river_kdb.counts.clock import UNIT
from river_kdb.counts.families import CAP, FIRST_PARENT, Families, context_rows
from river_kdb.counts.singles import Singles
from river_kdb.inference.smoothing import M_ESTIMATE, back_off, m_estimate
from river_kdb.structure.structure import ABSENT


class Factor(NamedTuple):
    """P(x_i | parents, c) of every class, and the counts behind it.

    Attributes
    ----------
    feature
        Index of the feature.
    parents
        Indices of the parents whose context was seen and is used.
    counts
        float64 array of shape (n_classes,): N(x_i, parents, c), in units of the newest event.
    contexts
        float64 array of shape (n_classes,): N(parents, c), likewise.
    probabilities
        float64 array of shape (n_classes,).
    """

    feature: int
    parents: tuple[int, ...]
    counts: np.ndarray
    contexts: np.ndarray
    probabilities: np.ndarray


def prior(root: int, codes: np.ndarray, m: int, singles: Singles) -> np.ndarray | None:
    """Return P(c), or P(c, x_root) of a superparent; None if its value was never seen.

    Parameters
    ----------
    root
        The superparent, or -1.
    codes
        int array of shape (n_features,).
    m
        How many classes there are.
    singles
        Counts of features.
    """
    unit = singles.clock[UNIT]
    if root < 0:
        return m_estimate(singles.classes[:m], singles.classes[:m].sum(), m, unit)
    row = singles.start[root] + codes[root]
    if codes[root] < 0 or singles.totals[row] <= 0.0:
        return None
    n = singles.sums[root, :m].sum()
    return m_estimate(singles.cells[row, :m], n, m * singles.used[root], unit)


def factors(
    levels: np.ndarray | Sequence[Sequence[int]],
    root: int,
    codes: np.ndarray,
    m: int,
    singles: Singles,
    families: Families,
    strength: float,
) -> list[Factor]:
    """Return the factors of a network, but for its superparent's and those it leaves out.

    Parameters
    ----------
    levels
        Numbers of its families, int array of shape (n_features, k), see `Program`; empty for
        naive Bayes.
    root
        Its superparent, or -1.
    codes
        int array of shape (n_features,).
    m
        How many classes there are.
    singles, families
        The counts.
    strength
        The smoothing, as the kernels take it.
    """
    found = []
    rows = context_rows(codes[:, None], families.spec)[:, 0]
    for i, code in enumerate(codes):
        absent = len(levels) > i and len(levels[i]) > 0 and levels[i][0] == ABSENT
        if absent or code < 0 or i == root or singles.totals[singles.start[i] + code] <= 0.0:
            continue
        found.append(
            _factor(
                levels[i] if len(levels) else (), i, codes, rows, m, singles, families, strength
            )
        )
    return found


def _factor(
    chain: np.ndarray | Sequence[int],
    i: int,
    codes: np.ndarray,
    rows: np.ndarray,
    m: int,
    singles: Singles,
    families: Families,
    strength: float,
) -> Factor:
    unit = singles.clock[UNIT]
    counts = singles.cells[singles.start[i] + codes[i], :m] / unit
    contexts = singles.sums[i, :m] / unit
    n_values = singles.used[i]
    best = Factor(i, (), counts, contexts, m_estimate(counts, contexts, n_values))
    for f in chain:
        row = rows[f] if f >= 0 else -1
        if row < 0:
            break
        counts = families.cells[row + codes[i], :m] / unit
        contexts = families.cells[row + families.spec[f, CAP], :m] / unit
        if contexts.sum() <= 0.0:
            break
        parents = families.spec[f, FIRST_PARENT::2]
        if strength == M_ESTIMATE:
            p = m_estimate(counts, contexts, n_values)
        else:
            p = back_off(counts, contexts, best.probabilities, strength, n_values)
        used = tuple(int(parent) for parent in parents if parent >= 0)
        best = Factor(i, used, counts, contexts, p)
    return best
