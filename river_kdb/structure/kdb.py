"""Orders and parents of the k-dependence classifiers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from river_kdb.jit import kernel

TIE = 1e-12
"""Measures that differ by no more are equal; of equals the earlier feature wins."""


@kernel
def strongest(scores, allowed):
    """Return the first allowed index whose score is the largest, within `TIE`.

    Examples
    --------
    >>> import numpy as np
    >>> from river_kdb.structure.kdb import strongest
    >>> strongest(np.array([3.0, 1.0, 3.0]), np.array([False, True, True]))
    2
    """
    top = -np.inf
    for i in range(scores.shape[0]):
        if allowed[i] and scores[i] > top:
            top = scores[i]
    for i in range(scores.shape[0]):
        if allowed[i] and scores[i] >= top - TIE:
            return i
    return -1


@kernel
def order_by_information(class_information):
    """Return the features by falling I(X_i; C), as KDB takes them (Sahami 1996)."""
    left = np.ones(class_information.shape[0], dtype=np.bool_)
    order = np.empty(class_information.shape[0], dtype=np.int64)
    for place in range(order.shape[0]):
        order[place] = strongest(class_information, left)
        left[order[place]] = False
    return order


def order_by_conditional_sum(class_information: np.ndarray, given: np.ndarray) -> np.ndarray:
    """Return the order of KDB^S: each time the feature with the largest sum of I(C; X_j | X_i).

    The sum goes over the features already taken; the first is the one of largest I(X_i; C).

    Parameters
    ----------
    class_information
        float array of shape (n,): I(X_i; C).
    given
        float array of shape (n, n): I(C; X_j | X_i) at [i, j].
    """
    return _greedy_order(class_information, lambda chosen: given[chosen].sum(axis=0))


def order_by_relevance(class_information: np.ndarray, mutual: np.ndarray) -> np.ndarray:
    """Return the order of MKDB: most relevant and least redundant first.

    Each time the feature with the largest I(X_j; C) less its mean I(X_i; X_j) with the features
    already taken.

    Parameters
    ----------
    class_information
        float array of shape (n,): I(X_i; C).
    mutual
        float array of shape (n, n): I(X_i; X_j).
    """
    return _greedy_order(
        class_information, lambda chosen: class_information - mutual[chosen].mean(axis=0)
    )


def _greedy_order(
    class_information: np.ndarray, score: Callable[[list[int]], np.ndarray]
) -> np.ndarray:
    left = np.ones(len(class_information), dtype=bool)
    order: list[int] = []
    while left.any():
        i = strongest(score(order) if order else class_information, left)
        left[i] = False
        order.append(i)
    return np.array(order, dtype=np.int64)


@kernel
def kdb_parents(order, conditional, k):
    """Give every feature the k earlier ones in the order with the largest I(X_i; X_j | C).

    Returns an array (n, k) of parents, the strongest first, -1 for none. Features that are not
    in the order get none.

    Examples
    --------
    >>> import numpy as np
    >>> from river_kdb.structure.kdb import kdb_parents
    >>> cmi = np.array([[0.0, 0.2, 0.1], [0.2, 0.0, 0.3], [0.1, 0.3, 0.0]])
    >>> kdb_parents(np.array([0, 1, 2]), cmi, 1)
    array([[-1],
           [ 0],
           [ 1]])
    """
    n = conditional.shape[0]
    parents = np.full((n, k), -1)
    earlier = np.zeros(n, dtype=np.bool_)
    for place in range(order.shape[0]):
        i = order[place]
        candidates = earlier.copy()
        for q in range(min(k, place)):
            parents[i, q] = strongest(conditional[i], candidates)
            candidates[parents[i, q]] = False
        earlier[i] = True
    return parents
