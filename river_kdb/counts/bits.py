"""Counting a block of events by the bits that their values set.

A slot is a set of events, one bit each. How many events share two slots and a class is how many
bits are left when the sets are intersected; where slots are few this costs far less than going
through the events.
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
_SHIFT_1, _SHIFT_2, _SHIFT_4, _SHIFT_56 = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)


@inlined
def popcount(word):
    """Return how many bits of a word are set; compilers know this form as one instruction."""
    word = word - ((word >> _SHIFT_1) & _ODD)
    word = (word & _TWOS) + ((word >> _SHIFT_2) & _TWOS)
    word = (word + (word >> _SHIFT_4)) & _FOURS
    return (word * _ONES) >> _SHIFT_56


@kernel
def slot_sets(members, offset, caps, codes):
    """Return the events of every slot of the members as bits (slots, words)."""
    n_events = codes.shape[1]
    n_slots = 0
    for a in range(members.shape[0]):
        n_slots += caps[a]
    sets = np.zeros((n_slots, (n_events + WORD - 1) // WORD), dtype=np.uint64)
    for a in range(members.shape[0]):
        i, first = members[a], offset[a]
        for r in range(n_events):
            if codes[i, r] >= 0:
                sets[first + codes[i, r], r // WORD] |= np.uint64(1) << np.uint64(r % WORD)
    return sets


@kernel
def class_sets(labels, m):
    """Return the events of every class as bits (m, words)."""
    n_events = labels.shape[0]
    sets = np.zeros((m, (n_events + WORD - 1) // WORD), dtype=np.uint64)
    for r in range(n_events):
        sets[labels[r], r // WORD] |= np.uint64(1) << np.uint64(r % WORD)
    return sets


@kernel
def intersect(left, right, out):
    """Write the intersection of two sets to a third; return how many words of it hold any."""
    some = 0
    for word in range(out.shape[0]):
        out[word] = left[word] & right[word]
        some += out[word] != 0
    return some


@kernel
def add_intersections(chosen, sets, first, cells, row, c, weight):
    """Add to column `c` of the cells from `row` on how many events each later slot shares.

    The slots are those of `sets` (slots, words) from `first` on, `chosen` (words,) is one set.
    """
    for g in range(first, sets.shape[0]):
        count = np.uint64(0)
        for word in range(chosen.shape[0]):
            count += popcount(chosen[word] & sets[g, word])
        cells[row + g - first, c] += count * weight


@kernel
def add_pairs_by_bits(pairs, sets, classes, weight):
    """Count pairs from the sets of slots and classes, each event with the same weight."""
    _, base, width, offset, caps, span, cells = pairs
    chosen = np.empty(sets.shape[1], dtype=np.uint64)
    for a in range(span[0], span[1]):
        first = offset[a] + caps[a]
        for s in range(caps[a]):
            row = base[a] + s * width[a] + first
            for c in range(classes.shape[0]):
                if intersect(sets[offset[a] + s], classes[c], chosen) > 0:
                    add_intersections(chosen, sets, first, cells, row, c, weight)


@kernel
def add_triples_by_bits(triples, sets, classes, weight):
    """Count triples from the sets of slots and classes, each event with the same weight."""
    _, base, width, offset, caps, cells = triples
    left = np.empty(sets.shape[1], dtype=np.uint64)
    chosen = np.empty(sets.shape[1], dtype=np.uint64)
    for a in range(caps.shape[0]):
        for s in range(caps[a]):
            for c in range(classes.shape[0]):
                if intersect(sets[offset[a] + s], classes[c], left) == 0:
                    continue
                for b in range(a + 1, caps.shape[0]):
                    first = offset[b] + caps[b]
                    for t in range(caps[b]):
                        row = base[a, b] + (s * caps[b] + t) * width[b] + first
                        if intersect(left, sets[offset[b] + t], chosen) > 0:
                            add_intersections(chosen, sets, first, cells, row, c, weight)
