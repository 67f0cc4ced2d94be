"""Opening text files, plain or gzipped, and reading single cells."""

from __future__ import annotations

import csv
import gzip
import math
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from river_kdb.evaluate.errors import EvaluationError

__all__ = ["open_text", "to_number", "typed_cell"]


@contextmanager
def open_text(path: Path) -> Iterator[TextIO]:
    """Open a UTF-8 text file, gunzipping it if its name ends in ``.gz``.

    Whatever fails while it is read is raised as an `EvaluationError`.

    """
    try:
        if path.suffix.lower() == ".gz":
            with gzip.open(path, "rt", encoding="utf-8-sig", newline="") as zipped:
                yield zipped
        else:
            with open(path, encoding="utf-8-sig", newline="") as plain:
                yield plain
    except UnicodeDecodeError as error:
        raise EvaluationError(f"{path} is not UTF-8 text: {error.reason}") from error
    except (OSError, EOFError, zlib.error, csv.Error) as error:
        raise EvaluationError(f"cannot read {path}: {error}") from error


def to_number(cell: str) -> float | None:
    """Return the number a cell holds, or None if it holds none.

    Examples
    --------
    >>> from river_kdb.evaluate.textfile import to_number
    >>> to_number(" 1.5e3 ")
    1500.0
    >>> to_number("1_000") is None  # Python would take it; data files do not mean it
    True

    """
    if "_" in cell:
        return None
    try:
        return float(cell)
    except ValueError:
        return None


def typed_cell(cell: str, numeric: bool) -> float | str | None:
    """Return a cell as its column has it: a number where it parses as one, else its text.

    NaN written out in a numeric column is a missing value.

    Examples
    --------
    >>> from river_kdb.evaluate.textfile import typed_cell
    >>> typed_cell("12", numeric=True), typed_cell("12", numeric=False)
    (12.0, '12')
    >>> typed_cell("unknown", numeric=True)
    'unknown'
    >>> typed_cell("NaN", numeric=True) is None
    True

    """
    if not numeric:
        return cell
    number = to_number(cell)
    if number is None:
        return cell
    return None if math.isnan(number) else number
