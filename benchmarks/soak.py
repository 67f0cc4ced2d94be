"""Millions of events of a drifting stream, to see that memory stays flat and numbers sound.

    python benchmarks/soak.py --events 5000000 --models kdb:half_life=1000,mixture

The concept (one of SEA's four, with a feature that drifts and a user among 5,000) changes every
50,000 events. The table has a row for every tenth of the events: the size of the model, the
process's resident memory, microseconds an event, accuracy since the last row, and how far the sum
of the probabilities was from 1 at most, over all events. A probability that is not finite, or
below 0, ends the run.
"""

from __future__ import annotations

import argparse
import csv
import math
import resource
import sys
import time
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path

from river.datasets import synth

from river_kdb.evaluate import Stream, make_models, memory_usage

_CONCEPT = 50_000
_DRAWN = 10_000
_HEAD = ("model", "events", "model_mib", "process_mib", "us_event", "accuracy", "worst_sum")


def drifting(n_events: int) -> Iterator[tuple[dict[str, object], bool]]:
    """Give the events.

    Parameters
    ----------
    n_events
        How many.

    Examples
    --------
    >>> from benchmarks.soak import drifting
    >>> [sorted(x) for x, _ in drifting(1)]
    [['clock', 'user', 'x0', 'x1', 'x2']]
    """
    concepts = [list(synth.SEA(v, seed=v, noise=0.1).take(_DRAWN)) for v in range(4)]
    done = 0
    for concept in cycle(concepts):
        for x, y in islice(cycle(concept), min(_CONCEPT, n_events - done)):
            done += 1
            user = f"u{done * 7919 % 5003}"
            yield {"x0": x[0], "x1": x[1], "x2": x[2], "clock": done * 1e-3, "user": user}, y
        if done >= n_events:
            return


def soak(name: str, n_events: int) -> Iterator[tuple[object, ...]]:
    """Run a model, and give a row of the table for every tenth of the events.

    Parameters
    ----------
    name
        The model, as the command line calls it.
    n_events
        How many events there are.

    Raises
    ------
    ArithmeticError
        For a probability that is none.
    """
    stream = Stream.look_at("drifting", lambda: drifting(n_events), n_events)
    model = make_models([name], stream)[0].make()
    step = max(1, n_events // 10)
    hits, spent, worst = 0, 0, 0.0
    for event, (x, y) in enumerate(drifting(n_events), start=1):
        begun = time.perf_counter_ns()
        answer = model.predict_proba_one(x)
        model.learn_one(x, y)
        spent += time.perf_counter_ns() - begun
        if answer:
            if not all(math.isfinite(p) and p >= 0.0 for p in answer.values()):
                raise ArithmeticError(f"{name}: {answer} after {event} events")
            worst = max(worst, abs(sum(answer.values()) - 1.0))
            hits += max(answer, key=answer.__getitem__) == y
        if event % step == 0:
            size = memory_usage(model) / 2**20
            process = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
            us = spent / step / 1000
            yield name, event, size, process, us, hits / step, worst
            hits = spent = 0


def main() -> None:
    """Run the models, print the table and write it where asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--events", type=int, default=5_000_000)
    parser.add_argument("--models", default="kdb:half_life=1000,mixture")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    rows = []
    print(*_HEAD, sep="\t")
    for name in given.models.split(","):
        for row in soak(name, given.events):
            rows.append(row)
            print(*(f"{v:.4g}" if isinstance(v, float) else v for v in row), sep="\t")
            sys.stdout.flush()
    if given.out is not None:
        with given.out.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([_HEAD, *rows])


if __name__ == "__main__":
    main()
