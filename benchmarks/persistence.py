"""How long models take to be saved and loaded, and how large they are in a file, beside pickle.

    python benchmarks/persistence.py --out benchmarks/results/persistence.csv

Every model learns rows of made-up numbers and texts. Seconds are medians; `save` writes a file and
waits until it is on the disk, `load` checks all of it before a model is made of it. Pickle's file
is written and waited for likewise.
"""

from __future__ import annotations

import argparse
import csv
import os
import pickle
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd

import river_kdb

_HEAD = (
    *("model", "mib", "save_s", "load_s", "save_mib_s", "load_mib_s"),
    *("pickle_mib", "pickle_save_s", "pickle_load_s"),
)
_MIB = 2**20
_ROWS = 12_000

Row = tuple[str, float, float, float, float, float, float, float, float]


def rows_of(n_rows: int, n_features: int, seed: int = 0) -> tuple[pd.DataFrame, list[str]]:
    """Return made-up rows, every second column of texts, and their labels.

    Parameters
    ----------
    n_rows
        How many rows.
    n_features
        How many columns.
    seed
        What they are drawn by.

    Examples
    --------
    >>> from benchmarks.persistence import rows_of
    >>> frame, labels = rows_of(3, 4)
    >>> frame.shape, len(labels)
    ((3, 4), 3)
    """
    rng = random.Random(seed)
    labels = [rng.choice("abc") for _ in range(n_rows)]
    columns: dict[str, list[Any]] = {}
    for i in range(n_features):
        if i % 2:
            columns[f"t{i}"] = [f"{y}{rng.randrange(8)}" for y in labels]
        else:
            columns[f"n{i}"] = [rng.gauss(ord(y), 3.0) for y in labels]
    return pd.DataFrame(columns), labels


def models(n_rows: int) -> Iterator[tuple[str, Any]]:
    """Give models that have learned, the smallest first.

    Parameters
    ----------
    n_rows
        Rows that each learns.
    """
    makers: list[tuple[str, int, Callable[[], Any]]] = [
        ("naive Bayes, 8 features", 8, lambda: river_kdb.KDBClassifier(k=0)),
        ("KDB(2), 16 features", 16, lambda: river_kdb.KDBClassifier(k=2)),
        ("KDF(2), 16 features", 16, lambda: river_kdb.KDFClassifier(k=2)),
        ("TL(2), sets, 64 features", 64, _target_learning),
        ("KDB(1), tables, 108 features", 108, lambda: _of_tables(400)),
        ("KDB(1), tables, 180 features", 180, lambda: _of_tables(900)),
    ]
    for name, n_features, make in makers:
        model = make()
        frame, labels = rows_of(n_rows, n_features)
        for start in range(0, n_rows, 4_000):
            part = slice(start, start + 4_000)
            model.learn_many(frame[part], labels[part])
        yield name, model


def _target_learning() -> Any:
    return river_kdb.UKDBClassifier(k=2, universal=False, counts="bitset")


def _of_tables(mib: int) -> Any:
    return river_kdb.KDBClassifier(k=1, counts="dense", max_size=mib)


def measure(name: str, model: Any, folder: Path, runs: int) -> Row:
    """Return a row of the table.

    Parameters
    ----------
    name
        What the model is called.
    model
        The model.
    folder
        Where files go.
    runs
        How often everything is done.

    Raises
    ------
    ArithmeticError
        If a model that was loaded is not the one that was saved.
    """
    ours, theirs = folder / "model.kdb", folder / "model.pickle"
    save = _median(lambda: model.save(ours), runs)
    load = _median(lambda: river_kdb.load(ours), runs)
    pickle_save = _median(lambda: _pickle(model, theirs), runs)
    pickle_load = _median(lambda: pickle.loads(theirs.read_bytes()), runs)
    if river_kdb.load(ours).to_bytes() != ours.read_bytes():
        raise ArithmeticError(f"{name}: what was loaded is not what was saved")
    mib, pickled = ours.stat().st_size / _MIB, theirs.stat().st_size / _MIB
    times = save, load, mib / save, mib / load
    return name, mib, *times, pickled, pickle_save, pickle_load


def _pickle(model: Any, path: Path) -> None:
    with path.open("wb") as file:
        pickle.dump(model, file, protocol=pickle.HIGHEST_PROTOCOL)
        file.flush()
        os.fsync(file.fileno())


def _median(do: Callable[[], Any], runs: int) -> float:
    spent = []
    for _ in range(runs):
        begun = time.perf_counter()
        do()
        spent.append(time.perf_counter() - begun)
    return statistics.median(spent)


def main() -> None:
    """Save and load the models, print the table and write it where asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=_ROWS)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    rows = []
    print(*_HEAD, sep="\t")
    with tempfile.TemporaryDirectory() as folder:
        for name, model in models(given.rows):
            row = measure(name, model, Path(folder), given.runs)
            rows.append(row)
            print(*(f"{v:.3g}" if isinstance(v, float) else v for v in row), sep="\t")
            sys.stdout.flush()
    if given.out is not None:
        with given.out.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([_HEAD, *rows])


if __name__ == "__main__":
    main()
