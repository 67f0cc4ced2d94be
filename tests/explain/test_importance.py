"""How much worse the answers are without a feature."""

from __future__ import annotations

import math
import pickle
import random

import pytest
from river import drift

from river_kdb import KDBClassifier
from tests.models.test_laws import EVERY

SOON = {"grace_period": 50, "relearn_period": 100}
TOO_SHORT = ("kdb-fades", "ukdb-window", "aode-drifts", "ukdb-drifts", "mixture-drifts")


def stream(n=250, seed=2):
    rng = random.Random(seed)
    for _ in range(n):
        y = rng.choice(["yes", "no"])
        other = {"yes": "no", "no": "yes"}[y]
        x = {
            "best": y if rng.random() < 0.95 else other,
            "good": y if rng.random() < 0.75 else other,
            "noise": rng.random(),
        }
        yield x, y


def learned(make, events, **params):
    model = make(**params)
    for x, y in events:
        model.learn_one(x, y)
    return model


@pytest.mark.parametrize("name", EVERY)
def test_features_are_ranked(name):
    model = learned(EVERY[name], stream(), **SOON)
    before = pickle.dumps(model)
    found = model.feature_importance()
    assert pickle.dumps(model) == before
    assert sorted(found) == model.feature_names
    assert list(found.values()) == sorted(found.values(), reverse=True)
    if name not in TOO_SHORT:
        assert list(found) == ["best", "good", "noise"]
        assert found["best"] > 0.3
        assert abs(found["noise"]) < 0.1


@pytest.mark.parametrize("name", ["nb", "kdb2", "aode", "csb", "mixture"])
def test_it_is_the_rise_of_the_mean_log_loss(name):
    """An oracle: a value never learned is as good as none."""
    events = list(stream(120))
    model = learned(EVERY[name], events, **SOON)
    latest = events[-30:]

    def loss(left_out):
        changed = [({**x, left_out: "never learned"} if left_out else x, y) for x, y in latest]
        return sum(-math.log(model.predict_proba_one(x)[y]) for x, y in changed) / 30

    found = model.feature_importance(n_events=30)
    for feature, rise in found.items():
        assert rise == pytest.approx(loss(feature) - loss(None), abs=1e-9)


def test_events_count_by_their_weight():
    model = KDBClassifier(k=0)
    for (x, y), w in zip(stream(40), [1.0, 3.0] * 20, strict=True):
        model.learn_one(x, y, w)
    twice = KDBClassifier(k=0)
    for (x, y), w in zip(stream(40), [1, 3] * 20, strict=True):
        for _ in range(w):
            twice.learn_one(x, y)
    model.relearn()
    twice.relearn()
    found, expected = model.feature_importance(), twice.feature_importance()
    assert found == pytest.approx(expected, abs=1e-9)


def test_only_events_since_the_drift_count():
    detector = drift.DummyDriftDetector(t_0=60)
    model = learned(KDBClassifier, stream(65), drift_detector=detector, grace_period=20)
    held = model._learner.store.n_held
    assert held < 65
    assert model.feature_importance(1000) == model.feature_importance(held)


def test_several_threads_answer_the_same():
    one = learned(EVERY["aode"], stream(), **SOON)
    two = learned(EVERY["aode"], stream(), n_jobs=2, **SOON)
    assert two.feature_importance() == one.feature_importance()


@pytest.mark.parametrize("name", EVERY)
def test_little_or_nothing_learned(name):
    model = EVERY[name](**SOON)
    assert model.feature_importance() == {}
    model.learn_one({}, "only")
    assert model.feature_importance() == {}
    model.learn_one({"a": 1}, "only")
    assert model.feature_importance() == {"a": 0.0}


@pytest.mark.parametrize("n_events", [0, -1, 1.5, None])
def test_a_bad_number_of_events(n_events):
    with pytest.raises(ValueError, match="n_events"):
        KDBClassifier().feature_importance(n_events)
