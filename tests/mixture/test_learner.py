"""A mixture held step by step against the oracle; and what it may not do twice."""

from __future__ import annotations

import copy
import math
import pickle
import random
from typing import Any

import numpy as np
import pytest
from river import drift

import river_kdb.mixture.learner as learner_module
from river_kdb import BNMixtureClassifier, Expert
from river_kdb.features.encoder import NUMERIC
from tests import datasets
from tests.detectors import Signals
from tests.naive_mixture import NaiveMixture, NaiveRegression, NaiveStandards

EXPERTS = [
    Expert("kdb", 2, 4, None),
    Expert("kdb", 0, 4, 8.0),
    Expert("tan", 1, 6, 8.0),
    Expert("kdb", 1, 4, 25.0),
    Expert("linear", 0, 1, None),
    Expert("linear", 0, 1, 6.0),
]
LAGS = [Expert("lag", 1, 1), Expert("lag", 2, 1)]
CHAINS = [("kdb", 4), ("tan", 6)]
RATES, STEPS = ((1.0, 0.9), (0.4, 0.99)), (0.1, 1.0)


def mixture(experts=EXPERTS, **params) -> BNMixtureClassifier:
    early = {"grace_period": 20, "relearn_period": 30, "drift_detector": drift.NoDrift()}
    rates = {"pool_rates": RATES, "pool_steps": STEPS, "smoothing": 2.0}
    return BNMixtureClassifier(experts, **{**early, **rates, **params})


def stream(n_events, seed=0) -> list:
    """Numbers, words and gaps; a third class and another feature come late."""
    rng = random.Random(seed)
    events = []
    for t in range(n_events):
        label = rng.randrange(2 if t < n_events // 3 else 3)
        x: dict[str, Any] = {
            "size": rng.gauss(label, 0.8),
            "tone": rng.choice(["low", "high"]) if rng.random() < 0.4 else f"tone {label}",
            "mixed": rng.choice([None, "word", rng.randrange(9) + label]),
        }
        if t >= n_events // 2 and rng.random() < 0.8:
            x["late"] = rng.random() + label
        if rng.random() < 0.1:
            x["size"] = None
        events.append((x, f"c{label}"))
    return events


class Watched:
    """A mixture and the oracle, which is told nothing but codes, parents and the last drift."""

    def __init__(self, model, experts=EXPERTS):
        self.model, self.learner = model, model._learner
        last = self.learner.settings.last
        every = [*experts, *LAGS]
        self.oracle = NaiveMixture(every, CHAINS, model.smoothing, RATES, STEPS, last)
        self.xs: list[dict] = []
        self.names: set = set()
        self.skip = model.missing == "skip"

    def inputs(self, x):
        """Numbers, and whatever else is there, by name."""
        numbers, slots = {}, {}
        for name in self.names:
            value = x.get(name)
            if isinstance(value, (int, float)):
                numbers[name] = float(value)
            elif value is not None or not self.skip:
                slots[name] = "missing" if value is None else value
        return numbers, slots

    def logs(self, x, m):
        learner = self.learner
        raw = np.array([learner.encoder.row(e) for e in [*self.xs, x]]).T
        codes = learner.codings.code(np.ascontiguousarray(raw)).T.tolist()
        parents = {
            v: [p for p in row if p >= 0] for v, row in enumerate(learner.store.parents.tolist())
        }
        self.oracle.first = learner.schedule.origin
        inputs = self.oracle.standards.inputs(*self.inputs(x))
        return self.oracle.logs(codes[-1], codes[:-1], parents, inputs, m)

    def play(self, x, y, w):
        """Predict and learn an event; the answers of both."""
        labels = self.learner.labels
        known = len(labels)
        if not known:
            assert self.model.predict_proba_one(x) == {}
            self.model.learn_one(x, y, w)
            label, logs, expected, found = 0, {}, [], []
            self.names |= set(x)
            ones = {expert: [0.0] for expert in self.oracle.experts}
            numbers, slots = self.inputs(x)
            inputs = self.oracle.standards.inputs(numbers, slots)
            self.oracle.learn(logs, ones, inputs, numbers, label, w, 0)
        else:
            logs = self.logs(x, known)
            expected = self.oracle.answer(logs, known)
            found = list(self.model.predict_proba_one(x).values())
            label = labels.index(y) if y in labels else known
            of_all = logs if label < known else self.logs(x, known + 1)
            self.names |= set(x)
            numbers, slots = self.inputs(x)
            inputs = self.oracle.standards.inputs(numbers, slots)
            self.model.learn_one(x, y, w)
            self.oracle.learn(logs, of_all, inputs, numbers, label, w, known)
        self.xs.append(x)
        return found, expected


@pytest.mark.parametrize("missing", ["value", "skip"])
def test_every_step_is_the_oracles(missing):
    model = mixture(missing=missing, drift_detector=Signals(at=(69,)))
    watched, rng = Watched(model), random.Random(1)
    for t, (x, y) in enumerate(stream(110, seed=3)):
        found, expected = watched.play(x, y, rng.choice([1.0, 1.0, 0.5, 3.0]))
        assert found == pytest.approx(expected, abs=1e-9), t
        shares = watched.oracle.mixer.shares()
        assert model.weights_ == pytest.approx({Expert(*e): w for e, w in shares.items()})
    assert model.n_drifts_detected() == 1
    assert (
        watched.learner.schedule.origin == 71 - 20
    )  # the first event asks nothing of the detector
    assert [change.reason for change in model.structure_history].count("drift") == 1
    assert any(model.structure_edges(expert) for expert in EXPERTS[:4])


def test_every_expert_is_the_oracles():
    model = mixture()
    watched = Watched(model)
    for t, (x, y) in enumerate(stream(60, seed=4)):
        if t:
            m = len(watched.learner.labels)
            logs = watched.oracle.mixer.floored(watched.logs(x, m), m)
            answer = watched.learner.answer(watched.learner.encoder.row(x))
            for expert, expected in logs.items():
                found = answer.logs[watched.learner.experts.index(expert), :m]
                assert found.tolist() == pytest.approx(expected, abs=1e-9), (t, expert)
        watched.play(x, y, 1.0)


# -- The same work is not done twice -------------------------------------------------------------


@pytest.fixture
def calls(monkeypatch):
    """The rows that were predicted."""
    seen: list = []
    kernel = learner_module.predict_mixture

    def counting(row, *rest):
        seen.append(row.tolist())
        return kernel(row, *rest)

    monkeypatch.setattr(learner_module, "predict_mixture", counting)
    return seen


def test_an_event_just_asked_about_is_predicted_once(calls):
    model = mixture()
    for x, y in stream(40):
        model.learn_one(x, y)
    for x, y in stream(40):
        x = {"size": x["size"], "tone": x["tone"]}
        calls.clear()
        answer = model.predict_proba_one(x)
        assert model.predict_proba_one(dict(reversed(x.items()))) == answer
        model.predict_one(x)
        assert len(calls) == 1
        model.learn_one(x, y)
        assert len(calls) == 1
        model.predict_one(x)  # it knows more now
        assert len(calls) == 2


def test_a_changed_event_is_predicted_anew(calls):
    model = mixture()
    for x, y in stream(60):
        model.learn_one(x, y)
    x = {"size": 0.2, "tone": "low"}
    before = model.predict_proba_one(x)
    x["size"] = 3.0
    calls.clear()
    after = model.predict_proba_one(x)
    assert len(calls) == 1
    assert after != before
    assert after == copy.deepcopy(model).predict_proba_one(x)
    asked, blind = copy.deepcopy(model), copy.deepcopy(model)
    asked.predict_one({"size": 0.2, "tone": "low"})
    for twin in (asked, blind):
        twin.learn_one(x, "c1")
    assert asked.weights_ == blind.weights_


@pytest.mark.parametrize("change", ["relearn", "class", "feature", "category", "copy"])
def test_an_answer_is_void_when_the_model_has_changed(change):
    model = mixture()
    for x, y in stream(47):
        model.learn_one(x, y)
    x = {"size": 0.7, "tone": "high", "mixed": 4}
    model.predict_proba_one(x)
    if change == "relearn":
        model.relearn()
    elif change == "class":
        model.learn_one(x, "another")
    elif change == "feature":
        model.learn_one({**x, "new": 3}, "c0")
    elif change == "category":
        model.learn_one({**x, "tone": "new"}, "c0")
    else:
        model = copy.deepcopy(model)
    assert model.predict_proba_one(x) == pickle.loads(pickle.dumps(model)).predict_proba_one(x)


def test_what_was_answered_is_no_part_of_the_model():
    model = mixture()
    for x, y in stream(30):
        model.learn_one(x, y)
    before = pickle.dumps(model)
    model.predict_proba_one({"size": 1.0})
    assert pickle.dumps(model) == before
    size = model._raw_memory_usage
    model._learner.bind()
    assert model._raw_memory_usage == size


# -- Chains, recoding, forgetting ----------------------------------------------------------------


def test_chains_are_told_apart_by_the_first_number():
    experts = [
        Expert("kdb", 1, 3, None),
        Expert("kdb", 1, 7, None),
        Expert("kdb", 0, 7, 9.0),
        Expert("linear", 0, 1, None),
    ]
    model = mixture(experts)
    events = [({name: x[name] for name in ("f0", "f1")}, y) for x, y in datasets.categorical(80)]
    for x, y in events:
        model.predict_one(x)
        model.learn_one(x, y)
    assert model.weights_[experts[1]] == 0.0  # without numbers it would say what the first says
    assert model.winner_ != experts[1]
    with pytest.raises(ValueError, match="have a say"):
        model.structure_edges(experts[1])
    losses = model._learner.mixer.losses.copy()
    model.learn_one({**events[0][0], "number": 1.5}, "c0")
    learner = model._learner
    assert learner.encoder.kinds[2] == NUMERIC
    assert min(model.weights_.values()) > 0.0
    assert sum(model.weights_.values()) == pytest.approx(1.0, abs=1e-12)
    assert model.structure_edges(experts[1])
    # the second takes over what its twin had lost so far
    assert losses[0, 1] != losses[0, 0]
    assert learner.mixer.losses[0, 1] == learner.mixer.losses[0, 0]
    changes = model.structure_history
    assert replayed(changes) == set(all_arcs(model))
    # the networks are those of a mixture that knew of the number from the start
    told = mixture(experts)
    for x, y in [*events, ({**events[0][0], "number": 1.5}, "c0")]:
        told.learn_one({"number": None, **x}, y)
    said = []
    for other in (model, told):
        other.relearn()
        rows = [other._learner.encoder.row({**x, "number": 1.5}) for x, _ in events[:9]]
        said.append([other._learner.answer(row).logs[:3, :3].copy() for row in rows])
    np.testing.assert_allclose(*said, rtol=0, atol=1e-9)


def test_regressions_keep_what_they_know_through_recoding_and_the_first_number():
    model = mixture([Expert("kdb", 0, 3), Expert("kdb", 0, 5), Expert("linear")], label_lags=0)
    oracle, standards = NaiveRegression(None), NaiveStandards()
    rng = random.Random(6)
    known: list = []
    for t in range(70):
        x: dict[str, Any] = {"word": rng.choice("abcd"), "other": rng.choice("xyz")}
        y = "pq"[(x["word"] in "ab") ^ (rng.random() < 0.1)]
        if t >= 41:
            x["number"] = rng.random()
        numbers = {"number": x["number"]} if t >= 41 else {}
        inputs = standards.inputs(numbers, {name: x[name] for name in ("word", "other")})
        if known:
            expected = oracle.log_posterior(inputs, len(known))
            answer = model._learner.answer(model._learner.encoder.row(x))
            assert answer.logs[2, : len(known)].tolist() == pytest.approx(expected, abs=1e-9), t
        known += [y] if y not in known else []
        posterior = oracle.log_posterior(inputs, len(known))
        oracle.learn(inputs, [math.exp(p) for p in posterior], known.index(y))
        standards.learn(numbers)
        model.learn_one(x, y)
        if t == 30:
            model.relearn()


def all_arcs(model):
    names = model._learner.encoder.names
    return [(names[i], names[j]) for i, j in model._learner.arcs()]


def replayed(changes):
    arcs: set = set()
    for change in changes:
        assert not arcs & set(change.added)
        assert arcs >= set(change.removed)
        arcs = (arcs | set(change.added)) - set(change.removed)
    return arcs


def test_the_history_tells_of_every_change():
    model = mixture(grace_period=10, relearn_period=37, drift_detector=Signals(at=(150,)))
    for t, (x, y) in enumerate(stream(230, seed=7)):
        model.learn_one(x, y)
        assert replayed(model.structure_history) == set(all_arcs(model)), t
        if t == 60:
            model.relearn()
    reasons = [change.reason for change in model.structure_history]
    assert set(reasons) == {"schedule", "drift", "call"}


def test_categories_in_use_are_not_forgotten_within_a_frame():
    """A small window lets names go while rows of a frame that bear them are still to come."""
    pd = pytest.importorskip("pandas")
    rows = [{"id": f"user {t * t % 37}", "kind": "ab"[t % 2]} for t in range(120)]
    labels = [f"c{t * t % 37 % 3}" for t in range(120)]
    params = {"window_size": 8, "max_categories": 2, "grace_period": 6}
    loop, frame = mixture(**params), mixture(**params)
    for x, y in zip(rows, labels, strict=True):
        loop.learn_one(x, y)
    frame.learn_many(pd.DataFrame(rows), labels)
    assert set(frame._learner.encoder.vocabularies[0]) == set(loop._learner.encoder.vocabularies[0])
    for x in rows:
        assert frame.predict_proba_one(x) == loop.predict_proba_one(x)


def test_names_are_still_forgotten_after_a_drift():
    model = mixture(window_size=20, max_categories=3, drift_detector=Signals(at=(33,)))
    for t in range(400):
        model.learn_one({"id": f"user {t}", "b": t % 3}, t % 2)
    assert len(model._learner.encoder.vocabularies[1]) <= 2 * 20 + 4


def test_after_a_drift_what_lasts_counts_from_there_on():
    model = mixture(drift_detector=Signals(at=(99,)), grace_period=30)
    events = stream(101, seed=8)
    for x, y in events:
        model.learn_one(x, y)
    store = model._learner.store
    assert store.first == model._learner.schedule.origin == 71
    lasting = store.banks.classes[2::3]
    assert lasting.sum() == 30
    labels = [y for _, y in events[71:]]
    for c, label in enumerate(model._learner.labels):
        assert lasting[c] == labels.count(label)
