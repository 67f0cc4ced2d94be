"""What a model has learned: features, counts and a structure, and how they grow together."""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Hashable
from typing import Any, NamedTuple

import numpy as np

from river_kdb.addresses import addresses_of
from river_kdb.counts.pairs import Pairs
from river_kdb.counts.store import CountStore
from river_kdb.counts.translation import Translation
from river_kdb.event import predict_event, predict_event_by_all
from river_kdb.features.agreement import Coding, take_slots, take_values
from river_kdb.features.boxes import unbox_array
from river_kdb.features.coder import Coder
from river_kdb.features.column import Columns, rows_of
from river_kdb.features.frame import brings_news, learn_columns, settle_nominal
from river_kdb.frames import Labels
from river_kdb.growing import Growing
from river_kdb.inference.program import is_ensemble, make_program, plan_families
from river_kdb.inference.static import log_joint_block, member_posteriors, posterior_block
from river_kdb.information import class_information
from river_kdb.structure.structure import Structure, arcs, moved_features, no_arcs

_MIB = 2**20

StructureLearner = Callable[["Learner", np.ndarray], Structure]
"""Gives the structure for the counts of a learner and I(X_i; C) of every feature (n,)."""


Measures = Callable[[Pairs, int, int], np.ndarray]
"""Measures something on pairs, given the number of features and of classes."""


class Settings(NamedTuple):
    """Parameters of a model, as the learner needs them.

    Attributes
    ----------
    strength
        Smoothing, as the kernels take it.
    n_bins, discretizer, nominal_attributes, max_categories, window_size, grace_period
        As in the models.
    relearn_period, half_life, forget, max_size, counts
        As in the models.
    skip_missing
        Whether missing values are left out.
    wants_pairs
        Whether the structure is learned from the counts of pairs.
    wants_triples
        Whether features may have two parents that change.
    at_once
        Whether pairs and sets of events are to be up to date at every prediction.
    pairs_share
        Share of the memory left by window and singles that the pairs may take.
    """

    strength: float
    n_bins: int
    discretizer: str
    nominal_attributes: Collection[Hashable]
    max_categories: int
    window_size: int
    grace_period: int
    relearn_period: int
    half_life: float | None
    forget: str | None
    max_size: float
    counts: str
    skip_missing: bool
    wants_pairs: bool
    wants_triples: bool
    at_once: bool
    pairs_share: float


class Learner(Growing):
    """What a model has learned, and how it grows.

    Every event goes through `learn_event` and `posterior` with the arrays kept ready here; what
    is rare has a method.

    Parameters
    ----------
    settings
        Parameters of the model.
    """

    def __init__(self, settings: Settings) -> None:
        super().__init__(
            settings.nominal_attributes,
            settings.grace_period,
            settings.relearn_period,
            settings.max_size,
        )
        self.settings = settings
        self.coder = Coder(settings.max_categories, settings.skip_missing)
        self.store = CountStore(
            settings.window_size,
            settings.max_size * _MIB,
            settings.wants_pairs,
            settings.wants_triples,
            settings.at_once,
            settings.half_life,
            settings.forget,
            settings.counts,
        )
        self.structure = no_arcs(0)
        self.program = make_program(self.structure, np.empty((1, 0, 0), dtype=np.int32))
        self.has_structure = False
        self.bind()

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        del state["learn_arrays"], state["noted_arrays"], state["noted"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.bind()

    def bind(self) -> None:
        """Gather the arrays that the kernels of an event take."""
        store, program = self.store, self.program
        self.due = self.schedule.next_due(store.n_events, store.limit)
        if store.capacity < store.limit:
            self.due = min(self.due, store.capacity)
        if store.renormalise_at is not None:
            self.due = min(self.due, max(store.renormalise_at, store.n_events + 1))
        members = (program.levels, program.roots, program.weights)
        counts = (*store.singles, *store.families)
        # kept, since an address keeps nothing alive
        self.noted_arrays = (*self.coder.tables, *store.window, *counts, *members)
        self.noted = addresses_of(self.noted_arrays)
        self.learn_arrays: tuple[Any, ...] = (self.noted,)
        self.at_once = self.settings.at_once and store.pairs is not None
        if self.at_once and store.pairs is not None:
            self.learn_arrays = (*self.coder.tables, *store.window, *counts)
            self.learn_arrays += (*store.bitsets[:6], *store.pairs)
        self.by_all = bool(is_ensemble(program))

    # What events bring -------------------------------------------------------------------------

    def _has_room_for_feature(self, n_before: int) -> bool:
        return self.store.can_take_feature(n_before)

    def open_slots(self, raw: np.ndarray) -> None:
        """Open a slot for every value of raw rows that has none.

        Parameters
        ----------
        raw
            float64 array of shape (n_features, n_rows).
        """
        self.coder.open_slots(raw, self.encoder.kinds)
        self._make_room()

    def _insert(self, names: list[Hashable]) -> None:
        if not names:
            return
        indices = np.array(sorted(self.encoder.index[name] for name in names), dtype=np.int64)
        if self.store.n_events > self.store.limit_for(self.store.n_features + len(names)):
            self.keep_history()
        slots = self.coder.insert(indices, missing_so_far=self.store.n_events > 0)
        where = self.store.insert_features(indices, slots)
        self.use(moved_features(self.structure, where, self.store.n_features))
        if self.store.limit < self.settings.window_size:
            self.note("window", f"the window holds {self.store.limit} events")
        self._make_room()

    def _make_room(self) -> None:
        before = len(self.store.keys)
        if self.is_frozen:
            self.store.fit(self.coder.n_slots)
        self.store.make_room(self.coder.n_slots, len(self.labels))
        if len(self.store.keys) < before:
            self.use(self.structure)
        self.bind()
        self._note_tables()

    def expect(self, n_events: int) -> None:
        """Give the window room for events about to come.

        Parameters
        ----------
        n_events
            How many.
        """
        self.store.widen_window(n_events)
        self.bind()
        self._note_tables()

    def learn_frame(
        self,
        columns: Columns,
        labels: Labels,
        weights: np.ndarray,
        learn_structure: StructureLearner,
    ) -> None:
        """Learn the rows of a frame.

        Parameters
        ----------
        columns
            Columns of the frame by name, all welcome.
        labels
            Their labels, checked.
        weights
            Their weights, all above 0.
        learn_structure
            Learns the structure when it is due.
        """
        columns = settle_nominal(self.encoder, columns)
        start = 0
        while start < len(weights):
            raw = self._raw_from(start, columns, len(weights))
            end, first = start + raw.shape[1], start
            while start < end:
                part = slice(start, min(end, start + self.due - self.store.n_events))
                block = np.ascontiguousarray(raw[:, start - first : part.stop - first])
                self._learn_block(block, labels.rows(part), weights[part])
                start = part.stop
                if self.store.n_events == self.due:
                    self.maintain(learn_structure)

    def _raw_from(self, start: int, columns: Columns, n_rows: int) -> np.ndarray:
        """Learn what is new in some rows from one on, and return them raw (n, b)."""
        new = [name for name in columns if name not in self.encoder.index]
        self.take_features(new)
        # categories may be forgotten when the window has turned
        turn = self.schedule.next_turn(self.store.n_events, self.store.limit)
        n_ready = min(n_rows - start, turn - self.store.n_events)
        block = rows_of(columns, slice(start, start + n_ready))
        if brings_news(self.encoder, block):
            # a recoding before they come must not know of them
            n_ready = min(n_ready, self.due - self.store.n_events)
            block = rows_of(columns, slice(start, start + n_ready))
            learn_columns(self.encoder, block)
        return self.raw_rows(block, n_ready)

    def _learn_block(self, raw: np.ndarray, labels: Labels, weights: np.ndarray) -> None:
        """Learn raw rows (n, b) between which nothing is due."""
        for label in labels.those_not_in(self.label_index):
            self.take_label(label)
        codes = np.empty(raw.shape, dtype=np.int16)
        if self.coder.code_into(raw, codes):
            self.open_slots(raw)
            self.coder.code_into(raw, codes)
        self.store.add_block(raw, codes, labels.indices(self.label_index), weights)

    # Coding ------------------------------------------------------------------------------------

    @property
    def is_frozen(self) -> bool:
        """Whether cut points, slots and structure stay as they are."""
        return self.coder.is_frozen

    def freeze(self) -> None:
        """Let cut points, slots and structure stay as they are: from now on only counts change."""
        self.coder.freeze()
        self.schedule.stop()
        self._make_room()

    def take_coding(self, other: Learner, with_structure: bool) -> None:
        """Take over the coding of another learner, which is frozen, before the first event.

        Parameters
        ----------
        other
            The other one.
        with_structure
            Whether to take over its structure too; the settings are the same then.
        """
        self.encoder, self.coder = copy.deepcopy((other.encoder, other.coder))
        self.labels, self.label_index = list(other.labels), dict(other.label_index)
        self.schedule.stop()
        self.store.lay_out(other.store, with_structure)
        self.has_structure = with_structure and other.has_structure
        self.use(other.structure if with_structure else no_arcs(self.store.n_features))
        self._make_room()

    @property
    def coding(self) -> Coding:
        """How features are coded."""
        singles = self.store.singles
        counted = [
            other >= 0 and singles.totals[first + other] > 0.0
            for first, other in zip(singles.start.tolist(), self.coder.other, strict=True)
        ]
        return Coding(self.encoder, self.coder, np.array(counted, dtype=np.bool_))

    def take_slots(self, other: Learner) -> Translation:
        """Open all slots and classes of another learner, whose coding agrees.

        Parameters
        ----------
        other
            The other one, which knows all features of this one.

        Returns
        -------
        What its codes mean here.
        """
        for label in other.labels:
            if label not in self.label_index:
                self.take_label(label)
        features = [other.encoder.index[name] for name in self.encoder.names]
        mine, theirs, slots = self.coding, other.coding, []
        for i, j in enumerate(features):
            take_values(mine, i, theirs, j)
            slots.append(take_slots(mine, i, theirs, j))
        self.coder.renew_tables()
        self._make_room()
        classes = [self.label_index[label] for label in other.labels]
        return Translation(
            np.array(features, dtype=np.int64), slots, np.array(classes, dtype=np.int64)
        )

    # Rare work ---------------------------------------------------------------------------------

    def maintain(self, learn_structure: StructureLearner) -> None:
        """Do what is due after the present event.

        Parameters
        ----------
        learn_structure
            Learns the structure when it is due.
        """
        store, schedule = self.store, self.schedule
        t, limit = store.n_events, store.limit
        turned = schedule.turned(t, limit)
        store.renormalise()
        if turned:
            store.drop_residues()
        due = schedule.recode_due(t, limit) or (turned and self.settings.forget == "window")
        if due and store.exact:
            self._recode()
        if schedule.relearn_due(t):
            self._relearn(learn_structure)
        if turned:
            self.keep_history()
            self.forget_categories()
        store.widen_window(1)
        self.bind()
        self._note_tables()

    def relearn(self, learn_structure: StructureLearner) -> None:
        """Recode, while the window still holds every event, and relearn now.

        Parameters
        ----------
        learn_structure
            Learns the structure.
        """
        if self.store.exact:
            self._recode()
        self._relearn(learn_structure, "call")
        if self.store.n_events >= self.store.limit:
            self.keep_history()
        self.bind()
        self._note_tables()

    def restart(self, first: int, learn_structure: StructureLearner) -> None:
        """Forget all events before one, recode and relearn: the concept has drifted.

        From that event on the schedule runs as from the first of a stream. There is no structure
        until `grace_period` events are there again.

        Parameters
        ----------
        first
            Number of the first event that counts; one that the window has lost stands for the
            oldest that it holds.
        learn_structure
            Learns the structure.
        """
        store, before = self.store, arcs(self.structure)
        first = max(first, store.n_events - store.n_held)
        store.forget_before(first)
        self.structure, self.has_structure = no_arcs(store.n_features), False
        self._recode()
        self.use(self.structure)
        self.schedule.restart(first)
        self.schedule.recode_due(store.n_events, store.limit)
        if self.schedule.relearn_due(store.n_events):
            self._renew_structure(learn_structure)
        self.note_change("drift", before)
        self.bind()
        self._note_tables()

    def keep_history(self) -> None:
        """Count in pairs and triples what the window is about to lose."""
        self.keep_pairs()
        self.store.open_triples()
        self.store.sync_triples()

    def keep_pairs(self) -> None:
        """Count all events in the pairs, which are opened if need be."""
        self.store.open_pairs(self.information(), self.settings.pairs_share)
        self.store.sync_pairs()

    def _recode(self) -> None:
        store, coder = self.store, self.coder
        if coder.is_frozen or not store.n_events or coder.is_settled(self.encoder.kinds):
            return
        at = _as_slice(store.held_places())
        raw = np.ascontiguousarray(store.window.raw[:, at])
        coder.refit(
            raw,
            store.window.labels[at],
            store.window.weights[at],
            self.encoder.kinds,
            (self.settings.discretizer, self.settings.n_bins),
        )
        store.window.codes[:, at] = coder.code(raw)
        opened = store.pairs is not None
        store.rebuild(coder.n_slots)
        if opened and self.settings.at_once:
            store.open_pairs(self.information(), self.settings.pairs_share)
        self.use(self.structure)

    def _relearn(self, learn_structure: StructureLearner, reason: str = "schedule") -> None:
        old = self.structure
        self._renew_structure(learn_structure)
        if reason == "schedule" and _same_arcs(old, self.structure):
            return
        self.note_change(reason, arcs(old))

    def note_change(self, reason: str, before: list[tuple[int, int]]) -> None:
        """Keep in the history how the structure has changed.

        Parameters
        ----------
        reason
            Why, see `StructureChange`.
        before
            The arcs that there were.
        """
        after, names = arcs(self.structure), self.encoder.names
        self.history.note(self.store.n_events, reason, names, before, after)

    def _renew_structure(self, learn_structure: StructureLearner) -> None:
        store = self.store
        information = self.information()
        self.keep_pairs()
        structure = learn_structure(self, information) if store.n_features else no_arcs(0)
        self.has_structure = store.n_events > 0
        self.n_relearns += 1
        if np.array_equal(structure.parents, self.structure.parents):
            self.structure = structure
            self.program = make_program(structure, self.program.levels)
        else:
            self.use(structure)

    def use(self, structure: Structure) -> None:
        """Take a structure into use, with tables of the families that it needs.

        Parents whose tables don't fit are dropped from it.

        Parameters
        ----------
        structure
            The structure.
        """
        store = self.store
        keys, levels, lost = plan_families(structure, store.layout, store.families_budget())
        store.use(keys)
        if lost:
            fitting = np.where(levels == -1, -1, structure.parents).astype(np.int16)
            structure = structure._replace(parents=fitting)
            self.note("parents", "some weak parents are left out")
        self.structure = structure
        self.program = make_program(structure, levels)

    def _note_tables(self) -> None:
        """Keep for the summary which tables are less than the model wants."""
        store = self.store
        if store.pairs is None:
            return
        if len(store.pairs.members) < store.n_features:
            few = f"{len(store.pairs.members)} of {store.n_features} features"
            self.note("pairs", f"{few} keep pairs, the rest are naive Bayes factors")
        else:
            self.notes.pop("pairs", None)
        if self.at_once and not store.keeps_sets:
            self.note("sets", "no sets of events: an event's own network has one parent a feature")
        else:
            self.notes.pop("sets", None)

    def forget_categories(self) -> None:
        """Drop the categories that are neither in the window nor have a slot."""
        for i, vocabulary in enumerate(self.encoder.vocabularies):
            if len(vocabulary) > self.coder.n_own[i]:
                ids = unbox_array(self.store.window.raw[i])
                keep = set(np.unique(ids).tolist()) | self.coder.slotted_ids(i)
                self.encoder.forget(i, keep)

    # What is known -----------------------------------------------------------------------------

    def information(self) -> np.ndarray:
        """Return I(X_i; C) of every feature (n,)."""
        return class_information(self.store.singles, self.store.layout.caps, len(self.labels))

    def measure(self, measures: Measures) -> np.ndarray:
        """Return what is measured on the counts of pairs.

        Parameters
        ----------
        measures
            One of the measures of `information` that go through all pairs.
        """
        return self.store.measure(measures, len(self.labels))

    def posterior(self, row: np.ndarray) -> np.ndarray:
        """Return the posterior (m,) of a raw row.

        Parameters
        ----------
        row
            float64 array of shape (n_features,).
        """
        posterior = np.empty(len(self.labels))
        strength = self.settings.strength
        if self.by_all:
            predict_event_by_all(row, strength, self.program.rule, posterior, self.noted)
        else:
            predict_event(row, strength, posterior, self.noted)
        return posterior

    def posteriors(self, codes: np.ndarray) -> np.ndarray:
        """Return the posteriors (b, m) of a block of codes (n, b).

        Parameters
        ----------
        codes
            int16 array of shape (n_features, n_rows).
        """
        if not self.labels:
            return np.empty((codes.shape[1], 0))
        return posterior_block(*self._tables(codes))

    def member_posteriors(self, codes: np.ndarray) -> np.ndarray:
        """Return the posteriors (T, b, m) of a block of codes (n, b) under each member alone.

        Parameters
        ----------
        codes
            int16 array of shape (n_features, n_rows).
        """
        if not self.labels:
            return np.empty((len(self.program.levels), codes.shape[1], 0))
        return member_posteriors(*self._tables(codes))

    def log_joints(self, codes: np.ndarray) -> np.ndarray:
        """Return the log joints (b, m) of a block of codes (n, b).

        Parameters
        ----------
        codes
            int16 array of shape (n_features, n_rows).
        """
        if not self.labels:
            return np.empty((codes.shape[1], 0))
        return log_joint_block(*self._tables(codes))

    def _tables(self, codes: np.ndarray) -> tuple[Any, ...]:
        store, m = self.store, len(self.labels)
        return self.program, codes, m, store.singles, store.families, self.settings.strength


def _as_slice(places: np.ndarray) -> np.ndarray | slice:
    """Return places in the window as a slice, which is fast, where they are one run."""
    first, stop = int(places[0]), int(places[-1]) + 1
    return slice(first, stop) if stop - first == len(places) else places


def _same_arcs(old: Structure, new: Structure) -> bool:
    """Say whether two structures have the same parents, candidates included."""
    return np.array_equal(old.parents, new.parents) and np.array_equal(
        old.candidates, new.candidates
    )
