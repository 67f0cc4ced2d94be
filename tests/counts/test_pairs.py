"""Counts of pairs against dicts."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_kdb.counts.layout import Layout
from river_kdb.counts.pairs import (
    add_pairs,
    fitting_members,
    insert_missing_pairs,
    new_pairs,
    pair_row,
    pairs_bytes,
    regrown_pairs,
)
from river_kdb.counts.singles import add_singles, new_singles
from tests import naive_counts as naive
from tests.counts.blocks import (
    blocks,
    growths,
    layouts,
    layouts_and_blocks,
    members_of,
    read_pair,
)

pytestmark = pytest.mark.kernel


def assert_counts(pairs, rows, labels, weights):
    """Every pair of members says what the events say."""
    for a, b in itertools.combinations(range(len(pairs.members)), 2):
        features = pairs.members[[a, b]]
        expected = naive.count_groups(rows, labels, weights, features)
        assert read_pair(pairs, a, b) == naive.nonzero(expected)


def all_rows(pairs):
    return [
        pair_row(pairs, a, b, s, t)
        for a, b in itertools.combinations(range(len(pairs.members)), 2)
        for s in range(pairs.caps[a])
        for t in range(pairs.caps[b])
    ]


@given(st.data(), layouts(max_features=6, max_slots=5))
def test_rows_are_a_bijection(data, layout):
    members = data.draw(members_of(layout))
    pairs = new_pairs(layout, members)
    assert sorted(all_rows(pairs)) == list(range(len(pairs.cells)))
    assert pairs_bytes(layout, members) == pairs.cells.nbytes


@given(layouts(min_features=2, max_features=6))
@settings(max_examples=40)
def test_the_cells_of_a_slot_lie_in_one_run(layout):
    """For one slot of a member the rows of all later members' slots follow each other."""
    pairs = new_pairs(layout, np.arange(len(layout.caps)))
    for a in range(len(layout.caps)):
        for s in range(pairs.caps[a]):
            run = [
                pair_row(pairs, a, b, s, t)
                for b in range(a + 1, len(layout.caps))
                for t in range(pairs.caps[b])
            ]
            assert run == list(range(run[0], run[0] + len(run))) if run else True


@given(st.data(), layouts_and_blocks(max_features=4))
def test_counts(data, drawn):
    layout, block = drawn
    pairs = new_pairs(layout, data.draw(members_of(layout)))
    add_pairs(pairs, *block)
    assert_counts(pairs, naive.rows_of(block.codes), block.labels, block.weights)


@given(st.data(), layouts_and_blocks(max_features=4))
@settings(max_examples=30)
def test_an_event_of_negative_weight_is_taken_out(data, drawn):
    layout, block = drawn
    pairs = new_pairs(layout, data.draw(members_of(layout)))
    add_pairs(pairs, *block)
    cut = data.draw(st.integers(0, len(block.labels)))
    first = np.ascontiguousarray(block.codes[:, :cut])
    add_pairs(pairs, first, block.labels[:cut], -block.weights[:cut])
    rows = naive.rows_of(block.codes)[cut:]
    assert_counts(pairs, rows, block.labels[cut:], block.weights[cut:])


def test_values_without_a_slot_are_left_out_of_either_side():
    layout = Layout(np.array([2, 2]), 2)
    pairs = new_pairs(layout, np.arange(2))
    codes = np.array([[-1, 0, -2, 1], [1, -1, -2, 1]], dtype=np.int16)
    add_pairs(pairs, codes, np.zeros(4, dtype=np.int32), np.ones(4))
    assert read_pair(pairs, 0, 1) == {((1, 1), 0): 1.0}


@given(st.data(), layouts_and_blocks(max_features=4))
def test_growth_keeps_the_counts_of_those_that_stay(data, drawn):
    layout, block = drawn
    new, where = data.draw(growths(layout))
    pairs = new_pairs(layout, data.draw(members_of(layout)))
    add_pairs(pairs, *block)
    grown = regrown_pairs(pairs, new, where, data.draw(members_of(new)))
    back = {int(j): i for i, j in enumerate(where)}
    for a, b in itertools.combinations(range(len(grown.members)), 2):
        old = [back.get(int(j), -1) for j in grown.members[[a, b]]]
        expected = {}
        if set(old) <= set(pairs.members.tolist()):
            rows = naive.rows_of(block.codes)
            expected = naive.nonzero(naive.count_groups(rows, block.labels, block.weights, old))
        assert read_pair(grown, a, b) == expected


@given(st.data(), layouts(min_features=2, max_features=4))
def test_a_new_feature_takes_over_all_counts_where_it_is_missing(data, layout):
    n = len(layout.caps)
    # values that are left out elsewhere stay left out
    block = data.draw(blocks(layout))
    i = data.draw(st.integers(0, n - 1))
    slot = data.draw(st.integers(0, int(layout.caps[i]) - 1))
    members = np.union1d(data.draw(members_of(layout)), [i]).astype(np.int64)
    without, with_it = block.codes.copy(), block.codes.copy()
    without[i], with_it[i] = -1, slot
    singles, pairs = new_singles(layout), new_pairs(layout, members)
    add_singles(singles, without, block.labels, block.weights)
    add_pairs(pairs, without, block.labels, block.weights)
    insert_missing_pairs(pairs, i, slot, singles.cells, singles.start)
    assert_counts(pairs, naive.rows_of(with_it), block.labels, block.weights)


def test_a_new_feature_that_is_no_member_changes_nothing():
    layout = Layout(np.array([2, 2, 2]), 2)
    pairs, singles = new_pairs(layout, np.array([0, 2])), new_singles(layout)
    singles.cells[:] = 1.0
    insert_missing_pairs(pairs, 1, 0, singles.cells, singles.start)
    assert not pairs.cells.any()


def test_the_features_that_say_most_are_members_where_memory_is_short():
    layout = Layout(np.full(6, 4), 4)
    information = np.array([0.1, 0.5, 0.3, 0.9, 0.2, 0.3])
    for size in range(1, 7):
        best = np.sort(np.argsort(-information, kind="stable")[:size])
        room = pairs_bytes(layout, best)
        assert fitting_members(layout, information, room).tolist() == best.tolist()
        if size > 1:
            assert len(fitting_members(layout, information, room - 1)) == size - 1
