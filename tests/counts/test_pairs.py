"""Counts of pairs against dicts."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_kdb.counts.bulk import count_pairs
from river_kdb.counts.layout import Layout
from river_kdb.counts.pairs import (
    add_pairs,
    fitting_members,
    insert_missing_pairs,
    new_pairs,
    new_slab,
    pair_row,
    pairs_bytes,
    regrown_pairs,
    slabs,
)
from river_kdb.counts.singles import add_singles, new_singles
from river_kdb.information import average, by_class
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


# -- A slab at a time ----------------------------------------------------------------------------

MEASURES = [
    average.class_information_matrix,
    average.conditional_information_matrix,
    average.pair_information_matrix,
    by_class.conditional_entropy_in_class,
    by_class.conditional_information_of_class,
]
ROOMS = st.one_of(st.integers(0, 3000), st.just(10**9))


def pairs_of_slab(slab):
    return [
        (a, b) for a in range(slab.span[0], slab.span[1]) for b in range(a + 1, len(slab.members))
    ]


@given(st.data(), layouts(max_features=7, max_slots=5), ROOMS)
def test_every_pair_is_in_one_slab(data, layout, max_bytes):
    members = data.draw(members_of(layout))
    found = []
    for slab in slabs(layout, members, max_bytes):
        here = pairs_of_slab(slab)
        assert here
        assert slab.members.tolist() == members.tolist()
        rows = [
            pair_row(slab, a, b, s, t)
            for a, b in here
            for s in range(slab.caps[a])
            for t in range(slab.caps[b])
        ]
        assert sorted(rows) == list(range(len(slab.cells)))
        alone = slab.span[1] - slab.span[0] == 1
        assert alone or slab.cells.nbytes <= max_bytes
        found += here
    assert found == list(itertools.combinations(range(len(members)), 2))


@given(st.data(), layouts(min_features=2, max_features=6), st.integers(0, 3000))
@settings(max_examples=40)
def test_a_slab_takes_as_many_members_as_fit(data, layout, max_bytes):
    members = data.draw(members_of(layout))
    for slab in slabs(layout, members, max_bytes):
        first, stop = slab.span.tolist()
        if stop < len(members) - 1:
            assert new_slab(layout, members, first, stop + 1).cells.nbytes > max_bytes


@pytest.mark.parametrize("count", [add_pairs, count_pairs])
@given(st.data(), layouts_and_blocks(max_features=5), ROOMS)
@settings(max_examples=30)
def test_slabs_count_what_tables_count(count, data, drawn, max_bytes):
    layout, block = drawn
    if data.draw(st.booleans()):
        block = block._replace(weights=np.ones_like(block.weights))
    members = data.draw(members_of(layout))
    whole = new_pairs(layout, members)
    add_pairs(whole, *block)
    for slab in slabs(layout, members, max_bytes):
        count(slab, *block)
        for a, b in pairs_of_slab(slab):
            assert read_pair(slab, a, b) == read_pair(whole, a, b)


@pytest.mark.parametrize("measure", MEASURES)
@given(st.data(), layouts_and_blocks(min_features=2, max_features=5, weights=st.just(1.0)), ROOMS)
@settings(max_examples=20)
def test_a_measure_of_slabs_is_that_of_the_tables(measure, data, drawn, max_bytes):
    """To the last bit: every place of it comes from one slab."""
    layout, block = drawn
    members, n = data.draw(members_of(layout)), len(layout.caps)
    whole, none = new_pairs(layout, members), new_slab(layout, members, 0, 0)
    add_pairs(whole, *block)
    expected = measure(whole, n, layout.class_capacity)
    found = measure(none, n, layout.class_capacity)
    assert not found.any()
    for slab in slabs(layout, members, max_bytes):
        add_pairs(slab, *block)
        found += measure(slab, n, layout.class_capacity)
    assert found.tolist() == expected.tolist()


def test_no_slab_counts_nothing():
    layout = Layout(np.array([2, 3]), 2)
    none = new_slab(layout, np.arange(2), 0, 0)
    assert none.cells.shape == (0, 2)
    add_pairs(none, np.zeros((2, 4), dtype=np.int16), np.zeros(4, dtype=np.int32), np.ones(4))
    count_pairs(none, np.zeros((2, 4), dtype=np.int16), np.zeros(4, dtype=np.int32), np.ones(4))
    assert list(slabs(layout, np.array([1]), 1000)) == []
    assert list(slabs(layout, np.zeros(0, dtype=np.int64), 1000)) == []
