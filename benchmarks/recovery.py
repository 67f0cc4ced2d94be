"""How fast the models regain their accuracy after an abrupt drift, and what watching costs them.

    python benchmarks/recovery.py --seeds 4 --out benchmarks/results/recovery.csv

A drift comes after 4,000 events. `before` is the accuracy over the 1,000 events before it,
`0-250`, ... over the events after it. `regained` is the first number of events, in steps of 250,
from which on the accuracy over the next 500 is within .02 of `before`; `never` if it is not within
2,000. `new` rows are of a model that starts with the second concept: what nobody can beat by
forgetting. The second table is of streams without drift: what a detector costs in accuracy there.
Figures are means over the seeds.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from river import datasets, drift
from river.datasets import synth

from river_kdb import BNMixtureClassifier, KDBClassifier

BEFORE, AFTER, STATIONARY = 4000, 3000, 10_000
BLOCKS = ((0, 250), (250, 500), (500, 1000), (1000, 2000))

MODELS: dict[str, Callable[[], Any]] = {
    "KDB(2)": lambda: KDBClassifier(k=2),
    "KDB(2) ADWIN": lambda: KDBClassifier(k=2, drift_detector=drift.ADWIN()),
    "mixture": BNMixtureClassifier,
}
WATCHED: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
    "KDB(2)": (MODELS["KDB(2)"], MODELS["KDB(2) ADWIN"]),
    "mixture": (lambda: BNMixtureClassifier(drift_detector=drift.NoDrift()), BNMixtureClassifier),
}
DRIFTS: dict[str, tuple[Callable[[int, int], Any], int, int]] = {
    "STAGGER 0-2": (lambda v, seed: synth.STAGGER(classification_function=v, seed=seed), 0, 2),
    "SEA 0-3": (lambda v, seed: synth.SEA(variant=v, seed=seed), 0, 3),
    "SEA 2-3": (lambda v, seed: synth.SEA(variant=v, seed=seed), 2, 3),
    "Agrawal 1-4": (lambda v, seed: synth.Agrawal(classification_function=v, seed=seed), 1, 4),
}


def hits_of(model: Any, events: Iterable[tuple[dict[Any, Any], Any]]) -> np.ndarray:
    """Return for every event whether the model predicted its label, which it then learned.

    Parameters
    ----------
    model
        A classifier.
    events
        Features and labels.
    """
    hits = []
    for x, y in events:
        hits.append(model.predict_one(x) == y)
        model.learn_one(x, y)
    return np.array(hits)


def regained(after: np.ndarray, before: float) -> str:
    """Return after how many events the accuracy is back.

    Parameters
    ----------
    after
        float array of shape (n_events,): mean hits after the drift.
    before
        The accuracy before it.

    Examples
    --------
    >>> import numpy as np
    >>> from benchmarks.recovery import regained
    >>> regained(np.repeat([0.5, 0.9], [250, 2750]), 0.9)
    '250'
    """
    for start in range(0, 2001, 250):
        if after[start : start + 500].mean() >= before - 0.02:
            return str(start)
    return "never"


def recovery(seeds: int) -> list[list[str]]:
    """Return the table of the drifts.

    Parameters
    ----------
    seeds
        How many seeds.
    """
    rows = [["drift", "model", "before", *(f"{a}-{b}" for a, b in BLOCKS), "regained"]]
    for title, (concept, first, second) in DRIFTS.items():
        for name, make in MODELS.items():
            runs, fresh = [], []
            for seed in range(1, seeds + 1):
                old = list(islice(concept(first, seed), BEFORE))
                new = list(islice(concept(second, seed + 100), AFTER))
                runs.append(hits_of(make(), old + new))
                fresh.append(hits_of(make(), new))
            mean, started = np.mean(runs, axis=0), np.mean(fresh, axis=0)
            before, after = float(mean[BEFORE - 1000 : BEFORE].mean()), mean[BEFORE:]
            shown = [(name, after), (f"{name}, new", started)]
            for model, hits in shown if name in WATCHED else shown[:1]:
                blocks = [f"{hits[a:b].mean():.3f}" for a, b in BLOCKS]
                rows.append([title, model, f"{before:.3f}", *blocks, regained(hits, before)])
    return rows


def cost(seeds: int) -> list[list[str]]:
    """Return the table of what a detector costs where nothing drifts.

    Parameters
    ----------
    seeds
        How many seeds.
    """
    rows = [["stream", "model", "without", "with", "loss", "drifts"]]
    streams: dict[str, Callable[[int], list[Any]]] = {
        "Phishing": lambda seed: list(datasets.Phishing()),
        "ImageSegments": lambda seed: list(datasets.ImageSegments()),
    }
    for title, (concept, first, _) in DRIFTS.items():
        streams[f"{title[:-2]}, no drift"] = lambda seed, concept=concept, first=first: list(
            islice(concept(first, seed), STATIONARY)
        )
    for title, draw in streams.items():
        for name, (plain, watched) in WATCHED.items():
            without, with_it, drifts = [], [], 0
            for seed in range(1, seeds + 1 if title.endswith("no drift") else 2):
                events, model = draw(seed), watched()
                without.append(hits_of(plain(), events).mean())
                with_it.append(hits_of(model, events).mean())
                drifts += model.n_drifts_detected()
            a, b = np.mean(without), np.mean(with_it)
            rows.append([title, name, f"{a:.4f}", f"{b:.4f}", f"{a - b:+.4f}", str(drifts)])
    return rows


def main() -> None:
    """Print both tables, and write them where asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    tables = [recovery(given.seeds), cost(given.seeds)]
    for table in tables:
        widths = [max(len(row[j]) for row in table) for j in range(len(table[0]))]
        for row in table:
            print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)))
        print()
    if given.out is not None:
        with given.out.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([*tables[0], [], *tables[1]])


if __name__ == "__main__":
    main()
