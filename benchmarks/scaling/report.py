"""Growth exponents, tables and files of what was measured."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.scaling.cases import Case
from benchmarks.scaling.measure import MIB, PARTS, Cost

COSTS = ("predict", "predict_mean", "learn", "learn_mean", "learn_max", "tables", "river")
HEAD = (
    *("predict", "(mean)", "learn", "(mean)", "(max)", "tables", "River"),
    "notes",
)
UNITS = (*["µs"] * 5, "MiB", "MiB", "")


class Record(NamedTuple):
    """A case of a series, with its cost or the reason why it was skipped.

    Attributes
    ----------
    factor, model, store
        Those of the series.
    case
        The sizes.
    cost
        None for a case that was skipped.
    skipped
        The reason; empty for a case that was measured.
    """

    factor: str
    model: str
    store: str
    case: Case
    cost: Cost | None
    skipped: str

    @property
    def size(self) -> int:
        """The size that grows."""
        return int(getattr(self.case, self.factor))


def exponent(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """Return the slope of log cost over log size by least squares, over the upper half.

    These are the half of the points with the largest sizes, rounded up, and at least three of
    them. Points at 0 have no logarithm and don't count.

    Parameters
    ----------
    sizes
        Rising.
    costs
        Of the same length.

    Returns
    -------
    NaN where there are fewer than two points.

    Examples
    --------
    >>> from benchmarks.scaling.report import exponent
    >>> round(exponent([1, 2, 4, 8, 16], [9, 9, 16, 64, 256]), 6)
    2.0
    """
    points = [(s, c) for s, c in zip(sizes, costs, strict=True) if s > 0 and c > 0]
    upper = points[-max(3, math.ceil(len(points) / 2)) :]
    if len(upper) < 2:
        return math.nan
    x, y = np.log(np.array(upper)).T
    return float(np.polyfit(x, y, 1)[0])


def measured_series(records: Iterable[Record]) -> dict[tuple[str, str, str], list[Record]]:
    """Return the measured records of every factor, model and store."""
    found: dict[tuple[str, str, str], list[Record]] = {}
    for record in records:
        members = found.setdefault(record[:3], [])
        if record.cost is not None:
            members.append(record)
    return found


def exponents(records: Iterable[Record]) -> list[list[Any]]:
    """Return a row for every factor, model and store: the exponents of `COSTS`.

    Parameters
    ----------
    records
        What was measured.
    """
    rows: list[list[Any]] = []
    for key, members in measured_series(records).items():
        sizes = [record.size for record in members]
        columns = ([getattr(record.cost, name) for record in members] for name in COSTS)
        rows.append([*key, *(exponent(sizes, costs) for costs in columns)])
    return rows


def cells(record: Record) -> list[str]:
    """Return the line of a record in a table, after factor, model, store and size."""
    if record.cost is None:
        return ["-"] * len(COSTS) + [f"skipped: {record.skipped}"]
    cost = record.cost
    times = (cost.predict, cost.predict_mean, cost.learn, cost.learn_mean, cost.learn_max)
    sizes = (cost.tables / MIB, cost.river / MIB)
    return [*(f"{t:,.1f}" for t in times), *(f"{s:,.2f}" for s in sizes), cost.notes]


def as_text(head: Sequence[str], rows: Iterable[Sequence[str]], n_left: int) -> str:
    """Return a table as text, the first `n_left` columns to the left and others to the right.

    Parameters
    ----------
    head
        The headings.
    rows
        The cells.
    n_left
        How many columns stand to the left.
    """
    table = [list(head), *map(list, rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = []
    for line in table:
        pairs = zip(line, widths, strict=True)
        texts = [c.ljust(w) if j < n_left else c.rjust(w) for j, (c, w) in enumerate(pairs)]
        lines.append("  ".join(texts).rstrip())
    return "\n".join(lines)


def costs_text(records: Sequence[Record]) -> str:
    """Return the table of the costs of some series."""
    factor = records[0].factor
    head = [
        "model",
        "store",
        factor,
        *(f"{h} {u}".strip() for h, u in zip(HEAD, UNITS, strict=True)),
    ]
    rows = [[r.model, r.store, f"{r.size:,}", *cells(r)] for r in records]
    return as_text(head, rows, 2)


def exponents_text(records: Sequence[Record]) -> str:
    """Return the table of the exponents."""
    rows = [
        [*row[:3], *("-" if math.isnan(e) else f"{e:.2f}" for e in row[3:])]
        for row in exponents(records)
    ]
    return as_text(["factor", "model", "store", *HEAD[:-1]], rows, 3)


def write_costs(records: Sequence[Record], setup: dict[str, Any], path: Path) -> None:
    """Write a line for every record, with what it was measured with.

    Parameters
    ----------
    records
        What was measured.
    setup
        Versions and machine.
    path
        The CSV.
    """
    parts = [f"{part}_bytes" for part in PARTS]
    times = [f"{name}_us" for name in COSTS[:5]]
    head = ["factor", "model", "store", *Case._fields, *times]
    head += ["tables_bytes", "river_bytes", *parts, "notes", "skipped", *setup]
    rows = []
    for r in records:
        found: list[Any] = [""] * (len(COSTS) + len(parts) + 1)
        if r.cost is not None:
            found = [f"{getattr(r.cost, name):.6g}" for name in COSTS[:5]]
            found += [r.cost.tables, r.cost.river, *r.cost.parts.values(), r.cost.notes]
        rows.append([r.factor, r.model, r.store, *r.case, *found, r.skipped, *setup.values()])
    write_csv(head, rows, path)


def write_exponents(records: Sequence[Record], path: Path) -> None:
    """Write the exponents as a CSV."""
    rows = [
        [*row[:3], *("" if math.isnan(e) else f"{e:.3f}" for e in row[3:])]
        for row in exponents(records)
    ]
    write_csv(["factor", "model", "store", *COSTS], rows, path)


def write_csv(head: Sequence[str], rows: Iterable[Sequence[Any]], path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([head, *rows])
