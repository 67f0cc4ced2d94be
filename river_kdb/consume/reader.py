"""Reading events and labels in batches."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from river_kdb.consume.entry import Entry
from river_kdb.consume.group import Group
from river_kdb.consume.order import Step, next_bound
from river_kdb.consume.source import Source

__all__ = ["Reader"]


class Reader:
    """Reads what was delivered before and not acknowledged, then what is new.

    Parameters
    ----------
    group
        The consumer group.
    events
        The events' stream.
    labels
        The labels' stream, if there is one.
    batch
        How many entries to ask for.
    block_ms
        How long to wait for new ones, in milliseconds.
    steps
        The steps by which the entries that come first were dealt with already: they are dealt
        with in the same ones again.
    """

    def __init__(
        self,
        group: Group,
        events: Source,
        labels: Source | None,
        batch: int,
        block_ms: int,
        steps: Iterable[Step] = (),
    ) -> None:
        self._group = group
        self._events = events
        self._labels = labels
        self._sources = [events] if labels is None else [events, labels]
        self._batch = batch
        self._block_ms = block_ms
        self._steps = deque(steps)

    @property
    def is_repeating(self) -> bool:
        """Whether there are steps that have not been taken again yet."""
        return bool(self._steps)

    def next(self, limit: int | None = None) -> tuple[list[Entry], list[Entry]]:
        """Return the next events and labels, both in the order of their ids; maybe none.

        Parameters
        ----------
        limit
            How many events at most; steps are not cut short for it.
        """
        try:
            if self._steps:
                return self._again()
            self._fill()
        except Exception:
            # What the server has delivered may not have arrived
            for source in self._sources:
                source.rewind()
            raise
        bound = next_bound(self._sources, limit)
        events = self._events.take(bound)
        return events, self._labels.take(bound) if self._labels is not None else []

    def _again(self) -> tuple[list[Entry], list[Entry]]:
        step = self._steps[0]
        for source, bound in zip(self._sources, step, strict=False):
            while source.behind and source.read < bound:
                self._fill_pending(source)
        self._steps.popleft()
        events = self._events.take(step.event)
        return events, self._labels.take(step.label) if self._labels is not None else []

    def _fill(self) -> None:
        for source in self._sources:
            if source.behind and len(source.queue) < self._batch:
                self._fill_pending(source)
        ready = [s for s in self._sources if not s.behind and len(s.queue) < self._batch]
        if not ready:
            return
        idle = not any(source.queue for source in self._sources)
        names = [source.stream for source in ready]
        block_ms = self._block_ms if idle and len(ready) == len(self._sources) else 0
        new = self._group.new(names, self._batch, block_ms)
        for source in ready:
            source.put_new(new.get(source.stream, []), self._batch)

    def _fill_pending(self, source: Source) -> None:
        found = self._group.pending(source.stream, source.read, self._batch)
        source.put_pending(found, self._batch)
