"""How far one event of KDB(2) is from the least that any program could do for it.

The floor of an event is a bare walk through the dict to a row of numbers, a kernel that adds 1 to
the counts that KDB(2) must keep, and a kernel that computes the log joint of every class, both
given codes made beforehand: no value is checked, binned or missing, and nothing is ever relearned.
River's HoeffdingTreeClassifier goes along in the same process, and on texts BernoulliNB behind a
one-hot encoder.
"""

from __future__ import annotations

import argparse
import gc
import itertools
import operator
import struct
import sys
import time
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from river import compose, datasets, naive_bayes, preprocessing, tree

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.speed import (
    CATEGORICAL,
    CHUNK,
    SEED,
    Event,
    Result,
    Timed,
    categorical,
    segments,
    setup,
    show,
    write,
)
from river_kdb import KDBClassifier
from river_kdb.addresses import word_block
from river_kdb.counts.families import CAP, CHILD, FIRST_PARENT, START
from river_kdb.event import PROGRAM, noted_counts
from river_kdb.inference.smoothing import EQUAL_SHARES
from river_kdb.jit import kernel

OWN, TREE, BAYES = "KDB(k=2)", "HoeffdingTree", "BernoulliNB"
FLOOR = "floor"
PIECES = ("walk", "increments", "log_joint")
TEXTS = ("elevel", "car", "zipcode")


# Streams ---------------------------------------------------------------------------------------


def streams(n_events: int) -> dict[str, list[Event]]:
    """Return the first events of every stream."""
    numbers = list(itertools.islice(datasets.synth.Agrawal(seed=SEED), n_events))
    mixed: list[Event] = [
        (x | {name: f"{name} {x[name]}" for name in TEXTS}, y) for x, y in numbers
    ]
    return {
        "Agrawal": numbers,
        "Agrawal, 3 texts": mixed,
        "Phishing": list(itertools.islice(datasets.Phishing(), n_events)),
        "ImageSegments": segments(n_events),
        CATEGORICAL: categorical(n_events),
    }


# The floor -------------------------------------------------------------------------------------


def walker(events: Sequence[Event]) -> Callable[[dict[Hashable, Any]], np.ndarray]:
    """Return the barest way from a dict like these to a row: first the numbers, then the texts."""
    first = events[0][0]
    texts = [name for name, value in first.items() if isinstance(value, str)]
    numbers = [name for name in first if name not in texts]
    ids: list[dict[Any, float]] = []
    for name in texts:
        values = dict.fromkeys(x[name] for x, _ in events)
        ids.append({value: float(number) for number, value in enumerate(values)})
    pack, frombuffer = struct.Struct(f"{len(first)}d").pack, np.frombuffer
    number, text = operator.itemgetter(*numbers or texts), operator.itemgetter(*texts or numbers)
    lookup = operator.getitem
    if not texts:
        return lambda x: frombuffer(pack(*number(x)))
    if not numbers:
        return lambda x: frombuffer(pack(*map(lookup, ids, text(x))))
    return lambda x: frombuffer(pack(*number(x), *map(lookup, ids, text(x))))


@kernel
def add_event(codes, label, noted):
    """Add 1 to every count of an event, given its codes (n,)."""
    (classes, cells, sums, totals, _, start, _), (spec, family_cells) = noted_counts(noted)
    classes[label] += 1.0
    for i in range(codes.shape[0]):
        row = start[i] + codes[i]
        totals[row] += 1.0
        cells[row, label] += 1.0
        sums[i, label] += 1.0
    for f in range(spec.shape[0]):
        row = spec[f, START]
        for column in range(FIRST_PARENT, spec.shape[1], 2):
            if spec[f, column] >= 0:
                row += codes[spec[f, column]] * spec[f, column + 1]
        family_cells[row + codes[spec[f, CHILD]], label] += 1.0
        family_cells[row + spec[f, CAP], label] += 1.0


@kernel
def log_joint(codes, strength, out, noted):
    """Write log P(c, x) (m,) of an event, given its codes (n,)."""
    (classes, cells, sums, _, used, start, _), (spec, family_cells) = noted_counts(noted)
    levels, m = word_block(noted, PROGRAM), out.shape[0]
    p, n_events = np.empty(m), 1.0
    for c in range(m):
        n_events += classes[c]
    for c in range(m):
        out[c] = (classes[c] + 1.0 / m) / n_events
    for i in range(codes.shape[0]):
        row = start[i] + codes[i]
        share, equal = 1.0 / used[i], EQUAL_SHARES / used[i]
        for c in range(m):
            p[c] = (cells[row, c] + share) / (sums[i, c] + 1.0)
        for q in range(levels.shape[2]):
            f = levels[0, i, q]
            if f < 0:
                break
            context = spec[f, START]
            for column in range(FIRST_PARENT, spec.shape[1], 2):
                if spec[f, column] >= 0:
                    context += codes[spec[f, column]] * spec[f, column + 1]
            here, whole = context + codes[i], context + spec[f, CAP]
            for c in range(m):
                count = family_cells[here, c] + strength * p[c] + equal
                p[c] = count / (family_cells[whole, c] + strength + EQUAL_SHARES)
        for c in range(m):
            out[c] *= p[c]
    for c in range(m):
        out[c] = np.log(out[c])


def bare_codes(model: KDBClassifier, events: Sequence[Event]) -> list[np.ndarray]:
    """Return the codes (n,) of every event, as a model codes them that has learned them."""
    learner = model._learner
    rows = np.stack([learner.encoder.row(x) for x, _ in events], axis=1)
    return list(np.ascontiguousarray(learner.coder.code(rows).T))


class Bare:
    """What goes along a stream and does the least for every event, with the time of each piece.

    The counts are those of a model that has learned the stream.
    """

    def __init__(self, model: KDBClassifier, events: Sequence[Event]) -> None:
        learner = model._learner
        self.model, self.events = model, events
        self.walk = walker(events)
        self.codes = bare_codes(model, events)
        self.labels = [learner.label_index[y] for _, y in events]
        self.ns: dict[str, list[int]] = {piece: [] for piece in PIECES}

    def go(self, start: int, stop: int) -> None:
        """Do the events from `start` to `stop`."""
        clock, walk, learner = time.perf_counter_ns, self.walk, self.model._learner
        noted, strength = learner.noted, learner.settings.strength
        out = np.empty(len(learner.labels))
        for r in range(start, min(stop, len(self.events))):
            x, codes, label = self.events[r][0], self.codes[r], self.labels[r]
            t0 = clock()
            walk(x)
            t1 = clock()
            log_joint(codes, strength, out, noted)
            t2 = clock()
            add_event(codes, label, noted)
            t3 = clock()
            for piece, ns in zip(PIECES, (t1 - t0, t3 - t2, t2 - t1), strict=True):
                self.ns[piece].append(ns)


# The race --------------------------------------------------------------------------------------


def trained(events: Sequence[Event]) -> KDBClassifier:
    """Return a model that has learned the events."""
    model = KDBClassifier(k=2)
    Timed(model, events).go(0, len(events))
    return model


def rivals(events: Sequence[Event]) -> dict[str, Timed]:
    """Return River's models for a stream."""
    found = {TREE: Timed(tree.HoeffdingTreeClassifier(), events)}
    if all(isinstance(value, str) for value in events[0][0].values()):
        one_hot = compose.SelectType(str) | preprocessing.OneHotEncoder()
        found[BAYES] = Timed(one_hot | naive_bayes.BernoulliNB(), events)
    return found


def race(events: Sequence[Event], model: KDBClassifier) -> tuple[dict[str, Timed], Bare]:
    """Send all along a stream once, in turns, each turn with another one first."""
    models = {OWN: Timed(KDBClassifier(k=2), events), **rivals(events)}
    bare = Bare(model, events)
    bare.go(0, 1)
    bare.ns = {piece: [] for piece in PIECES}
    gc.collect()
    gc.freeze()
    order: list[Timed | Bare] = [*models.values(), bare]
    for start in range(0, len(events), CHUNK):
        for one in order:
            one.go(start, start + CHUNK)
        order.append(order.pop(0))
    gc.unfreeze()
    return models, bare


def times(models: dict[str, Timed], bare: Bare) -> dict[tuple[str, str], list[int]]:
    """Return the ns of every event in one race, by model and call or by piece of the floor."""
    found = {}
    for name, timed in models.items():
        found[name, "predict"], found[name, "learn"] = timed.predict_ns, timed.learn_ns
    return found | {(FLOOR, piece): ns for piece, ns in bare.ns.items()}


def figures(races: Sequence[dict[tuple[str, str], list[int]]]) -> dict[tuple[str, str], float]:
    """Return µs an event and ratios by model and measure.

    Of each event the median of the races counts, so that a pause of the process does not; then
    the mean over the events is taken, which contains the rare work, and their median.
    """
    found: dict[tuple[str, str], float] = {}
    for end, middle in (("", np.mean), ("_median", np.median)):
        sums: dict[str, float] = {}
        for name, call in races[0]:
            ns = np.median([race[name, call] for race in races], axis=0)
            found[name, call + end] = float(middle(ns)) / 1e3
            sums[name] = sums.get(name, 0.0) + found[name, call + end]
        for name, both in sums.items():
            found[name, f"both{end}"] = both
            found[name, f"of_floor{end}"] = both / sums[FLOOR]
            found[name, f"of_tree{end}"] = both / sums[TREE]
            if BAYES in sums:
                found[name, f"of_bayes{end}"] = both / sums[BAYES]
    return found


def unit_of(measure: str) -> str:
    """Return the unit of a measure."""
    beside = {"of_floor": f"of {FLOOR}", "of_tree": f"of {TREE}", "of_bayes": f"of {BAYES}"}
    return beside.get(measure.removesuffix("_median"), "µs/event")


def one_stream(name: str, events: Sequence[Event], runs: int) -> list[Result]:
    """Return what several races along a stream took."""
    model = trained(events)
    for timed in rivals(events).values():
        timed.go(0, 50)
    found = figures([times(*race(events, model)) for _ in range(runs)])
    return [
        Result("floor", name, who, measure, value, unit_of(measure))
        for (who, measure), value in found.items()
    ]


def tables(name: str, n_events: int, results: Sequence[Result]) -> None:
    """Print what was measured on a stream, the mean event and the median event on own lines."""
    lines = []
    for result in results:
        typical = result.measure.endswith("_median")
        lines.append(
            result._replace(
                measure=result.measure.removesuffix("_median"),
                section="median event" if typical else "mean event",
            )
        )
    models = [line for line in lines if line.model != FLOOR]
    show(f"{name}: {n_events:,} events (µs an event)", models, ("model", "section"))
    pieces = [line for line in lines if line.model == FLOOR]
    show(f"{name}: the floor", pieces, ("model", "section"))


# Command ---------------------------------------------------------------------------------------


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the options."""
    results = Path(__file__).parent / "results" / "floor.csv"
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--runs", type=int, default=5, help="runs the medians are taken of (%(default)s)")
    add("--events", type=int, default=20_000, help="events of a stream, at most (%(default)s)")
    add("--only", help="streams, with semicolons (all)")
    add("--out", type=Path, default=results, help="the CSV to write (%(default)s)")
    options = parser.parse_args(arguments)
    if min(options.runs, options.events) < 1:
        parser.error("numbers have to be 1 or more")
    known = list(streams(1))
    options.only = options.only.split(";") if options.only else known
    if unknown := set(options.only) - set(known):
        parser.error(f"--only knows {'; '.join(known)}, not {'; '.join(sorted(unknown))}")
    return options


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the streams that were asked for."""
    options = parse(arguments)
    began = time.perf_counter()
    results = setup()
    for result in results:
        print(f"{result.measure}: {result.value} {result.unit.replace('version', '')}".rstrip())
    for name, events in streams(options.events).items():
        if name in options.only:
            part = one_stream(name, events, options.runs)
            tables(name, len(events), part)
            results += part
    write(results, options.out)
    print(f"\n{options.out} written after {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
