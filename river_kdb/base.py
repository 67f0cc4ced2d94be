"""What the models share that have one set of counts and one structure."""

from __future__ import annotations

import abc
from collections.abc import Collection, Hashable, Mapping
from typing import Any

import numpy as np

from river_kdb.counts.clock import UNIT
from river_kdb.drift import NO_DRIFT, Detector, DriftWatch, check_detectors
from river_kdb.event import learn_event_at_once, learn_noted
from river_kdb.explain.debug import debug_text
from river_kdb.explain.summary import Summary, summarise
from river_kdb.face import StreamClassifier, read_rows
from river_kdb.features.column import Columns
from river_kdb.frames import Labels, like_frame
from river_kdb.inference.smoothing import m_estimate, smoothing_strength
from river_kdb.learner import Learner, Settings
from river_kdb.parameters import check_common, check_forgetting, check_label, check_weight
from river_kdb.recall import drop_latest, recall
from river_kdb.slices import LEAST_ROWS
from river_kdb.structure.structure import Structure, absent_features, arcs

_MEMBERS_WORTH_A_THREAD = 4096
"""So many networks of a row take a few times as long as it takes to start a thread."""


class BNClassifier(StreamClassifier, abc.ABC):
    """What the classifiers share that have one set of counts.

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
        half_life: float | None,
        forget: str | None,
        drift_detector: Detector | None,
        warning_detector: Detector | None,
        max_size: float,
        counts: str,
        n_jobs: int,
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
        self.half_life = half_life
        self.forget = forget
        self.drift_detector = drift_detector
        self.warning_detector = warning_detector
        self.max_size = max_size
        self.counts = counts
        self.n_jobs = n_jobs
        check_common(self)
        check_forgetting(self)
        check_detectors(drift_detector, warning_detector)
        self._watch = None
        if drift_detector is not None:
            self._watch = DriftWatch(
                drift_detector, warning_detector, grace_period, relearn_period, window_size
            )
        self._learner: Learner = Learner(
            Settings(
                strength=smoothing_strength(smoothing),
                n_bins=n_bins,
                discretizer=discretizer,
                nominal_attributes=nominal_attributes or (),
                max_categories=max_categories,
                window_size=window_size,
                grace_period=grace_period,
                relearn_period=relearn_period,
                half_life=half_life,
                forget=forget,
                max_size=max_size,
                counts=counts,
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
        first = self._watched(row, label) if self._watch is not None else NO_DRIFT
        if fresh:
            row = learner.take_in(row, fresh)
        if label < 0:
            label = learner.take_label(y)
        store = learner.store
        kernel: Any = learn_event_at_once if learner.at_once else learn_noted
        if not kernel(row, label, w, store.n_events, *learner.learn_arrays):
            learner.open_slots(row[:, None])
            # the pairs may have given way to the new slots
            kernel = learn_event_at_once if learner.at_once else learn_noted
            kernel(row, label, w, store.n_events, *learner.learn_arrays)
        store.n_events += 1
        if learner.at_once:
            store.n_paired += 1
        if store.n_events == learner.due:
            learner.maintain(self._learn_structure)
        if first != NO_DRIFT:
            learner.restart(first, self._learn_structure)

    def _watched(self, row: np.ndarray, label: int) -> int:
        """Feed the detectors with an event about to be learned; return the first one to keep."""
        learner = self._learner
        if self._watch is None or not learner.labels:
            return NO_DRIFT
        error = int(np.argmax(self._answer(row))) != label
        drop_latest(learner)
        return self._watch.update(error, learner.store.n_events)

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
        columns, labels, weights = read_rows(X, y, w)
        columns = {name: columns[name] for name in learner.welcome(columns)}
        if self._watch is not None:
            self._learn_rows(columns, labels, weights)
            return
        learner.expect(len(weights))
        learner.learn_frame(columns, labels, weights, self._learn_structure)

    def _learn_rows(self, columns: Columns, labels: Labels, weights: np.ndarray) -> None:
        """Learn checked rows one by one, since each is predicted first."""
        learner = self._learner
        for r, y in enumerate(labels.one_by_one()):
            part = slice(r, r + 1)
            block = {name: column.rows(part) for name, column in columns.items()}
            row = np.ascontiguousarray(learner.raw_rows(block, 1)[:, 0])
            first = self._watched(row, learner.label_index.get(y, -1))
            learner.learn_frame(block, labels.rows(part), weights[part], self._learn_structure)
            if first != NO_DRIFT:
                learner.restart(first, self._learn_structure)

    def relearn(self) -> None:
        """Recode the features and relearn the structure now.

        Cut points and slots are chosen anew while the window still holds every event, so that
        no count is lost; afterwards they stay, and the structure is learned from all counts.
        """
        drop_latest(self._learner)
        self._learner.relearn(self._learn_structure)

    # Prediction --------------------------------------------------------------------------------

    def _posterior(self, row: np.ndarray) -> np.ndarray:
        return self._learner.posterior(row)

    def _answer(self, row: np.ndarray) -> np.ndarray:
        """Return the posterior (m,) of a raw row; what learning will ask again is remembered."""
        if self._watch is None:
            return self._posterior(row)
        return recall(self._learner, row, self._posterior)

    @property
    def _rows_worth_a_thread(self) -> int:
        return max(LEAST_ROWS, _MEMBERS_WORTH_A_THREAD // len(self._learner.program.levels))

    def _frame_posteriors(self, raw: np.ndarray) -> np.ndarray:
        return self._posteriors(self._refine(self._learner.coder.code(raw)))

    def _frame_joints(self, raw: np.ndarray) -> np.ndarray:
        return self._log_joints(self._refine(self._learner.coder.code(raw)))

    def _frame_codes(self, X: Any) -> np.ndarray:
        return self._refine(self._learner.coder.code(self._frame_rows(X)))

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
        return like_frame(X, self._learner.labels, self._in_slices(self._frame_joints, X))

    def _codes(self, x: Mapping[Hashable, Any]) -> np.ndarray:
        """Return the codes of an event as a block of one."""
        learner = self._learner
        return self._refine(learner.coder.code(learner.encoder.row(x)[:, None]))

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
        classes, unit = learner.store.singles.classes, learner.store.clock[UNIT]
        return float(
            m_estimate(classes[learner.label_index[c]], classes.sum(), len(learner.labels), unit)
        )

    # Insight -----------------------------------------------------------------------------------

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
