"""The ring of the latest events, against a list of all of them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from river_kdb.mixture.past import held, new_past, past_bytes, regrown_past


def fill(past, first, stop, n):
    for t in range(first, stop):
        place = t % len(past.labels)
        past.raw[:, place] = [10 * t + i for i in range(n)]
        past.labels[place], past.weights[place] = t % 3, t / 2


def assert_holds(past, first, stop, names):
    """`names` are the features' first numbers, None for one that came late."""
    events = held(past, first, stop)
    numbers = range(max(first, stop - len(past.labels)), stop)
    assert events.labels.tolist() == [t % 3 for t in numbers]
    assert events.weights.tolist() == [t / 2 for t in numbers]
    for i, name in enumerate(names):
        if name is None:
            assert np.isnan(events.raw[i]).all()
        else:
            assert events.raw[i].tolist() == [10 * t + name for t in numbers]


@given(st.integers(1, 9), st.integers(0, 30), st.integers(0, 30))
def test_the_latest_are_held_in_their_order(capacity, n_events, first):
    past = new_past(2, capacity)
    fill(past, 0, n_events, 2)
    assert_holds(past, min(first, n_events), n_events, [0, 1])
    assert sum(array.nbytes for array in past) == past_bytes(2, capacity)


@given(st.integers(1, 9), st.integers(0, 30), st.integers(1, 20), st.sampled_from([[0, 1], [1, 3]]))
def test_another_capacity_keeps_what_fits(capacity, n_events, wanted, where):
    past = new_past(2, capacity)
    fill(past, 0, n_events, 2)
    n = where[-1] + 1
    grown = regrown_past(past, n_events, wanted, np.array(where), n)
    names = [where.index(i) if i in where else None for i in range(n)]
    first = max(0, n_events - min(capacity, wanted))
    assert grown.raw.shape == (n, wanted)
    assert_holds(grown, first, n_events, names)
    if None not in names:
        fill(grown, n_events, n_events + 5, 2)
        assert_holds(grown, first, n_events + 5, names)
