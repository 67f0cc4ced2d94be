"""Labels and weights that come with a frame, and answers in the caller's kind of frame."""

from __future__ import annotations

import numbers
from collections.abc import Hashable, Iterable, Mapping
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
from narwhals.dependencies import is_pandas_series

from river_kdb.features.column import as_codes
from river_kdb.features.frame import read_series
from river_kdb.parameters import check_label, check_weight


class Labels(NamedTuple):
    """The labels of a batch, as codes into a list of distinct ones.

    Attributes
    ----------
    codes
        int array of shape (n_rows,).
    values
        The labels that the codes count off; some may not occur.
    """

    codes: np.ndarray
    values: list[Hashable]

    def rows(self, which: np.ndarray | slice) -> Labels:
        """Return the labels of some rows only.

        Parameters
        ----------
        which
            A slice, or an int array.
        """
        return Labels(self.codes[which], self.values)

    def one_by_one(self) -> list[Hashable]:
        """Return a label for each row."""
        return [self.values[code] for code in self.codes.tolist()]

    def those_not_in(self, known: Mapping[Hashable, Any]) -> list[Hashable]:
        """Return the labels that are not known, in the order in which they first appear.

        Parameters
        ----------
        known
            The labels known, as keys.
        """
        unknown = [code for code, label in enumerate(self.values) if label not in known]
        fresh = self.codes[np.isin(self.codes, unknown)] if unknown else self.codes[:0]
        return list(dict.fromkeys(self.values[code] for code in dict.fromkeys(fresh.tolist())))

    def indices(self, index: Mapping[Hashable, int]) -> np.ndarray:
        """Return the index of each row's label as int32 array of shape (n_rows,).

        Parameters
        ----------
        index
            The index of every label that occurs.
        """
        return np.array([index.get(label, -1) for label in self.values], dtype=np.int32)[self.codes]


def read_labels(y: Any, n_rows: int) -> Labels:
    """Return the labels of a batch.

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
    labels = _coded_labels(y)
    if labels is None:
        cells = _as_list(y)
        for label in _distinct(cells):
            check_label(label)
        values = list(dict.fromkeys(cells))
        code_of = {label: code for code, label in enumerate(values)}
        labels = Labels(np.fromiter(map(code_of.__getitem__, cells), np.int64, len(cells)), values)
    if len(labels.codes) != n_rows:
        raise ValueError(f"y has {len(labels.codes)} labels for {n_rows} rows")
    return labels


def _coded_labels(y: Any) -> Labels | None:
    """Return labels read as a column is, or None where one by one tells more of what is wrong."""
    try:
        column = read_series(y)
    except TypeError:
        return None
    if column is None:
        return None
    column = as_codes(column)
    codes = np.asarray(column.codes)
    return Labels(codes, column.values) if not (codes < 0).any() else None


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
    weights = _numbers(w)
    if weights is None or not (np.isfinite(weights) & (weights >= 0.0)).all():
        weights = np.array([check_weight(weight) for weight in _as_list(w)], dtype=np.float64)
    if len(weights) != n_rows:
        raise ValueError(f"w has {len(weights)} weights for {n_rows} rows")
    return weights


def _numbers(w: Any) -> np.ndarray | None:
    try:
        column = read_series(w)
    except TypeError:
        return None
    if column is None or column.numbers is None:
        return None
    return column.numbers.astype(np.float64)


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


def like_series(X: Any, labels: list[Any], codes: np.ndarray) -> Any:
    """Return labels as a series of the caller's kind, with its index where it has one.

    Parameters
    ----------
    X
        The caller's frame.
    labels
        Distinct labels.
    codes
        int array of shape (n_rows,): the number of the label of each row.
    """
    frame = nw.from_native(X, eager_only=True)
    there, codes = np.unique(codes, return_inverse=True)
    values = [labels[code] for code in there.tolist()]
    if frame.implementation.is_pandas_like():
        series = nw.get_native_namespace(frame).Series
        answer = series(values, dtype=None if values else object).take(codes)
        return answer.set_axis(frame.to_native().index)
    if len({type(value) for value in values}) > 1 and not _all_numbers(values):
        if frame.implementation.is_polars():
            cells = [values[code] for code in codes.tolist()]
            return nw.new_series("y", cells, nw.Object, backend="polars").to_native()
        values = [str(value) for value in values]
    series = nw.new_series("y", values, backend=frame.implementation)
    return series[codes.tolist()].to_native()


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
