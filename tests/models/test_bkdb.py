"""Bagged k-dependence classifiers: what they say about themselves, and what holds for them."""

from __future__ import annotations

import pytest

from river_kdb import BKDBClassifier
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

VARIANTS = [name for name, (klass, _, _) in MODELS.items() if klass is BKDBClassifier]
LITERAL_G = ("bkdb-g", {"literal": True})


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"k": 0}, "k must be a whole number at least 1"),
        ({"k": "2"}, "k must be"),
        ({"parts": "LG"}, "parts must be one of 'GL', 'G', 'L'"),
        ({"parts": ""}, "parts must be"),
        ({"literal": None}, "literal must be one of False, True"),
        ({"literal": "yes"}, "literal must be"),
        ({"redundancy": 0.0}, "redundancy must be above 0 and at most 1"),
        ({"redundancy": 1.5}, "redundancy must be"),
        ({"redundancy": True}, "redundancy must be"),
        ({"relearn_period": 0}, "relearn_period must be"),
        ({"smoothing": -1.0}, "smoothing must be"),
    ],
)
def test_parameters_out_of_bounds(params, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        BKDBClassifier(**params)


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("name", VARIANTS)
def test_what_has_to_hold(name, check):
    CHECKS[check](name)


@pytest.mark.parametrize(("name", "params"), [*((name, {}) for name in VARIANTS), LITERAL_G])
def test_the_words_end_with_the_posterior(name, params):
    check_debug(name, **params)


# -- The networks of an event --------------------------------------------------------------------


@pytest.mark.parametrize("missing", ["value", "skip"])
@pytest.mark.parametrize(("name", "params"), [*((name, {}) for name in VARIANTS), LITERAL_G])
def test_the_networks_are_those_of_the_oracle(name, params, missing):
    events = some_events()
    weights = random_weights(len(events))
    params = {**params, "missing": missing}
    model = learned(name, events, weights, **params)
    reference = oracle(name, events, weights, **params)
    expected = [(part, c) for part in reference.parts for c in model._learner.labels]
    for x in questions(events, 4, 6):
        found, networks = model.networks_one(x), reference.networks(x)
        for (part, c), network in zip(expected, found, strict=True):
            whole = networks[part, c]
            posterior = {} if reference.literal else reference.posterior_of(x, whole)
            title = f"{TITLES[part]} of class {c!r}"
            assert_network(network, of_seen(reference, whole, x), title, posterior)
            single, pair = measures(reference, part, x, c)
            assert_measures(network, single, pair, ranking(reference.seen(x), single))
        assert_mean_of_networks(model, x)


TITLES = {"G": "B", "L": "b"}


def measures(reference, part, x, c):
    if part == "G":
        return (
            lambda name: -reference.entropy(name, (), c),
            lambda child, parent: -reference.entropy(child, (parent,), c),
        )
    return (
        lambda name: -reference.surprise(x, name, (), c),
        lambda child, parent: -reference.surprise(x, child, (parent,), c),
    )


@pytest.mark.parametrize("literal", [False, True])
def test_a_class_met_since_the_last_relearning_is_scored_only_as_it_is_written(literal):
    """Its likelihood is asked for then, so it has a B, without arcs; else nobody asks for one."""
    events = some_events()
    model = fresh("bkdb", literal=literal, grace_period=10_000)
    learn(model, events)
    model.relearn()
    known = list(model._learner.labels)
    learn(model, [(events[0][0], "new")] * 3)
    found = {network.title: network for network in model.networks_one(events[0][0])}
    of_all = [*known, "new"] if literal else known
    assert list(found) == [
        *(f"B of class {c!r}" for c in of_all),
        *(f"b of class {c!r}" for c in [*known, "new"]),
    ]
    if literal:
        assert found["B of class 'new'"].arcs == {}
        assert set(found["B of class 'new'"].order) == set(events[0][0])
    assert all(found[f"B of class {c!r}"].arcs for c in known)


@pytest.mark.parametrize("missing", ["value", "skip"])
@pytest.mark.parametrize("redundancy", [None, 0.5, 0.95])
def test_every_class_has_a_network_of_its_own_events(redundancy, missing):
    events = some_events()
    weights = random_weights(len(events))
    params = {"redundancy": redundancy, "missing": missing}
    model = learned("bkdb", events, weights, **params)
    reference = oracle("bkdb", events, weights, **params)
    names, structure = model.feature_names, model._learner.structure
    assert structure.weights.tolist() == [0.25] * 4
    for c, parents in zip(model._learner.labels, structure.parents, strict=True):
        found = {names[i]: [names[j] for j in row if j >= 0] for i, row in enumerate(parents)}
        assert found == reference.general[c]
    edges = {
        (p, child)
        for network in reference.general.values()
        for child, above in network.items()
        for p in above
    }
    assert set(model.structure_edges()) == edges


def test_the_parts_are_shown_that_are_asked():
    events = some_events()
    for name, letters in (("bkdb", "Bb"), ("bkdb-g", "B"), ("bkdb-l", "b")):
        model = learned(name, events)
        titles = [network.title for network in model.networks_one(events[0][0])]
        expected = [f"{b} of class {c!r}" for b in letters for c in model._learner.labels]
        assert titles == expected
    assert learned("bkdb-l", events).structure_edges() == []


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


# -- What the parameters do ----------------------------------------------------------------------


def answers(events, **params):
    model = learned("bkdb", events, **params)
    return [model.predict_proba_one(x) for x, _ in events[:20]]


def test_parameters_make_a_difference():
    events = some_events()
    found = [
        answers(events, **params)
        for params in (
            {},
            {"k": 1},
            {"parts": "G"},
            {"parts": "L"},
            {"literal": True},
            {"literal": True, "parts": "G"},
            {"redundancy": 0.8},
        )
    ]
    assert all(a != b for i, a in enumerate(found) for b in found[:i])


def test_as_it_is_written_smoothing_has_no_say():
    events = some_events()
    plain = answers(events, literal=True)
    assert answers(events, literal=True, smoothing="m-estimate") == plain
    assert answers(events, smoothing="m-estimate") != answers(events)


def test_all_of_the_entropy_is_no_redundancy():
    events = some_events()
    whole = answers(events, redundancy=1.0)
    assert whole == answers(events)
    assert whole != answers(events, redundancy=0.5)


def test_both_parts_are_the_mean_of_each():
    events = some_events()
    both, general, local = (learned(name, events) for name in ("bkdb", "bkdb-g", "bkdb-l"))
    for x in questions(events, 4, 6):
        parts = [model.predict_proba_one(x) for model in (general, local)]
        mean = {c: (parts[0][c] + parts[1][c]) / 2 for c in parts[0]}
        assert both.predict_proba_one(x) == pytest.approx(mean, abs=1e-12)


def test_the_share_of_redundancy_takes_parents_away():
    events = some_events()
    arcs = [
        sum(len(n.arcs) for n in learned("bkdb-l", events, redundancy=r).networks_one(events[0][0]))
        for r in (None, 0.95, 0.5, 0.1)
    ]
    assert arcs == sorted(arcs, reverse=True)
    assert arcs[0] > arcs[2] > arcs[3]
