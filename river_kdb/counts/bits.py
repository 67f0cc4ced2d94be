"""Counting a block of events by the bits that their values set.

A slot is a set of events, one bit each. How many events share two slots is how many bits are left
when the sets are intersected; where slots are few this costs far less than going through the
events. The events of a class have words of their own, so that all classes are counted in one go.
"""

from __future__ import annotations

import numpy as np

from river_kdb.jit import inlined, kernel

WORD = 64
"""Events in a word of a set."""

_ODD = np.uint64(0x5555555555555555)
_TWOS = np.uint64(0x3333333333333333)
_FOURS = np.uint64(0x0F0F0F0F0F0F0F0F)
_ONES = np.uint64(0x0101010101010101)
_ONE = np.uint64(1)
_SHIFT_1, _SHIFT_2, _SHIFT_4, _SHIFT_56 = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)


@inlined
def popcount(word):
    """Return how many bits of a word are set; compilers know this form as one instruction."""
    word = word - ((word >> _SHIFT_1) & _ODD)
    word = (word & _TWOS) + ((word >> _SHIFT_2) & _TWOS)
    word = (word + (word >> _SHIFT_4)) & _FOURS
    return (word * _ONES) >> _SHIFT_56


@kernel
def class_runs(labels, m):
    """Return a bit for every event (b,), those of a class in words of its own, in one run.

    The words of class c are `bounds[c]` to `bounds[c + 1]`; `bounds` has shape (m + 1,). It has no
    sign, so that a loop from one to the other is known to stay in the array, and many words are
    counted in a step.
    """
    n_events = labels.shape[0]
    ends, bit = np.zeros(m + 1, dtype=np.int64), np.zeros(m, dtype=np.int64)
    for r in range(n_events):
        bit[labels[r]] += 1
    for c in range(m):
        ends[c + 1] = ends[c] + (bit[c] + WORD - 1) // WORD
        bit[c] = ends[c] * WORD
    bits = np.empty(n_events, dtype=np.int64)
    for r in range(n_events):
        bits[r] = bit[labels[r]]
        bit[labels[r]] += 1
    return bits, ends.astype(np.uint64)


@kernel
def slot_sets(members, offset, caps, codes, bits, n_words):
    """Return the events of every slot of the members as sets (slots, n_words).

    `bits` (b,) says which bit is an event's.
    """
    n_slots = 0
    for a in range(members.shape[0]):
        n_slots += caps[a]
    sets = np.zeros((n_slots, n_words), dtype=np.uint64)
    for a in range(members.shape[0]):
        i, first = members[a], offset[a]
        for r in range(bits.shape[0]):
            if codes[i, r] >= 0:
                sets[first + codes[i, r], bits[r] // WORD] |= _ONE << np.uint64(bits[r] % WORD)
    return sets


@inlined
def intersect(left, sets, row, first, stop, out):
    """Write what a set shares with one of others, in some words; return how many hold any."""
    some = 0
    for word in range(first, stop):
        out[word] = left[word] & sets[row, word]
        some += out[word] != 0
    return some


@kernel
def add_intersections(chosen, sets, slot, first, stop, cells, row, c, weight):
    """Add to column `c` of the cells from `row` on how many events each later slot shares.

    The slots are those of `sets` (slots, words) from number `slot` on, `chosen` (words,) is one
    set; the events are those of the words from `first` up to `stop`.
    """
    for g in range(slot, sets.shape[0]):
        count = np.uint64(0)
        for word in range(first, stop):
            count += popcount(chosen[word] & sets[g, word])
        cells[row + g - slot, c] += count * weight


@kernel
def add_pairs_by_bits(pairs, sets, bounds, weight):
    """Count pairs from the sets of slots, each event with the same weight.

    The words of class c are `bounds[c]` to `bounds[c + 1]`.
    """
    _, base, width, offset, caps, span, cells = pairs
    for a in range(span[0], span[1]):
        later = offset[a] + caps[a]
        for s in range(caps[a]):
            row, chosen = base[a] + s * width[a] + later, sets[offset[a] + s]
            for c in range(bounds.shape[0] - 1):
                first, stop, some = bounds[c], bounds[c + 1], 0
                for word in range(first, stop):
                    some += chosen[word] != 0
                if some > 0:
                    add_intersections(chosen, sets, later, first, stop, cells, row, c, weight)


@kernel
def add_triples_by_bits(triples, sets, bounds, weight):
    """Count triples from the sets of slots, each event with the same weight.

    The words of class c are `bounds[c]` to `bounds[c + 1]`.
    """
    _, base, width, offset, caps, cells = triples
    chosen = np.empty(sets.shape[1], dtype=np.uint64)
    for a in range(caps.shape[0]):
        for s in range(caps[a]):
            left = sets[offset[a] + s]
            for b in range(a + 1, caps.shape[0]):
                later = offset[b] + caps[b]
                for t in range(caps[b]):
                    row = base[a, b] + (s * caps[b] + t) * width[b] + later
                    for c in range(bounds.shape[0] - 1):
                        first, stop = bounds[c], bounds[c + 1]
                        if intersect(left, sets, offset[b] + t, first, stop, chosen) > 0:
                            add_intersections(
                                chosen, sets, later, first, stop, cells, row, c, weight
                            )
