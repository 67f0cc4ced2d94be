"""Merging what one store has counted into another."""

from __future__ import annotations

import numpy as np

from river_kdb.counts.bulk import count_pairs, count_triples
from river_kdb.counts.clock import EPOCH, FIRST, UNIT
from river_kdb.counts.families import Key
from river_kdb.counts.pairs import regrown_pairs
from river_kdb.counts.store import CountStore
from river_kdb.counts.translation import (
    Translation,
    add_families_of,
    add_pairs_of,
    add_singles_of,
    add_triples_of,
    joined_window,
    places_of,
    translated,
)
from river_kdb.counts.triples import regrown_triples
from river_kdb.counts.window import Window, is_fading

PAIRS, TRIPLES, FAMILIES = "pairs", "triples", "families"
"""What may not be able to take over everything that the other store has counted."""


def merge_stores(
    store: CountStore, other: CountStore, translation: Translation, raw: np.ndarray
) -> list[str]:
    """Add the counts of another store, as if its events had come after those of this one.

    With a half-life the newest event of each counts 1: they ran side by side. Where only the window
    counts everything is counted anew from the window.

    Parameters
    ----------
    store
        The store, with room for the slots and classes of the other.
    other
        The other one, which is used up. It has all features of the store.
    translation
        What its codes mean in the store.
    raw
        float64 array of shape (n_features, n_held): the raw rows of the events that it holds.

    Returns
    -------
    Names of the tables that lack something of what the other has counted.
    """
    for each in (store, other):
        each.sync_pairs()
        each.sync_triples()
    _keep_time(store, other)
    events = translated(held_events(other), translation, raw)
    lacking = [] if store.slides else _add_tables(store, other, translation, events)
    n_events = store.n_events + other.n_events
    capacity = min(store.limit, max(store.capacity, n_events))
    store.window = joined_window(held_events(store), events, n_events, capacity)
    store.clock[FIRST] += other.clock[FIRST]
    store.n_events = store.n_paired = store.n_tripled = n_events
    if store.slides:
        store.recount()
    store.renew_sets()
    return lacking


def held_events(store: CountStore) -> Window:
    """Return the events in the window that count, oldest first, as a window without a rest.

    Parameters
    ----------
    store
        The store.
    """
    window, at = store.window, store.held_places()
    raw, codes = (np.ascontiguousarray(rows[:, at]) for rows in (window.raw, window.codes))
    counted = window.counted[at]
    weights = window.weights[at] if is_fading(window) else counted
    return Window(raw, codes, window.labels[at], weights, counted)


def _keep_time(store: CountStore, other: CountStore) -> None:
    """Bring both to the unit in which the newest event of each counts 1."""
    if not store.fades:
        return
    if not store.n_events:
        store.clock[[UNIT, EPOCH]] = other.clock[[UNIT, EPOCH]]
        return
    other.scale(store.clock[UNIT] / other.clock[UNIT])
    store.clock[EPOCH] += other.n_events


def _add_tables(
    store: CountStore, other: CountStore, translation: Translation, events: Window
) -> list[str]:
    """Add all tables; return the names of those that lack something."""
    add_singles_of(store.singles, other.singles, translation)
    complete = {
        PAIRS: _add_pairs(store, other, translation, events),
        TRIPLES: _add_triples(store, other, translation, events),
        FAMILIES: _add_families(store, other, translation),
    }
    return [name for name, is_complete in complete.items() if not is_complete]


def _add_pairs(
    store: CountStore, other: CountStore, translation: Translation, events: Window
) -> bool:
    """Add the pairs; features whose pairs the other has not counted lose theirs."""
    if store.pairs is None or store.windowed:
        return True
    theirs = np.zeros(0, dtype=np.int64)
    if other.pairs is not None and not other.windowed:
        theirs = other.pairs.members
    known = places_of(translation.features[store.pairs.members], theirs) >= 0
    if not known.all() and other.exact:
        count_pairs(store.pairs, events.codes, events.labels, events.counted)
        return True
    if not known.all():
        _keep_pairs_of(store, store.pairs.members[known])
    if other.pairs is not None and known.any():
        add_pairs_of(store.pairs, other.pairs, translation)
    return bool(known.all())


def _keep_pairs_of(store: CountStore, members: np.ndarray) -> None:
    if not len(members) and store.counts != "dense" and store.sets_fit(store.layout):
        store.open_windowed(store.layout)
        return
    everywhere = np.arange(store.n_features)
    assert store.pairs is not None
    store.pairs = regrown_pairs(store.pairs, store.layout, everywhere, members)
    if store.triples is not None:
        store.triples = regrown_triples(store.triples, store.layout, everywhere, members)


def _add_triples(
    store: CountStore, other: CountStore, translation: Translation, events: Window
) -> bool:
    """Add the triples; they are given up where the other has not counted them."""
    if store.triples is None:
        return True
    if other.triples is not None:
        members = translation.features[store.triples.members]
        if (places_of(members, other.triples.members) >= 0).all():
            add_triples_of(store.triples, other.triples, translation)
            return True
    if other.exact:
        count_triples(store.triples, events.codes, events.labels, events.counted)
        return True
    store.triples = None
    return False


def _add_families(store: CountStore, other: CountStore, translation: Translation) -> bool:
    """Add the families in use; the other counts those first that it has no tables of."""
    features = translation.features
    keys: list[Key] = [
        (int(features[child]), tuple(int(features[p]) for p in parents))
        for child, parents in store.keys
    ]
    complete = other.exact or all(key in other.keys or _knows(other, key) for key in keys)
    other.use(keys)
    add_families_of(
        store.families, store.layout, other.families, other.layout, store.keys, translation
    )
    return complete


def _knows(store: CountStore, key: Key) -> bool:
    """Say whether the pairs or triples have the counts of a family."""
    child, parents = key
    tables = {1: None if store.windowed else store.pairs, 2: store.triples}.get(len(parents))
    return tables is not None and bool(np.isin([child, *parents], tables.members).all())
