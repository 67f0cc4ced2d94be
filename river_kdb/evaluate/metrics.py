"""The metrics by their names."""

from __future__ import annotations

import inspect
import math
from collections.abc import Sequence
from typing import Any

from river import metrics
from river.metrics.base import BinaryMetric, ClassificationMetric, MeanMetric, MultiClassMetric

from river_kdb.evaluate.errors import EvaluationError, did_you_mean
from river_kdb.evaluate.streams import Stream

__all__ = ["LogLoss", "make_metrics", "metric_names"]

_SHORT = {"kappa": "CohenKappa"}


class LogLoss(MeanMetric, MultiClassMetric):
    """Mean of the negative logarithms of the probabilities given to the true classes.

    It differs from River's ``CrossEntropy`` in what it makes of a class that a prediction does
    not list: this is a probability of 0 (raised to 1e-15, as all are), where ``CrossEntropy``
    counts no loss at all. Only the first event of each class in the stream is left out: no model
    can name a class that it was never told of.

    Examples
    --------
    >>> from river_kdb.evaluate import LogLoss
    >>> metric = LogLoss()
    >>> metric.update("a", {"b": 1.0})  # the first event of class a
    >>> metric.update("a", {"a": 0.5, "b": 0.5})
    >>> round(metric.get(), 4)
    0.6931
    >>> metric.update("a", {"b": 1.0})
    >>> round(metric.get(), 4)
    17.616

    """

    _fmt = ""

    def __init__(self) -> None:
        super().__init__()
        self._known: set[Any] = set()

    @property
    def bigger_is_better(self) -> bool:
        """False: a loss."""
        return False

    @property
    def requires_labels(self) -> bool:
        """False: probabilities are needed."""
        return False

    def update(self, y_true: Any, y_pred: Any, w: float = 1.0) -> None:
        """Add an event, unless it is the first of its class."""
        if y_true in self._known:
            super().update(y_true, y_pred, w)
        else:
            self._known.add(y_true)

    def _eval(self, y_true: Any, y_pred: dict[Any, float]) -> float:
        return -math.log(min(max(y_pred.get(y_true, 0.0), 1e-15), 1.0))


def metric_names() -> dict[str, type[ClassificationMetric]]:
    """Return the metrics that can be asked for: those of River that give one number, and ours."""
    found: dict[str, type[ClassificationMetric]] = {}
    for name in metrics.__all__:
        cls = getattr(metrics, name, None)
        if not inspect.isclass(cls) or not issubclass(cls, ClassificationMetric):
            continue
        required = [p for p in inspect.signature(cls).parameters.values() if p.default is p.empty]
        if not required and name not in {"ConfusionMatrix", "ClassificationReport", "LogLoss"}:
            found[name] = cls
    found["LogLoss"] = LogLoss
    return found


def make_metrics(names: Sequence[str], stream: Stream) -> dict[str, ClassificationMetric]:
    """Make the named metrics anew.

    Parameters
    ----------
    names
        Names of classes in ``river.metrics``, in any case; ``kappa`` is short for CohenKappa,
        ``logloss`` is `LogLoss`.
    stream
        The stream they are for: metrics for two classes need the labels True and False.

    Examples
    --------
    >>> from river_kdb.evaluate import make_metrics, open_stream
    >>> make_metrics(["accuracy", "kappa"], open_stream("river:Phishing"))
    {'accuracy': Accuracy: 0.00%, 'kappa': CohenKappa: 0.00%}

    """
    known = metric_names()
    by_lower = {name.lower(): name for name in known}
    made: dict[str, ClassificationMetric] = {}
    for name in names:
        key = _SHORT.get(name.lower(), by_lower.get(name.lower(), ""))
        if key not in known:
            hint = did_you_mean(name, [*known, *_SHORT])
            raise EvaluationError(f"no metric {name!r}{hint}")
        cls = known[key]
        if issubclass(cls, BinaryMetric) and not stream.has_true_false_labels:
            macro = f"Macro{cls.__name__}"
            hint = f"; try {macro}" if macro in known else ""
            raise EvaluationError(f"the metric {name!r} is for labels True and False{hint}")
        made[name.lower()] = cls()
    if not made:
        raise EvaluationError("no metric was given")
    return made
