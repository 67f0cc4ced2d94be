"""What a consumer group is asked for."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from river_kdb.consume.entry import Entry, EntryId, id_text, read_id
from river_kdb.consume.errors import ConsumeError

__all__ = ["Group"]

_ACKS_AT_ONCE = 1000


class Group:
    """A consumer group on one or two streams, and a consumer of it.

    Parameters
    ----------
    client
        A Redis client whose answers to ``XREADGROUP`` and ``XAUTOCLAIM`` are as the server sends
        them.
    name
        The name of the group.
    consumer
        The name of the consumer.
    """

    def __init__(self, client: Any, name: str, consumer: str) -> None:
        self._client = client
        self.name = name
        self.consumer = consumer

    def create(self, stream: str) -> None:
        """Make the group where it is not there yet, from the start of the stream.

        Parameters
        ----------
        stream
            The name of the stream, which is made where it is not there either.
        """
        # Matched by text: the class of the error differs between versions of redis-py
        try:
            self._client.xgroup_create(stream, self.name, id="0", mkstream=True)
        except Exception as error:
            if "BUSYGROUP" not in str(error):
                raise

    def claim(self, stream: str) -> list[EntryId]:
        """Take over what is pending for other consumers of the group.

        Parameters
        ----------
        stream
            The name of the stream.

        Returns
        -------
        The ids of pending entries that have been deleted, where the server tells.
        """
        deleted: list[EntryId] = []
        start = b"0-0"
        while True:
            start, _, *gone = self._client.execute_command(
                "XAUTOCLAIM", stream, self.name, self.consumer, 0, start, "COUNT", 1000, "JUSTID"
            )
            if gone:
                deleted += map(read_id, gone[0])
            if start == b"0-0":
                return deleted

    def pending(self, stream: str, after: EntryId, count: int) -> list[Entry]:
        """Return entries that were delivered to this consumer before and not acknowledged.

        Parameters
        ----------
        stream
            The name of the stream.
        after
            The id that theirs are above.
        count
            How many at most.
        """
        answer = self._client.execute_command(
            "XREADGROUP", "GROUP", self.name, self.consumer, "COUNT", count,
            "STREAMS", stream, id_text(after),
        )  # fmt: skip
        return [entry for _, entries in _streams(answer) for entry in entries]

    def new(self, streams: Sequence[str], count: int, block_ms: int) -> dict[str, list[Entry]]:
        """Return entries that were never delivered to the group, of each stream that has any.

        Parameters
        ----------
        streams
            The names of the streams.
        count
            How many of each at most.
        block_ms
            How long to wait for the first one, in milliseconds; 0: not at all.
        """
        block = ("BLOCK", block_ms) if block_ms else ()
        answer = self._client.execute_command(
            "XREADGROUP", "GROUP", self.name, self.consumer, "COUNT", count, *block,
            "STREAMS", *streams, *[">"] * len(streams),
        )  # fmt: skip
        return dict(_streams(answer))

    def acknowledge(self, stream: str, ids: Sequence[EntryId]) -> None:
        """Acknowledge entries.

        Parameters
        ----------
        stream
            The name of the stream.
        ids
            Their ids.
        """
        pipe = self._client.pipeline(transaction=False)
        for i in range(0, len(ids), _ACKS_AT_ONCE):
            pipe.xack(stream, self.name, *map(id_text, ids[i : i + _ACKS_AT_ONCE]))
        pipe.execute()

    def last_id(self, stream: str) -> EntryId:
        """Return the largest id that a stream ever had.

        Parameters
        ----------
        stream
            The name of the stream.
        """
        return read_id(self._client.xinfo_stream(stream)["last-generated-id"])

    def check_end(self, stream: str, last: EntryId) -> None:
        """Raise if a stream ends before what was dealt with of it.

        Parameters
        ----------
        stream
            The name of the stream.
        last
            The id of the last entry that was dealt with.

        Raises
        ------
        ConsumeError
            If so.
        """
        end = self.last_id(stream)
        if end < last:
            raise ConsumeError(
                f"the checkpoint is at entry {id_text(last)} of {stream!r}, which ends at "
                f"{id_text(end)}: another stream, or one that has lost its end"
            )

    def lag(self, stream: str) -> float:
        """Return how many entries were not delivered yet; NaN where the server can't tell.

        Servers before Redis 7 tell only when there are none.

        Parameters
        ----------
        stream
            The name of the stream.
        """
        for group in self._client.xinfo_groups(stream):
            if group["name"] == self.name.encode():
                if group.get("lag") is not None:
                    return float(group["lag"])
                up_to_date = read_id(group["last-delivered-id"]) >= self.last_id(stream)
                return 0.0 if up_to_date else math.nan
        return math.nan


def _streams(answer: Any) -> Iterator[tuple[str, list[Entry]]]:
    """Go over the streams of an answer to XREADGROUP."""
    for name, entries in answer or ():
        yield (
            name.decode(),
            [
                Entry(read_id(key), None if flat is None else dict(zip(flat[::2], flat[1::2])))  # noqa: B905
                for key, flat in entries
            ],
        )
