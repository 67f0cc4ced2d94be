"""The mixture as River sees it: odd cases, laws, drifts, memory, and what it says of itself."""

from __future__ import annotations

import math
import pickle
import random
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from river import datasets, drift, evaluate, metrics
from river.datasets import synth

import river_kdb
from river_kdb import BNMixtureClassifier, Expert, KDBClassifier
from river_kdb.mixture.experts import default_experts
from tests import datasets as own
from tests.detectors import Signals, Wide
from tests.models.test_laws import STREAMS, WEIGHTS, WILD

EXPERTS = [
    Expert("kdb", 2, 3, None),
    Expert("kdb", 0, 5, 12.0),
    Expert("tan", 1, 5, None),
    Expert("linear", 0, 1, 9.0),
]


def few(**params) -> BNMixtureClassifier:
    """A mixture of few experts, which soon relearns and recodes."""
    return BNMixtureClassifier(EXPERTS, **{"grace_period": 6, "relearn_period": 10, **params})


def every(n_events: int) -> drift.DummyDriftDetector:
    return drift.DummyDriftDetector(t_0=n_events)


def learn(model: Any, events: list, weights: list | None = None) -> Any:
    for t, (x, y) in enumerate(events):
        model.learn_one(x, y, 1.0 if weights is None else weights[t])
    return model


def assert_distribution(p: dict) -> None:
    assert all(0.0 <= value <= 1.0 for value in p.values())
    assert math.fsum(p.values()) == pytest.approx(1.0, abs=1e-12)


def examples(n: int) -> Any:
    return settings(max_examples=n, suppress_health_check=list(HealthCheck))


# -- Little or nothing learned -------------------------------------------------------------------


def test_nothing_learned():
    model = few()
    for x in ({}, {"a": 1.0}, {"a": "red"}, {"a": None}):
        assert model.predict_proba_one(x) == {}
        assert model.predict_one(x) is None
    assert model.feature_names == model.structure_edges() == model.structure_history == []
    assert sum(model.weights_.values()) == pytest.approx(1.0, abs=1e-12)
    assert model.winner_ == EXPERTS[0]
    assert "0 events" in str(model.summary)
    model.relearn()
    assert model.predict_proba_one({"a": 1.0}) == {}
    assert model.n_drifts_detected() == model.n_warnings_detected() == 0


def test_events_without_features():
    model = learn(few(), [({}, "a"), ({}, "a"), ({}, "b")])
    assert_distribution(model.predict_proba_one({}))
    assert model.predict_one({}) == "a"
    model.relearn()
    learn(model, [({"later": 3}, label) for label in "cdefghijk"])
    assert_distribution(model.predict_proba_one({"later": 3}))


# -- Laws ----------------------------------------------------------------------------------------


@examples(12)
@given(events=STREAMS, data=st.data())
def test_learn_many_equals_the_loop_to_the_last_bit(events, data):
    pd = pytest.importorskip("pandas")
    weights = data.draw(st.lists(WEIGHTS, min_size=len(events), max_size=len(events)))
    cuts = data.draw(st.lists(st.integers(0, len(events)), max_size=3).map(sorted))
    params = {
        "window_size": data.draw(st.sampled_from([8, 10_000])),
        "max_categories": data.draw(st.sampled_from([2, 32])),
        "missing": data.draw(st.sampled_from(["value", "skip"])),
        "drift_detector": every(12),
    }
    one, many = few(**params), few(**params)
    for start, stop in zip([0, *cuts], [*cuts, len(events)], strict=True):
        part = events[start:stop]
        # a frame has a cell for every row and column, so the loop gets its None, too
        names = list({name: None for x, _ in part for name in x})
        rows = [{name: x.get(name) for name in names} for x, _ in part]
        labels = [y for _, y in part]
        learn(one, list(zip(rows, labels, strict=True)), weights[start:stop])
        columns = {name: pd.Series([x[name] for x in rows], dtype=object) for name in names}
        frame = pd.DataFrame(columns, index=range(len(part)))
        many.learn_many(frame, labels, weights[start:stop])
    for x in [*(x for x, _ in events), {}]:
        assert one.predict_proba_one(x) == many.predict_proba_one(x)
    assert one.weights_ == many.weights_
    assert one.structure_edges() == many.structure_edges()
    assert one.structure_history == many.structure_history
    assert one.n_drifts_detected() == many.n_drifts_detected()


@pytest.mark.parametrize("missing", ["value", "skip"])
@examples(10)
@given(
    events=STREAMS,
    rows=st.lists(WILD, min_size=1, max_size=6),
    smoothing=st.sampled_from([1.0, 1e-6]),
)
def test_probabilities_sum_to_one_for_any_event(missing, events, rows, smoothing):
    model = few(missing=missing, smoothing=smoothing, drift_detector=every(15))
    for t, (x, y) in enumerate(events):
        model.learn_one(x, y)
        p = model.predict_proba_one(rows[t % len(rows)])
        assert y in p
        assert_distribution(p)
    for x in rows:
        model.learn_one(x, "yes")
        assert_distribution(model.predict_proba_one(x))
    model.relearn()
    for x in rows:
        assert_distribution(model.predict_proba_one(x))
    assert sum(model.weights_.values()) == pytest.approx(1.0, abs=1e-12)


@examples(8)
@given(events=STREAMS, rows=st.lists(WILD, min_size=1, max_size=4))
def test_asking_changes_nothing(events, rows):
    pd = pytest.importorskip("pandas")
    model = learn(few(), events)
    before = pickle.dumps(model)
    for x in [*rows, *(x for x, _ in events[:5])]:
        twin = dict(x)
        first = model.predict_proba_one(x)
        assert model.predict_proba_one(x) == first
        model.predict_one(x)
        assert list(x) == list(twin)
        assert all(x[name] is twin[name] for name in x)
    frame = pd.DataFrame([x for x, _ in events], dtype=object)
    model.predict_proba_many(frame)
    model.predict_many(frame)
    str(model.summary)
    assert model.weights_[model.winner_] == max(model.weights_[e] for e in EXPERTS[:3])
    model.structure_edges()
    list(model.feature_names)
    assert pickle.dumps(model) == before


@examples(6)
@given(events=STREAMS)
def test_asking_before_learning_makes_no_difference(events):
    asked, blind = few(drift_detector=Signals(at=(11,))), few(drift_detector=Signals(at=(11,)))
    for x, y in events:
        asked.predict_proba_one(x)
        asked.predict_one({**x, "b": "something else"})
        asked.learn_one(x, y)
        blind.learn_one(x, y)
    assert asked.weights_ == blind.weights_
    for x, _ in events:
        assert asked.predict_proba_one(x) == blind.predict_proba_one(x)


# -- Weights in the tables only ------------------------------------------------------------------


def test_a_weight_counts_in_the_tables_and_nowhere_else():
    """To learn twice is to be judged twice; a weight of two is to be judged once."""
    heavy, plain = few(drift_detector=drift.NoDrift()), few(drift_detector=drift.NoDrift())
    for t in range(5):
        for model, w in ((heavy, 2.0), (plain, 1.0)):
            model.learn_one({"a": "pq"[t % 2]}, t % 2, w)
    one, two = heavy._learner, plain._learner
    assert one.store.banks.classes.sum() == pytest.approx(2 * two.store.banks.classes.sum())
    assert one.linear.moments.tolist() == two.linear.moments.tolist()
    assert one.store.n_events == two.store.n_events == 5


@pytest.mark.parametrize("w", [np.float64(2), np.int64(2), True], ids=repr)
def test_weights_of_every_kind_of_number(w):
    a, b = few(), few()
    for x, y in own.mixed(40, seed=10):
        a.learn_one(x, y, w=w)
        b.learn_one(x, y, w=float(w))
    assert pickle.dumps(a) == pickle.dumps(b)


# -- Labels --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "labels",
    [
        ["a", "b"],
        [True, False],
        [3, -1],
        [("a", 1), ("b", 2)],
        [frozenset({1}), frozenset()],
        ["1", 1],
        [np.str_("a"), np.int64(4)],
    ],
    ids=repr,
)
def test_labels_come_back_as_they_were_given(labels):
    model = few()
    for t in range(40):
        model.learn_one({"a": "pq"[t % 2], "b": t % 2}, labels[t % 2])
    assert set(model.predict_proba_one({"a": "p"})) == set(labels)
    for label, value in ((labels[0], "p"), (labels[1], "q")):
        answer = model.predict_one({"a": value, "b": int(value == "q")})
        assert answer == label
        assert type(answer) is type(label)


# -- What can't be learned -----------------------------------------------------------------------


@pytest.mark.parametrize("value", [[1, 2], {"z": 1}, 1 + 2j, np.array([1.5, 2.5])], ids=repr)
@pytest.mark.parametrize("name", ["colour", "length", "a new feature"])
def test_an_impossible_value_is_named_and_leaves_no_trace(name, value):
    model = learn(few(), own.mixed(60, seed=11))
    before = pickle.dumps(model)
    x = {"zz also new": "new", "count": 5, name: value}
    with pytest.raises((TypeError, ValueError), match=name):
        model.learn_one(x, "a new class")
    if name != "a new feature":
        with pytest.raises((TypeError, ValueError), match=name):
            model.predict_one(x)
    assert pickle.dumps(model) == before


@pytest.mark.parametrize("y", [None, math.nan, np.nan, [1], {"a": 1}], ids=repr)
def test_an_impossible_label_leaves_no_trace(y):
    model = learn(few(), own.mixed(60, seed=12))
    before = pickle.dumps(model)
    with pytest.raises((TypeError, ValueError), match="y: the label"):
        model.learn_one({"length": 2.0, "new": "new"}, y)
    assert pickle.dumps(model) == before


@pytest.mark.parametrize("w", [-1, math.nan, math.inf, "2", None, 1j], ids=repr)
def test_an_impossible_weight_leaves_no_trace(w):
    model = learn(few(), own.mixed(60, seed=13))
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match="w must be"):
        model.learn_one({"length": 2.0, "new": "new"}, "new class", w=w)
    assert pickle.dumps(model) == before


@pytest.mark.parametrize(
    ("cell", "label", "weight"),
    [([1], "c", 1.0), ("fine", None, 1.0), ("fine", [1], 1.0), ("fine", "c", -1.0)],
    ids=repr,
)
def test_a_frame_with_a_bad_row_leaves_no_trace(cell, label, weight):
    pd = pytest.importorskip("pandas")
    model = learn(few(), own.mixed(40, seed=14))
    before = pickle.dumps(model)
    frame = pd.DataFrame({"new": ["a", "b", cell], "length": [1.0, 2.0, 3.0]}, dtype=object)
    with pytest.raises((TypeError, ValueError)):
        model.learn_many(frame, ["a new class", "c", label], [1.0, 1.0, weight])
    with pytest.raises((TypeError, ValueError)):
        model.learn_many(frame, ["c", "c"])
    with pytest.raises((TypeError, ValueError)):
        model.learn_many([1, 2], ["c", "c"])
    assert pickle.dumps(model) == before


# -- Parameters ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("experts", []),
        ("experts", [("linear",)]),
        ("experts", [("kdb", -1)]),
        ("label_lags", -1),
        ("label_lags", 1.5),
        ("pool_rates", [(0.0, 0.5)]),
        ("pool_rates", [(1.0, 2.0)]),
        ("pool_steps", [0.0]),
        ("smoothing", 0),
        ("smoothing", -1.0),
        ("smoothing", math.nan),
        ("smoothing", "m-estimate"),
        ("max_categories", 0),
        ("missing", "impute"),
        ("window_size", 0),
        ("grace_period", 0),
        ("relearn_period", 0),
        ("max_size", 0),
    ],
    ids=repr,
)
def test_a_wrong_parameter_is_refused(name, value):
    with pytest.raises(ValueError, match=name):
        BNMixtureClassifier(**{name: value})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("experts", "kdb"),
        ("experts", [3]),
        ("nominal_attributes", "abc"),
        ("drift_detector", 3),
        ("drift_detector", "ADWIN"),
        ("warning_detector", KDBClassifier()),
    ],
    ids=repr,
)
def test_a_parameter_of_the_wrong_kind_is_refused(name, value):
    with pytest.raises(TypeError, match=name):
        BNMixtureClassifier(**{name: value})


def test_parameters_are_kept_as_given():
    experts, detector = [("kdb", 1), ("tan",)], drift.NoDrift()
    model = BNMixtureClassifier(experts, pool_steps=[0.1], drift_detector=detector)
    assert model.experts is experts
    assert model.drift_detector is detector
    assert model.pool_steps == [0.1]
    assert list(model.weights_) == [
        Expert("kdb", 1, 10, None),
        Expert("tan", 1, 10, None),
        Expert("lag", 1, 1, None),
        Expert("lag", 2, 1, None),
    ]


def test_a_lag_given_twice_is_there_once():
    model = BNMixtureClassifier([("kdb", 0), ("lag", 2)], label_lags=3)
    assert [e.k for e in model.weights_ if e.model == "lag"] == [2, 1, 3]


def test_the_default_experts_and_lags():
    model = BNMixtureClassifier()
    assert list(model.weights_)[: len(default_experts())] == default_experts()
    assert BNMixtureClassifier(label_lags=0)._learner.lags.counts.shape[0] == 0
    assert "BNMixtureClassifier" in river_kdb.__all__


# -- Memory --------------------------------------------------------------------------------------


@pytest.mark.parametrize("max_size", [0.002, 0.02, 0.1])
def test_growth_past_a_tiny_max_size_goes_on_with_one_warning(max_size):
    rng = random.Random(4)
    model = few(max_size=max_size, window_size=5000, relearn_period=40)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for t in range(250):
            label = f"c{rng.randrange(1 + t // 40)}"
            x = {f"f{i}": f"v{rng.randrange(1 + t // 15)}" for i in range(6)}
            x["g"] = label if rng.random() < 0.8 else "other"
            model.learn_one(x, label)
            assert_distribution(model.predict_proba_one(x))
    assert [w.category for w in caught] == [UserWarning]
    assert "max_size" in str(caught[0].message)
    assert "max_size" in str(model.summary)
    store = model._learner.store
    singles = [(v, ()) for v in range(len(store.layout.caps))]
    if store.budget(store.layout) < 0:  # what every feature must have is all there is
        assert store.keys == singles
    else:
        assert store.banks.cells.nbytes <= max_size * 2**20
    answer = model.predict_one({"g": "c3"})
    assert answer == "c3" or max_size == 0.002


def test_more_features_than_there_is_memory_for_are_ignored():
    model = few(max_size=0.01)
    events = [({"a": t % 2, **{f"f{t}-{i}": i for i in range(3)}}, t % 2) for t in range(60)]
    with pytest.warns(UserWarning, match="max_size") as caught:
        learn(model, events)
    assert len(caught) == 1
    assert 1 < len(model.feature_names) < 100
    assert "new ones are ignored" in str(model.summary)
    assert_distribution(model.predict_proba_one({"a": 1, "f50-0": 2}))


def test_memory_is_flat_on_a_stream_of_names():
    rng = random.Random(5)
    model, sizes = few(window_size=100, max_categories=5), []
    for t in range(1200):
        model.learn_one({"id": f"user {rng.randrange(10**6)}", "b": rng.random()}, t % 3)
        if t in (500, 1199):
            sizes.append(model._raw_memory_usage)
    assert sizes[1] <= 1.1 * sizes[0]


def test_a_hundred_classes():
    model = few(drift_detector=drift.NoDrift(), max_categories=100, label_lags=0)
    rng = random.Random(6)
    for _ in range(6):
        for c in rng.sample(range(100), 100):
            model.learn_one({"a": f"v{c}", "b": float(c)}, ("class", c))
    p = model.predict_proba_one({"a": "v3"})
    assert len(p) == 100
    assert_distribution(p)
    right = [model.predict_one({"a": f"v{c}", "b": c}) == ("class", c) for c in range(100)]
    assert sum(right) > 80


# -- Drifts --------------------------------------------------------------------------------------


def stagger(concept: int, n_events: int, seed: int) -> list:
    return list(synth.STAGGER(classification_function=concept, seed=seed).take(n_events))


@pytest.mark.parametrize("detector", [None, drift.ADWIN(), drift.binary.DDM()], ids=repr)
def test_a_change_of_concept_is_seen_and_followed(detector):
    events = stagger(0, 500, 1) + stagger(2, 500, 2)
    # experts that fade would follow before any detector saw it
    params = {"drift_detector": detector, "grace_period": 50, "relearn_period": 200}
    model = BNMixtureClassifier([("kdb", 2, 3, None)], label_lags=0, **params)
    right = []
    for x, y in events:
        right.append(model.predict_one(x) == y)
        model.learn_one(x, y)
    assert model.n_drifts_detected() >= 1
    drifts = [change for change in model.structure_history if change.reason == "drift"]
    assert len(drifts) == model.n_drifts_detected()
    assert 500 < drifts[0].event < 700
    assert sum(right[800:]) / 200 > 0.95


def test_no_detector_no_drift():
    model = learn(few(drift_detector=drift.NoDrift()), stagger(0, 200, 1) + stagger(2, 200, 2))
    assert model.n_drifts_detected() == 0
    assert {change.reason for change in model.structure_history} <= {"schedule"}


def test_the_detector_says_how_much_is_kept():
    wide = Wide(at=(149,), width=70)
    events = [({"a": "pq"[t % 2]}, (t % 2) ^ (t > 90)) for t in range(160)]
    model = learn(few(drift_detector=wide), events)
    assert model.n_drifts_detected() == 1
    assert model.drift_detector.given == []  # it works with a copy
    assert 80 <= model._learner.store.first <= 100


def test_a_warning_says_from_when_on_events_are_kept():
    model = few(drift_detector=Signals(at=(80,)), warning_detector=Signals(at=(75,)))
    learn(model, own.mixed(100, seed=15))
    assert model.n_warnings_detected() == 1
    assert model._learner.store.first == 76


# -- What it says of itself ----------------------------------------------------------------------


def test_weights_winner_and_edges():
    model = learn(few(), own.mixed(150, seed=16))
    assert list(model.weights_)[:4] == EXPERTS
    assert sum(model.weights_.values()) == pytest.approx(1.0, abs=1e-12)
    assert min(model.weights_.values()) >= 0.0
    assert model.winner_ in EXPERTS[:3]
    assert model.structure_edges() == model.structure_edges(model.winner_)
    assert model.structure_edges(EXPERTS[1]) == []  # naive Bayes
    n = len(model.feature_names)
    tree = model.structure_edges(tuple(EXPERTS[2]))
    assert len(tree) == len({child for _, child in tree}) == n - 1
    assert len(model.structure_edges(EXPERTS[0])) == sum(min(2, i) for i in range(n))
    assert {name for edge in tree for name in edge} == set(model.feature_names)
    for unknown in (("kdb", 1, 3, None), ("kdb", 2, 4, None), ("tan", 1, 5, 3.0)):
        with pytest.raises(ValueError, match="have a say"):
            model.structure_edges(unknown)


def test_relearning_is_counted_and_listed():
    model = learn(few(drift_detector=drift.NoDrift()), own.mixed(50, seed=17))
    before = model.n_relearns
    assert before >= 2
    model.relearn()
    assert model.n_relearns == before + 1
    assert model.structure_history[-1].reason == "call"
    assert model.structure_history[-1].event == 50


def test_drawing():
    pytest.importorskip("graphviz")
    model = few()
    model.draw()
    learn(model, own.mixed(80, seed=18))
    before = pickle.dumps(model)
    graph = model.draw()
    share = model.weights_[model.winner_]
    assert f"{model.winner_}, {share:.0%} of the say" in graph.source
    assert "tan(k=1, n_bins=5, half_life=None)" in model.draw(EXPERTS[2]).source
    for name in model.feature_names:
        assert name in graph.source
    with pytest.raises(ValueError, match="have a say"):
        model.draw(("kdb", 7))
    assert pickle.dumps(model) == before


# -- On real rows --------------------------------------------------------------------------------


def test_phishing():
    model = BNMixtureClassifier([*EXPERTS, Expert("kdb", 1, 5, 300)])
    score = evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    assert score.get() > 0.9
