"""How far one event of KDB(2) is from the least that any program could do for it.

The floor of an event is a bare walk through the dict to a row of numbers, a kernel that adds 1 to
the counts that KDB(2) must keep, and a kernel that computes the log joint of every class, both
given codes made beforehand: no value is checked, binned or missing, and nothing is ever relearned.
River's HoeffdingTreeClassifier goes along in the same process, and on texts BernoulliNB behind a
one-hot encoder. The mean event is from the processor's time and contains all rare work (bins,
structures, tables that grow); the median event is from the clock, call by call, without any.
"""

from __future__ import annotations

import argparse
import gc
import itertools
import operator
import statistics
import struct
import sys
import time
from collections import Counter
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
COLUMNS = ("predict", "learn", *PIECES, "both", "of_floor", "of_tree", "of_bayes")
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


class Lane(Timed):
    """A model that goes along a stream, with the time of every call or that of the processor."""

    def __init__(self, model: Any, events: Sequence[Event]) -> None:
        super().__init__(model, events)
        self.spent_ns: Counter[str] = Counter()

    @property
    def ns(self) -> dict[str, list[int]]:
        """The time of every call."""
        return {"predict": self.predict_ns, "learn": self.learn_ns}

    def spend(self, start: int, stop: int) -> None:
        """Predict and learn the events from `start` to `stop`, timed together."""
        predict, learn = self.model.predict_proba_one, self.model.learn_one
        began = time.process_time_ns()
        for x, y in self.events[start:stop]:
            predict(x)
            learn(x, y)
        self.spent_ns["both"] += time.process_time_ns() - began


class Bare:
    """What does the least for every event, timed as a `Lane` is.

    The counts are those of a model that has learned the stream.
    """

    def __init__(self, model: KDBClassifier, events: Sequence[Event]) -> None:
        learner = model._learner
        self.events, self.walk = events, walker(events)
        self.learner, self.strength = learner, learner.settings.strength
        self.codes = bare_codes(model, events)
        self.labels = [learner.label_index[y] for _, y in events]
        self.ns: dict[str, list[int]] = {piece: [] for piece in PIECES}
        self.spent_ns: Counter[str] = Counter()

    def go(self, start: int, stop: int) -> None:
        """Do the events from `start` to `stop`."""
        clock, walk = time.perf_counter_ns, self.walk
        noted, strength, out = self.learner.noted, self.strength, np.empty(len(self.learner.labels))
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

    def spend(self, start: int, stop: int) -> None:
        """Do the pieces of the events from `start` to `stop`, a piece at a time."""
        clock, walk = time.process_time_ns, self.walk
        noted, strength, out = self.learner.noted, self.strength, np.empty(len(self.learner.labels))
        codes, labels = self.codes[start:stop], self.labels[start:stop]
        t0 = clock()
        for x, _ in self.events[start:stop]:
            walk(x)
        t1 = clock()
        for own in codes:
            log_joint(own, strength, out, noted)
        t2 = clock()
        for own, label in zip(codes, labels, strict=True):
            add_event(own, label, noted)
        t3 = clock()
        self.spent_ns.update(walk=t1 - t0, increments=t3 - t2, log_joint=t2 - t1)


# The race --------------------------------------------------------------------------------------


def trained(events: Sequence[Event]) -> KDBClassifier:
    """Return a model that has learned the events."""
    model = KDBClassifier(k=2)
    Timed(model, events).go(0, len(events))
    return model


def rivals(events: Sequence[Event]) -> dict[str, Lane]:
    """Return River's models for a stream."""
    found = {TREE: Lane(tree.HoeffdingTreeClassifier(), events)}
    if all(isinstance(value, str) for value in events[0][0].values()):
        one_hot = compose.SelectType(str) | preprocessing.OneHotEncoder()
        found[BAYES] = Lane(one_hot | naive_bayes.BernoulliNB(), events)
    return found


def race(events: Sequence[Event], model: KDBClassifier, way: str) -> dict[str, Lane | Bare]:
    """Send all along a stream once, in turns, each turn with another one first.

    `way` is `"go"`, where every call is timed, or `"spend"`.
    """
    lanes: dict[str, Lane | Bare] = {OWN: Lane(KDBClassifier(k=2), events), **rivals(events)}
    lanes[FLOOR] = Bare(model, events)
    gc.collect()
    gc.freeze()
    order = list(lanes.values())
    for start in range(0, len(events), CHUNK):
        for lane in order:
            getattr(lane, way)(start, start + CHUNK)
        order.append(order.pop(0))
    gc.unfreeze()
    return lanes


def figures(timed: dict[str, Lane | Bare], spent: dict[str, Lane | Bare]) -> dict[Any, float]:
    """Return µs an event and ratios by model and measure, from a race of each kind.

    The mean is from the time of the processor, since a pause of the process would fall in it; it
    contains the rare work, which is in `learn`.
    """
    found: dict[Any, float] = {}
    sums: dict[str, dict[str, float]] = {"": {}, "_median": {}}
    for name, lane in timed.items():
        for call, ns in lane.ns.items():
            found[name, f"{call}_median"] = statistics.median(ns) / 1e3
        sums["_median"][name] = sum(statistics.median(ns) for ns in lane.ns.values()) / 1e3
    for name, lane in spent.items():
        n = len(lane.events)
        for call, ns in lane.spent_ns.items():
            found[name, call] = ns / n / 1e3
        sums[""][name] = sum(lane.spent_ns.values()) / n / 1e3
    for end, both in sums.items():
        for name in both:
            found[name, f"both{end}"] = both[name]
            found[name, f"of_floor{end}"] = both[name] / both[FLOOR]
            found[name, f"of_tree{end}"] = both[name] / both[TREE]
            if BAYES in both:
                found[name, f"of_bayes{end}"] = both[name] / both[BAYES]
    return found


def unit_of(measure: str) -> str:
    """Return the unit of a measure."""
    beside = {"of_floor": f"of {FLOOR}", "of_tree": f"of {TREE}", "of_bayes": f"of {BAYES}"}
    return beside.get(measure.removesuffix("_median"), "µs/event")


def one_stream(name: str, events: Sequence[Event], runs: int) -> list[Result]:
    """Return the medians of several races along a stream."""
    model = trained(events)
    for lane in rivals(events).values():
        lane.go(0, 50)
    race(events[:CHUNK], model, "spend")
    found = [figures(race(events, model, "go"), race(events, model, "spend")) for _ in range(runs)]
    return [
        Result("floor", name, *key, statistics.median(f[key] for f in found), unit_of(key[1]))
        for key in found[0]
    ]


def tables(name: str, n_events: int, results: Sequence[Result]) -> None:
    """Print what was measured on a stream, the mean event and the median event on own lines."""
    lines = []
    for result in results:
        measure = result.measure.removesuffix("_median")
        event = "mean event" if measure == result.measure else "median event"
        lines.append(result._replace(measure=measure, section=event))
    lines.sort(key=lambda line: COLUMNS.index(line.measure))
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
