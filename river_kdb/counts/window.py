"""The window: a ring of the latest events."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from river_kdb.jit import kernel


class Window(NamedTuple):
    """A ring buffer of events; the one learned as number t lies at place t mod capacity.

    Attributes
    ----------
    raw
        float64 array of shape (n_features, capacity): the raw rows.
    codes
        int16 array of shape (n_features, capacity): their codes under the present slots.
    labels
        int32 array of shape (capacity,): classes.
    weights
        float64 array of shape (capacity,).
    """

    raw: np.ndarray
    codes: np.ndarray
    labels: np.ndarray
    weights: np.ndarray


def new_window(n_features: int, capacity: int) -> Window:
    """Return an empty window.

    Parameters
    ----------
    n_features
        How many features an event has.
    capacity
        How many events it holds.
    """
    return Window(
        np.full((n_features, capacity), np.nan),
        np.full((n_features, capacity), -1, dtype=np.int16),
        np.zeros(capacity, dtype=np.int32),
        np.zeros(capacity),
    )


def resized_window(window: Window, n_events: int, capacity: int) -> Window:
    """Return a window of another capacity with the latest events that fit.

    Parameters
    ----------
    window
        The window.
    n_events
        How many events were ever pushed.
    capacity
        The capacity to have.
    """
    old = len(window.labels)
    events = np.arange(max(0, n_events - min(old, capacity)), n_events)
    here, there = events % max(1, old), events % max(1, capacity)
    resized = new_window(len(window.raw), capacity)
    for source, target in zip(window, resized, strict=True):
        target[..., there] = source[..., here]
    return resized


def moved_features(window: Window, where: np.ndarray, n_features: int) -> Window:
    """Return the window over more features; the new ones are missing in every event.

    Parameters
    ----------
    window
        The window.
    where
        int array: the new index of every old feature.
    n_features
        How many features there are now.
    """
    moved = new_window(n_features, len(window.labels))
    moved.raw[where], moved.codes[where] = window.raw, window.codes
    return moved._replace(labels=window.labels, weights=window.weights)


def window_bytes(n_features: int, capacity: int) -> int:
    """Return what a window takes.

    Parameters
    ----------
    n_features
        How many features an event has.
    capacity
        How many events it holds.
    """
    return capacity * (n_features * 10 + 12)


@kernel
def push_block(window, start, raw, codes, labels, weights):
    """Write raw rows and codes (n, b), labels and weights as events number `start` and on."""
    ring_raw, ring_codes, ring_labels, ring_weights = window
    capacity = ring_labels.shape[0]
    first = start % capacity
    for r in range(labels.shape[0]):
        place = first + r if first + r < capacity else first + r - capacity
        ring_labels[place] = labels[r]
        ring_weights[place] = weights[r]
    for i in range(raw.shape[0]):
        for r in range(labels.shape[0]):
            place = first + r if first + r < capacity else first + r - capacity
            ring_raw[i, place] = raw[i, r]
            ring_codes[i, place] = codes[i, r]


def held_block(window: Window, first: int, stop: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return codes (n, b), labels (b,) and weights (b,) of events number `first` to `stop`.

    Parameters
    ----------
    window
        The window, which still holds them.
    first, stop
        Number of the first event, and of the one after the last.
    """
    at = np.arange(first, stop) % max(1, len(window.labels))
    return np.ascontiguousarray(window.codes[:, at]), window.labels[at], window.weights[at]


def places(window: Window, n_events: int) -> np.ndarray:
    """Return the places of the events in the window, oldest first.

    Parameters
    ----------
    window
        The window.
    n_events
        How many events were ever pushed.
    """
    capacity = len(window.labels)
    return np.arange(max(0, n_events - capacity), n_events) % max(1, capacity)
