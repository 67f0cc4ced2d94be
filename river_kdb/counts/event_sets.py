"""The sets of the values of one event, and what they share."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from river_kdb.counts.bits import WORD, popcount
from river_kdb.counts.bitsets import N_WEIGHTED, OWNER
from river_kdb.jit import ZERO, inlined, kernel

_ONE = np.uint64(1)


class EventSets(NamedTuple):
    """The events of the window that have the values of one event; words of a class in one run.

    Attributes
    ----------
    values
        uint64 array of shape (n_members, n_words): the events with a value, none where the value
        was never learned.
    present
        uint64 array of shape (n_members, n_words): the events with any value of the feature; of
        shape (1, n_words), all events, where no value is ever left out.
    bounds
        uint64 array of shape (m + 1,): the words of class c are `bounds[c]` to `bounds[c + 1]`.
    order
        int64 array of shape (n_words,): their numbers in the sets of the window.
    room
        uint64 array of shape (n_words,): for a set to be made.
    weighted
        int64 array of shape (1,): whether events count as other weights than 1.
    event_at, weights
        As in `BitSets`.
    """

    values: np.ndarray
    present: np.ndarray
    bounds: np.ndarray
    order: np.ndarray
    room: np.ndarray
    weighted: np.ndarray
    event_at: np.ndarray
    weights: np.ndarray


@kernel
def words_by_class(words, m):
    """Return the numbers of the words in use by class, and where each class begins (m + 1,).

    The latter has no sign, so that loops over the words of a class take many in a step.
    """
    ends = np.zeros(m + 1, dtype=np.int64)
    for word in range(words.shape[0]):
        if words[word, OWNER] >= 0:
            ends[words[word, OWNER] + 1] += 1
    for c in range(m):
        ends[c + 1] += ends[c]
    order, bounds = np.empty(ends[m], dtype=np.int64), ends.astype(np.uint64)
    for word in range(words.shape[0]):
        c = words[word, OWNER]
        if c >= 0:
            order[ends[c]] = word
            ends[c] += 1
    return order, bounds


@kernel
def gather_sets(codes, r, members, seen, bitsets, m, some_missing):
    """Return the sets of the values of event `r` of a block of codes (n, b)."""
    order, bounds = words_by_class(bitsets.words, m)
    slots, start, n_words = bitsets.slots, bitsets.start, order.shape[0]
    n = members.shape[0]
    values = np.zeros((n, n_words), dtype=np.uint64)
    present = np.empty((n if some_missing else min(n, 1), n_words), dtype=np.uint64)
    for a in range(n):
        if seen[a]:
            row = start[members[a]] + codes[members[a], r]
            for w in range(n_words):
                values[a, w] = slots[row, order[w]]
    for a in range(present.shape[0]):
        row = start[members[a] + 1] - 1
        for w in range(n_words):
            present[a, w] = slots[row, order[w]]
    room, weighted = np.empty(n_words, dtype=np.uint64), bitsets.heads[N_WEIGHTED : N_WEIGHTED + 1]
    return EventSets(
        values, present, bounds, order, room, weighted, bitsets.event_at, bitsets.weights
    )


@inlined
def count_in(chosen, child, bounds, context, both):
    """Write how many events the set `chosen` (n_words,) has to `context` (m,), by class.

    `both` (m,) gets those that are in the set `child` too.
    """
    for c in range(context.shape[0]):
        of_context, of_both = np.uint64(0), np.uint64(0)
        for w in range(bounds[c], bounds[c + 1]):
            of_context += popcount(chosen[w])
            of_both += popcount(chosen[w] & child[w])
        context[c], both[c] = of_context, of_both


@inlined
def weigh_in(chosen, child, bounds, order, event_at, weights, context, both):
    """Write the weight of the events that `count_in` counts."""
    for c in range(context.shape[0]):
        context[c] = both[c] = 0.0
        for w in range(bounds[c], bounds[c + 1]):
            left = chosen[w]
            while left:
                bit = left & (~left + _ONE)
                weight = weights[event_at[order[w] * WORD + np.int64(popcount(bit - _ONE))]]
                context[c] += weight
                if child[w] & bit:
                    both[c] += weight
                left ^= bit


@kernel
def count_context(sets, parents, q, child, context, both):
    """Write N(parents, c) and N(x_child, parents, c) for the first `q` >= 1 parents.

    They go to `context` and `both` (m,); where the child is left out is in neither. Returns the sum
    of the former over the classes.
    """
    values, present, bounds, order, room, weighted, event_at, weights = sets
    some_missing = present.shape[0] > 1
    for w in range(room.shape[0]):
        room[w] = values[parents[0], w]
    for place in range(1, q):
        parent = parents[place]
        for w in range(room.shape[0]):
            room[w] &= values[parent, w]
    if some_missing:
        for w in range(room.shape[0]):
            room[w] &= present[child, w]
    if weighted[0] > 0:
        weigh_in(room, values[child], bounds, order, event_at, weights, context, both)
    else:
        count_in(room, values[child], bounds, context, both)
    total = 0.0
    for c in range(context.shape[0]):
        total += context[c]
    return total


@inlined
def share(first, a, second, b, bounds, order, event_at, weights, weighted, out, i, j):
    """Write the weight of the events that two sets share to `out[i, j]`, by class.

    The sets are `first[a]` and `second[b]`.
    """
    for c in range(out.shape[2]):
        if not weighted:
            count = np.uint64(0)
            for w in range(bounds[c], bounds[c + 1]):
                count += popcount(first[a, w] & second[b, w])
            out[i, j, c] = count
            continue
        total = 0.0
        for w in range(bounds[c], bounds[c + 1]):
            left = first[a, w] & second[b, w]
            while left:
                bit = left & (~left + _ONE)
                total += weights[event_at[order[w] * WORD + np.int64(popcount(bit - _ONE))]]
                left ^= bit
        out[i, j, c] = total


@kernel
def pairs_in_window(sets, joint):
    """Write N(x_i, x_j, c) of the window to `joint` (n_members, n_members, m)."""
    values, _, bounds, order, _, weighted, event_at, weights = sets
    some_weighted = weighted[0] > 0
    for a in range(values.shape[0]):
        for b in range(a + 1, values.shape[0]):
            share(
                values, a, values, b, bounds, order, event_at, weights, some_weighted, joint, a, b
            )
            for c in range(joint.shape[2]):
                joint[b, a, c] = joint[a, b, c]


@kernel
def given_in_window(sets, given):
    """Write N(X_i present, x_j, c) of the window to `given` (n_members or 1, n_members, m)."""
    values, present, bounds, order, _, weighted, event_at, weights = sets
    some_weighted = weighted[0] > 0
    for a in range(given.shape[0]):
        for b in range(values.shape[0]):
            share(
                present, a, values, b, bounds, order, event_at, weights, some_weighted, given, a, b
            )


@kernel
def together_in_window(bitsets, members, m, some_missing):
    """Return N(X_i and X_j present, c) of the window (n_members, n_members, m).

    Its shape is (1, 1, m) where no value is ever left out.
    """
    nothing = np.zeros(members.shape[0], dtype=np.bool_)
    codes = np.empty((0, 0), dtype=np.int16)
    sets = gather_sets(codes, ZERO, members, nothing, bitsets, m, some_missing)
    _, present, bounds, order, _, weighted, event_at, weights = sets
    some_weighted, n = weighted[0] > 0, present.shape[0]
    together = np.zeros((n, n, m))
    for a in range(n):
        for b in range(a, n):
            share(
                present, a, present, b, bounds, order, event_at, weights, some_weighted,
                together, a, b,
            )  # fmt: skip
            for c in range(m):
                together[b, a, c] = together[a, b, c]
    return together
