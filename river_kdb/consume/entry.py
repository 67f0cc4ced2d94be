"""Entries of a Redis stream and their ids."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

__all__ = ["START", "Entry", "EntryId", "id_text", "read_id"]

EntryId = tuple[int, int]
"""Milliseconds and number within the millisecond: in order as Redis orders ids."""

START: EntryId = (0, 0)
"""Before every entry."""


class Entry(NamedTuple):
    """An entry of a stream.

    Parameters
    ----------
    id
        Its id.
    fields
        Its fields; None if the entry was deleted before it was read.
    """

    id: EntryId
    fields: Mapping[bytes, bytes] | None


def read_id(text: bytes | str) -> EntryId:
    """Return an id as numbers.

    Parameters
    ----------
    text
        The id as Redis writes it.

    Examples
    --------
    >>> from river_kdb.consume.entry import read_id
    >>> read_id(b"1700000000000-3")
    (1700000000000, 3)
    """
    if isinstance(text, bytes):
        text = text.decode()
    milliseconds, _, number = text.partition("-")
    return int(milliseconds), int(number)


def id_text(entry_id: EntryId) -> str:
    """Return an id as Redis writes it.

    Parameters
    ----------
    entry_id
        The id as numbers.

    Examples
    --------
    >>> from river_kdb.consume.entry import id_text
    >>> id_text((1700000000000, 3))
    '1700000000000-3'
    """
    return f"{entry_id[0]}-{entry_id[1]}"
