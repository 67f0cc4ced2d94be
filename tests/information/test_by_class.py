"""The parts that a class has of a measure against sums over its events."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_kdb import information
from river_kdb.counts.layout import Layout
from river_kdb.information.by_class import (
    conditional_entropy_in_class,
    conditional_information_of_class,
    entropy_in_class,
    information_of_class,
)
from tests.counts.blocks import as_block, layouts_and_blocks, members_of
from tests.information.test_average import columns_of, tables

pytestmark = pytest.mark.kernel


def weigh(keys, weights):
    counts: Counter = Counter()
    for key, weight in zip(keys, weights, strict=True):
        counts[key] += weight
    return counts


def slow_part(block, i, c):
    """The sum over the events of the class of ln P(x, c) / (P(x) P(c)), by weight."""
    x, y, w = columns_of(block, i)
    n_x, n_y, n_xy = weigh(x, w), weigh(y, w), weigh(zip(x, y, strict=True), w)
    total = sum(w)
    return sum(
        weight / total * math.log(n_xy[a, c] * total / (n_x[a] * n_y[c]))
        for a, label, weight in zip(x, y, w, strict=True)
        if label == c
    )


def in_class(block, c, *features):
    """The columns of the events of one class, their weights, and what all events weigh."""
    *columns, y, w = columns_of(block, *features)
    kept = [t for t, label in enumerate(y) if label == c]
    return *([column[t] for t in kept] for column in (*columns, w)), sum(w)


def slow_conditional_part(block, i, j, c):
    a, b, w, total = in_class(block, c, i, j)
    n_a, n_b, n_ab = weigh(a, w), weigh(b, w), weigh(zip(a, b, strict=True), w)
    return sum(
        weight / total * math.log(n_ab[s, t] * sum(w) / (n_a[s] * n_b[t]))
        for s, t, weight in zip(a, b, w, strict=True)
    )


def slow_entropy(keys, weights):
    counts, total = weigh(keys, weights), sum(weights)
    return -sum(n / total * math.log(n / total) for n in counts.values())


def slow_conditional_entropy(block, j, i, c):
    """H(X_j | X_i, c) = H(X_j, X_i | c) - H(X_i | c)."""
    b, a, w, _ = in_class(block, c, j, i)
    return slow_entropy(zip(b, a, strict=True), w) - slow_entropy(a, w) if w else 0.0


@given(layouts_and_blocks(max_events=20))
@settings(max_examples=60)
def test_information_of_a_class(drawn):
    layout, block = drawn
    singles, _ = tables(layout, block)
    m = layout.class_capacity
    found = information_of_class(singles, layout.caps, m)
    assert found.shape == (m, len(layout.caps))
    for c, i in np.ndindex(*found.shape):
        assert found[c, i] == pytest.approx(slow_part(block, i, c), abs=1e-12)
    average = information.class_information(singles, layout.caps, m)
    assert found.sum(axis=0) == pytest.approx(average, abs=1e-12)


@given(layouts_and_blocks(min_features=2, max_features=4, max_events=20), st.data())
@settings(max_examples=60)
def test_conditional_information_of_a_class(drawn, data):
    layout, block = drawn
    members = data.draw(members_of(layout))
    _, pairs = tables(layout, block, members)
    n, m = len(layout.caps), layout.class_capacity
    found = conditional_information_of_class(pairs, n, m)
    assert found.shape == (m, n, n)
    for c, i, j in np.ndindex(m, n, n):
        both = i != j and {i, j} <= set(members.tolist())
        expected = slow_conditional_part(block, i, j, c) if both else 0.0
        assert found[c, i, j] == pytest.approx(expected, abs=1e-12)
    average = information.conditional_information_matrix(pairs, n, m)
    assert found.sum(axis=0) == pytest.approx(average, abs=1e-12)
    assert found.min(initial=0.0) >= -1e-12  # within a class it is a mutual information


@given(layouts_and_blocks(max_events=20))
@settings(max_examples=60)
def test_entropy_in_a_class(drawn):
    layout, block = drawn
    singles, _ = tables(layout, block)
    found = entropy_in_class(singles, layout.caps, layout.class_capacity)
    for c, i in np.ndindex(*found.shape):
        x, w, _ = in_class(block, c, i)
        assert found[c, i] == pytest.approx(slow_entropy(x, w), abs=1e-12)


@given(layouts_and_blocks(min_features=2, max_features=4, max_events=20), st.data())
@settings(max_examples=60)
def test_conditional_entropy_in_a_class(drawn, data):
    layout, block = drawn
    members = data.draw(members_of(layout))
    _, pairs = tables(layout, block, members)
    n, m = len(layout.caps), layout.class_capacity
    found = conditional_entropy_in_class(pairs, n, m)
    for c, j, i in np.ndindex(m, n, n):
        both = i != j and {i, j} <= set(members.tolist())
        expected = slow_conditional_entropy(block, j, i, c) if both else 0.0
        assert found[c, j, i] == pytest.approx(expected, abs=1e-12)


@given(layouts_and_blocks(min_features=2, max_features=2, max_events=20, least_code=0))
@settings(max_examples=40)
def test_what_a_parent_tells_is_entropy_less(drawn):
    """I(X_i; X_j | c) = P(c) (H(X_j | c) - H(X_j | X_i, c)), where nothing is left out."""
    layout, block = drawn
    singles, pairs = tables(layout, block)
    m, total = layout.class_capacity, block.weights.sum()
    entropy = entropy_in_class(singles, layout.caps, m)
    less = entropy[:, :, None] - conditional_entropy_in_class(pairs, 2, m)
    share = singles.classes / total if total else np.zeros(m)
    found = conditional_information_of_class(pairs, 2, m)
    for j, i in ((0, 1), (1, 0)):
        assert found[:, j, i] == pytest.approx(share * less[:, j, i], abs=1e-12)


def test_parts_by_hand():
    layout = Layout(np.array([2]), 2)
    block = as_block([(0,), (1,), (0,)], [0, 0, 1], [1.0, 1.0, 2.0], 1)
    found = information_of_class(tables(layout, block)[0], layout.caps, 2)[:, 0]
    first = math.log(1 * 4 / (3 * 2)) / 4 + math.log(1 * 4 / (1 * 2)) / 4
    second = math.log(2 * 4 / (3 * 2)) / 2
    assert found == pytest.approx([first, second])
    block = as_block([(0,), (0,), (1,)], [0, 1, 1], [1.0, 3.0, 1.0], 1)
    found = information_of_class(tables(layout, block)[0], layout.caps, 2)[:, 0]
    second = 3 / 5 * math.log(3 * 5 / (4 * 4)) + 1 / 5 * math.log(1 * 5 / (1 * 4))
    assert found == pytest.approx([math.log(1 * 5 / (4 * 1)) / 5, second])


def test_without_events_nothing_is_known():
    layout = Layout(np.array([2, 2]), 2)
    singles, pairs = tables(layout, as_block([], [], [], 2))
    assert not information_of_class(singles, layout.caps, 2).any()
    assert not entropy_in_class(singles, layout.caps, 2).any()
    assert not conditional_information_of_class(pairs, 2, 2).any()
    assert not conditional_entropy_in_class(pairs, 2, 2).any()
