"""What became of the entries, and how good the predictions were."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from typing import Any

__all__ = ["Tally"]


@dataclass
class Tally:
    """Counters of a consumer, which its checkpoint keeps.

    Accuracy and log loss are those of test-then-learn, by the rules of ``river-kdb evaluate``: an
    event for which nothing was predicted (the first) is not scored, nor enters the first scored
    event of each class the log loss. An event is scored when its label is there, by what was
    predicted when the event came.

    Parameters
    ----------
    events, labels
        Entries read of the events' and of the labels' stream, bad ones as well.
    predicted, learned
        Events predicted, and learned.
    scored, correct
        Events whose prediction was held against their label, and how many were right.
    losses, log_loss
        Events in the log loss, and their mean.
    dead_events, dead_labels
        Bad entries of the two streams, which became dead letters.
    lost
        How many of those had been deleted before they were read.
    skipped
        Entries that came again and had been dealt with.
    known
        The classes that have been scored.

    Examples
    --------
    >>> import math
    >>> from river_kdb.consume.tally import Tally
    >>> tally = Tally()
    >>> tally.score("a", {})
    >>> for y, p in [("a", 1.0), ("b", 1.0), ("a", 0.5)]:
    ...     tally.score(y, {"a": p})
    >>> tally.accuracy, tally.log_loss == math.log(2)
    (0.6666666666666666, True)
    """

    events: int = 0
    labels: int = 0
    predicted: int = 0
    learned: int = 0
    scored: int = 0
    correct: int = 0
    losses: int = 0
    log_loss: float = 0.0
    dead_events: int = 0
    dead_labels: int = 0
    lost: int = 0
    skipped: int = 0
    known: dict[Any, None] = field(default_factory=dict)

    @property
    def accuracy(self) -> float:
        """The share of the scored events whose prediction was right, NaN before the first."""
        return self.correct / self.scored if self.scored else math.nan

    def score(self, y: Any, probabilities: dict[Any, float]) -> None:
        """Hold a prediction against the label.

        Parameters
        ----------
        y
            The label.
        probabilities
            The probability of each class.
        """
        if not probabilities:
            return
        self.scored += 1
        self.correct += int(max(probabilities, key=probabilities.__getitem__) == y)
        if y not in self.known:
            self.known[y] = None
            return
        self.losses += 1
        loss = -math.log(min(max(probabilities.get(y, 0.0), 1e-15), 1.0))
        self.log_loss += (loss - self.log_loss) / self.losses

    def state(self) -> dict[str, Any]:
        """Return all of it as a dict of numbers, the classes as a list."""
        state = {f.name: getattr(self, f.name) for f in fields(self)}
        return {**state, "known": list(self.known)}

    @classmethod
    def restored(cls, state: dict[str, Any]) -> Tally:
        """Return the tally of a state.

        Parameters
        ----------
        state
            What `state` returned.
        """
        return cls(**{**state, "known": dict.fromkeys(state["known"])})
