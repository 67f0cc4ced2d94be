"""Following how a consumer gets on."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

from river_kdb.consume.group import Group
from river_kdb.consume.loop import Loop
from river_kdb.consume.pace import Pace
from river_kdb.consume.progress import Progress, progress_of

__all__ = ["Watcher"]


class Watcher:
    """Takes the figures of a loop, and once a second its rate and lag.

    Parameters
    ----------
    loop
        The loop.
    group
        The consumer group, which knows the lag.
    stream
        The stream of the events.
    try_once
        Does something with the server unless that is away.
    """

    def __init__(
        self, loop: Loop, group: Group, stream: str, try_once: Callable[[Callable[[], Any]], bool]
    ) -> None:
        self._loop = loop
        self._group = group
        self._stream = stream
        self._try_once = try_once
        self._pace = Pace(time.monotonic(), loop.tally.events)
        self._lag = (math.nan, math.nan)

    def look(self) -> Progress:
        """Return the figures of the moment."""
        if self._pace.update(time.monotonic(), self._loop.tally.events):
            self._lag = (math.nan, math.nan)
            self._try_once(self._look_at_lag)
        return progress_of(self._loop, self._pace.rate, *self._lag)

    def _look_at_lag(self) -> None:
        behind = self._group.last_id(self._stream)[0] - self._loop.last_event[0]
        self._lag = self._group.lag(self._stream), max(0.0, behind / 1000)
