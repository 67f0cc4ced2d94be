"""Events of another model as this one keeps them; sums of tables are tested with merging."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_kdb.counts.translation import Translation, joined_window, places_of, translated
from river_kdb.counts.window import Window, is_fading


def events(numbers, fades=False):
    """Events that can be told apart by their number, of two features."""
    numbers = np.array(numbers, dtype=np.float64)
    weights = numbers + 1.0
    return Window(
        np.stack([numbers, -numbers]),
        np.stack([numbers, numbers + 1]).astype(np.int16),
        numbers.astype(np.int32),
        weights,
        weights * 2.0 if fades else weights,
    )


@pytest.mark.parametrize("fades", [False, True])
@given(
    n_first=st.integers(0, 6),
    n_then=st.integers(0, 6),
    more=st.integers(0, 9),
    room=st.integers(1, 9),
)
def test_the_latest_stand_at_their_numbers(fades, n_first, n_then, more, room):
    n_events = n_first + n_then + more
    both = list(range(n_first + n_then))
    first, then = events(both[:n_first], fades), events(both[n_first:], fades)
    window = joined_window(first, then, n_events, room)
    assert is_fading(window) == fades
    held = both[-room:] if n_events else []
    for back, number in enumerate(reversed(held), start=1):
        at = (n_events - back) % room
        assert window.raw[:, at].tolist() == [number, -number]
        assert window.codes[:, at].tolist() == [number, number + 1]
        assert window.labels[at] == number
        assert window.weights[at] == number + 1
        assert window.counted[at] == (number + 1) * (2 if fades else 1)
    assert np.count_nonzero(window.weights) == len(held)


def test_codes_and_labels_of_another_model():
    slots = [np.array([1, 0]), np.array([2, 0, 1])]
    there = events([0, 1])._replace(
        codes=np.array([[9, 9], [0, 1], [-1, 2]], dtype=np.int16), labels=np.array([1, 0])
    )
    translation = Translation(np.array([1, 2]), slots, np.array([3, 0]))
    here = translated(there, translation, np.zeros((2, 2)))
    assert here.codes.tolist() == [[1, 0], [-1, 1]]
    assert here.codes.dtype == np.int16
    assert here.codes.flags.c_contiguous
    assert here.labels.tolist() == [0, 3]
    assert here.labels.dtype == np.int32
    assert there.codes.tolist() == [[9, 9], [0, 1], [-1, 2]]


def test_places():
    members = np.array([4, 0, 7])
    assert places_of(members, np.array([0, 3, 7])).tolist() == [-1, 0, 2]
