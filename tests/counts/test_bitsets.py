"""The sets of the window against lists of its places."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_kdb.counts.bits import WORD
from river_kdb.counts.bitsets import (
    ALIVE,
    FILLED,
    FREE,
    N_FREE,
    N_WEIGHTED,
    OPEN,
    OWNER,
    BitSets,
    add_to_bitsets,
    bitsets_bytes,
    new_bitsets,
    no_bitsets,
    take_from_bitsets,
)
from river_kdb.counts.layout import Layout
from river_kdb.counts.window import Window, new_window, places, push_block
from tests.counts.at_once import part_of, window_of
from tests.counts.blocks import Block, layouts
from tests.counts.test_bits import SEEDS, events_in, random_block

pytestmark = pytest.mark.kernel

CAPACITIES = st.sampled_from([1, 5, 63, 64, 65, 130, 400])
WEIGHTS = st.sampled_from([[1.0], [0.75], [1.0, 0.25, 1.0, 2.5]])


def some_events(layout, n_events, seed, weights):
    block = random_block(layout, n_events, seed)
    weights = np.random.default_rng(seed).choice(weights, n_events).astype(np.float64)
    return block._replace(weights=weights)


def places_in(bitsets, words) -> list[int]:
    """The places in the window of the events of a set."""
    return sorted(bitsets.event_at[events_in(words)].tolist())


def assert_words(bitsets, labels, held):
    """Every event has a bit of its own in a word of its class; all other words are free."""
    words, heads = bitsets.words, bitsets.heads
    bits = bitsets.bit_of[held].tolist()
    assert bitsets.event_at[bits].tolist() == held
    alive = events_in(words[:, ALIVE].view(np.uint64))
    assert sorted(bits) == alive
    used = {bit // WORD for bit in bits}
    for place, bit in zip(held, bits, strict=True):
        assert words[bit // WORD, OWNER] == labels[place]
        assert bit % WORD < words[bit // WORD, FILLED]
    assert set(np.flatnonzero(words[:, OWNER] >= 0).tolist()) == used
    free = words[: heads[N_FREE], FREE].tolist()
    assert sorted(free) == sorted(set(range(len(words))) - used)
    for c, head in enumerate(heads[OPEN:].tolist()):
        assert head == -1 or words[head, OWNER] == c


def assert_sets(bitsets, layout, window, n_events):
    """Every set has the places of its events, and nothing of those that left."""
    held = sorted(places(window, n_events).tolist())
    assert_words(bitsets, window.labels, held)
    for i, cap in enumerate(layout.caps.tolist()):
        first, code_at = int(bitsets.start[i]), window.codes[i]
        for s in range(cap):
            expected = [place for place in held if code_at[place] == s]
            assert places_in(bitsets, bitsets.slots[first + s]) == expected
        assert bitsets.start[i + 1] == first + cap + 1
        present = [place for place in held if code_at[place] >= 0]
        assert places_in(bitsets, bitsets.slots[first + cap]) == present
    weighted = sum(window.weights[place] != 1.0 for place in held)
    assert bitsets.heads[N_WEIGHTED] == weighted
    assert bitsets.labels is window.labels
    assert bitsets.weights is window.counted


class Ring:
    """A window and its sets, that events go through as they do in a model."""

    def __init__(self, layout: Layout, capacity: int) -> None:
        self.window: Window = new_window(len(layout.caps), capacity)
        self.bitsets: BitSets = new_bitsets(layout, self.window, 0)
        self.layout, self.capacity, self.n_events = layout, capacity, 0

    def learn(self, block: Block) -> None:
        size = len(block.labels)
        oldest = max(0, self.n_events - self.capacity)
        leaving = max(0, self.n_events + size - self.capacity) - oldest
        take_from_bitsets(self.bitsets, self.window.codes, oldest, leaving)
        push_block(self.window, self.n_events, block.codes.astype(np.float64), *block)
        add_to_bitsets(self.bitsets, self.window.codes, self.n_events, size)
        self.n_events += size

    def check(self) -> None:
        assert_sets(self.bitsets, self.layout, self.window, self.n_events)


@given(layouts(max_features=3), CAPACITIES, st.data(), SEEDS, WEIGHTS)
@settings(max_examples=25)
def test_events_join_and_leave(layout, capacity, data, seed, weights):
    sizes = data.draw(st.lists(st.integers(0, capacity), max_size=4))
    block = some_events(layout, sum(sizes), seed, weights)
    ring = Ring(layout, capacity)
    for size in sizes:
        ring.learn(part_of(block, ring.n_events, ring.n_events + size))
        ring.check()
    assert_sets(new_bitsets(layout, ring.window, ring.n_events), layout, ring.window, ring.n_events)


@given(layouts(max_features=2), CAPACITIES, st.integers(0, 500), st.integers(0, 500), SEEDS)
@settings(max_examples=15)
def test_the_events_since_a_number(layout, capacity, n_events, first, seed):
    block = some_events(layout, n_events, seed, [1.0, 2.0])
    window = window_of(block, capacity)
    first = min(first, n_events)
    bitsets = new_bitsets(layout, window, n_events, first)
    assert_words(bitsets, window.labels, sorted(places(window, n_events, first).tolist()))


def with_labels(labels) -> Block:
    labels = np.array(labels, dtype=np.int32)
    codes = (np.arange(len(labels), dtype=np.int16) % 2)[None]
    return Block(codes, labels, np.ones(len(labels)))


# Runs of one class, of classes in turn, or of classes at random: (kind, length, class)
RUNS = st.lists(
    st.tuples(st.sampled_from("=/?"), st.integers(1, 200), st.integers(0, 31)),
    min_size=1,
    max_size=8,
)


def spelled(runs, m, seed) -> list[int]:
    rng, labels = np.random.default_rng(seed), []
    for kind, length, c in runs:
        if kind == "=":
            labels += [c % m] * length
        elif kind == "/":
            labels += [(c + r) % m for r in range(length)]
        else:
            labels += rng.integers(0, m, length).tolist()
    return labels


@given(RUNS, st.sampled_from([1, 2, 4, 32]), st.sampled_from([1, 3, 40, 64, 100, 300]), SEEDS)
@settings(max_examples=50)
def test_the_words_are_never_too_few(runs, m, capacity, seed):
    """Whatever classes come in whatever order, one by one or in blocks."""
    block = with_labels(spelled(runs, m, seed))
    ring = Ring(Layout(np.array([2]), m), capacity)
    rng = np.random.default_rng(seed)
    while ring.n_events < len(block.labels):
        size = int(rng.choice([1, 1, 1, rng.integers(1, capacity + 1)]))
        ring.learn(part_of(block, ring.n_events, ring.n_events + size))
        assert ring.bitsets.heads[N_FREE] >= 0
        if rng.random() < 0.1:
            ring.check()
    ring.check()


@pytest.mark.parametrize(("m", "capacity"), [(8, 640), (32, 256), (32, 20), (32, 64), (2, 66)])
def test_the_words_are_never_too_few_where_classes_split_them_worst(m, capacity):
    """Every class leaves one event in its first word, and opens a last one for one more."""
    ring = Ring(Layout(np.array([2]), m), capacity)
    first = [c for c in range(m) for _ in range(WORD)]
    turns = list(range(m))
    fewest = len(ring.bitsets.words)
    labels = [*first, *turns, *first, *turns * (capacity // m + 2), *first[::-1], *turns[::-1]]
    for t in range(len(labels)):
        ring.learn(part_of(with_labels(labels), t, t + 1))
        fewest = min(fewest, int(ring.bitsets.heads[N_FREE]))
    assert fewest >= 0
    ring.check()


def test_as_many_words_as_two_half_empty_ones_a_class_are_used():
    """The room is not far more than what can be needed."""
    m, rounds = 16, 65
    capacity = m * rounds
    ring = Ring(Layout(np.array([1]), m), capacity)
    fewest = len(ring.bitsets.words)
    for t in range(4 * capacity):
        ring.learn(Block(np.zeros((1, 1), dtype=np.int16), np.array([t % m], np.int32), np.ones(1)))
        fewest = min(fewest, int(ring.bitsets.heads[N_FREE]))
    assert len(ring.bitsets.words) == capacity // WORD + 2 * m
    assert 0 <= fewest <= capacity // WORD + 1


def test_words_that_are_empty_are_used_again():
    ring = Ring(Layout(np.array([2]), 2), 64)
    seen = set()
    for t in range(1000):
        ring.learn(with_labels([t // 64 % 2]))
        seen.add(int(ring.bitsets.bit_of[t % 64]) // WORD)
    assert len(seen) == 2
    ring.check()


def test_more_classes_than_events_fit():
    """A word each, and no more."""
    ring = Ring(Layout(np.array([2]), 64), 5)
    assert len(ring.bitsets.words) == 5
    for t in range(200):
        ring.learn(with_labels([t * 7 % 64]))
        ring.check()


def test_without_sets_nothing_is_kept():
    layout = Layout(np.array([2, 3]), 2)
    bitsets = no_bitsets(layout)
    assert bitsets.slots.shape == (7, 0)
    assert bitsets.words.shape == (0, 4)
    assert bitsets.start.tolist() == [0, 3, 7]


@given(layouts(), st.integers(0, 200))
def test_bytes(layout, capacity):
    bitsets = new_bitsets(layout, new_window(len(layout.caps), capacity), 0)
    arrays = (bitsets.slots, bitsets.words, bitsets.bit_of, bitsets.event_at)
    assert bitsets_bytes(layout, capacity) == sum(array.nbytes for array in arrays)
    assert len(bitsets.slots) == layout.caps.sum() + len(layout.caps)
