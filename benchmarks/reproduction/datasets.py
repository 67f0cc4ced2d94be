"""The data sets of a folder, as the models take them."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

FOLDERS = ("uci", "streams")
CLASS = "class"
SHORT = {"kdd99": "kdd99-10pct"}


class Entry(NamedTuple):
    """A line of a MANIFEST.csv, and where the rows are."""

    name: str
    rows: int
    features: int
    classes: int
    numeric: tuple[str, ...]
    path: Path


class DataSet(NamedTuple):
    """A data set: float columns and categories, and a text as the label of every row."""

    name: str
    X: pd.DataFrame
    y: np.ndarray
    nominal: list[str]


class NoDataError(ValueError):
    """The data are not as they have to be."""


def read_manifest(folder: Path) -> dict[str, Entry]:
    """Return the sets of a folder by name."""
    entries: dict[str, Entry] = {}
    for part in FOLDERS:
        manifest = folder / part / "MANIFEST.csv"
        if not manifest.exists():
            continue
        with manifest.open(newline="", encoding="utf-8") as file:
            for line in csv.DictReader(file):
                path = folder / part / f"{line['name']}.csv.gz"
                if path.exists():
                    entries.setdefault(line["name"], _entry(line, path))
    if not entries:
        raise NoDataError(
            f"{folder} holds no sets: uci/MANIFEST.csv and uci/NAME.csv.gz are needed"
        )
    return entries


def _entry(line: dict[str, str], path: Path) -> Entry:
    counts = (int(line[key]) for key in ("instances", "attributes", "classes"))
    numeric = tuple(name for name in line["numeric_columns"].split(";") if name)
    return Entry(line["name"], *counts, numeric, path)


def choose(
    names: Iterable[str], entries: dict[str, Entry], max_rows: int | None = None
) -> tuple[list[Entry], list[str]]:
    """Return the named sets, with no more than `max_rows` rows, and the names not found."""
    found, missing = [], []
    for name in dict.fromkeys(SHORT.get(name, name) for name in names):
        if name not in entries:
            missing.append(name)
            continue
        entry = entries[name]
        found.append(entry._replace(rows=min(entry.rows, max_rows or entry.rows)))
    return found, missing


def load(entry: Entry) -> DataSet:
    """Read the first rows of a set, as many as its entry says."""
    header = pd.read_csv(entry.path, nrows=0).columns
    kinds = {name: float if name in entry.numeric else str for name in header}
    frame = pd.read_csv(
        entry.path, dtype=kinds, keep_default_na=False, na_values=[""], nrows=entry.rows
    )
    _check(entry, frame.columns)
    y = frame.pop(frame.columns[-1]).to_numpy(dtype=object)
    nominal = [name for name in frame.columns if name not in entry.numeric]
    frame = frame.astype(dict.fromkeys(nominal, "category"))
    return DataSet(entry.name, frame, y, nominal)


def _check(entry: Entry, columns: Sequence[str]) -> None:
    if columns[-1] != CLASS:
        raise NoDataError(f"{entry.name}: the last column is {columns[-1]!r}, not {CLASS!r}")
    if unknown := set(entry.numeric) - set(columns):
        raise NoDataError(f"{entry.name}: no column {', '.join(sorted(unknown))}")
