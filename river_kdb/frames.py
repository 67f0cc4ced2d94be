"""Labels and weights that come with a frame, and answers in the caller's kind of frame."""

from __future__ import annotations

import numbers
from collections.abc import Hashable, Iterable
from typing import Any

import narwhals as nw
import numpy as np
from narwhals.dependencies import is_pandas_series

from river_kdb.parameters import check_label, check_weight


def read_labels(y: Any, n_rows: int) -> list[Hashable]:
    """Return the labels of a batch as a list.

    Parameters
    ----------
    y
        A series, array or list.
    n_rows
        How many there have to be.

    Raises
    ------
    ValueError
        If there are more or fewer, or one is missing.
    TypeError
        If one is unhashable.
    """
    labels = _as_list(y)
    if len(labels) != n_rows:
        raise ValueError(f"y has {len(labels)} labels for {n_rows} rows")
    for label in _distinct(labels):
        check_label(label)
    return labels


def read_weights(w: Any, n_rows: int) -> np.ndarray:
    """Return the weights of a batch as an array.

    Parameters
    ----------
    w
        A series, array or list; None for ones.
    n_rows
        How many there have to be.

    Raises
    ------
    ValueError
        If there are more or fewer, or one is negative or not finite.
    """
    if w is None:
        return np.ones(n_rows)
    weights = np.array([check_weight(weight) for weight in _as_list(w)], dtype=np.float64)
    if len(weights) != n_rows:
        raise ValueError(f"w has {len(weights)} weights for {n_rows} rows")
    return weights


def _distinct(labels: list[Any]) -> Iterable[Any]:
    try:
        return set(labels)
    except TypeError:
        return labels


def _as_list(values: Any) -> list[Any]:
    if is_pandas_series(values):
        return values.tolist()
    series = nw.from_native(values, series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        return series.to_list()
    return values.tolist() if isinstance(values, np.ndarray) else list(values)


def like_frame(X: Any, labels: list[Hashable], values: np.ndarray) -> Any:
    """Return an array as a frame of the caller's kind, with its index where it has one.

    Parameters
    ----------
    X
        The caller's frame.
    labels
        Names of the columns; their text where names have to be texts.
    values
        float64 array of shape (n_rows, n_labels).
    """
    frame = nw.from_native(X, eager_only=True)
    if frame.implementation.is_pandas_like():
        native = frame.to_native()
        space = nw.get_native_namespace(frame)
        columns = space.Index(labels, tupleize_cols=False, dtype=None if labels else object)
        return space.DataFrame(values, index=native.index, columns=columns)
    data = {name: values[:, c] for c, name in enumerate(column_names(labels))}
    return nw.from_dict(data, backend=frame.implementation).to_native()


def like_series(X: Any, values: list[Any]) -> Any:
    """Return labels as a series of the caller's kind, with its index where it has one.

    Parameters
    ----------
    X
        The caller's frame.
    values
        A label a row.
    """
    frame = nw.from_native(X, eager_only=True)
    if frame.implementation.is_pandas_like():
        series = nw.get_native_namespace(frame).Series
        return series(values, index=frame.to_native().index, dtype=None if values else object)
    if len({type(value) for value in values}) > 1 and not _all_numbers(values):
        if frame.implementation.is_polars():
            return nw.new_series("y", values, nw.Object, backend="polars").to_native()
        values = [str(value) for value in values]
    return nw.new_series("y", values, backend=frame.implementation).to_native()


def column_names(labels: list[Hashable]) -> list[str]:
    """Return the texts of labels as names of columns; those that clash say of what type they are.

    Parameters
    ----------
    labels
        Distinct labels.

    Examples
    --------
    >>> from river_kdb.frames import column_names
    >>> column_names(["a", 1, "1"])
    ['a', '1 (int)', '1 (str)']
    """
    names = [str(label) for label in labels]
    if len(set(names)) < len(names):
        names = [
            name if names.count(name) == 1 else f"{name} ({type(label).__name__})"
            for name, label in zip(names, labels, strict=True)
        ]
    if len(set(names)) < len(names):
        names = [f"{name} #{c}" for c, name in enumerate(names)]
    return names


def _all_numbers(values: list[Any]) -> bool:
    return all(isinstance(v, numbers.Real) and not isinstance(v, bool) for v in values)
