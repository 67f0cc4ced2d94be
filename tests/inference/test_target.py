"""The kernels of target learning against slow networks, and a block against its events."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_kdb.inference.choice import CRITERIA, Choice, choose_parents, weights_counted
from river_kdb.inference.event_network import event_tree
from river_kdb.inference.target import (
    chosen_block,
    posterior_of,
    strongest_block,
    strongest_parents,
    tree_block,
    tree_parents,
    twice_chosen_block,
)
from river_kdb.information.of_event import local_information
from tests.counts.at_once import cases
from tests.inference.test_event_network import SMOOTHINGS, slow_posterior
from tests.naive_papers import ranking, strongest_earlier

pytestmark = pytest.mark.kernel

CLOSE = 1e-9
NO_CANDIDATES = np.empty((0, 0), dtype=np.int64)


def slow_parents(single, pair, seen, k):
    """Every value that was seen has the k strongest before it in the order."""
    order = ranking(np.flatnonzero(seen).tolist(), lambda a: single[a])
    network = strongest_earlier(order, k, lambda child, parent: pair[child, parent])
    parents = np.full((len(seen), k), -1)
    for child, above in network.items():
        parents[child, : len(above)] = above
    return parents


def alone(case, r):
    """The case with one question."""
    return case._replace(questions=np.ascontiguousarray(case.questions[:, r : r + 1]))


@given(cases(max_features=5), st.integers(0, 3))
@settings(max_examples=60)
def test_the_strongest_parents(case, k):
    for r in range(case.questions.shape[1]):
        evidence = case.evidence(r)
        single, pair = local_information(evidence, 1)
        expected = slow_parents(single[0], pair[0], evidence.seen, k)
        assert strongest_parents(evidence, k).tolist() == expected.tolist()


@given(cases())
@settings(max_examples=20)
def test_the_parents_in_the_tree(case):
    for r in range(case.questions.shape[1]):
        evidence = case.evidence(r)
        single, pair = local_information(evidence, 1)
        expected = event_tree(single[0], pair[0], evidence.seen)
        assert tree_parents(evidence).tolist() == expected.tolist()


@given(cases(), SMOOTHINGS)
@settings(max_examples=50)
def test_a_block_under_the_strongest_and_under_trees(case, smoothing):
    counts = case.counts(smoothing)
    for k in (1, 2):
        found = strongest_block(case.questions, case.m, counts, k)
        for r in range(len(found)):
            parents = strongest_parents(case.evidence(r), k)
            expected = slow_posterior(case, case.row(r), parents, smoothing)
            assert found[r] == pytest.approx(expected, abs=CLOSE)
            one = alone(case, r)
            assert (
                strongest_block(one.questions, case.m, counts, k)[0].tolist() == found[r].tolist()
            )
    found = tree_block(case.questions, case.m, counts)
    for r in range(len(found)):
        parents = tree_parents(case.evidence(r))
        expected = slow_posterior(case, case.row(r), parents, smoothing)
        assert found[r] == pytest.approx(expected, abs=CLOSE)
        single = posterior_of(parents, case.questions, r, case.m, case.evidence(r), counts)
        assert single.tolist() == found[r].tolist()


@st.composite
def candidates_of(draw, n):
    """Candidates of every feature, which may come in any number and with gaps at the end."""
    width = draw(st.integers(0, 4))
    rows = []
    for a in range(n):
        others = draw(st.permutations([b for b in range(n) if b < a]))[:width]
        rows.append([*others, *[-1] * (width - len(others))])
    return np.array(rows, dtype=np.int64).reshape(n, width)


@pytest.mark.parametrize("criterion", CRITERIA)
@given(cases(), st.integers(1, 2), st.integers(1, 3), st.data())
@settings(max_examples=25)
def test_a_block_under_parents_that_are_chosen(criterion, case, k, n_candidates, data):
    choice = Choice(k, n_candidates, CRITERIA.index(criterion))
    counts, n = case.counts(), len(case.feature)
    totals = weights_counted(case.counts(), case.m)
    learned = data.draw(candidates_of(n))
    for given_candidates in (learned, NO_CANDIDATES):
        found = chosen_block(case.questions, case.m, counts, given_candidates, choice)
        for r in range(len(found)):
            evidence, usable = case.evidence(r), given_candidates
            if not len(usable):
                usable = strongest_parents(evidence, n_candidates)
            parents = choose_parents(usable, choice, evidence, totals)
            expected = slow_posterior(case, case.row(r), parents, 5.0)
            assert found[r] == pytest.approx(expected, abs=CLOSE)
            one = chosen_block(alone(case, r).questions, case.m, counts, given_candidates, choice)
            assert one[0].tolist() == found[r].tolist()
        if given_candidates is learned:
            twice = twice_chosen_block(case.questions, case.m, counts, learned, choice)
            own = chosen_block(case.questions, case.m, counts, NO_CANDIDATES, choice)
            # where no feature keeps pairs, no candidates are taken for the event's own
            assert twice.tolist() == ((found + own) / 2.0).tolist()
