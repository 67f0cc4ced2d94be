"""Class-specific multinets: what they say about themselves, and what holds for all of them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from river_kdb import CSBClassifier
from tests import naive
from tests.models.target_checks import (
    CHECKS,
    assert_mean_of_networks,
    assert_measures,
    assert_network,
    check_debug,
    of_seen,
    some_events,
)
from tests.naive_papers import ranking
from tests.target_models import MODELS, fresh, learn, learned, oracle, questions, random_weights

VARIANTS = [name for name, (klass, _, _) in MODELS.items() if klass is CSBClassifier]


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"k": 0}, "k must be a whole number at least 1"),
        ({"k": 2.0}, "k must be"),
        ({"confident": 0}, "confident must be above 0 and at most 1"),
        ({"confident": 1.01}, "confident must be"),
        ({"confident": math.nan}, "confident must be"),
        ({"confident": None}, "confident must be"),
        ({"parts": "LG"}, "parts must be one of 'GL', 'G', 'L'"),
        ({"parts": None}, "parts must be"),
        ({"grace_period": 0}, "grace_period must be"),
        ({"smoothing": "none"}, "smoothing must be"),
    ],
)
def test_parameters_out_of_bounds(params, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        CSBClassifier(**params)


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("name", VARIANTS)
def test_what_has_to_hold(name, check):
    CHECKS[check](name)


@pytest.mark.parametrize(
    ("name", "params"),
    [
        *((name, {}) for name in VARIANTS),
        ("csb-g", {"confident": 1.0}),
        ("csb-g", {"confident": 0.3}),
    ],
)
def test_the_words_end_with_the_posterior(name, params):
    check_debug(name, **params)


# -- The networks of an event --------------------------------------------------------------------


@pytest.mark.parametrize("missing", ["value", "skip"])
@pytest.mark.parametrize("name", VARIANTS)
def test_the_networks_are_those_of_the_oracle(name, missing):
    events = some_events()
    weights = random_weights(len(events))
    model = learned(name, events, weights, missing=missing)
    reference = oracle(name, events, weights, missing=missing)
    for x in questions(events, 4, 6):
        asked = reference.confident_of(x)
        found, networks = model.networks_one(x), reference.networks(x)
        expected = [(p, c) for p in reference.parts for c in model._learner.labels if c in asked]
        for (part, c), network in zip(expected, found, strict=True):
            whole = networks[part, c]
            shown, posterior = of_seen(reference, whole, x), reference.posterior_of(x, whole)
            assert_network(network, shown, f"{part} of class {c!r}", posterior)
            single, pair = measures(reference, part, x, c)
            assert_measures(network, single, pair, ranking(reference.seen(x), single))
        assert_mean_of_networks(model, x)


def measures(reference, part, x, c):
    if part == "G":
        return (
            lambda name: reference.class_mi(name, c),
            lambda child, parent: reference.class_cmi(child, parent, c),
        )
    return (
        lambda name: reference.micro_mi(x, name, c),
        lambda child, parent: reference.micro_cmi(x, child, parent, c),
    )


@pytest.mark.parametrize("name", ["csb", "csb-g"])
def test_every_class_has_a_network_learned_from_all_events(name):
    events = some_events()
    model, reference = learned(name, events), oracle(name, events)
    networks = [reference.parents(), *(reference.general[c] for c in model._learner.labels)]
    names, structure = model.feature_names, model._learner.structure
    assert structure.weights.tolist() == [0.0, *[0.25] * 4]
    for parents, network in zip(structure.parents, networks, strict=True):
        found = {names[i]: [names[j] for j in row if j >= 0] for i, row in enumerate(parents)}
        assert found == network
    edges = {(p, child) for network in networks for child, above in network.items() for p in above}
    assert set(model.structure_edges()) == edges


def test_without_a_network_of_the_classes_asked_the_classifier_that_names_them_answers():
    """A class that came after the last relearning has none of all events."""
    events = some_events()
    model = fresh("csb-g", confident=0.1, grace_period=10_000)
    learn(model, events)
    model.relearn()
    x = {**events[0][0], "f0": "v9"}
    learn(model, [(x, "new")] * 200)
    assert model.predict_one(x) == "new"
    (plain,) = model.networks_one(x)
    assert plain.title == "plain, as the classes asked have no network yet"
    assert plain.posterior == model.predict_proba_one(x)
    reference = naive.NaiveBN("kdb", k=2).fit(*zip(*events, strict=True))
    assert plain.parents == reference.parents()
    now = oracle("csb-g", [*events, *[(x, "new")] * 200])
    assert_measures(plain, now.mi, now.cmi, ranking(now.features, now.mi))
    text = model.debug_one(x)
    assert str(plain) in text
    assert f"'new': probability {plain.posterior['new']:.6f}" in text


def test_draw():
    graphviz = pytest.importorskip("graphviz")
    events = some_events()
    for name in VARIANTS:
        model = learned(name, events)
        graph = model.draw(events[0][0])
        assert isinstance(graph, graphviz.Digraph)
        assert graph.source.count("subgraph") == len(model.networks_one(events[0][0]))
        assert isinstance(model.draw(), graphviz.Digraph)
        for network in model.networks_one(events[0][0]):
            assert network.title in graph.source


# -- Who is asked --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("confident", "n_asked"),
    [(1e-9, 1), (0.25, 1), (0.2501, 2), (0.5, 2), (0.75, 3), (0.7501, 4), (1, 4)],
)
def test_a_share_of_the_classes_is_asked(confident, n_asked):
    events = some_events()
    model = learned("csb", events, confident=confident)
    plain = naive.NaiveBN("kdb", k=2).fit(*zip(*events, strict=True))
    for x, _ in events[:5]:
        posterior = plain.posterior(x)
        likely = sorted(posterior, key=posterior.get, reverse=True)[:n_asked]
        titles = [network.title for network in model.networks_one(x)]
        asked = [c for c in model._learner.labels if c in likely]
        assert titles == [f"{part} of class {c!r}" for part in "GL" for c in asked]


def test_of_classes_that_are_as_probable_the_earlier_is_asked():
    model = fresh("csb", confident=0.3)
    asked = model._asked(np.array([[0.2, 0.4, 0.4 + 1e-15], [0.25, 0.25, 0.5]]))
    assert asked.tolist() == [[False, True, False], [False, False, True]]
    assert fresh("csb", confident=0.6)._asked(np.array([[0.25, 0.25, 0.5]])).tolist() == [
        [True, False, True]
    ]


@pytest.mark.parametrize(("confident", "m"), [(0.28, 25), (0.07, 100), (0.7, 10)])
def test_rounding_asks_nobody_else(confident, m):
    """.28 times 25 comes out as a little more than 7."""
    asked = fresh("csb", confident=confident)._asked(np.full((1, m), 1 / m))
    assert asked[0].tolist() == [c < 7 for c in range(m)]


def test_parts_and_shares_make_a_difference():
    events = some_events()
    found = []
    for params in ({}, {"parts": "G"}, {"parts": "L"}, {"confident": 0.2}, {"confident": 1}):
        model = learned("csb", events, **params)
        found.append([model.predict_proba_one(x) for x, _ in events[:20]])
    assert all(a != b for i, a in enumerate(found) for b in found[:i])


def test_both_parts_are_the_mean_of_each():
    events = some_events()
    both, general, local = (learned(name, events) for name in ("csb", "csb-g", "csb-l"))
    for x in questions(events, 4, 6):
        parts = [model.predict_proba_one(x) for model in (general, local)]
        mean = {c: (parts[0][c] + parts[1][c]) / 2 for c in parts[0]}
        assert both.predict_proba_one(x) == pytest.approx(mean, abs=1e-12)
