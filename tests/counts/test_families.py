"""Counts of families against dicts."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_kdb.counts.families import (
    CAP,
    add_families,
    context_rows,
    copy_families,
    copy_same,
    families_bytes,
    family_rows,
    fill_from_tables,
    new_families,
)
from river_kdb.counts.layout import Layout
from river_kdb.counts.pairs import add_pairs, new_pairs
from river_kdb.counts.triples import add_triples, new_triples
from tests import naive_counts as naive
from tests.counts.blocks import (
    blocks,
    family_row,
    growths,
    layouts,
    layouts_and_blocks,
    members_of,
    read_family,
)

pytestmark = pytest.mark.kernel


@st.composite
def keys_of(draw, layout, most_parents=3, max_families=4):
    """Distinct families, each with a child and parents by rising index."""
    n = len(layout.caps)
    keys: list = []
    for _ in range(draw(st.integers(0, max_families))):
        order = draw(st.permutations(range(n)))
        k = draw(st.integers(1, min(most_parents, n - 1)))
        key = (order[0], tuple(sorted(order[1 : k + 1])))
        if key not in keys:
            keys.append(key)
    return keys


def caps_of(layout, key):
    return [int(layout.caps[parent]) for parent in key[1]]


def assert_family(families, f, layout, key, rows, labels, weights):
    """The family says what the events say, and its contexts are the sums over the child."""
    child, parents = key
    expected = naive.count_groups(rows, labels, weights, [child, *parents])
    both, whole = read_family(families, f, caps_of(layout, key))
    assert both == naive.nonzero(expected)
    sums: dict = {}
    for (values, c), n in both.items():
        sums[values[1:], c] = sums.get((values[1:], c), 0.0) + n
    assert whole == sums


def assert_families(families, layout, keys, block):
    for f, key in enumerate(keys):
        rows = naive.rows_of(block.codes)
        assert_family(families, f, layout, key, rows, block.labels, block.weights)


@given(st.data(), layouts(min_features=2))
def test_rows_are_a_bijection(data, layout):
    """Every value of the child in every context, and every context's sum, has its own row."""
    keys = data.draw(keys_of(layout))
    families = new_families(layout, keys)
    rows = []
    for f, key in enumerate(keys):
        mine = [
            family_row(families, f, context) + u
            for context in np.ndindex(*caps_of(layout, key))
            for u in range(int(layout.caps[key[0]]) + 1)
        ]
        assert len(mine) == family_rows(layout, key)
        rows += mine
    assert sorted(rows) == list(range(len(families.cells)))
    assert families_bytes(layout, keys) == families.cells.nbytes


def test_as_many_rows_as_no_int64_could_count():
    """The size of a family that will never be built is still right."""
    layout = Layout(np.full(9, 30_000), 2)
    assert family_rows(layout, (0, tuple(range(1, 9)))) == 30_001 * 30_000**8


@given(st.data(), layouts_and_blocks(min_features=2, max_slots=3, least_code=-2))
def test_contexts(data, drawn):
    layout, block = drawn
    keys = data.draw(keys_of(layout))
    families = new_families(layout, keys)
    rows = context_rows(block.codes, families.spec)
    assert rows.shape == (len(keys), len(block.labels))
    for f, (_, parents) in enumerate(keys):
        for r, event in enumerate(naive.rows_of(block.codes)):
            context = [event[parent] for parent in parents]
            if min(context) < 0:
                assert rows[f, r] < 0
            else:
                assert rows[f, r] == family_row(families, f, context)


def test_a_gap_hides_a_context_however_large_its_table_is():
    layout = Layout(np.array([30_000, 30_000, 30_000]), 2)
    keys = [(0, (1, 2))]
    # the spec alone: nobody has memory for the cells
    spec = np.array([[0, 0, 30_000, 1, 30_001 * 30_000, 2, 30_001]])
    for codes in ([0, 29_999, -1], [0, -1, 29_999], [0, -2, -2]):
        assert context_rows(np.array(codes, dtype=np.int16)[:, None], spec)[0, 0] < 0
    there = context_rows(np.array([[0], [29_999], [29_999]], dtype=np.int16), spec)[0, 0]
    assert there == family_rows(layout, keys[0]) - 30_001


@given(st.data(), layouts_and_blocks(min_features=2, max_slots=3, least_code=-2))
def test_counts(data, drawn):
    layout, block = drawn
    keys = data.draw(keys_of(layout))
    families = new_families(layout, keys)
    add_families(families.spec, families.cells, *block)
    assert_families(families, layout, keys, block)


@given(st.data(), layouts_and_blocks(min_features=2, max_features=4, max_slots=3))
@settings(max_examples=30)
def test_an_event_of_negative_weight_is_taken_out(data, drawn):
    layout, block = drawn
    keys = data.draw(keys_of(layout))
    families = new_families(layout, keys)
    add_families(families.spec, families.cells, *block)
    cut = data.draw(st.integers(0, len(block.labels)))
    first, rest = (
        type(block)(np.ascontiguousarray(block.codes[:, s]), block.labels[s], block.weights[s])
        for s in (slice(cut), slice(cut, None))
    )
    add_families(families.spec, families.cells, *first[:2], -first.weights)
    assert_families(families, layout, keys, rest)


@given(st.data(), layouts_and_blocks(min_features=2, max_features=4, max_slots=3))
@settings(max_examples=40)
def test_counting_some_of_them(data, drawn):
    layout, block = drawn
    keys = data.draw(keys_of(layout))
    families = new_families(layout, keys)
    some = [f for f in range(len(keys)) if data.draw(st.booleans())]
    add_families(families.spec[some], families.cells, *block)
    for f, key in enumerate(keys):
        rows = naive.rows_of(block.codes) if f in some else []
        labels, weights = (block.labels, block.weights) if f in some else ((), ())
        assert_family(families, f, layout, key, rows, labels, weights)


@given(st.data(), layouts_and_blocks(min_features=2, max_features=4, max_slots=3))
def test_copies_in_roomier_tables(data, drawn):
    layout, block = drawn
    keys = data.draw(keys_of(layout))
    old = new_families(layout, keys)
    add_families(old.spec, old.cells, *block)
    roomier, where = data.draw(growths(layout))
    kept = [f for f in data.draw(st.permutations(range(len(keys)))) if data.draw(st.booleans())]
    moved = [(int(where[keys[f][0]]), tuple(where[list(keys[f][1])].tolist())) for f in kept]
    new = new_families(roomier, moved)
    copy_families(old, np.array(kept, dtype=np.int64), layout.caps, new)
    for g, f in enumerate(kept):
        before = read_family(old, f, caps_of(layout, keys[f]))
        assert read_family(new, g, caps_of(roomier, moved[g])) == before
        assert new.spec[g, CAP] == roomier.caps[moved[g][0]]


@given(st.data(), layouts_and_blocks(min_features=2, max_features=4, max_slots=3))
@settings(max_examples=60)
def test_copies_beside_new_families(data, drawn):
    """Families that stay keep their counts, those that are new have none."""
    layout, block = drawn
    old_keys, keys = data.draw(keys_of(layout)), data.draw(keys_of(layout))
    keys = data.draw(st.permutations(keys + [key for key in old_keys if key not in keys]))
    old, new = new_families(layout, old_keys), new_families(layout, keys)
    add_families(old.spec, old.cells, *block)
    which = [old_keys.index(key) if key in old_keys else -1 for key in keys]
    copy_same(old, np.array(which, dtype=np.int64), new)
    for g, key in enumerate(keys):
        kept = which[g] >= 0
        rows = naive.rows_of(block.codes) if kept else []
        labels, weights = (block.labels, block.weights) if kept else ((), ())
        assert_family(new, g, layout, key, rows, labels, weights)


@given(st.data(), layouts_and_blocks(min_features=2, max_features=5, max_slots=3, max_events=8))
def test_filled_from_pairs_and_triples(data, drawn):
    layout, block = drawn
    keys = data.draw(keys_of(layout, max_families=6))
    members = data.draw(members_of(layout))
    pairs, triples = new_pairs(layout, members), new_triples(layout, members)
    add_pairs(pairs, *block)
    add_triples(triples, *block)
    has_triples = data.draw(st.booleans())
    fresh = [f for f in range(len(keys)) if data.draw(st.booleans())]
    families = new_families(layout, keys)
    numbers = np.array(fresh, dtype=np.int64)
    unfilled = fill_from_tables(families, numbers, pairs, triples if has_triples else None)
    for f, (child, parents) in enumerate(keys):
        known = {child, *parents} <= set(members.tolist())
        fillable = known and len(parents) <= (2 if has_triples else 1)
        assert (f in unfilled.tolist()) == (f in fresh and not fillable)
        filled = fillable and f in fresh
        rows = naive.rows_of(block.codes) if filled else []
        labels, weights = (block.labels, block.weights) if filled else ((), ())
        assert_family(families, f, layout, keys[f], rows, labels, weights)


def test_nothing_to_fill_from():
    layout = Layout(np.array([2, 2]), 2)
    families = new_families(layout, [(0, (1,)), (1, (0,))])
    assert fill_from_tables(families, np.arange(2), None, None).tolist() == [0, 1]


def test_filling_takes_no_memory_of_the_size_of_the_tables():
    layout = Layout(np.array([300, 300, 300]), 2)
    members = np.arange(3)
    families, pairs = new_families(layout, [(0, (1, 2))]), new_pairs(layout, members[:0])
    fill_from_tables(families, np.arange(1), pairs, None)  # so that all is compiled
    tracemalloc.start()
    fill_from_tables(families, np.arange(1), pairs, None)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100_000


def test_no_families():
    layout = Layout(np.array([2, 2]), 2)
    families = new_families(layout, [])
    assert families.cells.shape == (0, 2)
    codes = np.zeros((2, 3), dtype=np.int16)
    assert context_rows(codes, families.spec).shape == (0, 3)


@given(layouts(min_features=2, max_features=3), st.data())
@settings(max_examples=20)
def test_event_by_event_equals_the_block(layout, data):
    block, keys = data.draw(blocks(layout)), data.draw(keys_of(layout))
    whole, single = new_families(layout, keys), new_families(layout, keys)
    add_families(whole.spec, whole.cells, *block)
    for r in range(len(block.labels)):
        one = np.ascontiguousarray(block.codes[:, r : r + 1])
        add_families(
            single.spec, single.cells, one, block.labels[r : r + 1], block.weights[r : r + 1]
        )
    assert np.array_equal(whole.cells, single.cells)
