"""From data frames to raw rows, a column at a time."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np

from river_kdb.features.boxes import MISSING, UNSEEN
from river_kdb.features.encoder import (
    NUMERIC,
    UNKNOWN,
    Encoder,
    as_float,
    check_value,
    is_nan,
    value_role,
)


class Column(NamedTuple):
    """A column of a frame: plain numbers, or codes into a list of distinct values.

    Attributes
    ----------
    numbers
        Array of shape (n_rows,), NaN where missing, or None.
    codes
        int array of shape (n_rows,), -1 where missing, or None.
    values
        The distinct values that the codes count off.
    """

    numbers: np.ndarray | None
    codes: np.ndarray | None
    values: list[Any]

    def take(self, rows: np.ndarray) -> Column:
        """Return the column of some rows only.

        Parameters
        ----------
        rows
            int array: which.
        """
        numbers = None if self.numbers is None else self.numbers[rows]
        codes = None if self.codes is None else self.codes[rows]
        return Column(numbers, codes, self.values)


def read_frame(X: Any) -> tuple[dict[Hashable, Column], int]:
    """Take a frame apart into checked columns; nothing is learned yet.

    Parameters
    ----------
    X
        A pandas, polars or pyarrow frame.

    Returns
    -------
    A column for each name, and the number of rows.

    Raises
    ------
    TypeError
        If it is no frame, or holds a value that is unhashable or otherwise impossible.

    Examples
    --------
    >>> import pandas as pd
    >>> from river_kdb.features.frame import read_frame
    >>> columns, n_rows = read_frame(pd.DataFrame({"size": [1, 2], "colour": ["red", None]}))
    >>> columns["size"].numbers.tolist(), columns["colour"].codes.tolist()
    ([1, 2], [0, -1])
    """
    frame = nw.from_native(X, eager_only=True)
    columns = {
        name: read_column(name, series)
        for name, series in zip(frame.columns, frame.iter_columns(), strict=True)
    }
    return columns, len(frame)


def read_column(name: Hashable, series: nw.Series[Any]) -> Column:
    """Take one column apart.

    Parameters
    ----------
    name
        Name of the feature.
    series
        The column.

    Raises
    ------
    TypeError
        For a value that is unhashable or otherwise impossible.
    """
    if series.dtype.is_numeric():
        return Column(_numbers(series), None, [])
    codes, values = _factorize(series)
    if any(value_role(type(value)) == "number" or isinstance(value, bool) for value in values):
        # True and 1 are one key to a factorizer, but two things to a numeric feature
        codes, values = _factorize_typed(name, series.to_list())
    for value in values:
        check_value(name, value)
    return Column(None, codes, values)


def _numbers(series: nw.Series[Any]) -> np.ndarray:
    native = series.to_native()
    if series.implementation.is_pandas_like():
        if isinstance(native.dtype, np.dtype) and native.dtype.kind in "iuf":
            return np.ascontiguousarray(native.to_numpy())
        return np.asarray(native.to_numpy(dtype="float64", na_value=np.nan))
    if series.null_count():
        return np.array([MISSING if v is None else float(v) for v in series.to_list()])
    array = np.asarray(series.to_numpy())
    return array if array.dtype.kind in "iuf" else array.astype(np.float64)


def _factorize(series: nw.Series[Any]) -> tuple[np.ndarray, list[Any]]:
    native = series.to_native()
    try:
        if series.implementation.is_pandas_like():
            codes, index = native.factorize()
            return np.asarray(codes, dtype=np.int64), index.tolist()
        if series.implementation.is_polars() and series.dtype == nw.String:
            native = native.cast(nw.get_native_namespace(series).Categorical)
            return _physical(native)
        if series.implementation.is_polars() and series.dtype in (nw.Categorical, nw.Enum):
            return _physical(native)
        if series.implementation.is_pyarrow():
            chunk = native.combine_chunks()
            chunk = chunk if hasattr(chunk, "indices") else chunk.dictionary_encode()
            codes = chunk.indices.fill_null(-1).to_numpy(zero_copy_only=False)
            return codes.astype(np.int64), chunk.dictionary.to_pylist()
    except TypeError:
        pass  # an unhashable value: the careful way names it
    return _factorize_typed(series.name, series.to_list())


def _physical(native: Any) -> tuple[np.ndarray, list[Any]]:
    physical = native.to_physical().cast(int).fill_null(-1).to_numpy()
    size = int(physical.max(initial=-1)) + 1
    if size > 16 * len(physical) + 1024:
        kinds, first, codes = np.unique(physical, return_index=True, return_inverse=True)
        first, codes = first[kinds >= 0], codes - int(kinds[0] < 0)
    else:
        # the last slot takes the gaps, whose code is -1
        where = np.full(size + 1, -1)
        where[physical[::-1]] = np.arange(len(physical))[::-1]
        present = np.flatnonzero(where[:size] >= 0)
        new_code = np.full(size + 1, -1)
        new_code[present] = np.arange(len(present))
        first, codes = where[present], new_code[physical]
    return codes, native.gather(first).to_list()


def _factorize_typed(name: Hashable, cells: list[Any]) -> tuple[np.ndarray, list[Any]]:
    """Give a code to each distinct value, telling True from 1."""
    seen: dict[tuple[type, Any], int] = {}
    codes = np.full(len(cells), -1)
    for r, cell in enumerate(cells):
        if value_role(type(cell)) == "missing" or is_nan(cell):
            continue
        check_value(name, cell)
        codes[r] = seen.setdefault((type(cell), cell), len(seen))
    return codes, [value for _, value in seen]


def as_codes(column: Column) -> Column:
    """Turn a column of numbers into one of codes, for a feature whose numbers are categories.

    Parameters
    ----------
    column
        Any column.
    """
    if column.numbers is None:
        return column
    kinds, codes = np.unique(column.numbers, return_inverse=True)
    if kinds.dtype.kind == "f" and np.isnan(kinds[-1:]).any():
        n_kinds = int(np.isnan(kinds).argmax())
        codes = np.where(codes >= n_kinds, -1, codes)
        kinds = kinds[:n_kinds]
    return Column(None, codes, kinds.tolist())


def fits_kind(column: Column, kind: int) -> Column:
    """Return the column in the form that a feature of this kind is encoded from.

    Parameters
    ----------
    column
        Any column.
    kind
        Kind of the feature.
    """
    return column if kind == NUMERIC else as_codes(column)


def learn_block(
    encoder: Encoder, columns: dict[Hashable, Column], start: int, stop: int
) -> np.ndarray:
    """Return the raw rows of part of a frame, learning its features and categories.

    Parameters
    ----------
    encoder
        The encoder, which knows the features and takes in new categories.
    columns
        The columns of the frame.
    start, stop
        First row, and the one after the last.

    Returns
    -------
    float64 array of shape (n_features, stop - start).
    """
    for name, column in columns.items():
        i = encoder.index[name]
        if encoder.kinds[i] == UNKNOWN:
            _settle_kind(encoder, i, column, start, stop)
        column = columns[name] = fits_kind(column, encoder.kinds[i])
        if column.codes is not None:
            _learn_categories(encoder, i, column, start, stop)
    return read_block(encoder, columns, start, stop)


def _settle_kind(encoder: Encoder, i: int, column: Column, start: int, stop: int) -> None:
    if column.numbers is not None:
        numbers = column.numbers[start:stop]
        known = numbers[~np.isnan(numbers)]
        if len(known):
            encoder.learn_value(i, float(known[0]))
        return
    assert column.codes is not None
    codes = column.codes[start:stop]
    codes = codes[codes >= 0]
    if len(codes):
        encoder.learn_value(i, column.values[codes[0]])


def _learn_categories(encoder: Encoder, i: int, column: Column, start: int, stop: int) -> None:
    assert column.codes is not None
    vocabulary = encoder.vocabularies[i]
    numeric = encoder.kinds[i] == NUMERIC
    unknown = np.array(
        [
            value not in vocabulary and not (numeric and value_role(type(value)) == "number")
            for value in column.values
        ],
        dtype=bool,
    )
    if not unknown.any():
        return
    codes = column.codes[start:stop]
    fresh = codes[(codes >= 0) & unknown[codes]]
    for code in dict.fromkeys(fresh.tolist()):
        encoder.learn_value(i, column.values[code])


def read_block(
    encoder: Encoder, columns: dict[Hashable, Column], start: int, stop: int
) -> np.ndarray:
    """Return the raw rows of part of a frame, learning nothing.

    Parameters
    ----------
    encoder
        The encoder.
    columns
        The columns of the frame; features that it does not have are missing.
    start, stop
        First row, and the one after the last.

    Returns
    -------
    float64 array of shape (n_features, stop - start).
    """
    raw = np.empty((len(encoder.names), stop - start))
    for i, name in enumerate(encoder.names):
        if name not in columns:
            raw[i] = MISSING
            continue
        column = fits_kind(columns[name], encoder.kinds[i])
        if column.codes is None:
            raw[i] = column.numbers[start:stop]  # type: ignore[index]
        else:
            raw[i] = cells_of(encoder, i, column.values)[column.codes[start:stop]]
    return raw


def cells_of(encoder: Encoder, i: int, values: list[Any]) -> np.ndarray:
    """Return the cells of distinct values, and behind them the one of a missing value.

    Parameters
    ----------
    encoder
        The encoder.
    i
        Index of the feature.
    values
        Distinct values.
    """
    vocabulary = encoder.vocabularies[i]
    numeric = encoder.kinds[i] == NUMERIC
    cells = [
        as_float(encoder.names[i], value)
        if numeric and value_role(type(value)) == "number"
        else vocabulary.get(value, MISSING if is_nan(value) else UNSEEN)
        for value in values
    ]
    return np.array([*cells, MISSING])
