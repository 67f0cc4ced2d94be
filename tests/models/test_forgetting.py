"""Models that forget: events that fade, and windows that slide."""

from __future__ import annotations

import copy
import itertools
import pickle
import random

import numpy as np
import pytest

from river_kdb import (
    AODEClassifier,
    KDBClassifier,
    KDFClassifier,
    SelectiveKDBClassifier,
    TANClassifier,
)
from river_kdb.counts.bitsets import N_WEIGHTED
from river_kdb.counts.clock import EPOCH, UNIT
from tests import datasets, naive, target_models
from tests.counts.test_bitsets import places_in
from tests.naive_papers import NaiveKDF, NaiveSelective

EXACT = 1e-9
EARLY = {"grace_period": 20, "relearn_period": 50}

# Name -> (class, oracle, the parameters of both)
MODELS = {
    "nb": (KDBClassifier, naive.NaiveBN, {"k": 0}),
    "kdb": (KDBClassifier, naive.NaiveBN, {"k": 2}),
    "tan": (TANClassifier, lambda **p: naive.NaiveBN("tan", **p), {}),
    "aode": (AODEClassifier, lambda **p: naive.NaiveBN("aode", **p), {}),
    "kdf": (KDFClassifier, NaiveKDF, {}),
    "mskdb": (SelectiveKDBClassifier, NaiveSelective, {"order": "mi"}),
    **{name: target_models.MODELS[name] for name in ("tl", "csb", "bkdb")},
    **{name: target_models.MODELS[name] for name in ("ukdb-posterior", "ukdb-expected")},
    **{name: target_models.MODELS[name] for name in ("bkdb-r", "bkdb-literal")},
}
MAKERS = {
    **{name: (klass, own) for name, (klass, _, own) in MODELS.items()},
    "aode-sr": (AODEClassifier, {"subsumption": True}),
    "kdb3": (KDBClassifier, {"k": 3, "order": "mrmr"}),
}
FORGETTING = [
    {"half_life": 3.0},
    {"half_life": 30, "window_size": 64},
    {"forget": "window", "window_size": 48},
    {"forget": "window", "window_size": 64, "half_life": 11.5},
]


def make(name, **params):
    klass, own = MAKERS[name]
    return klass(**{**own, **params})


def oracle(name):
    _, klass, own = MODELS[name]
    return klass(**own, **({"universal": True} if name.startswith("ukdb") else {}))


def learn(model, events, weights=None):
    for (x, y), w in zip(events, weights or itertools.repeat(1.0), strict=False):
        model.learn_one(x, y, w)
    return model


def some_weights(n, seed=4):
    rng = random.Random(seed)
    return [rng.choice([0.0, 0.3, 1.0, 1.0, 2.7]) for _ in range(n)]


def faded(weights, half_life):
    """The weights as they count after the last event; those of weight 0 pass no time."""
    counted, left = [], sum(w > 0 for w in weights)
    for w in weights:
        left -= w > 0
        counted.append(w * 2.0 ** (-left / half_life))
    return counted


@pytest.mark.parametrize(("half_life", "n"), [(60, 200), (4, 350)])
@pytest.mark.parametrize("name", MODELS)
def test_posteriors_equal_the_oracle_of_faded_weights(name, half_life, n):
    """The longer stream goes on until the tables have been brought to a later epoch."""
    events = datasets.categorical(n, seed=12, n_features=4, missing=0.1, n_classes=3)
    weights = [w if w == 0.0 else max(1.0, w) for w in some_weights(n)]
    model = learn(make(name, half_life=half_life), events, weights)
    model.relearn()
    assert (model._learner.store.clock[EPOCH] > 0) == (half_life == 4)
    xs, ys = map(list, zip(*events, strict=True))
    reference = oracle(name).fit(xs, ys, faded(weights, half_life))
    for x in [*xs[-4:], {**xs[-1], "f0": "never learned"}, {}]:
        expected = reference.posterior(x)
        assert model.predict_proba_one(x) == pytest.approx(expected, abs=EXACT), x


@pytest.mark.parametrize("forgetting", FORGETTING)
@pytest.mark.parametrize("name", MAKERS)
def test_learn_many_equals_the_loop_to_the_last_bit(name, forgetting):
    pd = pytest.importorskip("pandas")
    events = datasets.mixed(230, seed=3)
    names = ["colour", "count", "few", "flag", "length", "noise"]
    rows = [{key: x.get(key) for key in names} for x, _ in events]
    labels, weights = [y for _, y in events], some_weights(len(events))
    one, many = (make(name, **EARLY, **forgetting) for _ in range(2))
    for start, stop in itertools.pairwise([0, 1, 40, 41, 150, 230]):
        part = slice(start, stop)
        # a feature that comes late, in both at the same event
        known = names if start >= 40 else names[1:]
        some = [{key: x[key] for key in known} for x in rows[part]]
        learn(one, list(zip(some, labels[part], strict=True)), weights[part])
        columns = {key: pd.Series([x[key] for x in some], dtype=object) for key in known}
        many.learn_many(pd.DataFrame(columns), labels[part], weights[part])
    assert_same_tables(one, many)
    for x in rows[:25]:
        assert one.predict_proba_one(x) == many.predict_proba_one(x)


def assert_same_tables(one, many):
    ours, theirs = one._learner.store, many._learner.store
    assert ours.n_events == theirs.n_events
    # which words the sets of a class stand in depends on how many events left at once
    for left, right in zip(ours.bitsets.slots, theirs.bitsets.slots, strict=True):
        assert places_in(ours.bitsets, left) == places_in(theirs.bitsets, right)
    assert ours.bitsets.heads[N_WEIGHTED] == theirs.bitsets.heads[N_WEIGHTED]
    for table in ("window", "singles", "families", "pairs"):
        if getattr(ours, table) is None:
            assert getattr(theirs, table) is None
            continue
        pairs = zip(getattr(ours, table), getattr(theirs, table), strict=True)
        for left, right in pairs:
            assert np.array_equal(left, right, equal_nan=left.dtype.kind == "f"), table


@pytest.mark.parametrize("weigh", [False, True])
@pytest.mark.parametrize("name", MAKERS)
def test_a_sliding_window_equals_a_model_of_its_events(name, weigh):
    events = datasets.mixed(210, seed=9, n_classes=2)
    weights = [w or 1.0 for w in some_weights(len(events))] if weigh else [1.0] * len(events)
    size = 70
    model = learn(make(name, **EARLY, forget="window", window_size=size), events, weights)
    fresh = learn(make(name, **EARLY), events[-size:], weights[-size:])
    for each in (model, fresh):
        each.relearn()
    store = model._learner.store
    assert store.exact
    assert store.singles.classes.sum() == pytest.approx(sum(weights[-size:]), rel=1e-12)
    for x, _ in events[::15]:
        expected = fresh.predict_proba_one(x)
        assert model.predict_proba_one(x) == pytest.approx(expected, abs=1e-12), x


@pytest.mark.parametrize("name", ["nb", "kdb", "aode", "ukdb-posterior", "csb"])
def test_without_relearning_nothing_of_what_left_the_window_is_left(name):
    """Old categories, classes and all: the tables are those of the latest events."""
    model = make(name, **EARLY, forget="window", window_size=40)
    learn(model, datasets.growing(150, seed=2))
    learn(model, [({"f0": "only", "f1": "these"}, "here")] * 60)
    store = model._learner.store
    assert model.summary.classes == {
        label: 40.0 if label == "here" else 0.0 for label in model.summary.classes
    }
    assert set(store.singles.used.tolist()) == {1}
    assert np.count_nonzero(store.singles.cells) == store.n_features
    assert store.families.cells.sum() == 80.0 * len(store.keys)


@pytest.mark.parametrize("name", ["nb", "kdb", "aode", "kdf", "tl", "bkdb"])
def test_a_value_that_has_faded_away_was_never_seen(name):
    model = make(name, **EARLY, half_life=1.5)
    learn(model, [({"a": "old", "b": "x"}, "u")] * 5)
    learn(model, [({"a": "new", "b": "xy"[t % 2]}, "uv"[t % 2]) for t in range(400)])
    for x in ({"a": "old", "b": "x"}, {"a": "old"}):
        unseen = model.predict_proba_one({**x, "a": "never learned"})
        assert model.predict_proba_one(x) == unseen
    assert {feature.name: feature.slots for feature in model.summary.features} == {"a": 1, "b": 2}


def test_what_is_shown_counts_in_units_of_the_newest_event():
    events = datasets.categorical(300, seed=1, n_features=3, n_classes=2)
    model = learn(make("kdb", **EARLY, half_life=20), events)
    counted = faded([1.0] * 300, 20)
    sums = {
        y: sum(w for (_, c), w in zip(events, counted, strict=True) if c == y)
        for y in model.summary.classes
    }
    assert model.summary.classes == pytest.approx(sums, rel=1e-9)
    total = sum(sums.values())
    for y, n in sums.items():
        assert model.p_class(y) == pytest.approx((n + 1 / len(sums)) / (total + 1), rel=1e-9)
    label = model._learner.labels[0]
    text = model.debug_one(events[-1][0])
    assert f" of {sums[label]:g})" in text
    posterior = model.predict_proba_one(events[-1][0])
    assert f"probability {posterior[label]:.6f}" in text


def test_subsumption_looks_at_the_events_that_are_left():
    """An implication that held for hundreds of events, but not lately, holds no more."""
    rng = random.Random(4)
    events = []
    for t in range(1500):
        breed = rng.choice(["poodle", "husky", "siamese"])
        kind = "cat" if breed == "siamese" else "dog"
        if t >= 1450 and breed == "poodle":
            kind = "cat"
        events.append(({"breed": breed, "kind": kind, "size": rng.choice("sm")}, rng.choice("yn")))
    half_life = 400
    model = learn(make("aode-sr", half_life=half_life), events)
    model.relearn()
    weights = faded([1.0] * len(events), half_life)
    reference = naive.NaiveBN("aode").fit(*map(list, zip(*events, strict=True)), weights)
    dogs = {"breed": "poodle", "kind": "dog", "size": "s"}
    expected = pytest.approx(reference.posterior(dogs), abs=EXACT)
    assert model.predict_proba_one(dogs) == expected
    husky = {"breed": "husky", "kind": "dog", "size": "s"}
    without_kind = naive.NaiveBN("aode").fit(
        [{key: x[key] for key in ("breed", "size")} for x, _ in events],
        [y for _, y in events],
        weights,
    )
    without = without_kind.posterior({"breed": "husky", "size": "s"})
    assert model.predict_proba_one(husky) == pytest.approx(without, abs=EXACT)


@pytest.mark.parametrize("forgetting", FORGETTING)
@pytest.mark.parametrize("name", ["kdb", "aode", "ukdb-posterior"])
def test_copies_go_on_alike(name, forgetting):
    events = datasets.mixed(200, seed=5)
    model = learn(make(name, **EARLY, **forgetting), events[:120])
    copies = [model, copy.deepcopy(model), pickle.loads(pickle.dumps(model))]
    posteriors = []
    for each in copies:
        learn(each, events[120:])
        posteriors.append([each.predict_proba_one(x) for x, _ in events[:30]])
    assert posteriors[0] == posteriors[1] == posteriors[2]


def test_a_model_follows_a_concept_that_turns():
    rng = random.Random(2)
    right = {"kept": 0, "faded": 0, "window": 0}
    models = {
        "kept": make("kdb", **EARLY),
        "faded": make("kdb", **EARLY, half_life=50),
        "window": make("kdb", **EARLY, forget="window", window_size=150),
    }
    for t in range(1500):
        x = {"a": rng.choice("pq"), "b": rng.choice("rs")}
        y = (x["a"] == "p") != (t >= 750)
        for key, model in models.items():
            right[key] += t >= 900 and model.predict_one(x) == y
            model.learn_one(x, y)
    assert right["faded"] == right["window"] == 600
    assert right["kept"] < 100


@pytest.mark.parametrize("smoothing", [5.0, "m-estimate"])
@pytest.mark.parametrize("name", MAKERS)
def test_nothing_depends_on_the_epoch(name, smoothing):
    """In another unit, a power of two away, everything is the same to the last bit."""
    events = datasets.mixed(300, seed=8)
    model = learn(make(name, **EARLY, half_life=150, smoothing=smoothing), events)
    model.relearn()
    other = copy.deepcopy(model)
    store = other._learner.store
    pairs = () if store.pairs is None else (store.pairs.cells,)
    tables = (*store.singles[:4], *pairs, store.families.cells, store.window.counted)
    for table in tables:
        table *= 2.0**40
    store.clock[UNIT] *= 2.0**40
    store.clock[EPOCH] -= 40 * 150
    for _ in range(2):
        for x, _ in events[::20]:
            assert model.predict_proba_one(x) == other.predict_proba_one(x)
            assert model.debug_one(x) == other.debug_one(x)
        assert str(model.summary) == str(other.summary)
        for y in model.summary.classes:
            assert model.p_class(y) == other.p_class(y)
        for each in (model, other):
            each.relearn()
