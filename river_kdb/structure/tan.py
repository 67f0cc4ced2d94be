"""Trees over the features: TAN and its averages over all roots."""

from __future__ import annotations

import numpy as np

from river_kdb.jit import kernel
from river_kdb.structure.kdb import TIE, strongest
from river_kdb.structure.structure import Structure, mean_of_networks, single_network


@kernel
def spanning_tree(conditional, root):
    """Return the maximum spanning tree of I(X_i; X_j | C), grown from the root (Prim's).

    Returns an array (n - 1, 2): a feature of the tree and the one that joins it there, in the
    order of joining. Of ties within `TIE` the earlier feature joins, at the earlier place.
    """
    n = conditional.shape[0]
    edges = np.empty((n - 1, 2), dtype=np.int64)
    outside = np.ones(n, dtype=np.bool_)
    outside[root] = False
    best = conditional[root].copy()
    nearest = np.full(n, root)
    for place in range(n - 1):
        i = strongest(best, outside)
        edges[place, 0], edges[place, 1] = nearest[i], i
        outside[i] = False
        for j in range(n):
            link = conditional[i, j]
            if link > best[j] + TIE or (link >= best[j] - TIE and i < nearest[j]):
                nearest[j] = i
            best[j] = max(best[j], link)
    return edges


def directed_away(edges: np.ndarray, n_features: int, root: int) -> np.ndarray:
    """Return the parent of every feature in a tree whose arcs lead away from the root.

    Parameters
    ----------
    edges
        int array of shape (n_edges, 2): the edges of the tree.
    n_features
        How many features there are.
    root
        The feature without a parent.

    Returns
    -------
    int array of shape (n_features, 1), -1 for none.
    """
    neighbours: list[list[int]] = [[] for _ in range(n_features)]
    for i, j in edges.tolist():
        neighbours[i].append(j)
        neighbours[j].append(i)
    parents = np.full((n_features, 1), -1)
    reached = [root]
    for i in reached:
        for j in neighbours[i]:
            if j != parents[i, 0]:
                parents[j, 0] = i
                reached.append(j)
    return parents


def tan(class_information: np.ndarray, conditional: np.ndarray, members: np.ndarray) -> Structure:
    """Return TAN: the spanning tree, rooted at the feature of largest I(X_i; C).

    Parameters
    ----------
    class_information
        float array of shape (n,): I(X_i; C).
    conditional
        float array of shape (n, n): I(X_i; X_j | C).
    members
        Features that the tree may span.
    """
    root = _root(class_information, members)
    edges = _tree(conditional, members, root)
    return single_network(directed_away(edges, len(class_information), root))


def averaged_tan(
    class_information: np.ndarray, conditional: np.ndarray, members: np.ndarray, weighted: bool
) -> Structure:
    """Return ATAN: the tree rooted at every feature in turn; or WATAN, the roots weighted.

    Parameters
    ----------
    class_information
        float array of shape (n,): I(X_i; C), the weights of the roots.
    conditional
        float array of shape (n, n): I(X_i; X_j | C).
    members
        Features that the tree may span.
    weighted
        Whether the roots are weighted.
    """
    n = len(class_information)
    edges = _tree(conditional, members, _root(class_information, members))
    parents = np.stack([directed_away(edges, n, int(root)) for root in members])
    weights = class_information[members] if weighted else np.ones(len(members))
    if weights.sum() <= 0.0:
        weights = np.ones(len(members))
    return mean_of_networks(parents, weights)


def _root(class_information: np.ndarray, members: np.ndarray) -> int:
    allowed = np.zeros(len(class_information), dtype=bool)
    allowed[members] = True
    return strongest(class_information, allowed)


def _tree(conditional: np.ndarray, members: np.ndarray, root: int) -> np.ndarray:
    here = int(np.flatnonzero(members == root)[0])
    return members[spanning_tree(conditional[np.ix_(members, members)], here)]
