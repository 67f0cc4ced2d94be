"""Counts of all triples of features with the class."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from river_kdb.counts.layout import Layout
from river_kdb.counts.pairs import pair_row
from river_kdb.jit import inlined, kernel


class Triples(NamedTuple):
    """N(x_i = s, x_j = t, x_l = u, c) for every i < j < l of the members.

    The row of members number a < b < d is
    `base[a, b] + (s * caps[b] + t) * width[b] + offset[d] + u`.

    Attributes
    ----------
    members
        int64 array of shape (n_members,): rising indices of the features.
    base
        int64 array of shape (n_members, n_members).
    width, offset, caps
        int64 arrays of shape (n_members,).
    cells
        float64 array of shape (rows, class capacity).
    """

    members: np.ndarray
    base: np.ndarray
    width: np.ndarray
    offset: np.ndarray
    caps: np.ndarray
    cells: np.ndarray


def _blocks(caps: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    offset = np.cumsum(caps) - caps
    width = int(caps.sum()) - offset - caps
    blocks = np.triu(np.outer(caps, caps) * width[None, :], 1)
    return blocks, width, offset


def triples_bytes(layout: Layout, members: np.ndarray) -> int:
    """Return what the tables of some features take.

    Parameters
    ----------
    layout
        Room for slots and classes.
    members
        Indices of the features.
    """
    blocks, _, _ = _blocks(layout.caps[members])
    return 8 * int(blocks.sum()) * layout.class_capacity


def new_triples(layout: Layout, members: np.ndarray) -> Triples:
    """Return empty tables.

    Parameters
    ----------
    layout
        Room for slots and classes.
    members
        Rising indices of the features.
    """
    places, rows = triple_places(layout, members)
    return Triples._make((*places, np.zeros((rows, layout.class_capacity))))


def triple_places(layout: Layout, members: np.ndarray) -> tuple[tuple[np.ndarray, ...], int]:
    """Return all of the tables but their cells, in their order, and how many rows they have.

    Parameters
    ----------
    layout
        Room for slots and classes.
    members
        Rising indices of the features.
    """
    members = np.asarray(members, dtype=np.int64)
    caps = layout.caps[members]
    blocks, width, offset = _blocks(caps)
    flat = blocks.ravel()
    base = (np.cumsum(flat) - flat).reshape(blocks.shape) - (offset + caps)[None, :]
    return (members, base, width, offset, caps), int(flat.sum())


@inlined
def triple_row(triples, a, b, d, s, t, u):
    """Return the row of slots s, t and u of members number a < b < d."""
    context = s * triples.caps[b] + t
    return triples.base[a, b] + context * triples.width[b] + triples.offset[d] + u


@kernel
def add_triples(triples, codes, labels, weights):
    """Count a block of codes (n, b) with their labels (b,) and weights (b,)."""
    members, base, width, offset, caps, cells = triples
    n, n_events = members.shape[0], labels.shape[0]
    context = np.empty(n_events, dtype=np.int64)
    for a in range(n):
        for b in range(a + 1, n):
            i, j = members[a], members[b]
            for r in range(n_events):
                s, t = codes[i, r], codes[j, r]
                known = s >= 0 and t >= 0
                context[r] = (s * caps[b] + t) * width[b] if known else -1
            for d in range(b + 1, n):
                last, corner = members[d], base[a, b] + offset[d]
                for r in range(n_events):
                    u = codes[last, r]
                    if context[r] >= 0 and u >= 0:
                        cells[corner + context[r] + u, labels[r]] += weights[r]


def regrown_triples(
    triples: Triples, layout: Layout, where: np.ndarray, members: np.ndarray
) -> Triples:
    """Return the same counts in other tables.

    Parameters
    ----------
    triples
        The tables.
    layout
        The layout to have.
    where
        int array: the new index of every old feature.
    members
        New indices of the features that shall have triples; counts of others are dropped.
    """
    grown = new_triples(layout, members)
    moved = where[triples.members]
    place = np.array([np.flatnonzero(grown.members == i)[:1].sum() for i in moved], dtype=np.int64)
    place[~np.isin(moved, grown.members)] = -1
    _copy_triples(triples, place, grown)
    return grown


@kernel
def _copy_triples(old, place, new):
    m = min(old.cells.shape[1], new.cells.shape[1])
    n = place.shape[0]
    for a in range(n):
        for b in range(a + 1, n):
            for d in range(b + 1, n):
                if place[a] < 0 or place[b] < 0 or place[d] < 0:
                    continue
                for s in range(old.caps[a]):
                    for t in range(old.caps[b]):
                        here = triple_row(old, a, b, d, s, t, 0)
                        there = triple_row(new, place[a], place[b], place[d], s, t, 0)
                        size = old.caps[d]
                        new.cells[there : there + size, :m] = old.cells[here : here + size, :m]


@kernel
def insert_missing_triples(triples, pairs, i, slot):
    """Let a slot of the new feature `i` take over the counts of every other pair.

    The triples and pairs have the same members.
    """
    n = triples.members.shape[0]
    e = 0
    while e < n and triples.members[e] != i:
        e += 1
    if e == n:
        return
    for a in range(n):
        for b in range(a + 1, n):
            if a == e or b == e:
                continue
            for s in range(triples.caps[a]):
                for t in range(triples.caps[b]):
                    if e < a:
                        row = triple_row(triples, e, a, b, slot, s, t)
                    elif e < b:
                        row = triple_row(triples, a, e, b, s, slot, t)
                    else:
                        row = triple_row(triples, a, b, e, s, t, slot)
                    triples.cells[row] = pairs.cells[pair_row(pairs, a, b, s, t)]
