"""What every classifier of the package shows to River, whatever it has learned."""

from __future__ import annotations

import abc
from collections.abc import Callable, Hashable, Mapping
from os import PathLike
from typing import Any, Self

import numpy as np
from river import base

from river_kdb.drift import DriftWatch
from river_kdb.explain.contributions import LogOdds, log_odds_by_steps
from river_kdb.explain.explanation import Explanation, explanation, no_explanation
from river_kdb.explain.importance import feature_importance
from river_kdb.explain.tables import ValueTables, information_of
from river_kdb.features.column import Columns
from river_kdb.features.frame import read_frame
from river_kdb.frames import Labels, like_frame, like_series, read_labels, read_weights
from river_kdb.growing import Growing
from river_kdb.history import StructureChange
from river_kdb.parameters import check_count
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

    @abc.abstractmethod
    def _value_tables(self) -> ValueTables:
        """Return how often each value came with each class."""

    @abc.abstractmethod
    def _latest(self, n_events: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return raw rows (n, b), labels (b,) and weights (b,) of the latest events."""

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

    def _many_posteriors(self, raw: np.ndarray) -> np.ndarray:
        """Return the posteriors (b, m) of raw rows (n, b), of which several threads give some."""
        return in_slices(self._frame_posteriors, raw, self.n_jobs, self._rows_worth_a_thread)

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

    def explain_one(self, x: Mapping[Hashable, Any]) -> Explanation:
        """Return why a class is the most probable one; `print` it.

        Each feature adds something to the log odds of the most probable class over the next; what
        they add, and the prior, sum to these exactly. Under one network it is the log ratio of the
        feature's factor. Where several answer, the features become known one after the other, by
        falling I(X; C) and once more the other way about: the mean of the two changes counts. A
        probability of 0 stands for the smallest float above.

        Parameters
        ----------
        x
            The event.

        Returns
        -------
        The contributions of the features that were ever learned, and the counts behind them.
        While fewer than two classes were learned there is nothing to compare.

        Raises
        ------
        TypeError
            For a value that no event can have.

        Examples
        --------
        >>> from river_kdb import KDBClassifier
        >>> model = KDBClassifier(k=0)
        >>> for t in range(20):
        ...     model.learn_one({"sky": "grey" if t % 4 else "blue", "day": t % 2}, t % 4 > 0)
        >>> found = model.explain_one({"sky": "blue", "day": 1})
        >>> print(found)
        False over True: log odds 0.2789
             nats  value (in so many events of False, of True)
          -1.0361  before any feature is known
          +3.3787  sky = 'blue' (5 of 5, 0 of 15)
          -2.0637  day = 1, (0.5, inf) (0 of 5, 10 of 15)
        >>> found.contributions["sky"] > 3.0
        True
        """
        learner = self._learner
        row, labels = learner.encoder.row(x), learner.labels
        if len(labels) < 2:
            return no_explanation(labels)
        tables = self._value_tables()
        odds = self._log_odds(row, int(np.argmax(self._answer(row))), tables)
        return explanation(x, row, labels, learner.encoder.names, tables, odds)

    def _log_odds(self, row: np.ndarray, winner: int, tables: ValueTables) -> LogOdds:
        """Return the log odds of the most probable class over the next, in parts."""
        order = np.argsort(-information_of(tables), kind="stable")
        return log_odds_by_steps(self._frame_posteriors, row, order, winner)

    def feature_importance(self, n_events: int = 1000) -> dict[Hashable, float]:
        """Return how much worse the answers are without each feature.

        It is the rise of the mean log loss, in nats, of the latest events when the feature is
        left out of them, as if its value had never been learned. These events have been learned,
        and the model is asked as it is now: the figures compare features, they are no estimate
        of the loss to come. Below 0 the answers are better without the feature.

        Parameters
        ----------
        n_events
            How many events to ask about, as far as the window holds them.

        Returns
        -------
        The rise for each feature, the largest first; empty before the first event.

        Raises
        ------
        ValueError
            If `n_events` is no whole number above 0.

        Examples
        --------
        >>> import random
        >>> from river_kdb import KDBClassifier
        >>> rng = random.Random(1)
        >>> model = KDBClassifier()
        >>> for t in range(300):
        ...     model.learn_one({"signal": t % 3, "noise": rng.random()}, t % 3 == 0)
        >>> list(model.feature_importance())
        ['signal', 'noise']
        """
        check_count("n_events", n_events, 1)
        names = self._learner.encoder.names
        return feature_importance(self._many_posteriors, names, *self._latest(n_events))

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
