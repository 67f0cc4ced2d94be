"""What waits, and what expires."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_kdb.consume.waiting import Waiter, Waiting

KEYS = st.sampled_from("abcdef")
DOINGS = st.lists(st.tuples(st.sampled_from(["event", "label"]), KEYS), max_size=40)


@settings(max_examples=50, deadline=None)
@given(doings=DOINGS, limit=st.integers(1, 4))
def test_nothing_vanishes(doings, limit):
    waiting, came, met = Waiting(limit), 0, 0
    for kind, key in doings:
        mine, other = (waiting.events, waiting.labels)[:: 1 if kind == "event" else -1]
        if key in mine:
            continue
        came += 1
        if key in other:
            assert (waiting.take_label if kind == "event" else waiting.take_event)(key) is not None
            met += 2
        elif kind == "event":
            waiting.add_event(key, Waiter({"of": key}, {}))
        else:
            waiting.add_label(key, key)
        again = Waiting(limit)
        again.restore(waiting.state())
        assert (list(again.events.items()), list(again.labels.items())) == (
            list(waiting.events.items()), list(waiting.labels.items()),
        )  # fmt: skip
        waiting = again
    left = len(waiting.events) + len(waiting.labels)
    assert came == met + left + waiting.expired_events + waiting.expired_labels
    assert max(len(waiting.events), len(waiting.labels)) <= limit


def test_the_oldest_expires():
    waiting = Waiting(2)
    for key in "abc":
        waiting.add_event(key, Waiter({}, {}))
        waiting.add_label(key.upper(), 1)
    assert (list(waiting.events), list(waiting.labels)) == (["b", "c"], ["B", "C"])
    assert (waiting.expired_events, waiting.expired_labels) == (1, 1)


def test_a_smaller_limit_lets_some_expire():
    waiting = Waiting(3)
    for key in "abc":
        waiting.add_event(key, Waiter({}, {}))
    smaller = Waiting(1)
    smaller.restore(waiting.state())
    assert (list(smaller.events), smaller.expired_events) == (["c"], 2)


def test_a_limit_out_of_bounds():
    with pytest.raises(ValueError, match="max_waiting"):
        Waiting(0)


def test_a_state_does_not_change_with_what_goes_on():
    waiting = Waiting(5)
    waiting.add_event("a", Waiter({"x": 1}, {"UP": 1.0}))
    state = waiting.state()
    waiting.take_event("a")
    assert state["events"] == [["a", {"x": 1}, {"UP": 1.0}]]
