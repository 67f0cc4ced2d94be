"""Patience with a server: with a client that fails as told."""

from __future__ import annotations

import sys

import pytest

pytest.importorskip("redis")

import redis

from river_kdb.consume import ConsumeError
from river_kdb.consume import connection as module
from river_kdb.consume.connection import Connection, Stopped


@pytest.fixture
def connection(monkeypatch):
    monkeypatch.setattr(module, "_FIRST_WAIT", 0.001)
    monkeypatch.setattr(module, "_LONGEST_WAIT", 0.003)
    monkeypatch.setattr(redis.Redis, "ping", lambda self: True)
    stopping = []
    made = Connection("redis://user:secret@somewhere:1/0?x=1", lambda: bool(stopping))
    made.told = stopping
    return made


class Failing:
    """Fails with some errors, then returns how often it was called."""

    def __init__(self, *errors):
        self.errors, self.calls = list(errors), 0

    def __call__(self):
        self.calls += 1
        if self.errors:
            raise self.errors.pop(0)
        return self.calls


def test_what_passes_is_waited_for(connection, caplog):
    errors = [
        redis.exceptions.ConnectionError("refused"), redis.exceptions.TimeoutError("late"),
        redis.exceptions.BusyLoadingError("loading"), redis.exceptions.OutOfMemoryError("full"),
        redis.exceptions.ReadOnlyError("a replica"),
        redis.exceptions.ResponseError("MISCONF no disk"),
    ]  # fmt: skip
    caplog.set_level("INFO")
    assert connection.insist(Failing(*errors)) == 7
    assert [record.levelname for record in caplog.records] == ["WARNING"] * 6 + ["INFO"]
    assert "secret" not in caplog.text
    assert "again in 0.0 s" in caplog.text


@pytest.mark.parametrize(
    "error",
    [
        redis.exceptions.ResponseError("WRONGTYPE Operation against a key"),
        redis.exceptions.AuthenticationError("WRONGPASS invalid"),
    ],
)
def test_what_does_not_pass(connection, error):
    action = Failing(error)
    with pytest.raises(ConsumeError, match="the Redis server at somewhere:1/0: WRONG"):
        connection.insist(action)
    assert action.calls == 1


def test_a_stop_ends_the_waiting(connection):
    connection.told.append(True)
    with pytest.raises(Stopped):
        connection.insist(Failing(redis.exceptions.ConnectionError()))
    assert connection.insist(Failing()) == 1


def test_what_can_be_left_for_later(connection):
    assert connection.try_once(Failing())
    assert not connection.try_once(Failing(redis.exceptions.ConnectionError()))


def test_the_client_repeats_nothing_by_itself(connection):
    assert connection.client.connection_pool.connection_kwargs["retry"]._retries == 0


def test_no_server():
    with pytest.raises(ConsumeError, match=r"no Redis server at unix:///nowhere/at\.all: "):
        Connection("unix:///nowhere/at.all", lambda: False)


def test_no_url():
    with pytest.raises(ConsumeError, match="no URL of a Redis server"):
        Connection("http://somewhere", lambda: False)


def test_without_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "redis", None)
    with pytest.raises(ImportError, match=r'pip install "river-kdb\[redis\]"'):
        Connection("redis://somewhere", lambda: False)
