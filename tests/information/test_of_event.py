"""The measures of one event's values against the formulas over the events."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_kdb import information
from river_kdb.information.of_event import (
    LOGARITHMS,
    local_information,
    local_likelihood,
    log_count,
    log_counts,
)
from tests.counts.at_once import at_once, cases
from tests.counts.blocks import layouts_and_blocks

pytestmark = pytest.mark.kernel


COUNTS = st.one_of(
    st.integers(0, 5000).map(float), st.floats(0.0, 1e15), st.sampled_from([4095.0, 4096.0])
)


@given(st.lists(COUNTS, min_size=1, max_size=8), st.sampled_from([4096, 10, 1]))
def test_logarithms_of_counts(counts, n_known):
    """Whether they stand in the table or not; that of nothing is 0 where the table has it."""
    known, block = LOGARITHMS[:n_known], np.array(counts)[None, None]
    found = log_counts(block, known)[0, 0].tolist()
    expected = [math.log(count) if count > 0.0 else 0.0 for count in counts]
    assert found == pytest.approx(expected, rel=1e-15)
    assert found == [log_count(count, known) for count in counts]


def slow_single(case, i, value, c):
    """P(x_i, c) ln P(x_i, c) / (P(x_i) P(c)), over the events that have X_i."""
    count, value = case.sample.count, {i: value}
    joint, total = count(value, [i], c), count({}, [i])
    if joint == 0:
        return 0.0
    return joint / total * math.log(joint * total / (count(value, [i]) * count({}, [i], c)))


def slow_pair(case, i, j, values, c):
    """P(x_i, x_j, c) ln P(x_i, x_j | c) / (P(x_i | c) P(x_j | c))."""
    count, both = case.sample.count, [i, j]
    joint = count({i: values[0], j: values[1]}, both, c)
    if joint == 0:
        return 0.0
    apart = count({i: values[0]}, both, c) * count({j: values[1]}, both, c)
    return joint / count({}, both) * math.log(joint * count({}, both, c) / apart)


@given(cases())
@settings(max_examples=60)
def test_information_of_values(case):
    for r in range(case.questions.shape[1]):
        evidence, x = case.evidence(r), case.row(r)
        single, pair = local_information(evidence, case.m)
        n = len(case.feature)
        assert single.shape == (case.m, n)
        assert pair.shape == (case.m, n, n)
        for c, a in np.ndindex(case.m, n):
            i = case.feature[a]
            expected = slow_single(case, i, x[i], c) if evidence.seen[a] else 0.0
            assert single[c, a] == pytest.approx(expected, abs=1e-12)
        for c, a, b in np.ndindex(case.m, n, n):
            i, j = case.feature[a], case.feature[b]
            there = a != b and evidence.seen[a] and evidence.seen[b]
            expected = slow_pair(case, i, j, (x[i], x[j]), c) if there else 0.0
            assert pair[c, a, b] == pytest.approx(expected, abs=1e-12)
        summed_single, summed_pair = local_information(evidence, 1)
        assert summed_single == pytest.approx(single.sum(axis=0)[None], abs=1e-12)
        assert summed_pair == pytest.approx(pair.sum(axis=0)[None], abs=1e-12)


@given(layouts_and_blocks(min_features=2, max_features=2, max_slots=3, max_events=15))
@settings(max_examples=40)
def test_over_all_values_it_is_the_information_of_the_features(drawn):
    layout, block = drawn
    values = np.array(list(itertools.product(*map(range, layout.caps)))).T
    case = at_once(layout, block, values.astype(np.int16), np.arange(2), 16)
    of_class = information.class_information(case.singles, layout.caps, case.m)
    conditional = information.conditional_information_matrix(case.pairs, 2, case.m)
    alone: list[dict] = [{}, {}]
    both = 0.0
    for r in range(values.shape[1]):
        single, pair = local_information(case.evidence(r), 1)
        both += pair[0, 0, 1]
        for i in range(2):
            alone[i][values[i, r]] = single[0, i]
    assert [sum(of.values()) for of in alone] == pytest.approx(of_class, abs=1e-12)
    assert both == pytest.approx(conditional[0, 1], abs=1e-12)


@given(cases())
@settings(max_examples=60)
def test_likelihood_of_values(case):
    count = case.sample.count
    for r in range(case.questions.shape[1]):
        evidence, x = case.evidence(r), case.row(r)
        single, pair = local_likelihood(evidence, case.m)
        for c, a in np.ndindex(*single.shape):
            i, expected = case.feature[a], 0.0
            if evidence.seen[a]:
                joint, whole = count({i: x[i]}, [i], c), count({}, [i], c)
                expected = math.log((joint + 1) / (whole + 1))
            assert single[c, a] == pytest.approx(expected, abs=1e-12)
        for c, a, b in np.ndindex(*pair.shape):
            j, i, expected = case.feature[a], case.feature[b], 0.0
            if a != b and evidence.seen[a] and evidence.seen[b]:
                joint = count({i: x[i], j: x[j]}, [i, j], c)
                expected = math.log((joint + 1) / (count({i: x[i]}, [i, j], c) + 1))
            assert pair[c, a, b] == pytest.approx(expected, abs=1e-12)


@given(cases(), st.sampled_from(["information", "likelihood"]))
@settings(max_examples=20)
def test_of_values_never_learned_nothing_is_known(case, what):
    measure = local_information if what == "information" else local_likelihood
    for r in range(case.questions.shape[1]):
        evidence = case.evidence(r)
        single, pair = measure(evidence, case.m)
        known = [case.row(r)[i] in case.sample.values(i) for i in case.feature]
        unknown = np.flatnonzero(~np.array(known, dtype=bool))
        assert not single[:, unknown].any()
        assert not pair[:, unknown].any()
        assert not pair[:, :, unknown].any()
