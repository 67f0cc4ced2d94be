"""The face that every model turns to River."""

from __future__ import annotations

import abc
from collections.abc import Collection, Hashable, Mapping
from typing import Any

import numpy as np
from river import base

from river_kdb.event import learn_event, learn_event_at_once
from river_kdb.explain.debug import debug_text
from river_kdb.explain.summary import Summary, summarise
from river_kdb.features.frame import read_frame
from river_kdb.frames import like_frame, like_series, read_labels, read_weights
from river_kdb.inference.smoothing import m_estimate, smoothing_strength
from river_kdb.learner import Learner, Settings
from river_kdb.parameters import check_common, check_label, check_weight
from river_kdb.structure.structure import Structure, absent_features, arcs


class BNClassifier(base.MiniBatchClassifier, abc.ABC):
    """What all Bayesian network classifiers of the package share.

    Subclasses say how a structure is learned. Their parameters are described there.
    """

    def __init__(
        self,
        *,
        smoothing: float | str,
        n_bins: int,
        discretizer: str,
        nominal_attributes: Collection[Hashable] | None,
        max_categories: int,
        missing: str,
        window_size: int,
        grace_period: int,
        relearn_period: int,
        max_size: float,
    ) -> None:
        self.smoothing = smoothing
        self.n_bins = n_bins
        self.discretizer = discretizer
        self.nominal_attributes = nominal_attributes
        self.max_categories = max_categories
        self.missing = missing
        self.window_size = window_size
        self.grace_period = grace_period
        self.relearn_period = relearn_period
        self.max_size = max_size
        check_common(self)
        self._learner = Learner(
            Settings(
                strength=smoothing_strength(smoothing),
                n_bins=n_bins,
                discretizer=discretizer,
                nominal_attributes=nominal_attributes or (),
                max_categories=max_categories,
                window_size=window_size,
                grace_period=grace_period,
                relearn_period=relearn_period,
                max_size=max_size,
                skip_missing=missing == "skip",
                wants_pairs=self._wants_pairs,
                wants_triples=self._wants_triples,
                at_once=self._at_once,
                pairs_share=self._pairs_share,
            )
        )

    # What a model is -------------------------------------------------------------------------

    @property
    def _wants_pairs(self) -> bool:
        """Whether the structure is learned from the counts of pairs."""
        return True

    @property
    def _wants_triples(self) -> bool:
        """Whether features may have two parents that change."""
        return False

    @property
    def _at_once(self) -> bool:
        """Whether pairs and sets of events are to be up to date at every prediction."""
        return False

    @property
    def _pairs_share(self) -> float:
        """Share of the memory left by window and singles that the pairs may take."""
        return 0.5

    @abc.abstractmethod
    def _learn_structure(self, learner: Learner, information: np.ndarray) -> Structure:
        """Return the structure for the counts as they are.

        Parameters
        ----------
        learner
            What was learned so far.
        information
            float array of shape (n_features,): I(X_i; C).
        """

    def _refine(self, codes: np.ndarray) -> np.ndarray:
        """Return the codes (n, b) that the posterior is computed from."""
        return codes

    def _posteriors(self, codes: np.ndarray) -> np.ndarray:
        """Return the posteriors (b, m) of a block of codes (n, b)."""
        return self._learner.posteriors(codes)

    def _log_joints(self, codes: np.ndarray) -> np.ndarray:
        """Return log P(c, x) (b, m) of a block of codes (n, b), up to what members share."""
        return self._learner.log_joints(codes)

    @property
    def _multiclass(self) -> bool:
        return True

    # Learning ------------------------------------------------------------------------------

    def learn_one(self, x: Mapping[Hashable, Any], y: Hashable, w: float = 1.0) -> None:
        """Learn from one event.

        Parameters
        ----------
        x
            The event: feature names and values. A key that is absent, None or NaN is missing.
        y
            Its label, any hashable but None and NaN.
        w
            Its weight; 2 counts as learning twice, 0 as not learning.

        Raises
        ------
        TypeError, ValueError
            For a value, label or weight that can't be learned; the model is as it was before.
        """
        learner = self._learner
        try:
            label = learner.label_index[y]
        except (KeyError, TypeError):
            y, label = check_label(y), -1
        w = check_weight(w) if w != 1.0 else 1.0
        row, fresh = learner.encoder.prepare(x)
        if w == 0.0:
            return
        if fresh:
            row = learner.take_in(row, fresh)
        if label < 0:
            label = learner.take_label(y)
        store = learner.store
        kernel: Any = learn_event_at_once if learner.at_once else learn_event
        if not kernel(row, label, w, store.n_events, *learner.learn_arrays):
            learner.open_slots(row[:, None])
            kernel(row, label, w, store.n_events, *learner.learn_arrays)
        store.n_events += 1
        if learner.at_once:
            store.n_paired += 1
        if store.n_events == learner.due:
            learner.maintain(self._learn_structure)

    def learn_many(self, X: Any, y: Any, w: Any = None) -> None:
        """Learn from the rows of a frame, as if one after the other.

        Parameters
        ----------
        X
            A pandas, polars or pyarrow frame.
        y
            Their labels: a series, array or list.
        w
            Their weights, 1 if None.

        Raises
        ------
        TypeError, ValueError
            For a value, label or weight that can't be learned; the model is as it was before.
        """
        learner = self._learner
        columns, n_rows = read_frame(X)
        labels = read_labels(y, n_rows)
        weights = read_weights(w, n_rows)
        if not weights.all():
            kept = np.flatnonzero(weights)
            columns = {name: column.rows(kept) for name, column in columns.items()}
            labels, weights = [labels[r] for r in kept], weights[kept]
        columns = {name: columns[name] for name in learner.welcome(columns)}
        learner.expect(len(labels))
        start = 0
        while start < len(labels):
            stop = min(len(labels), start + learner.due - learner.store.n_events)
            part = slice(start, stop)
            block = columns
            if stop - start < len(labels):
                block = {name: column.rows(part) for name, column in columns.items()}
            learner.learn_block(block, labels[part], weights[part], self._learn_structure)
            start = stop

    def relearn(self) -> None:
        """Recode the features and relearn the structure now.

        Cut points and slots are chosen anew while the window still holds every event, so that
        no count is lost; afterwards they stay, and the structure is learned from all counts.
        """
        self._learner.relearn(self._learn_structure)

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
        if not learner.labels:
            return {}
        return dict(zip(learner.labels, self._posterior(row).tolist(), strict=True))

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
        posterior = self._posterior(row).tolist()
        return labels[posterior.index(max(posterior))]

    def _posterior(self, row: np.ndarray) -> np.ndarray:
        return self._learner.posterior(row)

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
        codes = self._frame_codes(X)
        return like_frame(X, self._learner.labels, self._posteriors(codes))

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
        codes = self._frame_codes(X)
        labels = self._learner.labels
        if not labels:
            return like_series(X, [None] * codes.shape[1])
        best = np.argmax(self._posteriors(codes), axis=1)
        return like_series(X, [labels[c] for c in best.tolist()])

    def joint_log_likelihood(self, x: Mapping[Hashable, Any]) -> dict[Any, float]:
        """Return log P(c, x) of every class; of an ensemble the logarithm of its weighted sum.

        Parameters
        ----------
        x
            The event.
        """
        scores = self._log_joints(self._codes(x))[0]
        return dict(zip(self._learner.labels, scores.tolist(), strict=True))

    def joint_log_likelihood_many(self, X: Any) -> Any:
        """Return log P(c, x) of every class for the rows of a frame.

        Parameters
        ----------
        X
            A pandas, polars or pyarrow frame.
        """
        codes = self._frame_codes(X)
        return like_frame(X, self._learner.labels, self._log_joints(codes))

    def _codes(self, x: Mapping[Hashable, Any]) -> np.ndarray:
        """Return the codes of an event as a block of one."""
        learner = self._learner
        return self._refine(learner.coder.code(learner.encoder.row(x)[:, None]))

    def _frame_codes(self, X: Any) -> np.ndarray:
        columns, n_rows = read_frame(X)
        return self._refine(self._learner.coder.code(self._learner.raw_rows(columns, n_rows)))

    def p_class(self, c: Hashable) -> float:
        """Return the probability of a class before anything is known of the event.

        Parameters
        ----------
        c
            A label; one never seen has probability 0.
        """
        learner = self._learner
        if c not in learner.label_index:
            return 0.0
        classes = learner.store.singles.classes
        return float(
            m_estimate(classes[learner.label_index[c]], classes.sum(), len(learner.labels))
        )

    # Insight -----------------------------------------------------------------------------------

    @property
    def feature_names(self) -> list[Hashable]:
        """Names of the features, in the order of the model."""
        return list(self._learner.encoder.names)

    def structure_edges(self) -> list[tuple[Hashable, Hashable]]:
        """Return the arcs between features, as pairs of a parent and a child."""
        names = self._learner.encoder.names
        return [(names[i], names[j]) for i, j in arcs(self._learner.structure)]

    @property
    def summary(self) -> Summary:
        """How each feature is treated, and the structure in use; `print` it."""
        return summarise(type(self).__name__, self._learner)

    def debug_one(self, x: Mapping[Hashable, Any]) -> str:
        """Return in words how the posterior of an event comes about.

        Parameters
        ----------
        x
            The event.
        """
        return debug_text(self._learner, x, self._codes(x))

    def draw(self) -> Any:
        """Return the structure as a `graphviz.Digraph` (extra `plot`).

        Features that the structure leaves out are not drawn.

        Raises
        ------
        ImportError
            If graphviz's Python package is not installed.
        """
        from river_kdb.plot.graph import structure_graph

        absent = set(absent_features(self._learner.structure).tolist())
        shown = [name for i, name in enumerate(self.feature_names) if i not in absent]
        return structure_graph(type(self).__name__, shown, self.structure_edges())
