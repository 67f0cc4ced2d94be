"""Estimates of probabilities."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_kdb.inference.smoothing import M_ESTIMATE, back_off, m_estimate, smoothing_strength

pytestmark = pytest.mark.kernel

COUNTS = st.lists(st.floats(0, 1e6), min_size=1, max_size=6)


@pytest.mark.parametrize(
    ("smoothing", "strength"),
    [(5, 5.0), (0.5, 0.5), (1e-9, 1e-9), (np.float64(2), 2.0), ("m-estimate", M_ESTIMATE)],
)
def test_strengths(smoothing, strength):
    assert smoothing_strength(smoothing) == strength
    assert type(smoothing_strength(smoothing)) is float


@pytest.mark.parametrize(
    "smoothing", [0, -1.0, M_ESTIMATE, math.inf, math.nan, True, None, "5", "laplace", [5], 1j]
)
def test_no_strengths(smoothing):
    with pytest.raises(ValueError, match=r"^smoothing must be") as caught:
        smoothing_strength(smoothing)
    assert repr(smoothing) in str(caught.value)


@pytest.mark.parametrize("smoothing", [np.int64(5), np.float32(0.5)])
def test_numbers_of_numpy_are_strengths(smoothing):
    assert smoothing_strength(smoothing) == smoothing


@given(COUNTS)
def test_m_estimates_are_probabilities(counts):
    total, v = sum(counts), len(counts)
    found = [m_estimate(count, total, v) for count in counts]
    assert found == pytest.approx([(count + 1 / v) / (total + 1) for count in counts])
    assert sum(found) == pytest.approx(1.0)
    assert min(found) > 0


@given(COUNTS, st.floats(1e-3, 1e3))
def test_backed_off_estimates_are_probabilities(counts, strength):
    total, v = sum(counts), len(counts)
    shorter = [(i + 1) / (v * (v + 1) / 2) for i in range(v)]
    found = [
        back_off(count, total, p, strength, v) for count, p in zip(counts, shorter, strict=True)
    ]
    assert sum(found) == pytest.approx(1.0)
    for count, p, q in zip(counts, shorter, found, strict=True):
        assert q == pytest.approx((count + strength * p + 0.75 / v) / (total + strength + 0.75))
        low, *_, high = sorted([p, 1 / v, count / total if total else p])
        assert low - 1e-12 <= q <= high + 1e-12


def test_an_unseen_context_says_nearly_what_the_shorter_one_says():
    """The equal shares have their say, as if seen 3/4 times."""
    assert back_off(0.0, 0.0, 0.3, 5.25, 2) == pytest.approx((5.25 * 0.3 + 0.375) / 6)
    assert back_off(0.0, 0.0, 0.3, 1e9, 2) == pytest.approx(0.3)
    assert m_estimate(0.0, 0.0, 4) == 0.25


@given(COUNTS, st.floats(1e-3, 1e3), st.integers(-60, 60))
def test_counts_may_come_in_any_unit(counts, strength, doublings):
    """A power of two rounds nothing, so the estimates are the same to the last bit."""
    total, v, unit = sum(counts), len(counts), 2.0**doublings
    for count in counts:
        given_ones = m_estimate(count, total, v)
        assert m_estimate(count * unit, total * unit, v, unit) == given_ones
        found = back_off(count * unit, total * unit, given_ones, strength, v, unit)
        assert found == back_off(count, total, given_ones, strength, v)
