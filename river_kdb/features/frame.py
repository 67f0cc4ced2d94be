"""From data frames to raw rows, a column at a time."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
from narwhals.dependencies import is_pandas_dataframe, is_polars_dataframe

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
from river_kdb.jit import kernel


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

    Examples
    --------
    >>> import pandas as pd
    >>> from river_kdb.features.frame import read_frame
    >>> columns, n_rows = read_frame(pd.DataFrame({"size": [1, 2], "colour": ["red", None]}))
    >>> columns["size"].numbers.tolist(), columns["colour"].codes.tolist()
    ([1, 2], [0, -1])
    """
    if is_polars_dataframe(X):
        return dict(_polars_columns(X)), len(X)
    if is_pandas_dataframe(X) and X.columns.is_unique:
        return dict(_pandas_columns(X)), len(X)
    frame = nw.from_native(X, eager_only=True)
    if frame.implementation.is_pandas_like():
        return dict(_pandas_columns(frame.to_native())), len(frame)
    return {s.name: _any_column(s.name, s) for s in frame.iter_columns()}, len(frame)


# Where the frames of each library keep what a column needs ---------------------------------


def _pandas_columns(native: Any) -> Iterator[tuple[Hashable, Column]]:
    # a Series for every column is most of the work of reading a frame of categories
    if hasattr(native, "_iter_column_arrays"):
        arrays = native._iter_column_arrays()
    else:
        arrays = (series.array for _, series in native.items())
    for name, array in zip(native.columns, arrays, strict=True):
        if hasattr(array, "categories"):
            values = _as_list(array.categories.array)
            yield name, _from_codes(name, array.codes, values, array)
        elif array.dtype.kind in "iuf":
            yield name, Column(_as_numbers(array), None, [])
        elif _is_arrow_text(array):
            yield name, _from_arrow(array.__arrow_array__())
        else:
            yield name, _from_objects(name, native[name])


def _is_arrow_text(array: Any) -> bool:
    return getattr(array.dtype, "storage", None) == "pyarrow"


def _as_list(array: Any) -> list[Any]:
    """Return the values of a pandas array, which pyarrow lists faster where it has them."""
    return array.__arrow_array__().to_pylist() if _is_arrow_text(array) else array.tolist()


def _as_numbers(array: Any) -> np.ndarray:
    if isinstance(array.dtype, np.dtype):
        return np.asarray(array)
    return array.to_numpy(dtype="float64", na_value=np.nan)


def _from_objects(name: Hashable, series: Any) -> Column:
    try:
        codes, values = series.factorize()
    except (TypeError, OverflowError):
        return _from_list(name, series.tolist())  # unhashable, to be named, or too large
    return _from_codes(name, codes, values.tolist(), series)


def _from_arrow(texts: Any) -> Column:
    """Number the texts of a pyarrow array."""
    if not len(texts):
        return Column(None, np.empty(0, dtype=np.int64), [])
    coded = texts.dictionary_encode()
    coded = coded.combine_chunks() if hasattr(coded, "combine_chunks") else coded
    codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return Column(None, codes, coded.dictionary.to_pylist())


def _polars_columns(native: Any) -> Iterator[tuple[Hashable, Column]]:
    import polars as pl

    schema = dict(native.schema)
    kinds = {pl.String, pl.Categorical, pl.Enum}
    coded = {name: dtype for name, dtype in schema.items() if dtype.base_type() in kinds}
    numbered = _polars_codes(native, coded) if coded and len(native) else {}
    for (name, dtype), series in zip(schema.items(), native.get_columns(), strict=True):
        if name in numbered:
            yield name, numbered[name]
        elif dtype.is_numeric() and not dtype.is_decimal():
            filled = series if not series.null_count() else series.cast(float)
            yield name, Column(filled.to_numpy(), None, [])
        else:
            yield name, _from_list(name, series.to_list())


def _polars_codes(native: Any, dtypes: dict[str, Any]) -> dict[Hashable, Column]:
    """Number the texts and categories of columns, in two queries for all of them."""
    import polars as pl

    texts = [name for name, dtype in dtypes.items() if dtype == pl.String]
    enums = {name: dtype for name, dtype in dtypes.items() if isinstance(dtype, pl.Enum)}
    others = [name for name in dtypes if name not in enums]
    categories = pl.col(list(dtypes)).exclude(texts) if texts else pl.col(list(dtypes))
    columns = [pl.col(texts).cast(pl.Categorical).to_physical(), categories.to_physical()]
    physical = native.select(columns if texts else columns[1:])
    if any(physical.null_count().row(0)):
        physical = physical.select(pl.all().cast(pl.Int64).fill_null(-1))
    codes = np.ascontiguousarray(physical.to_numpy().T, dtype=np.int64)
    place = {name: j for j, name in enumerate(physical.columns)}
    found: dict[Hashable, Column] = {
        name: Column(None, codes[place[name]], dtype.categories.to_list())
        for name, dtype in enums.items()
    }
    if others:
        uniques = pl.col(others).drop_nulls().unique(maintain_order=True).cast(pl.String)
        lists = native.select(uniques.implode()).row(0)
        for name, values in zip(others, lists, strict=True):
            found[name] = Column(None, _by_appearance(codes[place[name]]), list(values))
    return found


def _by_appearance(physical: np.ndarray) -> np.ndarray:
    """Number codes anew in the order in which they first appear; -1 stays."""
    low, high = int(np.min(physical)), int(np.max(physical))
    if high - low > 16 * len(physical) + 1024:
        _, physical = np.unique(physical, return_inverse=True)
        physical = physical - int(low < 0)
        low, high = int(np.min(physical)), int(np.max(physical))
    return number_by_appearance(physical, low, high)


@kernel
def number_by_appearance(physical, low, high):
    """Number whole numbers from `low` to `high` as they appear; those below 0 are -1."""
    number = np.full(high - low + 1, -1)
    codes = np.empty_like(physical)
    n_seen = 0
    for r in range(physical.shape[0]):
        place = physical[r] - low
        if physical[r] >= 0 and number[place] < 0:
            number[place] = n_seen
            n_seen += 1
        codes[r] = number[place]
    return codes


def _any_column(name: Hashable, series: nw.Series[Any]) -> Column:
    cells = series.to_list()
    if series.dtype.is_numeric() and not series.dtype.is_decimal():
        exact = series.dtype.is_integer() and None not in cells
        numbers = cells if exact else [MISSING if cell is None else float(cell) for cell in cells]
        return Column(np.array(numbers), None, [])
    return _from_list(name, cells)


def _from_codes(name: Hashable, codes: np.ndarray, values: list[Any], array: Any) -> Column:
    for value in values:
        if type(value) is str:
            continue
        if value_role(type(value)) != "category" or isinstance(value, (bool, np.bool_)):
            # True and 1 are one key to a factorizer, but two things to a numeric feature
            return _from_list(name, array.tolist())
        check_value(name, value)
    return Column(None, codes, values)


def _from_list(name: Hashable, cells: list[Any]) -> Column:
    """Number the distinct values, telling True from 1."""
    seen: dict[tuple[type, Any], int] = {}
    codes = np.full(len(cells), -1)
    for r, cell in enumerate(cells):
        if value_role(type(cell)) == "missing" or is_nan(cell):
            continue
        check_value(name, cell)
        codes[r] = seen.setdefault((type(cell), cell), len(seen))
    return Column(None, codes, [value for _, value in seen])


# Columns under an encoder --------------------------------------------------------------------


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
    n_kinds = len(kinds)
    if kinds.dtype.kind == "f":
        n_kinds -= int(np.isnan(kinds).sum())
    return Column(None, np.where(codes < n_kinds, codes, -1), kinds[:n_kinds].tolist())


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
    vocabulary = encoder.vocabularies[i]
    numeric = encoder.kinds[i] == NUMERIC
    unknown = [
        code
        for code, value in enumerate(column.values)
        if value not in vocabulary and not (numeric and value_role(type(value)) == "number")
    ]
    if not unknown:
        return
    codes = np.asarray(column.codes)
    fresh = codes[np.isin(codes, unknown)]
    for code in dict.fromkeys(fresh.tolist()):
        encoder.learn_value(i, column.values[code])


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
