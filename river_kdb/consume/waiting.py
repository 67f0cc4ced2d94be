"""Events that wait for their labels, and labels that wait for their events."""

from __future__ import annotations

from typing import Any, NamedTuple

from river_kdb.parameters import check_count

__all__ = ["Waiter", "Waiting"]


class Waiter(NamedTuple):
    """An event that was predicted and waits for its label.

    Parameters
    ----------
    x
        Features and values.
    probabilities
        What was predicted for it.
    """

    x: dict[str, Any]
    probabilities: dict[Any, float]


class Waiting:
    """What waits for its other half: so many at most, the oldest expires first.

    Parameters
    ----------
    limit
        How many events, and how many labels, may wait.

    Examples
    --------
    >>> from river_kdb.consume.waiting import Waiter, Waiting
    >>> waiting = Waiting(limit=1)
    >>> waiting.add_event("a", Waiter({"price": 3.5}, {"UP": 1.0}))
    >>> waiting.add_event("b", Waiter({"price": 3.7}, {"UP": 1.0}))
    >>> waiting.take_event("a") is None, waiting.expired_events
    (True, 1)
    >>> waiting.take_event("b")
    Waiter(x={'price': 3.7}, probabilities={'UP': 1.0})
    """

    def __init__(self, limit: int) -> None:
        check_count("max_waiting", limit, 1)
        self.limit = limit
        self.events: dict[str, Waiter] = {}
        self.labels: dict[str, Any] = {}
        self.expired_events = 0
        self.expired_labels = 0

    def add_event(self, event_id: str, waiter: Waiter) -> None:
        """Let an event wait for its label.

        Parameters
        ----------
        event_id
            Its id, which no waiting event has.
        waiter
            The event.
        """
        self.events[event_id] = waiter
        self.expired_events += _expire(self.events, self.limit)

    def add_label(self, event_id: str, y: Any) -> None:
        """Let a label wait for its event.

        Parameters
        ----------
        event_id
            The id of the event, for which no label waits.
        y
            The label.
        """
        self.labels[event_id] = y
        self.expired_labels += _expire(self.labels, self.limit)

    def take_event(self, event_id: str) -> Waiter | None:
        """Return a waiting event, which waits no longer; None if none of that id waits.

        Parameters
        ----------
        event_id
            Its id.
        """
        return self.events.pop(event_id, None)

    def take_label(self, event_id: str) -> Any:
        """Return the waiting label of an event, which waits no longer; None if there is none.

        Parameters
        ----------
        event_id
            The id of the event.
        """
        return self.labels.pop(event_id, None)

    def state(self) -> dict[str, Any]:
        """Return all of it as dicts, lists, texts and numbers."""
        return {
            "events": [[key, dict(w.x), dict(w.probabilities)] for key, w in self.events.items()],
            "labels": [[key, y] for key, y in self.labels.items()],
            "expired_events": self.expired_events,
            "expired_labels": self.expired_labels,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Take up a state; what is beyond the limit expires.

        Parameters
        ----------
        state
            What `state` returned.
        """
        self.events = {key: Waiter(x, probabilities) for key, x, probabilities in state["events"]}
        self.labels = dict(state["labels"])
        self.expired_events = state["expired_events"] + _expire(self.events, self.limit)
        self.expired_labels = state["expired_labels"] + _expire(self.labels, self.limit)


def _expire(store: dict[str, Any], limit: int) -> int:
    """Drop the oldest beyond the limit; return how many those were."""
    too_many = max(0, len(store) - limit)
    for _ in range(too_many):
        del store[next(iter(store))]
    return too_many
