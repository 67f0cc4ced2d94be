"""What the parts of a model do together when something is due."""

from __future__ import annotations

import random

import numpy as np
import pytest

from river_kdb import KDBClassifier
from river_kdb.event import learn_event
from tests.test_schedule import slow_recodes, slow_relearns

FEATURES = ["a", "b", "c", "d"]


def events(n, seed=0):
    rng = random.Random(seed)
    for _ in range(n):
        yield {name: rng.choice([0.0, 1.0, 2.0]) for name in FEATURES}, rng.choice("yn")


def learn(model, n, seed=0):
    for x, y in events(n, seed):
        model.learn_one(x, y)


@pytest.mark.parametrize("window_size", [40, 64, 1000])
@pytest.mark.parametrize(("grace_period", "relearn_period"), [(7, 20), (50, 1000)])
def test_rare_work_is_done_when_it_is_due(window_size, grace_period, relearn_period, monkeypatch):
    model = KDBClassifier(
        window_size=window_size, grace_period=grace_period, relearn_period=relearn_period
    )
    learner, recoded, relearned = model._learner, [], []
    recode, relearn = type(learner)._recode, type(learner)._relearn

    def note_recode(self):
        recoded.append(self.store.n_events)
        recode(self)

    def note_relearn(self, *args):
        relearned.append(self.store.n_events)
        relearn(self, *args)

    monkeypatch.setattr(type(learner), "_recode", note_recode)
    monkeypatch.setattr(type(learner), "_relearn", note_relearn)
    learn(model, 150)
    assert recoded == [t for t in slow_recodes(150, window_size) if t <= 150]
    assert relearned == slow_relearns(150, grace_period, relearn_period)


@pytest.mark.parametrize("n_before", [99, 100, 101])
def test_relearning_loses_no_history_whenever_it_is_asked_for(n_before):
    """Pairs and triples count every event, also after the window has passed over it."""
    model = KDBClassifier(window_size=100, grace_period=30)
    learn(model, n_before)
    model.relearn()
    learn(model, 150, seed=1)
    store = model._learner.store
    store.sync_pairs()
    store.sync_triples()
    n = n_before + 150
    assert store.pairs.cells.sum() == 6 * n
    assert store.triples.cells.sum() == 4 * n


@pytest.mark.parametrize("w", [1, True, 2, np.float32(1.5), np.int64(1)], ids=repr)
def test_a_weight_of_another_type_compiles_nothing_new(w):
    model = KDBClassifier()
    learn(model, 3)
    before = len(getattr(learn_event, "signatures", []))
    model.learn_one({"a": 1.0, "b": 0.0, "c": 0.0, "d": 0.0}, "y", w=w)
    assert len(getattr(learn_event, "signatures", [])) == before
    assert model._learner.store.singles.classes.sum() == 3 + float(w)
