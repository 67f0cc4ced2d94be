"""Counts of single features against dicts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_kdb.counts.layout import Layout
from river_kdb.counts.singles import (
    add_singles,
    insert_missing,
    new_singles,
    recount_used,
    regrown_singles,
    singles_bytes,
)
from tests import naive_counts as naive
from tests.counts.blocks import Block, as_block, blocks, growths, layouts, layouts_and_blocks

pytestmark = pytest.mark.kernel


def counted(layout, *several):
    singles = new_singles(layout)
    for block in several:
        add_singles(singles, *block)
    return singles


def assert_counts(singles, layout, rows, labels, weights):
    """Every array of the tables says what the events say."""
    m = layout.class_capacity
    classes = naive.count_groups(rows, labels, weights, [])
    assert singles.classes.tolist() == [classes[(), c] for c in range(m)]
    for i, cap in enumerate(layout.caps.tolist()):
        counts = naive.count_groups(rows, labels, weights, [i])
        first = singles.start[i]
        for s in range(cap):
            expected = [counts[(s,), c] for c in range(m)]
            assert singles.cells[first + s].tolist() == expected
            assert singles.totals[first + s] == sum(expected)
        sums = [sum(counts[(s,), c] for s in range(cap)) for c in range(m)]
        assert singles.sums[i].tolist() == sums
        assert singles.used[i] == len({values for values, _ in naive.nonzero(counts)})


@given(layouts(max_features=6))
def test_every_slot_has_a_row_of_its_own(layout):
    singles = new_singles(layout)
    rows = [
        singles.start[i] + s for i in range(len(layout.caps)) for s in range(int(layout.caps[i]))
    ]
    assert rows == list(range(len(singles.cells)))


@given(layouts_and_blocks())
def test_counts(drawn):
    layout, block = drawn
    singles = counted(layout, block)
    assert_counts(singles, layout, naive.rows_of(block.codes), block.labels, block.weights)


@given(layouts_and_blocks(max_events=20), st.integers(0, 20))
@settings(max_examples=40)
def test_two_blocks_count_as_one(drawn, cut):
    layout, block = drawn
    parts = (
        Block(np.ascontiguousarray(block.codes[:, part]), block.labels[part], block.weights[part])
        for part in (slice(cut), slice(cut, None))
    )
    for one, two in zip(counted(layout, block), counted(layout, *parts), strict=True):
        assert np.array_equal(one, two)


@given(layouts_and_blocks(max_events=20), st.integers(0, 20))
@settings(max_examples=40)
def test_an_event_of_negative_weight_is_taken_out(drawn, cut):
    layout, block = drawn
    first = Block(
        np.ascontiguousarray(block.codes[:, :cut]), block.labels[:cut], block.weights[:cut]
    )
    singles = counted(layout, block, first._replace(weights=-first.weights))
    rows = naive.rows_of(block.codes)[cut:]
    assert_counts(singles, layout, rows, block.labels[cut:], block.weights[cut:])


@given(layouts_and_blocks())
@settings(max_examples=20)
def test_slots_in_use_are_counted_anew(drawn):
    layout, block = drawn
    singles = counted(layout, block)
    expected = singles.used.tolist()
    singles.used[:] = -1
    recount_used(singles)
    assert singles.used.tolist() == expected


@given(st.data(), layouts())
def test_growth_keeps_the_counts(data, layout):
    block = data.draw(blocks(layout))
    new, where = data.draw(growths(layout))
    grown = regrown_singles(counted(layout, block), layout, new, where)
    rows = [[-1] * len(new.caps) for _ in block.labels]
    for r, row in enumerate(naive.rows_of(block.codes)):
        for i, j in enumerate(where):
            rows[r][j] = row[i]
    assert_counts(grown, new, rows, block.labels, block.weights)


@given(layouts_and_blocks(min_features=2), st.data())
@settings(max_examples=50)
def test_a_new_feature_takes_over_all_counts_where_it_is_missing(drawn, data):
    layout, block = drawn
    i = data.draw(st.integers(0, len(layout.caps) - 1))
    slot = data.draw(st.integers(0, int(layout.caps[i]) - 1))
    without, with_it = block.codes.copy(), block.codes.copy()
    without[i], with_it[i] = -1, slot
    singles = counted(layout, block._replace(codes=without))
    insert_missing(singles, i, slot)
    assert_counts(singles, layout, naive.rows_of(with_it), block.labels, block.weights)


@given(layouts(max_features=6))
def test_bytes_are_what_the_arrays_take(layout):
    taken = sum(array.nbytes for array in new_singles(layout)) - 8 * len(layout.caps)
    # the first rows, and how many slots are used, are small change but counted once
    assert taken <= singles_bytes(layout) <= taken + 8 * len(layout.caps)


def test_no_features():
    layout = Layout(np.zeros(0, dtype=np.int64), 2)
    singles = counted(layout, as_block([(), ()], [0, 1], [1.0, 0.5], 0))
    assert singles.classes.tolist() == [1.0, 0.5]


def test_small_weights_are_not_lost():
    """float32 would stop counting at 2**24."""
    layout = Layout(np.array([1]), 2)
    singles = counted(layout, as_block([(0,), (0,)], [0, 0], [2.0**24, 1.0], 1))
    assert singles.cells[0, 0] == 2.0**24 + 1
