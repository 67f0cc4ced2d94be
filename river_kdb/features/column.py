"""A column of a frame: plain numbers, or codes into its distinct values."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np

from river_kdb.features.encoder import check_value, is_nan, value_role
from river_kdb.jit import block_kernel

_MIX, _STIR = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
_HALF = np.uint64(32)
_LARGEST_EXACT = 2.0**53


class Column(NamedTuple):
    """A column of a frame: plain numbers, or codes into a list of distinct values.

    Attributes
    ----------
    numbers
        Array of shape (n_rows,), NaN where missing, or None.
    codes
        int array of shape (n_rows,), -1 where missing, or None.
    values
        The distinct values that the codes count off; some may not occur.
    """

    numbers: np.ndarray | None
    codes: np.ndarray | None
    values: list[Any]

    def rows(self, which: np.ndarray | slice) -> Column:
        """Return the column of some rows only.

        Parameters
        ----------
        which
            A slice, or an int array.
        """
        numbers = None if self.numbers is None else self.numbers[which]
        codes = None if self.codes is None else self.codes[which]
        return Column(numbers, codes, self.values)


Columns = dict[Hashable, Column]


def rows_of(columns: Columns, which: np.ndarray | slice) -> Columns:
    """Return the columns of some rows only.

    Parameters
    ----------
    columns
        Columns by name.
    which
        A slice, or an int array.
    """
    return {name: column.rows(which) for name, column in columns.items()}


@block_kernel
def number_keys(keys):
    """Number the distinct keys (n, 1) or (n, 2) in the order in which they first appear.

    Returns the number of every key (n,), and the row in which each number first appears.
    """
    n_rows, last = keys.shape[0], keys.shape[1] - 1
    size = 16
    while size < 2 * n_rows:
        size *= 2
    found, first = np.full(size, -1, dtype=np.int32), np.empty(n_rows, dtype=np.int64)
    codes = np.empty(n_rows, dtype=np.int64)
    n_found = 0
    for r in range(n_rows):
        key, rest = keys[r, 0], keys[r, last]
        place = np.int64((key * _MIX ^ rest * _STIR) >> _HALF) & (size - 1)
        while found[place] >= 0:
            other = first[found[place]]
            if keys[other, 0] == key and keys[other, last] == rest:
                break
            place = (place + 1) & (size - 1)
        if found[place] < 0:
            found[place] = n_found
            first[n_found] = r
            n_found += 1
        codes[r] = found[place]
    return codes, first[:n_found].copy()


def no_values(n_rows: int) -> Column:
    """Return a column in which everything is missing.

    Parameters
    ----------
    n_rows
        How many rows there are.
    """
    return Column(None, np.full(n_rows, -1), [])


def of_truths(truths: np.ndarray) -> Column:
    """Return a column of truth values.

    Parameters
    ----------
    truths
        int8 array of shape (n_rows,): 0, 1, or -1 where missing.
    """
    return Column(None, truths, [False, True])


def of_codes(name: Hashable, codes: np.ndarray, values: list[Any]) -> Column:
    """Return a column of codes; what among the values is missing is none.

    Parameters
    ----------
    name
        Name of the column.
    codes
        int array of shape (n_rows,), -1 where missing.
    values
        The distinct values that the codes count off.

    Raises
    ------
    TypeError
        If a value that occurs is unhashable or otherwise impossible.
    """
    if set(map(type, values)) <= {str}:
        return Column(None, codes, values)
    gone = [j for j, v in enumerate(values) if value_role(type(v)) == "missing" or is_nan(v)]
    if gone:
        number = np.arange(len(values) + 1)
        number[[*gone, -1]] = -1  # the last one serves those missing already
        codes = number.take(codes, mode="wrap")
    there = set(np.unique(codes).tolist())
    for j in there - {-1}:
        check_value(name, values[j])
    return Column(None, codes, [v if j in there else None for j, v in enumerate(values)])


def of_list(name: Hashable, cells: Sequence[Any]) -> Column:
    """Number the distinct values of a list, telling True from 1.

    Parameters
    ----------
    name
        Name of the column.
    cells
        Anything.

    Raises
    ------
    TypeError
        If a value is unhashable or otherwise impossible.
    """
    seen: dict[tuple[type, Any], int] = {}
    codes = np.full(len(cells), -1)
    for r, cell in enumerate(cells):
        if value_role(type(cell)) == "missing" or is_nan(cell):
            continue
        check_value(name, cell)
        codes[r] = seen.setdefault((type(cell), cell), len(seen))
    return Column(None, codes, [value for _, value in seen])


def of_array(name: Hashable, cells: np.ndarray) -> Column:
    """Return the column of a numpy array.

    Parameters
    ----------
    name
        Name of the column.
    cells
        Array of shape (n_rows,).

    Raises
    ------
    TypeError
        If a value is unhashable or otherwise impossible.
    """
    kind = cells.dtype.kind
    if kind in "iuf":
        return Column(cells, None, [])
    if kind == "b":
        return of_truths(cells.view(np.int8))
    return of_objects(name, cells) if kind == "O" else of_list(name, cells.tolist())


def of_objects(name: Hashable, cells: np.ndarray) -> Column:
    """Return the column of an array of objects, each of which is looked at once only.

    Parameters
    ----------
    name
        Name of the column.
    cells
        object array of shape (n_rows,).

    Raises
    ------
    TypeError
        If a value is unhashable or otherwise impossible.
    """
    if not len(cells):
        return no_values(0)
    cells = np.ascontiguousarray(cells)
    # equal texts are mostly one object: their addresses tell them apart without Python's help
    addresses = np.frombuffer(cells, dtype=np.uintp).astype(np.uint64, copy=False)
    codes, first = number_keys(addresses[:, None])
    column = _of_distinct(name, cells[first])
    if column.numbers is not None:
        return Column(column.numbers[codes], None, [])
    return Column(None, np.asarray(column.codes)[codes], column.values)


def _of_distinct(name: Hashable, cells: np.ndarray) -> Column:
    kinds = set(map(type, cells))
    if kinds <= {str, float, type(None)}:
        if float in kinds and str in kinds:
            cells = cells.copy()
            cells[cells != cells] = None
            kinds = set(map(type, cells))
        if float not in kinds:
            return _of_texts(cells)
    if kinds <= {int, float, type(None)}:
        numbers = _exact_numbers(cells, kinds)
        if numbers is not None:
            return Column(numbers, None, [])
    return of_list(name, cells.tolist())


def _of_texts(cells: np.ndarray) -> Column:
    values = dict.fromkeys(cells)
    values.pop(None, None)
    number = {value: code for code, value in enumerate(values)} | {None: -1}
    codes = np.fromiter(map(number.__getitem__, cells), dtype=np.int64, count=len(cells))
    return Column(None, codes, list(values))


def _exact_numbers(cells: np.ndarray, kinds: set[type]) -> np.ndarray | None:
    """Return the numbers as an array, or None where it would round whole ones."""
    try:
        if kinds == {int}:
            return cells.astype(np.int64)
        numbers = cells.astype(np.float64)
    except OverflowError:
        return None
    rounded = int in kinds and (np.abs(numbers) >= _LARGEST_EXACT).any()
    return None if rounded else numbers


def as_codes(column: Column) -> Column:
    """Turn a column of numbers into one of codes, for a feature whose numbers are categories.

    Parameters
    ----------
    column
        Any column.
    """
    numbers = column.numbers
    if numbers is None:
        return column
    if numbers.dtype.kind != "f":
        codes, first = number_keys(numbers.astype(np.uint64)[:, None])
        return Column(None, codes, numbers[first].tolist())
    numbers = np.ascontiguousarray(numbers, dtype=np.float64) + 0.0  # of -0.0 too
    codes, first = number_keys(numbers.view(np.uint64)[:, None])
    codes[np.isnan(numbers)] = -1
    return Column(None, codes, numbers[first].tolist())
