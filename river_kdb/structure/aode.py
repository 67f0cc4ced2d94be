"""One-dependence estimators: every feature in turn is the parent of all others."""

from __future__ import annotations

import numpy as np

from river_kdb.structure.structure import SUM_OF_JOINTS, Structure, no_arcs


def aode(weights: np.ndarray, superparents: np.ndarray) -> Structure:
    """Return AODE: a member for each superparent, which all other features depend on.

    Parameters
    ----------
    weights
        float array of shape (n_features,): weight of each feature as superparent.
    superparents
        Features that may be superparents; the others stay naive Bayes factors.
    """
    n = len(weights)
    if not len(superparents):
        return no_arcs(n)
    parents = np.full((len(superparents), n, 1), -1, dtype=np.int16)
    for t, i in enumerate(superparents):
        parents[t, superparents, 0] = i
        parents[t, i, 0] = -1
    chosen = weights[superparents]
    if chosen.sum() <= 0.0:
        chosen = np.ones(len(superparents))
    return Structure(parents, chosen / chosen.sum(), superparents.astype(np.int16), SUM_OF_JOINTS)
