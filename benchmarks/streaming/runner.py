"""Test, then train: a model goes over a stream until its end or until its time is up."""

from __future__ import annotations

import gc
import importlib.metadata
import platform
from collections.abc import Callable, Iterable
from itertools import islice
from time import thread_time_ns
from typing import Any, NamedTuple

import numpy as np

import river_kdb
from benchmarks.streaming.measures import Answers, checkpoints, course, measure
from benchmarks.streaming.models import Contender
from benchmarks.streaming.sources import Source, opened
from benchmarks.streaming.store import Key
from benchmarks.streaming.synthetic import ABRUPT, drifting, generators
from river_kdb.evaluate import ModelSpec, memory_usage
from river_kdb.evaluate.streams import Event

WARM_UP = 250
WARM_UP_DRIFTING = 4000
MEMORY_FIRST = 1000
PACKAGES = ("river", "numpy", "numba")


class Task(NamedTuple):
    """A model on a stream, and how many seconds its calls may take."""

    source: Source
    contender: Contender
    seconds: float

    @property
    def key(self) -> Key:
        """What tells its record from others."""
        return Key(
            self.source.name,
            self.contender.name,
            self.contender.parameters,
            self.contender.version,
            self.source.n_rows,
            self.seconds,
        )


class Run(NamedTuple):
    """What became of a model on a stream; times in ns, memory in bytes."""

    answers: Answers
    predict_ns: int
    learn_ns: int
    peak_memory: int


def versions() -> dict[str, str]:
    """Return what the figures are measured with."""
    found = {name: importlib.metadata.version(name) for name in PACKAGES}
    return {"python": platform.python_version(), "river_kdb": river_kdb.__version__, **found}


def do(task: Task, moved: Callable[[int], None] = lambda row: None) -> dict[str, Any]:
    """Do a task and return its record; what a model raises is the record of a failure."""
    record = {
        **task.key._asdict(),
        "family": task.source.family,
        "drift": task.source.drift,
        "own": task.contender.own,
        "versions": versions(),
    }
    stream = opened(task.source)
    # What lives now is no concern of the garbage collector's while a model is timed
    gc.collect()
    gc.freeze()
    try:
        spec = task.contender.spec(stream)
        if spec.own:
            warm_up(spec, stream)
        run = go_over(spec, stream, task.seconds, moved)
    except Exception as error:
        text = " ".join(f"{type(error).__name__}: {error}".split())
        return {**record, "status": "failed", "message": text}
    n_rows = len(run.answers.truth)
    return {
        **record,
        "status": "ok",
        "message": spec.note,
        "rows_done": n_rows,
        **measure(run.answers),
        "predict_us": run.predict_ns / n_rows / 1e3,
        "learn_us": run.learn_ns / n_rows / 1e3,
        "peak_memory": run.peak_memory,
        "curve": course(run.answers, checkpoints(task.source.n_rows))._asdict(),
    }


def go_over(
    spec: ModelSpec,
    events: Iterable[Event],
    seconds: float,
    moved: Callable[[int], None] = lambda row: None,
) -> Run:
    """Let a new model predict each event, and then learn it.

    Parameters
    ----------
    spec
        The model.
    events
        The stream.
    seconds
        When the calls of the model have taken so much CPU time, the run ends.
    moved
        Is told the row from time to time.
    """
    model, adapt = spec.make(), spec.adapt
    codes: dict[Any, int] = {}
    truth: list[int] = []
    predicted: list[int] = []
    p_true: list[float] = []
    predict_ns = learn_ns = peak = 0
    limit, next_memory = int(seconds * 1e9), MEMORY_FIRST
    for row, (x, y) in enumerate(events, start=1):
        if adapt is not None:
            x = adapt(x)
        start = thread_time_ns()
        proba = model.predict_proba_one(x)
        middle = thread_time_ns()
        model.learn_one(x, y)
        learn_ns += thread_time_ns() - middle
        predict_ns += middle - start
        best = max(proba, key=proba.__getitem__) if proba else None
        truth.append(codes.setdefault(y, len(codes)))
        predicted.append(codes.setdefault(best, len(codes)) if proba else -1)
        p_true.append(proba.get(y, 0.0))
        if row % 100 == 0:
            moved(row)
        if row == next_memory:
            peak = max(peak, memory_usage(model))
            next_memory *= 2
        if predict_ns + learn_ns >= limit:
            break
    peak = max(peak, memory_usage(model))
    answers = Answers(np.array(truth), np.array(predicted), np.array(p_true, dtype=float))
    return Run(answers, predict_ns, learn_ns, peak)


_WARM: set[str] = set()


def warm_up(spec: ModelSpec, events: Iterable[Event]) -> None:
    """Have the kernels compiled by models that are thrown away.

    The first time also those that a drift calls for.
    """
    if spec.name not in _WARM:
        _WARM.add(spec.name)
        sine = next(generator for generator in generators() if generator.name == "Sine")
        _learn(spec, drifting(sine, ABRUPT, WARM_UP_DRIFTING))
    _learn(spec, islice(events, WARM_UP))


def _learn(spec: ModelSpec, events: Iterable[Event]) -> None:
    model = spec.make()
    for x, y in events:
        model.predict_proba_one(x)
        model.learn_one(x, y)
