"""The choice of parents against trying out every set of them."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_kdb.counts.layout import Layout
from river_kdb.inference.choice import (
    CRITERIA,
    Choice,
    best_subset,
    choose_parents,
    next_subset,
    weights_counted,
    worth_of_parents,
)
from tests import naive
from tests.counts.at_once import at_once, cases
from tests.counts.blocks import Block

pytestmark = pytest.mark.kernel


@pytest.mark.parametrize("n", range(7))
def test_subsets_in_order(n):
    for size in range(1, n + 1):
        places, found = np.array([*range(size), 99, 99]), []
        while True:
            found.append(tuple(places[:size].tolist()))
            if not next_subset(places, size, n):
                break
        assert found == list(itertools.combinations(range(n), size))
        assert places[size:].tolist() == [99, 99]


def slow_worth(criterion, context, both, n_values, total):
    logs = [math.log((b + 1 / n_values) / (n + 1)) for n, b in zip(context, both, strict=True)]
    if criterion == "posterior":
        m, seen = len(both), sum(both)
        shares = [(b + 1 / m) / (seen + 1) for b in both]
        return sum(p * log for p, log in zip(shares, logs, strict=True))
    if criterion == "expected":
        return sum(n / total * log for n, log in zip(context, logs, strict=True))
    return sum(logs) if criterion == "sum" else -sum(logs)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_worth(criterion):
    context, both = np.array([4.0, 0.0, 2.5]), np.array([1.0, 0.0, 2.5])
    found = worth_of_parents(CRITERIA.index(criterion), context, both, 3, 10.0)
    assert found == pytest.approx(slow_worth(criterion, context, both, 3, 10.0))


def slow_best(case, x, child, candidates, k, criterion):
    """The first of the best among all sets whose values were ever seen with any of the child's."""
    worth = {}
    for size in range(1, k + 1):
        for subset in itertools.combinations(candidates, size):
            i, *above = (case.feature[a] for a in (child, *subset))
            wanted = {j: x[j] for j in above}
            count = case.sample.count
            context = [count(wanted, [i, *above], c) for c in range(case.m)]
            both = [count({**wanted, i: x[i]}, [i, *above], c) for c in range(case.m)]
            sample = case.sample.counted(size + 1)
            total = sum(sample.weights)
            if sum(context) > 0:
                n_values = len(case.sample.values(i))
                worth[subset] = slow_worth(criterion, context, both, n_values, total)
    return list(naive.best(list(worth), worth)) if worth else []


def padded(chosen, k):
    return [*chosen, *[-1] * (k - len(chosen))]


@pytest.mark.parametrize("criterion", CRITERIA)
@given(cases(max_features=5), st.integers(1, 3), st.data())
@settings(max_examples=60)
def test_the_best_of_all_subsets(criterion, case, k, data):
    choice = Choice(k, 4, CRITERIA.index(criterion))
    totals = weights_counted(case.counts(), case.m)
    for r in range(case.questions.shape[1]):
        evidence = case.evidence(r)
        seen = np.flatnonzero(evidence.seen).tolist()
        if not seen:
            continue
        child, *candidates = data.draw(st.permutations(seen))
        out = np.full(k, -1)
        some = np.array([*candidates, 99, 99])
        n = len(candidates)
        best_subset(child, some, n, choice, evidence, totals, out)
        expected = slow_best(case, case.row(r), child, candidates, k, criterion)
        assert out.tolist() == padded(expected, k)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("seed", range(4))
def test_the_best_of_all_subsets_in_a_long_stream(criterion, seed):
    """The window has an eighth of the events: shares are of it where its counts are."""
    rng = np.random.default_rng(seed)
    layout = Layout(np.full(5, 2), 4)
    codes = rng.integers(0, 2, (5, 160)).astype(np.int16)
    block = Block(codes, rng.integers(0, 3, 160).astype(np.int32), rng.integers(1, 8, 160) / 4)
    case = at_once(layout, block, np.ascontiguousarray(codes[:, :2]), np.arange(5), 20)
    choice = Choice(2, 4, CRITERIA.index(criterion))
    totals = weights_counted(case.counts(), case.m)
    for r, child in itertools.product(range(2), range(5)):
        candidates = [b for b in range(5) if b != child]
        out, some = np.full(2, -1), np.array(candidates)
        best_subset(child, some, 4, choice, case.evidence(r), totals, out)
        expected = slow_best(case, case.row(r), child, candidates, 2, criterion)
        assert out.tolist() == padded(expected, 2)


@given(cases(max_features=5), st.integers(1, 3), st.integers(1, 3), st.data())
@settings(max_examples=60)
def test_every_value_chooses_among_its_first_candidates_that_were_seen(case, k, n_candidates, data):
    n, width = len(case.feature), 4
    rows = [
        data.draw(st.permutations([*(b for b in range(n) if b != a), -1, -1, -1, -1]))[:width]
        for a in range(n)
    ]
    candidates = np.array(rows, dtype=np.int64).reshape(n, width)
    totals = weights_counted(case.counts(), case.m)
    choice = Choice(k, n_candidates, CRITERIA.index("expected"))
    for r in range(case.questions.shape[1]):
        evidence = case.evidence(r)
        found = choose_parents(candidates, choice, evidence, totals)
        assert found.shape == (n, k)
        for a in range(n):
            usable = [b for b in rows[a] if b >= 0 and evidence.seen[b]][:n_candidates]
            expected = []
            if evidence.seen[a]:
                x = case.row(r)
                expected = slow_best(case, x, a, usable, k, "expected")
            assert found[a].tolist() == padded(expected, k)


@given(cases())
@settings(max_examples=30)
def test_weights(case):
    found = weights_counted(case.counts(), case.m)
    held = case.sample.held.weights.sum()
    assert found == (case.sample.counted(2).weights.sum(), held)
