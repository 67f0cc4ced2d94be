"""What a consumer is told."""

from __future__ import annotations

import dataclasses
import math
import socket
from pathlib import Path
from typing import Any

from river_kdb.consume.errors import ConsumeError

__all__ = ["Settings"]


@dataclasses.dataclass(frozen=True)
class Settings:
    """What to consume, and how.

    Parameters
    ----------
    url
        Where the Redis server is.
    stream
        The stream of the events.
    target
        The name of the label in an event.
    checkpoint
        The file that keeps the model and how far it is.
    group
        The consumer group.
    predictions
        The stream that predictions are written to; ``STREAM:predictions`` by default.
    dead_letters
        The stream that bad events are written to; ``STREAM:dead`` by default. Bad labels go to
        ``LABELS:dead``.
    labels
        The stream of the labels that come by themselves, if there is one.
    field, id_field
        See `EntryFormat`.
    consumer
        The name of the consumer; the host's by default.
    max_waiting
        How many events may wait for their labels, and labels for their events.
    every, seconds
        A checkpoint is written after so many entries, or so many seconds with any.
    batch
        How many entries to read at once.
    block_ms
        How long to wait for entries at a time, in milliseconds; half of `lock_seconds` at most.
    metrics_port
        The port to show metrics for Prometheus at.
    stop_after
        End after so many events.
    idle
        End when nothing came for so many seconds.
    lock_seconds
        When another consumer may take the place of one that is gone.

    Raises
    ------
    ConsumeError
        For a setting out of bounds.

    Examples
    --------
    >>> from pathlib import Path
    >>> from river_kdb.consume.settings import Settings
    >>> settings = Settings("redis://localhost", "trades", "class", Path("trades.ckpt"))
    >>> settings.predictions, settings.dead_letters, settings.dead_labels
    ('trades:predictions', 'trades:dead', '')
    """

    url: str
    stream: str
    target: str
    checkpoint: Path
    group: str = "river-kdb"
    predictions: str = ""
    dead_letters: str = ""
    labels: str | None = None
    field: str = "data"
    id_field: str | None = None
    consumer: str = ""
    max_waiting: int = 10_000
    every: int = 10_000
    seconds: float = 5.0
    batch: int = 500
    block_ms: int = 500
    metrics_port: int | None = None
    stop_after: int | None = None
    idle: float | None = None
    lock_seconds: float = 10.0

    def __post_init__(self) -> None:
        for name in ("stream", "target", "group", "field"):
            if not getattr(self, name):
                raise ConsumeError(f"{name} is empty")
        for name in ("max_waiting", "every", "batch", "block_ms", "stop_after"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ConsumeError(f"{name} must be at least 1, not {value}")
        for name in ("seconds", "idle", "lock_seconds"):
            value = getattr(self, name)
            if value is not None and not 0 < value < math.inf:
                raise ConsumeError(f"{name} must be a number of seconds above 0, not {value}")
        # Else entries may be delivered to a consumer that another one has taken over from
        if self.block_ms > 500 * self.lock_seconds:
            raise ConsumeError(
                f"block_ms must be at most half of lock_seconds ({self.lock_seconds}), "
                f"not {self.block_ms}"
            )
        # A frozen dataclass is still being made here
        object.__setattr__(self, "consumer", self.consumer or socket.gethostname())
        object.__setattr__(self, "predictions", self.predictions or f"{self.stream}:predictions")
        object.__setattr__(self, "dead_letters", self.dead_letters or f"{self.stream}:dead")
        self._check_streams()

    @property
    def dead_labels(self) -> str:
        """The stream that bad labels are written to, empty without a labels' stream."""
        return f"{self.labels}:dead" if self.labels else ""

    @property
    def key(self) -> str:
        """What the names of the keys begin with that keep consumers apart."""
        return f"river-kdb:{self.stream}:{self.group}"

    @property
    def identity(self) -> dict[str, Any]:
        """What a checkpoint has to agree with."""
        return {
            "stream": self.stream,
            "group": self.group,
            "labels": self.labels,
            "target": self.target,
        }

    def _check_streams(self) -> None:
        names = [self.stream, self.predictions, self.dead_letters]
        names += [self.labels, self.dead_labels] if self.labels else []
        for name in names:
            if names.count(name) > 1:
                raise ConsumeError(f"the stream {name!r} can't be two of the streams at once")
