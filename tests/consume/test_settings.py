"""What a consumer may be told."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from river_kdb.consume import ConsumeError, Settings


def settings(**changes):
    return Settings("redis://h", "e", "y", Path("c"), **changes)


def test_defaults():
    told = settings(labels="l")
    assert (told.consumer, told.group) == (socket.gethostname(), "river-kdb")
    assert (told.predictions, told.dead_letters, told.dead_labels) == (
        "e:predictions", "e:dead", "l:dead",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"group": ""}, "group is empty"),
        ({"batch": 0}, "batch must be at least 1, not 0"),
        ({"stop_after": 0}, "stop_after must be at least 1, not 0"),
        ({"idle": 0.0}, "idle must be a number of seconds above 0, not 0.0"),
        ({"lock_seconds": float("nan")}, "lock_seconds must be"),
        ({"block_ms": 501, "lock_seconds": 1.0}, "block_ms must be at most half"),
        ({"predictions": "e"}, "the stream 'e' can't be two"),
        ({"labels": "e"}, "the stream 'e' can't be two"),
        ({"labels": "l", "dead_letters": "l:dead"}, "the stream 'l:dead' can't be two"),
    ],
)
def test_bad_settings(changes, message):
    with pytest.raises(ConsumeError, match=message):
        settings(**changes)
