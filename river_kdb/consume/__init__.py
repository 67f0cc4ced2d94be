"""A consumer of event streams on Redis; what ``river-kdb consume`` runs on (extra ``redis``)."""

from __future__ import annotations

from river_kdb.consume.consumer import Consumer
from river_kdb.consume.errors import BadEntryError, ConsumeError
from river_kdb.consume.event import EntryFormat, Event, Label
from river_kdb.consume.loop import DeadLetter, Loop, Outcome, Prediction
from river_kdb.consume.progress import Progress
from river_kdb.consume.settings import Settings
from river_kdb.consume.tally import Tally

__all__ = [
    "BadEntryError",
    "ConsumeError",
    "Consumer",
    "DeadLetter",
    "EntryFormat",
    "Event",
    "Label",
    "Loop",
    "Outcome",
    "Prediction",
    "Progress",
    "Settings",
    "Tally",
]
