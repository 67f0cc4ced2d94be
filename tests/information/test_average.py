"""Measures against sums over the events."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_kdb.counts.layout import Layout
from river_kdb.counts.pairs import add_pairs, new_pairs
from river_kdb.counts.singles import add_singles, new_singles
from river_kdb.information import average as information
from tests import naive
from tests.counts.blocks import as_block, layouts_and_blocks, members_of

pytestmark = pytest.mark.kernel

MATRICES = {
    "I(Xi;Xj|C)": information.conditional_information_matrix,
    "I(Xi;Xj)": information.pair_information_matrix,
    "I(C;Xj|Xi)": information.class_information_matrix,
}


def columns_of(block, *features):
    """The columns of the events in which none of the features is left out, class, weights."""
    kept = (block.codes[list(features)] >= 0).all(axis=0)
    columns = [block.codes[i][kept].tolist() for i in features]
    return *columns, block.labels[kept].tolist(), block.weights[kept].tolist()


def slow_class_information(block, i):
    x, c, w = columns_of(block, i)
    return naive.mutual_information(x, c, w) if c else 0.0


def slow_pair(what, block, i, j):
    x, y, c, w = columns_of(block, i, j)
    if not c:
        return 0.0
    if what == "I(Xi;Xj|C)":
        return naive.conditional_mutual_information(x, y, c, w)
    if what == "I(Xi;Xj)":
        return naive.mutual_information(x, y, w)
    return naive.conditional_mutual_information(c, y, x, w)


def tables(layout, block, members=None):
    members = np.arange(len(layout.caps)) if members is None else members
    singles, pairs = new_singles(layout), new_pairs(layout, members)
    add_singles(singles, *block)
    add_pairs(pairs, *block)
    return singles, pairs


@given(layouts_and_blocks(max_events=20))
def test_class_information(drawn):
    layout, block = drawn
    singles, _ = tables(layout, block)
    found = information.class_information(singles, layout.caps, layout.class_capacity)
    for i in range(len(layout.caps)):
        assert found[i] == pytest.approx(slow_class_information(block, i), abs=1e-12)


@pytest.mark.parametrize("what", MATRICES)
@given(layouts_and_blocks(min_features=2, max_features=4, max_events=20), st.data())
@settings(max_examples=60)
def test_matrices(what, drawn, data):
    layout, block = drawn
    members = data.draw(members_of(layout))
    _, pairs = tables(layout, block, members)
    n = len(layout.caps)
    found = MATRICES[what](pairs, n, layout.class_capacity)
    for i in range(n):
        for j in range(n):
            both = i != j and {i, j} <= set(members.tolist())
            expected = slow_pair(what, block, i, j) if both else 0.0
            assert found[i, j] == pytest.approx(expected, abs=1e-12)


@given(layouts_and_blocks(min_features=2, max_features=2, max_events=20))
@settings(max_examples=60)
def test_one_block_both_ways(drawn):
    layout, block = drawn
    _, pairs = tables(layout, block)
    counts = information.pair_block(pairs, 0, 1, layout.class_capacity)
    assert counts.sum() == block.weights[(block.codes >= 0).all(axis=0)].sum()
    first = information.class_information_given_first(counts)
    second = information.class_information_given_second(counts)
    assert first == pytest.approx(slow_pair("I(C;Xj|Xi)", block, 0, 1), abs=1e-12)
    assert second == pytest.approx(slow_pair("I(C;Xj|Xi)", block, 1, 0), abs=1e-12)


@given(layouts_and_blocks(min_features=2, max_features=2, max_events=20))
@settings(max_examples=60)
def test_the_chain_rule_holds(drawn):
    """I(X;Y) + I(X;C|Y) = I(X;C) + I(X;Y|C), if all are measured on the same events."""
    layout, block = drawn
    block = block._replace(codes=np.abs(block.codes))
    block = block._replace(codes=np.minimum(block.codes, layout.caps[:, None] - 1).astype(np.int16))
    singles, pairs = tables(layout, block)
    m = layout.class_capacity
    counts = information.pair_block(pairs, 0, 1, m)
    left = information.pair_information(counts) + information.class_information_given_second(counts)
    of_class = information.class_information(singles, layout.caps, m)[0]
    right = of_class + information.conditional_information(counts)
    assert left == pytest.approx(right, abs=1e-12)
    assert min(left, right) >= -1e-12


def test_padding_of_the_classes_says_nothing():
    layout = Layout(np.array([2, 2]), 8)
    block = as_block([(0, 0), (1, 1), (0, 1), (1, 1)], [0, 1, 0, 1], [1, 1, 2, 1], 2)
    singles, pairs = tables(layout, block)
    for m in (2, 5, 8):
        found = information.class_information(singles, layout.caps, m)
        assert found[0] == pytest.approx(slow_class_information(block, 0), abs=1e-15)
        matrix = information.conditional_information_matrix(pairs, 2, m)
        assert matrix[0, 1] == pytest.approx(slow_pair("I(Xi;Xj|C)", block, 0, 1), abs=1e-15)


def test_a_copy_of_the_class_tells_all_of_it():
    layout = Layout(np.array([2, 1]), 2)
    block = as_block([(0, 0), (1, 0), (1, 0)], [0, 1, 1], [1.0, 1.0, 2.0], 2)
    singles, pairs = tables(layout, block)
    entropy = -(0.25 * math.log(0.25) + 0.75 * math.log(0.75))
    found = information.class_information(singles, layout.caps, 2)
    assert found.tolist() == [pytest.approx(entropy), 0.0]  # and a constant tells nothing, exactly
    assert not information.conditional_information_matrix(pairs, 2, 2).any()


def test_without_events_nothing_is_known():
    layout = Layout(np.array([2, 2]), 2)
    singles, pairs = tables(layout, as_block([], [], [], 2))
    assert not information.class_information(singles, layout.caps, 2).any()
    for matrix in MATRICES.values():
        assert not matrix(pairs, 2, 2).any()
