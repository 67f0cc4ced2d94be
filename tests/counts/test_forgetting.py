"""A store that forgets, against weighted counts of the events in plain Python.

A run does at random what a model does with its store, for several hundred events.
"""

from __future__ import annotations

import copy
import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_kdb.counts.bitsets import N_WEIGHTED
from river_kdb.counts.clock import FIRST, UNIT
from river_kdb.counts.event_sets import gather_sets, pairs_in_window
from river_kdb.counts.store import CountStore
from tests import naive_counts as naive
from tests.counts.blocks import as_block, read_family, read_pair, read_triple
from tests.counts.test_store import measured_pairs

pytestmark = pytest.mark.kernel

HALF_LIVES = st.sampled_from([1.0, 2.5, 7.0, 20.0])
SEEDS = st.integers(0, 2**32 - 1)
COUNTS = st.sampled_from(["auto", "bitset"])
LIMIT = 32


class Run:
    """What a model does with its store, and the events to count."""

    def __init__(
        self, seed, *, half_life, forget=None, at_once=False, exact_weights=False, counts="auto"
    ):
        self.rng = np.random.default_rng(seed)
        self.half_life, self.exact_weights = half_life, exact_weights
        self.store = CountStore(LIMIT, 1e9, True, True, at_once, half_life, forget, counts)
        self.rows: list[list[int]] = []
        self.labels: list[int] = []
        self.weights: list[float] = []
        self.n_slots: list[int] = []
        self.families_since: dict = {}
        self.triples_since = 0
        self.origin = 0  # the window has turned so many times its limit after this event
        self.pairs_since = 0
        self.insert()
        self.insert()

    # What a model does

    def insert(self):
        """A feature joins at the end or in front, missing so far."""
        store = self.store
        i = int(self.rng.integers(0, 2)) * store.n_features
        slot = 0 if self.rows else -1
        self.n_slots.insert(i, slot + 1)
        for row in self.rows:
            row.insert(i, slot)
        self.families_since = {
            (c + (c >= i), tuple(p + (p >= i) for p in parents)): since
            for (c, parents), since in self.families_since.items()
        }
        store.insert_features(np.array([i]), np.array([slot]))

    def learn(self, size):
        store, rng = self.store, self.rng
        due = self.origin + ((store.n_events - self.origin) // store.limit + 1) * store.limit
        due = min(due, store.renormalise_at or due)
        size = min(size, due - store.n_events)
        rows = [[int(rng.integers(-1, min(n, 3) + 1)) for n in self.n_slots] for _ in range(size)]
        for i in range(store.n_features):
            self.n_slots[i] = max(self.n_slots[i], *(row[i] + 1 for row in rows))
        labels = rng.integers(0, 2 + len(self.rows) // 100, size).tolist()
        weights = [1.0] * size if self.exact_weights else rng.uniform(0.2, 3.0, size).tolist()
        self.rows += [list(row) for row in rows]
        self.labels += labels
        self.weights += weights
        store.make_room(self.n_slots, max(self.labels) + 1)
        block = as_block(rows, labels, weights, store.n_features)
        store.add_block(block.codes + 0.5, *block)
        self.maintain()

    def maintain(self):
        store = self.store
        if store.n_events == store.renormalise_at:
            store.renormalise()
            assert 1.0 - 1e-9 <= store.clock[UNIT] < 2.0
        if (store.n_events - self.origin) % store.limit == 0:
            store.drop_residues()
            self.open_pairs()
            if store.triples is None:
                self.triples_since = store.first_held
            store.open_triples()
            store.sync_pairs()
            store.sync_triples()

    def open_pairs(self):
        if self.store.pairs is None:
            self.pairs_since = self.store.first_held
        self.store.open_pairs(np.zeros(self.store.n_features), 0.5)

    def use(self):
        store, rng = self.store, self.rng
        store.sync_pairs()
        keys = []
        for _ in range(4):
            order = rng.permutation(store.n_features).tolist()
            k = int(rng.integers(1, min(3, store.n_features - 1) + 1))
            key = (order[0], tuple(sorted(order[1 : k + 1])))
            keys += [key] if key not in keys else []
        store.use(keys)
        tables = store.pairs is not None and not store.windowed
        since = {1: self.pairs_since if tables else store.first_held}
        since[2] = self.triples_since if store.triples is not None else store.first_held
        self.families_since = {
            key: self.families_since.get(key, since.get(len(key[1]), store.first_held))
            for key in keys
        }

    def recode(self):
        store = self.store
        turns = store.n_events - self.origin >= store.limit
        if not store.exact or (turns and not store.slides):  # later tables would count less
            return
        self.n_slots = [max(1, (n + 1) // 2) for n in self.n_slots]
        self.rows = [[code // 2 for code in row] for row in self.rows]
        at, held = store.held_places(), self.rows[store.first_held :]
        store.window.codes[:, at] = as_block(
            held, [0] * len(at), [1.0] * len(at), store.n_features
        ).codes
        store.rebuild(self.n_slots)
        self.families_since = {}

    def forget_before(self):
        number = self.store.n_events - int(self.rng.integers(0, LIMIT))
        first = max(number, self.store.first_held)
        self.store.forget_before(number)
        assert self.store.clock[FIRST] == self.store.first_held == first
        assert self.store.exact
        self.families_since, self.origin = {}, first

    def step(self):
        ways = [self.learn, self.learn, self.learn, self.use, self.recode, self.open_pairs]
        if self.rng.random() < 0.02 and self.store.n_features < 4:
            ways = [self.insert]
        way = ways[self.rng.integers(len(ways))]
        way(int(self.rng.integers(1, 12))) if way == self.learn else way()

    # What has to hold

    def expected(self, features, since=0):
        """N(values, c) in units of the newest event, of the events that count from one on."""
        store = self.store
        since = max(since, store.first_held if store.slides else int(store.clock[FIRST]))
        ages = store.n_events - 1 - np.arange(since, store.n_events)
        faded = np.array(self.weights[since:])
        if self.half_life is not None:
            faded = faded * 2.0 ** (-ages / self.half_life)
        return naive.count_groups(self.rows[since:], self.labels[since:], faded, features)

    def assert_same(self, found, counts):
        for key in found.keys() | counts.keys():
            here = found.get(key, 0.0) / self.store.clock[UNIT]
            assert here == pytest.approx(counts.get(key, 0.0), rel=1e-9, abs=1e-15), key
        if self.exact_weights and self.half_life is None:
            assert found == naive.nonzero(counts)

    def check(self):
        store = self.store
        singles = store.singles
        classes = {((), c): float(n) for c, n in enumerate(singles.classes) if n}
        self.assert_same(classes, self.expected([]))
        for i in range(store.n_features):
            first, cap, counts = singles.start[i], store.layout.caps[i], self.expected([i])
            cells = {
                ((s,), c): float(singles.cells[first + s, c])
                for s in range(cap)
                for c in np.flatnonzero(singles.cells[first + s]).tolist()
            }
            self.assert_same(cells, counts)
            for s in range(cap):
                total = sum(n for (values, _), n in counts.items() if values == (s,))
                found = singles.totals[first + s] / store.clock[UNIT]
                assert found == pytest.approx(total, rel=1e-9, abs=1e-15)
            sums = singles.sums[i] / store.clock[UNIT]
            assert sums.sum() == pytest.approx(sum(counts.values()), rel=1e-9, abs=1e-15)
            assert singles.used[i] == np.count_nonzero(singles.totals[first : first + cap])
        for f, (child, parents) in enumerate(store.keys):
            both, whole = read_family(store.families, f, store.layout.caps[list(parents)].tolist())
            counts = self.expected([child, *parents], self.families_since[child, parents])
            self.assert_same(both, counts)
            contexts: dict = {}
            for (values, c), n in counts.items():
                contexts[values[1:], c] = contexts.get((values[1:], c), 0.0) + n
            self.assert_same(whole, contexts)
        self.check_pairs_and_triples()
        self.check_sets()

    def check_pairs_and_triples(self):
        store = copy.deepcopy(self.store)
        store.sync_pairs()
        store.sync_triples()
        measured = measured_pairs(store) if store.windowed else {}
        for a, b in itertools.combinations(range(store.n_features), 2):
            if store.windowed:
                expected = self.expected([a, b], store.first_held)
                self.assert_same(measured.get((a, b), {}), expected)
            elif store.pairs is not None:
                expected = self.expected([a, b], self.pairs_since)
                self.assert_same(read_pair(store.pairs, a, b), expected)
        assert store.triples is None or not (store.slides or store.windowed)
        for group in itertools.combinations(range(store.n_features), 3):
            if store.triples is not None:
                expected = self.expected(list(group), self.triples_since)
                self.assert_same(read_triple(store.triples, *group), expected)

    def check_sets(self):
        store = self.store
        if not store.keeps_sets:
            return
        sets, held = store.bitsets, store.window.counted[store.held_places()]
        assert sets.weights is store.window.counted
        assert sets.heads[N_WEIGHTED] == np.count_nonzero(held != 1.0)
        m = store.layout.class_capacity
        counts = self.expected([0, 1], store.first_held)
        for s, t in itertools.product(*(range(cap) for cap in store.layout.caps[:2])):
            codes, seen = np.array([[s], [t]], dtype=np.int16), np.ones(2, dtype=np.bool_)
            joint = np.zeros((2, 2, m))
            of_event = gather_sets(codes, 0, np.arange(2), seen, sets, m, True)
            pairs_in_window(of_event, joint)
            found = {((s, t), c): n for c, n in enumerate(joint[0, 1].tolist()) if n}
            self.assert_same(found, {key: n for key, n in counts.items() if key[0] == (s, t)})


def go(run, n_events, drifts=False):
    while run.store.n_events < n_events:
        run.step()
        if drifts and run.rng.random() < 0.02:
            run.forget_before()
        if run.rng.random() < 0.1:
            run.check()
    run.check()
    return run


@given(SEEDS, HALF_LIVES, st.booleans(), COUNTS)
@settings(max_examples=18)
def test_faded_counts(seed, half_life, at_once, counts):
    go(Run(seed, half_life=half_life, at_once=at_once, counts=counts), 400)


@given(SEEDS, st.booleans(), st.booleans(), COUNTS)
@settings(max_examples=16)
def test_a_window_that_slides(seed, at_once, exact_weights, counts):
    """Of whole weights nothing is rounded: the tables are exactly those of the window."""
    ways = {"at_once": at_once, "exact_weights": exact_weights, "counts": counts}
    run = Run(seed, half_life=None, forget="window", **ways)
    go(run, 300)
    assert run.store.exact


@given(SEEDS, st.sampled_from([5.0, 60.0]), st.booleans(), COUNTS)
@settings(max_examples=12)
def test_a_window_that_slides_over_faded_events(seed, half_life, at_once, counts):
    go(Run(seed, half_life=half_life, forget="window", at_once=at_once, counts=counts), 300)


@given(
    SEEDS, st.sampled_from([None, 6.0]), st.sampled_from([None, "window"]), st.booleans(), COUNTS
)
@settings(max_examples=20)
def test_drifts(seed, half_life, forget, at_once, counts):
    ways = {"at_once": at_once, "exact_weights": True, "counts": counts}
    run = Run(seed, half_life=half_life, forget=forget, **ways)
    go(run, 250, drifts=True)


def filled(store, rows, labels):
    """Events of two features, both with room for three values."""
    store.insert_features(np.arange(2), np.full(2, -1))
    store.make_room([3, 3], 2)
    for t in range(0, len(labels), LIMIT):
        block = as_block(rows[t : t + LIMIT], labels[t : t + LIMIT], np.ones(LIMIT), 2)
        store.add_block(block.codes + 0.5, *block)
    return store


def test_forgetting_equals_a_fresh_store():
    rng = np.random.default_rng(3)
    rows, labels = rng.integers(0, 3, (2 * LIMIT, 2)), rng.integers(0, 2, 2 * LIMIT)
    store = filled(CountStore(LIMIT, 1e9, True, True), rows, labels)
    assert not store.exact
    store.forget_before(LIMIT + 10)
    assert store.exact
    assert (store.n_events, store.n_held) == (2 * LIMIT, LIMIT - 10)
    kept = CountStore(LIMIT, 1e9, True, True)
    kept.insert_features(np.arange(2), np.full(2, -1))
    kept.make_room([3, 3], 2)
    block = as_block(rows[LIMIT + 10 :], labels[LIMIT + 10 :], np.ones(LIMIT - 10), 2)
    kept.add_block(block.codes + 0.5, *block)
    for each in (store, kept):
        each.open_pairs(np.zeros(2), 0.5)
        each.use([(0, (1,))])
    assert (store.pairs is None) == (kept.pairs is None)
    for found, right in zip(
        (*store.singles[:6], *store.pairs, *store.families),
        (*kept.singles[:6], *kept.pairs, *kept.families),
        strict=True,
    ):
        assert np.array_equal(found, right)


@pytest.mark.parametrize(("number", "first"), [(0, 32), (40, 40), (64, 64), (1000, 64)])
def test_as_much_is_forgotten_as_the_window_says(number, first):
    rows, labels = np.zeros((2 * LIMIT, 2), dtype=int), np.zeros(2 * LIMIT, dtype=int)
    store = filled(CountStore(LIMIT, 1e9, True, True), rows, labels)
    store.forget_before(number)
    assert store.first_held == first
    assert store.singles.classes.sum() == store.n_held == 2 * LIMIT - first
    assert store.exact


def test_a_value_that_has_faded_away_was_never_seen():
    run = Run(1, half_life=2.0)
    store = run.store
    store.make_room([3, 3], 2)
    for t in range(400):
        block = as_block([[0 if t else 2, 1]], [0], [1.0], 2)
        store.add_block(block.codes + 0.5, *block)
        store.renormalise()
    assert store.singles.used.tolist() == [1, 1]
    assert store.singles.totals[store.singles.start[0] + 2] == 0.0


def test_where_nothing_fades_no_memory_is_taken_for_it():
    for forget in (None, "window"):
        store = go(Run(5, half_life=None, forget=forget), 100).store
        assert store.window.counted is store.window.weights
        assert store.renormalise_at is None
    store = go(Run(5, half_life=9.0), 100).store
    assert store.window.counted is not store.window.weights


@pytest.mark.parametrize("counts", ["auto", "bitset"])
@pytest.mark.parametrize("half_life", [None, 9.0])
def test_a_copy_goes_on_alike(half_life, counts):
    run = go(Run(6, half_life=half_life, at_once=True, counts=counts), 100)
    other = pickle.loads(pickle.dumps(run))
    shared = other.store.window.counted is other.store.window.weights
    assert shared == (half_life is None)
    for each in (run, other):
        go(each, 200)
    assert run.store.singles.cells.tolist() == other.store.singles.cells.tolist()
