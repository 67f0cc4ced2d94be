"""The latest events: raw rows, labels and weights, from which everything can be counted anew."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Past(NamedTuple):
    """A ring of events; the one learned as number t lies at place t mod capacity.

    Attributes
    ----------
    raw
        float64 array of shape (n_features, capacity).
    labels
        int32 array of shape (capacity,).
    weights
        float64 array of shape (capacity,).
    """

    raw: np.ndarray
    labels: np.ndarray
    weights: np.ndarray


def new_past(n_features: int, capacity: int) -> Past:
    """Return an empty ring.

    Parameters
    ----------
    n_features
        How many features an event has.
    capacity
        How many events it holds.
    """
    raw = np.full((n_features, capacity), np.nan)
    return Past(raw, np.zeros(capacity, dtype=np.int32), np.zeros(capacity))


def past_bytes(n_features: int, capacity: int) -> int:
    """Return what a ring takes.

    Parameters
    ----------
    n_features
        How many features an event has.
    capacity
        How many events it holds.
    """
    return capacity * (8 * n_features + 12)


def regrown_past(past: Past, n_events: int, capacity: int, where: np.ndarray, n: int) -> Past:
    """Return the latest events that fit, over more features, which were missing in them.

    Parameters
    ----------
    past
        The ring.
    n_events
        How many events were ever learned.
    capacity
        The capacity to have.
    where
        int array: the new index of every old feature.
    n
        How many features there are.
    """
    old = len(past.labels)
    events = np.arange(max(0, n_events - min(old, capacity)), n_events)
    here, there = events % max(1, old), events % max(1, capacity)
    grown = new_past(n, capacity)
    grown.raw[np.ix_(where, there)] = past.raw[:, here]
    grown.labels[there] = past.labels[here]
    grown.weights[there] = past.weights[here]
    return grown


def held(past: Past, first: int, stop: int) -> Past:
    """Return events number `first` to `stop`, as far as they are held, in their order.

    Parameters
    ----------
    past
        The ring.
    first, stop
        Number of the first, and of the one after the last that was learned.
    """
    capacity = len(past.labels)
    at = np.arange(max(first, stop - capacity), stop) % max(1, capacity)
    return Past(np.ascontiguousarray(past.raw[:, at]), past.labels[at], past.weights[at])
