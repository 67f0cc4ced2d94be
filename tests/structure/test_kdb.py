"""Orders and parents of the k-dependence classifiers against slow choices."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_kdb.structure.kdb import (
    TIE,
    kdb_parents,
    order_by_conditional_sum,
    order_by_information,
    order_by_relevance,
    strongest,
)
from tests import naive_counts as naive

pytestmark = pytest.mark.kernel

# Few values, so that ties are many.
SCORES = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])


@st.composite
def vectors(draw, min_size=0, max_size=7):
    return np.array(draw(st.lists(SCORES, min_size=min_size, max_size=max_size)), dtype=np.float64)


@st.composite
def matrices(draw, n, symmetric=True):
    cells = draw(st.lists(SCORES, min_size=n * n, max_size=n * n))
    matrix = np.array(cells, dtype=np.float64).reshape(n, n)
    if symmetric:
        matrix = np.triu(matrix, 1) + np.triu(matrix, 1).T
    np.fill_diagonal(matrix, 0.0)
    return matrix


def slow_strongest(scores, candidates):
    return min(candidates, key=lambda i: (-scores[i], i))


def slow_order(n, score):
    order: list[int] = []
    while len(order) < n:
        left = [i for i in range(n) if i not in order]
        order.append(slow_strongest({i: score(i, order) for i in left}, left))
    return order


@given(vectors(min_size=1), st.data())
def test_the_strongest_of_those_allowed(scores, data):
    n = len(scores)
    allowed = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    candidates = np.flatnonzero(allowed)
    expected = slow_strongest(scores, candidates) if len(candidates) else -1
    assert strongest(scores, allowed) == expected


@pytest.mark.parametrize(
    ("scores", "winner"),
    [
        ([1.0, 1.0 + TIE / 2], 0),
        ([1.0, 1.0 + 2 * TIE], 1),
        ([1.0 - TIE / 2, 0.0, 1.0], 0),
        ([0.0, -0.0, 0.0], 0),
        ([-1.0, -0.5], 1),
        ([-np.inf, -1e300], 1),
    ],
)
def test_ties_go_to_the_earlier_feature(scores, winner):
    assert strongest(np.array(scores), np.ones(len(scores), dtype=bool)) == winner


@given(vectors())
def test_order_by_information(information):
    expected = slow_order(len(information), lambda i, chosen: information[i])
    assert order_by_information(information).tolist() == expected


@given(vectors(), st.data())
def test_order_by_conditional_sum(information, data):
    given_first = data.draw(matrices(len(information), symmetric=False))

    def score(j, chosen):
        return sum(given_first[i, j] for i in chosen) if chosen else information[j]

    expected = slow_order(len(information), score)
    assert order_by_conditional_sum(information, given_first).tolist() == expected


@given(vectors(), st.data())
def test_order_by_relevance(information, data):
    mutual = data.draw(matrices(len(information)))

    def score(j, chosen):
        # in twelfths and the like ties would hang on rounding
        mean = sum(mutual[i, j] for i in chosen) / len(chosen) if chosen else 0.0
        return round(information[j] - mean, 9)

    expected = slow_order(len(information), score)
    assert order_by_relevance(information, mutual).tolist() == expected


@given(st.integers(0, 6), st.integers(0, 7), st.data())
@settings(max_examples=80)
def test_parents(n, k, data):
    order = np.array(data.draw(st.permutations(range(n))), dtype=np.int64)
    conditional = data.draw(matrices(n))
    parents = kdb_parents(order, conditional, k)
    assert parents.shape == (n, k)
    for place, child in enumerate(order.tolist()):
        earlier = order[:place].tolist()
        ranked = sorted(earlier, key=lambda i: (-conditional[child, i], i))
        expected = ranked[:k] + [-1] * (k - len(ranked))
        assert parents[child].tolist() == expected
    assert not naive.has_circle(parents.tolist())


def test_a_parent_that_tells_nothing_is_still_a_parent():
    """As in the paper: min(k, s) parents, whatever they are worth."""
    parents = kdb_parents(np.array([1, 0]), np.zeros((2, 2)), 1)
    assert parents.tolist() == [[1], [-1]]


def test_no_features():
    assert order_by_conditional_sum(np.zeros(0), np.zeros((0, 0))).tolist() == []
    assert order_by_relevance(np.zeros(0), np.zeros((0, 0))).tolist() == []
