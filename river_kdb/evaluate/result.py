"""What becomes of a model in an evaluation."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Literal

from river.metrics import ConfusionMatrix
from river.metrics.base import ClassificationMetric

from river_kdb.base import BNClassifier
from river_kdb.evaluate.calibration import Calibration

__all__ = ["Curve", "ModelResult"]

_CURVE_POINTS = 400


@dataclass
class Curve:
    """The course of the metrics: at most 400 points at equal distances, and the last one.

    Examples
    --------
    >>> from river_kdb.evaluate import Curve
    >>> curve = Curve()
    >>> for row in range(1, 1001):
    ...     if curve.is_due(row):
    ...         curve.add(row, [row / 1000])
    >>> curve.rows[:3], len(curve.rows) <= 400
    ([4, 8, 12], True)

    """

    rows: list[int] = field(default_factory=list)
    values: list[list[float]] = field(default_factory=list)
    step: int = 1

    def is_due(self, row: int) -> bool:
        """Whether there should be a point at this row."""
        return row % self.step == 0

    def add(self, row: int, values: list[float]) -> None:
        """Add a point; where there are too many, keep every second."""
        self.rows.append(row)
        self.values.append(values)
        if len(self.rows) >= _CURVE_POINTS:
            self.rows, self.values = self.rows[1::2], self.values[1::2]
            self.step *= 2


@dataclass
class ModelResult:
    """What became of a model.

    `state` is ``"finished"`` when the model has seen the whole stream, ``"failed"`` when it
    raised (`error` says what), and ``"running"`` while it runs and for good if it was interrupted.
    `peak_memory` is in bytes: the largest of the sizes taken at the rows 100, 200, 400, ... (at
    gaps of at most 10,000) and at the end, see `river_kdb.evaluate.memory_usage`. `seconds` are
    those of the whole run, with reading the stream and keeping the metrics. `labels_only` is True
    for a model that gives no probabilities.

    """

    name: str
    metrics: dict[str, ClassificationMetric]
    note: str = ""
    rows: int = 0
    predict_ns: int = 0
    learn_ns: int = 0
    seconds: float = 0.0
    peak_memory: int = 0
    state: Literal["running", "finished", "failed"] = "running"
    error: str = ""
    curve: Curve = field(default_factory=Curve)
    confusion: ConfusionMatrix = field(default_factory=ConfusionMatrix, repr=False)
    calibration: Calibration = field(default_factory=Calibration, repr=False)
    labels_only: bool = False
    model: Any = field(default=None, repr=False)
    own: bool = False
    lacks: tuple[str, ...] = ()

    @property
    def drifts(self) -> int | None:
        """Drifts detected by a model of this package, None where it has no detector."""
        count = getattr(self.model, "n_drifts_detected", None) if self.own else None
        off = isinstance(self.model, BNClassifier) and self.model.drift_detector is None
        return None if count is None or off else int(count())

    @property
    def drift_events(self) -> list[int]:
        """The numbers of the events after which drifts were detected, of the latest ones."""
        history = getattr(self.model, "structure_history", ()) if self.own else ()
        return [change.event for change in history if change.reason == "drift"]

    @property
    def predict_us(self) -> float:
        """Microseconds an event for predicting."""
        return self.predict_ns / self.rows / 1000 if self.rows else math.nan

    @property
    def learn_us(self) -> float:
        """Microseconds an event for learning."""
        return self.learn_ns / self.rows / 1000 if self.rows else math.nan

    @property
    def values(self) -> dict[str, float]:
        """The metrics as numbers, NaN where nothing was predicted."""
        if not self.rows:
            return dict.fromkeys(self.metrics, math.nan)
        return {name: float(metric.get()) for name, metric in self.metrics.items()}
