"""Race CapyMOA, River and our models over the same CSV files, each row tested, then trained on."""

from __future__ import annotations

import argparse
import functools
import gc
import itertools
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
from river import datasets, stream, tree

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.speed import Result, setup, show, write
from river_kdb import BNMixtureClassifier, KDBClassifier

SEED = 1
CLASSES = "abcd"
FIRST = 2000  # rows that get slow models warm
MIN_FRAMES = 4  # a short stream is cut into as many, else nothing would be predicted

DICTS = "dicts"
PANDAS = "pandas frames"
POLARS = "polars frames"
PYTHON = "Python loop"
NUMPY = "Python loop, numpy"
JAVA = "Java loop"

OWN: dict[str, Callable[[], Any]] = {
    "KDB(0)": functools.partial(KDBClassifier, k=0),
    "KDB(2)": functools.partial(KDBClassifier, k=2),
    "mixture": BNMixtureClassifier,
}
SINGLE = ("KDB(0)", "KDB(2)")
RIVALS = ("NaiveBayes", "HoeffdingTree")
FOREST = "ARF (10 trees)"
IDLE = "NoChange"
"""Learns nothing: what is left is the loop itself."""


# Files -------------------------------------------------------------------------------------------


class Table(NamedTuple):
    """The rows of a stream in two files, and what is known of them beforehand.

    Attributes
    ----------
    name
        Of the stream.
    csv, arff
        The files.
    n_rows
        How many rows each of them has.
    features
        Names of all columns but the last, the label.
    target
        Name of the label.
    categories
        The values of each column that is not numeric, the label's too.
    frame_rows
        Rows of a frame.
    """

    name: str
    csv: Path
    arff: Path
    n_rows: int
    features: list[str]
    target: str
    categories: dict[str, list[str]]
    frame_rows: int


def agrawal(n_rows: int) -> pd.DataFrame:
    """Six numeric features, and three categorical ones."""
    frame = framed(datasets.synth.Agrawal(seed=SEED), n_rows)
    coded = ["elevel", "car", "zipcode"]
    frame[coded] = frame[coded].astype(str)
    return frame


def sea(n_rows: int) -> pd.DataFrame:
    """Three numeric features, a tenth of the labels flipped."""
    return framed(datasets.synth.SEA(seed=SEED, noise=0.1), n_rows)


def segments(n_rows: int) -> pd.DataFrame:
    """All rows of ImageSegments, or the first ones."""
    return framed(datasets.ImageSegments(), n_rows)


def categorical(n_rows: int, n_features: int = 36) -> pd.DataFrame:
    """Texts of 3 to 8 values each, leaning on one of four classes and on the feature before.

    Examples
    --------
    >>> from benchmarks.moa import categorical
    >>> categorical(1000).nunique().tolist()[:7]
    [3, 4, 5, 6, 7, 8, 3]
    """
    rng = np.random.default_rng(SEED)
    label = rng.integers(len(CLASSES), size=n_rows)
    code = label
    columns = {}
    for i in range(n_features):
        n_values = 3 + i % 6
        liked = rng.integers(n_values, size=len(CLASSES))[label]
        lean = rng.random(n_rows)
        other = np.where(lean < 0.6, code % n_values, rng.integers(n_values, size=n_rows))
        code = np.where(lean < 0.3, liked, other)
        columns[f"f{i:02}"] = np.array([f"v{a}" for a in range(n_values)])[code]
    columns["class"] = np.array(list(CLASSES))[label]
    return pd.DataFrame(columns)


def framed(events: Iterable[tuple[dict[Hashable, Any], Any]], n_rows: int) -> pd.DataFrame:
    """Return the first events as a frame, their labels as its last column."""
    return pd.DataFrame([{**x, "class": y} for x, y in itertools.islice(events, n_rows)])


MADE: dict[str, Callable[[int], pd.DataFrame]] = {
    "Agrawal": agrawal,
    "SEA": sea,
    "categorical36": categorical,
    "ImageSegments": segments,
}


def texts(column: pd.Series) -> pd.Series:
    """Return a column as texts that no reader takes for numbers, or has to be told of in quotes.

    Examples
    --------
    >>> import pandas as pd
    >>> from benchmarks.moa import texts
    >>> texts(pd.Series([30, 4, 30])).tolist(), texts(pd.Series(["UP", "DOWN"])).tolist()
    (['v0', 'v1', 'v0'], ['UP', 'DOWN'])
    """
    column = column.astype(str)
    if all(re.fullmatch(r"[A-Za-z][\w.+-]*", value) for value in column.unique()):
        return column
    # CSVStream of CapyMOA takes the digits of a category for its index
    return pd.Series([f"v{code}" for code in pd.factorize(column, sort=True)[0]])


def put(name: str, frame: pd.DataFrame, folder: Path, frame_rows: int) -> Table:
    """Write a frame as the files of a table.

    Parameters
    ----------
    name
        Of the stream.
    frame
        Its rows, the label last. A column that is not of numbers is categorical; rows with an
        empty cell are left out.
    folder
        Where to write.
    frame_rows
        Rows of a frame; fewer where the stream is short.
    """
    frame = frame.dropna().reset_index(drop=True).rename(columns=str)
    *features, target = frame.columns
    numeric = [n for n in features if pd.api.types.is_numeric_dtype(frame[n].dtype)]
    numeric = [n for n in numeric if not pd.api.types.is_bool_dtype(frame[n].dtype)]
    for column in frame.columns.difference(numeric):
        frame[column] = texts(frame[column])
    categories = {n: sorted(frame[n].unique()) for n in frame.columns if n not in numeric}
    csv, arff = folder / f"{name}.csv", folder / f"{name}.arff"
    frame.to_csv(csv, index=False)
    with arff.open("w", encoding="utf-8") as file:
        file.write("@relation stream\n")
        for i, column in enumerate(frame.columns):
            kind = f"{{{','.join(categories[column])}}}" if column in categories else "numeric"
            file.write(f"@attribute a{i} {kind}\n")
        file.write("@data\n")
        frame.to_csv(file, index=False, header=False)
    rows = max(1, min(frame_rows, len(frame) // MIN_FRAMES))
    return Table(name, csv, arff, len(frame), features, target, categories, rows)


def tables(options: argparse.Namespace, folder: Path) -> Iterator[tuple[Table, Table]]:
    """Write the tables that were asked for, each with one of its first rows, as they are needed."""
    named = (
        (path.name.split(".")[0], functools.partial(pd.read_csv, path)) for path in options.csv
    )
    made = ((name, functools.partial(MADE[name], options.rows)) for name in options.made)
    for name, make in itertools.chain(named, made):
        frame = make().head(options.rows)
        first = put(f"{name}, first rows", frame.head(FIRST), folder, options.frame_rows)
        yield put(name, frame, folder, options.frame_rows), first


# Ways through a file -----------------------------------------------------------------------------


class Lane(NamedTuple):
    """A model on its way through a file.

    Attributes
    ----------
    model, way
        What they are called.
    make
        Returns the model, made for a table.
    read
        Returns what it goes along, read as it goes from the file.
    hold
        Returns the same in memory.
    go
        Sends the model along, and returns its accuracy after the first rows.
    slow
        Whether it is timed once only.
    """

    model: str
    way: str
    make: Callable[[Table], Any]
    read: Callable[[Table], Any]
    hold: Callable[[Any], Any]
    go: Callable[[Any, Any, int], float]
    slow: bool = False


def read_dicts(table: Table) -> Iterator[tuple[dict[Hashable, Any], Any]]:
    """Read events as River does."""
    numbers = {name: float for name in table.features if name not in table.categories}
    return stream.iter_csv(str(table.csv), target=table.target, converters=numbers)


def read_pandas(table: Table) -> Iterator[tuple[Any, Any]]:
    """Read frames with pandas, which is told the categories as CapyMOA is."""
    dtypes: Any = {name: pd.CategoricalDtype(v) for name, v in table.categories.items()}
    with pd.read_csv(table.csv, dtype=dtypes, chunksize=table.frame_rows) as frames:
        for frame in frames:
            y = frame.pop(table.target)
            yield frame, y


def read_polars(table: Table) -> Iterator[tuple[Any, Any]]:
    """Read frames with polars: the whole file, cut."""
    dtypes = {name: pl.Enum(values) for name, values in table.categories.items()}
    frame = pl.read_csv(table.csv, schema_overrides=dtypes)
    y = frame.drop_in_place(table.target)
    for start in range(0, len(y), table.frame_rows):
        yield frame[start : start + table.frame_rows], y[start : start + table.frame_rows]


def go_events(model: Any, rows: Iterable[Any], skip: int) -> float:
    """Predict each event, then learn it."""
    hits = []
    for x, y in rows:
        hits.append(model.predict_one(x) == y)
        model.learn_one(x, y)
    return float(np.mean(hits[skip:]))


def go_frames(model: Any, rows: Iterable[Any], skip: int) -> float:
    """Predict each frame, then learn it."""
    hits: list[np.ndarray] = []
    for X, y in rows:
        proba = model.predict_proba_many(X)
        if hits:
            best = np.asarray(proba.columns, dtype=object)[proba.to_numpy().argmax(axis=1)]
            hits.append(best == y.to_numpy())
        else:
            hits.append(np.zeros(len(y), dtype=bool))
        model.learn_many(X, y)
    return float(np.concatenate(hits)[skip:].mean())


def own_lanes() -> list[Lane]:
    """Return ours, and River's tree."""
    made = [(name, lambda table, make=make: make()) for name, make in OWN.items()]
    made.append(("River's HoeffdingTree", lambda table: tree.HoeffdingTreeClassifier()))
    lanes = [
        Lane(name, DICTS, make, read_dicts, list, go_events, name not in SINGLE)
        for name, make in made
    ]
    for way, read in ((PANDAS, read_pandas), (POLARS, read_polars)):
        lanes += [
            Lane(name, way, make, read, list, go_frames, name not in SINGLE)
            for name, make in made
            if name in OWN
        ]
    return lanes


# CapyMOA: imported only here, since that starts a Java machine -----------------------------------


def why_no_moa() -> str:
    """Return why CapyMOA can't be used, or nothing."""
    try:
        import capymoa  # noqa: F401
    except (ImportError, OSError, RuntimeError, ValueError) as error:
        return str(error).partition("\n")[0] or type(error).__name__
    return ""


def moa_versions() -> list[Result]:
    """Return the versions of CapyMOA and Java."""
    import jpype

    java = str(jpype.java.lang.System.getProperty("java.version"))
    found = {"capymoa": version("capymoa"), "jpype1": version("jpype1"), "java": java}
    return [Result("setup", "", "", name, value, "version") for name, value in found.items()]


def make_moa(name: str, table: Table) -> Any:
    """Return a model of CapyMOA; its parameters are CapyMOA's defaults but for the 10 trees."""
    from capymoa import classifier

    if name == FOREST:
        forest = classifier.AdaptiveRandomForestClassifier
        return forest(schema=schema_of(table), ensemble_size=10)
    return getattr(classifier, name)(schema=schema_of(table))


def schema_of(table: Table) -> Any:
    """Return what CapyMOA has to know of a table."""
    from capymoa.stream import Schema

    return Schema.from_custom([*table.features, table.target], table.target, table.categories)


def read_instances(table: Table) -> Any:
    """Read instances with CapyMOA's own reader."""
    from capymoa.stream import CSVStream

    return CSVStream(table.csv, table.target, table.categories)


def read_arrays(table: Table) -> Iterator[Any]:
    """Read instances with pandas, out of arrays."""
    from capymoa.core import LabeledInstance

    schema = schema_of(table)
    for X, y in read_pandas(table):
        for name in table.categories.keys() & set(table.features):
            X[name] = X[name].cat.codes
        for x, label in zip(X.to_numpy(float), y.cat.codes.to_numpy(), strict=True):
            yield LabeledInstance.from_array(schema, x, label)


def read_arff(table: Table) -> Any:
    """Read instances in Java, from the ARFF: its loop takes no CSV."""
    from capymoa.stream import ARFFStream

    return ARFFStream(table.arff)


def hold_instances(instances: Iterable[Any]) -> list[Any]:
    """Keep instances, ready for Java."""
    held = list(instances)
    for instance in held:
        _ = instance.java_instance, instance.y_index
    return held


def hold_arff(source: Any) -> Any:
    """Keep the instances of a stream in Java."""
    from capymoa.stream import MOAStream
    from com.yahoo.labs.samoa.instances import Instances
    from moa.streams import CachedInstancesStream

    instances = Instances(source.get_schema().get_moa_header(), 0)
    while source.moa_stream.hasMoreInstances():
        instances.add(source.moa_stream.nextInstance().getData())
    # Given as an argument, CapyMOA would prepare it as a generator
    held = MOAStream(None, schema=source.get_schema())
    held.moa_stream = CachedInstancesStream(instances)
    return held


def go_instances(model: Any, rows: Iterable[Any], skip: int) -> float:
    """Predict and train in Python; no prediction counts as the first class, as in Java's loop."""
    hits = []
    for instance in rows:
        hits.append((model.predict(instance) or 0) == instance.y_index)
        model.train(instance)
    return float(np.mean(hits[skip:]))


def go_java(model: Any, source: Any, skip: int) -> float:
    """Let Java predict and train."""
    from capymoa.evaluation import prequential_evaluation

    found = prequential_evaluation(source, model, window_size=skip, optimise=True)
    n_rows = found.cumulative.moa_basic_evaluator.getTotalWeightObserved()
    hits = found.cumulative.accuracy() * n_rows - found.windowed.accuracy()[0] * skip
    return hits / (n_rows - skip) / 100


def moa_lanes() -> list[Lane]:
    """Return CapyMOA's models on their ways."""
    lanes = []
    for name in (IDLE, *RIVALS, FOREST):
        make, slow = functools.partial(make_moa, name), name == FOREST
        loop, java = (hold_instances, go_instances, slow), (hold_arff, go_java, slow)
        lanes.append(Lane(name, PYTHON, make, read_instances, *loop))
        if name in RIVALS:
            lanes.append(Lane(name, NUMPY, make, read_arrays, *loop))
        lanes.append(Lane(name, JAVA, make, read_arff, *java))
    return lanes


# The race ----------------------------------------------------------------------------------------


class Times(NamedTuple):
    """What a lane took.

    Attributes
    ----------
    whole, ready
        µs a row of CPU time, all threads together: reading included, and with the rows in memory.
    wall, ready_wall
        The same by the clock on the wall.
    accuracy
        After the first frame.
    """

    whole: float
    ready: float
    wall: float
    ready_wall: float
    accuracy: float


def run_lane(lane: Lane, table: Table, held: Any) -> Times:
    """Send a lane through a table, out of its file and out of memory."""
    cpu, wall, accuracy = [], [], 0.0
    for rows in (None, held):
        model = lane.make(table)
        began = time.process_time(), time.perf_counter()
        accuracy = lane.go(model, lane.read(table) if rows is None else rows, table.frame_rows)
        cpu.append((time.process_time() - began[0]) / table.n_rows * 1e6)
        wall.append((time.perf_counter() - began[1]) / table.n_rows * 1e6)
    return Times(*cpu, *wall, accuracy)


def hold_all(table: Table, lanes: Sequence[Lane]) -> dict[Any, Any]:
    """Return the rows in memory, by what reads them."""
    holds = {lane.read: lane.hold for lane in lanes}
    return {read: hold(read(table)) for read, hold in holds.items()}


def race(table: Table, first: Table, lanes: Sequence[Lane], runs: int) -> list[dict[str, Times]]:
    """Return the times of all lanes in each of the runs, by what they are called.

    Each run has another lane first. Before them kernels and Java's compiler get warm.

    Parameters
    ----------
    table
        What is raced over.
    first
        Its first rows, for slow lanes to get warm.
    lanes
        Who takes part.
    runs
        How many runs; slow lanes are in one only.
    """
    held, short = hold_all(table, lanes), hold_all(first, lanes)
    gc.collect()
    gc.freeze()
    for lane in lanes:
        run_lane(lane, *((first, short[lane.read]) if lane.slow else (table, held[lane.read])))
    order = list(lanes)
    found: list[dict[str, Times]] = []
    for run in range(runs):
        turn = [lane for lane in order if run == 0 or not lane.slow]
        found.append({title(lane): run_lane(lane, table, held[lane.read]) for lane in turn})
        shift = max(1, len(order) // runs)
        order = order[shift:] + order[:shift]
    gc.unfreeze()
    return found


def title(lane: Lane) -> str:
    return f"{lane.model}, {lane.way}"


def medians(name: str, runs: Sequence[dict[str, Times]]) -> list[Result]:
    """Return the medians of the runs.

    Examples
    --------
    >>> from benchmarks.moa import Times, medians
    >>> runs = [{"a": Times(4.0, 2.0, 5.0, 3.0, 0.9)}, {"a": Times(6.0, 3.0, 7.0, 3.0, 0.9)}]
    >>> [(result.measure, result.value) for result in medians("s", runs)][:3]
    [('whole', 5.0), ('ready', 2.5), ('wall', 6.0)]
    """
    found = []
    for lane in runs[0]:
        each = [run[lane] for run in runs if lane in run]
        for measure, values in zip(Times._fields, zip(*each, strict=True), strict=True):
            unit = "after the first frame" if measure == "accuracy" else "µs/row"
            found.append(Result("race", name, lane, measure, statistics.median(values), unit))
    return found


def ratios(name: str, runs: Sequence[dict[str, Times]], measure: str) -> list[Result]:
    """Return the medians of what our frames take in a run, by what CapyMOA's models take in it."""
    own = [f"{model}, {way}" for model in SINGLE for way in (PANDAS, POLARS)]
    rivals = [f"{model}, {way}" for model in RIVALS for way in (PYTHON, NUMPY, JAVA)]
    found = []
    for mine, rival in itertools.product(own, rivals):
        each = [getattr(run[mine], measure) / getattr(run[rival], measure) for run in runs]
        found.append(Result(measure, name, mine, rival, statistics.median(each), "of its time"))
    return found


# Command -----------------------------------------------------------------------------------------


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the options."""
    results = Path(__file__).parent / "results" / "moa.csv"
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--csv", type=Path, nargs="+", default=[], help="files, the label last (made streams)")
    add("--made", default=",".join(MADE), help="made streams, with commas (%(default)s)")
    add("--rows", type=int, default=45_312, help="rows of a stream, at most (%(default)s)")
    add("--frame-rows", type=int, default=10_000, help="rows of a frame (%(default)s)")
    add("--runs", type=int, default=3, help="runs the medians are taken of (%(default)s)")
    add("--out", type=Path, default=results, help="the CSV to write (%(default)s)")
    options = parser.parse_args(arguments)
    options.made = [] if options.csv else options.made.split(",")
    if unknown := set(options.made) - set(MADE):
        parser.error(f"--made knows {', '.join(MADE)}, not {', '.join(sorted(unknown))}")
    if missing := [str(path) for path in options.csv if not path.is_file()]:
        parser.error(f"not found: {', '.join(missing)}")
    if min(options.rows, options.frame_rows, options.runs) < 1:
        parser.error("numbers have to be 1 or more")
    return options


def main(arguments: Sequence[str] | None = None) -> None:
    """Race over the files that were asked for."""
    options = parse(arguments)
    began = time.perf_counter()
    lanes, results = own_lanes(), setup()
    if reason := why_no_moa():
        print(f'CapyMOA is left out ({reason}): pip install ".[moa]", and Java as `java`')
    else:
        lanes += moa_lanes()
        results += moa_versions()
    for result in results:
        print(f"{result.measure}: {result.value} {result.unit.replace('version', '')}".rstrip())
    with tempfile.TemporaryDirectory() as folder:
        for table, first in tables(options, Path(folder)):
            runs = race(table, first, lanes, options.runs)
            part = medians(table.name, runs)
            size = f"{table.n_rows:,} rows, frames of {table.frame_rows:,}"
            show(f"{table.name}: {size} (µs a row)", part, ("model",))
            results += part
            for measure in ("whole", "ready") if not reason else ():
                part = ratios(table.name, runs, measure)
                show(f"{table.name}, {measure}: times of CapyMOA's time", part, ("model",))
                results += part
    write(results, options.out)
    print(f"\n{options.out} written after {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    # From the folder of this file, Java's package moa would be this file
    here = Path(__file__).resolve().parent
    sys.path[:] = [path for path in sys.path if Path(path).resolve() != here]
    main()
