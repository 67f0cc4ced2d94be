"""The latest posterior: asked for twice, computed once, and never in the way."""

from __future__ import annotations

import copy
import gc
import pickle

import numpy as np
import pytest
from river import datasets, drift

from river_kdb import AODEClassifier, KDBClassifier, UKDBClassifier
from river_kdb.recall import _LATEST, drop_latest, recall

EVENTS = list(datasets.Phishing().take(160))


class Owner:
    pass


def counted(model, monkeypatch):
    """The rows that a posterior was computed of."""
    rows, compute = [], type(model)._posterior

    def note(self, row):
        rows.append(row)
        return compute(self, row)

    monkeypatch.setattr(type(model), "_posterior", note)
    return rows


def watched(klass=KDBClassifier, n=120):
    model = klass(drift_detector=drift.ADWIN(), grace_period=40)
    for x, y in EVENTS[:n]:
        model.learn_one(x, y)
    return model


def test_computed_once_for_the_same_row():
    owner, other, calls = Owner(), Owner(), []

    def compute(row):
        calls.append(row.copy())
        return row * 2.0

    row = np.array([1.0, np.nan])
    for asked, n_calls in ((owner, 1), (owner, 1), (other, 2), (owner, 2)):
        np.testing.assert_array_equal(recall(asked, row.copy(), compute), row * 2.0)
        assert len(calls) == n_calls
    recall(owner, np.array([1.0, 2.0]), compute)
    recall(owner, row, compute)
    assert len(calls) == 4
    drop_latest(owner)
    drop_latest(owner)
    recall(owner, row, compute)
    assert len(calls) == 5


def test_it_goes_with_its_owner():
    owner = Owner()
    recall(owner, np.zeros(1), lambda row: row)
    n = len(_LATEST)
    del owner
    gc.collect()
    assert len(_LATEST) < n


@pytest.mark.parametrize("klass", [KDBClassifier, AODEClassifier, UKDBClassifier])
def test_test_then_train_predicts_once_an_event(klass, monkeypatch):
    model = watched(klass)
    rows = counted(model, monkeypatch)
    for t, (x, y) in enumerate(EVENTS[120:140], 1):
        model.predict_proba_one(x)
        model.predict_one(x)
        model.learn_one(x, y)
        assert len(rows) == t
    model.predict_proba_one(x)
    assert len(rows) == t + 1


def test_another_or_a_mutated_event_is_predicted_anew(monkeypatch):
    model = watched()
    rows = counted(model, monkeypatch)
    (x, y), (other, _) = EVENTS[120], EVENTS[131]
    x = dict(x)
    model.predict_one(x)
    name = next(name for name in x if x[name] != other[name])
    x[name] = other[name]
    model.learn_one(x, y)
    assert len(rows) == 2
    model.predict_one(other)
    model.learn_one(EVENTS[121][0], y)
    assert len(rows) == 4


def test_a_change_of_state_drops_it(monkeypatch):
    pd = pytest.importorskip("pandas")
    model = watched()
    x, _ = EVENTS[150]
    rows = counted(model, monkeypatch)
    frame, labels = pd.DataFrame([EVENTS[140][0]]), [EVENTS[140][1]]
    changes = [
        lambda: model.learn_one(*EVENTS[141]),
        lambda: model.learn_many(frame, labels),
        model.relearn,
    ]
    for change in changes:
        model.predict_one(x)
        change()
        n = len(rows)
        assert model.predict_proba_one(x) == copy.deepcopy(model).predict_proba_one(x)
        assert len(rows) == n + 2


def test_without_a_detector_nothing_is_kept():
    gc.collect()
    n, model = len(_LATEST), KDBClassifier()
    for x, y in EVENTS[:30]:
        model.learn_one(x, y)
        model.predict_one(x)
    assert len(_LATEST) <= n


@pytest.mark.parametrize("klass", [KDBClassifier, AODEClassifier, UKDBClassifier])
def test_predicting_is_pure(klass):
    model = watched(klass)
    model.learn_one(*EVENTS[120])
    state, names = pickle.dumps(model), set(vars(model))
    gc.collect()
    size = model._raw_memory_usage
    for x, _ in EVENTS[121:140]:
        model.predict_one(x)
        model.predict_proba_one(x)
    gc.collect()
    assert pickle.dumps(model) == state
    assert set(vars(model)) == names
    assert model._raw_memory_usage == size


def test_it_is_no_part_of_a_copy(monkeypatch):
    model = watched()
    x, y = EVENTS[130]
    model.predict_one(x)
    other = copy.deepcopy(model)
    rows = counted(model, monkeypatch)
    other.learn_one(x, y)
    assert len(rows) == 1
    model.learn_one(x, y)
    assert len(rows) == 1
