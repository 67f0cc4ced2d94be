"""Networks for each class against slow ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_kdb.structure.by_class import parents_by_class, without_redundant
from tests import naive_counts as naive
from tests.counts.blocks import layouts_and_blocks
from tests.inference.networks import random_parents
from tests.information.test_by_class import slow_entropy
from tests.structure.test_kdb import matrices, slow_order, vectors


@given(st.integers(0, 3), st.integers(0, 5), st.integers(0, 3), st.data())
@settings(max_examples=60)
def test_every_class_has_a_network_of_its_own(m, n, k, data):
    single = np.array([data.draw(vectors(n, n)) for _ in range(m)]).reshape(m, n)
    # H(X_j | X_i, c) is not H(X_i | X_j, c): the rows are those of the children
    pair = np.array([data.draw(matrices(n, symmetric=False)) for _ in range(m)]).reshape(m, n, n)
    found = parents_by_class(single, pair, k)
    assert found.shape == (m, n, k)
    for c in range(m):
        order = slow_order(n, lambda i, _, c=c: single[c, i])
        for place, child in enumerate(order):
            links = pair[c, child]
            ranked = sorted(order[:place], key=lambda i, links=links: (-links[i], i))[:k]
            assert found[c, child].tolist() == [*ranked, *[-1] * (k - len(ranked))]


def slow_conditional_entropy(block, child, parents):
    family = [child, *parents]
    kept = (block.codes[family] >= 0).all(axis=0)
    w = block.weights[kept].tolist()
    if not w:
        return 0.0
    events = list(zip(*block.codes[family][:, kept].tolist(), strict=True))
    return slow_entropy(events, w) - slow_entropy([event[1:] for event in events], w)


@given(layouts_and_blocks(max_events=15), st.integers(1, 2), st.data())
@settings(max_examples=80)
def test_features_that_add_little_lose_their_parents(drawn, k, data):
    layout, block = drawn
    n = len(layout.caps)
    parents = np.maximum(data.draw(random_parents(n, k)), -1)
    single = data.draw(vectors(n, n))
    redundancy = data.draw(st.sampled_from([0.1, 0.5, 0.8, 0.95, 1.0]))
    before = parents.copy()
    found = without_redundant(parents, single, block.codes, block.weights, redundancy)
    assert np.array_equal(parents, before)
    order = slow_order(n, lambda i, _: single[i])
    entropy = [
        slow_conditional_entropy(block, j, [i for i in parents[j].tolist() if i >= 0])
        for j in order
    ]
    for place, j in enumerate(order):
        enough = sum(entropy[:place]) >= redundancy * sum(entropy) - 1e-12
        assert found[j].tolist() == ([-1] * k if enough else parents[j].tolist())
    assert not naive.has_circle(found.tolist())


def test_by_hand():
    """The first two features say all there is to say: the copy loses its parent."""
    codes = np.array([[0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 0, 1]], dtype=np.int16)
    parents = np.array([[-1], [0], [1]])
    single = np.array([3.0, 2.0, 1.0])
    kept = without_redundant(parents, single, codes, np.ones(4), 0.95)
    assert kept.tolist() == [[-1], [0], [-1]]
    kept = without_redundant(parents, single, codes, np.ones(4), 0.5)
    assert kept.tolist() == [[-1], [-1], [-1]]
    other_order = without_redundant(parents, -single, codes, np.ones(4), 0.95)
    assert other_order.tolist() == [[-1], [0], [1]]


def test_without_events_nobody_keeps_a_parent():
    codes = np.empty((2, 0), dtype=np.int16)
    found = without_redundant(np.array([[-1], [0]]), np.ones(2), codes, np.zeros(0), 0.9)
    assert found.tolist() == [[-1], [-1]]


def test_no_features():
    found = without_redundant(
        np.empty((0, 1), dtype=np.int64),
        np.zeros(0),
        np.empty((0, 3), dtype=np.int16),
        np.ones(3),
        0.9,
    )
    assert found.shape == (0, 1)


@pytest.mark.parametrize("weights", [[1.0, 1.0, 1.0, 1.0], [4.0, 1.0, 0.5, 0.5]])
def test_weights_are_how_often(weights):
    codes = np.array([[0, 0, 1, 1], [0, 1, 0, 0], [1, 1, 0, 1]], dtype=np.int16)
    times = (np.array(weights) * 2).astype(int)
    parents, single = np.array([[-1], [0], [1]]), np.array([3.0, 2.0, 1.0])
    for redundancy in (0.4, 0.6, 0.7, 0.8, 0.9):
        weighted = without_redundant(parents, single, codes, np.array(weights), redundancy)
        repeated = np.repeat(codes, times, axis=1)
        often = without_redundant(parents, single, repeated, np.ones(times.sum()), redundancy)
        assert weighted.tolist() == often.tolist()
