"""The face that every model turns to River."""

from __future__ import annotations

import abc
import warnings
from collections.abc import Collection, Hashable, Iterable, Mapping
from typing import Any

import numpy as np
from river import base

from river_kdb.counts.store import CountStore
from river_kdb.counts.window import places
from river_kdb.event import learn_event, predict_event
from river_kdb.explain.debug import debug_text
from river_kdb.explain.summary import Summary, summarise
from river_kdb.features.boxes import unbox_array
from river_kdb.features.coder import Coder
from river_kdb.features.encoder import Encoder, feature_key
from river_kdb.features.frame import (
    Columns,
    learn_columns,
    raw_rows,
    read_frame,
    settle_columns,
)
from river_kdb.frames import like_frame, like_series, read_labels, read_weights
from river_kdb.inference.program import make_program, plan_families
from river_kdb.inference.smoothing import smoothing_strength
from river_kdb.inference.static import log_joint_block, posterior_block
from river_kdb.information import class_information
from river_kdb.parameters import check_common, check_label, check_weight
from river_kdb.schedule import Schedule
from river_kdb.structure import structure as structures
from river_kdb.structure.structure import Structure, arcs, no_arcs

_MIB = 2**20


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
        self._strength = smoothing_strength(smoothing)
        self._labels: list[Hashable] = []
        self._label_index: dict[Hashable, int] = {}
        self._encoder = Encoder(nominal_attributes or ())
        self._coder = Coder(max_categories, missing == "skip")
        self._store = CountStore(
            window_size, max_size * _MIB, self._wants_pairs, self._wants_triples
        )
        self._schedule = Schedule(grace_period, relearn_period)
        self._structure = no_arcs(0)
        self._notes: dict[str, str] = {}
        self._program = make_program(self._structure, np.empty((1, 0, 0), dtype=np.int32))
        self._bind()

    @property
    def _wants_pairs(self) -> bool:
        """Whether the structure is learned from the counts of pairs."""
        return True

    @property
    def _pairs_share(self) -> float:
        """Share of the memory left by window and singles that the pairs may take."""
        return 0.5

    @property
    def _wants_triples(self) -> bool:
        """Whether features may have two parents that change."""
        return False

    @abc.abstractmethod
    def _learn_structure(self, information: np.ndarray) -> Structure:
        """Return the structure for the counts as they are.

        Parameters
        ----------
        information
            float array of shape (n_features,): I(X_i; C).
        """

    # River ---------------------------------------------------------------------------------

    @property
    def _multiclass(self) -> bool:
        return True

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        del state["_learn_arrays"], state["_predict_arrays"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._bind()

    def _bind(self) -> None:
        """Gather the arrays that the two kernels of an event take."""
        store, program = self._store, self._program
        self._due = self._schedule.next_due(store.n_events, store.limit)
        if store.capacity < store.limit:
            self._due = min(self._due, store.capacity)
        tables = (*self._coder.tables,)
        counts = (*store.singles, *store.families)
        self._learn_arrays = (*tables, *store.window, *counts)
        members = (program.levels, program.roots, program.weights)
        self._predict_arrays = (self._strength, program.rule, *tables, *counts, *members)

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
        try:
            label = self._label_index[y]
        except (KeyError, TypeError):
            y, label = check_label(y), -1
        if w != 1.0:
            w = check_weight(w)
        row, fresh = self._encoder.prepare(x)
        if w == 0.0:
            return
        if fresh:
            row = self._take_in(row, fresh)
        if label < 0:
            label = self._take_label(y)
        store = self._store
        if not learn_event(row, label, w, store.n_events, *self._learn_arrays):
            self._open_slots(row[:, None])
            learn_event(row, label, w, store.n_events, *self._learn_arrays)
        store.n_events += 1
        if store.n_events == self._due:
            self._maintain()

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
        columns, n_rows = read_frame(X)
        labels = read_labels(y, n_rows)
        weights = read_weights(w, n_rows)
        if not weights.all():
            kept = np.flatnonzero(weights)
            columns = {name: column.rows(kept) for name, column in columns.items()}
            labels, weights = [labels[r] for r in kept], weights[kept]
        columns = {name: columns[name] for name in self._welcome(columns)}
        start = 0
        while start < len(labels):
            stop = min(len(labels), start + self._due - self._store.n_events)
            part = slice(start, stop)
            block = columns
            if stop - start < len(labels):
                block = {name: column.rows(part) for name, column in columns.items()}
            self._learn_block(block, labels[part], weights[part])
            start = stop

    def _learn_block(self, columns: Columns, labels: list[Hashable], weights: np.ndarray) -> None:
        """Learn rows between which nothing is due."""
        if not self._encoder.index.keys() >= columns.keys():
            new = [name for name in columns if name not in self._encoder.index]
            self._encoder.add_features(new)
            self._insert(new)
        learn_columns(self._encoder, columns)
        raw = raw_rows(self._encoder, settle_columns(self._encoder, columns), len(labels))
        for label in dict.fromkeys(labels):
            if label not in self._label_index:
                self._take_label(label)
        codes = np.empty(raw.shape, dtype=np.int16)
        if self._coder.code_into(raw, codes):
            self._open_slots(raw)
            self._coder.code_into(raw, codes)
        index = np.array([self._label_index[label] for label in labels], dtype=np.int32)
        capacity = self._store.capacity
        self._store.add_block(raw, codes, index, weights)
        if self._store.n_events == self._due:
            self._maintain()
        elif self._store.capacity > capacity:
            self._bind()

    def relearn(self) -> None:
        """Recode the features and relearn the structure now.

        Cut points and slots are chosen anew while the window still holds every event, so that
        no count is lost; afterwards they stay, and the structure is learned from all counts.
        """
        if self._store.exact:
            self._recode()
        self._relearn()
        self._bind()

    # What learning brings --------------------------------------------------------------------

    def _welcome(self, names: Iterable[Hashable]) -> list[Hashable]:
        """Return the names of known features and of the new ones that there is memory for."""
        welcome: list[Hashable] = []
        for name in sorted(names, key=feature_key):
            if name in self._encoder.index or self._store.can_take_feature(len(welcome)):
                welcome.append(name)
            else:
                self._note(
                    "features",
                    f"max_size={self.max_size}: no memory for more features, new ones are ignored",
                )
        return welcome

    def _take_in(self, row: np.ndarray, fresh: list[tuple[Hashable, Any]]) -> np.ndarray:
        names = self._welcome([name for name, _ in fresh])
        fresh = [(name, value) for name, value in fresh if name in names]
        new = [name for name in names if name not in self._encoder.index]
        row = self._encoder.register(fresh, row)
        self._insert(new)
        return row

    def _insert(self, names: list[Hashable]) -> None:
        for i in sorted(self._encoder.index[name] for name in names):
            slot = self._coder.insert(i, missing_so_far=self._store.n_events > 0)
            self._store.insert_feature(i, slot)
            self._use(structures.insert_feature(self._structure, i))
        if self._store.limit < self.window_size:
            self._note(
                "window", f"max_size={self.max_size}: the window holds {self._store.limit} events"
            )
        if names:
            self._bind()

    def _take_label(self, y: Hashable) -> int:
        self._label_index[y] = len(self._labels)
        self._labels.append(y)
        self._make_room()
        return self._label_index[y]

    def _open_slots(self, raw: np.ndarray) -> None:
        self._coder.open_slots(raw, self._encoder.kinds)
        self._make_room()

    def _make_room(self) -> None:
        before = len(self._store.keys)
        self._store.make_room(self._coder.n_slots, len(self._labels))
        if len(self._store.keys) < before:
            self._use(self._structure)
        self._bind()

    # Rare work -------------------------------------------------------------------------------

    def _maintain(self) -> None:
        store = self._store
        t, limit = store.n_events, store.limit
        if self._schedule.recode_due(t, limit) and store.exact:
            self._recode()
        if self._schedule.relearn_due(t):
            self._relearn()
        if t % limit == 0:
            store.open_pairs(self._information(), self._pairs_share)
            store.open_triples()
            store.sync_pairs()
            store.sync_triples()
            self._forget_categories()
        store.widen_window(1)
        self._bind()

    def _recode(self) -> None:
        store, coder = self._store, self._coder
        if not store.n_events or coder.is_settled(self._encoder.kinds):
            return
        at = places(store.window, store.n_events)
        raw = np.ascontiguousarray(store.window.raw[:, at])
        coder.refit(
            raw,
            store.window.labels[at],
            store.window.weights[at],
            self._encoder.kinds,
            (self.discretizer, self.n_bins),
        )
        store.window.codes[:, at] = coder.code(raw)
        store.rebuild(coder.n_slots)
        self._use(self._structure)

    def _relearn(self) -> None:
        store = self._store
        information = self._information()
        store.open_pairs(information, self._pairs_share)
        store.sync_pairs()
        self._use(self._learn_structure(information) if store.n_features else no_arcs(0))

    def _use(self, structure: Structure) -> None:
        store = self._store
        keys, levels, lost = plan_families(structure, store.layout, store.families_budget())
        store.use(keys)
        if lost:
            fitting = np.where(levels >= 0, structure.parents, -1).astype(np.int16)
            structure = structure._replace(parents=fitting)
        self._structure = structure
        self._program = make_program(structure, levels)
        if lost:
            self._note("parents", f"max_size={self.max_size}: some weak parents are left out")
        if store.pairs is not None and len(store.pairs.members) < store.n_features:
            self._note(
                "pairs",
                f"max_size={self.max_size}: {len(store.pairs.members)} of {store.n_features}"
                " features keep pairs, the rest are naive Bayes factors",
            )

    def _information(self) -> np.ndarray:
        store = self._store
        return class_information(store.singles, store.layout.caps, len(self._labels))

    def _forget_categories(self) -> None:
        """Drop the categories that are neither in the window nor have a slot."""
        for i, vocabulary in enumerate(self._encoder.vocabularies):
            if len(vocabulary) > self._coder.n_own[i]:
                ids = unbox_array(self._store.window.raw[i])
                keep = set(np.unique(ids).tolist()) | self._coder.slotted_ids(i)
                self._encoder.forget(i, keep)

    def _note(self, topic: str, text: str) -> None:
        """Keep for `summary` what was left out for want of memory, and warn the first time."""
        if not self._notes:
            warnings.warn(text, UserWarning, stacklevel=2)
        self._notes[topic] = text

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
        row = self._encoder.row(x)
        if not self._labels:
            return {}
        return dict(zip(self._labels, self._posterior(row).tolist(), strict=True))

    def predict_one(self, x: Mapping[Hashable, Any], **kwargs: Any) -> Any:
        """Return the most probable label, or None before the first event.

        Parameters
        ----------
        x
            The event.
        """
        row = self._encoder.row(x)
        return self._labels[int(self._posterior(row).argmax())] if self._labels else None

    def _posterior(self, row: np.ndarray) -> np.ndarray:
        return predict_event(row, len(self._labels), *self._predict_arrays)

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
        return like_frame(X, self._labels, self._posteriors(codes))

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
        if not self._labels:
            return like_series(X, [None] * codes.shape[1])
        best = self._posteriors(codes).argmax(axis=1)
        return like_series(X, [self._labels[c] for c in best])

    def joint_log_likelihood(self, x: Mapping[Hashable, Any]) -> dict[Any, float]:
        """Return log P(c, x) of every class; of an ensemble the logarithm of its weighted sum.

        Parameters
        ----------
        x
            The event.
        """
        codes = self._codes(x)
        if not self._labels:
            return {}
        scores = self._log_joints(codes)[0]
        return dict(zip(self._labels, scores.tolist(), strict=True))

    def joint_log_likelihood_many(self, X: Any) -> Any:
        """Return log P(c, x) of every class for the rows of a frame.

        Parameters
        ----------
        X
            A pandas, polars or pyarrow frame.
        """
        codes = self._frame_codes(X)
        return like_frame(X, self._labels, self._log_joints(codes))

    def _block_arguments(self, codes: np.ndarray) -> tuple[Any, ...]:
        store, m = self._store, len(self._labels)
        return self._program, codes, m, store.singles, store.families, self._strength

    def _codes(self, x: Mapping[Hashable, Any]) -> np.ndarray:
        """Return the codes of an event as a block of one."""
        return self._refine(self._coder.code(self._encoder.row(x)[:, None]))

    def _posteriors(self, codes: np.ndarray) -> np.ndarray:
        if not self._labels:
            return np.empty((codes.shape[1], 0))
        return posterior_block(*self._block_arguments(codes))

    def _log_joints(self, codes: np.ndarray) -> np.ndarray:
        return log_joint_block(*self._block_arguments(codes))

    def _frame_codes(self, X: Any) -> np.ndarray:
        columns, n_rows = read_frame(X)
        raw = raw_rows(self._encoder, settle_columns(self._encoder, columns), n_rows)
        return self._refine(self._coder.code(raw))

    def _refine(self, codes: np.ndarray) -> np.ndarray:
        """Return the codes (n, b) that the posterior is computed from."""
        return codes

    def p_class(self, c: Hashable) -> float:
        """Return the probability of a class before anything is known of the event.

        Parameters
        ----------
        c
            A label; one never seen has probability 0.
        """
        if c not in self._label_index:
            return 0.0
        classes = self._store.singles.classes
        m = len(self._labels)
        return float((classes[self._label_index[c]] + 1.0 / m) / (classes.sum() + 1.0))

    # Insight -----------------------------------------------------------------------------------

    @property
    def feature_names(self) -> list[Hashable]:
        """Names of the features, in the order of the model."""
        return list(self._encoder.names)

    def structure_edges(self) -> list[tuple[Hashable, Hashable]]:
        """Return the arcs between features, as pairs of a parent and a child."""
        names = self._encoder.names
        return [(names[i], names[j]) for i, j in arcs(self._structure)]

    @property
    def summary(self) -> Summary:
        """How each feature is treated, and the structure in use; `print` it."""
        return summarise(self)

    def debug_one(self, x: Mapping[Hashable, Any]) -> str:
        """Return in words how the posterior of an event comes about.

        Parameters
        ----------
        x
            The event.
        """
        return debug_text(self, x)

    def draw(self) -> Any:
        """Return the structure as a `graphviz.Digraph` (extra `plot`).

        Raises
        ------
        ImportError
            If graphviz's Python package is not installed.
        """
        from river_kdb.plot.graph import structure_graph

        return structure_graph(self)
