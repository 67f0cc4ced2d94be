"""Counts of triples against dicts."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_kdb.counts.pairs import add_pairs, new_pairs
from river_kdb.counts.triples import (
    add_triples,
    insert_missing_triples,
    new_triples,
    regrown_triples,
    triple_row,
    triples_bytes,
)
from tests import naive_counts as naive
from tests.counts.blocks import (
    blocks,
    growths,
    layouts,
    layouts_and_blocks,
    members_of,
    read_triple,
)

pytestmark = pytest.mark.kernel


def groups(members):
    return itertools.combinations(range(len(members)), 3)


def assert_counts(triples, rows, labels, weights):
    """Every triple of members says what the events say."""
    for a, b, d in groups(triples.members):
        expected = naive.count_groups(rows, labels, weights, triples.members[[a, b, d]])
        assert read_triple(triples, a, b, d) == naive.nonzero(expected)


@given(st.data(), layouts(max_features=6))
def test_rows_are_a_bijection(data, layout):
    members = data.draw(members_of(layout))
    triples = new_triples(layout, members)
    rows = [
        int(triple_row(triples, a, b, d, s, t, u))
        for a, b, d in groups(members)
        for s in range(triples.caps[a])
        for t in range(triples.caps[b])
        for u in range(triples.caps[d])
    ]
    assert sorted(rows) == list(range(len(triples.cells)))
    assert triples_bytes(layout, members) == triples.cells.nbytes


@given(st.data(), layouts_and_blocks(min_features=3, max_slots=3, least_code=-2))
def test_counts(data, drawn):
    layout, block = drawn
    triples = new_triples(layout, data.draw(members_of(layout)))
    add_triples(triples, *block)
    assert_counts(triples, naive.rows_of(block.codes), block.labels, block.weights)


@given(st.data(), layouts_and_blocks(min_features=3, max_features=4, max_slots=3))
@settings(max_examples=50)
def test_growth_keeps_the_counts_of_those_that_stay(data, drawn):
    layout, block = drawn
    new, where = data.draw(growths(layout))
    triples = new_triples(layout, data.draw(members_of(layout)))
    add_triples(triples, *block)
    grown = regrown_triples(triples, new, where, data.draw(members_of(new)))
    back = {int(j): i for i, j in enumerate(where)}
    for a, b, d in groups(grown.members):
        old = [back.get(int(j), -1) for j in grown.members[[a, b, d]]]
        expected = {}
        if set(old) <= set(triples.members.tolist()):
            rows = naive.rows_of(block.codes)
            expected = naive.nonzero(naive.count_groups(rows, block.labels, block.weights, old))
        assert read_triple(grown, a, b, d) == expected


@given(st.data(), layouts(min_features=3, max_features=4, max_slots=3))
@settings(max_examples=50)
def test_a_new_feature_takes_over_all_counts_where_it_is_missing(data, layout):
    block = data.draw(blocks(layout))
    i = data.draw(st.integers(0, len(layout.caps) - 1))
    slot = data.draw(st.integers(0, int(layout.caps[i]) - 1))
    members = np.union1d(data.draw(members_of(layout)), [i]).astype(np.int64)
    without, with_it = block.codes.copy(), block.codes.copy()
    without[i], with_it[i] = -1, slot
    pairs, triples = new_pairs(layout, members), new_triples(layout, members)
    add_pairs(pairs, without, block.labels, block.weights)
    add_triples(triples, without, block.labels, block.weights)
    insert_missing_triples(triples, pairs, i, slot)
    assert_counts(triples, naive.rows_of(with_it), block.labels, block.weights)
