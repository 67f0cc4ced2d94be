"""Columns of pandas frames, without a look at every cell."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

import numpy as np

from river_kdb.features.column import Column, of_array, of_codes, of_list, of_objects, of_truths
from river_kdb.features.encoder import value_role
from river_kdb.features.from_arrow import arrow_column

_SAMPLE = 64


def pandas_columns(native: Any) -> Iterator[tuple[Hashable, Column]]:
    """Give the columns of a frame of pandas, or of a library like it, with their names.

    Parameters
    ----------
    native
        The frame; the names of its columns are unique.

    Raises
    ------
    TypeError
        If a value is unhashable or otherwise impossible.
    """
    # a Series for every column is most of the work of reading a frame of categories
    if hasattr(native, "_iter_column_arrays"):
        arrays = native._iter_column_arrays()
    else:
        arrays = (cells_of_series(series) for _, series in native.items())
    for name, array in zip(native.columns, arrays, strict=True):
        yield name, pandas_column(name, array)


def cells_of_series(series: Any) -> Any:
    """Return the array in which a series keeps its cells, of numpy where it is one.

    Parameters
    ----------
    series
        A series of pandas.
    """
    array = series.array
    return array.to_numpy() if type(array).__name__ == "NumpyExtensionArray" else array


def pandas_column(name: Hashable, array: Any) -> Column:
    """Return the column of an array of pandas.

    Parameters
    ----------
    name
        Name of the column.
    array
        What a series of pandas keeps its cells in.

    Raises
    ------
    TypeError
        If a value is unhashable or otherwise impossible.
    """
    if hasattr(array, "categories"):
        return of_codes(name, array.codes, _as_list(array.categories))
    kind = array.dtype.kind
    if isinstance(array.dtype, np.dtype) and kind in "iufb":
        return of_array(name, np.asarray(array))
    if isinstance(array.dtype, np.dtype) and kind == "O":
        return _texts_apart(name, array) or of_objects(name, array)
    if _holds_arrow(array):
        return arrow_column(name, array.__arrow_array__())
    if kind in "iuf":
        return Column(_as_numbers(array), None, [])
    if kind == "b":
        return of_truths(array.to_numpy(dtype=np.int8, na_value=-1))
    if hasattr(array.dtype, "storage"):
        return of_objects(name, np.asarray(array, dtype=object))
    return _factorized(name, array)


def _texts_apart(name: Hashable, cells: np.ndarray) -> Column | None:
    """Return the column of texts that are an object each, where pandas is faster."""
    import pandas as pd

    first = cells[:_SAMPLE]
    if len(set(map(id, first))) < _SAMPLE // 2 or not any(type(cell) is str for cell in first):
        return None
    try:
        codes, values = pd.factorize(cells)
    except TypeError:
        return None
    if set(map(type, values)) != {str}:
        roles = {value_role(kind) for kind in set(map(type, cells)) - {bool, np.bool_}}
        # 1 hides True and 1 + 0j, which are other things
        if roles & {"number", "impossible"}:
            return None
    return of_codes(name, codes, values.tolist())


def _factorized(name: Hashable, array: Any) -> Column:
    """Return a column of values of one type."""
    import pandas as pd

    try:
        codes, values = pd.factorize(array)
    except (TypeError, NotImplementedError):
        return of_list(name, array.tolist())  # unhashable, to be named
    return of_codes(name, codes, values.tolist())


def _holds_arrow(array: Any) -> bool:
    dtype = array.dtype
    return getattr(dtype, "storage", None) == "pyarrow" or hasattr(dtype, "pyarrow_dtype")


def _as_list(index: Any) -> list[Any]:
    """Return the values of an index, which pyarrow lists faster where it has them."""
    if _holds_arrow(index.array):
        return index.array.__arrow_array__().to_pylist()
    return index.tolist()


def _as_numbers(array: Any) -> np.ndarray:
    if array.isna().any() or not hasattr(array.dtype, "numpy_dtype"):
        return array.to_numpy(dtype=np.float64, na_value=np.nan)
    return array.to_numpy(dtype=array.dtype.numpy_dtype)
