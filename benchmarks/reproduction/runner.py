"""Tasks, a set and an algorithm each, and the processes that do them."""

from __future__ import annotations

import functools
import multiprocessing
import resource
import signal
import sys
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from benchmarks.reproduction.algorithms import Algorithm, Parameters, make_model
from benchmarks.reproduction.biasvariance import draw
from benchmarks.reproduction.crossvalidation import cross_validate, learn
from benchmarks.reproduction.datasets import DataSet, Entry, load
from benchmarks.reproduction.protocols import (
    Options,
    Protocol,
    model_parameters,
    settings_text,
)
from benchmarks.reproduction.store import Key, Row

Result = tuple[Row, np.ndarray | None]


class Task(NamedTuple):
    """An algorithm to try on a set."""

    entry: Entry
    algorithm: Algorithm
    protocol: str
    parameters: Parameters
    options: Options

    @property
    def settings(self) -> str:
        """What the result depends on beside set and algorithm."""
        return settings_text(self.parameters, self.options)

    @property
    def key(self) -> Key:
        """What tells the result from others."""
        return self.entry.name, self.algorithm.name, self.settings

    @property
    def cost(self) -> float:
        """Roughly how long it takes, beside other tasks."""
        entry = self.entry
        work = entry.features * (entry.features + self.algorithm.weight(entry.features))
        return entry.rows * (work + 200.0) * (1.0 + 0.1 * entry.classes)

    def row(self, status: str, **fields: Any) -> Row:
        """Return the line of its result."""
        entry = self.entry
        return Row(
            entry.name,
            self.algorithm.name,
            self.protocol,
            self.settings,
            status,
            entry.rows,
            entry.features,
            entry.classes,
            **fields,
        )


def plan(
    entries: Sequence[Entry],
    algorithms: Sequence[Algorithm],
    protocol: Protocol,
    options: Options,
) -> list[Task]:
    """Return the tasks of a protocol; `max_rows` is left out where a set has fewer."""
    tasks = []
    for entry in entries:
        cut = entry.rows == options.max_rows
        own = options if cut else options._replace(max_rows=None)
        for algorithm in algorithms:
            parameters = model_parameters(protocol, algorithm, own)
            tasks.append(Task(entry, algorithm, protocol.name, parameters, own))
    return tasks


def in_order(tasks: Sequence[Task]) -> list[Task]:
    """Return every task once, the long ones first and those of a set together."""
    once = {task.key: task for task in reversed(tasks)}
    longest: dict[str, float] = {}
    for task in once.values():
        longest[task.entry.name] = max(longest.get(task.entry.name, 0.0), task.cost)
    return sorted(
        once.values(), key=lambda task: (-longest[task.entry.name], task.entry.name, -task.cost)
    )


# In a worker -------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=1)
def _data(entry: Entry) -> DataSet:
    return load(entry)


def do(task: Task) -> Result:
    """Do a task; what it raises is its result."""
    reset_peak()
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            row, correct = _do(task)
    except Exception as error:
        text = " ".join(f"{type(error).__name__}: {error}".split())
        return task.row("failed", message=text, peak_mib=peak_mib()), None
    notes = dict.fromkeys(str(w.message) for w in caught if "max_size" in str(w.message))
    return row._replace(message="; ".join(notes), peak_mib=peak_mib()), correct


def _do(task: Task) -> Result:
    data = _data(task.entry)

    def make() -> Any:
        return make_model(task.algorithm.class_name, task.parameters, data.nominal, len(data.y))

    options = task.options
    if options.bias_variance:
        drawn = draw(data, make, options.draws, options.seed)
        return task.row(
            "ok",
            zero_one=drawn.parts.loss,
            bias=drawn.parts.bias,
            variance=drawn.parts.variance,
            learn_seconds=drawn.learn_seconds,
            predict_seconds=drawn.predict_seconds,
        ), None
    outcome = cross_validate(
        data, make, options.folds, options.seed, with_cmi=task.algorithm.is_static
    )
    return task.row(
        "ok",
        **outcome.measures._asdict(),
        average_cmi=outcome.average_cmi,
        learn_seconds=outcome.learn_seconds,
        predict_seconds=outcome.predict_seconds,
    ), outcome.correct


def reset_peak() -> None:
    """Start the peak of the memory anew, where the system lets us."""
    refs = Path("/proc/self/clear_refs")
    try:
        refs.write_text("5")
    except OSError:
        return


def peak_mib() -> float:
    """Return the peak of the resident memory of this process, in MiB.

    On Linux since `reset_peak`, elsewhere since the process started.
    """
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return float(line.split()[1]) / 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20


def warm_up(models: Sequence[tuple[str, Parameters]]) -> None:
    """Let the kernels be compiled or loaded; an error is left to the task itself."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({f"f{i}": rng.integers(0, 3, 60).astype(str) for i in range(4)})
    X = X.astype("category").assign(number=rng.normal(size=60))
    y = np.where(X["number"] > 0, "a", "b").astype(object)
    for class_name, parameters in models:
        try:
            model = make_model(class_name, parameters, list(X.columns[:4]), 61)
            learn(model, X, y)
            model.predict_proba_many(X)
        except Exception:
            continue


def start_worker(models: Sequence[tuple[str, Parameters]]) -> None:
    """Get a worker ready; a Ctrl-C is the parent's to deal with."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    warm_up(models)


# In the parent -----------------------------------------------------------------------------------


def do_all(tasks: Sequence[Task], jobs: int) -> Iterator[tuple[Task, Result]]:
    """Do the tasks, in `jobs` processes if more than one; yield each as it is finished."""
    models = [(task.algorithm.class_name, task.parameters) for task in tasks]
    models = list({repr(model): model for model in models}.values())
    if jobs == 1:
        warm_up(models)
        yield from ((task, do(task)) for task in tasks)
        return
    left = list(tasks)
    while left:
        yield from _do_in_pool(left, min(jobs, len(left)), models)


def _do_in_pool(
    left: list[Task], jobs: int, models: Sequence[Any]
) -> Iterator[tuple[Task, Result]]:
    """Take tasks off the list and do them, until it is empty or a worker dies."""
    running: dict[Future[Result], Task] = {}
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, context, start_worker, (models,)) as pool:
        try:
            while left or running:
                while left and len(running) < jobs:
                    running[pool.submit(do, left[0])] = left[0]
                    left.pop(0)
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    result = future.result()
                    yield running.pop(future), result
        except BrokenProcessPool:
            for task in running.values():
                yield task, (task.row("failed", message="a worker died, perhaps of memory"), None)
        except BaseException:
            for worker in multiprocessing.active_children():
                worker.terminate()
            raise
