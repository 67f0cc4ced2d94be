"""When a checkpoint is due, and what may be acknowledged then."""

from __future__ import annotations

import pytest

from river_kdb import Checkpoint, KDBClassifier
from river_kdb.consume.errors import ConsumeError
from river_kdb.consume.event import EntryFormat
from river_kdb.consume.keeper import Keeper, restored_loop
from river_kdb.consume.loop import Loop
from tests.consume.entries import Recorder, entry

FORM = EntryFormat("y", labels_apart=True)
IDENTITY = {"stream": "events", "target": "y"}


class Written(list):
    def write(self, model, position):
        self.append(position)


@pytest.fixture
def clock():
    return [0.0]


@pytest.fixture
def keeper(clock):
    loop = Loop(Recorder(), FORM)
    return Keeper(Written(), loop, IDENTITY, every=3, seconds=5.0, clock=lambda: clock[0])


def test_due_after_so_many_entries(keeper):
    keeper.add("events", [entry(1), entry(2)])
    assert not keeper.is_due
    keeper.add("labels", [entry(7)])
    assert keeper.is_due


def test_due_after_so_long_with_anything(keeper, clock):
    clock[0] = 100.0
    assert not keeper.is_due
    keeper.add("events", [entry(1)])
    clock[0] = 104.9
    assert not keeper.is_due
    clock[0] = 105.0
    assert keeper.is_due
    keeper.write()
    assert not keeper.is_due


def test_nothing_is_acknowledged_before_it_is_written(keeper):
    keeper.add("events", [entry(1)])
    assert keeper.kept == {}
    keeper.write()
    keeper.add("events", [entry(2)])
    assert keeper.kept == {"events": [(1, 0)]}
    keeper.write()
    keeper.write()
    assert keeper.kept == {"events": [(1, 0), (2, 0)]}
    assert len(keeper._checkpoint) == 2


def test_a_checkpoint_is_taken_up(tmp_path):
    checkpoint = Checkpoint(tmp_path / "model")
    assert checkpoint.load() is None
    loop = restored_loop(None, IDENTITY, KDBClassifier, FORM, 10)
    objects = [
        {"a": 1.5, "y": "UP"}, {"a": "text", "b": 10**30, "y": 10**25}, {"a": None, "y": True},
        {"a": float("inf")}, {"a": float("nan"), "b": False}, {"a": "é😀"}, {}, {"y": -0.5},
    ]  # fmt: skip
    events = [entry(i, **found) for i, found in enumerate(objects, 1)]
    loop.run(events, [entry(99, id="later", label=2.5)])
    keeper = Keeper(checkpoint, loop, IDENTITY, 10, 5.0)
    keeper.add("events", events)
    keeper.write()
    again = restored_loop(checkpoint.load(), IDENTITY, KDBClassifier, FORM, 10)
    assert repr(again.state()) == repr(loop.state())
    assert again.model.to_bytes() == loop.model.to_bytes()
    assert len(again.waiting.events) == 4
    more = [entry(200, a=2, y="UP"), entry(201, a="text", b=10**30, y=True)]
    assert again.run(more) == loop.run(more)


@pytest.mark.parametrize(
    ("position", "message"),
    [
        (17, "not written by this version"),
        ({"version": 99}, "not written by this version"),
        ({"version": 1, "stream": "events", "target": "z"}, "target 'z', not 'y'"),
    ],
)
def test_a_checkpoint_of_something_else(tmp_path, position, message):
    checkpoint = Checkpoint(tmp_path / "model")
    checkpoint.write(KDBClassifier(), position)
    with pytest.raises(ConsumeError, match=message):
        restored_loop(checkpoint.load(), IDENTITY, KDBClassifier, FORM, 10)
