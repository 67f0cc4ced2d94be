"""Target learning: what it says about itself, and what holds whatever it is told to do."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

from river_kdb import UKDBClassifier
from tests import datasets, naive
from tests.counts.test_bitsets import assert_sets
from tests.models.target_checks import (
    CHECKS,
    assert_mean_of_networks,
    assert_measures,
    assert_network,
    assert_notes,
    check_debug,
    more_and_more_words,
    of_seen,
    some_events,
)
from tests.naive_papers import ranking
from tests.target_models import (
    MODELS,
    assert_distributions,
    assert_same_posteriors,
    fresh,
    learn,
    learned,
    oracle,
    questions,
    random_weights,
)

VARIANTS = [name for name, (klass, _, _) in MODELS.items() if klass is UKDBClassifier]
T, P = "T, chosen for this event", "P, learned for this event"
T_OF_ALL = "T, learned from all events"


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"k": 0}, "k must be a whole number at least 1"),
        ({"k": 1.5}, "k must be"),
        ({"k": True}, "k must be"),
        ({"universal": "yes"}, "universal must be one of False, True"),
        ({"candidates": 0}, "candidates must be a whole number at least 1"),
        ({"candidates": 2.0}, "candidates must be"),
        ({"criterion": "max"}, "criterion must be one of"),
        ({"criterion": None}, "criterion must be"),
        ({"parts": "PT"}, "parts must be one of 'TP', 'T', 'P'"),
        ({"parts": ""}, "parts must be"),
        ({"tree": None}, "tree must be one of False, True"),
        ({"window_size": 0}, "window_size must be"),
        ({"smoothing": 0.0}, "smoothing must be"),
    ],
)
def test_parameters_out_of_bounds(params, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        UKDBClassifier(**params)


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("name", [n for n in VARIANTS if n not in ("tl3", "tan-p")])
def test_what_has_to_hold(name, check):
    CHECKS[check](name)


@pytest.mark.parametrize("name", VARIANTS)
def test_the_words_end_with_the_posterior(name):
    check_debug(name)


# -- The networks of an event --------------------------------------------------------------------


@pytest.mark.parametrize("missing", ["value", "skip"])
@pytest.mark.parametrize("name", VARIANTS)
def test_the_networks_are_those_of_the_oracle(name, missing):
    events = some_events()
    weights = random_weights(len(events))
    model = learned(name, events, weights, missing=missing)
    reference = oracle(name, events, weights, missing=missing)
    for x in questions(events, 4, 6):
        expected, found = reference.networks(x), model.networks_one(x)
        titles = {"T": T if reference.universal else T_OF_ALL, "P": P}
        assert [network.title for network in found] == [titles[part] for part in expected]
        for part, network in zip(expected, found, strict=True):
            single, pair = measures(reference, part, x)
            posterior = reference.posterior_of(x, expected[part])
            shown = of_seen(reference, expected[part], x)
            assert_network(network, shown, titles[part], posterior)
            assert_measures(network, single, pair, ranking(reference.seen(x), single))
        assert_mean_of_networks(model, x)


def measures(reference: Any, part: str, x: Any) -> tuple:
    if part == "T":
        return reference.mi, reference.cmi
    return (
        lambda name: reference.local_mi(x, name),
        lambda child, parent: reference.local_cmi(x, child, parent),
    )


@pytest.mark.parametrize("name", ["tl", "tan-e"])
def test_the_network_of_all_events_is_in_the_structure(name):
    events = some_events()
    model, reference = learned(name, events), oracle(name, events)
    edges = {(p, child) for child, above in reference.parents().items() for p in above}
    assert set(model.structure_edges()) == edges
    # and it is shown for every event, with what it says of that
    for x in questions(events, 4, 6):
        shown = model.networks_one(x)[0]
        assert shown.title == T_OF_ALL
        assert model.debug_one(x).count(T_OF_ALL) == 1
        seen = set(reference.seen(x))
        assert set(shown.arcs) == {(p, child) for p, child in edges if child in seen}


def test_the_strongest_candidates_are_shown_as_the_structure():
    events = some_events()
    model = learned("ukdb", events)
    plain = naive.NaiveBN("kdb", k=2).fit(*zip(*events, strict=True))
    edges = {(p, child) for child, above in plain.parents().items() for p in above}
    assert set(model.structure_edges()) == edges
    pytest.importorskip("graphviz")
    assert model.draw().source.count(" -> ") == len(edges) + 1  # and the class to the first


def test_no_network_is_beside_the_chosen_ones():
    events = some_events()
    model = learned("ukdb", events)
    assert [network.title for network in model.networks_one(events[0][0])] == [T, P]
    assert "beside" not in model.debug_one(events[0][0])


@pytest.mark.parametrize("name", ["ukdb-p", "kdb-p"])
def test_without_t_nothing_is_learned_from_all_events(name):
    events = some_events()
    model = learned(name, events)
    assert model.structure_edges() == []
    assert [network.title for network in model.networks_one(events[0][0])] == [P]
    assert "beside" not in model.debug_one(events[0][0])


@pytest.mark.parametrize("name", VARIANTS)
def test_draw(name):
    graphviz = pytest.importorskip("graphviz")
    events = some_events()
    model = learned(name, events)
    for graph in (model.draw(), model.draw(events[0][0]), model.draw({}), model.draw({"new": 1})):
        assert isinstance(graph, graphviz.Digraph)
        assert graph.name == "UKDBClassifier"
    source = model.draw(events[0][0]).source
    networks = model.networks_one(events[0][0])
    for network in networks:
        assert network.title in source
    solid = [line for line in source.splitlines() if " -> " in line and "dashed" not in line]
    assert len(solid) == sum(len(network.arcs) for network in networks)
    assert "subgraph" not in fresh(name).draw({}).source


# -- What the parameters do ----------------------------------------------------------------------


def answers(events, **params):
    model = learned("ukdb", events, **params)
    return [model.predict_proba_one(x) for x, _ in events[:20]]


def test_criteria_and_candidates_make_a_difference():
    events = some_events()
    found = [
        answers(events, **params)
        for params in (
            {"criterion": "expected"},
            {"criterion": "posterior"},
            {"criterion": "sum"},
            {"criterion": "min-sum"},
            {"candidates": 1},
            {"parts": "T"},
            {"parts": "P"},
            {"universal": False},
            {"tree": True},
        )
    ]
    assert all(a != b for i, a in enumerate(found) for b in found[:i])


def test_twice_k_candidates_are_the_default():
    events = some_events()
    assert answers(events, k=1) == answers(events, k=1, candidates=2)
    assert answers(events, k=1) != answers(events, k=1, candidates=4)


def test_for_trees_the_choice_has_no_say():
    events = some_events()
    plain = answers(events, tree=True)
    assert answers(events, tree=True, k=1, candidates=1, criterion="sum") == plain
    assert answers(events, tree=True, universal=False) == plain


@pytest.mark.parametrize("max_parents", [1, 2, 3])
def test_no_value_has_more_parents_than_k(max_parents):
    events = some_events()
    model = learned("ukdb", events, k=max_parents)
    found = [len(above) for n in model.networks_one(events[0][0]) for above in n.parents.values()]
    assert max(found) <= max_parents
    assert sorted(found)[2] > 0  # all but the roots of T and P have one


def test_the_whole_window_is_asked_at_any_time():
    """Events learned a moment ago change the network of the next."""
    events = some_events()
    model = learned("ukdb", events[:150], relearn_period=10_000)
    before = str(model.networks_one(events[0][0])[1])
    learn(model, events[150:])
    assert str(model.networks_one(events[0][0])[1]) != before
    assert_distributions(model, questions(events))


@pytest.mark.parametrize("how", ["overflow", "relearn"])
def test_it_is_naive_bayes_until_the_first_structure_whatever_happens(how):
    events = some_events()
    window_size = 40 if how == "overflow" else 10_000
    model = fresh("ukdb", grace_period=150, window_size=window_size)
    if how == "relearn":
        model.relearn()  # of nothing
    learn(model, events[:100])
    plain = naive.NaiveBN("kdb", k=0).fit(*zip(*events[:100], strict=True))
    rows = questions(events, 4, 6)
    assert_same_posteriors(model, plain, rows)
    for x in rows:
        assert model.networks_one(x) == []
        assert "P(class)" in model.debug_one(x)
        logs = model.joint_log_likelihood(x)
        assert logs == pytest.approx(plain.log_joint(x), abs=1e-9)
    learn(model, events[100:150])
    assert [network.title for network in model.networks_one(rows[0])] == [T, P]


def test_recoding_leaves_it_ready():
    """New cut points count all pairs and sets anew, between two structures too."""
    events = datasets.mixed(260, seed=3)
    model = fresh("ukdb", grace_period=30, relearn_period=10_000)
    for t, (x, y) in enumerate(events):
        model.learn_one(x, y)
        if t in (29, 30, 48, 49, 50, 98, 99, 100, 199, 200):
            store = model._learner.store
            assert len(model.networks_one(x)) == 2
            assert store.n_paired == store.n_events
            assert_sets(store.bitsets, store.layout, store.window, store.n_events)
            n = 0 if store.windowed else store.n_features
            assert store.pairs.cells.sum() == (t + 1) * n * (n - 1) / 2


# -- What memory runs out for --------------------------------------------------------------------


def told_of(model, events):
    """What is warned of while a model learns; its notes are right after every event."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for x, y in events:
            model.learn_one(x, y)
            if model._learner.store.pairs is not None:
                assert_notes(model)
    return [str(warning.message) for warning in told if warning.category is UserWarning]


NO_SETS = "no sets of events: an event's own network has one parent a feature"


def test_sets_that_do_not_fit_are_noted():
    model, events = (
        fresh("ukdb", max_size=0.12, grace_period=60, counts="dense"),
        more_and_more_words(),
    )
    told = told_of(model, events)
    assert not model._learner.store.keeps_sets
    assert told == ["max_size=0.12: the window holds 561 events"]
    assert model.summary.notes == [*told, f"max_size=0.12: {NO_SETS}"]
    assert NO_SETS in str(model.summary)
    networks = model.networks_one(events[0][0])
    assert max(len(above) for network in networks for above in network.parents.values()) == 1


def test_sets_that_do_not_fit_are_warned_of():
    """Here the window has the size it should have: the sets are the first to go."""
    model = fresh("ukdb", max_size=0.05, grace_period=60, window_size=200, counts="dense")
    assert told_of(model, more_and_more_words()) == [f"max_size=0.05: {NO_SETS}"]


def test_the_note_on_pairs_counts_the_features_that_keep_them():
    """Whenever a feature grows, others may lose their pairs."""
    model = fresh("ukdb", max_size=0.06, grace_period=60, counts="dense")
    seen: list[str] = []
    for event in more_and_more_words():
        told_of(model, [event])
        seen += [note for note in model.summary.notes if "keep pairs" in note]
    of_ten = [f"max_size=0.06: {n} of 10 features keep pairs" for n in (8, 7, 6, 5)]
    assert list(dict.fromkeys(note.split(",")[0] for note in seen)) == of_ten
    assert len(model._learner.store.pairs.members) == 5


def test_a_note_goes_when_what_it_says_is_over_and_nothing_is_warned_of_twice():
    """Sets that were dropped fit again once some features lose their pairs."""
    model = fresh("ukdb", max_size=0.08, grace_period=60, window_size=100, counts="dense")
    gone: list[bool] = []
    told: list[str] = []
    for event in more_and_more_words():
        told += told_of(model, [event])
        gone.append(any("no sets" in note for note in model.summary.notes))
    assert True in gone
    assert not gone[-1]
    assert len(told) == 1
