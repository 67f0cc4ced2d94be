"""Merging what one learner has learned into another."""

from __future__ import annotations

import copy

import numpy as np

from river_kdb.counts.merging import FAMILIES, TRIPLES, held_events, merge_stores
from river_kdb.counts.translation import Translation
from river_kdb.features.agreement import check_agreement, take_cells
from river_kdb.learner import Learner, StructureLearner
from river_kdb.structure.structure import arcs

_LACKING = {
    FAMILIES: "some families count only what the window of a merged model still held",
    TRIPLES: "a merged model had no triples, so there are none",
}


def merge_learners(mine: Learner, theirs: Learner, learn_structure: StructureLearner) -> None:
    """Add the counts of another learner with the same settings.

    Parameters
    ----------
    mine
        The learner to add to.
    theirs
        The other one, which stays as it is.
    learn_structure
        Learns the structure when it is due.

    Raises
    ------
    ValueError
        If they code a feature differently; both are as they were before.
    """
    check_agreement(mine.coding, theirs.coding)
    if not theirs.store.n_events:
        return
    theirs = copy.deepcopy(theirs)
    theirs.warned = True
    translation = _take_what_is_new(mine, theirs)
    _keep_what_the_window_loses(mine, theirs)
    adopts = theirs.has_structure and not mine.has_structure
    fits = mine.encoder.names == theirs.encoder.names and _begins_with(mine, theirs)
    before = arcs(mine.structure)
    if adopts and fits:
        mine.use(theirs.structure)
        mine.has_structure = True
    raw = _raw_rows(mine, theirs, translation.features)
    lacking = merge_stores(mine.store, theirs.store, translation, raw)
    mine.schedule.origin += theirs.schedule.origin
    for topic in ("features", *_LACKING):
        if topic in theirs.notes:
            mine.notes.setdefault(topic, theirs.notes[topic])
    for name in _LACKING:
        if name in lacking:
            mine.note(name, _LACKING[name])
    if mine.store.n_events >= mine.store.limit:
        mine.forget_categories()
    if adopts and fits:
        mine.note_change("merge", before)
    elif adopts:
        mine.relearn(learn_structure)
    mine.maintain(learn_structure)


def _take_what_is_new(mine: Learner, theirs: Learner) -> Translation:
    """Take in features, slots and classes of the other; it takes in the features here."""
    was_frozen = mine.is_frozen
    # the slots of new features are the other's
    mine.coder.is_frozen = theirs.coder.is_frozen = False
    known = mine.encoder.index
    mine.take_features(mine.welcome(name for name in theirs.encoder.names if name not in known))
    theirs.take_features([name for name in mine.encoder.names if name not in theirs.encoder.index])
    translation = mine.take_slots(theirs)
    if was_frozen:
        mine.freeze()
    return translation


def _begins_with(mine: Learner, theirs: Learner) -> bool:
    """Say whether the classes stand in the same order: a class may have a network of its own."""
    return mine.labels[: len(theirs.labels)] == theirs.labels


def _keep_what_the_window_loses(mine: Learner, theirs: Learner) -> None:
    stores = mine.store, theirs.store
    if sum(store.n_held for store in stores) >= mine.store.limit:
        mine.keep_history()
        theirs.keep_history()
    elif any(store.pairs is not None for store in stores):
        mine.keep_pairs()
        theirs.keep_pairs()


def _raw_rows(mine: Learner, theirs: Learner, features: np.ndarray) -> np.ndarray:
    """Return the raw rows (n, b) that the other holds, as they stand here."""
    held = held_events(theirs.store).raw
    ours, others = mine.coding, theirs.coding
    raw = np.empty((len(features), held.shape[1]))
    for i, j in enumerate(features.tolist()):
        raw[i] = take_cells(ours, i, others, j, np.ascontiguousarray(held[j]))
    return raw
