"""The consumer: reads, predicts and learns, writes, keeps, acknowledges."""

from __future__ import annotations

import logging
import os
import time
import uuid
from collections.abc import Callable
from functools import partial
from typing import Any

from river_kdb.consume.connection import Connection, Stopped
from river_kdb.consume.entry import Entry, id_text
from river_kdb.consume.event import EntryFormat
from river_kdb.consume.group import Group
from river_kdb.consume.journal import Journal
from river_kdb.consume.keeper import Keeper, restored_loop
from river_kdb.consume.lock import Lock
from river_kdb.consume.loop import Outcome
from river_kdb.consume.metrics import MetricsServer
from river_kdb.consume.order import Step
from river_kdb.consume.progress import Progress
from river_kdb.consume.reader import Reader
from river_kdb.consume.settings import Settings
from river_kdb.consume.sink import dead_letter_row, prediction_row, write_rows
from river_kdb.consume.source import Source
from river_kdb.consume.watcher import Watcher

__all__ = ["Consumer"]

_LOG = logging.getLogger(__name__)


class Consumer:
    """Consumes events of a Redis stream: predicts each, and learns it when its label is there.

    Entries are acknowledged after the checkpoint that contains them was written. Whatever breaks
    off in between, the next run takes up the checkpoint and what was not acknowledged: every event
    is predicted once and learned once, in the same order.

    Parameters
    ----------
    settings
        What to consume, and how.
    make_model
        Returns the model to start with where there is no checkpoint.
    listener
        Is told the figures after every reading.

    Examples
    --------
    >>> from pathlib import Path
    >>> from river_kdb import KDBClassifier
    >>> from river_kdb.consume import Consumer, Settings
    >>> settings = Settings("redis://localhost", "trades", "class", Path("trades.ckpt"), idle=5)
    >>> consumer = Consumer(settings, KDBClassifier)
    >>> progress = consumer.run()  # doctest: +SKIP
    """

    def __init__(
        self,
        settings: Settings,
        make_model: Callable[[], Any],
        listener: Callable[[Progress], None] | None = None,
    ) -> None:
        self.settings = settings
        self.progress = Progress()
        self._make_model = make_model
        self._listener = listener
        self._told_to_stop = False

    def stop(self) -> None:
        """Have the run end after the batch at hand; may be called from a signal's handler."""
        self._told_to_stop = True

    def run(self) -> Progress:
        """Consume until told to stop, or as the settings say.

        Returns
        -------
        The figures at the end.

        Raises
        ------
        ConsumeError
            If there is no server, another consumer is at work, or the checkpoint does not fit.
        river_kdb.persist.errors.UnreadableModelError
            If the checkpoint can't be read.
        """
        settings = self.settings
        self._connection = Connection(settings.url, self._stopping, settings.block_ms)
        client = self._connection.client
        owner = f"{settings.consumer} (process {os.getpid()}, {uuid.uuid4().hex[:8]})"
        self._lock = Lock(client, f"{settings.key}:lock", owner, settings.lock_seconds)
        metrics = None
        try:
            if settings.metrics_port is not None:
                metrics = MetricsServer(settings.metrics_port, lambda: self.progress)
                _LOG.info("metrics at http://localhost:%d/metrics", metrics.port)
            if self._connection.insist(lambda: self._lock.acquire(self._stopping)):
                self._open()
                self._consume()
        except Stopped:
            _LOG.warning("stopped while the server was away; what came since the last checkpoint "
                         "will be dealt with again")  # fmt: skip
        finally:
            self._lock.release()
            if metrics is not None:
                metrics.close()
            self._connection.close()
        return self.progress

    # The start ---------------------------------------------------------------------------------

    def _open(self) -> None:
        """Take up the checkpoint, and find out what has to come first."""
        from river_kdb import Checkpoint

        settings, insist = self.settings, self._connection.insist
        checkpoint = Checkpoint(settings.checkpoint, every=settings.every)
        saved = checkpoint.load()
        form = EntryFormat(
            settings.target, settings.field, settings.id_field, settings.labels is not None
        )
        identity, max_waiting = settings.identity, settings.max_waiting
        self._loop = restored_loop(saved, identity, self._make_model, form, max_waiting)
        self._keeper = Keeper(checkpoint, self._loop, identity, settings.every, settings.seconds)
        self._group = Group(self._connection.client, settings.group, settings.consumer)
        insist(self._create_groups)
        for stream, last in zip(self._streams, self._loop.step, strict=False):
            insist(partial(self._group.check_end, stream, last))
        sources = [
            Source(stream, insist(partial(self._group.claim, stream))) for stream in self._streams
        ]
        self._journal = None
        if settings.labels is not None:
            self._journal = Journal(self._connection.client, f"{settings.key}:steps")
        self._reader = Reader(
            self._group, sources[0], sources[1] if settings.labels else None, settings.batch,
            settings.block_ms, insist(self._later_steps),
        )  # fmt: skip
        self._begun = self._loop.tally.events
        self._watcher = Watcher(
            self._loop, self._group, settings.stream, self._connection.try_once
        )  # fmt: skip
        self._tell()
        _LOG.info(
            "%s: %s, from entry %s of %s on", settings.group,
            "a new model" if saved is None else f"{settings.checkpoint} taken up",
            id_text(self._loop.last_event), settings.stream,
        )  # fmt: skip

    @property
    def _streams(self) -> list[str]:
        labels = self.settings.labels
        return [self.settings.stream] if labels is None else [self.settings.stream, labels]

    def _create_groups(self) -> None:
        for stream in self._streams:
            self._group.create(stream)

    def _later_steps(self) -> list[Step]:
        return [] if self._journal is None else self._journal.later(self._loop.step)

    # The work ----------------------------------------------------------------------------------

    def _consume(self) -> None:
        last_work = time.monotonic()
        while not self._stopping() and self._left() != 0:
            try:
                events, labels = self._connection.insist(self._read)
            except Stopped:
                break
            if events or labels:
                self._deal_with(events, labels)
                last_work = time.monotonic()
            elif self.settings.idle and time.monotonic() - last_work >= self.settings.idle:
                break
            if self._keeper.is_due:
                self._keep()
                self._connection.insist(self._acknowledge)
            self._tell()
        self._keep()
        self._connection.try_once(self._acknowledge)
        self._tell()

    def _left(self) -> int | None:
        if self.settings.stop_after is None:
            return None
        return max(0, self.settings.stop_after - (self._loop.tally.events - self._begun))

    def _read(self) -> tuple[list[Entry], list[Entry]]:
        self._lock.check()
        try:
            return self._reader.next(self._left())
        except Exception as error:
            if "NOGROUP" not in str(error):
                raise
            _LOG.warning("the group is gone, and is made again: %s", error)
            self._create_groups()
            return [], []

    def _deal_with(self, events: list[Entry], labels: list[Entry]) -> None:
        outcome = self._loop.run(events, labels)
        if any(outcome) or self._journal is not None:
            moved = self._connection.insist(lambda: self._write(outcome))
            if moved:
                _LOG.warning("%d entries got ids of the server's: somebody else writes to the "
                             "streams of predictions or dead letters", moved)  # fmt: skip
        self._keeper.add(self._streams[0], events)
        if labels:
            self._keeper.add(self._streams[1], labels)

    def _write(self, outcome: Outcome) -> int:
        self._lock.check()
        settings = self.settings
        rows = {
            settings.predictions: [prediction_row(p) for p in outcome.predictions],
            settings.dead_letters: [
                dead_letter_row(letter, settings.stream, settings.field)
                for letter in outcome.dead_events
            ],
        }
        note = None
        if self._journal is not None:
            note = self._journal.key, self._loop.step.text()
            rows[settings.dead_labels] = [
                dead_letter_row(letter, self._streams[1], settings.field)
                for letter in outcome.dead_labels
            ]
        return write_rows(self._connection.client, rows, note)

    def _keep(self) -> None:
        self._connection.insist(self._lock.check)
        self._keeper.write()

    def _acknowledge(self) -> None:
        for stream, ids in self._keeper.kept.items():
            self._group.acknowledge(stream, ids)
        self._keeper.kept.clear()
        if self._journal is not None and not self._reader.is_repeating:
            self._journal.clear()

    def _tell(self) -> None:
        self.progress = self._watcher.look()
        if self._listener is not None:
            self._listener(self.progress)

    def _stopping(self) -> bool:
        return self._told_to_stop
