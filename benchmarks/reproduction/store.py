"""The results on disk: a line for every finished task, so that a run can be taken up again."""

from __future__ import annotations

import base64
import csv
import os
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

Key = tuple[str, str, str]
KEY = ["set", "algorithm", "settings"]


class Row(NamedTuple):
    """A line of results.csv; `protocol` is the one that it was first asked for under."""

    set: str
    algorithm: str
    protocol: str
    settings: str
    status: str
    rows: int
    features: int
    classes: int
    zero_one: float | None = None
    rmse: float | None = None
    rmse_all: float | None = None
    macro_f1: float | None = None
    mcc: float | None = None
    log_loss: float | None = None
    bias: float | None = None
    variance: float | None = None
    average_cmi: float | None = None
    learn_seconds: float | None = None
    predict_seconds: float | None = None
    peak_mib: float | None = None
    message: str = ""

    @property
    def key(self) -> Key:
        """What tells the line from others."""
        return self.set, self.algorithm, self.settings


OUTCOME_COLUMNS = (*KEY, "rows", "bits")


class Store:
    """Two CSV files of a folder: results.csv, and outcomes.csv with a bit for every row.

    The outcomes are written first, so a line in results.csv always has them. Where a key occurs
    twice, its last line counts.
    """

    def __init__(self, folder: Path) -> None:
        self.results = folder / "results.csv"
        self.outcomes = folder / "outcomes.csv"

    def add(self, row: Row, correct: np.ndarray | None = None) -> None:
        """Append a finished task."""
        if correct is not None:
            _append(self.outcomes, OUTCOME_COLUMNS, (*row.key, len(correct), pack(correct)))
        _append(self.results, Row._fields, map(_cell, row))

    def frame(self) -> pd.DataFrame:
        """Return the lines of results.csv that count."""
        if not self.results.exists():
            return pd.DataFrame(columns=list(Row._fields))
        frame = pd.read_csv(self.results, dtype=dict.fromkeys(KEY, str))
        if list(frame.columns) != list(Row._fields):
            raise ValueError(f"{self.results} has other columns; move it away")
        return frame.drop_duplicates(KEY, keep="last")

    def done(self) -> set[Key]:
        """Return the keys of the tasks that need not be run again."""
        mend(self.results)
        mend(self.outcomes)
        frame = self.frame()
        return set(frame.loc[frame["status"] == "ok", KEY].itertuples(index=False, name=None))

    def correct(self) -> dict[Key, np.ndarray]:
        """Return which rows were predicted right, by key."""
        if not self.outcomes.exists():
            return {}
        with self.outcomes.open(newline="", encoding="utf-8") as file:
            return {
                (line["set"], line["algorithm"], line["settings"]): unpack(
                    line["bits"], int(line["rows"])
                )
                for line in csv.DictReader(file)
            }


def _cell(value: Any) -> Any:
    if isinstance(value, float):
        return "" if np.isnan(value) else f"{value:.6g}"
    return value


def _append(path: Path, header: Iterable[str], cells: Iterable[Any]) -> None:
    """Append a line at once, after a header if it is the first."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        if file.tell() == 0:
            writer.writerow(header)
        writer.writerow(cells)
        file.flush()
        os.fsync(file.fileno())


def mend(path: Path) -> None:
    """Cut off a last line that was not written to its end."""
    if not path.exists():
        return
    data = path.read_bytes()
    if data and not data.endswith(b"\n"):
        path.write_bytes(data[: data.rfind(b"\n") + 1])


def pack(correct: np.ndarray) -> str:
    """Return a bool array as a text."""
    bits = np.packbits(np.asarray(correct, dtype=bool)).tobytes()
    return base64.b64encode(zlib.compress(bits, 9)).decode("ascii")


def unpack(text: str, n_rows: int) -> np.ndarray:
    """Return the bool array (n_rows,) of a text."""
    bits = np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype=np.uint8)
    return np.unpackbits(bits, count=n_rows).astype(bool)
