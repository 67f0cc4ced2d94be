"""The events in the window as sets: one bit an event, one set a slot.

How often any values occur together, and in which class, is how many events their sets share; so
a context of any size can be counted at the moment it is asked for, without a table for it. An
event costs one bit a feature to add, and one to forget.

The 64 events of a word are all of one class: what sets share is counted by class in one sweep,
however many classes there are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from river_kdb.counts.bits import WORD
from river_kdb.counts.layout import Layout
from river_kdb.counts.window import Window
from river_kdb.jit import inlined, kernel

OWNER, ALIVE, FILLED, FREE = range(4)
"""Columns of `BitSets.words`: the class of a word, or -1; the bits at which events are; how many
bits were given away; and, apart from these, a stack of the words that no class has."""

N_FREE, N_WEIGHTED, OPEN = range(3)
"""Places in `BitSets.heads`: words on the stack; events that count as another weight than 1; from
the last on, the word that a class is filling, or -1."""

_ONE = np.uint64(1)


class BitSets(NamedTuple):
    """The events of the window, by slot and by class.

    Attributes
    ----------
    slots
        uint64 array of shape (rows, n_words): the events with x_i = s at row `start[i] + s`, and
        those in which x_i is not left out at row `start[i] + caps[i]`.
    start
        int64 array of shape (n_features + 1,): first row of a feature; the last is the end.
    words
        int64 array of shape (n_words, 4), see the names of its columns.
    heads
        int64 array of shape (2 + class capacity,), see the names of its places.
    bit_of
        int32 array of shape (capacity,): the bit, of all words in a row, of an event in the window.
    event_at
        int32 array of shape (n_words * 64,): the place in the window of a bit's event.
    labels
        int32 array of shape (capacity,): those of the window.
    weights
        float64 array of shape (capacity,): how much each event of the window counts.
    """

    slots: np.ndarray
    start: np.ndarray
    words: np.ndarray
    heads: np.ndarray
    bit_of: np.ndarray
    event_at: np.ndarray
    labels: np.ndarray
    weights: np.ndarray


def n_words_of(layout: Layout, capacity: int) -> int:
    """Return the words that are never too few: a class's first and last may be half empty."""
    return min(capacity, capacity // WORD + 2 * layout.class_capacity)


def bitsets_bytes(layout: Layout, capacity: int) -> int:
    """Return what the sets take.

    Parameters
    ----------
    layout
        Room for slots and classes.
    capacity
        Events that the window holds.
    """
    rows = int(layout.caps.sum()) + len(layout.caps)
    return (8 * (rows + 4) + 4 * WORD) * n_words_of(layout, capacity) + 4 * capacity


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
    n_words = n_words_of(layout, len(labels))
    words = np.zeros((n_words, 4), dtype=np.int64)
    words[:, OWNER] = -1
    words[:, FREE] = np.arange(n_words)[::-1]
    heads = np.full(OPEN + layout.class_capacity, -1, dtype=np.int64)
    heads[N_FREE], heads[N_WEIGHTED] = n_words, 0
    return BitSets(
        np.zeros((int(start[-1]), n_words), dtype=np.uint64),
        start,
        words,
        heads,
        np.zeros(len(labels), dtype=np.int32),
        np.zeros(n_words * WORD, dtype=np.int32),
        labels,
        weights,
    )


@inlined
def flip_slots(slots, start, codes, place, word, bit):
    """Flip a bit of a word in the sets of the values of the event at a place of the window."""
    for i in range(codes.shape[0]):
        code = codes[i, place]
        if code >= 0:
            slots[start[i] + code, word] ^= bit
            slots[start[i + 1] - 1, word] ^= bit


@inlined
def join_sets(
    slots, start, words, heads, bit_of, event_at, labels, weights, codes, first, count
):  # fmt: skip
    """Let `count` events of the window from number `first` on join the sets.

    `codes` (n, capacity) are those of the window.
    """
    for r in range(first, first + count):
        place = r % labels.shape[0]
        c = OPEN + labels[place]
        if heads[c] < 0 or words[heads[c], FILLED] == WORD:
            heads[N_FREE] -= 1
            heads[c] = words[heads[N_FREE], FREE]
            words[heads[c], OWNER], words[heads[c], FILLED] = labels[place], 0
        word = heads[c]
        bit = _ONE << np.uint64(words[word, FILLED])
        bit_of[place] = word * WORD + words[word, FILLED]
        event_at[bit_of[place]] = place
        words[word, FILLED] += 1
        words[word, ALIVE] ^= np.int64(bit)
        heads[N_WEIGHTED] += weights[place] != 1.0
        flip_slots(slots, start, codes, place, word, bit)


@inlined
def leave_sets(
    slots, start, words, heads, bit_of, event_at, labels, weights, codes, first, count
):  # fmt: skip
    """Let `count` events of the window from number `first` on leave the sets.

    `codes` (n, capacity) are those of the window. The events that joined first leave first.
    """
    for r in range(first, first + count):
        place = r % labels.shape[0]
        word = bit_of[place] // WORD
        bit = _ONE << np.uint64(bit_of[place] % WORD)
        words[word, ALIVE] ^= np.int64(bit)
        heads[N_WEIGHTED] -= weights[place] != 1.0
        flip_slots(slots, start, codes, place, word, bit)
        if words[word, ALIVE] == 0:
            if heads[OPEN + words[word, OWNER]] == word:
                heads[OPEN + words[word, OWNER]] = -1
            words[word, OWNER] = -1
            words[heads[N_FREE], FREE] = word
            heads[N_FREE] += 1


@kernel
def add_to_bitsets(bitsets, codes, first, count):
    """Let `count` events of the window, whose codes are (n, capacity), join the sets."""
    slots, start, words, heads, bit_of, event_at, labels, weights = bitsets
    join_sets(slots, start, words, heads, bit_of, event_at, labels, weights, codes, first, count)


@kernel
def take_from_bitsets(bitsets, codes, first, count):
    """Let `count` events of the window, whose codes are (n, capacity), leave the sets."""
    slots, start, words, heads, bit_of, event_at, labels, weights = bitsets
    leave_sets(slots, start, words, heads, bit_of, event_at, labels, weights, codes, first, count)
