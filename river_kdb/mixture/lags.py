"""The label given the labels before it."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from river_kdb.jit import kernel

_CONTEXTS = 1021
_STEP = 37
_HALF_LIFE_OF_ONE = 35.0
"""How often a single label has to recur until what followed it counts half; four times as often
for every further label of a context, which recurs more rarely."""


class Lags(NamedTuple):
    """What followed the latest labels.

    Contexts share 1,021 rows: up to 27 classes no two contexts of one or two labels have the
    same.

    Attributes
    ----------
    numbers
        int64 array of shape (n_lags,): numbers of the experts.
    orders
        int64 array of shape (n_lags,): how many labels each looks back.
    recent
        int64 array of shape (longest,): the latest labels, the newest first, -1 for none.
    counts
        float64 array of shape (n_lags, 1021, class capacity).
    """

    numbers: np.ndarray
    orders: np.ndarray
    recent: np.ndarray
    counts: np.ndarray


def new_lags(numbers: list[int], orders: list[int], class_capacity: int) -> Lags:
    """Return empty counts.

    Parameters
    ----------
    numbers
        Numbers of the experts.
    orders
        How many labels each looks back.
    class_capacity
        Room for classes.
    """
    return Lags(
        np.array(numbers, dtype=np.int64),
        np.array(orders, dtype=np.int64),
        np.full(max(orders, default=0), -1, dtype=np.int64),
        np.zeros((len(orders), _CONTEXTS, class_capacity)),
    )


def regrown_lags(lags: Lags, class_capacity: int) -> Lags:
    """Return the same counts with other room for classes.

    Parameters
    ----------
    lags
        The counts.
    class_capacity
        Room for classes.
    """
    counts = np.zeros((*lags.counts.shape[:2], class_capacity))
    counts[:, :, : lags.counts.shape[2]] = lags.counts
    return lags._replace(counts=counts)


@kernel
def context_of(recent, order):
    """Return the row of the latest `order` labels."""
    context = 0
    for place in range(order):
        context = (context * _STEP + recent[place] + 1) % _CONTEXTS
    return context


@kernel
def write_lag_posteriors(lags, m, out):
    """Write the log posteriors of the label given those before it to `out` (E, capacity)."""
    for j in range(lags.orders.shape[0]):
        context = context_of(lags.recent, lags.orders[j])
        total = 1.0
        for c in range(m):
            total += lags.counts[j, context, c]
        for c in range(m):
            count = lags.counts[j, context, c]
            out[lags.numbers[j], c] = math.log((count + 1.0 / m) / total)


@kernel
def learn_label(lags, label, weight):
    """Count a label after those before it, and remember it."""
    for j in range(lags.orders.shape[0]):
        context = context_of(lags.recent, lags.orders[j])
        keep = 0.5 ** (1.0 / (_HALF_LIFE_OF_ONE * 4.0 ** (lags.orders[j] - 1)))
        for c in range(lags.counts.shape[2]):
            lags.counts[j, context, c] *= keep
        lags.counts[j, context, label] += weight
    for place in range(lags.recent.shape[0] - 1, 0, -1):
        lags.recent[place] = lags.recent[place - 1]
    if lags.recent.shape[0] > 0:
        lags.recent[0] = label
