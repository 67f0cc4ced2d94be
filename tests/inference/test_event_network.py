"""The network of one event against the formulas, worked out over the events."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_kdb.counts.layout import Layout
from river_kdb.inference.event_network import (
    base_log_joint,
    event_order,
    event_tree,
    family_counts,
    network_posterior,
)
from river_kdb.inference.smoothing import smoothing_strength
from tests import naive_counts as naive
from tests.counts.at_once import at_once, cases
from tests.counts.blocks import as_block
from tests.structure.test_kdb import matrices, vectors
from tests.structure.test_tan import slow_tree

pytestmark = pytest.mark.kernel

SMOOTHINGS = st.sampled_from(["m-estimate", 0.5, 5.0])


# -- Orders and trees ----------------------------------------------------------------------------


def flags(n):
    return st.lists(st.booleans(), min_size=n, max_size=n).map(lambda f: np.array(f, dtype=bool))


@given(vectors(), st.data())
@settings(max_examples=60)
def test_values_that_were_seen_by_falling_score(scores, data):
    seen = data.draw(flags(len(scores)))
    before = seen.copy()
    order = event_order(scores, seen).tolist()
    assert order == sorted(np.flatnonzero(seen).tolist(), key=lambda i: (-scores[i], i))
    assert np.array_equal(seen, before)


@given(st.integers(0, 6), st.data())
@settings(max_examples=80)
def test_the_tree_of_those_that_were_seen(n, data):
    scores, pair, seen = data.draw(vectors(n, n)), data.draw(matrices(n)), data.draw(flags(n))
    parents = event_tree(scores, pair, seen)
    assert parents.shape == (n, 1)
    inside = np.flatnonzero(seen).tolist()
    edges = {(int(parents[i, 0]), i) for i in range(n) if parents[i, 0] >= 0}
    if not inside:
        assert not edges
        return
    weights = pair[np.ix_(inside, inside)]
    root = min(inside, key=lambda i: (-scores[i], i))
    slow = slow_tree(weights, inside.index(root))
    assert edges == {(inside[a], inside[b]) for a, b in slow}
    assert parents[root, 0] == -1
    if len(inside) < 6:
        trees = naive.spanning_trees(len(inside))
        heaviest = max(sum(weights[a, b] for a, b in tree) for tree in trees)
        assert sum(pair[a, b] for a, b in edges) == pytest.approx(heaviest)


# -- Counts of families --------------------------------------------------------------------------


def seen_features(evidence):
    return np.flatnonzero(evidence.seen).tolist()


@given(cases(max_features=5), st.data())
@settings(max_examples=80)
def test_counts_with_any_number_of_parents(case, data):
    """One parent: of all events; two and three: of those in the window."""
    for r in range(case.questions.shape[1]):
        evidence, x = case.evidence(r), case.row(r)
        seen = seen_features(evidence)
        if not seen:
            continue
        child, *parents = data.draw(st.permutations(seen))
        for q in range(min(3, len(parents)) + 1):
            context, both = np.full(case.m, np.nan), np.full(case.m, np.nan)
            # what stands after the first q does not matter
            above = np.array([*parents[:q], -1, 99])
            total = family_counts(evidence, child, above, q, context, both)
            i, *given_features = (case.feature[a] for a in (child, *parents[:q]))
            wanted = {j: x[j] for j in given_features}
            for c in range(case.m):
                count = case.sample.count
                assert context[c] == count(wanted, [i, *given_features], c)
                assert both[c] == count({**wanted, i: x[i]}, [i, *given_features], c)
            assert total == context.sum()


def test_the_window_is_asked_from_two_parents_on():
    layout = Layout(np.array([1, 1, 1]), 2)
    block = as_block([(0, 0, 0)] * 5, [0, 0, 0, 1, 1], [1.0, 1.0, 1.0, 1.0, 2.0], 3)
    case = at_once(layout, block, np.zeros((3, 1), dtype=np.int16), np.arange(3), 3)
    context, both = np.zeros(2), np.zeros(2)
    for q, expected in enumerate([[3.0, 3.0], [3.0, 3.0], [1.0, 3.0]]):
        parents = np.array([1, 2])
        found = family_counts(case.evidence(), 0, parents, q, context, both)
        assert (context.tolist(), both.tolist(), found) == (expected, expected, sum(expected))


# -- Posteriors ----------------------------------------------------------------------------------


@given(cases())
@settings(max_examples=60)
def test_the_prior_and_what_keeps_no_pairs(case):
    counts = case.counts()
    for r in range(case.questions.shape[1]):
        found = base_log_joint(case.questions, r, case.m, counts)
        x, others = case.row(r), set(range(len(case.layout.caps))) - set(case.feature)
        for c in range(case.m):
            p = case.sample.prior(x, -1, c)
            for i in others:
                if case.sample.seen(i, x[i]):
                    p *= case.sample.conditional(x, i, [], c, "m-estimate")
            assert found[c] == pytest.approx(math.log(p), abs=1e-12)


@st.composite
def networks(draw, evidence, k):
    """At most k parents of every value, all of values that were learned."""
    order = draw(st.permutations(seen_features(evidence)))
    parents = np.full((len(evidence.seen), k), -1)
    for place, child in enumerate(order):
        above = draw(st.permutations(order[:place]))[: draw(st.integers(0, k))]
        parents[child, : len(above)] = above
    return parents


def slow_posterior(case, x, parents, smoothing):
    """Under the formulas; a feature that keeps no pairs has no parents."""
    above = [[] for _ in case.layout.caps]
    for a, i in enumerate(case.feature):
        above[i] = [case.feature[b] for b in parents[a] if b >= 0]
    joints = [case.sample.joint(x, above, -1, c, smoothing) for c in range(case.m)]
    return naive.normalised(joints)


@given(cases(max_features=5), SMOOTHINGS, st.integers(0, 3), st.data())
@settings(max_examples=100)
def test_posteriors(case, smoothing, k, data):
    counts = case.counts(smoothing)
    for r in range(case.questions.shape[1]):
        evidence = case.evidence(r)
        parents = data.draw(networks(evidence, k))
        base = base_log_joint(case.questions, r, case.m, counts)
        before = base.copy()
        found = network_posterior(parents, base, evidence, counts.smoothing)
        expected = slow_posterior(case, case.row(r), parents, smoothing)
        assert found == pytest.approx(expected, abs=1e-12)
        assert np.array_equal(base, before)


@pytest.mark.parametrize("smoothing", ["m-estimate", 5.0])
def test_a_context_that_left_the_window_ends_the_list(smoothing):
    """Of the two parents the first is as good as ever."""
    strength = smoothing_strength(smoothing)
    layout = Layout(np.array([2, 2, 2]), 2)
    rows = [(0, 0, 0), (1, 0, 0), (0, 0, 1), (0, 1, 1), (1, 1, 1)]
    block = as_block(rows, [0, 1, 1, 0, 1], [1.0] * 5, 3)
    case = at_once(layout, block, np.zeros((3, 1), dtype=np.int16), np.arange(3), 3)
    base = base_log_joint(case.questions, 0, 2, case.counts())
    one, two = (
        network_posterior(np.array(parents), base, case.evidence(), strength)
        for parents in ([[1], [-1], [-1]], [[1, 2], [-1, -1], [-1, -1]])
    )
    assert two.tolist() == one.tolist()
    roomy = at_once(layout, block, case.questions, np.arange(3), 8)
    other = network_posterior(
        np.array([[1, 2], [-1, -1], [-1, -1]]), base, roomy.evidence(), strength
    )
    assert other.tolist() != one.tolist()
