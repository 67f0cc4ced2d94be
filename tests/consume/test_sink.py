"""Rows under ids of one's own: with a client that keeps streams in dicts."""

from __future__ import annotations

import pytest

from river_kdb.consume.entry import Entry, id_text, read_id
from river_kdb.consume.loop import DeadLetter, Prediction
from river_kdb.consume.sink import Row, dead_letter_row, prediction_row, write_rows


class Streams:
    """As much of a Redis client as is written with."""

    def __init__(self, streams=(), fails=()):
        self.streams = {name: dict(entries) for name, entries in dict(streams).items()}
        self.lists = {}
        self.fails = list(fails)

    def pipeline(self, transaction):
        assert transaction is False
        return _Pipeline(self)

    def xrange(self, stream, low, high):
        low, high = read_id(low), read_id(high)
        return [
            (id_text(key).encode(), value)
            for key, value in self.streams[stream].items()
            if low <= key <= high
        ]

    def add(self, stream, key, *fields):
        entries = self.streams.setdefault(stream, {})
        top = max(entries, default=(0, 0))
        entry_id = (top[0] + 1000, 0) if key == "*" else read_id(key)
        if entry_id <= top:
            return RuntimeError("The ID specified in XADD is equal or smaller than the target")
        if fields[0] in self.fails:
            self.fails.remove(fields[0])
            return RuntimeError("OOM")
        entries[entry_id] = fields
        return id_text(entry_id)


class _Pipeline(list):
    def __init__(self, client):
        super().__init__()
        self.client = client

    def rpush(self, *arguments):
        self.append(lambda: self.client.lists.setdefault(arguments[0], []).append(arguments[1]))

    def execute_command(self, name, stream, key, *fields):
        assert name == "XADD"
        self.append(lambda: self.client.add(stream, key, *fields))

    def execute(self, raise_on_error=True):
        answers = [command() for command in self]
        failed = [answer for answer in answers if isinstance(answer, Exception)]
        if failed and raise_on_error:
            raise failed[0]
        return answers


ROWS = {"p": [Row((1, 0), ("a", "1")), Row((2, 0), ("b", "2"))], "d": [Row((2, 0), ("c", "3"))]}
WRITTEN = {"p": {(1, 0): ("a", "1"), (2, 0): ("b", "2")}, "d": {(2, 0): ("c", "3")}}


def test_rows_and_a_note():
    client = Streams()
    assert write_rows(client, ROWS, ("steps", "2-0 0-0")) == 0
    assert (client.streams, client.lists) == (WRITTEN, {"steps": ["2-0 0-0"]})


@pytest.mark.parametrize("before", [{"p": [Row((1, 0), ("a", "1"))], "d": []}, ROWS])
def test_what_is_there_is_not_written_again(before):
    client = Streams()
    write_rows(client, before)
    assert write_rows(client, ROWS) == 0
    assert client.streams == WRITTEN


def test_where_somebody_else_writes_the_server_gives_an_id():
    client = Streams({"p": {(7, 0): ("other", "")}})
    assert write_rows(client, ROWS) == 2
    assert list(client.streams["p"].values()) == [("other", ""), ("a", "1"), ("b", "2")]


def test_an_error_is_raised_and_the_next_try_completes():
    client = Streams(fails=["b"])
    with pytest.raises(RuntimeError, match="OOM"):
        write_rows(client, ROWS)
    write_rows(client, ROWS)
    assert client.streams == WRITTEN


def test_a_prediction_before_anything_is_learned():
    row = prediction_row(Prediction((1, 2), "e", None, {}))
    assert row == Row((1, 2), ("id", "e", "label", "", "probability", "{}"))


def test_labels_that_are_no_texts():
    row = prediction_row(Prediction((1, 2), "e", True, {True: 0.5, 2.5: 0.25, 3: 0.25}))
    assert row.fields[3:] == ("true", "probability", '{"true": 0.5, "2.5": 0.25, "3": 0.25}')


@pytest.mark.parametrize(
    ("fields", "data"),
    [
        ({b"data": b"\xff", b"more": b"1"}, b"\xff"),
        ({b"a": b"\xff", b"b": "é".encode()}, b'{"a": "\\\\xff", "b": "\\u00e9"}'),
        (None, b""),
    ],
)
def test_a_dead_letter_holds_what_the_entry_held(fields, data):
    row = dead_letter_row(DeadLetter(Entry((3, 1), fields), "half: \ud800"), "events", "data")
    assert row.id == (3, 1)
    assert row.fields[:6] == ("id", "3-1", "stream", "events", "reason", "half: \\ud800")
    assert row.fields[7] == data
