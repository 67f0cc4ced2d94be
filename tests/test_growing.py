"""What grows with a stream, with a subclass that has room for three features."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from river_kdb.growing import Growing


class Small(Growing):
    """Notes what it is asked to make room for."""

    def __init__(self):
        super().__init__(("zip",), 100, 1000, 0.5)
        self.inserted = []
        self.rooms = 0

    def _has_room_for_feature(self, n_before):
        return len(self.encoder.names) + n_before < 3

    def _insert(self, names):
        self.inserted.append(sorted(names))

    def _make_room(self):
        self.rooms += 1


def taken(small, x):
    row, fresh = small.encoder.prepare(x)
    return small.take_in(row, fresh) if fresh else row


def test_features_are_taken_in_by_name_while_there_is_room():
    small = Small()
    row = taken(small, {"b": 2.0, "zip": 10117})
    assert small.encoder.names == ["b", "zip"]
    assert row[0] == 2.0
    assert np.isnan(row[1])
    with pytest.warns(UserWarning, match="max_size=0.5: no memory for more features"):
        taken(small, {"d": 1, "a": 3, "b": 1})
    assert small.encoder.names == ["a", "b", "zip"]
    assert small.inserted == [["b", "zip"], ["a"]]


def test_there_is_one_warning_and_a_note_for_each_topic():
    small = Small()
    with pytest.warns(UserWarning, match="first"):
        small.note("one", "first")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        small.note("two", "second")
    assert small.notes == {"one": "max_size=0.5: first", "two": "max_size=0.5: second"}


def test_labels_are_numbered_as_they_come():
    small = Small()
    assert [small.take_label(y) for y in ("b", 1, None)] == [0, 1, 2]
    assert small.labels == ["b", 1, None]
    assert small.rooms == 3
