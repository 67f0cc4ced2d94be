"""How far the probabilities of a model can be believed."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

__all__ = ["Calibration", "CalibrationBin"]

N_BINS = 10
"""Bins of the winner's probability, of equal width."""


class CalibrationBin(NamedTuple):
    """The events whose most probable class had a probability in one bin.

    Attributes
    ----------
    low, high
        Bounds of the probability.
    n_events
        Events.
    confidence
        Mean probability of the most probable class.
    right
        Share of the events that are of that class.
    """

    low: float
    high: float
    n_events: int
    confidence: float
    right: float


def _zeros() -> list[float]:
    return [0.0] * N_BINS


@dataclass
class Calibration:
    """Compares the probability of the most probable class with how often it is the true one.

    Attributes
    ----------
    counts, confidences, rights
        For each bin the number of events, the sum of the probabilities of the most probable
        class, and the number of events that are of that class.
    squares
        Sum of the Brier scores.
    left_out
        Events left out, since their largest probability is no number from 0 to 1.

    Examples
    --------
    >>> from river_kdb.evaluate import Calibration
    >>> calibration = Calibration()
    >>> calibration.update("a", "a", {"a": 0.75, "b": 0.25})
    >>> calibration.update("b", "a", {"a": 0.75, "b": 0.25})
    >>> calibration.bins
    [CalibrationBin(low=0.7, high=0.8, n_events=2, confidence=0.75, right=0.5)]
    >>> calibration.error, calibration.brier
    (0.25, 0.625)

    References
    ----------
    - Guo, Pleiss, Sun and Weinberger (2017), On calibration of modern neural networks, ICML: the
      expected calibration error.
    - Brier (1950), Verification of forecasts expressed in terms of probability, Monthly Weather
      Review 78: the score, summed over the classes.

    """

    counts: list[float] = field(default_factory=_zeros)
    confidences: list[float] = field(default_factory=_zeros)
    rights: list[float] = field(default_factory=_zeros)
    squares: float = 0.0
    left_out: int = 0

    def update(self, y_true: Hashable, label: Hashable, proba: Mapping[Hashable, float]) -> None:
        """Add an event.

        Parameters
        ----------
        y_true
            The true class.
        label
            The most probable class.
        proba
            The probability of each class.
        """
        confidence = proba[label]
        if not 0.0 <= confidence <= 1.0 + 1e-9:
            self.left_out += 1
            return
        at = min(int(confidence * N_BINS), N_BINS - 1)
        self.counts[at] += 1
        self.confidences[at] += confidence
        self.rights[at] += y_true == label
        self.squares += sum(p * p for p in proba.values()) - 2 * proba.get(y_true, 0.0) + 1.0

    @property
    def n_events(self) -> int:
        """Events counted."""
        return int(sum(self.counts))

    @property
    def bins(self) -> list[CalibrationBin]:
        """The bins that have events, by rising probability."""
        return [
            CalibrationBin(
                at / N_BINS, (at + 1) / N_BINS, int(count),
                self.confidences[at] / count, self.rights[at] / count,
            )
            for at, count in enumerate(self.counts)
            if count
        ]  # fmt: skip

    @property
    def error(self) -> float:
        """Expected calibration error: the mean gap between probability and share, by events."""
        if not self.n_events:
            return math.nan
        gaps = (abs(c - r) for c, r in zip(self.confidences, self.rights, strict=True))
        return sum(gaps) / self.n_events

    @property
    def brier(self) -> float:
        """Mean Brier score, from 0 (best) to 2: squared errors summed over the classes."""
        return self.squares / self.n_events if self.n_events else math.nan
