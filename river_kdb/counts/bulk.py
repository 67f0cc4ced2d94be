"""Counting a block of events in pairs and triples, whichever way is faster."""

from __future__ import annotations

import numpy as np

from river_kdb.counts.bits import add_pairs_by_bits, add_triples_by_bits, class_sets, slot_sets
from river_kdb.counts.pairs import Pairs, add_pairs
from river_kdb.counts.triples import Triples, add_triples

_STEP = 512
_CELL_COST, _STEP_COST = 2.25, 0.9


def bits_pay(n_cells: int, n_groups: int, n_events: int) -> bool:
    """Say whether counting by bits is faster than event by event.

    The costs were measured: in the time of one increment, so much for a cell and so much more
    for every 512 events that its sets span.

    Parameters
    ----------
    n_cells
        Cells of the tables, over the classes in use.
    n_groups
        How many pairs or triples of features there are.
    n_events
        How many events there are to count.
    """
    steps = -(-n_events // _STEP)
    return n_cells * (_CELL_COST + _STEP_COST * steps) < n_groups * n_events


def count_pairs(pairs: Pairs, codes: np.ndarray, labels: np.ndarray, weights: np.ndarray) -> None:
    """Count a block of events in the pairs.

    Parameters
    ----------
    pairs
        The tables.
    codes
        int16 array of shape (n_features, n_events).
    labels
        int32 array of shape (n_events,).
    weights
        float64 array of shape (n_events,).
    """
    n, m = len(pairs.members), _classes(labels)
    groups = int((n - 1 - np.arange(*pairs.span)).sum())
    if _alike(weights) and bits_pay(len(pairs.cells) * m, groups, len(labels)):
        sets = slot_sets(pairs.members, pairs.offset, pairs.caps, codes)
        add_pairs_by_bits(pairs, sets, class_sets(labels, m), weights[0])
    else:
        add_pairs(pairs, codes, labels, weights)


def count_triples(
    triples: Triples, codes: np.ndarray, labels: np.ndarray, weights: np.ndarray
) -> None:
    """Count a block of events in the triples.

    Parameters
    ----------
    triples
        The tables.
    codes
        int16 array of shape (n_features, n_events).
    labels
        int32 array of shape (n_events,).
    weights
        float64 array of shape (n_events,).
    """
    n, m = len(triples.members), _classes(labels)
    groups = n * (n - 1) * (n - 2) // 6
    if _alike(weights) and bits_pay(len(triples.cells) * m, groups, len(labels)):
        sets = slot_sets(triples.members, triples.offset, triples.caps, codes)
        add_triples_by_bits(triples, sets, class_sets(labels, m), weights[0])
    else:
        add_triples(triples, codes, labels, weights)


def _classes(labels: np.ndarray) -> int:
    return int(labels.max(initial=-1)) + 1


def _alike(weights: np.ndarray) -> bool:
    return len(weights) > 0 and bool((weights == weights[0]).all())
