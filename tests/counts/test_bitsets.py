"""The sets of the window against lists of its places."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_kdb.counts.bitsets import (
    add_to_bitsets,
    bitsets_bytes,
    count_shared,
    new_bitsets,
    no_bitsets,
    take_from_bitsets,
)
from river_kdb.counts.layout import Layout
from river_kdb.counts.window import new_window, places, push_block
from tests import naive_counts as naive
from tests.counts.at_once import part_of, window_of
from tests.counts.blocks import as_block, layouts
from tests.counts.test_bits import SEEDS, events_in, random_block

pytestmark = pytest.mark.kernel

CAPACITIES = st.sampled_from([1, 5, 63, 64, 65, 130])
WEIGHTS = st.sampled_from([[1.0], [0.75], [1.0, 0.25, 1.0, 2.5]])


def some_events(layout, n_events, seed, weights):
    block = random_block(layout, n_events, seed)
    weights = np.random.default_rng(seed).choice(weights, n_events).astype(np.float64)
    return block._replace(weights=weights)


def assert_sets(bitsets, layout, window, n_events):
    """Every set has the places of its events, and nothing of those that left."""
    held = sorted(places(window, n_events).tolist())
    for i, cap in enumerate(layout.caps.tolist()):
        first, code_at = int(bitsets.start[i]), window.codes[i]
        for s in range(cap):
            expected = [place for place in held if code_at[place] == s]
            assert events_in(bitsets.slots[first + s]) == expected
        assert bitsets.start[i + 1] == first + cap + 1
        present = [place for place in held if code_at[place] >= 0]
        assert events_in(bitsets.slots[first + cap]) == present
    for c in range(layout.class_capacity):
        expected = [place for place in held if window.labels[place] == c]
        assert events_in(bitsets.classes[c]) == expected
    assert bitsets.weighted[0] == sum(window.weights[place] != 1.0 for place in held)
    assert bitsets.labels is window.labels
    assert bitsets.weights is window.weights


@given(layouts(max_features=3), CAPACITIES, st.data(), SEEDS, WEIGHTS)
@settings(max_examples=25)
def test_events_join_and_leave(layout, capacity, data, seed, weights):
    sizes = data.draw(st.lists(st.integers(0, capacity), max_size=4))
    block = some_events(layout, sum(sizes), seed, weights)
    window, n_events = new_window(len(layout.caps), capacity), 0
    bitsets = new_bitsets(layout, window, 0)
    for size in sizes:
        oldest = max(0, n_events - capacity)
        leaving = max(0, n_events + size - capacity) - oldest
        take_from_bitsets(bitsets, window.codes, oldest, leaving)
        part = part_of(block, n_events, n_events + size)
        push_block(window, n_events, part.codes.astype(np.float64), *part)
        add_to_bitsets(bitsets, window.codes, n_events, size)
        n_events += size
        assert_sets(bitsets, layout, window, n_events)
    anew = new_bitsets(layout, window, n_events)
    for array, right in zip(bitsets, anew, strict=True):
        assert array.tobytes() == right.tobytes()


def row_of(bitsets, i, s):
    return bitsets.start[i] + s if s >= 0 else bitsets.start[i + 1] - 1


def shared(bitsets, wanted, child, value, m, possible=None):
    possible = np.ones(m) if possible is None else possible
    rows = np.array([row_of(bitsets, i, s) for i, s in wanted.items()] + [10**6])
    context, both = np.full(m, np.nan), np.full(m, np.nan)
    room = np.empty(bitsets.slots.shape[1], dtype=np.uint64)
    row = row_of(bitsets, child, value)
    total = count_shared(bitsets, rows, len(wanted), row, possible, room, context, both)
    return total, context.tolist(), both.tolist()


@given(layouts(max_features=4, max_slots=3), CAPACITIES, st.integers(0, 200), SEEDS, WEIGHTS)
@settings(max_examples=25)
def test_what_sets_share(layout, capacity, n_events, seed, weights):
    block = some_events(layout, n_events, seed, weights)
    bitsets = new_bitsets(layout, window_of(block, capacity), n_events)
    held = part_of(block, max(0, n_events - capacity), n_events)
    m = layout.class_capacity
    sample = naive.Sample(naive.rows_of(held.codes), held.labels, held.weights, m)
    rng = np.random.default_rng(seed)
    for _ in range(5):
        n = len(layout.caps)
        parents = rng.permutation(n)[: rng.integers(1, n + 1)].tolist()
        wanted = {i: int(rng.integers(-1, layout.caps[i])) for i in parents}
        child = int(rng.integers(0, n))
        value = int(rng.integers(0, layout.caps[child]))
        total, context, both = shared(bitsets, wanted, child, value, m)
        values = {i: s for i, s in wanted.items() if s >= 0}
        expected = [sample.count(values, parents, c) for c in range(m)]
        assert context == expected
        assert total == sum(expected)
        assert shared(bitsets, wanted, child, value, m, np.array(expected))[1] == expected
        here = values.get(child, value) == value
        with_child = [
            sample.count({**values, child: value}, [*parents, child], c) if here else 0.0
            for c in range(m)
        ]
        assert both == with_child


def test_only_the_classes_there_are_get_counts():
    layout = Layout(np.array([2, 1]), 4)
    block = as_block([(0, 0), (1, 0), (1, -1)], [0, 1, 1], [1.0, 1.0, 1.0], 2)
    bitsets = new_bitsets(layout, window_of(block, 8), 3)
    for weight in (1.0, 3.0):
        bitsets.weights[:3] = weight
        bitsets.weighted[0] = 3 * (weight != 1.0)
        assert shared(bitsets, {0: 1}, 1, 0, 2) == (2 * weight, [0, 2 * weight], [0, weight])
        assert shared(bitsets, {0: 1, 1: -1}, 1, 0, 2) == (weight, [0, weight], [0, weight])


def test_without_sets_nothing_is_shared():
    layout = Layout(np.array([2, 3]), 2)
    bitsets = no_bitsets(layout)
    assert bitsets.slots.shape == (7, 0)
    assert bitsets.start.tolist() == [0, 3, 7]
    assert shared(bitsets, {0: 1, 1: 2}, 0, 0, 2) == (0.0, [0.0, 0.0], [0.0, 0.0])


@given(layouts(), st.integers(0, 200))
def test_bytes(layout, capacity):
    bitsets = new_bitsets(layout, new_window(len(layout.caps), capacity), 0)
    assert bitsets_bytes(layout, capacity) == bitsets.slots.nbytes + bitsets.classes.nbytes
    assert len(bitsets.slots) == layout.caps.sum() + len(layout.caps)
    assert len(bitsets.classes) == layout.class_capacity
