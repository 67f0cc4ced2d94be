"""The store against dicts, after any sequence of learning, growth, overflow and new families."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from river_kdb.counts import window as windows
from river_kdb.counts.store import CountStore
from river_kdb.counts.window import places
from tests import naive_counts as naive
from tests.counts.blocks import WEIGHTS, as_block, read_family, read_pair, read_triple
from tests.counts.test_bitsets import assert_sets
from tests.counts.test_singles import assert_counts as assert_singles

pytestmark = pytest.mark.kernel

ROOMY = 1e9


def measured_pairs(store) -> dict:
    """N(x_i, x_j, c) of pairs (i, j) with any counts, as the measures find them."""
    found: dict = {}

    def measure(pairs, n, m):
        assert (n, m) == (store.n_features, store.layout.class_capacity)
        for a in range(*pairs.span):
            for b in range(a + 1, len(pairs.members)):
                i, j = pairs.members[[a, b]].tolist()
                assert (i, j) not in found
                found[i, j] = read_pair(pairs, a, b)
        return np.zeros(1)

    store.measure(measure, store.layout.class_capacity)
    return {key: counts for key, counts in found.items() if counts}


class StoreMachine(RuleBasedStateMachine):
    """Uses a store as a model does: in blocks that end where the window is full again.

    Pairs, triples and families say since which event they count; before it they know nothing.
    """

    window_size = 24
    skip_missing = False
    wants_triples = True
    at_once = False
    counts = "auto"

    def __init__(self):
        super().__init__()
        self.store = CountStore(
            self.window_size, ROOMY, True, self.wants_triples, self.at_once, counts=self.counts
        )
        self.rows: list[list[int]] = []
        self.labels: list[int] = []
        self.weights: list[float] = []
        self.n_slots: list[int] = []
        self.families_since: dict = {}
        self.triples_since = 0

    # What a model does

    @precondition(lambda self: self.store.n_features < 5)
    @rule(places=st.lists(st.integers(0, 4), min_size=1, max_size=2))
    def insert_features(self, places):
        slot = 0 if self.rows and not self.skip_missing else -1
        indices = []
        for place in sorted(places):
            i = min(place + len(indices), self.store.n_features + len(indices))
            indices.append(i)
            self.n_slots.insert(i, slot + 1)
            for row in self.rows:
                row.insert(i, slot)
            self.families_since = {
                self._moved(key, i): since for key, since in self.families_since.items()
            }
        where = self.store.insert_features(np.array(indices), np.full(len(indices), slot))
        assert where.tolist() == [i for i in range(self.store.n_features) if i not in indices]

    @staticmethod
    def _moved(key, i):
        child, parents = key
        return child + (child >= i), tuple(p + (p >= i) for p in parents)

    @rule(data=st.data(), size=st.integers(1, 8))
    def learn(self, data, size):
        store = self.store
        size = min(size, store.limit - store.n_events % store.limit)
        rows = [[self._code(data, i) for i in range(store.n_features)] for _ in range(size)]
        labels = data.draw(st.lists(st.integers(0, 4), min_size=size, max_size=size))
        weights = data.draw(st.lists(WEIGHTS, min_size=size, max_size=size))
        self.rows += [list(row) for row in rows]
        self.labels += labels
        self.weights += weights
        store.make_room(self.n_slots, max(self.labels) + 1)
        self._push(as_block(rows, labels, weights, store.n_features))

    def _code(self, data, i):
        """A value that has a slot, or the next one, which opens its slot."""
        code = data.draw(st.integers(-1 if self.skip_missing else 0, min(self.n_slots[i], 4)))
        self.n_slots[i] = max(self.n_slots[i], code + 1)
        return code

    def _push(self, block):
        store = self.store
        raw = block.codes + 0.5
        store.add_block(raw, *block)
        if store.n_events % store.limit == 0:
            store.open_pairs(self._information(), 0.5)
            self._open_triples()
            store.sync_pairs()
            store.sync_triples()

    def _information(self):
        return np.zeros(self.store.n_features)

    def _open_triples(self):
        before = self.store.triples
        self.store.open_triples()
        if before is None and self.store.triples is not None:
            self.triples_since = self.store.n_events - self.store.n_held

    @rule()
    def learn_structure(self):
        self.store.open_pairs(self._information(), 0.5)
        self.store.sync_pairs()

    @precondition(lambda self: self.store.n_features > 1)
    @rule(data=st.data())
    def use(self, data):
        store = self.store
        store.sync_pairs()
        keys = []
        for _ in range(data.draw(st.integers(0, 4))):
            order = data.draw(st.permutations(range(store.n_features)))
            k = data.draw(st.integers(1, min(3, store.n_features - 1)))
            key = (order[0], tuple(sorted(order[1 : k + 1])))
            keys += [key] if key not in keys else []
        store.use(keys)
        self.families_since = {
            key: self.families_since.get(key, self._since(len(key[1]))) for key in keys
        }

    def _since(self, n_parents):
        """The first event that a family counts which has just come into use."""
        store = self.store
        if n_parents == 1 and store.pairs is not None and not store.windowed:
            return 0
        if n_parents == 2 and store.triples is not None:
            return self.triples_since
        return store.n_events - store.n_held

    @precondition(lambda self: self.store.exact and 0 < self.store.n_events < self.store.limit)
    @rule(data=st.data())
    def recode(self, data):
        """Slots are chosen anew; all tables start again from the window."""
        store = self.store
        for i, size in enumerate(self.n_slots):
            turned = data.draw(st.permutations(range(max(1, size))))
            merged = [s // 2 for s in turned] if data.draw(st.booleans()) else turned
            for row in self.rows:
                row[i] = merged[row[i]] if row[i] >= 0 else -1
            self.n_slots[i] = max(merged) + 1
        at = places(store.window, store.n_events)
        store.window.codes[:, at] = np.array(self.rows, dtype=np.int16).T.reshape(
            store.n_features, len(at)
        )
        store.rebuild(self.n_slots)
        self.families_since = {}

    # What has to hold

    @invariant()
    def singles_count_everything(self):
        assert_singles(self.store.singles, self.store.layout, self.rows, self.labels, self.weights)

    @invariant()
    def the_window_holds_the_latest_events(self):
        store = self.store
        at = places(store.window, store.n_events)
        assert store.n_events == len(self.rows)
        assert len(at) == store.n_held == min(store.n_events, store.limit)
        held = len(at)
        first = store.n_events - held
        expected = as_block(
            self.rows[first:], self.labels[first:], self.weights[first:], store.n_features
        )
        for array, right in zip(store.window[1:4], expected, strict=True):
            assert np.array_equal(array[..., at], right)

    @invariant()
    def pairs_count_what_they_have_caught_up_with(self):
        store = self.store
        if store.pairs is None:
            assert store.n_events < store.limit
            return
        assert store.n_events - store.n_paired < store.limit
        assert store.pairs.members.tolist() == list(range(store.n_features))
        assert store.windowed == (self.counts == "bitset")
        if store.windowed:
            self._pairs_count_the_window()
            return
        for a, b in itertools.combinations(range(store.n_features), 2):
            expected = self._count([a, b], 0, store.n_paired)
            assert read_pair(store.pairs, a, b) == expected

    def _pairs_count_the_window(self):
        """Tables of them are there only while they are measured."""
        store, n = self.store, self.store.n_features
        assert store.pairs.cells.size == 0
        found = measured_pairs(store)
        for a, b in itertools.combinations(range(n), 2):
            expected = self._count([a, b], store.n_events - store.n_held, store.n_events)
            assert found.pop((a, b), {}) == expected
        assert not found

    @invariant()
    def pairs_and_sets_are_up_to_date_where_they_are_wanted_at_once(self):
        store = self.store
        assert store.keeps_sets == (self.at_once and store.pairs is not None)
        if self.at_once and store.pairs is not None:
            assert store.n_paired == store.n_events
            assert_sets(store.bitsets, store.layout, store.window, store.n_events)

    @invariant()
    def triples_count_what_they_have_caught_up_with(self):
        store = self.store
        none = not self.wants_triples or store.n_events < store.limit or store.windowed
        assert (store.triples is None) <= none
        assert store.triples is None or not store.windowed
        if store.triples is None:
            return
        for a, b, d in itertools.combinations(range(store.n_features), 3):
            expected = self._count([a, b, d], self.triples_since, store.n_tripled)
            assert read_triple(store.triples, a, b, d) == expected

    @invariant()
    def families_count_everything_since(self):
        store = self.store
        assert set(store.keys) == set(self.families_since)
        for f, key in enumerate(store.keys):
            child, parents = key
            caps = [int(store.layout.caps[parent]) for parent in parents]
            both, _ = read_family(store.families, f, caps)
            expected = self._count([child, *parents], self.families_since[key], store.n_events)
            assert both == expected

    def _count(self, features, first, stop):
        part = slice(first, stop)
        counts = naive.count_groups(
            self.rows[part], self.labels[part], self.weights[part], features
        )
        return naive.nonzero(counts)


class SkippingMachine(StoreMachine):
    skip_missing = True


class FamiliesFromTheWindow(StoreMachine):
    window_size = 9
    wants_triples = False


class AtOnceMachine(StoreMachine):
    window_size = 14
    at_once = True


class SkippingAtOnceMachine(AtOnceMachine):
    window_size = 24  # the window is widened on the way there
    skip_missing = True


class BitsetMachine(StoreMachine):
    counts = "bitset"


class SkippingBitsetMachine(BitsetMachine):
    window_size = 9
    skip_missing = True


class BitsetAtOnceMachine(AtOnceMachine):
    counts = "bitset"


class SkippingBitsetAtOnceMachine(SkippingAtOnceMachine):
    counts = "bitset"


EFFORT = settings(max_examples=25, stateful_step_count=25, derandomize=True, deadline=None)
TestStore = StoreMachine.TestCase
TestStore.settings = EFFORT
TestSkipping = SkippingMachine.TestCase
TestSkipping.settings = EFFORT
TestFamiliesFromTheWindow = FamiliesFromTheWindow.TestCase
TestFamiliesFromTheWindow.settings = EFFORT
TestAtOnce = AtOnceMachine.TestCase
TestAtOnce.settings = EFFORT
TestSkippingAtOnce = SkippingAtOnceMachine.TestCase
TestSkippingAtOnce.settings = settings(EFFORT, max_examples=15)
TestBitset = BitsetMachine.TestCase
TestBitset.settings = settings(EFFORT, max_examples=15)
TestSkippingBitset = SkippingBitsetMachine.TestCase
TestSkippingBitset.settings = settings(EFFORT, max_examples=15)
TestBitsetAtOnce = BitsetAtOnceMachine.TestCase
TestBitsetAtOnce.settings = settings(EFFORT, max_examples=15)
TestSkippingBitsetAtOnce = SkippingBitsetAtOnceMachine.TestCase
TestSkippingBitsetAtOnce.settings = settings(EFFORT, max_examples=15)


# -- Memory --------------------------------------------------------------------------------------


def filled(store, n_features, n_slots, n_events, seed=0):
    """Let a store learn random events of so many features with so many slots."""
    store.insert_features(np.arange(n_features), np.full(n_features, -1))
    store.make_room([n_slots] * n_features, 2)
    rng = np.random.default_rng(seed)
    for start in range(0, n_events, store.limit):
        size = min(store.limit, n_events - start)
        codes = rng.integers(0, n_slots, (n_features, size)).astype(np.int16)
        labels = rng.integers(0, 2, size).astype(np.int32)
        store.add_block(codes.astype(float), codes, labels, np.ones(size))
    return store


def bytes_of(store):
    tables = [store.window, store.singles, store.families, store.pairs or (), store.triples or ()]
    sets = store.bitsets[:6]
    arrays = {id(array): array for table in (*tables, sets) for array in table}
    return sum(array.nbytes for array in arrays.values())


def test_an_empty_store():
    store = CountStore(10, ROOMY, True, True)
    assert (store.n_features, store.n_events, store.n_held, store.exact) == (0, 0, 0, True)


def test_the_window_grows_with_the_stream():
    store = CountStore(1000, ROOMY, True, False)
    sizes = set()
    for _ in range(100):
        filled(store, 0, 1, 25)
        sizes.add(store.capacity)
    assert store.capacity == store.limit == 1000
    assert len(sizes) < 10


def test_the_window_takes_half_of_the_memory_at_most():
    store = filled(CountStore(10_000, 50_000, True, False), 5, 2, 0)
    assert windows.window_bytes(5, store.limit) <= 25_000
    assert windows.window_bytes(5, store.limit + 1) > 25_000
    # but for a least window, without which nothing could be learned
    assert CountStore(10_000, 1000, True, False).limit == 64
    assert CountStore(10, 1000, True, False).limit == 10


def test_the_most_informative_features_keep_pairs():
    store = filled(CountStore(100, 25_000, True, False, counts="dense"), 6, 8, 50)
    information = np.array([0.1, 0.5, 0.2, 0.5, 0.3, 0.0])
    store.open_pairs(information, 0.5)
    n = len(store.pairs.members)
    ranked = [1, 3, 4, 2, 0, 5]
    assert 2 <= n < 6
    assert store.pairs.members.tolist() == sorted(ranked[:n])
    budget = (25_000 - store.fixed_bytes(store.layout)) * 0.5
    assert store.pairs.cells.nbytes <= budget


def test_pairs_only_where_they_are_wanted():
    store = filled(CountStore(100, ROOMY, False, True), 3, 2, 20)
    store.open_pairs(np.ones(3), 0.5)
    store.open_triples()
    assert store.pairs is None
    assert store.triples is None
    store.use([(0, (1,)), (1, (0, 2))])
    rows = naive.rows_of(store.window.codes[:, :20])
    expected = naive.count_groups(rows, store.window.labels[:20], np.ones(20), [1, 0, 2])
    assert read_family(store.families, 1, [2, 2])[0] == naive.nonzero(expected)


def test_triples_that_would_not_fit_are_never_allocated():
    roomy, tight = (filled(CountStore(100, size, True, True), 6, 6, 50) for size in (ROOMY, 60_000))
    for store in (roomy, tight):
        store.open_pairs(np.ones(6), 0.5)
        store.open_triples()
    assert roomy.triples is not None
    assert tight.triples is None


@pytest.mark.parametrize("counts", ["auto", "dense", "bitset"])
@pytest.mark.parametrize("max_bytes", [20_000, 40_000, 80_000, 200_000])
def test_growth_stays_within_the_memory(max_bytes, counts):
    store = filled(CountStore(100, max_bytes, True, True, counts=counts), 5, 2, 60)
    store.open_pairs(np.ones(5), 0.5)
    store.open_triples()
    store.use([(0, (1, 2)), (1, (2,)), (4, (0, 3))])
    for n_slots in (3, 5, 8):
        store.make_room([n_slots] * 5, 2)
        assert bytes_of(store) <= max_bytes + 2000  # the small arrays beside the cells
    total = store.singles.totals.sum()
    assert total == 60 * 5


def test_features_are_refused_before_they_would_take_all_memory():
    store, n = CountStore(10_000, 100_000, True, False), 0
    while store.can_take_feature():
        store.insert_features(np.array([n]), np.array([-1]))
        n += 1
    assert 10 < n < 200
    assert bytes_of(store) <= 100_000
    assert not store.can_take_feature(n_before=1)


def test_several_features_are_weighed_together():
    store, n = CountStore(10_000, 100_000, True, False), 0
    while store.can_take_feature(n):
        n += 1
    for i in range(n):
        assert store.can_take_feature()
        store.insert_features(np.array([i]), np.array([-1]))


def test_the_same_families_again_are_left_alone():
    store = filled(CountStore(100, ROOMY, True, False), 3, 2, 20)
    store.use([(0, (1,))])
    families = store.families
    store.use([(0, (1,))])
    assert store.families is families


# -- Memory of those that are up to date at once ---------------------------------------------------


def test_nothing_is_kept_at_once_before_the_pairs_are_opened():
    store = filled(CountStore(100, ROOMY, True, True, at_once=True), 3, 2, 20)
    assert not store.keeps_sets
    store.open_pairs(np.ones(3), 0.5)
    assert store.keeps_sets
    store.rebuild([2] * 3)
    assert not store.keeps_sets


@pytest.mark.parametrize("counts", ["auto", "dense", "bitset"])
@pytest.mark.parametrize("wants_triples", [False, True])
@pytest.mark.parametrize(
    ("n", "max_bytes"), [(5, 20_000), (8, 25_000), (5, 60_000), (5, 145_000), (8, 200_000)]
)
def test_growth_stays_within_the_memory_with_sets(n, max_bytes, wants_triples, counts):
    store = CountStore(500, max_bytes, True, wants_triples, at_once=True, counts=counts)
    filled(store, n, 2, 60)
    store.open_pairs(np.ones(n), 0.25)
    store.open_triples()
    store.use([(0, (1, 2)), (1, (2,)), (4, (0, 3))])
    for n_slots in (3, 5, 6, 8):
        store.make_room([n_slots] * n, 2)
        store.widen_window(1000)
        assert bytes_of(store) <= max_bytes + 2000  # the small arrays beside the cells


def learn_random(store, n_events, n_slots, seed):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, n_slots, (store.n_features, n_events)).astype(np.int16)
    labels = rng.integers(0, 2, n_events).astype(np.int32)
    store.add_block(codes.astype(float), codes, labels, np.ones(n_events))
    return codes, labels


def test_sets_that_no_longer_fit_are_dropped():
    """Pairs go on counting every event without them."""
    store = filled(CountStore(400, 40_000, True, False, at_once=True, counts="dense"), 5, 2, 0)
    store.open_pairs(np.ones(5), 0.5)
    store.make_room([2] * 5, 2)
    blocks = [learn_random(store, 150, 2, 1)]
    assert store.keeps_sets
    store.make_room([9] * 5, 2)
    assert not store.keeps_sets
    blocks.append(learn_random(store, 150, 9, 2))
    blocks.append(learn_random(store, 200, 9, 3))
    assert not store.keeps_sets
    assert store.n_paired == store.n_events == 500
    rows = [row for codes, _ in blocks for row in naive.rows_of(codes)]
    labels = [int(label) for _, of_block in blocks for label in of_block]
    for a, b in itertools.combinations(range(len(store.pairs.members)), 2):
        expected = naive.count_groups(rows, labels, [1.0] * 500, store.pairs.members[[a, b]])
        assert read_pair(store.pairs, a, b) == naive.nonzero(expected)
    assert bytes_of(store) <= 40_000 + 2000


# -- From tables to the window --------------------------------------------------------------------


@pytest.mark.parametrize("at_once", [False, True])
def test_tables_give_way_to_the_window_when_they_stop_fitting(at_once):
    """What families count of events long gone is not lost with the tables."""
    store = CountStore(100, 180_000, True, False, at_once=at_once)
    filled(store, 10, 2, 0)
    blocks = [learn_random(store, 100, 2, 1)]
    store.open_pairs(np.ones(10), 0.5)
    assert not store.windowed
    blocks.append(learn_random(store, 80, 2, 2))
    store.sync_pairs()
    keys = [(0, (1,)), (4, (2,)), (3, (0, 1))]
    store.use(keys)
    blocks.append(learn_random(store, 60, 2, 3))  # not in the tables unless at once
    store.make_room([15] * 10, 2)
    assert store.windowed
    assert store.pairs.members.tolist() == list(range(10))
    assert store.pairs.cells.size == 0
    assert store.keeps_sets == at_once
    assert store.keys == keys
    blocks.append(learn_random(store, 50, 15, 4))
    rows = [row for codes, _ in blocks for row in naive.rows_of(codes)]
    labels = [int(label) for _, of_block in blocks for label in of_block]
    for f, (child, parents) in enumerate(keys):
        since = 0 if len(parents) == 1 else 80  # two parents: from the window of that time
        part = slice(since, None)
        expected = naive.count_groups(
            rows[part], labels[part], [1.0] * len(rows[part]), [child, *parents]
        )
        caps = store.layout.caps[list(parents)].tolist()
        assert read_family(store.families, f, caps)[0] == naive.nonzero(expected)
    measured = measured_pairs(store)
    for a, b in itertools.combinations(range(10), 2):
        expected = naive.count_groups(rows[-100:], labels[-100:], [1.0] * 100, [a, b])
        assert measured[a, b] == naive.nonzero(expected)
    assert bytes_of(store) <= 180_000 + 2000


@pytest.mark.parametrize(
    ("counts", "windowed", "everybody"),
    [("auto", True, True), ("bitset", True, True), ("dense", False, False)],
)
def test_where_the_tables_of_all_pairs_do_not_fit(counts, windowed, everybody):
    store = filled(CountStore(100, 25_000, True, True, counts=counts), 6, 8, 50)
    store.open_pairs(np.arange(6.0), 0.5)
    store.open_triples()
    assert store.windowed == windowed
    assert (len(store.pairs.members) == 6) == everybody
    assert store.triples is None


def test_tables_of_some_pairs_where_neither_all_nor_the_sets_fit():
    store = filled(CountStore(400, 20_000, True, False, at_once=True), 6, 20, 0)
    learn_random(store, store.limit, 20, 1)
    store.open_pairs(np.arange(6.0), 0.5)
    assert not store.windowed
    assert 0 < len(store.pairs.members) < 6
    assert not store.keeps_sets


def test_a_store_counted_anew_chooses_anew():
    """Fewer slots, and the tables fit."""
    store = filled(CountStore(100, 30_000, True, False), 6, 8, 50)
    store.open_pairs(np.ones(6), 0.5)
    assert store.windowed
    store.window.codes[:] //= 4
    store.rebuild([2] * 6)
    store.open_pairs(np.ones(6), 0.5)
    assert not store.windowed
    assert len(store.pairs.members) == 6
