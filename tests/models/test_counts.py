"""Models whose pairs are counted in the window against those that have tables of them."""

from __future__ import annotations

import copy
import gc
import itertools
import math
import pickle
import random
import warnings
from typing import Any

import numpy as np
import pytest
from river import drift

from river_kdb import (
    AODEClassifier,
    BKDBClassifier,
    CSBClassifier,
    KDBClassifier,
    KDFClassifier,
    SelectiveKDBClassifier,
    TANClassifier,
    UKDBClassifier,
)
from tests import datasets

EARLY = {"grace_period": 20, "relearn_period": 50}

MAKERS: dict[str, Any] = {
    "kdb": KDBClassifier,
    "kdb3": lambda **p: KDBClassifier(k=3, order="mrmr", **p),
    "kdb-sum": lambda **p: KDBClassifier(k=1, order="sum_cmi", **p),
    "tan": TANClassifier,
    "watan": lambda **p: TANClassifier(average="mi", **p),
    "aode": AODEClassifier,
    "waode-sr": lambda **p: AODEClassifier(weights="mi", subsumption=True, **p),
    "kdf": KDFClassifier,
    "mmkdb": SelectiveKDBClassifier,
    "skdb": lambda **p: SelectiveKDBClassifier(k=2, order="mi", select="features", **p),
    "ukdb": UKDBClassifier,
    "ukdb-expected": lambda **p: UKDBClassifier(criterion="expected", **p),
    "tl3": lambda **p: UKDBClassifier(universal=False, k=3, **p),
    "tan-e": lambda **p: UKDBClassifier(tree=True, **p),
    "csb": CSBClassifier,
    "bkdb": BKDBClassifier,
    "bkdb-literal": lambda **p: BKDBClassifier(literal=True, redundancy=0.8, **p),
}
AT_ONCE = ["ukdb", "ukdb-expected", "tl3", "tan-e", "csb", "bkdb", "bkdb-literal"]
WAYS: dict[str, dict[str, Any]] = {
    "plain": {},
    "skip": {"missing": "skip"},
    "papers": {"smoothing": "m-estimate"},
    "slides": {"forget": "window", "window_size": 64},
}


def learn(model, events, weights=None):
    for (x, y), w in zip(events, weights or itertools.repeat(1.0), strict=False):
        model.learn_one(x, y, w)
    return model


def some_weights(n):
    """Their sums are the same in any order."""
    rng = random.Random(4)
    return [rng.choice([0.0, 0.5, 1.0, 1.0, 2.25]) for _ in range(n)]


def both(name, **params):
    return [MAKERS[name](**{**EARLY, **params}, counts=counts) for counts in ("dense", "bitset")]


def assert_ways(dense, sets):
    """They really do count in two ways."""
    assert sets._learner.store.windowed
    assert not dense._learner.store.windowed


# -- The same posteriors -------------------------------------------------------------------------


@pytest.mark.parametrize("weigh", [False, True])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", MAKERS)
def test_as_long_as_the_window_holds_the_stream_nothing_differs(name, way, weigh):
    """To the last bit, at every event; a feature comes late."""
    events = datasets.mixed(140, seed=3)
    weights = some_weights(len(events)) if weigh else [1.0] * len(events)
    dense, sets = both(name, **WAYS[way])
    for t, ((x, y), w) in enumerate(zip(events, weights, strict=True)):
        seen = x if t >= 60 else {key: x[key] for key in x if key != "few"}
        assert sets.predict_proba_one(seen) == dense.predict_proba_one(seen), t
        for model in (dense, sets):
            model.learn_one(seen, y, w)
    for model in (dense, sets):
        model.relearn()
    assert_ways(dense, sets)
    assert sets.structure_edges() == dense.structure_edges()
    for x, _ in events[::10]:
        assert sets.predict_proba_one(x) == dense.predict_proba_one(x)


@pytest.mark.parametrize("missing", ["value", "skip"])
@pytest.mark.parametrize("name", MAKERS)
def test_faded_events_count_the_same(name, missing):
    """But for rounding: the sets and the tables add up in another order."""
    events = datasets.categorical(140, seed=5, n_features=5, missing=0.1, n_classes=3)
    dense, sets = both(name, missing=missing, half_life=60)
    for x, y in events:
        expected = dense.predict_proba_one(x)
        assert sets.predict_proba_one(x) == pytest.approx(expected, abs=1e-9)
        for model in (dense, sets):
            model.learn_one(x, y)
    assert_ways(dense, sets)


@pytest.mark.parametrize("name", MAKERS)
def test_after_a_restart_nothing_differs(name):
    """The events before it are forgotten: those of the window are all that count."""
    events = datasets.mixed(200, seed=4)
    dense, sets = both(name, window_size=90)
    for each in (dense, sets):
        each._watch = None
        learn(each, events[:70])
        each._learner.restart(50, each._learn_structure)
        learn(each, events[70:135])
    assert_ways(dense, sets)
    for x, _ in events[::7]:
        assert sets.predict_proba_one(x) == dense.predict_proba_one(x)


# -- Laws of any model ---------------------------------------------------------------------------

FORGETTING = [{"half_life": 40}, {"forget": "window"}, {"missing": "skip"}]


@pytest.mark.parametrize("params", FORGETTING)
@pytest.mark.parametrize("name", MAKERS)
def test_learn_many_equals_the_loop(name, params):
    """Past what the window holds, too."""
    pd = pytest.importorskip("pandas")
    events = datasets.mixed(170, seed=3)
    names = ["colour", "count", "few", "flag", "length", "noise"]
    rows = [{key: x.get(key) for key in names} for x, _ in events]
    labels, weights = [y for _, y in events], some_weights(len(events))
    one, many = (MAKERS[name](**EARLY, window_size=80, counts="bitset", **params) for _ in "12")
    for start, stop in itertools.pairwise([0, 1, 40, 41, 130, 170]):
        known = names if start >= 40 else names[1:]
        some = [{key: x[key] for key in known} for x in rows[start:stop]]
        learn(one, list(zip(some, labels[start:stop], strict=True)), weights[start:stop])
        columns = {key: pd.Series([x[key] for x in some], dtype=object) for key in known}
        many.learn_many(pd.DataFrame(columns), labels[start:stop], weights[start:stop])
    assert one._learner.store.windowed
    probed = pd.DataFrame({key: pd.Series([x[key] for x in rows], dtype=object) for key in names})
    found = many.predict_proba_many(probed)
    for r, x in enumerate(rows[:40]):
        expected = one.predict_proba_one(x)
        assert many.predict_proba_one(x) == expected
        assert found.iloc[r].to_dict() == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", MAKERS)
def test_copies_go_on_alike(name):
    events = datasets.mixed(160, seed=5)
    model = learn(MAKERS[name](**EARLY, window_size=64, counts="bitset"), events[:110])
    bytes_before = pickle.dumps(model)
    posteriors = []
    for x, _ in events[:20]:
        model.predict_proba_one(x)
    assert pickle.dumps(model) == bytes_before
    for each in (model, copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        learn(each, events[110:])
        posteriors.append([each.predict_proba_one(x) for x, _ in events[:30]])
    assert posteriors[0] == posteriors[1] == posteriors[2]


def assert_probabilities(p, labels):
    assert set(p) == labels
    assert all(0.0 <= share <= 1.0 for share in p.values())
    assert math.isclose(sum(p.values()), 1.0)


def wandering(n_events, seed=7):
    """Values, classes and features come and go: most of what was learned has left the window."""
    rng = random.Random(seed)
    for t in range(n_events):
        phase = t // 45
        y = f"c{rng.randrange(phase, phase + 2) % 5}"
        x = {f"f{i}": f"v{rng.randrange(phase, phase + 3) % 7}" for i in range(4)}
        x["n"] = rng.gauss(phase, 1.0)
        x[f"late{phase % 4}"] = rng.choice("ab")
        x["now_and_then"] = None if rng.random() < 0.6 else y
        yield x, y


OVERFLOWING = [
    {},
    {"half_life": 9},
    {"missing": "skip", "half_life": 30, "smoothing": "m-estimate"},
    {"forget": "window", "missing": "skip"},
    {"drift_detector": drift.DummyDriftDetector(t_0=75), "missing": "skip"},
]


@pytest.mark.parametrize("params", OVERFLOWING)
@pytest.mark.parametrize("name", MAKERS)
def test_probabilities_once_the_window_has_overflowed(name, params):
    params = copy.deepcopy(params)
    model = MAKERS[name](grace_period=12, relearn_period=30, window_size=40, counts="bitset")
    model = model.clone(params)
    labels: set[str] = set()
    events = list(wandering(200))
    for t, (x, y) in enumerate(events):
        if t % 3 == 1:
            assert_probabilities(model.predict_proba_one(x), labels)
        model.learn_one(x, y, 1.0 + t // 50 % 2)
        labels.add(y)
        if t % 50 == 49:
            model.relearn()
    assert model._learner.store.windowed
    for x, _ in [*events[:140:9], ({}, ""), ({"f0": "never", "late9": 3}, "")]:
        assert_probabilities(model.predict_proba_one(x), labels)
        assert model.debug_one(x)
    assert str(model.summary)


# -- Wide data -----------------------------------------------------------------------------------


def wide(n_events, n_features, seed=1):
    rng = random.Random(seed)
    for _ in range(n_events):
        label = rng.randrange(2)
        x = {
            f"f{i:03}": str(label if rng.random() < 0.3 / (1 + i % 9) else rng.randrange(3))
            for i in range(n_features)
        }
        yield x, label


def memory(model):
    gc.collect()
    return model._raw_memory_usage


@pytest.mark.parametrize("name", ["kdb", "tan", "aode", "mmkdb", "ukdb", "csb", "bkdb"])
def test_wide_data_go_to_sets(name):
    """Tables of all pairs would take 25 MiB; sets of the window serve all features."""
    events = list(wide(150, 300))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = MAKERS[name](max_size=4, grace_period=60, window_size=200)
        learn(model, events)
        model.relearn()
    store = model._learner.store
    assert store.windowed
    assert len(store.pairs.members) == 300
    assert store.keeps_sets == (name in AT_ONCE)
    assert not any("max_size" in record.note for record in model.summary.features)
    assert "sets of the window" in model.summary.counts
    assert memory(model) < 2 * 4 * 2**20 + 2**20  # River counts the bytes of an array twice
    for x, _ in events[:3]:
        assert_probabilities(model.predict_proba_one(x), {0, 1})


@pytest.mark.parametrize(("name", "n_roots"), [("kdb", 1), ("tan", 1), ("ukdb", 1)])
def test_all_features_of_wide_data_have_parents(name, n_roots):
    model = learn(MAKERS[name](max_size=4, grace_period=60, window_size=200), wide(150, 300))
    model.relearn()
    assert len({child for _, child in model.structure_edges()}) == 300 - n_roots


def test_tables_where_they_are_asked_for_serve_few_features_of_wide_data():
    with pytest.warns(UserWarning, match="max_size=4"):
        model = learn(KDBClassifier(max_size=4, grace_period=60, counts="dense"), wide(150, 300))
    store = model._learner.store
    assert not store.windowed
    assert 0 < len(store.pairs.members) < 300


@pytest.mark.parametrize("name", ["kdb", "ukdb"])
def test_wide_data_beyond_the_window(name):
    """The tables of families go on counting everything; what is asked of the sets does not."""
    model = learn(MAKERS[name](max_size=2, grace_period=60, window_size=80), wide(220, 150))
    store = model._learner.store
    assert store.windowed
    assert store.singles.classes.sum() == 220.0
    assert np.isfinite(store.families.cells).all()
    for x, _ in wide(5, 150, seed=2):
        assert_probabilities(model.predict_proba_one(x), {0, 1})


@pytest.mark.filterwarnings("ignore:max_size")
def test_a_new_value_that_leaves_no_memory_for_sets_is_learned():
    model = UKDBClassifier(max_size=0.015, window_size=64, grace_period=20, counts="bitset")
    for t in range(140):
        x = {f"f{i}": f"v{t // 8 if t > 60 else t % 2}" for i in range(6)}
        model.learn_one(x, t % 3)
    assert not model._learner.store.windowed
    assert model._learner.store.singles.classes.sum() == 140.0
