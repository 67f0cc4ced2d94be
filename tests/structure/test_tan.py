"""Spanning trees against all trees there are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_kdb.structure.structure import MEAN_OF_POSTERIORS, arcs
from river_kdb.structure.tan import averaged_tan, directed_away, spanning_tree, tan
from tests import naive_counts as naive
from tests.structure.test_kdb import SCORES, matrices

pytestmark = pytest.mark.kernel


def tree_of(conditional, root):
    """Pairs of a feature of the tree and the one that joins it there."""
    edges = spanning_tree(conditional, root)
    assert edges.shape == (len(conditional) - 1, 2)
    return [tuple(edge) for edge in edges.tolist()]


def weight_of(edges, conditional):
    return sum(conditional[i, j] for i, j in edges)


def undirected(parents):
    return {frozenset((i, int(p))) for i, (p,) in enumerate(parents) if p >= 0}


def informations(n):
    return st.lists(SCORES, min_size=n, max_size=n).map(np.array)


@given(st.integers(1, 5), st.data())
@settings(max_examples=60)
def test_no_tree_is_heavier(n, data):
    conditional = data.draw(matrices(n))
    root = data.draw(st.integers(0, n - 1))
    edges = tree_of(conditional, root)
    assert naive.is_connected(n, edges)
    heaviest = max(weight_of(tree, conditional) for tree in naive.spanning_trees(n))
    assert weight_of(edges, conditional) == pytest.approx(heaviest)


@given(st.integers(2, 5), st.data())
@settings(max_examples=40)
def test_without_ties_the_tree_is_the_same_from_any_root(n, data):
    order = data.draw(st.permutations(range(n * (n - 1) // 2)))
    conditional = np.zeros((n, n))
    conditional[np.triu_indices(n, 1)] = np.array(order) / 10
    conditional += conditional.T
    trees = {frozenset(frozenset(edge) for edge in tree_of(conditional, root)) for root in range(n)}
    assert len(trees) == 1


def test_each_edge_joins_a_new_feature_to_the_tree():
    conditional = np.array([[0, 3, 1], [3, 0, 2], [1, 2, 0]], dtype=float)
    assert tree_of(conditional, 0) == [(0, 1), (1, 2)]
    assert tree_of(conditional, 2) == [(2, 1), (1, 0)]


def slow_tree(conditional, root):
    """Of equal features the earlier joins first, and at the earlier place."""
    inside, edges = [root], []
    while len(inside) < len(conditional):
        outside = [i for i in range(len(conditional)) if i not in inside]
        links = [(-conditional[i, j], j, i) for i in inside for j in outside]
        _, child, parent = min(links)
        inside.append(child)
        edges.append((parent, child))
    return edges


@given(st.integers(1, 7), st.data())
def test_ties_go_to_the_earlier_feature(n, data):
    conditional = data.draw(matrices(n))
    root = data.draw(st.integers(0, n - 1))
    assert tree_of(conditional, root) == slow_tree(conditional, root)


@given(st.integers(2, 6), st.data())
def test_a_whisker_is_a_tie(n, data):
    """Sums of the same terms in another order differ in the last bits."""
    conditional = data.draw(matrices(n))
    noise = data.draw(st.lists(st.integers(-4, 4), min_size=n * n, max_size=n * n))
    noise = np.triu(np.array(noise).reshape(n, n), 1) * 1e-16
    assert tree_of(conditional + noise + noise.T, 0) == tree_of(conditional, 0)


@given(st.integers(1, 6), st.data())
@settings(max_examples=60)
def test_arcs_lead_away_from_the_root(n, data):
    edges = spanning_tree(data.draw(matrices(n)), 0)
    root = data.draw(st.integers(0, n - 1))
    parents = directed_away(edges, n, root)
    assert parents.shape == (n, 1)
    assert parents[root, 0] == -1
    assert (np.delete(parents[:, 0], root) >= 0).all()
    assert undirected(parents) == {frozenset(edge) for edge in edges.tolist()}
    assert not naive.has_circle(parents.tolist())


@given(st.integers(1, 5), st.data())
@settings(max_examples=60)
def test_tan(n, data):
    information, conditional = data.draw(informations(n)), data.draw(matrices(n))
    members = np.array(sorted(data.draw(st.sets(st.integers(0, n - 1), min_size=1))))
    structure = tan(information, conditional, members)
    assert structure.parents.shape == (1, n, 1)
    root = max(members.tolist(), key=lambda i: (information[i], -i))
    inside = [i for i in members.tolist() if i != root]
    parents = structure.parents[0, :, 0]
    assert all(parents[i] in members for i in inside)
    assert all(parents[i] == -1 for i in range(n) if i not in inside)
    trees = naive.spanning_trees(len(members))
    heaviest = max(weight_of([members[list(e)] for e in tree], conditional) for tree in trees)
    assert weight_of(arcs(structure), conditional) == pytest.approx(heaviest)


@given(st.integers(1, 5), st.booleans(), st.data())
@settings(max_examples=60)
def test_averages_over_all_roots(n, weighted, data):
    information, conditional = data.draw(informations(n)), data.draw(matrices(n))
    members = np.array(sorted(data.draw(st.sets(st.integers(0, n - 1), min_size=1))))
    structure = averaged_tan(information, conditional, members, weighted)
    tree = undirected(tan(information, conditional, members).parents[0])
    assert structure.parents.shape == (len(members), n, 1)
    assert structure.rule == MEAN_OF_POSTERIORS
    assert structure.roots.tolist() == [-1] * len(members)
    for t, root in enumerate(members):
        assert structure.parents[t, root, 0] == -1
        assert undirected(structure.parents[t]) == tree
        assert not naive.has_circle(structure.parents[t].tolist())
    total = information[members].sum()
    equal = not weighted or total == 0.0
    expected = np.full(len(members), 1 / len(members)) if equal else information[members] / total
    assert structure.weights == pytest.approx(expected)
    assert structure.weights.sum() == pytest.approx(1.0)
