"""In which unit the tables count."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_kdb.counts.clock import (
    DOUBLINGS,
    EPOCH,
    FIRST,
    UNIT,
    advance,
    counted_weights,
    due_at,
    lets_go,
    new_clock,
    unit_of,
)

pytestmark = pytest.mark.kernel

HALF_LIVES = st.floats(1.0, 1e6)


def test_without_a_half_life_every_event_counts_its_weight():
    clock = new_clock()
    weights = np.array([1.0, 0.3, 7.0])
    assert counted_weights(clock, 10**9, weights).tolist() == weights.tolist()
    assert clock[UNIT] == unit_of(clock, 10**12) == 1.0


@given(HALF_LIVES, st.integers(0, 1000))
def test_an_event_counts_twice_as_much_as_one_a_half_life_before(half_life, t):
    clock = new_clock(half_life)
    ratio = unit_of(clock, t + half_life) / unit_of(clock, t)
    assert ratio == pytest.approx(2.0, rel=1e-12)


@given(HALF_LIVES, st.integers(0, 50), st.lists(st.floats(0.1, 9.0), min_size=1, max_size=9))
def test_a_block_is_counted_as_its_events_one_by_one(half_life, first, weights):
    clock, other = new_clock(half_life), new_clock(half_life)
    counted = counted_weights(clock, first, np.array(weights))
    singly = [counted_weights(other, first + r, np.array([w]))[0] for r, w in enumerate(weights)]
    assert counted.tolist() == singly
    assert clock.tolist() == other.tolist()
    last = first + len(weights) - 1
    assert clock[UNIT] == unit_of(clock, last)
    assert counted[-1] == pytest.approx(weights[-1] * 2.0 ** (last / half_life), rel=1e-12)


@given(HALF_LIVES, st.integers(0, 3))
def test_a_later_epoch_changes_no_ratio(half_life, n_before):
    clock = new_clock(half_life)
    for _ in range(n_before + 1):
        t = due_at(clock) - 1
        assert (t - clock[EPOCH]) / half_life == pytest.approx(
            DOUBLINGS, abs=1.0 / half_life + 1e-9
        )
        counted_weights(clock, t, np.ones(1))
        old, before = clock[UNIT], unit_of(clock, t - 1)
        factor = advance(clock)
        assert math.frexp(factor)[0] == 0.5  # a power of two: nothing is rounded
        assert 1.0 - 1e-9 <= clock[UNIT] < 2.0
        assert clock[UNIT] == old * factor
        assert unit_of(clock, t) == pytest.approx(clock[UNIT], rel=1e-9)
        assert unit_of(clock, t - 1) == pytest.approx(before * factor, rel=1e-9)
        assert due_at(clock) > t + 1


def test_only_an_event_that_counts_is_let_go():
    clock = new_clock()
    assert [bool(lets_go(clock, t, 4)) for t in (0, 3, 4, 9)] == [False, False, True, True]
    clock[FIRST] = 3
    assert [bool(lets_go(clock, t, 4)) for t in (4, 6, 7, 9)] == [False, False, True, True]
