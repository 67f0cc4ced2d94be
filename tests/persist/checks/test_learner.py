"""Counts, slots and structures that were forged are refused before a kernel sees them."""

from __future__ import annotations

import numpy as np
import pytest

from river_kdb import UKDBClassifier
from river_kdb.counts.bitsets import FILLED, FREE, N_FREE, OPEN, OWNER
from river_kdb.counts.clock import FIRST, RATE, UNIT
from river_kdb.features.coder import CUT_START, ID_START, MISSING_SLOT, N_CUTS
from river_kdb.structure.structure import ABSENT
from tests.datasets import mixed
from tests.persist.checks.forgery import put, refuse


def learned(**parameters):
    model = UKDBClassifier(
        universal=False, window_size=32, grace_period=20, n_bins=3, max_categories=2, **parameters
    )
    for x, y in mixed(60, seed=1):
        model.learn_one(x, y)
    return model


@pytest.fixture(scope="module")
def model():
    return learned(counts="dense")


def replace(owner, key, field, value):
    """Give a named tuple of an object another field."""
    setattr(owner, key, getattr(owner, key)._replace(**{field: value}))


def grown(array):
    return np.concatenate([array, array[:1]])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda it: put(it.store.window.labels, 3, 3), "labels has a value out of bounds"),
        (lambda it: put(it.store.window.labels, 3, -1), "labels has a value out of bounds"),
        (lambda it: put(it.store.window.codes, (0, 3), 99), "codes has a value out of bounds"),
        (lambda it: put(it.store.window.weights, 3, -1.0), "weights has a count below 0"),
        (lambda it: setattr(it.store, "n_events", -1), "n_events"),
        (lambda it: setattr(it.store, "n_paired", 10**6), "n_paired"),
        (lambda it: put(it.store.layout.caps, 0, 0), "room for slots"),
        (lambda it: put(it.store.layout.caps, 0, 10**6), "room for slots"),
        (lambda it: put(it.store.layout.caps, 0, 50), "singles"),
        (lambda it: replace(it.store, "layout", "class_capacity", 2), "room for classes"),
        (lambda it: replace(it.store, "layout", "class_capacity", 6), "room for classes is odd"),
        (lambda it: replace(it.store, "layout", "class_capacity", 8), "classes is float64(4,)"),
        (lambda it: put(it.store.singles.start, 1, 10**6), "start of singles"),
        (lambda it: put(it.store.singles.used, 1, 99), "slots in use"),
        (lambda it: put(it.store.singles.cells, (1, 1), -1.0), "singles has a count below 0"),
        (lambda it: put(it.store.clock, RATE, 0.5), "the half-life"),
        (lambda it: put(it.store.clock, UNIT, 0.0), "the unit of the counts"),
        (lambda it: put(it.store.clock, FIRST, 1e9), "first event"),
        (lambda it: put(it.store.families.spec, (0, 0), 5), "families"),
        (lambda it: put(it.store.families.spec, (0, 1), 10**6), "families"),
        (lambda it: it.store.keys.pop(), "families"),
        (lambda it: put(it.store.keys, 0, (0, (0,))), "a family is none"),
        (lambda it: put(it.store.keys, 0, (0, (99,))), "a family is none"),
        (lambda it: put(it.store.keys, 0, (0, (3, 1))), "a family is none"),
        (lambda it: put(it.store.keys, 0, it.store.keys[1]), "a family is there twice"),
        (lambda it: put(it.store.pairs.members, 0, 99), "members"),
        (lambda it: put(it.store.pairs.members, 0, 1), "members"),
        (lambda it: put(it.store.pairs.base, 0, 10**6), "pairs: base"),
        (lambda it: put(it.store.pairs.span, 1, 10**6), "pairs: span"),
        (lambda it: replace(it.store, "pairs", "cells", it.store.pairs.cells[1:]), "pairs is"),
        (lambda it: setattr(it.store, "windowed", True), "pairs: base"),
        (lambda it: setattr(it.store, "worth", np.zeros(2)), "worth of features"),
        (lambda it: put(it.store.triples.base, (0, 1), 10**6), "triples: base"),
        (lambda it: put(it.store.triples.width, 0, 10**6), "triples: width"),
        (lambda it: setattr(it.store, "pairs", None), "triples without pairs"),
        (lambda it: put(it.coder.n_slots, 0, 99), "number of slots"),
        (lambda it: put(it.coder.missing, 0, 99), "slot is 99"),
        (lambda it: put(it.coder.bin_start, 1, 99), "first bin"),
        (lambda it: put(it.coder.cuts, 1, np.zeros(50)), "first bin"),
        (lambda it: put(it.coder.slot_of_id, 0, np.zeros(50, dtype=np.int16)), "categories"),
        (lambda it: put(it.coder.slot_of_id[0], 0, 50), "slots has a value out of bounds"),
        (lambda it: it.coder.other.pop(), "other: not one for each feature"),
        (lambda it: put(it.coder.tables.spec, (0, MISSING_SLOT), 99), "slots has a value"),
        (lambda it: put(it.coder.tables.spec, (0, CUT_START), 10**6), "start of a run"),
        (lambda it: put(it.coder.tables.spec, (0, N_CUTS), 10**6), "length of a run"),
        (lambda it: put(it.coder.tables.spec, (0, ID_START), -1), "start of a run"),
        (lambda it: put(it.coder.tables.slots, slice(None), 99), "slots has a value"),
        (lambda it: put(it.structure.parents, (0, 0, 0), 99), "parents"),
        (lambda it: put(it.structure.parents, (0, 0, 0), 0), "a feature is its own parent"),
        (lambda it: put(it.structure.parents, (0, 0, 1), ABSENT), "parents"),
        (lambda it: put(it.structure.roots, 0, 99), "roots"),
        (lambda it: replace(it, "structure", "rule", 2), "rule"),
        (lambda it: replace(it, "structure", "weights", np.zeros(2)), "weights is"),
        (lambda it: replace(it, "structure", "parents", it.structure.parents[:0]), "a network"),
        (lambda it: put(it.program.levels, (0, 0, 0), 999), "levels"),
        (lambda it: put(it.program.levels, (0, slice(None), 0), 0), "the family of another"),
        (lambda it: replace(it, "program", "roots", it.structure.roots.copy()), "roots: not those"),
    ],
)  # fmt: skip
def test_what_was_forged_is_refused(model, change, said):
    refuse(model, change, said)


@pytest.fixture(scope="module")
def with_sets():
    return learned(counts="bitset")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda it: put(it.store.bitsets.start, 1, 10**6), "start of sets"),
        (lambda it: replace(it.store, "bitsets", "slots", it.store.bitsets.slots[1:]), "sets is"),
        (lambda it: put(it.store.bitsets.words, (0, OWNER), 99), "words"),
        (lambda it: put(it.store.bitsets.words, (0, FILLED), 65), "words"),
        (lambda it: put(it.store.bitsets.words, (0, FREE), 10**6), "free words"),
        (lambda it: put(it.store.bitsets.heads, N_FREE, 0), "free words"),
        (lambda it: put(it.store.bitsets.heads, N_FREE, 10**6), "free words"),
        (lambda it: put(it.store.bitsets.heads, OPEN, 10**6), "the head of a class"),
        (lambda it: put(it.store.bitsets.bit_of, 3, 10**6), "bits of events"),
        (lambda it: put(it.store.bitsets.event_at, 3, 10**6), "events of bits"),
        (
            lambda it: replace(it.store, "bitsets", "labels", it.store.window.labels.copy()),
            "labels",
        ),
        (
            lambda it: put(it.store.bitsets.words, (slice(None), OWNER), -1),
            "free words are not free",
        ),
    ],
)
def test_sets_that_were_forged_are_refused(with_sets, change, said):
    refuse(with_sets, change, said)


def test_events_of_a_class_join_in_turn(with_sets):
    def swap(learner):
        store, sets = learner.store, learner.store.bitsets
        first, second = np.flatnonzero(store.window.labels == store.window.labels[0])[:2]
        one, other = int(sets.bit_of[first]), int(sets.bit_of[second])
        sets.bit_of[first], sets.bit_of[second] = other, one
        sets.event_at[other], sets.event_at[one] = first, second

    refuse(with_sets, swap, "not in turn")


def test_arrays_of_another_kind_are_refused(model):
    window = model._learner.store.window
    for raw in (window.raw.astype(np.float32), window.raw[:, :-1].copy(), grown(window.raw)):
        refuse(model, lambda it, raw=raw: replace(it.store, "window", "raw", raw), "window is")
    for raw in (np.asfortranarray(window.raw), window.raw.astype(">f8"), None, 7):
        refuse(model, lambda it, raw=raw: replace(it.store, "window", "raw", raw), "window is")


def test_a_family_of_many_parents_takes_no_memory(model):
    """Where its parents are in the keys only, their places are not worked out."""
    names = len(model._learner.encoder.names)
    refuse(model, lambda it: put(it.store.keys, 0, (0, tuple(range(1, names)))), "families is")
