"""The events in the window as sets: one bit an event, one set a slot.

How often any values occur together, and in which class, is how many events their sets share; so
a context of any size can be counted at the moment it is asked for, without a table for it. An
event costs one bit a feature to add, and one to forget.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from river_kdb.counts.bits import WORD, popcount
from river_kdb.counts.layout import Layout
from river_kdb.counts.window import Window
from river_kdb.jit import inlined, kernel

_ONE = np.uint64(1)


class BitSets(NamedTuple):
    """The events at every place of the window, by slot and by class.

    Attributes
    ----------
    slots
        uint64 array of shape (rows, words): the events with x_i = s at row `start[i] + s`, and
        those in which x_i is not left out at row `start[i] + caps[i]`.
    classes
        uint64 array of shape (class capacity, words).
    start
        int64 array of shape (n_features + 1,): first row of a feature; the last is the end.
    weighted
        int64 array of shape (1,): how many events count as another weight than 1.
    labels
        int32 array of shape (capacity,): those of the window.
    weights
        float64 array of shape (capacity,): how much each event of the window counts.
    """

    slots: np.ndarray
    classes: np.ndarray
    start: np.ndarray
    weighted: np.ndarray
    labels: np.ndarray
    weights: np.ndarray


def _words(capacity: int) -> int:
    return -(-capacity // WORD)


def bitsets_bytes(layout: Layout, capacity: int) -> int:
    """Return what the sets take.

    Parameters
    ----------
    layout
        Room for slots and classes.
    capacity
        Events that the window holds.
    """
    rows = int(layout.caps.sum()) + len(layout.caps) + layout.class_capacity
    return 8 * rows * _words(capacity)


def no_bitsets(layout: Layout) -> BitSets:
    """Return sets without events, for a window that is not kept in sets.

    Parameters
    ----------
    layout
        Room for slots and classes.
    """
    return _empty(layout, np.zeros(0, dtype=np.int32), np.zeros(0))


def new_bitsets(layout: Layout, window: Window, n_events: int, first: int = 0) -> BitSets:
    """Return the sets of the events in a window since number `first`.

    Parameters
    ----------
    layout
        Room for slots and classes.
    window
        The window.
    n_events
        How many events were ever pushed.
    first
        Number of the first one wanted.
    """
    bitsets = _empty(layout, window.labels, window.counted)
    first = max(first, n_events - len(window.labels))
    add_to_bitsets(bitsets, window.codes, first, n_events - first)
    return bitsets


def _empty(layout: Layout, labels: np.ndarray, weights: np.ndarray) -> BitSets:
    start = np.zeros(len(layout.caps) + 1, dtype=np.int64)
    np.cumsum(layout.caps + 1, out=start[1:])
    words = _words(len(labels))
    return BitSets(
        np.zeros((int(start[-1]), words), dtype=np.uint64),
        np.zeros((layout.class_capacity, words), dtype=np.uint64),
        start,
        np.zeros(1, dtype=np.int64),
        labels,
        weights,
    )


@inlined
def flip_bits(slots, classes, start, weighted, labels, weights, codes, first, count, step):
    """Flip the bits of `count` events of the window from number `first` on.

    `codes` (n, capacity) are those of the window; `step` is 1 when the events join the sets, and
    -1 when they leave them.
    """
    capacity = labels.shape[0]
    for r in range(first, first + count):
        place = r % capacity
        word, bit = place // WORD, _ONE << np.uint64(place % WORD)
        classes[labels[place], word] ^= bit
        if weights[place] != 1.0:
            weighted[0] += step
        for i in range(codes.shape[0]):
            code = codes[i, place]
            if code >= 0:
                slots[start[i] + code, word] ^= bit
                slots[start[i + 1] - 1, word] ^= bit


@kernel
def add_to_bitsets(bitsets, codes, first, count):
    """Let `count` events of the window, whose codes are (n, capacity), join the sets."""
    slots, classes, start, weighted, labels, weights = bitsets
    flip_bits(slots, classes, start, weighted, labels, weights, codes, first, count, 1)


@kernel
def take_from_bitsets(bitsets, codes, first, count):
    """Let `count` events of the window, whose codes are (n, capacity), leave the sets."""
    slots, classes, start, weighted, labels, weights = bitsets
    flip_bits(slots, classes, start, weighted, labels, weights, codes, first, count, -1)


@inlined
def count_members(members, possible, classes, out):
    """Write how many events of a set (words,) there are to `out` (m,), by class.

    Classes for which `possible` (m,) is 0 have none.
    """
    for c in range(out.shape[0]):
        out[c] = 0.0
        if possible[c] <= 0.0:
            continue
        count = np.uint64(0)
        for word in range(members.shape[0]):
            count += popcount(members[word] & classes[c, word])
        out[c] = count


@inlined
def weigh_members(members, child, labels, weights, context, both):
    """Write the weight of the events of a set (words,) to `context` (m,), by class.

    `both` (m,) gets that of those that are in the set `child` too.
    """
    for c in range(context.shape[0]):
        context[c] = both[c] = 0.0
    for word in range(members.shape[0]):
        left, shared = members[word], child[word]
        while left:
            bit = left & (~left + _ONE)
            place = word * WORD + np.int64(popcount(bit - _ONE))
            context[labels[place]] += weights[place]
            if shared & bit:
                both[labels[place]] += weights[place]
            left ^= bit


@kernel
def count_shared(bitsets, rows, n_rows, child, possible, members, context, both):
    """Write how many events the first `n_rows` sets of `rows` share, by class.

    `context` (m,) gets those that are in all of them, `both` (m,) those that are in the set
    `child` too. Classes for which `possible` (m,) is 0 are known to have none; `members`
    (words,) is room to work in. Returns the weight of the former.
    """
    slots, classes, _, weighted, labels, weights = bitsets
    for word in range(members.shape[0]):
        members[word] = slots[rows[0], word]
    for q in range(1, n_rows):
        row = rows[q]
        for word in range(members.shape[0]):
            members[word] &= slots[row, word]
    if weighted[0] > 0:
        weigh_members(members, slots[child], labels, weights, context, both)
    else:
        count_members(members, possible, classes, context)
        for word in range(members.shape[0]):
            members[word] &= slots[child, word]
        count_members(members, context, classes, both)
    total = 0.0
    for c in range(context.shape[0]):
        total += context[c]
    return total
