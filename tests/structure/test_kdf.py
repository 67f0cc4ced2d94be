"""The members of a forest against slow choices."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_kdb.structure.kdf import forest, forest_parents
from river_kdb.structure.structure import MEAN_OF_POSTERIORS, arcs
from tests import naive_counts as naive
from tests.structure.test_kdb import matrices, slow_order, slow_strongest

pytestmark = pytest.mark.kernel


def slow_member(given_first, conditional, root, k):
    """Child -> its parents, the strongest first."""
    n = len(conditional)

    def score(j, chosen):
        return sum(given_first[i, j] for i in chosen) if chosen else float(j == root)

    order, parents, ancestors = slow_order(n, score), {}, {}
    for place, child in enumerate(order):
        parents[child], ancestors[child] = [], set()
        if not place:
            continue
        first = slow_strongest(conditional[child], order[:place])
        above = sorted(ancestors[first], key=lambda i, child=child: (-conditional[child, i], i))
        parents[child] = [first, *above][:k]
        for parent in parents[child]:
            ancestors[child] |= {parent} | ancestors[parent]
    return parents


@given(st.integers(0, 6), st.integers(1, 4), st.data())
@settings(max_examples=100)
def test_every_member(n, k, data):
    given_first = data.draw(matrices(n, symmetric=False))
    conditional = data.draw(matrices(n))
    parents = forest_parents(given_first, conditional, k)
    assert parents.shape == (n, n, k)
    for root in range(n):
        expected = slow_member(given_first, conditional, root, k)
        for child in range(n):
            missing = [-1] * (k - len(expected[child]))
            assert parents[root, child].tolist() == expected[child] + missing
        assert (parents[root, root] == -1).all()
        assert not naive.has_circle(parents[root].tolist())


def test_only_ancestors_of_the_first_parent_are_further_parents():
    """Features 1 and 2 both hang on 0 alone; 3 takes 2 first, and 1 is no ancestor of 2."""
    conditional = np.zeros((4, 4))
    for i, j, strength in ((0, 1, 0.9), (0, 2, 0.8), (1, 2, 0.1), (2, 3, 0.7), (1, 3, 0.6)):
        conditional[i, j] = conditional[j, i] = strength
    given_first = np.tile([0.4, 0.3, 0.2, 0.1], (4, 1))
    parents = forest_parents(given_first, conditional, 2)[0]
    assert parents.tolist() == [[-1, -1], [0, -1], [0, -1], [2, 0]]


@given(st.integers(1, 4), st.integers(1, 3), st.data())
@settings(max_examples=40)
def test_features_without_pairs_have_no_arcs(n_members, k, data):
    members = np.array(sorted(data.draw(st.permutations(range(6)))[:n_members]))
    given_first = data.draw(matrices(n_members, symmetric=False))
    conditional = data.draw(matrices(n_members))
    structure = forest(given_first, conditional, members, 6, k)
    chosen = forest_parents(given_first, conditional, k)
    assert structure.parents.shape == (n_members, 6, k)
    assert structure.parents.dtype == structure.roots.dtype == np.int16
    others = np.setdiff1d(np.arange(6), members)
    assert (structure.parents[:, others] == -1).all()
    for t, root in enumerate(members):
        assert (structure.parents[t, root] == -1).all()
        for a, child in enumerate(members):
            expected = [members[b] if b >= 0 else -1 for b in chosen[t, a]]
            assert structure.parents[t, child].tolist() == expected
    assert structure.weights == pytest.approx([1 / n_members] * n_members)
    assert structure.roots.tolist() == [-1] * n_members
    assert structure.rule == MEAN_OF_POSTERIORS


@pytest.mark.parametrize("n_features", [0, 3])
def test_without_members_it_is_naive_bayes(n_features):
    nobody = np.empty(0, dtype=np.int64)
    structure = forest(np.zeros((0, 0)), np.zeros((0, 0)), nobody, n_features, 2)
    assert arcs(structure) == []
    assert structure.parents.shape == (1, n_features, 0)
