"""Frames against their rows as dicts."""

from __future__ import annotations

import datetime
import math
from decimal import Decimal

import numpy as np
import pytest

from river_kdb.features.boxes import unbox
from river_kdb.features.column import as_codes
from river_kdb.features.encoder import CATEGORICAL, NUMERIC, UNKNOWN, Encoder
from river_kdb.features.frame import (
    brings_news,
    cells_of,
    learn_columns,
    raw_rows,
    read_frame,
    read_series,
    settle_columns,
    settle_nominal,
)

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

DAY, NOON = datetime.date(2020, 1, 1), datetime.datetime(2020, 1, 1, 12)
# Whole columns, each with what is odd about it.
COLUMNS = {
    "whole": [3, 1, 2, 3, 1],
    "real": [0.5, None, math.inf, -math.inf, 2.5],
    "gaps": [None] * 5,
    "text": ["x", "y", None, "x", "z"],
    "long": ["x", "twelve bytes", None, "and more than that", ""],
    "umlauts": ["ä", "äöü", None, "中文", "ä"],
    "truth": [True, False, True, True, False],
    "maybe": [None, True, None, False, True],
    "day": [DAY, None, DAY, datetime.date(2021, 1, 1), DAY],
    "moment": [NOON, None, NOON, datetime.datetime(1969, 1, 1), NOON],
    "span": [datetime.timedelta(1), None, datetime.timedelta(0), datetime.timedelta(1), None],
    "cents": [Decimal("1.50"), Decimal("2.25"), None, Decimal("1.50"), Decimal("0.00")],
    "bytes": [b"x", b"y", None, b"x", b""],
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


def dictionaries(columns):
    table = pa.table(columns)
    coded = [
        array.dictionary_encode() if array.null_count < 5 else array for array in table.columns
    ]
    return pa.table(coded, names=table.column_names)


def categories(columns):
    return pd.DataFrame({n: pd.Series(cells, dtype="category") for n, cells in columns.items()})


FRAMES = {
    "pandas": pd.DataFrame,
    "objects": objects,
    "nullable": lambda columns: pd.DataFrame(columns).convert_dtypes(),
    "arrow in pandas": lambda columns: pd.DataFrame(columns).convert_dtypes(
        dtype_backend="pyarrow"
    ),
    "polars": pl.DataFrame,
    "arrow": pa.table,
    "dictionaries": dictionaries,
    "categories": categories,
    "dictionaries in pandas": lambda columns: dictionaries(columns).to_pandas(
        types_mapper=pd.ArrowDtype
    ),
    "pieces of arrow": lambda columns: pa.concat_tables(
        [pa.table(columns)[:2], pa.table(columns)[2:]]
    ),
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


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("kind", [None, pl.Categorical])
def test_polars_without_arrow(name, kind, monkeypatch):
    monkeypatch.setattr("river_kdb.features.from_polars._as_arrow", lambda native: {})
    columns = {name: COLUMNS[name]}
    frame = pl.DataFrame(columns)
    if kind is not None and frame[name].dtype == pl.String:
        frame = frame.cast(kind)
    assert_as_the_dicts(frame, as_dicts(columns))


def test_polars_enums_without_arrow(monkeypatch):
    monkeypatch.setattr("river_kdb.features.from_polars._as_arrow", lambda native: {})
    series = pl.Series("a", ["x", None, "y"], dtype=pl.Enum(["never", "y", "x"]))
    assert_as_the_dicts(pl.DataFrame([series]), [{"a": "x"}, {"a": None}, {"a": "y"}])


def test_objects_in_polars():
    cells = ["x", 1, ("a", 2), "x"]
    frame = pl.DataFrame({"a": pl.Series(cells, dtype=pl.Object), "b": [1, 2, 3, 4]})
    rows = [{"a": cell, "b": r + 1} for r, cell in enumerate(cells)]
    assert_as_the_dicts(frame, rows)


def test_a_dictionary_with_gaps_of_both_kinds():
    coded = pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 2, 0]), pa.array(["x", None, "z"]))
    cells = ["x", None, None, "z", "x"]
    assert_as_the_dicts(pa.table({"a": coded}), as_dicts({"a": cells}))


def test_a_dictionary_of_unsigned_codes_with_gaps():
    coded = pa.DictionaryArray.from_arrays(pa.array([0, None, 1], pa.uint8()), pa.array([7, 8]))
    assert_as_the_dicts(pa.table({"a": coded}), as_dicts({"a": [7, None, 8]}))


@pytest.mark.parametrize("ordered", [True, False])
def test_categories_ordered_unused_and_of_numbers(ordered):
    for values, cells in (([2.5, 1, 7], [7, None, 2.5]), ([False, True], [True, None, True])):
        dtype = pd.CategoricalDtype(values, ordered=ordered)
        frame = pd.DataFrame({"a": pd.Series(cells, dtype=dtype)})
        assert_as_the_dicts(frame, as_dicts({"a": cells}))
        assert_as_the_dicts(frame, as_dicts({"a": cells}), nominal=["a"])


@pytest.mark.parametrize("storage", ["python", "pyarrow"])
def test_both_storages_of_texts_in_pandas(storage):
    cells = ["x", None, "a text that is long", "x"]
    frame = pd.DataFrame({"a": pd.array(cells, dtype=pd.StringDtype(storage))})
    assert_as_the_dicts(frame, as_dicts({"a": cells}))


@pytest.mark.parametrize("odd", [None, math.nan, 1, True, b"x"], ids=repr)
def test_texts_that_are_an_object_each(odd):
    cells = ["".join(["text ", str(r % 50)]) for r in range(130)]
    assert_as_the_dicts(objects({"a": cells}), as_dicts({"a": cells}))
    cells[100] = odd
    assert_as_the_dicts(objects({"a": cells}), as_dicts({"a": cells}))
    with pytest.raises(TypeError, match="'a'"):
        read_frame(objects({"a": [*cells, ["unhashable"]]}))


def test_two_columns_of_one_name():
    with pytest.raises(ValueError, match="unique"):
        read_frame(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    with pytest.raises(ValueError, match="unique"):
        read_frame(pa.table([pa.array([1]), pa.array([2])], names=["a", "a"]))


def test_large_whole_numbers_stay_apart():
    cells = [2**53 + 1, 2**53, 2**53 + 1]
    for dtype in ("int64", "Int64", "int64[pyarrow]", object):
        columns, _ = read_frame(pd.DataFrame({"a": pd.Series(cells, dtype=dtype)}))
        assert len(set(as_codes(columns["a"]).codes.tolist())) == 2


@pytest.mark.parametrize("kind", ["list", "struct"])
@pytest.mark.parametrize("library", ["arrow", "arrow in pandas", "polars"])
def test_nested_columns_are_named(kind, library):
    cells = [[1], [2]] if kind == "list" else [{"q": 1}, {"q": 2}]
    table = pa.table({"spoilt": cells})
    frame = {
        "arrow": table,
        "arrow in pandas": table.to_pandas(types_mapper=pd.ArrowDtype),
        "polars": pl.DataFrame({"spoilt": cells}),
    }[library]
    with pytest.raises(TypeError, match="'spoilt'"):
        read_frame(frame)


def test_series_and_arrays():
    for series in (
        pd.Series(["x", "y"]),
        pl.Series(["x", "y"]),
        pa.chunked_array([["x"], ["y"]]),
        np.array(["x", "y"], dtype=object),
    ):
        column = read_series(series)
        assert column is not None
        assert [column.values[code] for code in column.codes] == ["x", "y"]
    for other in (["x", "y"], np.zeros((2, 2)), None):
        assert read_series(other) is None


def test_news():
    encoder, _ = learned_one_by_one([{"a": "x", "n": 1.0, "w": 1}, {"n": "t"}], nominal=["w"])
    encoder.add_features(["late"])

    def brings(**cells):
        columns, _ = read_frame(pd.DataFrame(cells, dtype=object))
        return brings_news(encoder, settle_nominal(encoder, columns))

    assert not brings(a=["x", None], n=[2.0, None], w=[1, 1])
    assert not brings(n=[3, "t"])
    assert brings(a=["x", "y"])
    assert brings(n=["u", 1])
    assert brings(w=[1, 2])
    assert brings(late=[None, None])
    dtype = pd.CategoricalDtype(["x", "never"])
    columns, _ = read_frame(pd.DataFrame({"a": pd.Series(["x"], dtype=dtype)}))
    assert not brings_news(encoder, columns)


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
