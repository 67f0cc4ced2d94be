"""Labels, features, schedule and history that were forged are refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

from river_kdb.features.boxes import box
from tests.persist.checks.forgery import put, refuse
from tests.persist.files import small_model


@pytest.fixture(scope="module")
def model():
    return small_model(drift_detector=None)


def first_vocabulary(learner):
    return next(v for v in learner.encoder.vocabularies if v)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda it: it.labels.append(it.labels[0]), "a name is there twice"),
        (lambda it: it.labels.append("new"), "labels and their numbers differ"),
        (lambda it: put(it.labels, 0, math.nan), "the label is missing"),
        (lambda it: it.label_index.update({it.labels[0]: 1}), "labels and their numbers differ"),
        (lambda it: setattr(it, "n_relearns", -1), "n_relearns"),
        (lambda it: it.notes.update(pairs=3), "notes"),
        (lambda it: it.encoder.names.reverse(), "features and their numbers differ"),
        (lambda it: it.encoder.kinds.append(1), "kinds: not one for each feature"),
        (lambda it: put(it.encoder.kinds, 0, 3), "kind of a feature"),
        (lambda it: put(it.encoder.vocabularies, 0, []), "a vocabulary is none"),
        (lambda it: first_vocabulary(it).update(x=2), "a category without an id"),
        (lambda it: first_vocabulary(it).update(x=box(2**31)), "ids of categories"),
        (lambda it: put(it.encoder.next_ids, 0, 2**31), "ids of categories"),
        (lambda it: it.encoder.free_ids[0].append("x"), "free ids"),
        (lambda it: put(it.store.window.raw, (0, 0), box(77)), "a category without a name"),
        (lambda it: setattr(it.schedule, "gap", 0), "gap"),
        (lambda it: setattr(it.schedule, "next_relearn", 3), "next_relearn"),
        (lambda it: setattr(it.schedule, "origin", 10**6), "origin"),
        (lambda it: setattr(it.schedule, "grace_period", 7), "is not that of its parameters"),
        (lambda it: it.history.names.clear(), "history"),
        (lambda it: put(it.history.kept[0][2], 0, 99), "history: arcs has a value out of bounds"),
        (lambda it: it.history.kept.append(("x", "y")), "history: no change"),
    ],
)
def test_what_was_forged_is_refused(model, change, said):
    refuse(model, change, said)


def test_features_stand_in_their_order(model):
    def swap(learner):
        names = learner.encoder.names
        names[0], names[1] = names[1], names[0]
        learner.encoder.index.update({name: i for i, name in enumerate(names)})

    refuse(model, swap, "features are not in order")


def test_attributes_of_another_type_are_refused(model):
    for owner, key, value in (
        ("store", "n_events", 3.0), ("store", "window", None), ("coder", "cuts", ()),
        ("encoder", "nominal", set()), ("schedule", "gap", True),
    ):  # fmt: skip
        refuse(model, lambda it, o=owner, k=key, v=value: setattr(getattr(it, o), k, v), key)
    refuse(model, lambda it: setattr(it, "more", 1), "Learner has no attribute 'more'")
    refuse(model, lambda it: setattr(it, "store", it.coder), "store is of the wrong type")
    refuse(model, lambda it: setattr(it.store, "counts", "dense"), "counts is not that of")
    settings = model._learner.settings._replace(window_size=10**9)
    refuse(model, lambda it: setattr(it, "settings", settings), "settings is not that of")


def test_what_a_file_lacks_is_as_in_a_new_model(model):
    import river_kdb

    old = river_kdb.from_bytes(model.to_bytes())
    del old._learner.__dict__["warned"], old.__dict__["n_jobs"]
    found = river_kdb.from_bytes(old.to_bytes())
    assert found._learner.warned is False
    assert np.array_equal(found._learner.store.window.raw, model._learner.store.window.raw, True)
