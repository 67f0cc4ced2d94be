"""The consumer's loop over entries: predict, wait for the label, learn. It knows no server."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from typing import Any, NamedTuple

from river_kdb.consume.entry import START, Entry, EntryId
from river_kdb.consume.errors import BadEntryError
from river_kdb.consume.event import EntryFormat
from river_kdb.consume.order import Step
from river_kdb.consume.tally import Tally
from river_kdb.consume.waiting import Waiter, Waiting

__all__ = ["DeadLetter", "Loop", "Outcome", "Prediction"]

_LOST = "lost: the entry was deleted before it was read"


class Prediction(NamedTuple):
    """What was predicted for an event.

    Parameters
    ----------
    entry
        The id of the event's entry.
    event_id
        The id of the event.
    label
        The most probable class, None if there is none yet.
    probabilities
        The probability of each class.
    """

    entry: EntryId
    event_id: str
    label: Any
    probabilities: dict[Any, float]


class DeadLetter(NamedTuple):
    """An entry that is of no use.

    Parameters
    ----------
    entry
        The entry.
    reason
        Why.
    """

    entry: Entry
    reason: str


class Outcome(NamedTuple):
    """What came of some entries, in the order of the entries of a stream.

    Parameters
    ----------
    predictions
        A prediction for each good event.
    dead_events, dead_labels
        The bad entries of the events' and of the labels' stream.
    """

    predictions: list[Prediction]
    dead_events: list[DeadLetter]
    dead_labels: list[DeadLetter]


class Loop:
    """Predicts every event, and learns it when its label is there.

    The state after some entries depends on nothing but them and their order. Entries that come
    again are skipped: of each stream those are used that come after the latest one used.

    Parameters
    ----------
    model
        A classifier.
    form
        What entries look like.
    max_waiting
        How many events may wait for their labels, and labels for their events.

    Examples
    --------
    >>> from river_kdb import KDBClassifier
    >>> from river_kdb.consume.entry import Entry
    >>> from river_kdb.consume.event import EntryFormat
    >>> from river_kdb.consume.loop import Loop
    >>> loop = Loop(KDBClassifier(), EntryFormat(target="class"))
    >>> entries = [
    ...     Entry((1, 0), {b"data": b'{"price": 3.5, "class": "UP"}'}),
    ...     Entry((2, 0), {b"data": b'{"price": 3.6, "class": "UP"}'}),
    ...     Entry((3, 0), {b"data": b'{"price": "3.7"'}),
    ... ]
    >>> outcome = loop.run(entries)
    >>> [prediction.label for prediction in outcome.predictions]
    [None, 'UP']
    >>> outcome.dead_events[0].reason[:8], loop.tally.learned
    ('not JSON', 2)
    >>> loop.run(entries).predictions, loop.tally.skipped
    ([], 3)
    """

    def __init__(self, model: Any, form: EntryFormat, max_waiting: int = 10_000) -> None:
        self.model = model
        self.form = form
        self.tally = Tally()
        self.waiting = Waiting(max_waiting)
        self.last_event = START
        self.last_label = START

    def run(self, events: Iterable[Entry], labels: Iterable[Entry] = ()) -> Outcome:
        """Deal with some entries: those of both streams in the order of their ids.

        Parameters
        ----------
        events
            Entries of the events' stream, their ids rising.
        labels
            Entries of the labels' stream, their ids rising.
        """
        outcome = Outcome([], [], [])
        mixed = heapq.merge(
            ((entry.id, 0, entry) for entry in events), ((entry.id, 1, entry) for entry in labels)
        )
        for _, is_label, entry in mixed:
            if entry.id <= (self.last_label if is_label else self.last_event):
                self.tally.skipped += 1
            elif is_label:
                self._label(entry, outcome)
            else:
                self._event(entry, outcome)
        return outcome

    @property
    def step(self) -> Step:
        """How far both streams have been dealt with."""
        return Step(self.last_event, self.last_label)

    def state(self) -> dict[str, Any]:
        """Return all but the model, as dicts, lists, texts and numbers."""
        return {
            "last_event": list(self.last_event),
            "last_label": list(self.last_label),
            "tally": self.tally.state(),
            "waiting": self.waiting.state(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Take up a state.

        Parameters
        ----------
        state
            What `state` returned.
        """
        self.last_event = tuple(state["last_event"])
        self.last_label = tuple(state["last_label"])
        self.tally = Tally.restored(state["tally"])
        self.waiting.restore(state["waiting"])

    def _event(self, entry: Entry, outcome: Outcome) -> None:
        self.last_event = entry.id
        self.tally.events += 1
        try:
            self._predict(entry, outcome)
        except (BadEntryError, TypeError, ValueError) as error:
            self.tally.dead_events += 1
            outcome.dead_events.append(self._dead_letter(entry, error))

    def _predict(self, entry: Entry, outcome: Outcome) -> None:
        if entry.fields is None:
            raise BadEntryError(_LOST)
        event_id, x, y = self.form.event(entry)
        if event_id in self.waiting.events:
            raise BadEntryError(f"an event with the id {event_id!r} waits for its label already")
        probabilities = self.model.predict_proba_one(x)
        label = max(probabilities, key=probabilities.__getitem__) if probabilities else None
        outcome.predictions.append(Prediction(entry.id, event_id, label, probabilities))
        self.tally.predicted += 1
        if y is None:
            y = self.waiting.take_label(event_id)
        if y is None:
            self.waiting.add_event(event_id, Waiter(x, probabilities))
        else:
            self._learn(x, y, probabilities)

    def _label(self, entry: Entry, outcome: Outcome) -> None:
        self.last_label = entry.id
        self.tally.labels += 1
        try:
            if entry.fields is None:
                raise BadEntryError(_LOST)
            event_id, y = self.form.label(entry)
            if event_id in self.waiting.labels:
                raise BadEntryError(f"a label for the id {event_id!r} waits for its event already")
            waiter = self.waiting.take_event(event_id)
            if waiter is None:
                self.waiting.add_label(event_id, y)
            else:
                self._learn(waiter.x, y, waiter.probabilities)
        except (BadEntryError, TypeError, ValueError) as error:
            self.tally.dead_labels += 1
            outcome.dead_labels.append(self._dead_letter(entry, error))

    def _learn(self, x: dict[str, Any], y: Any, probabilities: dict[Any, float]) -> None:
        self.model.learn_one(x, y)
        self.tally.learned += 1
        self.tally.score(y, probabilities)

    def _dead_letter(self, entry: Entry, error: Exception) -> DeadLetter:
        self.tally.lost += entry.fields is None
        reason = str(error) if isinstance(error, BadEntryError) else f"the model: {error}"
        return DeadLetter(entry, reason)
