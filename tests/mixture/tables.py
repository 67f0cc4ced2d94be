"""A store over random codes that is told what to do, and all that the oracle has to know of it."""

from __future__ import annotations

import numpy as np

from river_kdb.counts.clock import EPOCH
from river_kdb.counts.families import context_rows
from river_kdb.mixture.banks import add_event, due_at, renormalise
from river_kdb.mixture.networks import write_log_posteriors
from river_kdb.mixture.store import MixtureStore
from tests.naive_mixture import NaiveNetworks


class Run:
    """What a mixture does with its store, at random.

    Feature i of chain b is number b n + i; its codes are kept at `codes[b][i]` of every event.
    `kept` says for every family and half-life from which event on it counts, and after how many
    events it was counted.
    """

    def __init__(self, seed, half_lives, *, limit=40, depths=(2, 1), skip=False, calm=False):
        self.rng = np.random.default_rng(seed)
        self.half_lives, self.depths, self.skip = half_lives, np.array(depths), skip
        self.calm = calm
        self.store = MixtureStore(half_lives, limit, 1e9)
        self.store.banks = self.store.banks._replace(depths=self.depths)
        self.codes: list[list[list[int]]] = []
        self.labels: list[int] = []
        self.weights: list[float] = []
        self.n_slots: list[list[int]] = [[] for _ in depths]
        self.kept = {(None, ()): [(0, 0)] * len(half_lives)}
        self.purges: list[list[tuple[int, float]]] = [[] for _ in half_lives]
        self.insert()
        self.insert()

    @property
    def n(self):
        return self.store.n_features

    @property
    def m(self):
        return max(self.labels, default=-1) + 1

    def all_slots(self):
        return np.array(self.n_slots, dtype=np.int64).ravel()

    def flat(self):
        """The codes (V, t) of all events."""
        wide = np.array(self.codes, dtype=np.int16).reshape(
            len(self.codes), len(self.depths) * self.n
        )
        return np.ascontiguousarray(wide.T)

    def held_codes(self):
        return np.ascontiguousarray(self.flat()[:, len(self.codes) - self.store.n_held :])

    # What a mixture does

    def insert(self):
        """A feature joins at the end or in front, missing so far."""
        i = int(self.rng.integers(0, 2)) * self.n
        slot = 0 if self.labels and not self.skip else -1
        old_n, chains = self.n, range(len(self.depths))
        for b in chains:
            self.n_slots[b].insert(i, slot + 1)
            for event in self.codes:
                event[b].insert(i, slot)

        def moved(v):
            return v // old_n * (old_n + 1) + v % old_n + (v % old_n >= i)

        self.kept = {
            (child if child is None else moved(child), tuple(map(moved, parents))): kept
            for (child, parents), kept in self.kept.items()
        }
        for b in chains:
            self.kept[b * (old_n + 1) + i, ()] = list(self.kept[None, ()])
        where = np.delete(np.arange(old_n + 1), i)
        slots = np.full((len(self.depths), 1), slot)
        self.store.insert_features(where, old_n + 1, slots, self.depths)

    def learn(self):
        store, rng = self.store, self.rng
        event = [[self.code(s) for s in slots] for slots in self.n_slots]
        for slots, codes in zip(self.n_slots, event, strict=True):
            slots[:] = [max(s, code + 1) for s, code in zip(slots, codes, strict=True)]
        label = int(rng.integers(0, 2 + len(self.labels) // 60))
        weight = float(rng.uniform(0.2, 3.0))
        store.make_room(self.all_slots(), max(self.m, label + 1))
        codes = np.array(event, dtype=np.int16).reshape(-1, 1)
        t = store.n_events
        rows = context_rows(codes, store.banks.spec)
        add_event(codes, rows, label, weight, t, store.banks)
        place = t % store.capacity
        store.past.labels[place], store.past.weights[place] = label, weight
        store.n_events += 1
        self.codes.append(event)
        self.labels.append(label)
        self.weights.append(weight)
        self.maintain()

    def code(self, n_slots):
        """Often 0, seldom a large one, now and then left out."""
        often = self.rng.random() < (0.85 if self.calm else 0.6)
        return 0 if often else int(self.rng.integers(-1, min(n_slots, 5) + 1))

    def maintain(self):
        store = self.store
        if store.n_events == due_at(store.banks.clocks) or self.rng.random() < 0.05:
            before = store.banks.clocks[:, EPOCH].copy()
            renormalise(store.banks, store.n_events)
            for h in np.flatnonzero(store.banks.clocks[:, EPOCH] != before):
                epoch = float(store.banks.clocks[h, EPOCH])
                self.purges[h].append((store.n_events, epoch))
        store.widen_window(1)

    def random_parents(self):
        depth = int(self.depths.max())
        parents = np.full((len(self.depths) * self.n, depth), -1, dtype=np.int16)
        for b, k in enumerate(self.depths):
            order = self.rng.permutation(self.n)
            for place, i in enumerate(order):
                above = self.rng.permutation(order[:place])[: self.rng.integers(0, k + 1)]
                parents[b * self.n + i, : len(above)] = b * self.n + above
        return parents

    def from_window(self, keys):
        """Note that families are counted from the window now."""
        n, since = self.store.n_events, self.store.n_events - self.store.n_held
        lasting = [max(since, self.store.first) if h is None else since for h in self.half_lives]
        self.kept |= {key: [(first, n) for first in lasting] for key in keys}

    def use(self):
        store = self.store
        store.use(self.random_parents(), self.held_codes(), store.n_events - store.n_held)
        keys = [key for key in store.keys if key not in self.kept]
        self.kept = {key: self.kept[key] for key in [(None, ()), *store.keys] if key in self.kept}
        self.from_window(keys)

    def recode(self):
        self.n_slots = [[max(1, (s + 1) // 2) for s in slots] for slots in self.n_slots]
        self.codes = [[[code // 2 for code in row] for row in event] for event in self.codes]
        store = self.store
        n_slots = self.all_slots()
        store.rebuild(n_slots, self.random_parents(), self.depths, self.held_codes())
        self.kept = {}
        self.from_window([(None, ()), *store.keys])

    def forget_before(self):
        store = self.store
        since = store.n_events - store.n_held
        first = store.n_events - int(self.rng.integers(1, store.n_held + 1))
        store.forget_before(first, self.held_codes(), since)
        for kept in self.kept.values():
            for h, half_life in enumerate(self.half_lives):
                if half_life is None:
                    kept[h] = (first, store.n_events)

    def step(self):
        for _ in range(int(self.rng.integers(1, 14))):
            self.learn()
        ways = [self.use, self.use, self.recode, self.forget_before, lambda: None]
        if self.calm:
            ways = [self.use] + [lambda: None] * 20
        if self.n < 4 and self.rng.random() < 0.2:
            ways = [self.insert]
        ways[self.rng.integers(len(ways))]()

    # What it answers

    def oracle(self, strength):
        columns = self.flat().T.tolist()
        events = list(zip(columns, self.labels, self.weights, strict=True))

        def since(key, h):
            return self.kept[key][h][0]

        def purges(key, h):
            return [purge for purge in self.purges[h] if purge[0] > self.kept[key][h][1]]

        return NaiveNetworks(events, self.half_lives, self.m, strength, since, purges)

    def answers(self, x, strength):
        """Log posteriors (n_chains, k + 1, n_half_lives, m)."""
        store = self.store
        shape = (len(self.depths), int(self.depths.max()) + 1, len(self.half_lives))
        numbers = np.arange(np.prod(shape)).reshape(shape)
        out = np.full((numbers.size, store.class_capacity), np.nan)
        codes = np.array(x, dtype=np.int16)[:, None]
        rows = context_rows(codes, store.banks.spec)
        write_log_posteriors(codes, rows, self.m, store.banks, numbers, strength, out)
        return out[:, : self.m].reshape(*shape, self.m)

    def assert_as_the_oracle(self, x, strength, close=1e-9):
        oracle, answers, n = self.oracle(strength), self.answers(x, strength), self.n
        parents = {
            v: [p for p in row if p >= 0] for v, row in enumerate(self.store.parents.tolist())
        }
        for b, k in enumerate(self.depths):
            features = range(b * n, b * n + n)
            for q in range(k + 1):
                for h in range(len(self.half_lives)):
                    expected = oracle.log_posterior(x, features, parents, q, h)
                    np.testing.assert_allclose(answers[b, q, h], expected, rtol=0, atol=close)

    def question(self):
        """Codes of an event, some of them never seen."""
        return [
            int(self.rng.integers(-2, s)) if self.rng.random() < 0.3 else self.likely(b, i)
            for b, slots in enumerate(self.n_slots)
            for i, s in enumerate(slots)
        ]

    def likely(self, b, i):
        return self.codes[self.rng.integers(len(self.codes))][b][i] if self.codes else -1
