"""Columns of polars frames, without a look at every cell."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from river_kdb.features.column import (
    Column,
    no_values,
    number_keys,
    of_codes,
    of_list,
    of_truths,
)
from river_kdb.features.from_arrow import arrow_column


def polars_columns(native: Any) -> Iterator[tuple[str, Column]]:
    """Give the columns of a polars frame with their names.

    Parameters
    ----------
    native
        The frame.

    Raises
    ------
    TypeError
        If a value is unhashable or otherwise impossible.
    """
    arrays = _as_arrow(native)
    for series in native.get_columns():
        name, dtype = series.name, series.dtype
        if dtype.is_numeric() and not dtype.is_decimal():
            filled = series if not series.null_count() else series.cast(float)
            yield name, Column(filled.to_numpy(), None, [])
        elif name in arrays:
            yield name, arrow_column(name, arrays[name])
        else:
            yield name, _plain_column(series)


def _as_arrow(native: Any) -> dict[str, Any]:
    """Return those columns as pyarrow arrays, mostly without a copy, that need it."""
    import polars as pl

    names = [
        name
        for name, dtype in native.schema.items()
        if dtype != pl.Object and (dtype.is_decimal() or not dtype.is_numeric())
    ]
    if not names:
        return {}
    try:
        table = native.select(names).to_arrow(compat_level=pl.CompatLevel.newest())
    except (ImportError, AttributeError, TypeError):  # no pyarrow, or an older polars
        return {}
    return dict(zip(names, table.columns, strict=True))


def _plain_column(series: Any) -> Column:
    """Return the column of a series that pyarrow does not know."""
    import polars as pl

    name, dtype = series.name, series.dtype
    if series.null_count() == len(series):
        return no_values(len(series))
    if dtype == pl.Boolean:
        return of_truths(series.cast(pl.Int8).fill_null(-1).to_numpy())
    if dtype == pl.String:
        series = series.cast(pl.Categorical)
    elif not isinstance(dtype, (pl.Categorical, pl.Enum)):
        return of_list(name, series.to_list())
    physical = series.to_physical().cast(pl.Int64).fill_null(-1).to_numpy()
    codes, first = number_keys(physical.astype(np.uint64)[:, None])
    return of_codes(name, codes, series.gather(first).to_list())
