"""Labels and weights in, answers out, in the caller's kind of frame."""

from __future__ import annotations

import math

import numpy as np
import pytest

from river_kdb.frames import like_frame, like_series, read_labels, read_weights

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

FORMS = {
    "list": list,
    "tuple": tuple,
    "array": np.array,
    "pandas": pd.Series,
    "categories": lambda values: pd.Series(values, dtype="category"),
    "polars": pl.Series,
    "arrow": lambda values: pa.chunked_array([values]),
    "iterator": iter,
}


@pytest.mark.parametrize("values", [["a", "b", "a"], [1, 2, 1], [True, False, True]], ids=repr)
@pytest.mark.parametrize("form", FORMS)
def test_labels(form, values):
    labels = read_labels(FORMS[form](values), 3).one_by_one()
    assert labels == values
    assert {type(label) for label in labels} == {type(values[0])}


def test_labels_of_all_sorts():
    values = ["a", 1, (1, 2), None]
    labels = read_labels(pd.Series(values[:3], index=[5, 6, 7]), 3)
    assert labels.one_by_one() == values[:3]
    assert read_labels([], 0).one_by_one() == []


@pytest.mark.parametrize("gap", [None, math.nan, pd.NA])
def test_a_missing_label(gap):
    for form in (list, pd.Series):
        with pytest.raises(ValueError, match=r"^y: the label is missing"):
            read_labels(form(["a", gap, "b"]), 3)


def test_a_missing_label_in_polars():
    with pytest.raises(ValueError, match=r"^y: the label is missing"):
        read_labels(pl.Series(["a", None]), 2)


def test_an_unhashable_label_is_named():
    with pytest.raises(TypeError, match=r"\[2\]"):
        read_labels(["a", [2]], 2)


@pytest.mark.parametrize("bad", [None, math.nan], ids=repr)
def test_a_missing_label_among_numbers(bad):
    for series in (
        pd.Series([1, bad, 2], dtype="Int64"),
        pd.Series([1, bad, 2]),
        pd.Series(["a", None, "b"], dtype="category"),
        pl.Series([1, None, 2]),
        pa.chunked_array([[True, None, False]]),
    ):
        with pytest.raises(ValueError, match=r"^y: the label is missing"):
            read_labels(series, 3)


def test_labels_are_python_objects():
    for series, kind in (
        (pd.Series([1, 2], dtype="int8"), int),
        (pd.Series([1, 2], dtype="category"), int),
        (pd.Series([1, 2], dtype="Int64"), int),
        (pd.Series([0.5, 1.5], dtype="float32"), float),
        (pl.Series([True, False]), bool),
        (pl.Series(["a", "b"], dtype=pl.Categorical), str),
        (pa.chunked_array([pa.array(["a", "b"]).dictionary_encode()]), str),
        (np.array([True, False]), bool),
        (np.array(["a", "b"]), str),
    ):
        assert {type(label) for label in read_labels(series, 2).one_by_one()} == {kind}


def test_labels_that_are_equal_are_one():
    labels = read_labels([True, 1, "a", 1.0], 4)
    assert labels.indices({True: 0, "a": 1}).tolist() == [0, 0, 1, 0]
    labels = read_labels(pd.Series([True, 1, "a", 1.0], dtype=object), 4)
    assert labels.indices({True: 0, "a": 1}).tolist() == [0, 0, 1, 0]
    assert labels.those_not_in({}) == [True, "a"]


def test_new_labels_as_they_appear():
    dtype = pd.CategoricalDtype(["a", "b", "never", "c"])
    labels = read_labels(pd.Series(["c", "a", "b", "c"], dtype=dtype), 4)
    assert labels.those_not_in({"a": 0}) == ["c", "b"]
    assert labels.rows(slice(1, 3)).those_not_in({}) == ["a", "b"]
    assert labels.indices({"a": 2, "b": 1, "c": 0}).dtype == np.int32
    assert labels.rows(np.array([3, 1])).one_by_one() == ["c", "a"]


@pytest.mark.parametrize("n_rows", [0, 2, 4])
def test_as_many_labels_and_weights_as_rows(n_rows):
    with pytest.raises(ValueError, match=f"y has 3 labels for {n_rows} rows"):
        read_labels(["a", "b", "c"], n_rows)
    with pytest.raises(ValueError, match=f"w has 3 weights for {n_rows} rows"):
        read_weights([1, 2, 3], n_rows)


@pytest.mark.parametrize("form", FORMS)
def test_weights(form):
    weights = read_weights(FORMS[form]([0.0, 0.5, 2.0]), 3)
    assert weights.tolist() == [0.0, 0.5, 2.0]
    assert weights.dtype == np.float64


def test_no_weights_are_ones():
    assert read_weights(None, 3).tolist() == [1.0, 1.0, 1.0]
    assert read_weights([], 0).shape == (0,)


@pytest.mark.parametrize("bad", [-1.0, math.nan, math.inf, None])
def test_a_bad_weight(bad):
    for form in (list, pd.Series, pl.Series):
        with pytest.raises(ValueError, match=r"^w must be"):
            read_weights(form([1.0, bad]), 2)


VALUES = np.array([[0.25, 0.75], [1.0, 0.0]])


@pytest.mark.parametrize(
    "labels", [["a", "b"], [1, 0], [True, False], [("a", 1), ("a", 2)], ["a", 1]]
)
def test_a_frame_of_pandas_has_the_labels_themselves(labels):
    frame = like_frame(pd.DataFrame({"x": [1, 2]}, index=["p", "q"]), labels, VALUES)
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.columns) == labels
    assert frame.columns.nlevels == 1
    assert list(frame.index) == ["p", "q"]
    assert frame.to_numpy().tolist() == VALUES.tolist()


def test_a_frame_of_polars_has_their_texts():
    frame = like_frame(pl.DataFrame({"x": [1, 2]}), ["a", 1], VALUES)
    assert isinstance(frame, pl.DataFrame)
    assert frame.to_dict(as_series=False) == {"a": [0.25, 1.0], "1": [0.75, 0.0]}


def test_a_table_of_arrow():
    table = like_frame(pa.table({"x": [1, 2]}), ["a", 1], VALUES)
    assert isinstance(table, pa.Table)
    assert table.to_pydict() == {"a": [0.25, 1.0], "1": [0.75, 0.0]}


def test_labels_with_the_same_text_stay_apart():
    for frame in (pl.DataFrame({"x": [1, 2]}), pa.table({"x": [1, 2]})):
        answer = like_frame(frame, ["1", 1], VALUES)
        assert answer.shape == (2, 2)


def test_no_classes_yet():
    frame = like_frame(pd.DataFrame({"x": [1, 2]}, index=[7, 8]), [], np.empty((2, 0)))
    assert frame.shape == (2, 0)
    assert list(frame.index) == [7, 8]
    assert like_frame(pl.DataFrame({"x": [1, 2]}), [], np.empty((2, 0))).width == 0


@pytest.mark.parametrize("values", [["a", "b"], [1, 0], [True, False], [("a", 1), "b"]], ids=repr)
def test_a_series_of_pandas(values):
    frame = pd.DataFrame({"x": [1, 2]}, index=["p", "q"])
    series = like_series(frame, values, np.arange(2))
    assert isinstance(series, pd.Series)
    assert series.tolist() == values
    assert list(series.index) == ["p", "q"]


def test_a_series_of_polars_and_arrow():
    series = like_series(pl.DataFrame({"x": [1, 2]}), ["a", "b"], np.arange(2))
    assert isinstance(series, pl.Series)
    assert series.to_list() == ["a", "b"]
    array = like_series(pa.table({"x": [1, 2]}), ["a", "b"], np.arange(2))
    assert array.to_pylist() == ["a", "b"]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_series_has_the_type_of_the_labels_that_occur(frame):
    series = like_series(frame({"x": [1, 2, 3]}), ["a", 1, 2], np.array([2, 1, 2]))
    assert list(series if not isinstance(series, pa.ChunkedArray) else series.to_pylist()) == [
        2,
        1,
        2,
    ]


def test_a_series_of_nothing():
    for frame in (pd.DataFrame({"x": [1, 2]}), pl.DataFrame({"x": [1, 2]})):
        assert list(like_series(frame, [None], np.zeros(2, dtype=int))) == [None, None]
    assert len(like_series(pd.DataFrame({"x": []}), [], np.zeros(0, dtype=int))) == 0


def test_labels_of_two_types_in_polars():
    """A column of polars has one type; labels that have none in common keep theirs."""
    series = like_series(pl.DataFrame({"x": [1, 2]}), ["a", 1], np.arange(2))
    assert series.to_list() == ["a", 1]
