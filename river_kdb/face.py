"""What every classifier of the package shows to River, whatever it has learned."""

from __future__ import annotations

import abc
from collections.abc import Callable, Hashable, Mapping
from os import PathLike
from typing import Any, Self

import numpy as np
from river import base

from river_kdb.drift import DriftWatch
from river_kdb.features.column import Columns
from river_kdb.features.frame import read_frame
from river_kdb.frames import Labels, like_frame, like_series, read_labels, read_weights
from river_kdb.growing import Growing
from river_kdb.history import StructureChange
from river_kdb.slices import LEAST_ROWS, in_slices


class StreamClassifier(base.MiniBatchClassifier, abc.ABC):
    """What all classifiers of the package share.

    Subclasses keep what they have learned in `_learner`, and their drifts' watch in `_watch`.
    """

    _learner: Growing
    _watch: DriftWatch | None
    n_jobs: int

    @abc.abstractmethod
    def _answer(self, row: np.ndarray) -> np.ndarray:
        """Return the posterior (m,) of a raw row (n,)."""

    @abc.abstractmethod
    def _frame_posteriors(self, raw: np.ndarray) -> np.ndarray:
        """Return the posteriors (b, m) of raw rows (n, b)."""

    @property
    def _rows_worth_a_thread(self) -> int:
        """How many rows take a few times as long as it takes to start a thread."""
        return LEAST_ROWS

    @property
    def _multiclass(self) -> bool:
        return True

    # Prediction --------------------------------------------------------------------------------

    def predict_proba_one(self, x: Mapping[Hashable, Any], **kwargs: Any) -> dict[Any, float]:
        """Return the probability of every class.

        Parameters
        ----------
        x
            The event.

        Returns
        -------
        A probability for each label seen so far; empty before the first.
        """
        learner = self._learner
        row = learner.encoder.row(x)
        labels = learner.labels
        if not labels:
            return {}
        # strict would cost as much again
        return dict(zip(labels, self._answer(row).tolist()))  # noqa: B905

    def predict_one(self, x: Mapping[Hashable, Any], **kwargs: Any) -> Any:
        """Return the most probable label, or None before the first event.

        Parameters
        ----------
        x
            The event.
        """
        labels = self._learner.labels
        row = self._learner.encoder.row(x)
        if not labels:
            return None
        posterior = self._answer(row).tolist()
        return labels[posterior.index(max(posterior))]

    def predict_proba_many(self, X: Any) -> Any:
        """Return the probability of every class for the rows of a frame.

        Parameters
        ----------
        X
            A pandas, polars or pyarrow frame.

        Returns
        -------
        A frame of the same kind with a column for each label; the labels themselves are the
        names in pandas, elsewhere their text.
        """
        return like_frame(X, self._learner.labels, self._in_slices(self._frame_posteriors, X))

    def predict_many(self, X: Any) -> Any:
        """Return the most probable label for the rows of a frame.

        Parameters
        ----------
        X
            A pandas, polars or pyarrow frame.

        Returns
        -------
        A series of the same kind; of None before the first event.
        """
        posteriors, labels = self._in_slices(self._frame_posteriors, X), self._learner.labels
        if not labels:
            return like_series(X, [None], np.zeros(len(posteriors), dtype=np.int64))
        return like_series(X, labels, np.argmax(posteriors, axis=1))

    def _in_slices(self, answer: Callable[[np.ndarray], np.ndarray], X: Any) -> np.ndarray:
        """Return the answers (b, m) to the rows of a frame, of which several threads give some."""
        return in_slices(answer, self._frame_rows(X), self.n_jobs, self._rows_worth_a_thread)

    def _frame_rows(self, X: Any) -> np.ndarray:
        columns, n_rows = read_frame(X)
        return self._learner.raw_rows(columns, n_rows)

    # Files -------------------------------------------------------------------------------------

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a file, which `river_kdb.load` reads.

        An older file is replaced as a whole: whatever happens, there is the old one or the new.

        Parameters
        ----------
        path
            The file.

        Raises
        ------
        TypeError, ValueError
            For a label, category or anything else in the model that can't be saved.
        OSError
            If the file can't be written.
        """
        from river_kdb.persist.writing import save

        save(self, path)

    def to_bytes(self) -> bytes:
        """Return the model as `save` would write it.

        Raises
        ------
        TypeError, ValueError
            For a label, category or anything else in the model that can't be saved.
        """
        from river_kdb.persist.writing import to_bytes

        return to_bytes(self)

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Return a model of this class from what `to_bytes` gave.

        Parameters
        ----------
        data
            The bytes of a file.

        Raises
        ------
        UnreadableModelError
            If they are damaged, too new, or hold something else.
        """
        from river_kdb.persist import from_bytes

        return from_bytes(data, cls)

    # Insight -----------------------------------------------------------------------------------

    @property
    def feature_names(self) -> list[Hashable]:
        """Names of the features, in the order of the model."""
        return list(self._learner.encoder.names)

    @property
    def structure_history(self) -> list[StructureChange]:
        """How the structure has changed: the latest 1,000 changes, the oldest first.

        Relearning on schedule is listed where it changed arcs; after a drift and on call always.
        """
        return self._learner.history.changes()

    @property
    def n_relearns(self) -> int:
        """How many times the structure was learned."""
        return self._learner.n_relearns

    def n_drifts_detected(self) -> int:
        """Return how many drifts the detector has signalled.

        A signal that the errors have become fewer is none.
        """
        return self._watch.n_drifts if self._watch is not None else 0

    def n_warnings_detected(self) -> int:
        """Return how many warnings of a drift there were."""
        return self._watch.n_warnings if self._watch is not None else 0


def read_rows(X: Any, y: Any, w: Any) -> tuple[Columns, Labels, np.ndarray]:
    """Return checked columns, labels and weights of the rows of a frame that weigh anything.

    Parameters
    ----------
    X
        A pandas, polars or pyarrow frame.
    y
        Labels.
    w
        Weights, 1 if None.

    Raises
    ------
    TypeError, ValueError
        For a value, label or weight that can't be learned.
    """
    columns, n_rows = read_frame(X)
    labels = read_labels(y, n_rows)
    weights = read_weights(w, n_rows)
    if not weights.all():
        kept = np.flatnonzero(weights)
        columns = {name: column.rows(kept) for name, column in columns.items()}
        labels, weights = labels.rows(kept), weights[kept]
    return columns, labels, weights
