"""What a mixture has learned, and how it goes on."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from river_kdb.drift import NO_DRIFT, DriftWatch
from river_kdb.features.boxes import unbox_array
from river_kdb.features.column import Columns
from river_kdb.features.encoder import NUMERIC, UNKNOWN
from river_kdb.features.frame import learn_columns
from river_kdb.growing import Growing
from river_kdb.mixture.banks import due_at, renormalise
from river_kdb.mixture.codings import Codings
from river_kdb.mixture.event import (
    Answer,
    Parts,
    bare_arrays,
    learn_mixture,
    new_answer,
    predict_mixture,
    predict_rows,
)
from river_kdb.mixture.experts import (
    LAG,
    LINEAR,
    QUANTILE,
    Chain,
    Expert,
    chains_of,
    expert_numbers,
    half_lives_of,
    one_bin_chains,
)
from river_kdb.mixture.lags import Lags, new_lags, regrown_lags
from river_kdb.mixture.linear import (
    Linear,
    new_linear,
    regrown_linear,
    rows_of_grown,
    slot_starts,
)
from river_kdb.mixture.mixing import Mixer, new_mixer
from river_kdb.mixture.past import held
from river_kdb.mixture.relations import chained_parents
from river_kdb.mixture.store import MixtureStore
from river_kdb.recall import drop_latest, recall

_MIB = 2**20


class MixtureSettings(NamedTuple):
    """Parameters of a mixture, as the learner needs them.

    Attributes
    ----------
    experts
        The experts.
    pool_rates, pool_steps, last
        See `Mixer`.
    strength
        Smoothing s.
    nominal_attributes, max_categories, window_size, grace_period, relearn_period, max_size
        As in the model.
    skip_missing
        Whether missing values are left out.
    """

    experts: Sequence[Expert]
    pool_rates: Sequence[tuple[float, float]]
    pool_steps: Sequence[float]
    last: tuple[float, float]
    strength: float
    nominal_attributes: Collection[Hashable]
    max_categories: int
    window_size: int
    grace_period: int
    relearn_period: int
    max_size: float
    skip_missing: bool


class MixtureLearner(Growing):
    """What a mixture has learned, and how it goes on.

    Parameters
    ----------
    settings
        Parameters of the mixture.
    watch
        Watches its errors for drifts, or None.
    """

    def __init__(self, settings: MixtureSettings, watch: DriftWatch | None) -> None:
        super().__init__(
            settings.nominal_attributes,
            settings.grace_period,
            settings.relearn_period,
            settings.max_size,
        )
        self.watch = watch
        self.settings = settings
        self.experts = list(settings.experts)
        self.half_lives = half_lives_of(self.experts)
        self.store = MixtureStore(self.half_lives, settings.window_size, settings.max_size * _MIB)
        self.structured = False
        # without numbers all bins are alike, and one chain of each model does for all
        self._choose_chains(one_bin_chains(chains_of(self.experts)))
        self.linear = self._new_linear()
        self.lags = self._new_lags()
        self.mixer = self._new_mixer()
        self.bind()

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        del state["parts"], state["arrays"], state["room"], state["due"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.bind()

    def bind(self) -> None:
        """Gather what the kernels of an event take; what was answered before is void."""
        drop_latest(self)
        store = self.store
        self.due = min(
            self.schedule.next_due(store.n_events, store.limit), due_at(store.banks.clocks)
        )
        if store.capacity < store.limit:
            self.due = min(self.due, store.capacity)
        self.parts = Parts(
            self.codings.tables,
            store.banks,
            self.numbers,
            self.linear,
            self.lags,
            self.mixer,
            self.settings.strength,
        )
        self.arrays = bare_arrays(self.parts)
        self.room = self._new_answer()

    # Experts -----------------------------------------------------------------------------------

    def _choose_chains(self, chains: Sequence[Chain]) -> None:
        self.chains = list(chains)
        self.codings = Codings(
            chains,
            self.settings.max_categories,
            self.settings.skip_missing,
            self.store.n_features,
        )
        self.numbers = expert_numbers(self.experts, chains, self.half_lives)
        depths = np.array([chain.k for chain in chains], dtype=np.int64)
        self.store.banks = self.store.banks._replace(depths=depths)

    def _active(self) -> list[int]:
        """Return the numbers of the experts that have a say."""
        networks = self.numbers[self.numbers >= 0].tolist()
        others = [e for e, expert in enumerate(self.experts) if expert.model in (LINEAR, LAG)]
        return sorted(networks + others)

    def _numbers_of(self, model: str) -> list[int]:
        return [e for e, expert in enumerate(self.experts) if expert.model == model]

    def _new_linear(self) -> Linear:
        numbers = self._numbers_of(LINEAR)
        half_lives = [self.experts[e].half_life for e in numbers]
        caps = self.store.layout.caps[: self.store.n_features]
        return new_linear(numbers, half_lives, caps, self.store.class_capacity)

    def _new_lags(self) -> Lags:
        numbers = self._numbers_of(LAG)
        return new_lags(numbers, [self.experts[e].k for e in numbers], self.store.class_capacity)

    def _new_mixer(self) -> Mixer:
        settings = self.settings
        rates, steps = settings.pool_rates, settings.pool_steps
        return new_mixer(self._active(), len(self.experts), rates, steps, settings.last)

    def _tell_bins_apart(self) -> None:
        """Take all chains into use: there are numbers now."""
        if len(self.chains) == len(chains_of(self.experts)) or NUMERIC not in self.encoder.kinds:
            return
        before, slots, arcs = self.mixer, self.codings.own_slots(), self.arcs()
        self._choose_chains(chains_of(self.experts))
        self.mixer = self._new_mixer()
        twins = {self._kind(e): e for e in before.active.tolist()}
        for e in self.mixer.active.tolist():
            self.mixer.losses[:, e] = before.losses[:, twins.get(self._kind(e), e)]
        self.mixer.pool_losses[:] = before.pool_losses
        self._recode(slots)
        self._note_change("schedule", arcs)

    def _kind(self, e: int) -> tuple[Any, ...]:
        return self.experts[e]._replace(n_bins=1, discretizer=QUANTILE)

    # What events bring -------------------------------------------------------------------------

    def _has_room_for_feature(self, n_before: int) -> bool:
        return self.store.can_take_feature(len(chains_of(self.experts)), n_before)

    def open_slots(self, raw: np.ndarray) -> None:
        """Open a slot for every value of raw rows that has none.

        Parameters
        ----------
        raw
            float64 array of shape (n_features, n_rows).
        """
        self.codings.open_slots(raw, self.encoder.kinds)
        self._make_room()

    def _insert(self, names: list[Hashable]) -> None:
        if names:
            store = self.store
            n = store.n_features + len(names)
            indices = np.array(sorted(self.encoder.index[name] for name in names), dtype=np.int64)
            where = np.delete(np.arange(n), indices)
            slots = self.codings.insert(indices, missing_so_far=store.n_events > 0)
            store.insert_features(where, n, slots, store.banks.depths)
            self._follow(where)
            if store.limit < self.settings.window_size:
                self.note("window", f"the window holds {store.limit} events")
        self._tell_bins_apart()
        self.bind()

    def _make_room(self) -> None:
        self.store.make_room(self.codings.n_slots, len(self.labels))
        self._follow(np.arange(self.store.n_features))
        self.bind()

    def _follow(self, where: np.ndarray, source: np.ndarray | None = None) -> None:
        """Give linear models and lags the room that the counts have.

        Parameters
        ----------
        where
            int array: the new index of every old feature.
        source
            int array: the old row of every slot, -1 for none; None: slots were only added.
        """
        store = self.store
        caps = store.layout.caps[: store.n_features]
        if source is None:
            source = rows_of_grown(self.linear.start, slot_starts(caps), where)
        self.linear = regrown_linear(self.linear, caps, store.class_capacity, where, source)
        if self.lags.counts.shape[2] != store.class_capacity:
            self.lags = regrown_lags(self.lags, store.class_capacity)

    # Events ------------------------------------------------------------------------------------

    def answer(self, row: np.ndarray) -> Answer:
        """Return what the mixture makes of a raw row, worked out once only for the same row.

        Parameters
        ----------
        row
            float64 array of shape (n_features,).
        """
        return self._recall(row)[0]

    def _recall(self, row: np.ndarray) -> tuple[Answer, bool]:
        """Return the answer to a raw row, and whether a value has no slot yet."""
        found: tuple[Answer, bool] = recall(self, row, self._predict)
        return found

    def _predict(self, row: np.ndarray) -> tuple[Answer, bool]:
        return self.room, predict_mixture(row, len(self.labels), *self.arrays, *self.room)

    def _new_answer(self) -> Answer:
        return new_answer(self.parts, len(self.experts), self.store.class_capacity)

    def posterior(self, row: np.ndarray) -> np.ndarray:
        """Return the posterior (m,) of a raw row.

        Parameters
        ----------
        row
            float64 array of shape (n_features,).
        """
        return self.answer(row).posterior[: len(self.labels)]

    def learn_row(self, row: np.ndarray, y: Hashable, weight: float) -> None:
        """Learn an event, which is predicted first by every expert.

        Parameters
        ----------
        row
            float64 array of shape (n_features,): its raw row, with nothing new in it.
        y
            Its label, checked.
        weight
            Its weight, above 0.
        """
        known = len(self.labels)
        answer, unopened = self._recall(row)
        label = self.label_index.get(y, -1)
        first = NO_DRIFT
        if self.watch is not None and known:
            error = int(np.argmax(answer.posterior[:known])) != label
            first = self.watch.update(error, self.store.n_events)
        if unopened:
            # a slot that was never counted has no say, so that the answer stays the same
            self.open_slots(row[:, None])
        if label < 0:
            label = self.take_label(y)
        if unopened or label == known:
            answer = self.answer(row)
        store = self.store
        t, m = store.n_events, len(self.labels)
        learn_mixture(row, label, weight, t, m, known, *self.arrays, *answer, *store.past)
        drop_latest(self)
        store.n_events += 1
        if store.n_events == self.due:
            self.maintain()
        if first != NO_DRIFT:
            self.restart(first)

    def learn_block(
        self, columns: Columns, labels: Sequence[Hashable], weights: np.ndarray
    ) -> None:
        """Learn the rows of a frame one after the other.

        Parameters
        ----------
        columns
            Columns of a frame by name, all welcome.
        labels
            Their labels, checked.
        weights
            Their weights, all above 0.
        """
        start = 0
        while start < len(labels):
            # the row that brings the first number changes what the experts are
            unsure = (
                UNKNOWN in self.encoder.kinds or not columns.keys() <= self.encoder.index.keys()
            )
            stop = min(start + (1 if unsure else self.store.limit), len(labels))
            part = {name: column.rows(slice(start, stop)) for name, column in columns.items()}
            new = [name for name in columns if name not in self.encoder.index]
            self.encoder.add_features(new)
            learn_columns(self.encoder, part)
            self._insert(new)
            rows = np.ascontiguousarray(self.raw_rows(part, stop - start).T)
            for row, y, w in zip(rows, labels[start:stop], weights[start:stop], strict=True):
                turns = self.schedule.turned(self.store.n_events + 1, self.store.limit)
                self.learn_row(row, y, float(w))
                start += 1
                if turns:
                    break  # categories of the rows to come may just have been forgotten

    # Rare work ---------------------------------------------------------------------------------

    def maintain(self) -> None:
        """Do what is due after the present event."""
        store = self.store
        t, limit, before = store.n_events, store.limit, self.arcs()
        renormalise(store.banks, t)
        # after a drift new bins wait until the window is full of later events
        origin = self.schedule.origin
        settled = origin == 0 or t - origin >= limit
        recodes = self.schedule.recode_due(t, limit) and store.exact and settled
        relearns = self.schedule.relearn_due(t)
        self.structured |= relearns
        self.n_relearns += relearns
        if recodes:
            self._recode(self.codings.own_slots())
        elif relearns:
            self._relearn()
        if recodes or relearns:
            self._note_change("schedule", before)
        if self.schedule.turned(t, limit):
            self._forget_categories()
        store.widen_window(1)
        self.bind()

    def relearn(self) -> None:
        """Recode, while the window still holds every event, and relearn now."""
        before = self.arcs()
        self.structured = self.store.n_events > 0
        self.n_relearns += 1
        if self.store.exact:
            self._recode(self.codings.own_slots())
        else:
            self._relearn()
        self._note_change("call", before)
        self.bind()

    def restart(self, first: int) -> None:
        """Let what never fades begin anew with event number `first`, and relearn from there on.

        Parameters
        ----------
        first
            Number of the event.
        """
        store, before = self.store, self.arcs()
        since = store.n_events - store.n_held
        first = max(first, since)
        codes = self._held_codes()
        store.forget_before(first, codes, since)
        self.schedule.restart(first)
        self.schedule.recode_due(store.n_events, store.limit)
        self.schedule.relearn_due(store.n_events)
        self.structured = True
        self.n_relearns += 1
        store.use(self._parents(codes), codes, since)
        self._note_change("drift", before)
        self.bind()

    def _held_codes(self) -> np.ndarray:
        """Return the codes (V, n_held) of the events held."""
        return self.codings.code(held(self.store.past, 0, self.store.n_events).raw)

    def _recode(self, before: Sequence[Mapping[object, int]]) -> None:
        """Choose cut points and slots anew, and learn structures once there are any.

        `before` are the slots there were, see `own_slots`.
        """
        store, kinds = self.store, self.encoder.kinds
        old_start = self.linear.start
        events = held(store.past, 0, store.n_events)
        self.codings.refit(*events, kinds)
        after, n_slots = self.codings.own_slots(), self.codings.n_slots
        depths = np.array([chain.k for chain in self.chains], dtype=np.int64)
        codes = self.codings.code(events.raw)
        store.rebuild(n_slots, self._parents(codes), depths, codes)
        start = slot_starts(store.layout.caps[: store.n_features])
        source = np.full(int(start[-1]), -1, dtype=np.int64)
        for i, (old, new) in enumerate(zip(before, after, strict=True)):
            for what, slot in new.items():
                if what in old:
                    source[start[i] + slot] = old_start[i] + old[what]
        self._follow(np.arange(store.n_features), source)

    def _relearn(self) -> None:
        """Learn the structures."""
        store, codes = self.store, self._held_codes()
        store.use(self._parents(codes), codes, store.n_events - store.n_held)

    def _note_change(self, reason: str, before: list[tuple[int, int]]) -> None:
        after, names = self.arcs(), self.encoder.names
        self.history.note(self.store.n_events, reason, names, before, after)

    def _parents(self, codes: np.ndarray) -> np.ndarray:
        """Return the parents (V, k) learned from the events held since the last drift.

        `codes` (V, n_held) are those of all events held.
        """
        depth = max((chain.k for chain in self.chains), default=0)
        if not self.structured:
            return np.full((len(codes), depth), -1, dtype=np.int16)
        store = self.store
        latest = held(store.past, self.schedule.origin, store.n_events)
        return chained_parents(
            self.chains,
            self.codings.n_slots,
            codes[:, codes.shape[1] - len(latest.labels) :],
            latest.labels,
            latest.weights,
            store.max_bytes / 4,
        )

    def _forget_categories(self) -> None:
        """Drop the categories that are neither in the window nor have a slot."""
        for i, vocabulary in enumerate(self.encoder.vocabularies):
            own = [coder.n_own[i] for coder in self.codings.coders]
            if len(vocabulary) > max(own):
                keep = set(np.unique(unbox_array(self.store.past.raw[i])).tolist())
                for coder in self.codings.coders:
                    keep |= coder.slotted_ids(i)
                self.encoder.forget(i, keep)

    # What is known -----------------------------------------------------------------------------

    def arcs(self, chain: int | None = None, k: int | None = None) -> list[tuple[int, int]]:
        """Return the arcs of a network, as pairs of a parent and a child; or those of all.

        Parameters
        ----------
        chain
            Number of its chain; None for all.
        k
            Parents of a feature, at most; None for all.
        """
        n = self.store.n_features
        parents = self.store.parents[:, :k]
        if chain is not None:
            parents = parents[chain * n : (chain + 1) * n]
        child, place = np.nonzero(parents >= 0)
        found = zip((parents[child, place] % n).tolist(), (child % n).tolist(), strict=True)
        return sorted(set(found))

    def networks(self) -> list[Expert]:
        """Return the networks that have a say."""
        return [self.experts[e] for e in sorted(self.numbers[self.numbers >= 0].tolist())]

    def arcs_of(self, expert: Expert) -> list[tuple[int, int]]:
        """Return the arcs of an expert, as pairs of a parent and a child; only networks have any.

        Parameters
        ----------
        expert
            The expert.

        Raises
        ------
        ValueError
            If there is no such expert, or it has no say.
        """
        number = self.experts.index(expert) if expert in self.experts else -1
        if number not in self.mixer.active:
            raise ValueError(f"{expert} is none of the experts that have a say")
        chain, k, _ = np.nonzero(self.numbers == number)
        return self.arcs(int(chain[0]), int(k[0])) if len(chain) else []

    def posteriors(self, raw: np.ndarray) -> np.ndarray:
        """Return the posteriors (b, m) of raw rows (n, b).

        Parameters
        ----------
        raw
            float64 array of shape (n_features, n_rows).
        """
        if not self.labels:
            return np.empty((raw.shape[1], 0))
        return predict_rows(raw, len(self.labels), (*self.arrays, *self._new_answer()))
