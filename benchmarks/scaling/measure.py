"""Measure what an event costs a model whose window is full, and what the model takes."""

from __future__ import annotations

import gc
import statistics
import time
from typing import Any, NamedTuple

import numpy as np

from benchmarks.scaling.cases import RELEARN_PERIOD, Case, make_model
from benchmarks.scaling.rows import Rows
from river_kdb.counts.layout import Layout, class_room
from river_kdb.counts.pairs import pairs_bytes

MIB = 2**20
PARTS = ("window", "singles", "pairs", "triples", "families", "bitsets")

_PREDICTIONS = 200
_PROBE = 10
_BLOCK = 500


class Limits(NamedTuple):
    """What a case may cost, or it is skipped.

    Attributes
    ----------
    event_ms
        CPU time of a typical call, in milliseconds.
    seconds
        CPU time of the case, in seconds.
    memory
        Memory that the tables and the window of a model may take, in MiB.
    """

    event_ms: float = 20.0
    seconds: float = 30.0
    memory: float = 1024.0


class Cost(NamedTuple):
    """What a case costs.

    Attributes
    ----------
    predict, predict_mean
        CPU time of a `predict_proba_one`, median and mean, in microseconds.
    learn, learn_mean, learn_max
        CPU time of a `learn_one`, median, mean and the largest, in microseconds.
    parts
        Bytes of the arrays of the counts, by name, see `PARTS`.
    river
        River's measure of the model, in bytes.
    notes
        What the model left out for want of memory.
    """

    predict: float
    predict_mean: float
    learn: float
    learn_mean: float
    learn_max: float
    parts: dict[str, int]
    river: int
    notes: str

    @property
    def tables(self) -> int:
        """Bytes of the arrays of the counts."""
        return sum(self.parts.values())


class SkippedError(Exception):
    """A case takes too much; the message says what."""


def measure(model: str, store: str, case: Case, limits: Limits) -> Cost:
    """Return what an event costs.

    A window's worth of rows is learned as frames. Then each event is learned by itself, for as
    many as the window holds and at least `RELEARN_PERIOD`, so that all rare work is among them;
    some 200 of them, at equal distances, are predicted before.

    Parameters
    ----------
    model, store
        Their names.
    case
        The sizes.
    limits
        What it may take.

    Raises
    ------
    SkippedError
        If it takes more, or if the model keeps other counts than those asked for.
    """
    check_memory(store, case, limits)
    rows = Rows(case, case.window + max(case.window, RELEARN_PERIOD))
    made = make_model(model, store, case, limits.memory)
    deadline = time.thread_time() + limits.seconds
    fill(made, rows, case.window, deadline, limits)
    check_store(made, store, case)
    predicted, learned = walk(made, rows, case.window, deadline, limits)
    return Cost(
        statistics.median(predicted) / 1e3,
        statistics.fmean(predicted) / 1e3,
        statistics.median(learned) / 1e3,
        statistics.fmean(learned) / 1e3,
        max(learned) / 1e3,
        table_bytes(made),
        made._raw_memory_usage,
        "; ".join(made.summary.notes),
    )


def check_memory(store: str, case: Case, limits: Limits) -> None:
    """Raise where the tables of all pairs would not fit in the half that models give them.

    Parameters
    ----------
    store
        Name of what the counts come from.
    case
        The sizes.
    limits
        What there is.

    Examples
    --------
    >>> from benchmarks.scaling.cases import Case
    >>> from benchmarks.scaling.measure import Limits, check_memory
    >>> check_memory("dense", Case(n=36), Limits())
    >>> check_memory("dense", Case(n=2000), Limits())
    Traceback (most recent call last):
    ...
    benchmarks.scaling.measure.SkippedError: tables of pairs of 3050 MiB, over half of 1024 MiB
    """
    if store != "dense" or case.k == 0:
        return
    layout = Layout(np.full(case.n, case.slots + 1), class_room(case.classes))
    size = pairs_bytes(layout, np.arange(case.n)) / MIB
    if size > limits.memory / 2:
        raise SkippedError(f"tables of pairs of {size:.0f} MiB, over half of {limits.memory:g} MiB")


def fill(made: Any, rows: Rows, window: int, deadline: float, limits: Limits) -> None:
    """Let a model learn its first window."""
    for start in range(0, window, _BLOCK):
        made.learn_many(*rows.frame(start, min(window, start + _BLOCK)))
        check_time(deadline, limits)


def walk(
    made: Any, rows: Rows, window: int, deadline: float, limits: Limits
) -> tuple[list[int], list[int]]:
    """Let a model go through the rest of the rows; return the ns of each prediction and event."""
    clock = time.thread_time_ns
    predicted: list[int] = []
    learned: list[int] = []
    predict, learn, stop = made.predict_proba_one, made.learn_one, len(rows.labels)
    step = max(1, (stop - window) // _PREDICTIONS)
    gc.collect()
    for number, (x, y) in enumerate(rows.events(window, stop)):
        if number % step == 0 or number < _PROBE:
            began = clock()
            predict(x)
            predicted.append(clock() - began)
            check_time(deadline, limits)
        began = clock()
        learn(x, y)
        learned.append(clock() - began)
        if number == _PROBE - 1:
            check_event("predict", predicted, limits)
            check_event("learn", learned, limits)
    return predicted, learned


def check_time(deadline: float, limits: Limits) -> None:
    if time.thread_time() > deadline:
        raise SkippedError(f"more than {limits.seconds:g} s")


def check_event(call: str, ns: list[int], limits: Limits) -> None:
    typical = statistics.median(ns) / 1e6
    if typical > limits.event_ms:
        raise SkippedError(f"{call} takes {typical:.1f} ms, over {limits.event_ms:g} ms")


def check_store(made: Any, store: str, case: Case) -> None:
    """Raise where a model keeps other counts than those asked for."""
    kept = made._learner.store
    if kept.n_features < case.n or kept.limit < case.window:
        raise SkippedError(f"no memory for {case.n} features of {case.window} events")
    if kept.pairs is None:
        return
    if store == "dense" and len(kept.pairs.members) < kept.n_features:
        raise SkippedError("tables of all pairs don't fit")
    if store == "bitset" and not kept.windowed:
        raise SkippedError("the sets of the window don't fit")


def table_bytes(made: Any) -> dict[str, int]:
    """Return the bytes of the arrays of the counts; what parts share counts in the first only.

    Parameters
    ----------
    made
        A model.
    """
    kept, found = made._learner.store, {}
    seen: set[int] = set()
    for part in PARTS:
        arrays = {id(a): a for a in getattr(kept, part) or () if id(a) not in seen}
        seen.update(arrays)
        found[part] = sum(a.nbytes for a in arrays.values())
    return found
