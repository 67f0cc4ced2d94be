"""Writing what came of entries, each under the id of its entry."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from river_kdb.consume.entry import Entry, EntryId, id_text, read_id
from river_kdb.consume.event import label_text
from river_kdb.consume.loop import DeadLetter, Prediction

__all__ = ["Row", "dead_letter_row", "prediction_row", "write_rows"]

_TAKEN = "equal or smaller"


class Row(NamedTuple):
    """An entry to write.

    Parameters
    ----------
    id
        The id that it is to have.
    fields
        Names and values in turn.
    """

    id: EntryId
    fields: tuple[str | bytes, ...]


def prediction_row(prediction: Prediction) -> Row:
    """Return a prediction as a row: the event's id, the label, the probabilities as JSON.

    Parameters
    ----------
    prediction
        The prediction.

    Examples
    --------
    >>> from river_kdb.consume.loop import Prediction
    >>> from river_kdb.consume.sink import prediction_row
    >>> prediction_row(Prediction((7, 0), "a1", "UP", {"UP": 0.75, "DOWN": 0.25})).fields
    ('id', 'a1', 'label', 'UP', 'probability', '{"UP": 0.75, "DOWN": 0.25}')
    """
    probabilities = {label_text(y): p for y, p in prediction.probabilities.items()}
    return Row(
        prediction.entry,
        (
            "id", prediction.event_id, "label", label_text(prediction.label),
            "probability", json.dumps(probabilities),
        ),
    )  # fmt: skip


def dead_letter_row(letter: DeadLetter, stream: str, field: str) -> Row:
    """Return a dead letter as a row: where the entry was, the reason, and what it held.

    Parameters
    ----------
    letter
        The dead letter.
    stream
        The name of the entry's stream.
    field
        The field that ought to hold the data. Of an entry without it all fields are written as
        JSON, bytes that are no UTF-8 escaped.

    Examples
    --------
    >>> from river_kdb.consume.entry import Entry
    >>> from river_kdb.consume.loop import DeadLetter
    >>> from river_kdb.consume.sink import dead_letter_row
    >>> letter = DeadLetter(Entry((7, 0), {b"price": b"3"}), "no field 'data'")
    >>> dead_letter_row(letter, "events", "data").fields[4:]
    ('reason', "no field 'data'", 'data', b'{"price": "3"}')
    """
    entry = letter.entry
    return Row(
        entry.id,
        (
            "id", id_text(entry.id), "stream", stream, "reason", _readable(letter.reason),
            "data", _data(entry, field),
        ),
    )  # fmt: skip


def write_rows(
    client: Any, rows: Mapping[str, Sequence[Row]], note: tuple[str, str] | None = None
) -> int:
    """Write rows to their streams. Those written before are not written again.

    A row whose id is too small for the stream, since somebody else writes to it, gets an id of
    the server's.

    Parameters
    ----------
    client
        A Redis client.
    rows
        The rows of each stream, their ids rising.
    note
        A list's name and a text to put at its end before anything else.

    Returns
    -------
    How many rows got another id than theirs.
    """
    pipe = client.pipeline(transaction=False)
    if note is not None:
        pipe.rpush(*note)
    sent: list[tuple[str, Row] | None] = [None] * len(pipe)
    for stream, entries in rows.items():
        for row in entries:
            pipe.execute_command("XADD", stream, id_text(row.id), *row.fields)
            sent.append((stream, row))
    refused: dict[str, list[Row]] = {}
    for what, answer in zip(sent, pipe.execute(raise_on_error=False), strict=True):
        if not isinstance(answer, Exception):
            continue
        if what is None or _TAKEN not in str(answer):
            raise answer
        refused.setdefault(what[0], []).append(what[1])
    return sum(_write_refused(client, stream, entries) for stream, entries in refused.items())


def _write_refused(client: Any, stream: str, rows: Sequence[Row]) -> int:
    """Write those of the rows that are not there yet; return how many those were."""
    there = client.xrange(stream, id_text(rows[0].id), id_text(rows[-1].id))
    ids = {read_id(key) for key, _ in there}
    pipe = client.pipeline(transaction=False)
    for row in rows:
        if row.id not in ids:
            pipe.execute_command("XADD", stream, "*", *row.fields)
    return len(pipe.execute())


def _data(entry: Entry, field: str) -> bytes:
    fields = entry.fields or {}
    data = fields.get(field.encode())
    if data is not None:
        return data
    readable = {_text(key): _text(value) for key, value in fields.items()}
    return json.dumps(readable).encode() if readable else b""


def _text(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")


def _readable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
