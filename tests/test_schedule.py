"""When recoding and relearning is due, event by event."""

from __future__ import annotations

import copy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_kdb.schedule import Schedule


def slow_recodes(n_events, window):
    """12, 25, 50, 100, ... and a last time when the window is full."""
    times, t = [12], 25
    while t <= n_events:
        times.append(t)
        t *= 2
    return sorted({t for t in times if t < window} | {window}) if n_events else []


def slow_relearns(n_events, grace_period, relearn_period):
    times, t, gap = [], grace_period, grace_period
    while t <= n_events:
        times.append(t)
        t += min(gap, relearn_period)
        gap *= 2
    return times


def played(schedule, n_events, window):
    """Ask after every event."""
    recodes, relearns = [], []
    for t in range(1, n_events + 1):
        recodes += [t] if schedule.recode_due(t, window) else []
        relearns += [t] if schedule.relearn_due(t) else []
    return recodes, relearns


def jumped(schedule, n_events, window, t=0):
    """Ask only when something is due, as the models do."""
    recodes, relearns = [], []
    while (t := schedule.next_due(t, window)) <= n_events:
        recodes += [t] if schedule.recode_due(t, window) else []
        relearns += [t] if schedule.relearn_due(t) else []
    return recodes, relearns


@pytest.mark.parametrize(
    ("window", "times"),
    [
        (1, [1]),
        (11, [11]),
        (12, [12]),
        (13, [12, 13]),
        (40, [12, 25, 40]),
        (100, [12, 25, 50, 100]),
        (1000, [12, 25, 50, 100, 200, 400, 800, 1000]),
        (10_000, [12, 25, 50, 100, 200, 400, 800, 1600]),
    ],
)
def test_recodes(window, times):
    assert played(Schedule(100, 1000), 3000, window)[0] == times


@pytest.mark.parametrize(
    ("grace_period", "relearn_period", "times"),
    [
        (100, 1000, [100, 200, 400, 800, 1600, 2600]),
        (100, 500, [100, 200, 400, 800, 1300, 1800, 2300, 2800]),
        (1, 8, [1, 2, 4, 8, 16, 24, 32]),
        (1000, 300, [1000, 1300, 1600, 1900, 2200, 2500, 2800]),
        (5000, 1, []),
    ],
)
def test_relearns(grace_period, relearn_period, times):
    found = played(Schedule(grace_period, relearn_period), 3000, 10_000)[1]
    assert found[: len(times)] == times
    assert found == slow_relearns(3000, grace_period, relearn_period)


@given(st.integers(1, 130), st.integers(1, 130), st.integers(1, 300))
@settings(max_examples=60)
def test_asking_only_when_something_is_due_misses_nothing(grace_period, relearn_period, window):
    schedule = Schedule(grace_period, relearn_period)
    recodes, relearns = played(copy.copy(schedule), 700, window)
    assert jumped(schedule, 700, window) == (recodes, relearns)
    assert recodes == [t for t in slow_recodes(700, window) if t <= 700]
    assert relearns == slow_relearns(700, grace_period, relearn_period)


@given(st.integers(0, 1000), st.integers(1, 100))
@settings(max_examples=50)
def test_a_full_window_is_always_due(n_events, window):
    due = Schedule(10**6, 10**6).next_due(n_events, window)
    multiple = min(t for t in range(n_events + 1, n_events + window + 1) if t % window == 0)
    assert due <= multiple
    assert due == multiple or due == 12


def test_late_questions_are_answered_once():
    schedule = Schedule(100, 1000)
    assert schedule.relearn_due(450)
    assert not schedule.relearn_due(450)
    assert schedule.next_relearn > 450
    assert schedule.recode_due(60, 1000)
    assert not schedule.recode_due(99, 1000)
    assert schedule.recode_due(100, 1000)


def test_a_window_that_shrank_is_not_recoded():
    """Its oldest events are gone, so the tables would lose them."""
    schedule = Schedule(100, 1000)
    for t in range(1, 81):
        schedule.recode_due(t, 1000)
    assert not any(schedule.recode_due(t, 64) for t in range(81, 500))


@given(
    st.integers(1, 130), st.integers(1, 130), st.integers(1, 300), st.integers(0, 500), st.data()
)
@settings(max_examples=60)
def test_from_another_origin_it_runs_as_from_the_first_event(
    grace_period, relearn_period, window, origin, data
):
    schedule = Schedule(grace_period, relearn_period)
    played(schedule, data.draw(st.integers(origin, origin + 200)), window)
    schedule.restart(origin)
    found = jumped(schedule, 700, window, origin)
    first = Schedule(grace_period, relearn_period)
    expected = jumped(first, 700 - origin, window)
    assert found == tuple([origin + t for t in times] for times in expected)


def test_a_restart_long_after_its_origin():
    """As many events are there already as the window of the detector held."""
    schedule = Schedule(100, 1000)
    schedule.restart(5000)
    assert schedule.recode_due(5260, 10_000)
    assert schedule.relearn_due(5260)
    assert schedule.next_due(5260, 10_000) == 5400
    assert not schedule.turned(10_000, 10_000)
    assert schedule.turned(15_000, 10_000)
    assert schedule.next_due(14_990, 10_000) <= 15_000


def test_the_next_turn():
    schedule = Schedule(grace_period=10, relearn_period=10)
    assert [schedule.next_turn(t, 5) for t in (0, 4, 5, 11)] == [5, 5, 10, 15]
    schedule.restart(3)
    assert [schedule.next_turn(t, 5) for t in (3, 7, 8)] == [8, 8, 13]
    assert all(schedule.turned(schedule.next_turn(t, 5), 5) for t in range(3, 20))


def test_what_has_stopped_is_only_due_when_the_window_is_full():
    schedule = Schedule(grace_period=7, relearn_period=10)
    schedule.stop()
    t, due = 0, []
    for _ in range(4):
        t = schedule.next_due(t, 50)
        due.append(t)
        assert not schedule.relearn_due(t)
    assert due == [50, 100, 150, 200]
