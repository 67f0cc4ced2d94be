"""Stores merged against dicts: slots, classes and features stand in another order in the other."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_kdb.counts.clock import FIRST, UNIT
from river_kdb.counts.merging import FAMILIES, PAIRS, TRIPLES, held_events, merge_stores
from river_kdb.counts.pairs import add_pairs, regrown_pairs
from river_kdb.counts.store import CountStore
from river_kdb.counts.translation import Translation
from river_kdb.counts.triples import add_triples
from tests import naive_counts as naive
from tests.counts.blocks import WEIGHTS, as_block, read_family, read_pair, read_triple

ROOMY = 1e9
CAPS = [2, 3, 2, 3]
M = 3


class Learned(NamedTuple):
    rows: list
    labels: list
    weights: list

    def __add__(self, other):
        return Learned(*(a + b for a, b in zip(self, other, strict=True)))

    def counts(self, features):
        return naive.nonzero(naive.count_groups(self.rows, self.labels, self.weights, features))


@st.composite
def learned(draw, caps=CAPS, m=M, max_events=14):
    event = st.tuples(*(st.integers(-1, cap - 1) for cap in caps))
    rows = draw(st.lists(event, min_size=1, max_size=max_events))
    n = len(rows)
    labels = draw(st.lists(st.integers(0, m - 1), min_size=n, max_size=n))
    return Learned(rows, labels, draw(st.lists(WEIGHTS, min_size=n, max_size=n)))


def new_store(n_slots, m, window_size=40, **kwargs):
    store = CountStore(window_size, ROOMY, True, True, **kwargs)
    store.insert_features(np.arange(len(n_slots)), np.full(len(n_slots), -1))
    store.make_room(n_slots, m)
    return store


def push(store, events):
    """One at a time, as a model whose window may turn."""
    for row, label, weight in zip(*events, strict=True):
        block = as_block([row], [label], [weight], store.n_features)
        store.add_block(block.codes + 0.5, *block)
        if store.n_events % store.limit == 0:
            keep_history(store)


def keep_history(store):
    store.open_pairs(np.zeros(store.n_features), 0.5)
    store.open_triples()
    store.sync_pairs()
    store.sync_triples()


@st.composite
def others(draw, events):
    """What stands for the events in another store: feature 0 there is one that is not here."""
    slots = [np.array(draw(st.permutations(range(cap)))) for cap in CAPS]
    classes = np.array(draw(st.permutations(range(M))))
    back = [{int(here): there for there, here in enumerate(own)} | {-1: -1} for own in slots]
    rows = [(0, *(back[i][s] for i, s in enumerate(row))) for row in events.rows]
    of_class = {int(here): there for there, here in enumerate(classes)}
    labels = [of_class[label] for label in events.labels]
    translation = Translation(np.arange(1, len(CAPS) + 1), slots, classes)
    return Learned(rows, labels, events.weights), translation


def raw_of(store, translation):
    return held_events(store).raw[translation.features]


KEYS = [(0, (1,)), (2, (0, 3)), (3, (0, 1, 2)), (1, (2,))]


def assert_tables(store, events):
    assert store.n_events == len(events.labels)
    for i in range(store.n_features):
        first = store.singles.start[i]
        cells = store.singles.cells[first : first + store.layout.caps[i]]
        found = {((s,), c): cells[s, c] for s, c in np.argwhere(cells).tolist()}
        assert found == events.counts([i])
        totals = store.singles.totals[first : first + store.layout.caps[i]]
        assert totals.tolist() == cells.sum(axis=1).tolist()
        assert store.singles.used[i] == np.count_nonzero(totals)
        assert store.singles.sums[i].tolist() == cells.sum(axis=0).tolist()
    classes = {((), c): n for c, n in enumerate(store.singles.classes.tolist()) if n}
    assert classes == events.counts([])
    if store.pairs is not None and not store.windowed:
        for a, b in itertools.combinations(range(len(store.pairs.members)), 2):
            i, j = store.pairs.members[[a, b]].tolist()
            assert read_pair(store.pairs, a, b) == events.counts([i, j])
    if store.triples is not None:
        for three in itertools.combinations(range(len(store.triples.members)), 3):
            features = [int(store.triples.members[a]) for a in three]
            assert read_triple(store.triples, *three) == events.counts(features)
    for f, (child, parents) in enumerate(store.keys):
        caps = [int(store.layout.caps[p]) for p in parents]
        both, whole = read_family(store.families, f, caps)
        assert both == events.counts([child, *parents])
        known = [r for r, row in enumerate(events.rows) if row[child] >= 0]
        of_child = Learned(*([column[r] for r in known] for column in events))
        assert whole == of_child.counts(list(parents))


def assert_window(store, events):
    held = held_events(store)
    n = held.codes.shape[1]
    assert n == min(store.limit, len(events.labels))
    assert held.codes.T.tolist() == [list(row) for row in events.rows[-n:]]
    assert held.labels.tolist() == events.labels[-n:]
    assert held.weights.tolist() == events.weights[-n:]
    assert store.exact == (n == len(events.labels))


@settings(max_examples=25)
@given(data=st.data())
@pytest.mark.parametrize("counts", ["dense", "bitset"])
def test_the_sum_is_that_of_all_events(counts, data):
    mine, theirs = data.draw(learned()), data.draw(learned())
    there, translation = data.draw(others(theirs))
    window_size = data.draw(st.sampled_from([8, 40]))
    store = new_store(CAPS, M, window_size, counts=counts)
    other = new_store([1, *CAPS], M, window_size, counts=counts)
    push(store, mine)
    push(other, there)
    if data.draw(st.booleans()):
        store.sync_pairs()
        store.use(KEYS)
    full = store.n_held + other.n_held >= store.limit
    if full or data.draw(st.booleans()):
        keep_history(store)
        keep_history(other)
    exact = store.exact and other.exact
    lacking = merge_stores(store, other, translation, raw_of(other, translation))
    assert_window(store, mine + theirs)
    assert store.n_paired == store.n_tripled == store.n_events
    if counts == "bitset" and not exact:
        assert set(lacking) <= {FAMILIES}
        return
    if not exact:  # those of three parents have been counted in the window
        store.use([key for key in store.keys if len(key[1]) < 3])
    assert_tables(store, mine + theirs)


@settings(max_examples=15)
@given(data=st.data())
def test_where_only_the_window_counts_it_is_as_if_one_had_learned_both(data):
    mine, theirs = data.draw(learned()), data.draw(learned())
    there, translation = data.draw(others(theirs))
    store = new_store(CAPS, M, 8, forget="window")
    other = new_store([1, *CAPS], M, 8, forget="window")
    push(store, mine)
    push(other, there)
    store.use(KEYS)
    store.open_pairs(np.zeros(4), 0.5)
    assert merge_stores(store, other, translation, raw_of(other, translation)) == []
    events = mine + theirs
    n = min(8, len(events.labels))
    store.n_events = n  # for the comparison alone
    assert_tables(store, Learned(*(column[-n:] for column in events)))


@given(learned(), learned(), st.integers(0, 5), st.integers(0, 5))
@settings(max_examples=20)
def test_what_was_forgotten_before_is_not_held_after(mine, theirs, first, then):
    store, other = new_store(CAPS, M, 40), new_store(CAPS, M, 40)
    left = []
    for each, events, number in ((store, mine, first), (other, theirs, then)):
        push(each, events)
        number = min(number, len(events.labels) - 1)
        each.forget_before(number)
        left.append(Learned(*(column[number:] for column in events)))
    same = Translation(np.arange(4), [np.arange(c) for c in CAPS], np.arange(M))
    merge_stores(store, other, same, raw_of(other, same))
    kept = left[0] + left[1]
    assert store.exact
    assert store.n_held == len(kept.labels)
    assert held_events(store).codes.T.tolist() == [list(row) for row in kept.rows]
    assert store.n_events == len(mine.labels) + len(theirs.labels)
    assert store.clock[FIRST] == store.n_events - store.n_held
    push(store, mine)
    assert store.n_held == len(kept.labels) + len(mine.labels)


@given(learned(), learned(), learned())
@settings(max_examples=15)
def test_with_a_half_life_both_end_now(mine, theirs, after):
    """Event after event the newest of either counts 1, and later events go on from there."""
    store, other = (new_store(CAPS, M, 40, half_life=3.0) for _ in "ab")
    push(store, mine)
    push(other, theirs)
    same = Translation(np.arange(4), [np.arange(c) for c in CAPS], np.arange(M))
    merge_stores(store, other, same, raw_of(other, same))
    push(store, after)
    faded: list[float] = []
    for events in (mine, theirs):
        ages = len(events.labels) - 1 - np.arange(len(events.labels)) + len(after.labels)
        faded += (np.array(events.weights) * 0.5 ** (ages / 3.0)).tolist()
    ages = len(after.labels) - 1 - np.arange(len(after.labels))
    faded += (np.array(after.weights) * 0.5 ** (ages / 3.0)).tolist()
    everything = Learned((mine + theirs + after).rows, (mine + theirs + after).labels, faded)
    unit = store.clock[UNIT]
    found = {((), c): n / unit for c, n in enumerate(store.singles.classes) if n}
    assert found == pytest.approx(everything.counts([]))
    held = held_events(store)
    assert held.counted / unit == pytest.approx(np.array(faded))
    assert held.weights.tolist() == (mine + theirs + after).weights


def long_ones(window_size=8, n=20, **kwargs):
    """Two stores that have lost events."""
    rng = np.random.default_rng(0)
    pushed = []
    stores = []
    for _ in range(2):
        rows = [tuple(int(rng.integers(cap)) for cap in CAPS) for _ in range(n)]
        events = Learned(rows, rng.integers(M, size=n).tolist(), [1.0] * n)
        store = new_store(CAPS, M, window_size, **kwargs)
        push(store, events)
        stores.append(store)
        pushed.append(events)
    return stores, pushed


SAME = Translation(np.arange(4), [np.arange(c) for c in CAPS], np.arange(M))


def merge(store, other):
    return merge_stores(store, other, SAME, raw_of(other, SAME))


def test_nothing_is_compiled_anew_for_events_of_another():
    (store, _), _ = long_ones(window_size=40)
    (other, _), _ = long_ones(window_size=40)
    keep_history(store)
    before = [len(getattr(kernel, "signatures", [])) for kernel in (add_pairs, add_triples)]
    assert other.pairs is None
    assert merge(store, other) == []
    after = [len(getattr(kernel, "signatures", [])) for kernel in (add_pairs, add_triples)]
    assert after == before
    assert store.pairs.cells.sum() == 6 * 40


def test_families_that_the_other_can_only_count_in_its_window_are_named():
    (store, other), _ = long_ones(counts="dense")
    store.use([(3, (0, 1, 2))])
    assert merge(store, other) == [FAMILIES]
    (store, other), pushed = long_ones(counts="dense")
    store.sync_pairs()
    store.use([(3, (0, 1)), (2, (0,))])
    assert merge(store, other) == []
    assert_tables(store, pushed[0] + pushed[1])


def test_triples_that_the_other_has_not_counted_are_given_up():
    (store, other), pushed = long_ones(counts="dense")
    other.triples = None
    assert merge(store, other) == [TRIPLES]
    assert store.triples is None
    assert_tables(store, pushed[0] + pushed[1])


def test_features_whose_pairs_the_other_has_not_counted_lose_theirs():
    (store, other), pushed = long_ones(counts="dense")
    other.triples = None
    other.pairs = regrown_pairs(other.pairs, other.layout, np.arange(4), np.array([0, 2, 3]))
    assert merge(store, other) == [PAIRS, TRIPLES]
    assert store.pairs.members.tolist() == [0, 2, 3]
    assert_tables(store, pushed[0] + pushed[1])


def test_where_the_other_has_no_pairs_at_all_the_window_serves():
    (store, _), _ = long_ones()
    (_, other), _ = long_ones(counts="bitset")
    assert other.windowed
    assert not store.windowed
    assert merge(store, other) == [PAIRS]
    assert store.windowed
    assert store.triples is None
