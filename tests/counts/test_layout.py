"""How much room tables get."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_kdb.counts.layout import class_room, slot_room


@given(st.integers(0, 5000))
def test_room_for_classes_is_the_smallest_power_of_two_that_holds_them(n_classes):
    powers = [2**e for e in range(1, 14)]
    assert class_room(n_classes) == min(p for p in powers if p >= n_classes)


@given(st.integers(0, 30_000))
def test_room_for_slots_holds_them_and_wastes_little(n_slots):
    room = slot_room(n_slots)
    assert max(1, n_slots) <= room <= max(1, n_slots + n_slots / 4 + 0.5)


def test_slots_one_by_one_rarely_need_new_room():
    moves, room = 0, 0
    for n_slots in range(1, 30_001):
        if n_slots > room:
            moves, room = moves + 1, slot_room(n_slots)
    assert moves < 60


@pytest.mark.parametrize(("n_slots", "room"), [(0, 1), (1, 1), (2, 3), (3, 4), (4, 5), (10, 13)])
def test_room_for_a_few_slots(n_slots, room):
    assert slot_room(n_slots) == room
