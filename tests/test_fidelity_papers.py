"""The forests and the selective classifiers against their slow oracles."""

from __future__ import annotations

import functools
import itertools
import math
import random
from typing import Any

import pytest

from river_kdb import KDBClassifier, KDFClassifier, SelectiveKDBClassifier
from river_kdb.structure.structure import ABSENT
from tests import datasets, naive
from tests.naive_papers import NaiveEnsemble, NaiveKDF, NaiveSelective, ancestors

EXACT = 1e-9
SMOOTHINGS = ["m-estimate", 5.0]

# Name -> (class, oracle, the parameters of both)
MODELS: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "kdf": (KDFClassifier, NaiveKDF, {}),
    "kdf-eq6": (KDFClassifier, NaiveKDF, {"order": "sum_cmi"}),
    "kdf1": (KDFClassifier, NaiveKDF, {"k": 1}),
    "kdf3": (KDFClassifier, NaiveKDF, {"k": 3}),
    "kdb-s": (KDBClassifier, naive.NaiveBN, {"order": "sum_cmi"}),
    "mkdb": (KDBClassifier, naive.NaiveBN, {"order": "mrmr"}),
    "mskdb": (SelectiveKDBClassifier, NaiveSelective, {"order": "mi"}),
    "mmkdb": (SelectiveKDBClassifier, NaiveSelective, {"order": "mrmr"}),
    "mmkdb1": (SelectiveKDBClassifier, NaiveSelective, {"k": 1, "order": "mrmr"}),
    "skdb": (SelectiveKDBClassifier, NaiveSelective, {"order": "mi", "select": "features"}),
}
FORESTS = ["kdf", "kdf1", "kdf3"]
SELECTIVE = ["mskdb", "mmkdb", "mmkdb1", "skdb"]


def learned(name: str, events: list, weights: Any = None, **params: Any) -> Any:
    klass, _, own = MODELS[name]
    model = klass(**own, **params)
    for (x, y), w in zip(events, weights or itertools.repeat(1.0), strict=False):
        model.learn_one(x, y, w)
    model.relearn()
    return model


def oracle(name: str, events: list, weights: Any = None, **params: Any) -> Any:
    _, klass, own = MODELS[name]
    return klass(**own, **params).fit([x for x, _ in events], [y for _, y in events], weights)


def assert_same_posteriors(model: Any, reference: naive.NaiveBN, rows: list) -> None:
    for x in rows:
        assert model.predict_proba_one(x) == pytest.approx(reference.posterior(x), abs=EXACT), x


def chosen_by(model: Any) -> dict[str, set]:
    """Feature -> its parents, of the features that are not left out."""
    return {
        feature.name: set(feature.parents)
        for feature in model.summary.features
        if "left out" not in feature.note
    }


def probes(events: list) -> list:
    """Known events, and some with unseen values, gaps and nothing at all."""
    rng = random.Random(99)
    rows = [dict(x) for x, _ in events[:8]]
    for x, _ in events[8:20]:
        changed = dict(x)
        for name in changed:
            way = rng.random()
            if way < 0.25:
                changed[name] = "never learned"
            elif way < 0.5:
                changed[name] = rng.choice([None, math.nan])
        rows.append(changed)
    return [*rows, {}, dict.fromkeys(events[0][0], "never learned")]


@functools.cache
def tic_tac_toe() -> list:
    return datasets.shuffled(datasets.tic_tac_toe(), seed=1)


@pytest.mark.parametrize("smoothing", SMOOTHINGS, ids=str)
@pytest.mark.parametrize("name", MODELS)
def test_tic_tac_toe_equals_the_oracle(name, smoothing):
    train, test = tic_tac_toe()[:400], tic_tac_toe()[900:930]
    model = learned(name, train, smoothing=smoothing)
    assert_same_posteriors(model, oracle(name, train, smoothing=smoothing), [x for x, _ in test])


@pytest.mark.parametrize("missing", ["value", "skip"])
@pytest.mark.parametrize("smoothing", SMOOTHINGS, ids=str)
@pytest.mark.parametrize("name", MODELS)
def test_missing_values_and_weights_equal_the_oracle(name, smoothing, missing):
    events = datasets.categorical(240, seed=5, n_features=5, missing=0.15)
    rng = random.Random(7)
    weights = [rng.choice([0.0, 0.25, 1.0, 1.0, 2.5]) for _ in events]
    params = {"smoothing": smoothing, "missing": missing}
    model = learned(name, events, weights, **params)
    assert_same_posteriors(model, oracle(name, events, weights, **params), probes(events))


@pytest.mark.parametrize("missing", ["value", "skip"])
@pytest.mark.parametrize("name", MODELS)
def test_odd_columns_equal_the_oracle(name, missing):
    """Constant, never there, single-valued, and a twin of another."""
    events = datasets.categorical(150, seed=5, n_features=3, missing=0.1, odd_columns=True)
    model = learned(name, events, missing=missing)
    assert_same_posteriors(model, oracle(name, events, missing=missing), probes(events))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", [*FORESTS, *SELECTIVE])
def test_any_number_of_features_equals_the_oracle(name, seed):
    events = datasets.categorical(
        120, seed=seed, n_features=1 + seed, n_values=2 + seed % 3, n_classes=1 + seed % 4
    )
    model = learned(name, events)
    assert_same_posteriors(model, oracle(name, events), probes(events))


# -- Forests -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FORESTS)
def test_every_member_is_the_oracles(name):
    events = datasets.categorical(250, seed=3, n_features=6)
    model, reference = learned(name, events), oracle(name, events)
    names = model.feature_names
    assert list(reference.forest) == names
    for t, network in enumerate(reference.forest.values()):
        parents = model._learner.structure.parents[t]
        found = {names[i]: [names[j] for j in row if j >= 0] for i, row in enumerate(parents)}
        assert found == network
        for child, above in found.items():
            assert set(above[1:]) <= (ancestors(network, above[0]) if above else set()), child


def slow_diversity(reference: NaiveEnsemble, rows: list) -> float:
    total = 0.0
    for x in rows:
        networks = reference.networks(x).values()
        posteriors = [reference.posterior_of(x, network) for network in networks]
        votes = [max(p, key=p.get) for p in posteriors]
        shares = [votes.count(c) / len(votes) for c in set(votes)]
        total -= sum(share * math.log(share) for share in shares)
    return total / len(rows)


@pytest.mark.parametrize("name", FORESTS)
def test_diversity(name):
    pd = pytest.importorskip("pandas")
    events = datasets.categorical(250, seed=1, n_features=6, missing=0.1)
    model, rows = learned(name, events), [x for x, _ in events[:60]]
    expected = slow_diversity(oracle(name, events), rows)
    assert expected > 0
    assert model.diversity(rows) == pytest.approx(expected, abs=EXACT)
    assert model.diversity(iter(rows)) == pytest.approx(expected, abs=EXACT)
    assert model.diversity(pd.DataFrame(rows)) == pytest.approx(expected, abs=EXACT)


def test_diversity_of_many_events_at_once(monkeypatch):
    events = datasets.categorical(150, seed=4, n_features=5)
    model, rows = learned("kdf", events), [x for x, _ in events]
    whole = model.diversity(rows)
    monkeypatch.setattr("river_kdb.models.kdf._POSTERIORS_AT_ONCE", 100)
    assert model.diversity(rows) == pytest.approx(whole, abs=EXACT)


def test_without_members_that_differ_there_is_no_diversity():
    model = KDFClassifier()
    assert model.diversity([]) == model.diversity([{"a": 1}]) == 0.0
    model.learn_one({"a": "x"}, 0)
    model.learn_one({"a": "y"}, 1)
    assert model.diversity([]) == model.diversity([{"a": "x"}]) == 0.0


# -- Selection -----------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", ["value", "skip"])
@pytest.mark.parametrize("smoothing", SMOOTHINGS, ids=str)
@pytest.mark.parametrize("name", SELECTIVE)
def test_what_is_chosen_is_the_oracles(name, smoothing, missing):
    params = {"smoothing": smoothing, "missing": missing}
    for seed in range(3):
        events = datasets.categorical(150, seed=seed, n_features=7, missing=0.1)
        expected = oracle(name, events, **params).chosen
        model = learned(name, events, **params)
        assert chosen_by(model) == {child: set(above) for child, above in expected.items()}


def network_of(model: Any) -> dict[str, list]:
    """Feature -> its parents, the strongest first, of the features that are not left out."""
    names, parents = model.feature_names, model._learner.structure.parents[0]
    return {
        names[i]: [names[j] for j in row if j >= 0]
        for i, row in enumerate(parents.tolist())
        if ABSENT not in row
    }


@pytest.mark.parametrize("order", ["mi", "mrmr"])
@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.dense_only
def test_families_that_come_and_go_keep_all_events(k, order):
    """The window is small, so an arc that is taken up again can't be counted from it."""
    events = datasets.categorical(520, seed=2, n_features=6, missing=0.1)
    model = SelectiveKDBClassifier(
        k=k, order=order, window_size=40, grace_period=20, relearn_period=30
    )
    seen: list[dict] = []
    for t, (x, y) in enumerate(events):
        model.learn_one(x, y)
        if t % 47 == 46:
            network = network_of(model)
            reference = NaiveEnsemble("kdb").fit(*zip(*events[: t + 1], strict=True))
            for row in probes(events):
                expected = reference.posterior_of(row, network)
                assert model.predict_proba_one(row) == pytest.approx(expected, abs=EXACT)
            seen.append(network)
    arcs = [{(p, c) for c, above in network.items() for p in above} for network in seen]
    assert any(
        arc in before and arc not in between and arc in after
        for before, between, after in itertools.combinations(arcs, 3)
        for arc in before
    )


@pytest.mark.parametrize("name", SELECTIVE)
def test_noise_is_left_out_and_not_drawn(name):
    pytest.importorskip("graphviz")
    rng = random.Random(3)
    events = [
        ({"signal": "abc"[t % 3], "noise": rng.choice("xyz"), "more": rng.choice("uvw")}, t % 3)
        for t in range(300)
    ]
    model = learned(name, events)
    assert chosen_by(model) == {"signal": set()}
    notes = {feature.name: feature.note for feature in model.summary.features}
    assert {n for n, note in notes.items() if "left out by the selection" in note} == {
        "noise",
        "more",
    }
    source = model.draw().source
    assert "signal" in source
    assert "noise" not in source
    text = model.debug_one(events[0][0])
    assert "left out, by the selection: 'noise' = " in text
    assert "P('noise'" not in text


def test_a_feature_that_turns_up_later_is_there_at_once():
    model = SelectiveKDBClassifier(grace_period=50, relearn_period=10_000)
    rng = random.Random(3)
    for t in range(60):
        model.learn_one({"a": "xy"[t % 2], "noise": rng.choice("xyz")}, t % 2)
    assert chosen_by(model) == {"a": set()}
    for t in range(30):
        model.learn_one({"late": "uv"[t % 2], "noise": rng.choice("xyz")}, t % 2)
    assert chosen_by(model) == {"a": set(), "late": set()}
    assert model.predict_proba_one({"late": "u"})[0] > 0.6
