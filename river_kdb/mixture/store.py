"""The counts of a mixture, and how they grow."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from river_kdb.counts.clock import FIRST, RATE
from river_kdb.counts.families import (
    CAP,
    START,
    Families,
    Key,
    context_rows,
    copy_families,
    copy_same,
    families_bytes,
    new_families,
)
from river_kdb.counts.layout import Layout, class_room, slot_room
from river_kdb.inference.program import plan_families
from river_kdb.mixture.banks import (
    Banks,
    count_used,
    fill_classes,
    fill_families,
    new_clocks,
)
from river_kdb.mixture.past import held, new_past, past_bytes, regrown_past
from river_kdb.structure.structure import single_network

_LEAST_WINDOW = 64
_FIRST_CAPACITY = 16
_CONTEXTS = 2**18


class MixtureStore:
    """Keeps the counts of a mixture while features, slots and classes grow.

    A family that a new structure needs is filled from the window; one that stays keeps its counts.

    Parameters
    ----------
    half_lives
        Half-lives in events, None for ever; the shortest first.
    window_size
        Events in the window.
    max_bytes
        What window and tables may take.
    """

    def __init__(
        self, half_lives: Sequence[float | None], window_size: int, max_bytes: float
    ) -> None:
        self.n_half_lives = len(half_lives)
        self.window_size = window_size
        self.max_bytes = max_bytes
        self.n_events = 0
        self.n_features = 0
        self.past = new_past(0, min(_FIRST_CAPACITY, window_size))
        self.layout = Layout(np.zeros(0, dtype=np.int64), self._columns(0))
        self.keys: list[Key] = []
        self.parents = np.empty((0, 0), dtype=np.int16)
        none = np.zeros(0, dtype=np.int64)
        families = new_families(self.layout, [])
        self.banks = Banks(
            *families,
            np.full((0, 1), -1, dtype=np.int32),
            none,
            none,
            np.zeros(self.layout.class_capacity),
            new_clocks(half_lives),
        )

    # What there is ----------------------------------------------------------------------------

    @property
    def class_capacity(self) -> int:
        """Room for classes."""
        return self.layout.class_capacity // max(1, self.n_half_lives)

    def _columns(self, n_classes: int) -> int:
        return class_room(n_classes) * max(1, self.n_half_lives)

    @property
    def capacity(self) -> int:
        """Events that the window has room for now."""
        return len(self.past.labels)

    @property
    def limit(self) -> int:
        """Events that the window will ever hold: it takes at most half of the memory."""
        fits = int(self.max_bytes // 2) // past_bytes(self.n_features, 1)
        return min(self.window_size, max(_LEAST_WINDOW, fits))

    @property
    def first(self) -> int:
        """Number of the first event that counts where nothing fades."""
        lasting = self.banks.clocks[self.banks.clocks[:, RATE] == 0.0]
        return int(lasting[0, FIRST]) if len(lasting) else 0

    @property
    def exact(self) -> bool:
        """Whether the window still holds every event that counts."""
        return self.n_events - self.first <= self.capacity

    @property
    def n_held(self) -> int:
        """Events in the window."""
        return min(self.n_events, self.capacity)

    def budget(self, layout: Layout) -> float:
        """Return the bytes that the families with parents may take.

        Parameters
        ----------
        layout
            Room for slots and classes.
        """
        singles = families_bytes(layout, [(v, ()) for v in range(len(layout.caps))])
        return self.max_bytes - past_bytes(self.n_features, self.limit) - singles

    def can_take_feature(self, n_chains: int, n_before: int = 0) -> bool:
        """Say whether one more feature fits, with the smallest window.

        Parameters
        ----------
        n_chains
            In how many chains it will be.
        n_before
            Others that are about to be taken in.
        """
        n = self.n_features + n_before + 1
        least = past_bytes(n, min(self.window_size, _LEAST_WINDOW))
        rows = int(self.layout.caps.sum()) + len(self.layout.caps) + 2 * (n_before + 1) * n_chains
        return least + 8 * rows * self.layout.class_capacity <= self.max_bytes / 2

    # Growth -----------------------------------------------------------------------------------

    def widen_window(self, n_more: int) -> None:
        """Give the window room for more events, up to its limit.

        Parameters
        ----------
        n_more
            Events about to be learned.
        """
        needed = min(self.limit, self.n_events + n_more)
        if needed > self.capacity:
            wanted = min(self.limit, max(needed, 2 * self.capacity))
            everything = np.arange(self.n_features)
            self.past = regrown_past(self.past, self.n_events, wanted, everything, self.n_features)

    def insert_features(
        self, where: np.ndarray, n_features: int, slots: np.ndarray, depths: np.ndarray
    ) -> None:
        """Take in new features, which were missing in every event so far.

        Parameters
        ----------
        where
            int array: the new index of every old feature.
        n_features
            How many features there are now.
        slots
            int array of shape (n_chains, n_new): slots of the new ones for the missing value,
            negative where they have none.
        depths
            int array of shape (n_chains,): the largest k of every chain.
        """
        n_chains, k = len(depths), int(depths.max(initial=0))
        old_n, new = self.n_features, np.setdiff1d(np.arange(n_features), where)
        chained = [np.arange(n_chains)[:, None] * n_features + i[None, :] for i in (where, new)]
        moved, fresh = chained[0].ravel(), chained[1].ravel()
        caps = np.empty(n_chains * n_features, dtype=np.int64)
        caps[moved] = self.layout.caps
        caps[fresh] = [slot_room(slot + 1) for slot in slots.ravel().tolist()]
        parents = np.full((n_chains * n_features, k), -1, dtype=np.int16)
        if old_n:
            ends = np.append(moved, -1).astype(np.int16)
            parents[moved] = ends[self.parents]
        keys = [(int(moved[v]), tuple(int(moved[p]) for p in pa)) for v, pa in self.keys]
        self.past = regrown_past(self.past, self.n_events, self.capacity, where, n_features)
        used = np.zeros(len(caps), dtype=np.int64)
        used[moved] = self.banks.used
        self.banks = self.banks._replace(used=used, depths=depths)
        self.n_features = n_features
        if self.capacity > self.limit:
            everything = np.arange(n_features)
            self.past = regrown_past(self.past, self.n_events, self.limit, everything, n_features)
        self._relayout(Layout(caps, self.layout.class_capacity), keys, parents)
        if self.n_events:
            for v, slot in zip(fresh.tolist(), slots.ravel().tolist(), strict=True):
                self._missing_so_far(v, slot)

    def _missing_so_far(self, v: int, slot: int) -> None:
        if slot < 0:
            return
        banks = self.banks
        start, cap = int(banks.spec[v, START]), int(banks.spec[v, CAP])
        banks.cells[start + slot] = banks.cells[start + cap] = banks.classes
        banks.used[v] = 1

    def make_room(self, n_slots: np.ndarray, n_classes: int) -> None:
        """Make room for slots and classes; no count is lost.

        Parameters
        ----------
        n_slots
            int array of shape (V,): slots of every feature of every chain.
        n_classes
            How many classes there are.
        """
        caps, columns = self.layout.caps, self._columns(n_classes)
        short = n_slots > caps
        if not short.any() and columns <= self.layout.class_capacity:
            return
        wider = np.array([slot_room(s) for s in n_slots.tolist()], dtype=np.int64)
        layout = Layout(np.where(short, wider, caps), max(columns, self.layout.class_capacity))
        self._relayout(layout, self.keys, self.parents)

    def _relayout(self, layout: Layout, keys: list[Key], parents: np.ndarray) -> None:
        """Move all counts to another layout, as far as they fit there."""
        old, old_caps = self.banks, self.layout.caps
        planned, levels = self._plan(layout, parents)
        number = {key: f for f, key in enumerate(keys)}
        known = [g for g, key in enumerate(planned) if key in number]
        families = new_families(layout, planned)
        which = np.array([number[planned[g]] for g in known], dtype=np.int64)
        # children and parents stand in the old tables under their old numbers
        kept = Families(np.ascontiguousarray(families.spec[known]), families.cells)
        copy_families(Families(old.spec, old.cells), which, old_caps, kept)
        classes = np.zeros(layout.class_capacity)
        classes[: len(old.classes)] = old.classes
        self.banks = old._replace(
            spec=families.spec, cells=families.cells, levels=levels, classes=classes
        )
        self.layout, self.keys, self.parents = layout, planned, parents

    def _plan(self, layout: Layout, parents: np.ndarray) -> tuple[list[Key], np.ndarray]:
        """Return the families for the parents (V, k), as far as they fit, and their levels."""
        n_singles = len(layout.caps)
        singles: list[Key] = [(v, ()) for v in range(n_singles)]
        keys, found, _ = plan_families(single_network(parents), layout, self.budget(layout))
        levels = np.full((n_singles, parents.shape[1] + 1), -1, dtype=np.int32)
        levels[:, 0] = np.arange(n_singles)
        levels[:, 1:] = np.where(found[0] >= 0, found[0] + n_singles, -1)
        return singles + keys, levels

    # Counting ---------------------------------------------------------------------------------

    def use(self, parents: np.ndarray, codes: np.ndarray, since: int) -> None:
        """Keep tables for other parents from now on; a family that stays keeps its counts.

        Parameters
        ----------
        parents
            int16 array of shape (V, k): parents, the strongest first, -1 for none.
        codes
            int16 array of shape (V, n_held): those of the events held since number `since`.
        since
            Number of the first of them.
        """
        keys, levels = self._plan(self.layout, parents)
        families = new_families(self.layout, keys)
        number = {key: f for f, key in enumerate(self.keys)}
        old = np.array([number.get(key, -1) for key in keys], dtype=np.int64)
        copy_same(Families(self.banks.spec, self.banks.cells), old, families)
        self.banks = self.banks._replace(spec=families.spec, cells=families.cells, levels=levels)
        self.keys, self.parents = keys, parents
        self._count(np.flatnonzero(old < 0), codes, since)

    def rebuild(
        self, n_slots: np.ndarray, parents: np.ndarray, depths: np.ndarray, codes: np.ndarray
    ) -> None:
        """Count everything anew from the events held, whose codes have changed.

        Parameters
        ----------
        n_slots
            int array of shape (V,): slots of every feature of every chain.
        parents
            int16 array of shape (V, k).
        depths
            int array of shape (n_chains,): the largest k of every chain.
        codes
            int16 array of shape (V, n_held).
        """
        since = self.n_events - codes.shape[1]
        self.layout = Layout(np.maximum(1, n_slots), self.layout.class_capacity)
        self.keys, levels = self._plan(self.layout, parents)
        self.parents = parents
        families = new_families(self.layout, self.keys)
        self.banks = Banks(
            *families,
            levels,
            depths,
            np.zeros(len(n_slots), dtype=np.int64),
            np.zeros(self.layout.class_capacity),
            self.banks.clocks,
        )
        events = held(self.past, since, self.n_events)
        first = self.banks.clocks[:, FIRST].copy()
        fill_classes(self.banks, events.labels, events.weights, since, first)
        self._count(np.arange(len(self.keys)), codes, since)
        count_used(self.banks)

    def forget_before(self, first: int, codes: np.ndarray, since: int) -> None:
        """Let the counts that never fade begin with event number `first`.

        Parameters
        ----------
        first
            Number of the event.
        codes
            int16 array of shape (V, n_held): those of the events held since number `since`.
        since
            Number of the first of them.
        """
        lasting = np.flatnonzero(self.banks.clocks[:, RATE] == 0.0)
        for h in lasting.tolist():
            self.banks.clocks[h, FIRST] = first
            self.banks.cells[:, h :: self.n_half_lives] = 0.0
            self.banks.classes[h :: self.n_half_lives] = 0.0
        if len(lasting):
            never = np.full(self.n_half_lives, self.n_events, dtype=np.float64)
            never[lasting] = first
            events = held(self.past, since, self.n_events)
            fill_classes(self.banks, events.labels, events.weights, since, never)
            self._count(np.arange(len(self.keys)), codes, since, never)
            count_used(self.banks)

    def _count(
        self,
        which: np.ndarray,
        codes: np.ndarray,
        since: int,
        first: np.ndarray | None = None,
    ) -> None:
        """Count the events held since a number in some families."""
        if not len(which) or not codes.shape[1]:
            return
        first = self.banks.clocks[:, FIRST].copy() if first is None else first
        events = held(self.past, since, self.n_events)
        spec = np.ascontiguousarray(self.banks.spec[which])
        step = max(1, _CONTEXTS // len(which))
        for r in range(0, codes.shape[1], step):
            part = slice(r, r + step)
            chunk = np.ascontiguousarray(codes[:, part])
            rows = context_rows(chunk, spec)
            labels, weights = events.labels[part], events.weights[part]
            fill_families(self.banks, which, chunk, rows, labels, weights, since + r, first)
