"""Blocks of events and layouts that hypothesis makes up, and tables read back as dicts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from river_kdb.counts.families import CAP, FIRST_PARENT, START
from river_kdb.counts.layout import Layout
from river_kdb.counts.pairs import pair_row
from river_kdb.counts.triples import triple_row

# Sums of quarters are exact in any order, so counts must agree to the last bit.
WEIGHTS = st.integers(1, 8).map(lambda quarters: quarters / 4)


class Block(NamedTuple):
    """Codes (n, b), labels (b,) and weights (b,) as the kernels take them."""

    codes: np.ndarray
    labels: np.ndarray
    weights: np.ndarray


def as_block(rows, labels, weights, n_features) -> Block:
    codes = np.array(rows, dtype=np.int16).reshape(len(rows), n_features).T
    return Block(
        np.ascontiguousarray(codes),
        np.array(labels, dtype=np.int32),
        np.array(weights, dtype=np.float64),
    )


@st.composite
def layouts(draw, min_features=1, max_features=5, max_slots=4):
    caps = draw(st.lists(st.integers(1, max_slots), min_size=min_features, max_size=max_features))
    return Layout(np.array(caps, dtype=np.int64), draw(st.sampled_from([2, 4])))


@st.composite
def blocks(draw, layout, max_events=12, weights=WEIGHTS, least_code=-1):
    cells = [st.integers(least_code, int(cap) - 1) for cap in layout.caps]
    event = st.tuples(st.tuples(*cells), st.integers(0, layout.class_capacity - 1), weights)
    events = draw(st.lists(event, max_size=max_events))
    rows, labels, heavy = zip(*events, strict=True) if events else ((), (), ())
    return as_block(rows, labels, heavy, len(layout.caps))


@st.composite
def layouts_and_blocks(draw, min_features=1, max_features=5, max_slots=4, **kwargs):
    layout = draw(layouts(min_features, max_features, max_slots))
    return layout, draw(blocks(layout, **kwargs))


@st.composite
def members_of(draw, layout):
    """Some of the features, rising; often all."""
    n = len(layout.caps)
    some = st.lists(st.booleans(), min_size=n, max_size=n)
    chosen = draw(st.one_of(st.just([True] * n), some))
    return np.flatnonzero(chosen).astype(np.int64)


@st.composite
def growths(draw, layout):
    """A roomier layout, perhaps with new features: it, and the new index of every old one."""
    n = len(layout.caps)
    gaps = draw(st.lists(st.integers(0, 1), min_size=n + 1, max_size=n + 1))
    where = np.arange(n) + np.cumsum(gaps)[:n]
    caps = np.array(
        draw(st.lists(st.integers(1, 3), min_size=n + sum(gaps), max_size=n + sum(gaps)))
    )
    for i, j in enumerate(where):
        caps[j] = layout.caps[i] + draw(st.integers(0, 2))
    room = layout.class_capacity * draw(st.sampled_from([1, 2]))
    return Layout(caps.astype(np.int64), room), where.astype(np.int64)


def cells_of(row) -> dict[int, float]:
    return {int(c): float(row[c]) for c in np.flatnonzero(row)}


def read_pair(pairs, a, b) -> dict:
    """N of members number a < b as (values, c) -> weight, without zeros."""
    return {
        ((s, t), c): n
        for s in range(pairs.caps[a])
        for t in range(pairs.caps[b])
        for c, n in cells_of(pairs.cells[pair_row(pairs, a, b, s, t)]).items()
    }


def read_triple(triples, a, b, d) -> dict:
    """N of members number a < b < d as (values, c) -> weight, without zeros."""
    return {
        ((s, t, u), c): n
        for s in range(triples.caps[a])
        for t in range(triples.caps[b])
        for u in range(triples.caps[d])
        for c, n in cells_of(triples.cells[triple_row(triples, a, b, d, s, t, u)]).items()
    }


def family_row(families, f, context) -> int:
    """The first row of a context, the values of the parents in the order of the key."""
    spec = families.spec[f]
    return int(spec[START]) + sum(
        value * int(spec[FIRST_PARENT + 2 * q + 1]) for q, value in enumerate(context)
    )


def read_family(families, f, parent_caps) -> tuple[dict, dict]:
    """N(child, parents, c) and N(parents, c) of family f, without zeros."""
    both, whole = {}, {}
    cap = int(families.spec[f, CAP])
    for context in np.ndindex(*parent_caps):
        row = family_row(families, f, context)
        for u in range(cap):
            for c, n in cells_of(families.cells[row + u]).items():
                both[(u, *context), c] = n
        for c, n in cells_of(families.cells[row + cap]).items():
            whole[context, c] = n
    return both, whole
