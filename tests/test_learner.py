"""What the parts of a model do together when something is due."""

from __future__ import annotations

import random
import warnings

import numpy as np
import pytest

from river_kdb import KDBClassifier, UKDBClassifier
from river_kdb.counts.families import families_bytes
from river_kdb.event import learn_noted
from river_kdb.structure.structure import ABSENT, single_network
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
@pytest.mark.dense_only
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
    before = len(getattr(learn_noted, "signatures", []))
    model.learn_one({"a": 1.0, "b": 0.0, "c": 0.0, "d": 0.0}, "y", w=w)
    assert len(getattr(learn_noted, "signatures", [])) == before
    assert model._learner.store.singles.classes.sum() == 3 + float(w)


def test_features_left_out_stay_so_when_weak_parents_do_not_fit(monkeypatch):
    model = KDBClassifier()
    learn(model, 40)
    learner = model._learner
    chosen = [[-1, -1], [0, -1], [ABSENT, -1], [0, 1]]
    one_parent = families_bytes(learner.store.layout, [(1, (0,)), (3, (0,))])
    monkeypatch.setattr(learner.store, "families_budget", lambda: one_parent)
    with pytest.warns(UserWarning, match="weak parents"):
        learner.use(single_network(np.array(chosen)))
    assert learner.structure.parents[0].tolist() == [[-1, -1], [0, -1], [ABSENT, -1], [0, -1]]
    assert learner.program.levels[0].tolist() == [[-1, -1], [0, -1], [ABSENT, -1], [1, -1]]


def test_there_is_a_structure_once_it_was_learned_of_events():
    model = UKDBClassifier(grace_period=30)
    assert not model._learner.has_structure
    model.relearn()  # of nothing
    assert not model._learner.has_structure
    learn(model, 29)
    assert not model._learner.has_structure
    learn(model, 1, seed=1)
    assert model._learner.has_structure
    early = UKDBClassifier(grace_period=30)
    learn(early, 5)
    early.relearn()
    assert early._learner.has_structure


def test_a_note_that_goes_and_comes_back_warns_once(monkeypatch):
    model = UKDBClassifier(grace_period=30)
    learn(model, 40)
    learner, store = model._learner, type(model._learner.store)
    assert learner.notes == {}
    with monkeypatch.context() as short:
        short.setattr(store, "keeps_sets", False)
        with pytest.warns(UserWarning, match="no sets of events"):
            learner._note_tables()
        assert list(learner.notes) == ["sets"]
    learner._note_tables()
    assert learner.notes == {}
    with monkeypatch.context() as short, warnings.catch_warnings():
        warnings.simplefilter("error")
        short.setattr(store, "keeps_sets", False)
        learner._note_tables()
    assert list(learner.notes) == ["sets"]
