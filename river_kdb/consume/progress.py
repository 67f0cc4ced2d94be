"""How a consumer gets on, at one moment."""

from __future__ import annotations

import math
from dataclasses import dataclass

from river_kdb.consume.loop import Loop

__all__ = ["Progress", "progress_of"]


@dataclass(frozen=True)
class Progress:
    """The figures of a consumer. Those of its checkpoint count what earlier runs did, too.

    Parameters
    ----------
    events, labels, predicted, learned, dead_events, dead_labels, lost, skipped
        Counters, see `Tally`.
    accuracy, log_loss
        Those of test-then-learn; NaN before the first event is scored.
    relearns, drifts
        How often the model's structure was learned, and how many drifts were detected.
    waiting_events, waiting_labels
        How many events wait for their labels, and labels for their events.
    expired_events, expired_labels
        How many waited in vain.
    rate
        Events a second of late.
    lag_events
        Entries of the events' stream that were not delivered yet, NaN where it is not known.
    lag_seconds
        How much older the last event is than the latest entry of the stream, by their ids.
    """

    events: int = 0
    labels: int = 0
    predicted: int = 0
    learned: int = 0
    dead_events: int = 0
    dead_labels: int = 0
    lost: int = 0
    skipped: int = 0
    accuracy: float = math.nan
    log_loss: float = math.nan
    relearns: int = 0
    drifts: int = 0
    waiting_events: int = 0
    waiting_labels: int = 0
    expired_events: int = 0
    expired_labels: int = 0
    rate: float = 0.0
    lag_events: float = math.nan
    lag_seconds: float = math.nan


def progress_of(
    loop: Loop, rate: float = 0.0, lag_events: float = math.nan, lag_seconds: float = math.nan
) -> Progress:
    """Return the figures of a loop.

    Parameters
    ----------
    loop
        The loop.
    rate, lag_events, lag_seconds
        What it can't know.
    """
    tally, waiting = loop.tally, loop.waiting
    return Progress(
        events=tally.events,
        labels=tally.labels,
        predicted=tally.predicted,
        learned=tally.learned,
        dead_events=tally.dead_events,
        dead_labels=tally.dead_labels,
        lost=tally.lost,
        skipped=tally.skipped,
        accuracy=tally.accuracy,
        log_loss=tally.log_loss if tally.losses else math.nan,
        relearns=loop.model.n_relearns,
        drifts=loop.model.n_drifts_detected(),
        waiting_events=len(waiting.events),
        waiting_labels=len(waiting.labels),
        expired_events=waiting.expired_events,
        expired_labels=waiting.expired_labels,
        rate=rate,
        lag_events=lag_events,
        lag_seconds=lag_seconds,
    )
