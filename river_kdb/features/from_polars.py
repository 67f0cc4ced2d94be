"""Columns of polars frames, without a look at every cell."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
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
from river_kdb.features.from_arrow import number_views


def polars_columns(native: Any) -> Iterator[tuple[Hashable, Column]]:
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
    coded = _coded_columns(native) if len(native) else {}
    for series in native.get_columns():
        name, dtype = series.name, series.dtype
        if name in coded:
            yield name, coded[name]
        elif dtype.is_numeric() and not dtype.is_decimal():
            filled = series if not series.null_count() else series.cast(float)
            yield name, Column(filled.to_numpy(), None, [])
        elif series.null_count() == len(series):
            yield name, no_values(len(series))
        else:
            yield name, of_list(name, series.to_list())


def _coded_columns(native: Any) -> dict[Hashable, Column]:
    """Return the columns that are no numbers but numbered, in few queries for all of them."""
    import polars as pl

    by_kind: dict[Any, list[str]] = {}
    for name, dtype in native.schema.items():
        by_kind.setdefault(_kind_of(dtype), []).append(name)
    found = _short_texts(native, by_kind.get(pl.String, []))
    texts = [name for name in by_kind.get(pl.String, []) if name not in found]
    categories = by_kind.get(pl.Categorical, [])
    enums, truths = by_kind.get(pl.Enum, []), by_kind.get(pl.Boolean, [])
    ranked = by_kind.get("ranked", [])
    expressions = [
        pl.col(texts).cast(pl.Categorical).to_physical() if texts else None,
        pl.col(categories + enums).to_physical() if categories or enums else None,
        pl.col(truths) if truths else None,
        pl.col(ranked).rank("dense") if ranked else None,
    ]
    expressions = [expression for expression in expressions if expression is not None]
    if not expressions:
        return found
    whole = native.select(expressions).select(pl.all().cast(pl.Int64).fill_null(-1))
    codes = dict(zip(whole.columns, np.ascontiguousarray(whole.to_numpy().T), strict=True))
    for name in truths:
        found[name] = of_truths(codes[name])
    for name in enums:
        found[name] = Column(None, codes[name], native.schema[name].categories.to_list())
    for name in texts + categories + ranked:
        numbers, first = number_keys(codes[name].view(np.uint64)[:, None])
        numbers[codes[name] < 0] = -1
        found[name] = of_codes(name, numbers, native[name].gather(first).to_list())
    return found


def _kind_of(dtype: Any) -> Any:
    ranked = dtype.is_temporal() or dtype.is_decimal() or dtype == "Binary"
    return "ranked" if ranked else dtype.base_type()


def _short_texts(native: Any, names: list[str]) -> dict[Hashable, Column]:
    """Return the columns of texts that are so short that their views tell them apart."""
    import polars as pl

    if not names:
        return {}
    try:
        table = native.select(names).to_arrow(compat_level=pl.CompatLevel.newest())
    except (ImportError, AttributeError, TypeError):  # no pyarrow, or an older polars
        return {}
    found: dict[Hashable, Column] = {}
    for name, array in zip(names, table.columns, strict=True):
        numbered = number_views(array.combine_chunks())
        if numbered is not None:
            found[name] = Column(None, *numbered)
    return found
