"""Networks for each class: the multinets of CSB and the bags of BKDB."""

from __future__ import annotations

import numpy as np

from river_kdb.structure.kdb import TIE, kdb_parents, order_by_information


def parents_by_class(single: np.ndarray, pair: np.ndarray, k: int) -> np.ndarray:
    """Return the parents in the k-dependence network of every class.

    Parameters
    ----------
    single
        float array of shape (m, n): what orders the features in each class, the largest first.
    pair
        float array of shape (m, n, n): at [c, j, i] how strong X_i is as a parent of X_j.
    k
        Parents at most.

    Returns
    -------
    int array of shape (m, n, k), the strongest first, -1 for none.
    """
    networks = [
        kdb_parents(order_by_information(measures), arcs, k)
        for measures, arcs in zip(
            np.ascontiguousarray(single), np.ascontiguousarray(pair), strict=True
        )
    ]
    return np.array(networks).reshape(len(single), single.shape[1], k)


def without_redundant(
    parents: np.ndarray,
    single: np.ndarray,
    codes: np.ndarray,
    weights: np.ndarray,
    redundancy: float,
) -> np.ndarray:
    """Take the parents from the features at the end of the order that add little entropy.

    Once the entropies H(X_j | parents) of the features before have reached the share
    `redundancy` of their sum over all, the rest lose their parents.

    Parameters
    ----------
    parents
        int array of shape (n, k): parents in the network of one class.
    single
        float array of shape (n,): what orders the features, the largest first.
    codes
        int array of shape (n, b): the events of the class.
    weights
        float array of shape (b,): their weights.
    redundancy
        The share, at most 1.
    """
    order = order_by_information(single)
    entropies = np.array([_entropy(codes, weights, j, parents[j]) for j in order])
    before = np.cumsum(entropies) - entropies
    kept = parents.copy()
    kept[order[before >= redundancy * entropies.sum() - TIE]] = -1
    return kept


def _entropy(codes: np.ndarray, weights: np.ndarray, child: int, parents: np.ndarray) -> float:
    """Return H(X_child | parents) in nats, over the events in which none is left out."""
    family = codes[[child, *parents[parents >= 0]]]
    kept = (family >= 0).all(axis=0)
    total = weights[kept].sum()
    if total <= 0.0:
        return 0.0
    return float(_joint(family[:, kept], weights[kept]) - _joint(family[1:, kept], weights[kept]))


def _joint(columns: np.ndarray, weights: np.ndarray) -> float:
    """Return the entropy of columns (q, b) taken together."""
    _, which = np.unique(columns, axis=1, return_inverse=True)
    p = np.bincount(which.reshape(-1), weights) / weights.sum()
    p = p[p > 0.0]
    return float(-(p * np.log(p)).sum())
