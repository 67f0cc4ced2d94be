"""Forests of k-dependence classifiers: a member for every root, with its own order."""

from __future__ import annotations

import numpy as np

from river_kdb.jit import kernel
from river_kdb.structure.kdb import strongest
from river_kdb.structure.structure import (
    Structure,
    among_features,
    mean_of_networks,
    no_arcs,
)


@kernel
def write_member(given, conditional, root, parents):
    """Write the parents (n, k) of the member that grows from a root, the strongest first.

    The next feature is each time the one with the largest sum of `given[i, j]` over those taken.
    Of those its first parent has the largest I(X_i; X_j | C); the others have the largest among
    the ancestors of the first.
    """
    n, k = parents.shape
    taken, left = np.zeros(n, dtype=np.bool_), np.ones(n, dtype=np.bool_)
    ancestors, candidates = np.zeros((n, n), dtype=np.bool_), np.empty(n, dtype=np.bool_)
    sums = np.zeros(n)
    i = root
    for place in range(n):
        if place > 0:
            i = strongest(sums, left)
            first = strongest(conditional[i], taken)
            parents[i, 0] = first
            for j in range(n):
                candidates[j] = ancestors[first, j]
                ancestors[i, j] = ancestors[first, j] or j == first
            for q in range(1, k):
                j = strongest(conditional[i], candidates)
                if j < 0:
                    break
                parents[i, q] = j
                candidates[j] = False
        taken[i], left[i] = True, False
        for j in range(n):
            sums[j] += given[i, j]


@kernel
def forest_parents(given, conditional, k):
    """Return the parents of every feature in the member of every root, an array (n, n, k).

    Examples
    --------
    >>> import numpy as np
    >>> from river_kdb.structure.kdf import forest_parents
    >>> given = np.array([[0.0, 0.1, 0.3], [0.2, 0.0, 0.1], [0.3, 0.1, 0.0]])
    >>> cmi = np.array([[0.0, 0.2, 0.1], [0.2, 0.0, 0.3], [0.1, 0.3, 0.0]])
    >>> forest_parents(given, cmi, 1)[0]
    array([[-1],
           [ 2],
           [ 0]])
    """
    n = given.shape[0]
    parents = np.full((n, n, k), -1)
    for root in range(n):
        write_member(given, conditional, root, parents[root])
    return parents


def forest(
    given: np.ndarray, conditional: np.ndarray, members: np.ndarray, n_features: int, k: int
) -> Structure:
    """Return KDF: a network for every root, whose posteriors are averaged.

    Parameters
    ----------
    given
        float array of shape (n_members, n_members): at [i, j] what X_j as the next feature is
        worth beside X_i, I(C; X_i | X_j) or I(C; X_j | X_i).
    conditional
        float array of shape (n_members, n_members): I(X_i; X_j | C).
    members
        The features that these are about; the others stay naive Bayes factors.
    n_features
        How many features there are.
    k
        Parents of a feature besides the class, at most; at least 1.
    """
    if not len(members):
        return no_arcs(n_features)
    chosen = forest_parents(given, conditional, k)
    return mean_of_networks(among_features(chosen, members, n_features))
