"""What is counted of one event's values against counts by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from river_kdb.counts.layout import Layout
from tests.counts.at_once import at_once, cases
from tests.counts.blocks import as_block

pytestmark = pytest.mark.kernel


def by_class(case, wanted, among):
    return [case.sample.count(wanted, among, c) for c in range(case.m)]


@given(cases(max_features=4))
@settings(max_examples=60)
def test_single_values(case):
    for r in range(case.questions.shape[1]):
        evidence, row = case.evidence(r), case.row(r)
        for a, i in enumerate(case.feature):
            seen = row[i] in case.sample.values(i)
            assert evidence.seen[a] == seen
            assert evidence.n_values[a] == len(case.sample.values(i))
            assert evidence.sums[a].tolist() == by_class(case, {}, [i])
            expected = by_class(case, {i: row[i]}, [i]) if seen else [0.0] * case.m
            assert evidence.alone[a].tolist() == expected
            assert evidence.own[a] == (a if case.some_missing else 0)


@given(cases(max_features=4))
@settings(max_examples=60)
def test_pairs_of_values(case):
    for r in range(case.questions.shape[1]):
        evidence, row = case.evidence(r), case.row(r)
        own = evidence.own.tolist()
        for a, i in enumerate(case.feature):
            for b, j in enumerate(case.feature):
                if a == b:
                    continue
                joint = given_present = [0.0] * case.m
                if evidence.seen[a] and evidence.seen[b]:
                    joint = by_class(case, {i: row[i], j: row[j]}, [i, j])
                if evidence.seen[b]:
                    given_present = by_class(case, {j: row[j]}, [i, j])
                assert evidence.joint[a, b].tolist() == joint
                assert evidence.given[own[a], b].tolist() == given_present
                assert evidence.together[own[a], own[b]].tolist() == by_class(case, {}, [i, j])


@given(cases(max_features=4))
@settings(max_examples=30)
def test_a_value_beside_itself(case):
    """It counts as a pair does: in the window, where pairs do."""
    evidence, own = case.evidence(), case.evidence().own
    sample = case.sample.counted(2)
    for a, i in enumerate(case.feature):
        expected = [sample.count({}, [i], c) for c in range(case.m)]
        assert evidence.together[own[a], own[a]].tolist() == expected
        alone = [0.0] * case.m
        if evidence.seen[a]:
            alone = [sample.count({i: case.row(0)[i]}, [i], c) for c in range(case.m)]
        assert evidence.given[own[a], a].tolist() == alone


@given(cases(max_features=4))
@settings(max_examples=40)
def test_where_nothing_is_left_out_no_pair_need_be_looked_at(case):
    """The short way is as good as the long one then."""
    if case.some_missing:
        return
    slow = at_once(
        case.layout, case.block, case.questions, case.pairs.members, case.capacity,
        some_missing=True, windowed=case.windowed,
    )  # fmt: skip
    found, right = case.evidence(), slow.evidence()
    n, own = len(case.feature), found.own
    assert found.given.shape == (min(n, 1), n, case.m)
    assert found.together.shape == (min(n, 1), min(n, 1), case.m)
    for name in ("seen", "n_values", "alone", "sums", "joint"):
        assert getattr(found, name).tolist() == getattr(right, name).tolist()
    assert found.given[own].tolist() == right.given.tolist()
    assert found.together[np.ix_(own, own)].tolist() == right.together.tolist()


def test_gaps_count_neither_here_nor_there():
    evidence = gaps(windowed=False).evidence()
    assert evidence.alone.tolist() == [[3.0, 4.0], [1.0, 5.5]]
    assert evidence.sums.tolist() == [[3.0, 5.0], [1.0, 5.5]]
    assert evidence.joint[0, 1].tolist() == [1.0, 4.0]
    assert evidence.given[0, 1].tolist() == [1.0, 5.0]
    assert evidence.given[1, 0].tolist() == [1.0, 4.0]
    assert evidence.together[0, 1].tolist() == [1.0, 5.0]


def test_gaps_count_neither_here_nor_there_in_the_window():
    """The first event has left it; what a value counts alone is as ever."""
    evidence = gaps(windowed=True).evidence()
    assert evidence.alone.tolist() == [[3.0, 4.0], [1.0, 5.5]]
    assert evidence.sums.tolist() == [[3.0, 5.0], [1.0, 5.5]]
    assert evidence.joint[0, 1].tolist() == [0.0, 4.0]
    assert evidence.given[0, 1].tolist() == [0.0, 5.0]
    assert evidence.given[1, 0].tolist() == [0.0, 4.0]
    assert evidence.together[0, 1].tolist() == [0.0, 5.0]


def gaps(windowed):
    layout = Layout(np.array([2, 2, 2]), 2)
    rows = [(0, 1, 0), (0, -1, 1), (-1, 1, 1), (1, 1, 0), (0, 1, 0)]
    block = as_block(rows, [0, 0, 1, 1, 1], [1.0, 2.0, 0.5, 1.0, 4.0], 3)
    questions = np.array([[0], [1], [-2]], dtype=np.int16)
    return at_once(layout, block, questions, np.array([0, 1]), 4, windowed=windowed)


@pytest.mark.parametrize("windowed", [False, True])
def test_no_members(windowed):
    layout = Layout(np.array([2]), 2)
    block = as_block([(0,), (1,)], [0, 1], [1.0, 1.0], 1)
    questions = np.zeros((1, 1), dtype=np.int16)
    nobody = np.zeros(0, dtype=np.int64)
    case = at_once(layout, block, questions, nobody, 4, windowed=windowed)
    evidence = case.evidence()
    assert evidence.seen.shape == (0,)
    assert evidence.joint.shape == (0, 0, 2)
