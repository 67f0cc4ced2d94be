"""The parents of every feature in every chain, learned from a sample of events."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from river_kdb.counts.bulk import count_pairs
from river_kdb.counts.layout import Layout, class_room
from river_kdb.counts.pairs import fitting_members, new_pairs
from river_kdb.counts.singles import add_singles, new_singles
from river_kdb.information import class_information, conditional_information_matrix
from river_kdb.mixture.experts import TAN, Chain
from river_kdb.structure.kdb import kdb_parents, order_by_information
from river_kdb.structure.structure import among_features
from river_kdb.structure.tan import tan


def chained_parents(
    chains: Sequence[Chain],
    n_slots: np.ndarray,
    codes: np.ndarray,
    labels: np.ndarray,
    weights: np.ndarray,
    max_bytes: float,
) -> np.ndarray:
    """Return the parents (V, k) of all features of all chains, -1 for none.

    Parameters
    ----------
    chains
        The chains.
    n_slots
        int array of shape (V,): slots of every feature.
    codes
        int16 array of shape (V, b): the sample.
    labels
        int32 array of shape (b,).
    weights
        float64 array of shape (b,).
    max_bytes
        What the counts of pairs may take; where they would pass it the features that say least
        about the class have no parents.
    """
    n = len(n_slots) // max(1, len(chains))
    depth = max((chain.k for chain in chains), default=0)
    parents = np.full((len(n_slots), depth), -1, dtype=np.int16)
    for b, chain in enumerate(chains):
        own = slice(b * n, (b + 1) * n)
        if chain.k and n > 1:
            found = _parents(chain, n_slots[own], codes[own], labels, weights, max_bytes)
            parents[own, : found.shape[1]] = np.where(found >= 0, found + b * n, -1)
    return parents


def _parents(
    chain: Chain,
    n_slots: np.ndarray,
    codes: np.ndarray,
    labels: np.ndarray,
    weights: np.ndarray,
    max_bytes: float,
) -> np.ndarray:
    m = int(labels.max(initial=-1)) + 1
    layout = Layout(np.maximum(1, n_slots), class_room(m))
    codes = np.ascontiguousarray(codes)
    singles = new_singles(layout)
    add_singles(singles, codes, labels, weights)
    information = class_information(singles, layout.caps, m)
    members = fitting_members(layout, information, max_bytes)
    pairs = new_pairs(layout, members)
    count_pairs(pairs, codes, labels, weights)
    conditional = conditional_information_matrix(pairs, len(n_slots), m)
    if chain.model == TAN:
        return tan(information, conditional, members).parents[0]
    order = order_by_information(information[members])
    chosen = kdb_parents(order, conditional[np.ix_(members, members)], chain.k)
    return among_features(chosen, members, len(n_slots))
