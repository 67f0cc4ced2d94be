"""Calibration against its definition."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_kdb.evaluate import Calibration

events = st.lists(
    st.tuples(
        st.sampled_from("abc"), st.lists(st.floats(0.01, 1.0), min_size=2, max_size=2)
    ),
    min_size=1,
    max_size=40,
)  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(events)
def test_as_defined(drawn):
    calibration = Calibration()
    seen = []
    for y_true, (one, other) in drawn:
        proba = {"a": one / (one + other), "b": other / (one + other)}
        label = max(proba, key=proba.__getitem__)
        calibration.update(y_true, label, proba)
        seen.append((proba[label], y_true == label, y_true, proba))
    bins = calibration.bins
    assert calibration.n_events == sum(b.n_events for b in bins) == len(drawn)
    gap = 0.0
    for b in bins:
        members = [
            (p, right) for p, right, _, _ in seen if min(int(p * 10), 9) == round(b.low * 10)
        ]
        assert b.n_events == len(members)
        assert b.low - 1e-9 <= b.confidence <= b.high + 1e-9
        assert b.confidence == pytest.approx(sum(p for p, _ in members) / len(members))
        assert b.right == pytest.approx(sum(right for _, right in members) / len(members))
        gap += len(members) / len(drawn) * abs(b.confidence - b.right)
    assert calibration.error == pytest.approx(gap)
    squares = [
        sum((proba.get(c, 0.0) - (c == y_true)) ** 2 for c in "abc") for _, _, y_true, proba in seen
    ]
    assert calibration.brier == pytest.approx(sum(squares) / len(squares))


def test_sure_and_right():
    calibration = Calibration()
    calibration.update("a", "a", {"a": 1.0})
    assert [b[:2] for b in calibration.bins] == [(0.9, 1.0)]
    assert (calibration.error, calibration.brier) == (0.0, 0.0)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -0.5, 1.5])
def test_what_is_no_probability_is_left_out(bad):
    calibration = Calibration()
    calibration.update("a", "a", {"a": bad})
    assert (calibration.n_events, calibration.left_out, calibration.bins) == (0, 1, [])
    assert math.isnan(calibration.error)
    assert math.isnan(calibration.brier)
