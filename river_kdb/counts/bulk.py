"""Counting a block of events in pairs and triples, whichever way is faster."""

from __future__ import annotations

import numpy as np

from river_kdb.counts.bits import add_pairs_by_bits, add_triples_by_bits, class_runs, slot_sets
from river_kdb.counts.pairs import Pairs, add_pairs
from river_kdb.counts.triples import Triples, add_triples

_STEP = 512
_CLASS_COST, _STEP_COST = 1.5, 1.2


def bits_pay(n_rows: int, m: int, n_groups: int, n_events: int) -> bool:
    """Say whether counting by bits is faster than event by event.

    The costs were measured: in the time of one increment, so much for each class of a row and so
    much more for every 512 events.

    Parameters
    ----------
    n_rows
        Rows of the tables.
    m
        How many classes there are.
    n_groups
        How many pairs or triples of features there are.
    n_events
        How many events there are to count.
    """
    steps = -(-n_events // _STEP)
    return n_rows * (_CLASS_COST * m + _STEP_COST * steps) < n_groups * n_events


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
    if pairs.span[0] == pairs.span[1]:
        return
    n, m = len(pairs.members), _classes(labels)
    groups = int((n - 1 - np.arange(*pairs.span)).sum())
    if _alike(weights) and bits_pay(len(pairs.cells), m, groups, len(labels)):
        bits, bounds = class_runs(labels, m)
        sets = slot_sets(pairs.members, pairs.offset, pairs.caps, codes, bits, bounds[m])
        add_pairs_by_bits(pairs, sets, bounds, weights[0])
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
    if _alike(weights) and bits_pay(len(triples.cells), m, groups, len(labels)):
        bits, bounds = class_runs(labels, m)
        sets = slot_sets(triples.members, triples.offset, triples.caps, codes, bits, bounds[m])
        add_triples_by_bits(triples, sets, bounds, weights[0])
    else:
        add_triples(triples, codes, labels, weights)


def _classes(labels: np.ndarray) -> int:
    return int(labels.max(initial=-1)) + 1


def _alike(weights: np.ndarray) -> bool:
    return len(weights) > 0 and bool((weights == weights[0]).all())
