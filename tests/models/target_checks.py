"""What has to hold for every model that learns a network for each event."""

from __future__ import annotations

import copy
import math
import pickle
import random
import re
from typing import Any

import pytest

from tests import datasets, naive
from tests.target_models import (
    EXACT,
    assert_distributions,
    assert_same_posteriors,
    fresh,
    learn,
    learned,
    questions,
    random_weights,
)


def some_events(n: int = 200, seed: int = 8) -> list:
    return datasets.categorical(n, seed=seed, n_features=5, missing=0.1, n_classes=4)


def more_and_more_words(n: int = 240) -> list:
    """Ten features of text, each with one more value every 40 events."""
    rng = random.Random(1)
    return [
        ({f"f{i}": rng.choice("pqrstuv"[: 2 + t // 40]) for i in range(10)}, t % 3)
        for t in range(n)
    ]


def check_debug(name: str, **params: Any) -> None:
    """The words name every class, and end with the posterior."""
    events = some_events()
    model = learned(name, events, random_weights(len(events)), **params)
    for x in questions(events, 4, 6):
        text, posterior = model.debug_one(x), model.predict_proba_one(x)
        said = text.split("\nposterior\n")[1].splitlines()
        assert len(said) == len(posterior)
        for line, (label, p) in zip(said, posterior.items(), strict=True):
            found = re.fullmatch(rf"  {label!r}: (?:.*, )?probability ([\d.]+)", line)
            assert found, line
            assert float(found[1]) == pytest.approx(p, abs=1e-6)
        networks = [str(network) for network in model.networks_one(x)]
        assert networks
        blocks = "\n".join([*networks, "posterior"])
        assert f"\n{blocks}\n" in f"\n{text}"  # the networks as listed, and nothing between
    text = model.debug_one({"f0": "never learned", "else": 1, "f1": events[0][0]["f1"]})
    left_out = "left out, never learned or missing: 'f0' = 'never learned', 'else' = 1"
    assert text.splitlines()[0] == left_out


def check_before_the_first_structure(name: str) -> None:
    model, events = fresh(name, grace_period=80), some_events()
    assert model.networks_one({"f0": "v1"}) == []
    assert model.predict_proba_one({"f0": "v1"}) == {}
    assert model.debug_one({"f0": "v1"}) == "nothing learned yet"
    learn(model, events[:79])
    plain = naive.NaiveBN("kdb", k=0).fit(*zip(*events[:79], strict=True))
    rows = questions(events, 4, 6)
    assert_same_posteriors(model, plain, rows)
    for x in rows:
        assert model.networks_one(x) == []
        assert "posterior" in model.debug_one(x)
    assert model.structure_edges() == []
    learn(model, events[79:80])
    plain = naive.NaiveBN("kdb", k=0).fit(*zip(*events[:80], strict=True))
    found = [model.predict_proba_one(x) for x in rows]
    assert found != [pytest.approx(plain.posterior(x), abs=EXACT) for x in rows]


def check_a_class_that_appears_late(name: str) -> None:
    """After the last relearning no network of it was learned."""
    events = some_events()
    model = fresh(name, grace_period=10_000)
    learn(model, events)
    model.relearn()
    for t, label in enumerate(["new", "newer", ("newest", 1)]):
        learn(model, [({**events[t][0], "f0": "v9"}, label)] * 3)
        rows = [{**events[t][0], "f0": "v9"}, *questions(events, 3, 5)]
        assert_distributions(model, rows)
        for x in rows:
            posterior = model.predict_proba_one(x)
            assert len(posterior) == 5 + t
            assert posterior[label] > 0
            assert_mean_of_networks(model, x)
    assert model.predict_proba_one(rows[0])[label] > 1e-3


def check_looking_changes_nothing(name: str) -> None:
    pd = pytest.importorskip("pandas")
    events = some_events()
    model = learned(name, events)
    learn(model, events[:20])
    rows = questions(events, 3, 5)
    before = pickle.dumps(model)
    for x in rows:
        model.predict_proba_one(x)
        model.predict_one(x)
        model.networks_one(x)
        model.debug_one(x)
        model.joint_log_likelihood(x)
    model.predict_proba_many(pd.DataFrame(rows))
    assert str(model.summary)
    assert pickle.dumps(model) == before


def check_copies(name: str) -> None:
    """A model that was stored and loaded predicts, and learns on, as the one that was not."""
    events = some_events(260)
    model = fresh(name, window_size=60, grace_period=40, relearn_period=80)
    for stop in (30, 150):
        learn(model, events[model._learner.store.n_events : stop])
        stored = pickle.loads(pickle.dumps(model))
        copied = copy.deepcopy(model)
        rows = questions(events, 3, 5)
        for x in rows:
            expected = model.predict_proba_one(x)
            assert stored.predict_proba_one(x) == copied.predict_proba_one(x) == expected
        for other in (stored, copied):
            learn(other, events[stop : stop + 110])
        learn(model, events[stop : stop + 110])
        for x in rows:
            expected = model.predict_proba_one(x)
            assert stored.predict_proba_one(x) == copied.predict_proba_one(x) == expected
    anew = model.clone()
    assert anew.predict_proba_one(events[0][0]) == {}
    assert type(anew) is type(model)


def check_little_memory(name: str) -> None:
    """Some features keep no pairs, sets may be dropped: there is an answer all the same."""
    words = more_and_more_words()
    for max_size in (0.03, 0.06, 0.12):
        model = fresh(name, max_size=max_size, grace_period=60)
        with pytest.warns(UserWarning, match="max_size"):
            learn(model, words)
        assert_distributions(model, questions(words, 4, 6))
        assert_notes(model)
        for x in questions(words, 3, 3):
            assert_mean_of_networks(model, x)
            assert {name for n in model.networks_one(x) for name in n.order} <= set(x)


def check_the_log_joint_is_that_of_the_posterior(name: str) -> None:
    events = some_events()
    model = learned(name, events)
    for x in questions(events, 3, 4):
        logs, posterior = model.joint_log_likelihood(x), model.predict_proba_one(x)
        total = sum(math.exp(log) for log in logs.values())
        for label, p in posterior.items():
            assert math.exp(logs[label]) / total == pytest.approx(p, abs=EXACT)
        assert model.predict_one(x) == max(posterior, key=posterior.get)


CHECKS = {
    check.__name__.removeprefix("check_"): check
    for check in (
        check_before_the_first_structure,
        check_a_class_that_appears_late,
        check_looking_changes_nothing,
        check_copies,
        check_little_memory,
        check_the_log_joint_is_that_of_the_posterior,
    )
}


def assert_mean_of_networks(model: Any, x: Any) -> None:
    """Nobody is asked but the networks shown: the answer is the mean of what they say."""
    networks, posterior = model.networks_one(x), model.predict_proba_one(x)
    assert networks
    assert len({network.title for network in networks}) == len(networks)
    if getattr(model, "literal", False):
        assert all(network.posterior == {} for network in networks)
        return
    assert all(list(network.posterior) == list(posterior) for network in networks)
    mean = {c: sum(n.posterior[c] for n in networks) / len(networks) for c in posterior}
    assert posterior == pytest.approx(mean, abs=EXACT)


def assert_notes(model: Any) -> None:
    """The summary says which tables are less than the model wants at present."""
    store, notes = model._learner.store, model.summary.notes
    n_paired, n = len(store.pairs.members), store.n_features
    start = f"max_size={model.max_size}: "
    pairs = f"{start}{n_paired} of {n} features keep pairs, the rest are naive Bayes factors"
    assert [note for note in notes if "keep pairs" in note] == [pairs] * (n_paired < n)
    sets = f"{start}no sets of events: an event's own network has one parent a feature"
    assert [note for note in notes if "sets" in note] == [sets] * (not store.keeps_sets)


def of_seen(reference: Any, network: dict, x: Any) -> dict:
    """The part of the oracle's network that is of values learned: what a record shows."""
    seen = set(reference.seen(x))
    return {child: above for child, above in network.items() if child in seen}


def assert_network(found: Any, network: dict, title: str, posterior: Any) -> None:
    """The record has the parents of the oracle's network, and its posterior."""
    assert found.title == title
    assert found.parents == network
    assert found.posterior == pytest.approx(posterior, abs=EXACT)


def assert_measures(found: Any, single: Any, pair: Any, order: list) -> None:
    """`single(name)` orders the values, `pair(child, parent)` says what an arc is worth."""
    assert found.order == order
    expected = {name: single(name) for name in order}
    assert found.local == pytest.approx(expected, abs=EXACT)
    arcs = {
        (parent, child): pair(child, parent)
        for child, above in found.parents.items()
        for parent in above
    }
    assert found.arcs == pytest.approx(arcs, abs=EXACT)
