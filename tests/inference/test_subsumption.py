"""Values that another one implies, against pairwise counts."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_kdb.counts.layout import Layout
from river_kdb.inference.subsumption import drop_generalisations
from river_kdb.structure.aode import aode
from tests.counts.blocks import as_block, blocks, layouts
from tests.inference.networks import case_of

pytestmark = pytest.mark.kernel


def dropped(layout, block, questions, least):
    n = len(layout.caps)
    case = case_of(aode(np.ones(n), np.arange(n)), layout, block, questions, layout.class_capacity)
    before = questions.copy()
    kept = drop_generalisations(
        questions, layout.class_capacity, case.singles, case.families, least
    )
    assert np.array_equal(questions, before)
    return kept.T.tolist(), case.sample


def slow_drop(x, sample, least):
    """x_j goes where some x_i implies it; of two that imply each other the earlier stays."""

    def implies(i, j):
        if x[i] < 0 or x[j] < 0:
            return False
        n_i = sample.count({i: x[i]}, [])
        return n_i >= least and sample.count({i: x[i], j: x[j]}, []) == n_i

    features = range(len(x))
    gone = {
        j
        for j in features
        for i in features
        if i != j and implies(i, j) and not (implies(j, i) and j < i)
    }
    return [-1 if i in gone else code for i, code in enumerate(x)]


@given(st.data(), layouts(min_features=2, max_features=4, max_slots=2))
@settings(max_examples=150)
def test_against_pairwise_counts(data, layout):
    block = data.draw(blocks(layout, weights=st.just(1.0)))
    rows = st.tuples(*(st.integers(-2, int(cap) - 1) for cap in layout.caps))
    questions = np.array(data.draw(st.lists(rows, min_size=1, max_size=3)), dtype=np.int16).T
    least = data.draw(st.sampled_from([1.0, 2.0, 4.0]))
    kept, sample = dropped(layout, block, np.ascontiguousarray(questions), least)
    assert kept == [slow_drop(x, sample, least) for x in questions.T.tolist()]


LAYOUT = Layout(np.array([2, 2, 2]), 2)
ALL_ONES = np.ones((3, 1), dtype=np.int16)


def kept_of(rows, least=3.0):
    block = as_block(rows, [r % 2 for r in range(len(rows))], [1.0] * len(rows), 3)
    return dropped(LAYOUT, block, ALL_ONES, least)[0][0]


def test_the_general_value_goes():
    """Pregnant implies female, so female says nothing more."""
    rows = [(1, 1, 0)] * 3 + [(0, 1, 1)] * 2 + [(0, 0, 1)] * 2
    assert kept_of(rows) == [1, -1, 1]


def test_too_few_events_imply_nothing():
    rows = [(1, 1, 0)] * 2 + [(0, 1, 1)] * 2 + [(0, 0, 1)] * 2
    assert kept_of(rows) == [1, 1, 1]


def test_of_twins_the_earlier_stays():
    rows = [(1, 0, 1)] * 3 + [(0, 1, 0)] * 3
    assert kept_of(rows) == [1, 1, -1]


def test_of_three_twins_one_stays():
    assert kept_of([(1, 1, 1)] * 3 + [(0, 0, 0)] * 3) == [1, -1, -1]


def test_a_chain_keeps_the_most_special():
    rows = [(1, 1, 1)] * 3 + [(1, 1, 0)] * 3 + [(1, 0, 0)] * 3
    assert kept_of(rows) == [-1, -1, 1]


def test_one_exception_is_enough():
    rows = [(1, 1, 0)] * 30 + [(1, 0, 1)] + [(0, 1, 1)] * 3
    assert kept_of(rows) == [1, 1, 1]


def test_never_seen_implies_nothing():
    kept = dropped(LAYOUT, as_block([], [], [], 3), ALL_ONES, math.ulp(0.0))[0]
    assert kept == [[1, 1, 1]]
