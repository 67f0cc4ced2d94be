"""The classifiers against slow oracles, and against the losses printed in the papers."""

from __future__ import annotations

import functools
import itertools
import math
import random
from collections.abc import Callable
from typing import Any

import pytest

from river_kdb import AODEClassifier, KDBClassifier, TANClassifier
from tests import datasets, naive

EXACT = 1e-9
SMOOTHINGS = ["m-estimate", 5.0]

# Name -> (class, its parameters); the oracle takes the same parameters.
MODELS: dict[str, tuple[Callable, dict[str, Any]]] = {
    "nb": (KDBClassifier, {"k": 0}),
    **{
        f"kdb{k}-{order}": (KDBClassifier, {"k": k, "order": order})
        for k in (1, 2, 3)
        for order in ("mi", "sum_cmi", "mrmr")
    },
    "kdb5": (KDBClassifier, {"k": 5}),
    "tan": (TANClassifier, {}),
    "atan": (TANClassifier, {"average": "uniform"}),
    "watan": (TANClassifier, {"average": "mi"}),
    "aode": (AODEClassifier, {}),
    "waode": (AODEClassifier, {"weights": "mi"}),
    "aode-sr": (AODEClassifier, {"subsumption": True}),
    "waode-sr": (AODEClassifier, {"weights": "mi", "subsumption": True}),
}
WITH_ONE_STRUCTURE = [name for name in MODELS if name.startswith(("nb", "kdb", "tan"))]


def oracle(name: str, **params: Any) -> naive.NaiveBN:
    klass, own = MODELS[name]
    kinds = {KDBClassifier: "kdb", TANClassifier: "tan", AODEClassifier: "aode"}
    return naive.NaiveBN(kinds[klass], **own, **params)


def fresh(name: str, **params: Any) -> Any:
    klass, own = MODELS[name]
    return klass(**own, **params)


def learn(model: Any, events: list, weights: list[float] | None = None) -> Any:
    for (x, y), w in zip(events, weights or itertools.repeat(1.0), strict=False):
        model.learn_one(x, y, w)
    return model


def fitted(reference: naive.NaiveBN, events: list, weights: Any = None) -> naive.NaiveBN:
    return reference.fit([x for x, _ in events], [y for _, y in events], weights)


def parents_of(model: Any) -> dict[Any, list]:
    """Child -> its parents, as `structure_edges` names them (in no order of strength)."""
    parents: dict[Any, list] = {}
    for parent, child in model.structure_edges():
        parents.setdefault(child, []).append(parent)
    return parents


def assert_same_posteriors(model: Any, reference: naive.NaiveBN, rows: list) -> None:
    for x in rows:
        expected, got = reference.posterior(x), model.predict_proba_one(x)
        assert got == pytest.approx(expected, abs=EXACT), x


def assert_same_structure(model: Any, reference: naive.NaiveBN) -> None:
    expected = {child: set(above) for child, above in reference.parents().items() if above}
    assert {child: set(above) for child, above in parents_of(model).items()} == expected


@functools.cache
def tic_tac_toe_split() -> tuple[list, list]:
    events = datasets.shuffled(datasets.tic_tac_toe(), seed=1)
    return events[96:], events[:96]


# -- The data sets -------------------------------------------------------------------------------


def test_the_written_out_data_sets_are_the_published_ones():
    boards = datasets.tic_tac_toe()
    assert len(boards) == 958
    assert sum(y == "positive" for _, y in boards) == 626
    sides = [y for _, y in datasets.balance_scale()]
    assert [sides.count(side) for side in "LBR"] == [288, 49, 288]


# -- Tic-tac-toe ---------------------------------------------------------------------------------


@pytest.mark.parametrize("smoothing", SMOOTHINGS, ids=str)
@pytest.mark.parametrize("name", MODELS)
def test_tic_tac_toe_equals_the_oracle(name, smoothing):
    train, test = tic_tac_toe_split()
    model = learn(fresh(name, smoothing=smoothing), train)
    model.relearn()
    reference = fitted(oracle(name, smoothing=smoothing), train)
    if name in WITH_ONE_STRUCTURE:
        assert_same_structure(model, reference)
    assert_same_posteriors(model, reference, [x for x, _ in test])


PUBLISHED = {"nb": 0.3069, "tan": 0.2286, "kdb2-mi": 0.2035, "aode": 0.2651}


@pytest.mark.parametrize("name", PUBLISHED)
def test_tic_tac_toe_loss_is_the_published_one(name):
    wrong = 0
    for train, test in datasets.stratified_folds(datasets.tic_tac_toe()):
        model = learn(fresh(name, smoothing="m-estimate"), train)
        model.relearn()
        wrong += sum(model.predict_one(x) != y for x, y in test)
    assert wrong / 958 == pytest.approx(PUBLISHED[name], abs=0.02)


# -- Balance scale -------------------------------------------------------------------------------


@pytest.mark.parametrize("as_text", [True, False], ids=["text", "numbers"])
@pytest.mark.parametrize(
    "name", ["nb", "kdb1-mi", "kdb2-sum_cmi", "kdb3-mi", "tan", "watan", "waode"]
)
def test_balance_scale_equals_the_oracle(name, as_text):
    """Five distinct numbers get a bin each, so numbers and text must come to the same."""
    events = datasets.shuffled(datasets.balance_scale(as_text=as_text), seed=3)
    train, test = events[:560], events[560:]
    model = learn(fresh(name), train)
    model.relearn()
    assert_same_posteriors(model, fitted(oracle(name), train), [x for x, _ in test])


# -- Random columns, odd ones among them ---------------------------------------------------------


def probes(events: list) -> list:
    """Events to ask about: known ones, and ones with unseen values, gaps and nothing at all."""
    rng = random.Random(99)
    rows = [dict(x) for x, _ in events[:15]]
    for x, _ in events[15:35]:
        changed = dict(x)
        for name in changed:
            way = rng.random()
            if way < 0.25:
                changed[name] = "never learned"
            elif way < 0.5:
                changed[name] = rng.choice([None, math.nan])
        rows.append(changed)
    return [*rows, {}, {"unknown feature": "a"}, dict.fromkeys(events[0][0], "never learned")]


def odd_events(missing: float = 0.1) -> list:
    return datasets.categorical(320, seed=5, n_features=5, missing=missing, odd_columns=True)


def random_weights(n: int) -> list[float]:
    rng = random.Random(7)
    return [rng.choice([0.0, 0.25, 1.0, 1.0, 2.5]) for _ in range(n)]


@pytest.mark.parametrize("missing", ["value", "skip"])
@pytest.mark.parametrize("smoothing", SMOOTHINGS, ids=str)
@pytest.mark.parametrize("name", [n for n in MODELS if n not in ("tan", "atan", "watan")])
def test_odd_columns_equal_the_oracle(name, smoothing, missing):
    events = odd_events()
    weights = random_weights(len(events))
    model = learn(fresh(name, smoothing=smoothing, missing=missing), events, weights)
    model.relearn()
    reference = fitted(oracle(name, smoothing=smoothing, missing=missing), events, weights)
    assert_same_posteriors(model, reference, probes(events))


@pytest.mark.parametrize("missing", ["value", "skip"])
@pytest.mark.parametrize("smoothing", SMOOTHINGS, ids=str)
def test_tan_over_odd_columns_is_a_maximum_spanning_tree(smoothing, missing):
    """Columns that say nothing tie, so the tree itself is free: its weight and figures are not."""
    events = odd_events()
    weights = random_weights(len(events))
    model = learn(TANClassifier(smoothing=smoothing, missing=missing), events, weights)
    model.relearn()
    reference = fitted(naive.NaiveBN("tan", missing=missing), events, weights)
    edges = model.structure_edges()
    assert sum(reference.cmi(a, b) for a, b in edges) == pytest.approx(
        sum(reference.cmi(a, b) for a, b in reference.spanning_tree()), abs=EXACT
    )
    root = naive.best_root(reference)
    assert root not in {child for _, child in edges}
    given = naive.NaiveBN("tan", smoothing=smoothing, missing=missing, parents=parents_of(model))
    assert_same_posteriors(model, fitted(given, events, weights), probes(events))


@pytest.mark.parametrize("missing", ["value", "skip"])
@pytest.mark.parametrize("smoothing", SMOOTHINGS, ids=str)
@pytest.mark.parametrize("name", ["tan", "atan", "watan"])
def test_trees_with_missing_values_equal_the_oracle(name, smoothing, missing):
    events = datasets.categorical(320, seed=8, n_features=5, missing=0.15)
    weights = random_weights(len(events))
    model = learn(fresh(name, smoothing=smoothing, missing=missing), events, weights)
    model.relearn()
    reference = fitted(oracle(name, smoothing=smoothing, missing=missing), events, weights)
    assert_same_posteriors(model, reference, probes(events))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("k", [0, 1, 2, 3, 4, 7, 12])
def test_any_k_equals_the_oracle(k, seed):
    events = datasets.categorical(
        250, seed=seed, n_features=3 + 2 * seed, n_values=2 + seed, n_classes=2 + seed
    )
    model = learn(KDBClassifier(k=k), events)
    model.relearn()
    reference = fitted(naive.NaiveBN("kdb", k=k), events)
    assert_same_structure(model, reference)
    assert_same_posteriors(model, reference, probes(events))


def test_one_feature_and_two_features():
    for n_features in (1, 2):
        events = datasets.categorical(150, seed=6, n_features=n_features)
        for name in MODELS:
            model = learn(fresh(name), events)
            model.relearn()
            assert_same_posteriors(model, fitted(oracle(name), events), probes(events))


def test_subsumption_leaves_out_generalisations():
    """`kind` follows from `breed`, and `breed` and `code` are twins: one of the three speaks."""
    rng = random.Random(4)
    events = []
    for _ in range(500):
        breed = rng.choice(["poodle", "husky", "siamese"])
        x = {"breed": breed, "code": breed[:2], "kind": "cat" if breed == "siamese" else "dog"}
        x["size"] = rng.choice(["s", "m"])
        events.append((x, "yes" if rng.random() < (0.8 if breed == "husky" else 0.3) else "no"))
    for subsumption in (True, False):
        model = learn(AODEClassifier(subsumption=subsumption), events)
        model.relearn()
        reference = naive.NaiveBN("aode", subsumption=subsumption)
        assert_same_posteriors(model, fitted(reference, events), [x for x, _ in events[:30]])
    alone = [({"breed": x["breed"], "size": x["size"]}, y) for x, y in events]
    reference = fitted(naive.NaiveBN("aode"), alone)
    model = learn(AODEClassifier(subsumption=True), events)
    model.relearn()
    for x, _ in events[:30]:
        assert model.predict_proba_one(x) == pytest.approx(reference.posterior(x), abs=EXACT)


def test_subsumption_needs_a_hundred_events():
    rng = random.Random(5)
    events = []
    for t in range(130):
        breed = "poodle" if t < 101 else "siamese"
        x = {"breed": breed, "kind": "cat" if breed == "siamese" else "dog", "f": rng.choice("ab")}
        events.append((x, rng.choice(["yes", "no"])))
    for n_poodles in (99, 100, 101):
        some = events[101 - n_poodles :]
        model = learn(AODEClassifier(subsumption=True), some)
        model.relearn()
        reference = fitted(naive.NaiveBN("aode", subsumption=True), some)
        assert_same_posteriors(model, reference, [x for x, _ in some[::7]])


# -- Other ways to ask ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", MODELS)
def test_log_joints_and_priors_equal_the_oracle(name):
    events = datasets.categorical(250, seed=9, n_features=4, missing=0.1)
    model = learn(fresh(name), events)
    model.relearn()
    reference = fitted(oracle(name), events)
    for c in reference.classes:
        assert model.p_class(c) == pytest.approx(reference.prior(c), abs=EXACT)
    for x, _ in events[:20]:
        got, expected = model.joint_log_likelihood(x), reference.log_joint(x)
        assert got.keys() == expected.keys()
        # A combined score is free up to a factor that all classes share.
        shared = 0.0
        if name not in WITH_ONE_STRUCTURE:
            shared = next(iter(got.values())) - expected[next(iter(got))]
        for c in expected:
            assert got[c] - shared == pytest.approx(expected[c], abs=1e-8)


# -- On the way, before anybody calls relearn() --------------------------------------------------


@pytest.mark.parametrize("name", ["nb", "kdb1-mi", "kdb2-mi", "kdb3-mi", "tan"])
def test_before_the_grace_period_it_is_naive_bayes(name):
    events = datasets.categorical(99, seed=10, n_features=5, missing=0.1)
    model = learn(fresh(name), events)
    assert not model.structure_edges()
    assert_same_posteriors(model, fitted(naive.NaiveBN("kdb", k=0), events), probes(events))


@pytest.mark.parametrize("name", ["kdb1-mi", "kdb2-mi", "kdb3-mi", "tan"])
def test_counts_are_exact_at_every_moment(name):
    """Between two relearnings the structure stands still and the counts do not."""
    events = datasets.categorical(700, seed=11, n_features=5, n_values=5, missing=0.1)
    model = learn(fresh(name, grace_period=10_000, relearn_period=10_000), events[:130])
    model.relearn()
    at_relearning = fitted(oracle(name), events[:130])
    assert_same_structure(model, at_relearning)
    for start in range(130, 700, 95):
        learn(model, events[start : start + 95])
        now = naive.NaiveBN("kdb", parents=at_relearning.parents())
        assert_same_posteriors(model, fitted(now, events[: start + 95]), probes(events)[::4])
    assert_same_structure(model, at_relearning)


@pytest.mark.parametrize("name", ["kdb1-mi", "tan"])
def test_counts_are_exact_across_scheduled_relearnings(name):
    events = datasets.categorical(700, seed=12, n_features=5, n_values=5, missing=0.1)
    model = fresh(name, grace_period=60, relearn_period=150)
    structures = set()
    for t, (x, y) in enumerate(events):
        model.learn_one(x, y)
        if t % 97 == 96:
            now = naive.NaiveBN("kdb", parents=parents_of(model))
            assert_same_posteriors(model, fitted(now, events[: t + 1]), probes(events)[::4])
            structures.add(frozenset(model.structure_edges()))
    assert len(structures) > 1


@pytest.mark.parametrize(
    "name", ["nb", "kdb1-mi", "kdb2-mi", "tan", "atan", "watan", "aode", "waode"]
)
@pytest.mark.dense_only
def test_nothing_is_lost_when_the_window_is_small(name):
    """Late features, categories and classes arrive long after the window stopped holding all."""
    events = datasets.growing(500, seed=12)
    model = learn(fresh(name, window_size=40, grace_period=30), events)
    model.relearn()
    assert_same_posteriors(model, fitted(oracle(name), events), probes(events))


@pytest.mark.parametrize("name", ["kdb2-mi", "kdb3-mi", "watan", "aode"])
def test_new_features_categories_and_classes_while_the_window_holds_all(name):
    events = datasets.growing(500, seed=13)
    model = learn(fresh(name, grace_period=30, relearn_period=100), events)
    model.relearn()
    assert_same_posteriors(model, fitted(oracle(name), events), probes(events))


@pytest.mark.parametrize("name", ["kdb1-mi", "kdb2-mi", "kdb3-mi", "tan", "waode"])
def test_rare_categories_share_a_slot(name):
    """Past `max_categories` the rarest of the window become one value, OTHER."""
    rng = random.Random(14)
    events = []
    for t in range(400):
        label = rng.choice(["a", "b"])
        common = rng.choice(["v0", "v1"] if label == "a" else ["v1", "v2"])
        x = {"f": f"rare{rng.randrange(6)}" if t < 12 or rng.random() < 0.1 else common}
        x["g"] = rng.choice(["p", x["f"][:1]])
        x["h"] = rng.choice([label, "q"])
        events.append((x, label))
    model = learn(fresh(name, max_categories=3), events)
    model.relearn()
    merged = [({**x, "f": "OTHER" if x["f"].startswith("rare") else x["f"]}, y) for x, y in events]
    reference = fitted(oracle(name), merged)
    for (x, _), (as_merged, _) in zip(events[:60], merged, strict=False):
        expected = reference.posterior(as_merged)
        assert model.predict_proba_one(x) == pytest.approx(expected, abs=EXACT)
