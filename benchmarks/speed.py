"""Time the models beside River's: one event at a time, in batches, and from a cold start."""

from __future__ import annotations

import argparse
import csv
import functools
import gc
import itertools
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from river import compose, datasets, forest, naive_bayes, preprocessing, stream, tree

from river_kdb import AODEClassifier, KDBClassifier, TANClassifier, __version__

Event = tuple[dict[Hashable, Any], Hashable]

SECTIONS = ("one", "batch", "start")
CATEGORICAL = "categorical36"
REFERENCE = "HoeffdingTree"
FLAGSHIP = "KDB(k=2)"
CHUNK = 250  # events a model is given before it is the next one's turn
STEADY_ROWS = 4000  # after the first --rows, but two frames at least
THREADS = 2
SEED = 1

OWN: dict[str, Callable[[], Any]] = {
    FLAGSHIP: functools.partial(KDBClassifier, k=2),
    "NB (KDB k=0)": functools.partial(KDBClassifier, k=0),
    "TAN": TANClassifier,
    "AODE": AODEClassifier,
}


# Streams ---------------------------------------------------------------------------------------


def categorical(n_events: int, n_features: int = 36, seed: int = SEED) -> list[Event]:
    """Texts of three values each, leaning on one of four classes and on the feature before."""
    rng = random.Random(seed)
    values = ("low", "middle", "high")
    likes = {c: [rng.choice(values) for _ in range(n_features)] for c in "abcd"}
    events: list[Event] = []
    for _ in range(n_events):
        label = rng.choice("abcd")
        value = rng.choice(values)
        x: dict[Hashable, Any] = {}
        for i, liked in enumerate(likes[label]):
            lean = rng.random()
            if lean < 0.6:
                value = liked if lean < 0.3 else rng.choice(values)
            x[f"f{i:02}"] = value
        events.append((x, label))
    return events


def segments(n_events: int, seed: int = SEED) -> list[Event]:
    """Rows of ImageSegments, drawn with replacement: as many as are asked for."""
    return random.Random(seed).choices(list(datasets.ImageSegments()), k=n_events)


def streams(n_events: int) -> dict[str, list[Event]]:
    """Return the first events of every stream."""
    led = datasets.synth.LED(seed=SEED, noise_percentage=0.1)
    sources: dict[str, Iterable[Event]] = {
        "Phishing": datasets.Phishing(),
        "ImageSegments": datasets.ImageSegments(),
        "LED": led,
        "Agrawal": datasets.synth.Agrawal(seed=SEED),
        CATEGORICAL: categorical(n_events),
    }
    return {name: list(itertools.islice(rows, n_events)) for name, rows in sources.items()}


# Results ---------------------------------------------------------------------------------------


class Result(NamedTuple):
    """A line of the CSV."""

    section: str
    stream: str
    model: str
    measure: str
    value: Any
    unit: str


def setup() -> list[Result]:
    """Return what the figures were measured with."""
    found = {"python": platform.python_version(), "river_kdb": __version__}
    for name in ("river", "numpy", "numba", "narwhals", "pandas", "polars", "pyarrow"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "none"
    machine = {"system": platform.platform(), "cpu": cpu_model(), "cpus": os.cpu_count()}
    return [
        *(Result("setup", "", "", name, value, "version") for name, value in found.items()),
        *(Result("setup", "", "", name, value, "") for name, value in machine.items()),
        Result("setup", "", "", "timer", round(timer_cost(), 3), "µs/call"),
    ]


def cpu_model() -> str:
    """Return the name of the processor."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def timer_cost(n: int = 10_000) -> float:
    """Return the µs that every timed call is overcharged by."""
    clock = time.perf_counter_ns
    return statistics.median(-(clock() - clock()) for _ in range(n)) / 1e3


def write(results: Sequence[Result], path: Path) -> None:
    """Write the results as a CSV in long form."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Result._fields)
        for result in results:
            value = f"{result.value:.6g}" if isinstance(result.value, float) else result.value
            writer.writerow(result._replace(value=value))


def show(title: str, results: Sequence[Result], rows: Sequence[str]) -> None:
    """Print results as a table: a line for each of `rows`, a column for each measure."""
    measures = list(dict.fromkeys(result.measure for result in results))
    lines: dict[tuple[str, ...], dict[str, str]] = {}
    for result in results:
        key = tuple(getattr(result, name) for name in rows)
        text = f"{result.value:,.2f}" if isinstance(result.value, float) else str(result.value)
        lines.setdefault(key, {})[result.measure] = text
    table = [[*rows, *measures]]
    table += [[*key, *(cells.get(m, "") for m in measures)] for key, cells in lines.items()]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    print(f"\n{title}")
    for line in table:
        texts = [cell.ljust(w) for cell, w in zip(line, widths, strict=True)][: len(rows)]
        numbers = [cell.rjust(w) for cell, w in zip(line, widths, strict=True)][len(rows) :]
        print("  ".join([*texts, *numbers]).rstrip())
    sys.stdout.flush()


# One event at a time -----------------------------------------------------------------------------


class Timed:
    """A model that goes along a stream, test-then-train, with the time of every call."""

    def __init__(self, model: Any, events: Sequence[Event]) -> None:
        self.model = model
        self.events = events
        self.predict_ns: list[int] = []
        self.learn_ns: list[int] = []

    def go(self, start: int, stop: int) -> None:
        """Predict and learn the events from `start` to `stop`."""
        clock = time.perf_counter_ns
        predict, learn = self.model.predict_proba_one, self.model.learn_one
        for x, y in self.events[start:stop]:
            t0 = clock()
            predict(x)
            t1 = clock()
            learn(x, y)
            t2 = clock()
            self.predict_ns.append(t1 - t0)
            self.learn_ns.append(t2 - t1)

    def microseconds(self, n: int | None = None) -> tuple[float, float]:
        """Return the mean times of predict and of learn, over the first `n` events."""
        return mean(self.predict_ns[:n]) / 1e3, mean(self.learn_ns[:n]) / 1e3


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def contenders(events: Sequence[Event], n_short: int) -> dict[str, Timed]:
    """Return new models for a stream, ARF with its first events only."""
    text = any(isinstance(value, str) for value in events[0][0].values())

    def numbers(model: Any) -> Any:
        one_hot = compose.SelectType(str) | preprocessing.OneHotEncoder()
        return one_hot | model if text else model

    own = {name: Timed(make(), events) for name, make in OWN.items()}
    return own | {
        REFERENCE: Timed(tree.HoeffdingTreeClassifier(), events),
        "GaussianNB": Timed(numbers(naive_bayes.GaussianNB()), events),
        "BernoulliNB": Timed(numbers(naive_bayes.BernoulliNB()), events),
        "ARF (short)": Timed(forest.ARFClassifier(seed=SEED), events[:n_short]),
    }


def warm_up(events: Sequence[Event]) -> None:
    """Let the kernels be compiled, and every model be imported in full."""
    for make in OWN.values():
        Timed(make(), events).go(0, len(events))
    for timed in contenders(events, 50).values():
        timed.go(0, 50)


def race(events: Sequence[Event], n_short: int) -> dict[str, Timed]:
    """Send all models along a stream once, in turns, each turn with another one first."""
    models = contenders(events, n_short)
    gc.collect()
    gc.freeze()
    order = list(models.values())
    for start in range(0, len(events), CHUNK):
        for timed in order:
            timed.go(start, start + CHUNK)
        order.append(order.pop(0))
    gc.unfreeze()
    return models


def one_stream(name: str, events: Sequence[Event], runs: int, n_short: int) -> list[Result]:
    """Return the medians of several runs of all models on a stream."""
    warm_up(events)
    figures: dict[str, list[tuple[float, ...]]] = {}
    for _ in range(runs):
        models = race(events, n_short)
        for model, timed in models.items():
            predict, learn = timed.microseconds()
            beside = sum(models[REFERENCE].microseconds(len(timed.events)))
            ratio = (predict + learn) / beside
            typical = statistics.median(timed.predict_ns) + statistics.median(timed.learn_ns)
            row = (predict, learn, predict + learn, ratio, typical / 1e3)
            figures.setdefault(model, []).append(row)
    measures = ("predict", "learn", "both", "ratio", "both_median")
    units = ("µs/event", "µs/event", "µs/event", f"of {REFERENCE}", "µs/event")
    return [
        Result("one", name, model, measure, statistics.median(values), unit)
        for model, rows in figures.items()
        for measure, unit, values in zip(measures, units, zip(*rows, strict=True), strict=True)
    ]


def one(options: argparse.Namespace) -> list[Result]:
    """Time predict_proba_one and learn_one."""
    results: list[Result] = []
    for name, events in streams(options.events).items():
        part = one_stream(name, events, options.runs, max(50, len(events) // 10))
        show(f"{name}: {len(events):,} events, one at a time (µs an event)", part, ("model",))
        results += part
    ratios = [r.value for r in results if r.model == FLAGSHIP and r.measure == "ratio"]
    middle = statistics.median(ratios)
    results.append(Result("one", "all", FLAGSHIP, "median_ratio", middle, f"of {REFERENCE}"))
    print(f"\n{FLAGSHIP}, predict + learn: {middle:.3f} of {REFERENCE} (median of the streams)")
    return results


# In batches --------------------------------------------------------------------------------------

Pair = tuple[Any, Any]


def columns(events: Sequence[Event]) -> tuple[dict[str, list[Any]], list[Hashable]]:
    """Return the columns and the labels of events."""
    names = list(events[0][0])
    return {str(name): [x[name] for x, _ in events] for name in names}, [y for _, y in events]


def pandas_pair(events: Sequence[Event], kind: str = "") -> Pair:
    """Return a pandas frame and its labels, its columns as `kind`."""
    import pandas as pd

    data, labels = columns(events)
    frame = pd.DataFrame(data)
    return frame.astype(kind) if kind else frame, pd.Series(labels)


def polars_pair(events: Sequence[Event], kind: str = "") -> Pair:
    """Return a polars frame and its labels, its texts as `kind`."""
    import polars as pl

    data, labels = columns(events)
    frame = pl.DataFrame(data)
    if kind == "Categorical":
        frame = frame.cast(pl.Categorical)
    elif kind == "Enum":
        frame = frame.cast(pl.Enum(sorted(set(itertools.chain(*data.values())))))
    return frame, pl.Series(labels)


def arrow_pair(events: Sequence[Event], kind: str = "") -> Pair:
    """Return a table of pyarrow and its labels, its columns as `kind`."""
    import pyarrow as pa

    data, labels = columns(events)
    table = pa.table(data)
    if kind == "dictionary":
        coded = [array.dictionary_encode() for array in table.columns]
        table = pa.table(coded, names=table.column_names)
    return table, pa.chunked_array([labels])


FRAMES: dict[str, dict[str, Callable[[Sequence[Event]], Pair]]] = {
    CATEGORICAL: {
        "pandas category": functools.partial(pandas_pair, kind="category"),
        "pandas str": functools.partial(pandas_pair, kind="str"),
        "pandas object": functools.partial(pandas_pair, kind="object"),
        "pandas pyarrow": functools.partial(pandas_pair, kind="string[pyarrow]"),
        "polars Enum": functools.partial(polars_pair, kind="Enum"),
        "polars Categorical": functools.partial(polars_pair, kind="Categorical"),
        "polars String": polars_pair,
        "arrow dictionary": functools.partial(arrow_pair, kind="dictionary"),
        "arrow string": arrow_pair,
    },
    "ImageSegments": {
        "pandas float": pandas_pair,
        "pandas pyarrow": functools.partial(pandas_pair, kind="double[pyarrow]"),
        "polars Float": polars_pair,
        "arrow double": arrow_pair,
    },
}


def cut(pair: Pair, size: int) -> list[Pair]:
    """Cut a frame and its labels into frames of `size` rows."""
    X, y = pair
    pieces = range(0, len(y), size)
    if hasattr(X, "iloc"):
        return [(X.iloc[s : s + size], y.iloc[s : s + size]) for s in pieces]
    return [(X.slice(s, size), y.slice(s, size)) for s in pieces]


def iter_rows(X: Any, y: Any = None) -> Iterator[tuple[dict[Hashable, Any], Any]]:
    """Go through a frame as River does."""
    if hasattr(stream, "iter_frame"):
        return stream.iter_frame(X, y)
    return stream.iter_pandas(X, y) if hasattr(X, "iloc") else stream.iter_polars(X, y)


def batch_way(model: Any, X: Any, y: Any) -> tuple[float, ...]:
    """Return the seconds that a frame takes to predict, to learn, to predict with threads."""
    t0 = time.perf_counter()
    model.predict_proba_many(X)
    t1 = time.perf_counter()
    model.n_jobs = THREADS
    model.predict_proba_many(X)
    model.n_jobs = 1
    t2 = time.perf_counter()
    model.learn_many(X, y)
    return t1 - t0, time.perf_counter() - t2, t2 - t1


def dicts_way(model: Any, xs: Sequence[Any], y: Sequence[Any]) -> tuple[float, ...]:
    """Return the seconds that the same rows take one at a time, given as dicts."""
    predict, learn = model.predict_proba_one, model.learn_one
    t0 = time.perf_counter()
    for x in xs:
        predict(x)
    t1 = time.perf_counter()
    for x, label in zip(xs, y, strict=True):
        learn(x, label)
    return t1 - t0, time.perf_counter() - t1


def rows_way(model: Any, X: Any, y: Any) -> tuple[float, ...]:
    """Return the seconds that they take one at a time, out of the frame."""
    predict, learn = model.predict_proba_one, model.learn_one
    t0 = time.perf_counter()
    for x, _ in iter_rows(X):
        predict(x)
    t1 = time.perf_counter()
    for x, label in iter_rows(X, y):
        learn(x, label)
    return t1 - t0, time.perf_counter() - t1


class Lane(NamedTuple):
    """One way through the same rows: a model of its own, and the pieces it gets."""

    way: Callable[[Any, Any, Any], tuple[float, ...]]
    model: Any
    pieces: list[Pair]
    seconds: list[tuple[float, ...]]


def lanes(make: Callable[[], Any], events: Sequence[Event], source: str, size: int) -> Any:
    """Return the lanes of a model: dicts, rows out of a pandas frame, and every kind of frame."""
    pieces = [events[s : s + size] for s in range(0, len(events), size)]
    dicts: list[Pair] = [([x for x, _ in piece], [y for _, y in piece]) for piece in pieces]
    frames = {kind: cut(frame(events), size) for kind, frame in FRAMES[source].items()}
    return {
        "dicts": Lane(dicts_way, make(), dicts, []),
        "rows": Lane(rows_way, make(), next(iter(frames.values())), []),
        **{kind: Lane(batch_way, make(), pieces, []) for kind, pieces in frames.items()},
    }


def run_lanes(found: dict[str, Lane]) -> None:
    """Send all lanes along, a frame each in turn."""
    gc.collect()
    gc.freeze()
    for turn in zip(*(lane.pieces for lane in found.values()), strict=True):
        for lane, (X, y) in zip(found.values(), turn, strict=True):
            lane.seconds.append(lane.way(lane.model, X, y))
    gc.unfreeze()


def per_row(lane: Lane, part: slice, size: int, call: int) -> float:
    """Return the µs a row of predict (`call` 0) or learn (1) in some of the frames."""
    return mean([seconds[call] for seconds in lane.seconds[part]]) / size * 1e6


def batch_model(
    make: Callable[[], Any], source: str, events: Sequence[Event], size: int, young: int
) -> dict[tuple[str, str, str], float]:
    """Run a model once; return µs a row by kind of frame, phase and measure.

    The first `young` frames are one phase, the rest the other.
    """
    figures: dict[tuple[str, str, str], float] = {}
    found = lanes(make, events, source, size)
    run_lanes(found)
    for phase, part in (("scratch", slice(0, young)), ("steady", slice(young, None))):
        for kind in FRAMES[source]:
            for call, name in enumerate(("predict", "learn")):
                many = per_row(found[kind], part, size, call)
                dicts = per_row(found["dicts"], part, size, call)
                rows = per_row(found["rows"], part, size, call)
                figures[kind, phase, f"{name}_many"] = many
                figures[kind, phase, f"{name}_dicts"] = dicts
                figures[kind, phase, f"{name}_rows"] = rows
                figures[kind, phase, f"{name}_times_dicts"] = dicts / many
                figures[kind, phase, f"{name}_times_rows"] = rows / many
            threads = per_row(found[kind], part, size, 2)
            figures[kind, phase, "predict_threads"] = threads
            figures[kind, phase, "predict_threads_times_rows"] = (
                figures[kind, phase, "predict_rows"] / threads
            )
    return figures


def warm_up_lanes(make: Callable[[], Any], events: Sequence[Event], source: str, size: int) -> None:
    """Let the kernels be compiled that frames and single events go through."""
    Timed(make(), events).go(0, min(2 * size, 2000))
    for lane in lanes(make, events, source, size).values():
        if lane.way is batch_way:
            for X, y in lane.pieces:
                lane.way(lane.model, X, y)


def batch_source(source: str, size: int, options: argparse.Namespace) -> list[Result]:
    """Return the medians of the runs for all models and kinds of frames of a size."""
    n_events = options.rows + max(2 * size, min(STEADY_ROWS, options.rows))
    events = categorical(n_events) if source == CATEGORICAL else segments(n_events)
    results: list[Result] = []
    for model, make in OWN.items():
        warm_up_lanes(make, events[: options.rows], source, size)
        runs = [
            batch_model(make, source, events, size, options.rows // size)
            for _ in range(options.batch_runs)
        ]
        for kind, phase, measure in runs[0]:
            value = statistics.median(run[kind, phase, measure] for run in runs)
            unit = "times faster" if "times" in measure else "µs/row"
            stream = f"{source}, {kind}, {phase}, {size}"
            results.append(Result("batch", stream, model, measure, value, unit))
    return results


def batch(options: argparse.Namespace) -> list[Result]:
    """Time predict_proba_many and learn_many."""
    results: list[Result] = []
    for source, size in itertools.product(FRAMES, options.frame_rows):
        part = batch_source(source, size, options)
        for phase, call in itertools.product(("scratch", "steady"), ("predict", "learn")):
            text = "first" if phase == "scratch" else "after the first"
            title = f"{call}, frames of {size:,} rows, {text} {options.rows:,}"
            chosen = [r for r in part if f", {phase}," in r.stream and r.measure.startswith(call)]
            show(f"{source}: {title} (µs a row)", chosen, ("stream", "model"))
        results += part
    return results


# Start -------------------------------------------------------------------------------------------

_CHILD = """
import importlib, json, sys, time
events = json.load(sys.stdin)
package, name, parameters = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
clock = time.perf_counter
import river
t = [clock()]
model = getattr(importlib.import_module(package), name)(**parameters)
t.append(clock())
model.learn_one(*events[0])
t.append(clock())
model.predict_proba_one(events[1][0])
t.append(clock())
model.learn_one(*events[1])
for first, last in ((2, 300), (300, None)):
    for x, y in events[first:last]:
        model.predict_proba_one(x)
        model.learn_one(x, y)
    t.append(clock())
print(json.dumps([b - a for a, b in zip(t, t[1:])]))
"""

STARTERS: dict[str, tuple[str, str, dict[str, Any]]] = {
    FLAGSHIP: ("river_kdb", "KDBClassifier", {"k": 2}),
    "NB (KDB k=0)": ("river_kdb", "KDBClassifier", {"k": 0}),
    "TAN": ("river_kdb", "TANClassifier", {}),
    "AODE": ("river_kdb", "AODEClassifier", {}),
    "KDF": ("river_kdb", "KDFClassifier", {}),
    "MMKDB": ("river_kdb", "SelectiveKDBClassifier", {}),
    "UKDB": ("river_kdb", "UKDBClassifier", {}),
    "CSB": ("river_kdb", "CSBClassifier", {}),
    "BKDB": ("river_kdb", "BKDBClassifier", {}),
    "mixture": ("river_kdb", "BNMixtureClassifier", {}),
    REFERENCE: ("river.tree", "HoeffdingTreeClassifier", {}),
}


def start_once(starter: tuple[str, str, dict[str, Any]], text: str, cache: str) -> list[float]:
    """Return the seconds of the stages of a new process."""
    package, name, parameters = starter
    command = [sys.executable, "-c", _CHILD, package, name, json.dumps(parameters)]
    environment = os.environ | {"NUMBA_CACHE_DIR": cache}
    done = subprocess.run(
        command, input=text, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{name} failed:\n{done.stderr}")
    return json.loads(done.stdout)


def start(options: argparse.Namespace) -> list[Result]:
    """Time new processes, first with an empty cache of kernels and then with the filled one."""
    text = json.dumps(list(itertools.islice(datasets.ImageSegments(), 1000)))
    results: list[Result] = []
    stages = ("import", "first_learn", "first_predict", "rest_of_300", "rest_of_1000")
    sums = ("until_predicted", "until_300", "total")
    for model, starter in STARTERS.items():
        with tempfile.TemporaryDirectory() as cache:
            found = {"cold": [start_once(starter, text, cache)]}
            found["warm"] = [start_once(starter, text, cache) for _ in range(options.runs)]
        for state, runs in found.items():
            rows = [[*run, sum(run[:3]), sum(run[:4]), sum(run)] for run in runs]
            medians = np.median(rows, axis=0).tolist()
            for measure, seconds in zip((*stages, *sums), medians, strict=True):
                results.append(
                    Result("start", f"ImageSegments, {state}", model, measure, seconds, "s")
                )
    show("First 1,000 events of ImageSegments in a new process (s)", results, ("stream", "model"))
    return results


# Command -----------------------------------------------------------------------------------------


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the options."""
    results = Path(__file__).parent / "results" / "speed.csv"
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--runs", type=int, default=3, help="runs the medians are taken of (%(default)s)")
    add("--events", type=int, default=3000, help="events of a stream, at most (%(default)s)")
    add("--rows", type=int, default=10_000, help="rows before the steady state (%(default)s)")
    add("--frame-rows", default="1000,10000", help="rows of a frame, with commas (%(default)s)")
    add("--batch-runs", type=int, default=1, help="runs of the batches (%(default)s)")
    add("--out", type=Path, default=results, help="the CSV to write (%(default)s)")
    add("--only", default=",".join(SECTIONS), help="sections, with commas (%(default)s)")
    options = parser.parse_args(arguments)
    options.only = options.only.split(",")
    if unknown := set(options.only) - set(SECTIONS):
        parser.error(f"--only knows {', '.join(SECTIONS)}, not {', '.join(sorted(unknown))}")
    options.frame_rows = [int(size) for size in options.frame_rows.split(",")]
    numbers = (options.runs, options.events, options.rows, *options.frame_rows, options.batch_runs)
    if min(numbers) < 1:
        parser.error("numbers have to be 1 or more")
    if any(options.rows % size for size in options.frame_rows):
        parser.error("--rows has to be a multiple of --frame-rows")
    return options


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the sections that were asked for."""
    options = parse(arguments)
    began = time.perf_counter()
    results = setup()
    for result in results:
        print(f"{result.measure}: {result.value} {result.unit.replace('version', '')}".rstrip())
    for section in options.only:
        results += {"one": one, "batch": batch, "start": start}[section](options)
    write(results, options.out)
    print(f"\n{options.out} written after {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
