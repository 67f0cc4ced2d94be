"""Counting by bits against counting one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_kdb.counts.bits import (
    WORD,
    add_pairs_by_bits,
    add_triples_by_bits,
    class_runs,
    intersect,
    popcount,
    slot_sets,
)
from river_kdb.counts.layout import Layout
from river_kdb.counts.pairs import add_pairs, new_pairs
from river_kdb.counts.triples import add_triples, new_triples
from tests.counts.blocks import Block, layouts, members_of

pytestmark = pytest.mark.kernel


def events_in(words) -> list[int]:
    """The numbers of the bits that are set."""
    text = "".join(f"{int(word):064b}"[::-1] for word in words)
    return [r for r, bit in enumerate(text) if bit == "1"]


def random_block(layout, n_events, seed):
    """Events by the score: hypothesis would take long to write out more than a word of them."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(-2, layout.caps[:, None], (len(layout.caps), n_events)).astype(np.int16)
    labels = rng.integers(0, layout.class_capacity, n_events).astype(np.int32)
    return Block(codes, labels, np.full(n_events, 0.75))


SIZES = st.sampled_from([0, 1, 63, 64, 65, 130])
SEEDS = st.integers(0, 2**32 - 1)


@given(
    st.one_of(
        st.integers(0, 2**64 - 1),
        st.sampled_from([0, 1, 2**63, 2**64 - 1, 0x5555555555555555, 0xAAAAAAAAAAAAAAAA]),
    )
)
def test_popcount(word):
    assert popcount(np.uint64(word)) == word.bit_count()


@given(SIZES, st.integers(1, 4), SEEDS)
@settings(max_examples=30)
def test_every_event_has_a_bit_among_those_of_its_class(n_events, m, seed):
    labels = np.random.default_rng(seed).integers(0, m, n_events).astype(np.int32)
    bits, bounds = class_runs(labels, m)
    assert len(set(bits.tolist())) == n_events
    for c in range(m):
        assert bounds[c + 1] - bounds[c] == -(-np.count_nonzero(labels == c) // WORD)
        first, stop = WORD * int(bounds[c]), WORD * int(bounds[c + 1])
        assert ((bits[labels == c] >= first) & (bits[labels == c] < stop)).all()


@given(st.data(), layouts(max_features=3), SIZES, SEEDS)
@settings(max_examples=30)
def test_the_set_of_a_slot_has_its_events(data, layout, n_events, seed):
    block = random_block(layout, n_events, seed)
    members = data.draw(members_of(layout))
    pairs = new_pairs(layout, members)
    bits, bounds = class_runs(block.labels, layout.class_capacity)
    sets = slot_sets(members, pairs.offset, pairs.caps, block.codes, bits, bounds[-1])
    assert sets.shape == (pairs.caps.sum(), bounds[-1])
    expected = [
        sorted(bits[block.codes[i] == s].tolist()) for i in members for s in range(layout.caps[i])
    ]
    assert [events_in(words) for words in sets] == expected


@given(st.lists(st.tuples(st.integers(0, 2**64 - 1), st.integers(0, 3)), min_size=1, max_size=5))
def test_intersections(words):
    left = np.array([word for word, _ in words], dtype=np.uint64)
    sets = np.array([[mask for _, mask in words]], dtype=np.uint64)
    out = np.full_like(left, 7)
    first, stop = np.uint64(1), np.uint64(len(words))
    some = intersect(left, sets, 0, first, stop, out)
    expected = [word & mask for word, mask in words[1:]]
    assert out.tolist() == [7, *expected]
    assert some == sum(word != 0 for word in expected)


def counted_by_bits(add, tables, block, weight, m):
    bits, bounds = class_runs(block.labels, m)
    sets = slot_sets(tables.members, tables.offset, tables.caps, block.codes, bits, bounds[-1])
    add(tables, sets, bounds, weight)


@given(st.data(), layouts(max_features=4, max_slots=3), SIZES, SEEDS)
@settings(max_examples=25)
def test_pairs(data, layout, n_events, seed):
    block = random_block(layout, n_events, seed)
    members = data.draw(members_of(layout))
    one_by_one, by_bits = new_pairs(layout, members), new_pairs(layout, members)
    add_pairs(one_by_one, *block)
    counted_by_bits(add_pairs_by_bits, by_bits, block, 0.75, layout.class_capacity)
    assert np.array_equal(by_bits.cells, one_by_one.cells)


@given(st.data(), layouts(min_features=3, max_features=4, max_slots=2), SIZES, SEEDS)
@settings(max_examples=15)
def test_triples(data, layout, n_events, seed):
    block = random_block(layout, n_events, seed)
    members = data.draw(members_of(layout))
    one_by_one, by_bits = new_triples(layout, members), new_triples(layout, members)
    add_triples(one_by_one, *block)
    counted_by_bits(add_triples_by_bits, by_bits, block, 0.75, layout.class_capacity)
    assert np.array_equal(by_bits.cells, one_by_one.cells)


def test_bits_add_to_what_is_there():
    layout = Layout(np.array([1, 1]), 2)
    pairs = new_pairs(layout, np.arange(2))
    codes, labels = np.zeros((2, 3), dtype=np.int16), np.zeros(3, dtype=np.int32)
    for _ in range(2):
        counted_by_bits(add_pairs_by_bits, pairs, Block(codes, labels, np.ones(3)), 0.5, 1)
    assert pairs.cells.tolist() == [[3.0, 0.0]]
