"""Test, then train: every event is predicted before it is learned."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from time import perf_counter_ns
from typing import Any

from river_kdb.evaluate.memory import memory_usage
from river_kdb.evaluate.metrics import make_metrics
from river_kdb.evaluate.registry import ModelSpec, make_models
from river_kdb.evaluate.result import ModelResult
from river_kdb.evaluate.streams import Stream

__all__ = ["Evaluation", "Listener"]

_WARM_UP = 250
_MEMORY_FIRST, _MEMORY_GAP = 100, 10_000
_REPORT_NS = 100_000_000


class Listener:
    """Is told how an evaluation goes on; override what is of interest."""

    def started(self, result: ModelResult, n_rows: int | None) -> None:
        """Tell that a model starts on `n_rows` events (None: not known)."""

    def moved(self, result: ModelResult) -> None:
        """Tell that a model has moved on; some ten times a second."""

    def ended(self, result: ModelResult) -> None:
        """Tell that a model has finished or failed."""


@dataclass
class Evaluation:
    """A progressive (test-then-train) evaluation of models on a stream, one after the other.

    For each model the stream is read anew. Each event is predicted once (``predict_proba_one``,
    or ``predict_one`` of a model without probabilities; the label is the most probable class),
    the metrics are updated, and the event is learned. As in River's ``progressive_val_score`` an
    event for which a model gives no prediction at all (the first) does not enter the metrics.

    Only the calls of the model are timed. A model of this package is beforehand tried on the
    first 250 events and thrown away, so that the compilation of its kernels, which happens once a
    machine, does not enter the times.

    Parameters
    ----------
    stream
        The stream.
    models
        The models, as `make_models` gives them, or their names.
    metrics
        The names of the metrics.
    listener
        Is told how it goes on.
    seed
        For models given by name that have a parameter `seed`.

    Attributes
    ----------
    specs
        The models.
    results
        One result a model, in order; while it runs, of those that have started. So after a
        KeyboardInterrupt the results so far are there.

    Examples
    --------
    >>> from river_kdb.evaluate import Evaluation, open_stream
    >>> evaluation = Evaluation(
    ...     open_stream("river:Phishing", limit=300), ["river:GaussianNB"], ["accuracy"]
    ... )
    >>> for result in evaluation.run():
    ...     print(result.name, result.rows, result.state, result.metrics["accuracy"])
    river:GaussianNB 300 finished Accuracy: 83.95%

    """

    stream: Stream
    models: Sequence[ModelSpec | str]
    metrics: Sequence[str] = ("accuracy", "kappa", "logloss")
    listener: Listener = field(default_factory=Listener, repr=False)
    seed: int = 42
    results: list[ModelResult] = field(default_factory=list, init=False)
    specs: list[ModelSpec] = field(default_factory=list, init=False, repr=False)

    def __post_init__(self) -> None:
        for model in self.models:
            if isinstance(model, str):
                self.specs.extend(make_models([model], self.stream, self.seed))
            else:
                self.specs.append(model)
        make_metrics(self.metrics, self.stream)  # complain now rather than later

    def run(self) -> list[ModelResult]:
        """Run all models; a model that raises is marked as failed, and the next one runs."""
        n_rows = self.stream.n_rows
        for spec in self.specs:
            metrics = make_metrics(self.metrics, self.stream)
            result = ModelResult(
                spec.name, dict(metrics), spec.note, own=spec.own, lacks=spec.lacks
            )
            self.results.append(result)
            self.listener.started(result, n_rows)
            if spec.own:
                _warm_up(spec, self.stream)
            _Run(spec, result, self.listener).over(self.stream)
            self.listener.ended(result)
            if result.state == "finished":
                n_rows = result.rows
        return self.results


class _Run:
    """One model going over a stream."""

    def __init__(self, spec: ModelSpec, result: ModelResult, listener: Listener) -> None:
        self.result = result
        self.listener = listener
        self.adapt = spec.adapt
        self.model = result.model = spec.make()
        self.predict = self.model.predict_proba_one
        self.by_label = [m for m in result.metrics.values() if m.requires_labels]
        self.by_proba = [m for m in result.metrics.values() if not m.requires_labels]
        self.next_memory = _MEMORY_FIRST
        self.next_report = 0

    def over(self, events: Iterable[tuple[dict[Any, Any], Any]]) -> None:
        """Go over the events, to their end or to an error of the model's."""
        result = self.result
        start = perf_counter_ns()
        try:
            for x, y in events:
                try:
                    self._event(x if self.adapt is None else self.adapt(x), y)
                except Exception as error:
                    what = " ".join(f"{type(error).__name__}: {error}".split())
                    result.error = f"at event {result.rows + 1}: {what}"
                    result.state = "failed"
                    return
                self._after_event()
            result.state = "finished"
        finally:
            result.seconds = (perf_counter_ns() - start) / 1e9
            self._measure()

    def _event(self, x: dict[Any, Any], y: Any) -> None:
        result = self.result
        start = perf_counter_ns()
        try:
            proba = self.predict(x)
        except NotImplementedError:  # a model without probabilities
            self.predict = lambda x: _certain(self.model.predict_one(x))
            result.labels_only = True
            start = perf_counter_ns()
            proba = self.predict(x)
        predicted = perf_counter_ns()
        if proba:
            label = max(proba, key=proba.__getitem__)
            for metric in self.by_label:
                metric.update(y, label)
            for metric in self.by_proba:
                metric.update(y, proba)
            result.confusion.update(y, label)
            result.calibration.update(y, label, proba)
        before = perf_counter_ns()
        self.model.learn_one(x, y)
        learned = perf_counter_ns()
        result.predict_ns += predicted - start
        result.learn_ns += learned - before
        result.rows += 1

    def _after_event(self) -> None:
        result = self.result
        if result.curve.is_due(result.rows):
            result.curve.add(result.rows, list(result.values.values()))
        if result.rows >= self.next_memory:
            result.peak_memory = max(result.peak_memory, memory_usage(self.model))
            self.next_memory += min(self.next_memory, _MEMORY_GAP)
        now = perf_counter_ns()
        if now >= self.next_report:
            self.next_report = now + _REPORT_NS
            self.listener.moved(result)

    def _measure(self) -> None:
        """Take the last point of the curve and the last size."""
        result = self.result
        if result.rows and result.curve.rows[-1:] != [result.rows]:
            result.curve.rows.append(result.rows)
            result.curve.values.append(list(result.values.values()))
        result.peak_memory = max(result.peak_memory, memory_usage(self.model))


def _certain(label: Any) -> dict[Any, float]:
    return {} if label is None else {label: 1.0}


def _warm_up(spec: ModelSpec, stream: Stream) -> None:
    """Have the kernels of a model compiled. What the model cannot take will show in the run."""
    model = spec.make()
    try:
        for x, y in islice(stream, _WARM_UP):
            x = x if spec.adapt is None else spec.adapt(x)
            model.predict_proba_one(x)
            model.learn_one(x, y)
    except Exception:
        return
