"""The window: a ring of the latest events."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from river_kdb.counts.clock import counted_weights
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
    counted
        float64 array of shape (capacity,): the weight with which each stands in the tables; the
        same array as `weights` where nothing fades.
    """

    raw: np.ndarray
    codes: np.ndarray
    labels: np.ndarray
    weights: np.ndarray
    counted: np.ndarray


def is_fading(window: Window) -> bool:
    """Say whether the events of a window count less and less.

    Parameters
    ----------
    window
        The window.
    """
    return window.counted is not window.weights


def new_window(n_features: int, capacity: int, fades: bool = False) -> Window:
    """Return an empty window.

    Parameters
    ----------
    n_features
        How many features an event has.
    capacity
        How many events it holds.
    fades
        Whether events count less and less.
    """
    weights = np.zeros(capacity)
    return Window(
        np.full((n_features, capacity), np.nan),
        np.full((n_features, capacity), -1, dtype=np.int16),
        np.zeros(capacity, dtype=np.int32),
        weights,
        np.zeros(capacity) if fades else weights,
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
    resized = new_window(len(window.raw), capacity, is_fading(window))
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
    return Window(moved.raw, moved.codes, *window[2:])


def window_bytes(n_features: int, capacity: int, fades: bool = False) -> int:
    """Return what a window takes.

    Parameters
    ----------
    n_features
        How many features an event has.
    capacity
        How many events it holds.
    fades
        Whether events count less and less.
    """
    return capacity * (n_features * 10 + (20 if fades else 12))


def exchanged(
    gone: tuple[np.ndarray, np.ndarray, np.ndarray],
    come: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the block in which each of the last events that come follows the one that makes room.

    Those that go have negative weights. The order is that of a loop over the events, so that
    sums come out the same to the last bit.

    Parameters
    ----------
    gone, come
        Codes (n, b), labels (b,) and weights (b,); no more go than come.
    """
    n_gone, n_come = len(gone[1]), len(come[1])
    place = np.arange(n_come) + np.maximum(0, np.arange(1 - n_come, 1) + n_gone)
    leaves = np.ones(n_come + n_gone, dtype=np.bool_)
    leaves[place] = False
    mixed = [np.empty((*a.shape[:-1], len(leaves)), dtype=a.dtype) for a in come]
    for both, away, here in zip(mixed, (*gone[:2], -gone[2]), come, strict=True):
        both[..., leaves] = away
        both[..., place] = here
    return mixed[0], mixed[1], mixed[2]


@kernel
def push_block(window, start, raw, codes, labels, weights):
    """Write raw rows and codes (n, b), labels and weights as events number `start` and on.

    How much they count is left to `weigh_block`.
    """
    ring_raw, ring_codes, ring_labels, ring_weights, _ = window
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


def weigh_block(window: Window, clock: np.ndarray, first: int, weights: np.ndarray) -> np.ndarray:
    """Write how much events number `first` and on count; return it (b,).

    Parameters
    ----------
    window
        The window.
    clock
        The clock, which is set to the last of them.
    first
        Number of the first.
    weights
        float64 array of shape (b,).
    """
    counted = counted_weights(clock, first, weights)
    window.counted[np.arange(first, first + len(weights)) % max(1, len(window.labels))] = counted
    return counted


def held_block(window: Window, first: int, stop: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return codes (n, b), labels (b,) and counted weights (b,) of events `first` to `stop`.

    Parameters
    ----------
    window
        The window, which still holds them.
    first, stop
        Number of the first event, and of the one after the last.
    """
    capacity = max(1, len(window.labels))
    at: slice | np.ndarray = slice(first % capacity, first % capacity + stop - first)
    if first % capacity + stop - first > capacity:
        at = np.arange(first, stop) % capacity
    codes, labels, counted = window.codes[:, at], window.labels[at], window.counted[at]
    return codes.copy(order="C"), labels.copy(), counted.copy()


def places(window: Window, n_events: int, first: int = 0) -> np.ndarray:
    """Return the places of the events in the window since number `first`, oldest first.

    Parameters
    ----------
    window
        The window.
    n_events
        How many events were ever pushed.
    first
        Number of the first one wanted.
    """
    capacity = len(window.labels)
    return np.arange(max(first, n_events - capacity), n_events) % max(1, capacity)
