"""From data frames to raw rows, a column at a time."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
from narwhals.dependencies import (
    is_pandas_dataframe,
    is_pandas_series,
    is_polars_dataframe,
    is_polars_series,
    is_pyarrow_chunked_array,
    is_pyarrow_table,
)

from river_kdb.features.boxes import MISSING, UNSEEN
from river_kdb.features.column import Column, Columns, as_codes, of_array, of_list
from river_kdb.features.encoder import CATEGORICAL, NUMERIC, UNKNOWN, Encoder, as_float, value_role
from river_kdb.features.from_arrow import arrow_column, arrow_columns
from river_kdb.features.from_pandas import cells_of_series, pandas_column, pandas_columns
from river_kdb.features.from_polars import polars_columns


def read_frame(X: Any) -> tuple[Columns, int]:
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
    ValueError
        If two columns have one name.

    Examples
    --------
    >>> import pandas as pd
    >>> from river_kdb.features.frame import read_frame
    >>> columns, n_rows = read_frame(pd.DataFrame({"size": [1, 2], "colour": ["red", None]}))
    >>> columns["size"].numbers.tolist(), columns["colour"].codes.tolist()
    ([1, 2], [0, -1])
    """
    if is_polars_dataframe(X):
        return dict(polars_columns(X)), len(X)
    if is_pandas_dataframe(X) and X.columns.is_unique:
        return dict(pandas_columns(X)), len(X)
    if is_pyarrow_table(X):
        return dict(arrow_columns(X)), len(X)
    frame = nw.from_native(X, eager_only=True)
    if frame.implementation.is_pandas_like():
        return dict(pandas_columns(frame.to_native())), len(frame)
    return {s.name: _any_column(s.name, s) for s in frame.iter_columns()}, len(frame)


def read_series(values: Any) -> Column | None:
    """Return the column of a series or array, or None for anything else.

    Parameters
    ----------
    values
        Anything.

    Raises
    ------
    TypeError
        If it holds a value that is unhashable or otherwise impossible.
    """
    if is_pandas_series(values):
        return pandas_column("", cells_of_series(values))
    if is_polars_series(values):
        return next(column for _, column in polars_columns(values.to_frame()))
    if is_pyarrow_chunked_array(values):
        return arrow_column("", values)
    if isinstance(values, np.ndarray) and values.ndim == 1:
        return of_array("", values)
    return None


def _any_column(name: str, series: nw.Series[Any]) -> Column:
    cells = series.to_list()
    if series.dtype.is_numeric() and not series.dtype.is_decimal():
        exact = series.dtype.is_integer() and None not in cells
        numbers = cells if exact else [MISSING if cell is None else float(cell) for cell in cells]
        return Column(np.array(numbers), None, [])
    return of_list(name, cells)


# Columns under an encoder --------------------------------------------------------------------


def settle_columns(encoder: Encoder, columns: Columns) -> Columns:
    """Return the columns of known features in the form that their kind is encoded from.

    Parameters
    ----------
    encoder
        The encoder.
    columns
        Columns by name.
    """
    return {
        name: column if encoder.kinds[encoder.index[name]] == NUMERIC else as_codes(column)
        for name, column in columns.items()
        if name in encoder.index
    }


def settle_nominal(encoder: Encoder, columns: Columns) -> Columns:
    """Return columns, in codes where numbers are known to be categories.

    Parameters
    ----------
    encoder
        The encoder.
    columns
        Columns by name, of features that it may not know yet.
    """
    nominal = {name for name, i in encoder.index.items() if encoder.kinds[i] == CATEGORICAL}
    nominal |= encoder.nominal
    return {
        name: as_codes(column) if name in nominal else column for name, column in columns.items()
    }


def learn_columns(encoder: Encoder, columns: Columns) -> None:
    """Let the encoder learn the kinds and categories of known features.

    Parameters
    ----------
    encoder
        The encoder.
    columns
        Columns by name.
    """
    for name, column in columns.items():
        i = encoder.index[name]
        if encoder.kinds[i] == UNKNOWN:
            _settle_kind(encoder, i, column)
        column = column if encoder.kinds[i] == NUMERIC else as_codes(column)
        if column.codes is not None:
            _learn_categories(encoder, i, column)


def _settle_kind(encoder: Encoder, i: int, column: Column) -> None:
    if column.numbers is not None:
        known = column.numbers[~np.isnan(column.numbers)]
        if len(known):
            encoder.learn_value(i, known[0].item())
        return
    codes = np.asarray(column.codes)
    codes = codes[codes >= 0]
    if len(codes):
        encoder.learn_value(i, column.values[codes[0]])


def _learn_categories(encoder: Encoder, i: int, column: Column) -> None:
    for code in dict.fromkeys(_new_codes(encoder, i, column).tolist()):
        encoder.learn_value(i, column.values[code])


def _new_codes(encoder: Encoder, i: int, column: Column) -> np.ndarray:
    """Return the codes in the column of feature `i`, row by row, whose categories have no id."""
    vocabulary, codes = encoder.vocabularies[i], np.asarray(column.codes)
    numeric = encoder.kinds[i] == NUMERIC
    unknown = [
        code
        for code, value in enumerate(column.values)
        if value not in vocabulary and not (numeric and value_role(type(value)) == "number")
    ]
    return codes[np.isin(codes, unknown)] if unknown else codes[:0]


def brings_news(encoder: Encoder, columns: Columns) -> bool:
    """Say whether the encoder might learn a kind or a category from columns.

    Parameters
    ----------
    encoder
        The encoder.
    columns
        Columns of known features by name, settled as far as their kinds are known.
    """
    for name, column in columns.items():
        i = encoder.index[name]
        if encoder.kinds[i] == UNKNOWN:
            return True
        if column.codes is not None and len(_new_codes(encoder, i, column)):
            return True
    return False


def raw_rows(encoder: Encoder, columns: Columns, n_rows: int) -> np.ndarray:
    """Return the raw rows of columns, learning nothing.

    Parameters
    ----------
    encoder
        The encoder.
    columns
        Columns by name; features that have none are missing.
    n_rows
        How many rows there are.

    Returns
    -------
    float64 array of shape (n_features, n_rows).
    """
    raw = np.empty((len(encoder.names), n_rows))
    for i, name in enumerate(encoder.names):
        column = columns.get(name)
        if column is None:
            raw[i] = MISSING
        elif column.codes is None:
            raw[i] = column.numbers
        else:
            cells_of(encoder, i, column.values).take(column.codes, out=raw[i], mode="wrap")
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
    cells = [vocabulary.get(value, UNSEEN) for value in values]
    if encoder.kinds[i] == NUMERIC:
        for j, value in enumerate(values):
            if value_role(type(value)) == "number":
                cells[j] = as_float(encoder.names[i], value)
    cells.append(MISSING)
    return np.array(cells)
