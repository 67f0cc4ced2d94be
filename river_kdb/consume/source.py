"""What was read of a stream and not dealt with yet."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from river_kdb.consume.entry import START, Entry, EntryId

__all__ = ["Source"]


class Source:
    """A queue of entries in the order of their ids.

    After the start, and after every failure, the entries that were delivered before come first:
    until then the source is `behind`.

    Parameters
    ----------
    stream
        The name of the stream.
    deleted
        Ids of entries that are known to have been deleted while they were pending.

    Examples
    --------
    >>> from river_kdb.consume.entry import Entry
    >>> from river_kdb.consume.source import Source
    >>> source = Source("events", deleted=[(2, 0)])
    >>> source.put_pending([Entry((1, 0), {}), Entry((4, 0), {})], asked=10)
    >>> source.behind, [entry.id for entry in source.take((3, 0))]
    (False, [(1, 0), (2, 0)])
    """

    def __init__(self, stream: str, deleted: Sequence[EntryId] = ()) -> None:
        self.stream = stream
        self.queue: deque[Entry] = deque()
        self.behind = True
        self.has_more = True
        self._taken = START
        self._deleted = sorted(deleted)

    @property
    def read(self) -> EntryId:
        """The id of the last entry that was read."""
        return self.queue[-1].id if self.queue else self._taken

    def put_pending(self, entries: Sequence[Entry], asked: int) -> None:
        """Add entries that had been delivered before.

        Parameters
        ----------
        entries
            The entries.
        asked
            How many were asked for.
        """
        self.behind = self.has_more = len(entries) >= asked
        for entry in entries:
            self._add_deleted(entry.id)
            self.queue.append(entry)
        if not self.behind:
            self._add_deleted(None)

    def put_new(self, entries: Sequence[Entry], asked: int) -> None:
        """Add entries that are new to the group.

        Parameters
        ----------
        entries
            The entries.
        asked
            How many were asked for.
        """
        self.has_more = len(entries) >= asked
        self.queue.extend(entries)

    def take(self, bound: EntryId | None) -> list[Entry]:
        """Return the first entries, which leave the queue.

        Parameters
        ----------
        bound
            The largest id that is taken; None takes all.
        """
        taken = []
        while self.queue and (bound is None or self.queue[0].id <= bound):
            taken.append(self.queue.popleft())
        if taken:
            self._taken = taken[-1].id
        return taken

    def rewind(self) -> None:
        """Forget what was not taken: it is to be read again."""
        self.queue.clear()
        self.behind = self.has_more = True

    def _add_deleted(self, before: EntryId | None) -> None:
        for entry_id in self._deleted:
            if self.read < entry_id and (before is None or entry_id < before):
                self.queue.append(Entry(entry_id, None))
