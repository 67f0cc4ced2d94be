"""Softmax regression, against weights in a dict and all numbers in a list."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_kdb.features.boxes import box
from river_kdb.mixture.linear import (
    learn_linear,
    learn_moments,
    new_linear,
    regrown_linear,
    rows_of_grown,
    slot_starts,
    standardise,
    write_linear_posteriors,
)
from tests.naive_mixture import NaiveRegression, NaiveStandards

pytestmark = pytest.mark.kernel

NUMBERS = st.one_of(
    st.floats(-9, 9, width=16), st.sampled_from([1e9, -1e9, math.inf, -math.inf, 1e200])
)
# Slots of what is no number, or -1 where that is left out.
CELLS = st.one_of(NUMBERS, NUMBERS, st.integers(0, 2).map(lambda slot: ("slot", slot)), st.none())
EVENTS = st.lists(
    st.tuples(st.tuples(CELLS, CELLS, CELLS), st.integers(0, 2)), min_size=1, max_size=40
)


def as_row(cells):
    row = np.array([c if isinstance(c, float) else box(0) for c in cells])
    codes = [c[1] if isinstance(c, tuple) else -1 for c in cells]
    return row, np.array(codes, dtype=np.int16)[:, None]


def parts(cells):
    """Numbers and slots by feature, as the oracle takes them."""
    numbers = {i: c for i, c in enumerate(cells) if isinstance(c, float)}
    return numbers, {i: c[1] for i, c in enumerate(cells) if isinstance(c, tuple)}


@settings(max_examples=40)
@given(EVENTS)
def test_steps_are_the_oracles(events):
    half_lives = [None, 3.0]
    linear = new_linear([2, 0], half_lives, np.array([3, 3, 3]), 4)
    oracles, standards = [NaiveRegression(h) for h in half_lives], NaiveStandards()
    out, standard, m = np.zeros((3, 4)), np.zeros(3), 1
    for cells, label in events:
        m = max(m, label + 1)
        (row, codes), (numbers, slots) = as_row(cells), parts(cells)
        write_linear_posteriors(row, standard, codes, m, linear, out)
        inputs = standards.inputs(numbers, slots)
        for e, oracle in zip((2, 0), oracles, strict=True):
            posterior = oracle.log_posterior(inputs, m)
            assert out[e, :m].tolist() == pytest.approx(posterior, abs=1e-6)
            oracle.learn(inputs, [math.exp(p) for p in posterior], label)
        learn_linear(row, standard, codes, out, label, m, linear)
        learn_moments(row, linear.moments)
        standards.learn(numbers)


def test_numbers_of_one_size_are_the_oracles_to_the_ninth_place():
    rng = np.random.default_rng(1)
    linear = new_linear([0], [20.0], np.array([1, 1, 1]), 2)
    oracle, standards = NaiveRegression(20.0), NaiveStandards()
    out, standard, codes = np.zeros((1, 2)), np.zeros(3), np.full((3, 1), -1, dtype=np.int16)
    right = 0
    for t in range(400):
        row = rng.normal(100.0, 3.0, 3)
        label = int(row[0] + row[1] > 200.0)
        numbers = dict(enumerate(row.tolist()))
        inputs = standards.inputs(numbers, {})
        write_linear_posteriors(row, standard, codes, 2, linear, out)
        posterior = oracle.log_posterior(inputs, 2)
        assert out[0].tolist() == pytest.approx(posterior, abs=1e-9)
        right += t >= 100 and (out[0, 1] > out[0, 0]) == label
        oracle.learn(inputs, [math.exp(p) for p in posterior], label)
        learn_linear(row, standard, codes, out, label, 2, linear)
        learn_moments(row, linear.moments)
        standards.learn(numbers)
    assert right > 285


def test_far_numbers_count_as_no_farther_and_the_first_ones_not_at_all():
    moments, out = np.zeros((3, 2)), np.zeros(2)
    for row in ([3.0, 5.0], [3.0, 7.0], [3.0, np.nan], [3.0, math.inf]):
        standardise(np.array(row), moments, out)
        if row[1] != math.inf:
            assert np.isnan(out[0])  # one value only has no spread
        learn_moments(np.array(row), moments)
    assert moments[0].tolist() == [4.0, 2.0]  # what is infinite has no place in a mean
    standardise(np.array([1e300, -math.inf]), moments, out)
    assert np.isnan(out[0])
    assert out[1] == -4.0
    standardise(np.array([3.0, 7.0]), moments, out)
    assert out[1] == 1.0


@given(
    st.lists(st.tuples(st.integers(1, 4), st.integers(0, 3)), min_size=1, max_size=4),
    st.lists(st.integers(0, 1), min_size=5, max_size=5),
)
def test_growth_keeps_every_weight(rooms, gaps):
    """Old room and what is added to it, for every feature; and where new features come in."""
    caps = np.array([cap for cap, _ in rooms])
    rng = np.random.default_rng(2)
    linear = new_linear([4], [9.0], caps, 2)
    for array in linear[2:]:
        if array.dtype == np.float64:
            array[:] = rng.normal(size=array.shape)
    where = np.arange(len(caps)) + np.cumsum(gaps)[: len(caps)]
    wider = np.full(where[-1] + 2, 2)
    wider[where] = [cap + more for cap, more in rooms]
    source = rows_of_grown(linear.start, slot_starts(wider), where)
    grown = regrown_linear(linear, wider, 4, where, source)
    assert grown.numbers.tolist() == [4]
    assert grown.keeps.tolist() == linear.keeps.tolist()
    for old, new in ((3, 3), (4, 4)):
        assert (grown[new][:, where, :2] == linear[old]).all()
    for old, new in ((linear.levels, grown.levels), (linear.level_squares, grown.level_squares)):
        assert (new[:, -1, :2] == old[:, -1]).all()
        for i, j in enumerate(where):
            here, there = linear.start[i], grown.start[j]
            assert (new[:, there : there + caps[i], :2] == old[:, here : here + caps[i]]).all()
        assert np.count_nonzero(new) == old.size
    assert (grown.moments[:, where] == linear.moments).all()
    assert not grown.slopes[:, :, 2:].any()
