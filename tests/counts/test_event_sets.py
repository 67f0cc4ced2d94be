"""What the sets of one event's values share against counting in plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_kdb.counts.bits import WORD
from river_kdb.counts.bitsets import OWNER, new_bitsets
from river_kdb.counts.event_sets import (
    count_context,
    gather_sets,
    given_in_window,
    pairs_in_window,
    together_in_window,
    words_by_class,
)
from river_kdb.counts.layout import Layout
from tests import naive_counts as naive
from tests.counts.at_once import part_of, window_of
from tests.counts.blocks import Block, as_block
from tests.counts.test_bits import SEEDS
from tests.counts.test_bitsets import WEIGHTS, Ring, places_in, some_events

pytestmark = pytest.mark.kernel

SIZES = st.sampled_from([150, 300, 64, 20, 1, 0])
CAPACITIES = st.sampled_from([130, 500, 64, 40, 1])


class Case:
    """Events in a window, one to ask about, and the sets of its values.

    `m` classes of those that the layout has room for are there.
    """

    def __init__(self, layout, members, m, size, capacity, seed, weights, some_missing):
        rng = np.random.default_rng(seed)
        block = some_events(layout, size, seed, weights)
        codes = block.codes if some_missing else np.maximum(block.codes, 0)
        block = Block(codes, block.labels % m, block.weights)
        ring = Ring(layout, capacity)
        for t in range(size):
            ring.learn(part_of(block, t, t + 1))
        held = part_of(block, max(0, size - capacity), size)
        self.window, self.bitsets = ring.window, ring.bitsets
        self.members, self.m, self.some_missing = members, m, some_missing
        self.feature = members.tolist()
        self.sample = naive.Sample(naive.rows_of(held.codes), held.labels, held.weights, m)
        self.row = np.maximum(rng.integers(-2, layout.caps), rng.integers(-2, 1)).tolist()
        self.seen = np.array([self.row[i] >= 0 and rng.random() < 0.9 for i in members], dtype=bool)
        codes = np.array([[-2, code] for code in self.row], dtype=np.int16)
        self.sets = gather_sets(codes, 1, members, self.seen, self.bitsets, m, some_missing)

    def counts(self, wanted, among):
        """N(wanted, c) where no feature of `among` is left out; members by their numbers."""
        among = [self.feature[a] for a in among]
        wanted = {self.feature[a]: self.row[self.feature[a]] for a in wanted}
        return [self.sample.count(wanted, among, c) for c in range(self.m)]


@st.composite
def drawn(draw):
    """Mostly some hundred events of several features: what is drawn says little of itself."""
    rng = np.random.default_rng(draw(SEEDS))
    layout = Layout(rng.integers(1, 4, rng.integers(2, 6)), int(rng.choice([2, 4])))
    m = int(rng.integers(1, layout.class_capacity + 1))
    members = np.flatnonzero(rng.random(len(layout.caps)) < rng.choice([0.8, 1.0]))
    size, capacity, weights = draw(SIZES), draw(CAPACITIES), draw(WEIGHTS)
    seed, missing = int(rng.integers(2**32)), draw(st.booleans())
    return Case(layout, members, m, size, capacity, seed, weights, missing)


@given(drawn())
@settings(max_examples=30)
def test_the_words_of_a_class_lie_in_one_run(case):
    order, bounds = words_by_class(case.bitsets.words, case.m)
    owner = case.bitsets.words[:, OWNER]
    assert (bounds[0], len(bounds)) == (0, case.m + 1)
    for c in range(case.m):
        expected = np.flatnonzero(owner == c).tolist()
        assert order[bounds[c] : bounds[c + 1]].tolist() == expected
    assert len(order) == bounds[-1]


def events_of(case, words):
    """The places of the events of a set whose words are in the order of the classes."""
    whole = np.zeros(len(case.bitsets.words), dtype=np.uint64)
    whole[case.sets.order] = words
    return places_in(case.bitsets, whole)


@given(drawn())
@settings(max_examples=30)
def test_the_sets_of_values(case):
    n, held = len(case.feature), len(case.sample.rows)
    assert case.sets.values.shape[0] == n
    assert case.sets.present.shape[0] == (n if case.some_missing else min(n, 1))
    for a, i in enumerate(case.feature):
        code_at = case.window.codes[i, :held]
        expected = np.flatnonzero(code_at == case.row[i]).tolist() if case.seen[a] else []
        assert events_of(case, case.sets.values[a]) == expected
        if a < len(case.sets.present):
            expected = np.flatnonzero(code_at >= 0).tolist()
            assert events_of(case, case.sets.present[a]) == expected


@given(drawn(), st.data())
@settings(max_examples=60)
def test_contexts(case, data):
    """Only values that were seen are ever asked about."""
    n = len(case.feature)
    seen = np.flatnonzero(case.seen).tolist()
    for child in seen:
        parents = data.draw(st.permutations([a for a in seen if a != child]))
        for q in range(1, len(parents) + 1):
            context, both = np.full(case.m, np.nan), np.full(case.m, np.nan)
            above = np.array([*parents[:q], n + 99])
            total = count_context(case.sets, above, q, child, context, both)
            used = parents[:q]
            assert context.tolist() == case.counts(used, [child, *used])
            assert both.tolist() == case.counts([child, *used], [child, *used])
            assert total == context.sum()


@given(drawn())
@settings(max_examples=40)
def test_pairs(case):
    n, seen = len(case.feature), case.seen
    joint = np.zeros((n, n, case.m))
    pairs_in_window(case.sets, joint)
    for a, b in np.ndindex(n, n):
        if a != b:
            expected = case.counts([a, b], [a, b]) if seen[a] and seen[b] else [0.0] * case.m
            assert joint[a, b].tolist() == expected


@given(drawn())
@settings(max_examples=40)
def test_values_where_another_is_there(case):
    n = len(case.feature)
    n_own = n if case.some_missing else min(n, 1)
    given_present = np.zeros((n_own, n, case.m))
    given_in_window(case.sets, given_present)
    for a, b in np.ndindex(n_own, n):
        expected = case.counts([b], [a, b]) if case.seen[b] else [0.0] * case.m
        assert given_present[a, b].tolist() == expected


@given(drawn())
@settings(max_examples=40)
def test_two_that_are_there(case):
    n_own = len(case.feature) if case.some_missing else min(len(case.feature), 1)
    found = together_in_window(case.bitsets, case.members, case.m, case.some_missing)
    assert found.shape == (n_own, n_own, case.m)
    for a, b in np.ndindex(n_own, n_own):
        assert found[a, b].tolist() == case.counts([], [a, b])


def test_weights_that_come_and_go():
    """Once the last event of another weight has left, bits are counted again."""
    layout = Layout(np.array([1, 1, 1]), 2)
    ring = Ring(layout, 3)
    question, seen = np.zeros((3, 1), dtype=np.int16), np.ones(3, dtype=np.bool_)
    found = []
    for weight in (1.0, 2.5, 1.0, 1.0, 1.0):
        ring.learn(as_block([(0, 0, 0)], [1], [weight], 3))
        sets = gather_sets(question, 0, np.arange(3), seen, ring.bitsets, 2, False)
        context, both = np.empty(2), np.empty(2)
        total = count_context(sets, np.array([0, 1]), 2, 2, context, both)
        assert context.tolist() == both.tolist() == [0.0, total]
        found.append((int(sets.weighted[0]), total))
    assert found == [(0, 1.0), (1, 3.5), (1, 4.5), (1, 4.5), (0, 3.0)]


def test_without_events_nothing_is_shared():
    layout = Layout(np.array([2, 3]), 2)
    none = window_of(as_block([], [], [], 2), 70)
    bitsets = new_bitsets(layout, none, 0)
    question, seen = np.zeros((2, 1), dtype=np.int16), np.ones(2, dtype=np.bool_)
    sets = gather_sets(question, 0, np.arange(2), seen, bitsets, 2, True)
    assert sets.values.shape == (2, 0)
    context, both = np.full(2, np.nan), np.full(2, np.nan)
    assert count_context(sets, np.array([0]), 1, 1, context, both) == 0.0
    assert context.tolist() == both.tolist() == [0.0, 0.0]


def test_only_words_in_use_are_looked_at():
    """However much room the window has, and however many classes there may be."""
    layout = Layout(np.array([2]), 32)
    ring = Ring(layout, 1000)
    ring.learn(as_block([(0,), (1,), (1,)], [0, 30, 0], [1.0] * 3, 1))
    order, bounds = words_by_class(ring.bitsets.words, 31)
    assert (len(order), bounds[1], bounds[30], bounds[31]) == (2, 1, 1, 2)
    assert len(ring.bitsets.words) == 1000 // WORD + 64
