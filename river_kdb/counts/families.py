"""Count tables of the families in use: a feature and the parents that a structure gives it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from river_kdb.counts.cells import shifted
from river_kdb.counts.layout import Layout
from river_kdb.counts.pairs import Pairs
from river_kdb.counts.triples import Triples, triple_row
from river_kdb.jit import inlined, kernel

CHILD, START, CAP, FIRST_PARENT = range(4)
"""Columns of `Families.spec`; from the last on, a parent and its stride by turns."""

_NO_CONTEXT = np.int64(-(2**48))

Key = tuple[int, tuple[int, ...]]
"""A family: the child, and its parents by rising index."""


class Families(NamedTuple):
    """N(x_child, x_parents, c) and N(x_parents, c) of any number of families.

    The run of one context has a row for each slot of the child, and behind them their sum: the
    context's own count. Both are touched by the same event, and read by the same prediction.

    Attributes
    ----------
    spec
        int64 array of shape (n_families, 3 + 2 k), see the names of its columns; a parent of -1
        ends the list.
    cells
        float64 array of shape (rows, class capacity).
    """

    spec: np.ndarray
    cells: np.ndarray


def family_rows(layout: Layout, key: Key) -> int:
    """Return the rows that a family takes.

    Parameters
    ----------
    layout
        Room for slots and classes.
    key
        The family.
    """
    child, parents = key
    rows = int(layout.caps[child]) + 1
    for parent in parents:
        rows *= int(layout.caps[parent])
    return rows


def families_bytes(layout: Layout, keys: Iterable[Key]) -> int:
    """Return what the tables of some families take.

    Parameters
    ----------
    layout
        Room for slots and classes.
    keys
        The families.
    """
    return 8 * layout.class_capacity * sum(family_rows(layout, key) for key in keys)


def new_families(layout: Layout, keys: Sequence[Key]) -> Families:
    """Return empty tables.

    Parameters
    ----------
    layout
        Room for slots and classes.
    keys
        The families.
    """
    spec, rows = family_spec(layout, keys)
    return Families(spec, np.zeros((rows, layout.class_capacity)))


def family_spec(layout: Layout, keys: Sequence[Key]) -> tuple[np.ndarray, int]:
    """Return where the tables of some families lie, and how many rows they have together.

    Parameters
    ----------
    layout
        Room for slots and classes.
    keys
        The families.
    """
    k = max((len(parents) for _, parents in keys), default=0)
    spec = np.full((len(keys), FIRST_PARENT + 2 * k), -1, dtype=np.int64)
    start = 0
    for f, (child, parents) in enumerate(keys):
        spec[f, :FIRST_PARENT] = child, start, layout.caps[child]
        stride = int(layout.caps[child]) + 1
        for q in reversed(range(len(parents))):
            spec[f, FIRST_PARENT + 2 * q] = parents[q]
            spec[f, FIRST_PARENT + 2 * q + 1] = stride
            stride *= int(layout.caps[parents[q]])
        start += family_rows(layout, (child, parents))
    return spec, start


@inlined
def context_rows(codes, spec):
    """Return the first row of the context of every family (F,) in every event of codes (n, b).

    It is negative where the value of a parent has no slot.
    """
    n_families, n_events = spec.shape[0], codes.shape[1]
    rows = np.empty((n_families, n_events), dtype=np.int64)
    for f in range(n_families):
        for r in range(n_events):
            rows[f, r] = spec[f, START]
        for column in range(FIRST_PARENT, spec.shape[1], 2):
            parent, stride = spec[f, column], spec[f, column + 1]
            if parent < 0:
                break
            for r in range(n_events):
                code = np.int64(codes[parent, r])
                rows[f, r] += code * stride if code >= 0 else _NO_CONTEXT
    return rows


@inlined
def add_families(spec, cells, codes, labels, weights):
    """Count a block of codes (n, b) with their labels (b,) and weights (b,).

    `spec` may be part of a table's, so that only these families are counted. An event whose weight
    is negative is taken out.
    """
    rows = context_rows(codes, spec)
    for f in range(spec.shape[0]):
        child, cap = spec[f, CHILD], spec[f, CAP]
        for r in range(labels.shape[0]):
            if rows[f, r] >= 0 and codes[child, r] >= 0:
                here, whole, c = rows[f, r] + codes[child, r], rows[f, r] + cap, labels[r]
                cells[here, c] = shifted(cells[here, c], weights[r])
                cells[whole, c] = shifted(cells[whole, c], weights[r])


@kernel
def copy_same(old, which, new):
    """Copy to every new family the counts of family `which[g]` of the old tables, -1 for none.

    Room is the same in both.
    """
    m = min(old.cells.shape[1], new.cells.shape[1])
    for g in range(which.shape[0]):
        if which[g] < 0:
            continue
        here, there = old.spec[which[g], START], new.spec[g, START]
        end = new.cells.shape[0]
        if g + 1 < which.shape[0]:
            end = new.spec[g + 1, START]
        for row in range(end - there):
            for c in range(m):
                new.cells[there + row, c] = old.cells[here + row, c]


@kernel
def copy_families(old, which, old_caps, new):
    """Copy to every new family the counts of family `which[g]` of the old tables.

    The families are the same but for room: `old_caps` (n,) is that of the old tables, whose
    parents stand in the same order.
    """
    for g in range(which.shape[0]):
        _copy_roomier(old, which[g], old_caps, new, g)


@kernel
def _copy_roomier(old, f, old_caps, new, g):
    m = min(old.cells.shape[1], new.cells.shape[1])
    k = 0
    while FIRST_PARENT + 2 * k < old.spec.shape[1] and old.spec[f, FIRST_PARENT + 2 * k] >= 0:
        k += 1
    digits = np.zeros(k + 1, dtype=np.int64)
    size = old.spec[f, CAP]
    while True:
        here, there = old.spec[f, START], new.spec[g, START]
        for q in range(k):
            here += digits[q] * old.spec[f, FIRST_PARENT + 2 * q + 1]
            there += digits[q] * new.spec[g, FIRST_PARENT + 2 * q + 1]
        for row in range(size + 1):
            to = there + (row if row < size else new.spec[g, CAP])
            for c in range(m):
                new.cells[to, c] = old.cells[here + row, c]
        q = 0
        while q < k:
            digits[q] += 1
            if digits[q] < old_caps[old.spec[f, FIRST_PARENT + 2 * q]]:
                break
            digits[q] = 0
            q += 1
        if q == k:
            return


@kernel
def families_from_pairs(families, which, pairs, place):
    """Fill the one-parent families `which` from pairs; `place` (n,) numbers the members."""
    spec, cells = families
    _, base, width, offset, caps, _, source = pairs
    for f in which:
        a, b = place[spec[f, CHILD]], place[spec[f, FIRST_PARENT]]
        low, high = min(a, b), max(a, b)
        corner = base[low] + offset[high]
        for s in range(caps[b]):
            row = spec[f, START] + s * spec[f, FIRST_PARENT + 1]
            whole = row + spec[f, CAP]
            for t in range(caps[a]):
                first, second = (t, s) if a < b else (s, t)
                here = corner + first * width[low] + second
                for c in range(cells.shape[1]):
                    cells[row + t, c] = source[here, c]
                    cells[whole, c] += source[here, c]


@kernel
def families_from_triples(families, which, triples, place):
    """Fill the two-parent families `which` from triples; `place` (n,) numbers the members."""
    spec, cells = families
    for f in which:
        e = place[spec[f, CHILD]]
        a, b = place[spec[f, FIRST_PARENT]], place[spec[f, FIRST_PARENT + 2]]
        for s in range(triples.caps[a]):
            for t in range(triples.caps[b]):
                row = spec[f, START]
                row += s * spec[f, FIRST_PARENT + 1] + t * spec[f, FIRST_PARENT + 3]
                for u in range(triples.caps[e]):
                    if e < a:
                        here = triple_row(triples, e, a, b, u, s, t)
                    elif e < b:
                        here = triple_row(triples, a, e, b, s, u, t)
                    else:
                        here = triple_row(triples, a, b, e, s, t, u)
                    for c in range(cells.shape[1]):
                        cells[row + u, c] = triples.cells[here, c]
                        cells[row + spec[f, CAP], c] += triples.cells[here, c]


def fill_from_tables(
    families: Families, fresh: np.ndarray, pairs: Pairs | None, triples: Triples | None
) -> np.ndarray:
    """Fill empty families from the pairs or triples where they have them.

    Parameters
    ----------
    families
        The tables.
    fresh
        Numbers of the empty families.
    pairs, triples
        Counts of all events, over the same members.

    Returns
    -------
    Numbers of the families that neither has.
    """
    if pairs is None or not len(fresh):
        return fresh
    spec = families.spec[fresh]
    parents = spec[:, FIRST_PARENT::2]
    features = np.concatenate([spec[:, CHILD], parents.ravel(), pairs.members])
    place = np.full(int(features.max()) + 1, -1)
    place[pairs.members] = np.arange(len(pairs.members))
    known = (place[spec[:, CHILD]] >= 0) & ((place[parents] >= 0) | (parents < 0)).all(axis=1)
    n_parents = (parents >= 0).sum(axis=1)
    single, double = known & (n_parents == 1), known & (n_parents == 2)
    families_from_pairs(families, fresh[single], pairs, place)
    if triples is None:
        return fresh[~single]
    if double.any():
        families_from_triples(families, fresh[double], triples, place)
    return fresh[~single & ~double]
