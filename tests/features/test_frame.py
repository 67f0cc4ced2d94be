"""Frames against their rows as dicts."""

from __future__ import annotations

import datetime
import math
from decimal import Decimal

import numpy as np
import pytest

from river_kdb.features.boxes import unbox
from river_kdb.features.encoder import CATEGORICAL, NUMERIC, UNKNOWN, Encoder
from river_kdb.features.frame import (
    as_codes,
    cells_of,
    learn_columns,
    raw_rows,
    read_frame,
    settle_columns,
)

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

DAY = datetime.date(2020, 1, 1)
# Whole columns, each with what is odd about it.
COLUMNS = {
    "whole": [3, 1, 2, 3, 1],
    "real": [0.5, None, math.inf, -math.inf, 2.5],
    "gaps": [None] * 5,
    "text": ["x", "y", None, "x", "z"],
    "truth": [True, False, True, True, False],
    "maybe": [None, True, None, False, True],
    "day": [DAY, None, DAY, datetime.date(2021, 1, 1), DAY],
}
NOMINAL = ["whole"]


def as_dicts(columns):
    names = list(columns)
    return [dict(zip(names, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def encoder_of(columns, n_rows, nominal=()):
    encoder = Encoder(nominal)
    encoder.add_features(list(columns))
    learn_columns(encoder, columns)
    return encoder, raw_rows(encoder, settle_columns(encoder, columns), n_rows)


def learned_one_by_one(rows, nominal=()):
    encoder = Encoder(nominal)
    for x in rows:
        row, fresh = encoder.prepare(x)
        encoder.register(fresh, row)
    return encoder, np.stack([encoder.row(x) for x in rows], axis=1)


def assert_as_the_dicts(frame, rows, nominal=()):
    """Kinds, vocabularies with their ids, and every cell are those of the rows one by one."""
    columns, n_rows = read_frame(frame)
    assert n_rows == len(rows)
    encoder, raw = encoder_of(columns, n_rows, nominal)
    expected, right = learned_one_by_one(rows, nominal)
    assert encoder.names == expected.names
    assert encoder.kinds == expected.kinds
    for mine, theirs in zip(encoder.vocabularies, expected.vocabularies, strict=True):
        assert [(key, unbox(cell)) for key, cell in mine.items()] == [
            (key, unbox(cell)) for key, cell in theirs.items()
        ]
    numbers = ~np.isnan(right)
    assert np.array_equal(np.isnan(raw), ~numbers)
    assert raw[numbers].tolist() == right[numbers].tolist()
    for mine, theirs in zip(raw[~numbers], right[~numbers], strict=True):
        assert unbox(mine) == unbox(theirs)


def objects(columns):
    return pd.DataFrame({name: pd.Series(cells, dtype=object) for name, cells in columns.items()})


FRAMES = {
    "pandas": pd.DataFrame,
    "objects": objects,
    "nullable": lambda columns: pd.DataFrame(columns).convert_dtypes(),
    "arrow in pandas": lambda columns: pd.DataFrame(columns).convert_dtypes(
        dtype_backend="pyarrow"
    ),
    "polars": pl.DataFrame,
    "arrow": pa.table,
}


@pytest.mark.parametrize("nominal", [(), NOMINAL], ids=["", "nominal"])
@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("kind", FRAMES)
def test_a_column(kind, name, nominal):
    columns = {name: COLUMNS[name]}
    assert_as_the_dicts(FRAMES[kind](columns), as_dicts(columns), nominal)


@pytest.mark.parametrize("kind", FRAMES)
def test_all_together(kind):
    assert_as_the_dicts(FRAMES[kind](COLUMNS), as_dicts(COLUMNS))


@pytest.mark.parametrize(
    "cells",
    [
        [1, "x", None, 1.5, "x"],
        ["x", 1, 2.5, None, 1],
        [1, True, 0, False, 1],
        [True, 1, False, 0, True],
        [("a", 1), ("a", 2), None, ("a", 1), ("b",)],
        [Decimal("1.5"), Decimal("NaN"), 2, None, 3.5],
        [10**400, 1, -(10**400), None, 2],
        [np.float32(0.5), np.int64(2), None, np.str_("x"), np.bool_(True)],
        [b"x", "x", None, b"x", "y"],
        [math.nan, None, "x", math.nan, "x"],
    ],
    ids=repr,
)
def test_objects_of_all_sorts(cells):
    assert_as_the_dicts(objects({"a": cells}), as_dicts({"a": cells}))
    assert_as_the_dicts(objects({"a": cells}), as_dicts({"a": cells}), nominal=["a"])


def test_categories_of_a_dtype_that_do_not_occur_are_not_learned():
    dtype = pd.CategoricalDtype(["never", "y", "x"])
    frame = pd.DataFrame({"a": pd.Series(["x", None, "y"], dtype=dtype)})
    assert_as_the_dicts(frame, [{"a": "x"}, {"a": None}, {"a": "y"}])
    series = pl.Series("a", ["x", None, "y"], dtype=pl.Enum(["never", "y", "x"]))
    assert_as_the_dicts(pl.DataFrame([series]), [{"a": "x"}, {"a": None}, {"a": "y"}])


def test_categories_that_are_numbers():
    cells = [3, 1, None, 3]
    frame = pd.DataFrame({"a": pd.Series(cells, dtype="category")})
    assert_as_the_dicts(frame, as_dicts({"a": cells}))


def test_many_texts_in_polars():
    """Codes of a shared string cache leave wide gaps."""
    pl.Series([f"other {i}" for i in range(5000)], dtype=pl.Categorical)
    series = pl.Series("a", ["p", None, "q", "p"], dtype=pl.Categorical)
    assert_as_the_dicts(pl.DataFrame([series]), as_dicts({"a": ["p", None, "q", "p"]}))


@pytest.mark.parametrize("dtype", ["int8", "uint64", "float32", "Int32", "Float64"])
def test_types_of_numbers(dtype):
    frame = pd.DataFrame({"a": pd.Series([1, 2, 3], dtype=dtype)})
    assert_as_the_dicts(frame, as_dicts({"a": [1, 2, 3]}))


def test_a_float_column_with_gaps():
    for missing in (math.nan, None, pd.NA):
        frame = pd.DataFrame({"a": pd.Series([1.5, missing], dtype="Float64")})
        assert_as_the_dicts(frame, as_dicts({"a": [1.5, None]}))


@pytest.mark.parametrize("bad", [[1], {"q": 1}, {1}, 1j], ids=repr)
def test_a_bad_value_is_named(bad):
    with pytest.raises(TypeError, match="'spoilt'") as caught:
        read_frame(objects({"fine": [1, 2], "spoilt": ["x", bad]}))
    assert repr(bad) in str(caught.value)


def test_lists_in_polars_are_named():
    with pytest.raises(TypeError, match="'spoilt'"):
        read_frame(pl.DataFrame({"spoilt": [[1], [2]]}))


@pytest.mark.parametrize("nothing", [[1, 2], {"a": [1]}, np.zeros((2, 2)), "text", None])
def test_only_frames(nothing):
    with pytest.raises(TypeError):
        read_frame(nothing)


def test_no_rows_and_no_columns():
    columns, n_rows = read_frame(pd.DataFrame({"a": pd.Series([], dtype=float)}))
    encoder, raw = encoder_of(columns, n_rows)
    assert raw.shape == (1, 0)
    assert encoder.kinds == [UNKNOWN]
    columns, n_rows = read_frame(pd.DataFrame(index=range(3)))
    assert (columns, n_rows) == ({}, 3)


def test_some_rows_of_a_column():
    columns, _ = read_frame(pd.DataFrame({"n": [1.0, 2.0, 3.0], "c": ["x", "y", "x"]}))
    for which in (slice(1, 3), np.array([1, 2])):
        assert columns["n"].rows(which).numbers.tolist() == [2.0, 3.0]
        part = columns["c"].rows(which)
        assert [part.values[code] for code in part.codes] == ["y", "x"]


def test_known_features_without_a_column_are_missing():
    encoder, _ = learned_one_by_one([{"a": 1.0, "b": "x"}])
    columns, n_rows = read_frame(pd.DataFrame({"b": ["x", "y"], "other": [1, 2]}))
    raw = raw_rows(encoder, settle_columns(encoder, columns), n_rows)
    assert np.isnan(raw[0]).all()
    expected = [encoder.row({"b": value})[1] for value in ("x", "y")]
    assert [unbox(cell) for cell in raw[1]] == [unbox(cell) for cell in expected]
    assert encoder.names == ["a", "b"]


def test_reading_learns_nothing():
    encoder, _ = learned_one_by_one([{"a": "x"}])
    columns, n_rows = read_frame(pd.DataFrame({"a": ["new"]}))
    raw_rows(encoder, settle_columns(encoder, columns), n_rows)
    assert list(encoder.vocabularies[0]) == ["x"]


def test_numbers_as_codes():
    columns, _ = read_frame(pd.DataFrame({"a": [2.5, math.nan, 1.0, 2.5]}))
    column = as_codes(columns["a"])
    values = [column.values[code] if code >= 0 else None for code in column.codes]
    assert values == [2.5, None, 1.0, 2.5]
    assert as_codes(column) is column


def test_cells_end_with_the_missing_value():
    encoder, _ = learned_one_by_one([{"n": 1, "c": "x"}, {"n": "t"}])
    assert encoder.kinds == [CATEGORICAL, NUMERIC]
    number = cells_of(encoder, 1, [2, "t"])
    assert number[0] == 2.0
    assert [unbox(cell) for cell in number[1:]] == [0, -1]


@pytest.mark.parametrize("rows", [slice(0, 0), slice(2, 3), slice(2, 6), slice(None)])
def test_arrow_texts_in_several_chunks_or_none(rows):
    pieces = [pd.DataFrame({"s": ["x", "y", None]}), pd.DataFrame({"s": ["z", "x", "x"]})]
    frame = pd.concat([piece.astype("string[pyarrow]") for piece in pieces]).iloc[rows]
    columns, n_rows = read_frame(frame)
    codes, values = columns["s"].codes, columns["s"].values
    expected = ["x", "y", None, "z", "x", "x"][rows]
    assert n_rows == len(expected)
    assert [values[code] if code >= 0 else None for code in codes] == expected
