"""The counts of one model: window, singles, pairs, triples and the families in use."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from river_kdb.counts.bitsets import (
    N_WEIGHTED,
    add_to_bitsets,
    bitsets_bytes,
    new_bitsets,
    no_bitsets,
    take_from_bitsets,
)
from river_kdb.counts.bulk import count_pairs, count_triples
from river_kdb.counts.clock import FADED, FIRST, SLIDES, advance, due_at, new_clock
from river_kdb.counts.families import (
    Key,
    add_families,
    copy_families,
    copy_same,
    families_bytes,
    fill_from_tables,
    new_families,
)
from river_kdb.counts.layout import Layout, class_room, slot_room
from river_kdb.counts.pairs import (
    Pairs,
    fitting_members,
    insert_missing_pairs,
    new_pairs,
    new_slab,
    pairs_bytes,
    regrown_pairs,
    slabs,
)
from river_kdb.counts.singles import (
    add_singles,
    insert_missing,
    new_singles,
    recount_used,
    regrown_singles,
    singles_bytes,
)
from river_kdb.counts.triples import (
    Triples,
    insert_missing_triples,
    new_triples,
    regrown_triples,
    triples_bytes,
)
from river_kdb.counts.window import (
    exchanged,
    held_block,
    moved_features,
    new_window,
    places,
    push_block,
    resized_window,
    weigh_block,
    window_bytes,
)

_LEAST_WINDOW = 64
_FIRST_CAPACITY = 16
_CONTEXTS = 2**17
_SLAB_SHARE = 1 / 16
_MOST_TRIPLES = 2**19
"""Rows that tables of triples have at most where they are not asked for; to count 10,000 events in
so many took 20 to 45 ms."""


class CountStore:
    """Keeps the counts of one model exact while features, slots and classes grow.

    Singles and families are counted with every event. Pairs and triples are needed only when a
    structure is learned: they catch up then, from the window, and at the latest before it would
    lose an event that they have not counted. Triples catch up only at that last moment: what a
    family taken from them has missed is counted in it alone. Triples are not kept before that:
    while the window holds the whole stream, families are as exact when filled from it.

    A model that learns a network for each event needs counts at any time: its pairs are counted
    with every event from the moment they are there, and the window is kept as sets too, from
    which contexts of two and more parents are counted.

    Where pairs are windowed there are no tables of them, nor of triples. When a structure is
    learned they are counted in the window, some at a time; a network for an event gets them from
    the sets. The families then begin with the counts of the window.

    With a half-life the tables count in units that grow with every event, see `clock`. Where only
    the window counts each event that leaves it is taken out of the tables; pairs that are not
    counted at once can't follow, and are counted anew when they are needed.

    Parameters
    ----------
    window_size
        Events in the window.
    max_bytes
        What everything together may take.
    wants_pairs
        Whether the model learns its structure from pairs.
    wants_triples
        Whether families with two parents are to keep all their history when the structure changes.
    at_once
        Whether pairs are counted with every event, and the window is kept as sets.
    half_life
        Events after which an event counts half as much as a new one; None: it never fades.
    forget
        `"window"`: only the events of the window count. None: all do.
    counts
        `"dense"`: tables of pairs, and of triples where they fit; `"bitset"`: pairs are windowed;
        `"auto"`: they are where the tables of all pairs don't fit, and triples have tables where
        these are small.
    """

    def __init__(
        self,
        window_size: int,
        max_bytes: float,
        wants_pairs: bool,
        wants_triples: bool,
        at_once: bool = False,
        half_life: float | None = None,
        forget: str | None = None,
        counts: str = "auto",
    ) -> None:
        self.window_size = window_size
        self.max_bytes = max_bytes
        self.wants_pairs = wants_pairs
        self.wants_triples = wants_triples and forget is None  # else families are exact without
        self.at_once = at_once
        self.counts = counts
        self.windowed = False
        """Whether pairs have no tables."""
        self.n_events = 0
        self.n_paired = 0
        self.n_tripled = 0
        self.layout = Layout(np.zeros(0, dtype=np.int64), class_room(0))
        self.fades = half_life is not None
        self.window = new_window(0, min(_FIRST_CAPACITY, window_size), self.fades)
        self.singles = new_singles(self.layout, new_clock(half_life, forget == "window"))
        self.pairs: Pairs | None = None
        self.worth = np.zeros(0)
        """I(X_i; C) of every feature (n,) when the pairs were opened: who goes first when memory
        runs short."""
        self.triples: Triples | None = None
        self.keys: list[Key] = []
        self.families = new_families(self.layout, [])
        self.bitsets = no_bitsets(self.layout)

    # What there is ----------------------------------------------------------------------------

    @property
    def n_features(self) -> int:
        return len(self.layout.caps)

    @property
    def capacity(self) -> int:
        """Events that the window has room for now."""
        return len(self.window.labels)

    @property
    def limit(self) -> int:
        """Events that the window will ever hold: it takes at most half of the memory."""
        return self.limit_for(self.n_features)

    def limit_for(self, n_features: int) -> int:
        """Return the limit with another number of features.

        Parameters
        ----------
        n_features
            How many there are.
        """
        fits = int(self.max_bytes // 2) // window_bytes(n_features, 1, self.fades)
        return min(self.window_size, max(_LEAST_WINDOW, fits))

    @property
    def clock(self) -> np.ndarray:
        """In which unit the tables count, and what counts, see `new_clock`."""
        return self.singles.clock

    @property
    def slides(self) -> bool:
        """Whether only the events of the window count."""
        return bool(self.clock[SLIDES])

    @property
    def exact(self) -> bool:
        """Whether the window still holds every event that counts."""
        return self.slides or self.n_events - self.capacity <= self.clock[FIRST]

    @property
    def first_held(self) -> int:
        """Number of the first event in the window that counts."""
        return max(int(self.clock[FIRST]), self.n_events - self.capacity)

    @property
    def n_held(self) -> int:
        """Events in the window that count."""
        return self.n_events - self.first_held

    def held_places(self) -> np.ndarray:
        """Return the places in the window of the events that count, oldest first."""
        return places(self.window, self.n_events, self.first_held)

    def fixed_bytes(self, layout: Layout) -> int:
        """Return what the window, when it is full, and the singles take."""
        n = len(layout.caps)
        return window_bytes(n, self.limit_for(n), self.fades) + singles_bytes(layout)

    def families_budget(self) -> float:
        """Return the bytes that the tables of the families may take."""
        pairs = self.pairs.cells.nbytes if self.pairs is not None else 0
        return self._room_beside_sets(self.layout) - pairs

    # Growth -----------------------------------------------------------------------------------

    def can_take_feature(self, n_before: int = 0) -> bool:
        """Say whether one more feature fits, with the smallest window.

        Parameters
        ----------
        n_before
            Others that are about to be taken in.
        """
        n = self.n_features + n_before + 1
        least = window_bytes(n, min(self.window_size, _LEAST_WINDOW), self.fades)
        rows = singles_bytes(self.layout) + (n_before + 1) * 8 * (
            2 * self.layout.class_capacity + 3
        )
        return least + rows <= self.max_bytes / 2

    def insert_features(self, indices: np.ndarray, missing_slots: np.ndarray) -> np.ndarray:
        """Take in new features, which were missing in every event so far.

        Parameters
        ----------
        indices
            Their indices among all features, rising.
        missing_slots
            Their slots for the missing value; negative where missing values are left out.

        Returns
        -------
        The new index of every feature that was there.
        """
        self.sync_pairs()
        self.sync_triples()
        n = self.n_features + len(indices)
        where = np.delete(np.arange(n), indices)
        caps = np.empty(n, dtype=np.int64)
        caps[where] = self.layout.caps
        caps[indices] = [slot_room(slot + 1) for slot in missing_slots]
        kept = [self._moved(key, where) for key in self.keys]
        self._relayout(
            Layout(caps, self.layout.class_capacity), where, kept, joins=indices.tolist()
        )
        self.window = moved_features(self.window, where, n)
        shrinks = self.capacity > self.limit
        if shrinks:
            self.window = resized_window(self.window, self.n_events, self.limit)
        if self.n_events:
            self._missing_so_far(indices, missing_slots)
        if shrinks and self.slides:
            self.recount()
        self.renew_sets()
        return where

    def _missing_so_far(self, indices: np.ndarray, missing_slots: np.ndarray) -> None:
        seen = [(int(i), int(s)) for i, s in zip(indices, missing_slots, strict=True) if s >= 0]
        at = self.held_places()
        has_pairs = self.pairs is not None and not self.windowed
        for i, slot in seen:
            self.window.codes[i, at] = slot
            insert_missing(self.singles, i, slot)
        for i, slot in seen if has_pairs else []:
            insert_missing_pairs(self.pairs, i, slot, self.singles.cells, self.singles.start)
        for i, slot in seen if self.triples is not None else []:
            insert_missing_triples(self.triples, self.pairs, i, slot)

    def lay_out(self, other: CountStore, with_pairs: bool) -> None:
        """Take over the layout of another store, before the first event.

        Parameters
        ----------
        other
            The other one.
        with_pairs
            Whether to keep tables of the same pairs too.
        """
        n = other.n_features
        self.layout = other.layout
        self.window = new_window(n, min(_FIRST_CAPACITY, self.limit), self.fades)
        self.rebuild(other.layout.caps.tolist())
        if not with_pairs or other.pairs is None:
            return
        self.worth = other.worth
        if other.windowed:
            self.open_windowed(self.layout)
        else:
            self.pairs = new_pairs(self.layout, other.pairs.members)
        self.renew_sets()

    def make_room(self, n_slots: Sequence[int], n_classes: int) -> None:
        """Make room for slots and classes; no count is lost.

        Parameters
        ----------
        n_slots
            Slots of every feature.
        n_classes
            How many classes there are.
        """
        caps = self.layout.caps
        short = np.asarray(n_slots) > caps
        m = class_room(n_classes)
        if not short.any() and m <= self.layout.class_capacity:
            return
        wider = np.array([slot_room(s) for s in n_slots], dtype=np.int64)
        self._grow(Layout(np.where(short, wider, caps), max(m, self.layout.class_capacity)))

    def fit(self, n_slots: Sequence[int]) -> None:
        """Make room for just so many slots, where there are fewer; hardly any more will come.

        Parameters
        ----------
        n_slots
            Slots of every feature.
        """
        caps = np.maximum(self.layout.caps, np.asarray(n_slots, dtype=np.int64))
        if (caps > self.layout.caps).any():
            self._grow(Layout(caps, self.layout.class_capacity))

    def _grow(self, layout: Layout) -> None:
        self._relayout(layout, np.arange(self.n_features), self.keys)
        self.renew_sets()

    def _moved(self, key: Key, where: np.ndarray) -> Key:
        child, parents = key
        return int(where[child]), tuple(int(where[p]) for p in parents)

    def _relayout(
        self,
        layout: Layout,
        where: np.ndarray,
        keys: list[Key],
        joins: Sequence[int] | np.ndarray = (),
    ) -> None:
        """Move all tables to another layout, as far as they fit there."""
        old = self.layout
        room = self.max_bytes - singles_bytes(layout)
        room -= window_bytes(len(layout.caps), self.capacity, self.fades)
        beside = self._room_beside_sets(layout)
        if self.windowed and beside >= 0:  # without sets there would be no counts of pairs
            room = min(room, beside)
        kept = self._affordable(layout, keys, room)
        room -= families_bytes(layout, kept)
        families = new_families(layout, kept)
        kept_keys = set(kept)
        source = [f for f, key in enumerate(keys) if key in kept_keys]
        copy_families(self.families, np.array(source, dtype=np.int64), old.caps, families)
        self.families, self.keys = families, kept
        if self.pairs is not None:
            self._relayout_pairs(self.pairs, layout, where, joins, room)
        self.singles = regrown_singles(self.singles, old, layout, where)
        self.layout = layout

    def _relayout_pairs(
        self,
        pairs: Pairs,
        layout: Layout,
        where: np.ndarray,
        joins: Sequence[int] | np.ndarray,
        room: float,
    ) -> None:
        """Move the pairs and triples to another layout, as far as they fit there."""
        members = where[pairs.members]
        if self.n_features == len(pairs.members):
            members = np.sort(np.append(members, np.asarray(joins, dtype=np.int64)))
        worth = np.zeros(len(layout.caps))
        worth[where] = self.worth
        self.worth = worth
        everybody = len(members) == len(layout.caps)
        fits = pairs_bytes(layout, members) <= room
        asked = self.windowed or (self.counts == "auto" and everybody and not fits)
        if asked and self.sets_fit(layout):
            self.open_windowed(layout)
            return
        if self.windowed:  # there is no room for sets any more
            self.windowed, self.pairs = False, None
            return
        while len(members) and pairs_bytes(layout, members) > room:
            members = np.delete(members, np.argmin(worth[members]))
        room -= pairs_bytes(layout, members)
        self.pairs = regrown_pairs(pairs, layout, where, members)
        if self.triples is not None and self._triples_fit(layout, members, room):
            self.triples = regrown_triples(self.triples, layout, where, members)
        else:
            self.triples = None

    @staticmethod
    def _affordable(layout: Layout, keys: list[Key], room: float) -> list[Key]:
        kept = []
        for key in keys:
            size = families_bytes(layout, [key])
            if size <= room:
                room -= size
                kept.append(key)
        return kept

    # Events -----------------------------------------------------------------------------------

    def widen_window(self, n_more: int) -> None:
        """Give the window room for more events, up to its limit.

        Parameters
        ----------
        n_more
            Events about to be pushed.
        """
        needed = min(self.limit, self.n_events + n_more)
        if needed > self.capacity:
            wanted = min(self.limit, max(needed, 2 * self.capacity))
            self.window = resized_window(self.window, self.n_events, wanted)
            self.renew_sets()

    def add_block(
        self, raw: np.ndarray, codes: np.ndarray, labels: np.ndarray, weights: np.ndarray
    ) -> None:
        """Learn a block of events, at most as many as the window will ever hold.

        Parameters
        ----------
        raw
            float64 array of shape (n_features, n_rows).
        codes
            int16 array of shape (n_features, n_rows): their codes, all opened.
        labels
            int32 array of shape (n_rows,).
        weights
            float64 array of shape (n_rows,).
        """
        self.widen_window(len(labels))
        first, count = self.n_events, len(labels)
        oldest = self.first_held
        stays = max(oldest, first + count - self.capacity)
        if self.keeps_sets:
            take_from_bitsets(self.bitsets, self.window.codes, oldest, stays - oldest)
        gone = held_block(self.window, oldest, stays) if self.slides else None
        push_block(self.window, first, raw, codes, labels, weights)
        counted = weigh_block(self.window, self.clock, first, weights)
        self.n_events += count
        if self.keeps_sets:
            add_to_bitsets(self.bitsets, self.window.codes, first, count)
        block = codes, labels, counted
        if gone is not None and stays > oldest:
            block = exchanged(gone, block)
        if self.at_once and self.pairs is not None:
            count_pairs(self.pairs, *block)
        if self.at_once:
            self.n_paired = self.n_events
        add_singles(self.singles, *block)
        self._count_families(self.families.spec, *block)

    def _count_families(
        self, spec: np.ndarray, codes: np.ndarray, labels: np.ndarray, weights: np.ndarray
    ) -> None:
        if not len(spec):
            return
        step = max(1, _CONTEXTS // len(spec))
        for r in range(0, len(labels), step):
            part = slice(r, r + step)
            chunk = np.ascontiguousarray(codes[:, part])
            add_families(spec, self.families.cells, chunk, labels[part], weights[part])

    def held(self, first: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return codes, labels and weights, as counted, of the events held since number `first`."""
        first = max(first, self.first_held)
        if self.n_events - first == self.capacity:
            window = self.window  # counting does not mind the order
            return window.codes, window.labels, window.counted
        return held_block(self.window, first, self.n_events)

    def sync_pairs(self) -> None:
        """Let the pairs catch up with the events."""
        if self.pairs is not None and self.n_paired < self.n_events:
            if self.slides:
                self.pairs.cells.fill(0.0)
            count_pairs(self.pairs, *self.held(0 if self.slides else self.n_paired))
        self.n_paired = self.n_events

    def measure(self, measures: Callable[[Pairs, int, int], np.ndarray], m: int) -> np.ndarray:
        """Return what is measured on the counts of pairs, up to date.

        Parameters
        ----------
        measures
            One of the measures of `information` that go through all pairs.
        m
            How many classes there are.
        """
        assert self.pairs is not None
        measured = measures(self.pairs, self.n_features, m)
        if self.windowed:
            block = self.held()
            for slab in slabs(self.layout, self.pairs.members, self.max_bytes * _SLAB_SHARE):
                count_pairs(slab, *block)
                measured += measures(slab, self.n_features, m)
        return measured

    def sync_triples(self) -> None:
        """Let the triples catch up with the events."""
        if self.triples is not None and self.n_tripled < self.n_events:
            count_triples(self.triples, *self.held(self.n_tripled))
        self.n_tripled = self.n_events

    @property
    def keeps_sets(self) -> bool:
        """Whether the window is kept as sets at present."""
        return self.bitsets.slots.shape[1] > 0

    def renew_sets(self) -> None:
        """Put the window into sets, where the model wants them and they fit."""
        if not self.at_once or self.pairs is None:
            self.bitsets = no_bitsets(self.layout)
            return
        used = self.pairs.cells.nbytes + self.families.cells.nbytes
        used += self.fixed_bytes(self.layout)
        if self.triples is not None:
            used += self.triples.cells.nbytes
        if self.windowed or used + bitsets_bytes(self.layout, self.limit) <= self.max_bytes:
            self.bitsets = new_bitsets(self.layout, self.window, self.n_events, self.first_held)
        else:
            self.bitsets = no_bitsets(self.layout)

    def open_pairs(self, information: np.ndarray, share: float) -> None:
        """Count the pairs, where the model wants them and there are none yet.

        Parameters
        ----------
        information
            float array of shape (n_features,): I(X_i; C), which says who goes first where not
            all fit.
        share
            Share of the memory left by window and singles that the pairs may take.
        """
        if not self.wants_pairs or self.pairs is not None:
            return
        self.worth = information
        budget = (self.max_bytes - self.fixed_bytes(self.layout)) * share
        members = fitting_members(self.layout, information, budget)
        few = len(members) < self.n_features
        asked = self.counts == "bitset" or (self.counts == "auto" and few)
        if asked and self.sets_fit(self.layout):
            self.open_windowed(self.layout)
        else:
            self.windowed = False
            self.pairs = new_pairs(self.layout, members)
            count_pairs(self.pairs, *self.held())
        self.n_paired = self.n_events
        self.renew_sets()

    def sets_fit(self, layout: Layout) -> bool:
        """Say whether the sets of the window fit beside the families, where they are needed."""
        return not self.at_once or self.families.cells.nbytes <= self._room_beside_sets(layout)

    def _room_beside_sets(self, layout: Layout) -> float:
        """Return what window, singles and, where the model needs them, sets leave."""
        limit = self.limit_for(len(layout.caps))
        sets = bitsets_bytes(layout, limit) if self.at_once else 0
        return self.max_bytes - self.fixed_bytes(layout) - sets

    def open_windowed(self, layout: Layout) -> None:
        """From now on count the pairs of all features in the window."""
        self.windowed, self.triples = True, None
        self.pairs = new_slab(layout, np.arange(len(layout.caps)), 0, 0)

    def _triples_fit(self, layout: Layout, members: np.ndarray, room: float) -> bool:
        """Say whether triples fit, and don't stop the stream for long when they catch up."""
        most = 8 * layout.class_capacity * _MOST_TRIPLES
        return triples_bytes(layout, members) <= (
            room if self.counts == "dense" else min(room, most)
        )

    def open_triples(self) -> None:
        """Count the triples, where the model wants them, they fit and there are none yet."""
        if not self.wants_triples or self.triples is not None or self.pairs is None:
            return
        if self.windowed:
            return
        room = self.families_budget() - self.families.cells.nbytes
        if not self._triples_fit(self.layout, self.pairs.members, room):
            return
        self.triples = new_triples(self.layout, self.pairs.members)
        count_triples(self.triples, *self.held())
        self.n_tripled = self.n_events

    def use(self, keys: list[Key]) -> None:
        """Keep tables of these families from now on; a family that stays keeps its counts.

        Parameters
        ----------
        keys
            The families.
        """
        if keys == self.keys:
            return
        families = new_families(self.layout, keys)
        number = {key: f for f, key in enumerate(self.keys)}
        old = np.array([number.get(key, -1) for key in keys], dtype=np.int64)
        copy_same(self.families, old, families)
        fresh = np.flatnonzero(old < 0)
        tables = None if self.windowed else self.pairs
        unfilled = fill_from_tables(families, fresh, tables, self.triples)
        self.families, self.keys = families, keys
        self._count_held(unfilled, self.first_held)
        behind = [f for f in np.setdiff1d(fresh, unfilled).tolist() if len(keys[f][1]) == 2]
        self._count_held(np.array(behind, dtype=np.int64), self.n_tripled)

    def _count_held(self, which: np.ndarray, first: int) -> None:
        """Count the events since number `first`, which the window still holds, in families."""
        if len(which) and first < self.n_events:
            self._count_families(self.families.spec[which], *self.held(first))

    def rebuild(self, n_slots: Sequence[int]) -> None:
        """Count everything anew from the window, whose codes have changed.

        Parameters
        ----------
        n_slots
            Slots of every feature.
        """
        caps = np.maximum(1, np.asarray(n_slots, dtype=np.int64))
        self.layout = Layout(caps, self.layout.class_capacity)
        self.singles = new_singles(self.layout, self.clock)
        self.pairs = self.triples = None
        self.windowed = False
        self.keys, self.families = [], new_families(self.layout, [])
        self.renew_sets()
        add_singles(self.singles, *self.held())

    # Forgetting -------------------------------------------------------------------------------

    def forget_before(self, number: int) -> None:
        """Forget all events before one, or as many as the window has lost if that is more.

        Everything is counted anew from the window, as `rebuild` does.

        Parameters
        ----------
        number
            Number of the first event to keep; events are numbered from 0.
        """
        first = min(self.n_events, max(number, self.first_held))
        self.window.counted[places(self.window, first, self.first_held)] = 0.0
        self.clock[FIRST] = first
        self.rebuild(self.layout.caps.tolist())

    @property
    def renormalise_at(self) -> int | None:
        """Number of events after which `renormalise` has something to do; None for never."""
        return due_at(self.clock) if self.fades else None

    def renormalise(self) -> None:
        """Bring all counts to a later epoch when it is time; those faded away become 0."""
        if self.renormalise_at is None or self.n_events < self.renormalise_at:
            return
        self.scale(advance(self.clock))
        if self.keeps_sets:
            self.bitsets.heads[N_WEIGHTED] = np.count_nonzero(self.held()[2] != 1.0)

    def scale(self, factor: float) -> None:
        """Multiply all counts; those faded away become 0.

        Parameters
        ----------
        factor
            By what.
        """
        singles = self.singles
        pairs = () if self.pairs is None else (self.pairs.cells,)
        triples = () if self.triples is None else (self.triples.cells,)
        counts = (*singles[:4], self.families.cells, self.window.counted, *pairs, *triples)
        for table in counts:
            table *= factor
            table[table < FADED] = 0.0
        recount_used(singles)

    def drop_residues(self) -> None:
        """Count anew where events are taken out again whose weights are no whole numbers.

        What rounding leaves of them would add up; it is enough to do so whenever the window has
        turned.
        """
        if self.slides and (self.window.counted % 1.0).any():
            self.recount()

    def recount(self) -> None:
        """Count all tables in use anew from the window."""
        block, singles = self.held(), self.singles
        for table in (*singles[:5], self.families.cells):
            table.fill(0)
        add_singles(singles, *block)
        self._count_families(self.families.spec, *block)
        if self.pairs is not None:
            self.pairs.cells.fill(0.0)
            count_pairs(self.pairs, *block)
            self.n_paired = self.n_events
