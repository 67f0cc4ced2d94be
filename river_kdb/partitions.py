"""What is done to a part of a frame where it lies, and what a model has to be for that.

Models travel as bytes, rows as pandas frames or Arrow batches; nothing here knows who spread them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from river_kdb.base import BNClassifier
from river_kdb.frames import read_weights
from river_kdb.persist import from_bytes

_NUMBERS = {"byte", "short", "integer", "long", "float", "double"}
_LABELS = _NUMBERS | {"boolean", "string", "char", "varchar", "binary"}
_FEATURES = _LABELS | {"decimal", "void"}
_TYPE_OF_LABEL = {bool: "boolean", int: "bigint", float: "double", str: "string"}

PARTIAL = "counts binary, error string"
"""Columns of what `count_part` gives."""


def n_events(model: BNClassifier) -> int:
    """Return how many events a model has learned.

    Parameters
    ----------
    model
        The model.
    """
    return model._learner.store.n_events


# Checks --------------------------------------------------------------------------------------


def check_countable(model: Any) -> None:
    """Raise unless parts of a frame can be counted apart from each other.

    Parameters
    ----------
    model
        A model.

    Raises
    ------
    TypeError
        If it is no classifier with one set of counts.
    ValueError
        If it goes by the order of events.

    Examples
    --------
    >>> from river_kdb import KDBClassifier
    >>> from river_kdb.partitions import check_countable
    >>> check_countable(KDBClassifier(half_life=500))
    Traceback (most recent call last):
    ValueError: half_life must be None: it goes by the order of events, which parts counted apart
    don't have
    """
    if not isinstance(model, BNClassifier):
        raise TypeError(
            f"{type(model).__name__} can't be learned in parts: it is no classifier of the package "
            "with one set of counts"
        )
    for name in ("half_life", "drift_detector"):
        if getattr(model, name) is not None:
            raise ValueError(
                f"{name} must be None: it goes by the order of events, which parts counted apart "
                "don't have"
            )


def check_columns(kinds: Mapping[str, str], target: str, weight: str | None) -> None:
    """Raise unless columns of some types can be learned from.

    Parameters
    ----------
    kinds
        The type of each column, as Spark calls it.
    target, weight
        Names of the columns of labels and, if there is one, of weights.

    Raises
    ------
    ValueError
        If a column is not there.
    TypeError
        If one is of a type that can't be learned.

    Examples
    --------
    >>> from river_kdb.partitions import check_columns
    >>> check_columns({"wind": "double", "when": "timestamp", "trip": "string"}, "trip", None)
    Traceback (most recent call last):
    TypeError: column 'when' of type timestamp is no feature; cast it to number or text, or drop it
    """
    for name in (target, weight):
        if name is not None and name not in kinds:
            raise ValueError(f"there is no column {name!r}, only {', '.join(kinds)}")
    if weight == target:
        raise ValueError(f"column {target!r} can't be both label and weight")
    if kinds[target] not in _LABELS:
        raise TypeError(
            f"column {target!r} of type {kinds[target]} can't be a label; cast it to text"
        )
    if weight is not None and kinds[weight] not in _NUMBERS:
        raise TypeError(
            f"column {weight!r} of type {kinds[weight]} can't be a weight; cast it to double"
        )
    for name in kinds:
        if name not in (target, weight) and kinds[name] not in _FEATURES:
            raise TypeError(
                f"column {name!r} of type {kinds[name]} is no feature; cast it to number or "
                "text, or drop it"
            )


def label_type(labels: list[Hashable]) -> str:
    """Return the type that a column of labels has in Spark.

    Parameters
    ----------
    labels
        The labels.

    Raises
    ------
    TypeError
        If they have no type in Spark, or several.

    Examples
    --------
    >>> from river_kdb.partitions import label_type
    >>> label_type([True, False]), label_type(["beach", "sail"])
    ('boolean', 'string')
    """
    kinds = {type(label) for label in _plain(labels)}
    if len(kinds) != 1 or not kinds <= _TYPE_OF_LABEL.keys():
        found = ", ".join(sorted(kind.__name__ for kind in kinds))
        raise TypeError(f"labels must be all bool, all int, all float or all str, got {found}")
    return _TYPE_OF_LABEL[kinds.pop()]


def _plain(labels: list[Hashable]) -> list[Any]:
    """Return labels of numpy as those of Python."""
    return [label.item() if isinstance(label, np.generic) else label for label in labels]


# Work ----------------------------------------------------------------------------------------


def learn_chunk(model: Any, chunk: Any, target: str, weight: str | None) -> None:
    """Learn a pandas frame that has label and weight among its columns.

    Parameters
    ----------
    model
        The model.
    chunk
        The frame.
    target, weight
        Names of the columns of labels and, if there is one, of weights.

    Raises
    ------
    TypeError, ValueError
        For a value, label or weight that can't be learned; the model is as it was before.
    """
    if chunk[target].isna().any():
        raise ValueError(f"column {target!r} holds nulls, but every row needs a label")
    weights = None
    if weight is not None:
        try:
            weights = read_weights(chunk[weight], len(chunk))
        except ValueError as error:
            raise ValueError(f"column {weight!r}: {error}") from None
    features = [name for name in chunk.columns if name not in (target, weight)]
    model.learn_many(chunk[features], chunk[target], weights)


def count_part(
    chunks: Iterable[Any], blank: bytes, target: str, weight: str | None
) -> Iterator[Any]:
    """Count the rows of a part of a frame.

    What is wrong with a row is told, not raised: a task that raises would be tried again.

    Parameters
    ----------
    chunks
        The rows, as pandas frames.
    blank
        A frozen model without events.
    target, weight
        Names of the columns of labels and, if there is one, of weights.

    Returns
    -------
    A pandas frame of one row, with the model as `counts` or with an `error`; none without rows.
    """
    import pandas as pd

    model: Any = from_bytes(blank)
    counts, error = None, None
    try:
        for chunk in chunks:
            learn_chunk(model, chunk, target, weight)
        if n_events(model):
            counts = model.to_bytes()
    except (TypeError, ValueError) as wrong:
        error = f"{type(wrong).__name__}: {wrong}"
    if counts is not None or error is not None:
        yield pd.DataFrame({"counts": [counts], "error": [error]})


def read_part(counts: bytes | None, error: str | None) -> Any:
    """Return the model that `count_part` gave.

    Parameters
    ----------
    counts, error
        What it gave.

    Raises
    ------
    TypeError, ValueError
        For a value, label or weight that can't be learned.
    """
    if counts is None:
        kind, _, text = str(error).partition(": ")
        raise TypeError(text) if kind == "TypeError" else ValueError(text)
    return from_bytes(bytes(counts))


def predict_part(batches: Iterable[Any], model: bytes) -> Iterator[Any]:
    """Predict the rows of a part of a frame.

    Parameters
    ----------
    batches
        The rows, as Arrow batches.
    model
        A model that has learned something.

    Returns
    -------
    The batches with the columns `prediction` and `probabilities`.
    """
    import pyarrow as pa

    classifier: Any = from_bytes(model)
    labels, known = pa.array(_plain(classifier._learner.labels)), set(classifier.feature_names)
    for batch in batches:
        table = pa.Table.from_batches([batch])
        features = table.select([name for name in table.column_names if name in known])
        shares = classifier.predict_proba_many(features)
        posteriors = np.column_stack([column.to_numpy() for column in shares.columns])
        n_rows, m = posteriors.shape
        best = labels.take(pa.array(np.argmax(posteriors, axis=1)))
        every = pa.MapArray.from_arrays(
            np.arange(n_rows + 1, dtype=np.int32) * m,
            labels.take(pa.array(np.tile(np.arange(m), n_rows))),
            pa.array(posteriors.ravel()),
        )
        table = table.append_column("prediction", best).append_column("probabilities", every)
        yield from table.to_batches()
