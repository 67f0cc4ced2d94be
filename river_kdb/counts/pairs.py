"""Counts of all pairs of features with the class.

Where no tables of all pairs are kept they are counted a slab at a time, the pairs of some features
with all later ones, and forgotten again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from river_kdb.counts.cells import shifted
from river_kdb.counts.layout import Layout
from river_kdb.jit import inlined, kernel


class Pairs(NamedTuple):
    """N(x_i = s, x_j = t, c) for every pair i < j of the members.

    The cells that one event touches for a given i lie in one run of memory, whatever j:
    the row of members number a < b is `base[a] + s * width[a] + offset[b] + t`.

    Attributes
    ----------
    members
        int64 array of shape (n_members,): rising indices of the features that have pairs.
    base, width, offset
        int64 arrays of shape (n_members,), see above.
    caps
        int64 array of shape (n_members,): room for slots.
    span
        int64 array of shape (2,): the members whose pairs with later members have rows are those
        from the first number up to the second.
    cells
        float64 array of shape (rows, class capacity).
    """

    members: np.ndarray
    base: np.ndarray
    width: np.ndarray
    offset: np.ndarray
    caps: np.ndarray
    span: np.ndarray
    cells: np.ndarray


def _rows(caps: np.ndarray) -> int:
    total = int(caps.sum())
    return (total * total - int((caps * caps).sum())) // 2


def pairs_bytes(layout: Layout, members: np.ndarray) -> int:
    """Return what the tables of some features take.

    Parameters
    ----------
    layout
        Room for slots and classes.
    members
        Indices of the features.
    """
    return 8 * _rows(layout.caps[members]) * layout.class_capacity


def fitting_members(layout: Layout, information: np.ndarray, max_bytes: float) -> np.ndarray:
    """Return the features with the largest information whose pairs fit.

    Parameters
    ----------
    layout
        Room for slots and classes.
    information
        float array of shape (n,): I(X_i; C).
    max_bytes
        What the counts of pairs may take.
    """
    order = np.argsort(-information, kind="stable")
    low, high = 0, len(order)
    while low < high:
        middle = (low + high + 1) // 2
        if pairs_bytes(layout, order[:middle]) <= max_bytes:
            low = middle
        else:
            high = middle - 1
    return np.sort(order[:low])


def new_pairs(layout: Layout, members: np.ndarray) -> Pairs:
    """Return empty tables.

    Parameters
    ----------
    layout
        Room for slots and classes.
    members
        Rising indices of the features that get pairs.
    """
    return new_slab(layout, members, 0, len(members))


def new_slab(layout: Layout, members: np.ndarray, first: int, stop: int) -> Pairs:
    """Return empty tables of the pairs of some members with all later ones.

    Parameters
    ----------
    layout
        Room for slots and classes.
    members
        Rising indices of the features.
    first, stop
        Number of the first of those members, and of the one after the last; there are no tables
        at all where these are the same.
    """
    places, rows = slab_places(layout, members, first, stop)
    return Pairs._make((*places, np.zeros((rows, layout.class_capacity))))


def slab_places(
    layout: Layout, members: np.ndarray, first: int, stop: int
) -> tuple[tuple[np.ndarray, ...], int]:
    """Return all of a slab but its cells, in their order, and how many rows it has.

    Parameters
    ----------
    layout
        Room for slots and classes.
    members
        Rising indices of the features.
    first, stop
        See `new_slab`.
    """
    members = np.asarray(members, dtype=np.int64)
    caps = layout.caps[members]
    offset = np.cumsum(caps) - caps
    width = int(caps.sum()) - offset - caps
    blocks = caps * width
    blocks[:first] = blocks[stop:] = 0
    base = np.cumsum(blocks) - blocks - offset - caps
    span = np.array([first, stop], dtype=np.int64)
    return (members, base, width, offset, caps, span), int(blocks.sum())


def slabs(layout: Layout, members: np.ndarray, max_bytes: float) -> Iterator[Pairs]:
    """Give empty tables of all pairs of some features, a slab at a time.

    Parameters
    ----------
    layout
        Room for slots and classes.
    members
        Rising indices of the features.
    max_bytes
        What a slab may take, unless it is the smallest possible.
    """
    caps = layout.caps[members]
    sizes = 8 * layout.class_capacity * caps * (caps.sum() - np.cumsum(caps))
    first = 0
    while first < len(members) - 1:
        stop = first + max(1, int(np.searchsorted(np.cumsum(sizes[first:]), max_bytes, "right")))
        yield new_slab(layout, members, first, stop)
        first = stop


@inlined
def pair_row(pairs, a, b, s, t):
    """Return the row of slots s and t of members number a < b."""
    return pairs.base[a] + s * pairs.width[a] + pairs.offset[b] + t


@kernel
def add_pairs(pairs, codes, labels, weights):
    """Count a block of codes (n, b) with their labels (b,) and weights (b,).

    An event whose weight is negative is taken out.
    """
    members, base, width, offset, _, span, cells = pairs
    for a in range(span[0], span[1]):
        i, wide = members[a], width[a]
        for b in range(a + 1, members.shape[0]):
            j, corner = members[b], base[a] + offset[b]
            for r in range(labels.shape[0]):
                s, t = codes[i, r], codes[j, r]
                if s >= 0 and t >= 0:
                    row = corner + s * wide + t
                    cells[row, labels[r]] = shifted(cells[row, labels[r]], weights[r])


def regrown_pairs(pairs: Pairs, layout: Layout, where: np.ndarray, members: np.ndarray) -> Pairs:
    """Return the same counts in other tables.

    Parameters
    ----------
    pairs
        The tables.
    layout
        The layout to have.
    where
        int array: the new index of every old feature.
    members
        New indices of the features that shall have pairs; counts of others are dropped.
    """
    grown = new_pairs(layout, members)
    _copy_pairs(pairs, where[pairs.members], grown)
    return grown


@kernel
def _copy_pairs(old, moved, new):
    place = np.full(moved.shape[0], -1)
    for a in range(moved.shape[0]):
        for j in range(new.members.shape[0]):
            if new.members[j] == moved[a]:
                place[a] = j
    m = min(old.cells.shape[1], new.cells.shape[1])
    for a in range(place.shape[0]):
        for b in range(a + 1, place.shape[0]):
            if place[a] < 0 or place[b] < 0:
                continue
            for s in range(old.caps[a]):
                for t in range(old.caps[b]):
                    here = pair_row(old, a, b, s, t)
                    there = pair_row(new, place[a], place[b], s, t)
                    for c in range(m):
                        new.cells[there, c] = old.cells[here, c]


@kernel
def insert_missing_pairs(pairs, i, slot, cells, start):
    """Let a slot of the new feature `i` take over the counts of every other feature.

    `cells` and `start` are those of the singles.
    """
    n = pairs.members.shape[0]
    a = 0
    while a < n and pairs.members[a] != i:
        a += 1
    if a == n:
        return
    for b in range(n):
        if b == a:
            continue
        for t in range(pairs.caps[b]):
            row = pair_row(pairs, a, b, slot, t) if a < b else pair_row(pairs, b, a, t, slot)
            pairs.cells[row] = cells[start[pairs.members[b]] + t]
