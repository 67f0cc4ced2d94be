"""CSV files as streams of events."""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterator
from itertools import islice
from pathlib import Path
from typing import TextIO

from river_kdb.evaluate.errors import EvaluationError, did_you_mean
from river_kdb.evaluate.textfile import open_text, to_number, typed_cell

__all__ = ["CSVFile"]


class CSVFile:
    r"""A CSV file with a header row; every iteration reads it from the start.

    The separator is the one of ``,``, ``;`` and tab that the header has most of. Cells are
    stripped of blanks around them. A column is numeric if every cell of a first look that is not
    missing parses as a number and it is not in `nominal`; a later cell that does not parse stays
    text. Labels are always text.

    Parameters
    ----------
    path
        The file, plain or gzipped.
    target
        The name of the column with the labels; the last column by default.
    nominal
        Columns to keep as text, whatever they hold.
    missing
        Cells that mean a missing value, beside the empty cell.
    look
        How many rows to look at to tell numeric columns from others.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from river_kdb.evaluate.csvfile import CSVFile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "fruit.csv"
    ...     _ = path.write_text("colour,weight,fruit\nred,150,apple\n,120.5,pear\n")
    ...     list(CSVFile(path))
    [({'colour': 'red', 'weight': 150.0}, 'apple'), ({'colour': None, 'weight': 120.5}, 'pear')]

    """

    def __init__(
        self,
        path: Path,
        target: str | None = None,
        nominal: Collection[str] = (),
        missing: Collection[str] = (),
        look: int = 1000,
    ) -> None:
        self.path = path
        self.missing = frozenset(missing) | {""}
        self.delimiter, self.columns = self._read_header()
        self.target = self.columns[-1] if target is None else target
        if self.target not in self.columns:
            hint = did_you_mean(self.target, self.columns)
            raise EvaluationError(f"{path.name} has no column {self.target!r} (--target){hint}")
        if len(self.columns) < 2:
            raise EvaluationError(
                f"{path.name} has one column only ({self.target!r}): nothing to learn from"
            )
        self.numeric = self._numeric_columns(nominal, look)

    @property
    def features(self) -> list[str]:
        """The names of the columns other than the target."""
        return [name for name in self.columns if name != self.target]

    def __iter__(self) -> Iterator[tuple[dict[str, float | str | None], str]]:
        columns, missing, target = self.columns, self.missing, self.target
        numeric = [name in self.numeric for name in columns]
        position = columns.index(target)
        for line, cells in self._cells():
            x = {
                name: None if cell in missing else typed_cell(cell, is_numeric)
                for name, cell, is_numeric in zip(columns, cells, numeric, strict=True)
                if name != target
            }
            label = cells[position]
            if label in missing:
                raise EvaluationError(f"{self.path.name}, line {line}: no value for {target!r}")
            yield x, label

    def _read_header(self) -> tuple[str, list[str]]:
        with open_text(self.path) as file:
            # The first line that holds anything at all
            first = next((line for line in file if line.strip()), "")
        delimiter = max(",;\t", key=first.count)
        with open_text(self.path) as file:
            names = [name.strip() for name in next(_rows(file, delimiter), (0, [""]))[1]]
        if not any(names):
            raise EvaluationError(f"{self.path.name} is empty: a header row is needed")
        names = [name or f"column{i}" for i, name in enumerate(names, start=1)]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise EvaluationError(f"{self.path.name} has two columns named {twice[0]!r}")
        return delimiter, names

    def _cells(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the number of the line and the stripped cells of every row after the header."""
        width = len(self.columns)
        with open_text(self.path) as file:
            rows = _rows(file, self.delimiter)
            next(rows, None)
            for line, row in rows:
                if len(row) != width:
                    raise EvaluationError(
                        f"{self.path.name}, line {line}: "
                        f"{len(row)} cells where the header has {width}"
                    )
                yield line, [cell.strip() for cell in row]

    def _numeric_columns(self, nominal: Collection[str], look: int) -> frozenset[str]:
        numeric = {name for name in self.features if name not in nominal}
        for _, cells in islice(self._cells(), look):
            for name, cell in zip(self.columns, cells, strict=True):
                if name in numeric and cell not in self.missing and to_number(cell) is None:
                    numeric.discard(name)
        return frozenset(numeric)


def _rows(file: TextIO, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of the (last) line and the cells of every row that is not blank."""
    reader = csv.reader(file, delimiter=delimiter, skipinitialspace=True)
    for row in reader:
        if row and (len(row) > 1 or row[0].strip()):
            yield reader.line_num, row
