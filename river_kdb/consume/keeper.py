"""Keeping what was dealt with: first the checkpoint, then the acknowledgements."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from river_kdb.consume.entry import Entry, EntryId
from river_kdb.consume.errors import ConsumeError
from river_kdb.consume.event import EntryFormat
from river_kdb.consume.loop import Loop

__all__ = ["Keeper", "restored_loop"]

_VERSION = 1


class Keeper:
    """Writes checkpoints, and knows which entries may be acknowledged after that.

    Parameters
    ----------
    checkpoint
        A `river_kdb.Checkpoint`, or what has its method `write`.
    loop
        The loop to keep.
    identity
        What the checkpoint has to agree with when it is taken up.
    every, seconds
        A checkpoint is due after so many entries, or so many seconds with any.
    clock
        Returns seconds.
    """

    def __init__(
        self,
        checkpoint: Any,
        loop: Loop,
        identity: Mapping[str, Any],
        every: int,
        seconds: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._checkpoint = checkpoint
        self._loop = loop
        self._identity = dict(identity)
        self._every = every
        self._seconds = seconds
        self._clock = clock
        self._written_at = clock()
        self._waiting: dict[str, list[EntryId]] = {}
        self._n_waiting = 0
        self.kept: dict[str, list[EntryId]] = {}

    def add(self, stream: str, entries: Sequence[Entry]) -> None:
        """Note entries that were dealt with.

        Parameters
        ----------
        stream
            The name of their stream.
        entries
            The entries.
        """
        self._waiting.setdefault(stream, []).extend(entry.id for entry in entries)
        self._n_waiting += len(entries)

    @property
    def is_due(self) -> bool:
        """Whether it is time for a checkpoint."""
        if not self._n_waiting:
            self._written_at = self._clock()
            return False
        late = self._clock() - self._written_at >= self._seconds
        return late or self._n_waiting >= self._every

    def write(self) -> None:
        """Write a checkpoint if there is anything new; what it contains is in `kept` then."""
        if self._n_waiting:
            position = {"version": _VERSION, **self._identity, "loop": self._loop.state()}
            self._checkpoint.write(self._loop.model, position)
            for stream, ids in self._waiting.items():
                self.kept.setdefault(stream, []).extend(ids)
            self._waiting, self._n_waiting = {}, 0
        self._written_at = self._clock()


def restored_loop(
    saved: Any,
    identity: Mapping[str, Any],
    make_model: Callable[[], Any],
    form: EntryFormat,
    max_waiting: int,
) -> Loop:
    """Return the loop of a checkpoint, a new one if there is none.

    Parameters
    ----------
    saved
        What `Checkpoint.load` returned.
    identity
        What the checkpoint has to agree with.
    make_model
        Returns a new model.
    form, max_waiting
        See `Loop`.

    Raises
    ------
    ConsumeError
        If the checkpoint is of something else.
    """
    if saved is None:
        return Loop(make_model(), form, max_waiting)
    position = saved.position
    if not isinstance(position, dict) or position.get("version") != _VERSION:
        raise ConsumeError("the checkpoint was not written by this version of the consumer")
    for name, wanted in identity.items():
        if position[name] != wanted:
            raise ConsumeError(
                f"the checkpoint has {name} {position[name]!r}, not {wanted!r}: take another file"
            )
    loop = Loop(saved.model, form, max_waiting)
    loop.restore(position["loop"])
    return loop
