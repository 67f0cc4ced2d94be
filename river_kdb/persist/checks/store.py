"""Whether the counts of a model are sound."""

from __future__ import annotations

from typing import Any

import numpy as np

from river_kdb.counts.bits import WORD
from river_kdb.counts.bitsets import (
    ALIVE,
    FILLED,
    FREE,
    N_FREE,
    N_WEIGHTED,
    OPEN,
    OWNER,
    n_words_of,
)
from river_kdb.counts.clock import EPOCH, FIRST, RATE, SLIDES, UNIT
from river_kdb.counts.layout import Layout, class_room
from river_kdb.counts.pairs import slab_places
from river_kdb.counts.store import CountStore
from river_kdb.counts.triples import triple_places
from river_kdb.persist.checks.require import (
    require,
    require_array,
    require_counts,
    require_equal,
    require_whole,
    require_within,
)
from river_kdb.persist.checks.structure import check_families

_MOST_ROOM = 2**17
_MOST_CLASSES = 2**31
_MOST_ROWS = 2.0**40


def check_layout(layout: Layout, n: int, m: int, per_class: int = 1) -> None:
    """Raise unless there is room for all features and classes.

    Parameters
    ----------
    layout
        Room for slots and classes.
    n, m
        How many features and classes there are.
    per_class
        Columns of a class.

    Raises
    ------
    ValueError
        If there is not.
    """
    require_array("room for slots", layout.caps, np.int64, (n,))
    require_within("room for slots", layout.caps, 1, _MOST_ROOM)
    columns = layout.class_capacity
    require_whole("room for classes", columns, m * per_class, _MOST_CLASSES * per_class)
    room = columns // per_class
    require(columns == room * per_class and room == class_room(room), "room for classes is odd")


def check_store(store: CountStore, m: int, expected_clock: np.ndarray) -> None:
    """Raise unless the counts of a model are sound.

    Parameters
    ----------
    store
        The counts.
    m
        How many classes there are.
    expected_clock
        The clock of a new model with the same parameters.

    Raises
    ------
    ValueError
        If they are not.
    """
    n = len(store.layout.caps)
    check_layout(store.layout, n, m)
    for key in ("n_paired", "n_tripled"):
        require_whole(key, getattr(store, key), 0, store.n_events)
    _check_singles(store, n)
    check_clock(store.clock, expected_clock, store.n_events)
    _check_window(store, n, m)
    check_families(store.families, store.keys, store.layout)
    if store.pairs is not None:
        _check_pairs(store, n)
    require(store.triples is None or store.pairs is not None, "triples without pairs")
    if store.triples is not None:
        _check_triples(store)
    _check_bitsets(store, n, m)


def _check_window(store: CountStore, n: int, m: int) -> None:
    window, capacity = store.window, np.size(store.window.labels)
    require(1 <= capacity <= store.window_size, "the window is too large, or empty")
    require_array("window", window.raw, np.float64, (n, capacity))
    require_array("codes", window.codes, np.int16, (n, capacity))
    require_array("labels", window.labels, np.int32, (capacity,))
    require_counts("weights", window.weights, (capacity,))
    require_counts("weights", window.counted, (capacity,))
    require((window.counted is not window.weights) == store.fades, "weights are there twice")
    held = window.codes[:, store.held_places()]  # events before a drift keep their old codes
    require_within("codes", held, -2, (store.layout.caps - 1)[:, None])
    require_within("labels", window.labels, 0, max(0, m - 1))


def _check_singles(store: CountStore, n: int) -> None:
    singles, caps, columns = store.singles, store.layout.caps, store.layout.class_capacity
    rows = int(caps.sum())
    require_counts("classes", singles.classes, (columns,))
    require_counts("singles", singles.cells, (rows, columns))
    require_counts("singles", singles.sums, (n, columns))
    require_counts("singles", singles.totals, (rows,))
    require_array("slots in use", singles.used, np.int64, (n,))
    require_within("slots in use", singles.used, 0, caps)
    require_equal("start of singles", singles.start, np.cumsum(caps) - caps)


def check_clock(clock: np.ndarray, expected: np.ndarray, n_events: int) -> None:
    """Raise unless a clock is one that the parameters allow.

    Parameters
    ----------
    clock
        The clock.
    expected
        That of a new model with the same parameters.
    n_events
        Events so far.

    Raises
    ------
    ValueError
        If it is not.
    """
    require_array("clock", clock, np.float64, expected.shape)
    require(clock[RATE] == expected[RATE], "the half-life is not that of the parameters")
    require(clock[SLIDES] == expected[SLIDES], "forgetting is not that of the parameters")
    require_within("epoch", clock[EPOCH], 0.0, n_events + 1.0)
    require_within("first event", clock[FIRST], 0.0, float(n_events))
    require(0.0 < clock[UNIT] < np.inf, "the unit of the counts is none")


def _check_pairs(store: CountStore, n: int) -> None:
    pairs, layout = store.pairs, store.layout
    assert pairs is not None
    _check_members(pairs.members, n)
    stop = 0 if store.windowed else len(pairs.members)
    require(not store.windowed or len(pairs.members) == n, "windowed pairs are of all features")
    places, rows = slab_places(layout, pairs.members, 0, stop)
    for expected, (name, found) in zip(places, pairs._asdict().items(), strict=False):
        require_equal(f"pairs: {name}", found, expected)
    require_counts("pairs", pairs.cells, (rows, layout.class_capacity))
    require_array("worth of features", store.worth, np.float64, (n,))


def _check_members(members: Any, n: int) -> None:
    require_array("members", members, np.int64, (np.size(members),))
    require_within("members", members, 0, n - 1)
    require((np.diff(members) > 0).all(), "members do not rise")


def _check_triples(store: CountStore) -> None:
    triples, pairs, layout = store.triples, store.pairs, store.layout
    assert triples is not None
    assert pairs is not None
    require_equal("triples: members", triples.members, pairs.members)
    n_members = len(pairs.members)
    require_array("triples: base", triples.base, np.int64, (n_members, n_members))
    room = float(layout.caps[pairs.members].sum())
    require(room**3 < 6.0 * _MOST_ROWS, "triples are too large")
    places, rows = triple_places(layout, pairs.members)
    for expected, (name, found) in zip(places, triples._asdict().items(), strict=False):
        require_equal(f"triples: {name}", found, expected)
    require_counts("triples", triples.cells, (rows, layout.class_capacity))


def _check_bitsets(store: CountStore, n: int, m: int) -> None:
    sets, window, layout = store.bitsets, store.window, store.layout
    require(type(sets.slots) is np.ndarray and sets.slots.ndim == 2, "sets are none")
    kept = store.keeps_sets
    require(not kept or store.at_once, "sets that nobody asked for")
    capacity = len(window.labels) if kept else 0
    n_words = n_words_of(layout, capacity)
    start = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(layout.caps + 1, out=start[1:])
    require_equal("start of sets", sets.start, start)
    require_array("sets", sets.slots, np.uint64, (int(start[-1]), n_words))
    require_array("words", sets.words, np.int64, (n_words, 4))
    require_array("heads of sets", sets.heads, np.int64, (OPEN + layout.class_capacity,))
    require_array("bits of events", sets.bit_of, np.int32, (capacity,))
    require_array("events of bits", sets.event_at, np.int32, (n_words * WORD,))
    if kept:
        require(sets.labels is window.labels, "labels of sets are not those of the window")
        require(sets.weights is window.counted, "weights of sets are not those of the window")
        _check_words(store, n_words, m)
    else:
        require_array("labels of sets", sets.labels, np.int32, (0,))
        require_array("weights of sets", sets.weights, np.float64, (0,))
        require(sets.heads[N_FREE] == 0, "words that there are not")


def _check_words(store: CountStore, n_words: int, m: int) -> None:
    """Raise unless the words of the sets are as events that join and leave in turn leave them."""
    sets, held = store.bitsets, store.held_places()
    owner, filled = sets.words[:, OWNER], sets.words[:, FILLED]
    require_within("words", owner, -1, m - 1)
    require_within("words", filled, 0, WORD)
    require_within("free words", sets.heads[N_FREE], 0, n_words)
    require_within("weighted events", sets.heads[N_WEIGHTED], 0, len(held))
    free = np.sort(sets.words[: int(sets.heads[N_FREE]), FREE])
    require(np.array_equal(free, np.flatnonzero(owner < 0)), "free words are not free")
    require_within("events of bits", sets.event_at, 0, len(store.window.labels) - 1)
    bits = sets.bit_of[held].astype(np.int64)
    require_within("bits of events", sets.bit_of, 0, n_words * WORD - 1)
    require(np.array_equal(sets.event_at[bits], held), "bits of events are wrong")
    alive = np.zeros(n_words, dtype=np.uint64)
    np.bitwise_or.at(alive, bits // WORD, np.uint64(1) << (bits % WORD).astype(np.uint64))
    require(np.array_equal(alive.view(np.int64), sets.words[:, ALIVE]), "words are wrong")
    require(np.array_equal(alive == 0, owner < 0), "words without events")
    require((owner[bits // WORD] == store.window.labels[held]).all(), "words of another class")
    for c in range(m):
        _check_run(bits[store.window.labels[held] == c], int(sets.heads[OPEN + c]), filled)
    require((sets.heads[OPEN + m :] == -1).all(), "words of classes that there are not")


def _check_run(bits: np.ndarray, head: int, filled: np.ndarray) -> None:
    """Raise unless the events of a class fill word after word, the last of which is its head."""
    if not len(bits):
        require(head == -1, "a word without events")
        return
    require(head == bits[-1] // WORD, "the head of a class is wrong")
    words, ends = bits // WORD, np.flatnonzero(np.diff(bits // WORD))
    in_turn = np.diff(bits) == 1
    in_turn[ends] = (bits[ends] % WORD == WORD - 1) & (bits[ends + 1] % WORD == 0)
    require(in_turn.all(), "the events of a class are not in turn")
    runs = np.append(words[ends], head)
    require(len(set(runs.tolist())) == len(runs), "a word is there twice")
    require(filled[head] == bits[-1] % WORD + 1, "the head of a class is not as full as it says")
