"""The window against a list of the latest events."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_kdb.counts import window as windows
from river_kdb.counts.clock import counted_weights, new_clock

pytestmark = pytest.mark.kernel


def events(first, stop, n_features):
    """Events that tell their own number: raw rows and codes (n, b), labels and weights (b,)."""
    number = np.arange(first, stop)
    raw = number + np.arange(n_features)[:, None] / 10
    codes = (number % 50 + np.arange(n_features)[:, None]).astype(np.int16)
    return raw, codes, (number % 7).astype(np.int32), number + 0.5


def pushed(sizes, n_features, capacity):
    """A window after blocks of these sizes, and how many events there were."""
    window, n_events = windows.new_window(n_features, capacity), 0
    for size in sizes:
        block = events(n_events, n_events + size, n_features)
        windows.push_block(window, n_events, *block)
        n_events += size
    return window, n_events


def assert_holds(window, n_events, first, n_features):
    """The window holds exactly the events from `first` on, each as it was pushed."""
    at = windows.places(window, n_events)
    expected = events(first, n_events, n_features)
    for array, right in zip(window[:4], expected, strict=True):
        assert np.array_equal(array[..., at], right)


@st.composite
def pushes(draw):
    capacity = draw(st.integers(1, 9))
    return draw(st.lists(st.integers(0, capacity), max_size=8)), draw(st.integers(0, 3)), capacity


@given(pushes())
def test_the_latest_events_are_held(push):
    _, n_features, capacity = push
    window, n_events = pushed(*push)
    assert_holds(window, n_events, max(0, n_events - capacity), n_features)


def test_a_window_of_one():
    window, n_events = pushed([1, 1, 1], 2, 1)
    assert windows.places(window, n_events).tolist() == [0]
    assert window.weights.tolist() == [2.5]


@given(pushes(), st.integers(1, 12))
def test_another_capacity_keeps_the_latest_that_fit(push, capacity):
    _, n_features, old = push
    window, n_events = pushed(*push)
    resized = windows.resized_window(window, n_events, capacity)
    held = min(n_events, old, capacity)
    at = np.arange(n_events - held, n_events) % capacity
    expected = events(n_events - held, n_events, n_features)
    for array, right in zip(resized[:4], expected, strict=True):
        assert array.shape[-1] == capacity
        assert np.array_equal(array[..., at], right)
    empty = np.delete(np.arange(capacity), at)
    assert np.isnan(resized.raw[:, empty]).all()
    assert not resized.weights[empty].any()


@given(pushes(), st.integers(1, 12), st.integers(1, 5))
def test_a_resized_window_goes_on(push, capacity, n_more):
    """What is pushed after a change of capacity lies where `places` looks for it."""
    _, n_features, old = push
    window, n_events = pushed(*push)
    resized = windows.resized_window(window, n_events, max(capacity, old))
    n_more = min(n_more, max(capacity, old))
    windows.push_block(resized, n_events, *events(n_events, n_events + n_more, n_features))
    n_events += n_more
    first = max(0, n_events - n_more - old, n_events - max(capacity, old))
    at = np.arange(first, n_events) % max(capacity, old)
    for array, right in zip(resized[:4], events(first, n_events, n_features), strict=True):
        assert np.array_equal(array[..., at], right)


@given(pushes(), st.data())
@settings(max_examples=50)
def test_part_of_what_is_held(push, data):
    _, n_features, capacity = push
    window, n_events = pushed(*push)
    first = data.draw(st.integers(max(0, n_events - capacity), n_events))
    stop = data.draw(st.integers(first, n_events))
    block = windows.held_block(window, first, stop)
    for array, right in zip(block, events(first, stop, n_features)[1:], strict=True):
        assert np.array_equal(array, right)
        assert array.flags.c_contiguous


@pytest.mark.parametrize("new", [[], [0], [1], [2], [0, 3], [1, 2], [0, 1, 4]])
def test_new_features_were_missing(new):
    window, n_events = pushed([3, 2], 2, 4)
    n = 2 + len(new)
    where = np.delete(np.arange(n), new)
    grown = windows.moved_features(window, where, n)
    assert grown.raw.shape == grown.codes.shape == (n, 4)
    assert np.isnan(grown.raw[new]).all()
    assert (grown.codes[new] == -1).all()
    assert np.array_equal(grown.raw[where], window.raw)
    assert np.array_equal(grown.codes[where], window.codes)
    assert grown.codes.dtype == np.int16
    assert np.array_equal(windows.places(grown, n_events), windows.places(window, n_events))


@pytest.mark.parametrize(("n_features", "capacity"), [(0, 1), (1, 5), (7, 64)])
def test_bytes_are_what_the_arrays_take(n_features, capacity):
    window = windows.new_window(n_features, capacity)
    taken = sum(array.nbytes for array in window[:4])
    assert windows.window_bytes(n_features, capacity) == taken
    assert window.counted is window.weights
    fading = windows.new_window(n_features, capacity, fades=True)
    taken = sum(array.nbytes for array in fading)
    assert windows.window_bytes(n_features, capacity, fades=True) == taken


@given(pushes(), st.integers(0, 30))
def test_places_from_an_event_on(push, first):
    window, n_events = pushed(*push)
    every = windows.places(window, n_events).tolist()
    kept = max(0, n_events - max(first, n_events - len(every)))
    assert windows.places(window, n_events, first).tolist() == every[len(every) - kept :]


@given(pushes(), st.integers(1, 12), st.integers(1, 9))
def test_how_much_events_count_moves_with_them(push, capacity, half_life):
    sizes, n_features, old = push
    window, clock, n_events = windows.new_window(n_features, old, True), new_clock(half_life), 0
    for size in sizes:
        block = events(n_events, n_events + size, n_features)
        windows.push_block(window, n_events, *block)
        counted = windows.weigh_block(window, clock, n_events, block[3])
        assert (
            counted.tolist() == counted_weights(new_clock(half_life), n_events, block[3]).tolist()
        )
        n_events += size
    resized = windows.resized_window(window, n_events, capacity)
    resized = windows.moved_features(resized, np.arange(n_features), n_features + 1)
    held = min(n_events, old, capacity)
    expected = counted_weights(new_clock(half_life), 0, events(0, n_events, 0)[3])
    at = windows.places(resized, n_events, n_events - held)
    assert resized.counted[at].tolist() == expected[n_events - held :].tolist()
    assert resized.counted is not resized.weights


@given(st.integers(1, 6), st.data())
def test_events_that_go_stand_before_those_that_take_their_place(n_come, data):
    n_gone = data.draw(st.integers(0, n_come))
    gone, come = (events(t, t + n, 2)[1:] for t, n in ((0, n_gone), (100, n_come)))
    codes, labels, weights = windows.exchanged(gone, come)
    expected = []
    for r in range(n_come):
        j = r - (n_come - n_gone)
        if j >= 0:
            expected.append((gone[0][:, j].tolist(), int(gone[1][j]), -float(gone[2][j])))
        expected.append((come[0][:, r].tolist(), int(come[1][r]), float(come[2][r])))
    assert list(zip(codes.T.tolist(), labels.tolist(), weights.tolist(), strict=True)) == expected
    assert codes.flags.c_contiguous
    assert codes.dtype == np.int16
