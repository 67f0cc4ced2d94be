"""Why a class is the most probable one: what holds for every model."""

from __future__ import annotations

import dataclasses
import functools
import math
import pickle
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_kdb import BNMixtureClassifier, KDBClassifier, SelectiveKDBClassifier, TANClassifier
from river_kdb.explain.explanation import ClassCounts
from tests import datasets
from tests.models.test_laws import EVERY, STREAMS
from tests.naive import NaiveBN, value_of
from tests.naive_papers import NaiveSelective

SOON = {"grace_period": 20, "relearn_period": 40}
EVENTS = datasets.mixed(130, seed=5)
QUESTIONS = [
    *(x for x, _ in EVENTS[:5]),
    {},
    {"length": None, "colour": "never learned", "elsewhere": 1},
    {"length": "text", "count": math.nan, "few": math.inf, "flag": True},
]


def learn(model, events):
    for x, y in events:
        model.learn_one(x, y)
    return model


@functools.cache
def learned(name, **params):
    return learn(EVERY[name](**SOON, **params), EVENTS)


def assert_adds_up(model, x):
    found, p = model.explain_one(x), model.predict_proba_one(x)
    assert found.winner == model.predict_one(x)
    assert found.log_odds == math.fsum([found.prior, *found.contributions.values()])
    assert p[found.runner_up] == pytest.approx(max(p[c] for c in p if c != found.winner))
    ratio = math.log(p[found.winner] / p[found.runner_up])
    assert found.log_odds == pytest.approx(ratio, abs=1e-9)
    sizes = [abs(nats) for nats in found.contributions.values()]
    assert sizes == sorted(sizes, reverse=True)
    names = list(found.contributions)
    assert sorted(map(str, names)) == sorted(map(str, model.feature_names))
    assert names == list(found.values) == list(found.read_as)
    assert [n for n in names if found.read_as[n] is not None] == list(found.counts)
    assert str(found)


@pytest.mark.parametrize("name", EVERY)
def test_contributions_add_up(name):
    for missing in ("value", "skip"):
        model = learned(name, missing=missing)
        before = pickle.dumps(model)
        for x in QUESTIONS:
            assert_adds_up(model, x)
        assert pickle.dumps(model) == before


@settings(max_examples=30)
@given(name=st.sampled_from(sorted(EVERY)), events=STREAMS)
def test_contributions_add_up_on_any_stream(name, events):
    model = EVERY[name](grace_period=6, relearn_period=10)
    for t, (x, y) in enumerate(events):
        model.learn_one(x, y)
        if t % 6 == 5 and len(model.predict_proba_one(x)) > 1:
            assert_adds_up(model, x)


@pytest.mark.parametrize("name", EVERY)
def test_none_and_one_class(name):
    model = EVERY[name](**SOON)
    nothing = model.explain_one({"a": 1})
    assert (nothing.winner, nothing.log_odds, nothing.contributions) == (None, None, {})
    assert str(nothing) == "nothing learned yet"
    learn(model, [({"a": t % 3, "b": "xyz"[t % 3]}, "only") for t in range(30)])
    one = model.explain_one({"a": 2, "b": "never learned"})
    assert (one.winner, one.runner_up, one.log_odds, one.prior) == ("only", None, None, None)
    assert one.contributions == one.counts == {}
    assert str(one) == "'only': no other class was learned"


@pytest.mark.parametrize("name", EVERY)
def test_one_feature_and_none(name):
    model = learn(EVERY[name](**SOON), [({"a": "pq"[t % 2]}, "pqr"[t % 3]) for t in range(50)])
    assert_adds_up(model, {"a": "p"})
    assert_adds_up(model, {})
    bare = learn(EVERY[name](**SOON), [({}, "ab"[t % 3 == 0]) for t in range(50)])
    assert_adds_up(bare, {})
    assert bare.explain_one({"a": 1}).contributions == {}


@pytest.mark.parametrize("name", EVERY)
def test_a_copy_of_the_label_says_most_and_noise_next_to_nothing(name):
    rng = random.Random(3)
    model = EVERY[name](grace_period=100, relearn_period=100)
    for _ in range(300):
        y = rng.choice(["yes", "no"])
        hint = y if rng.random() < 0.7 else rng.choice(["yes", "no"])
        model.learn_one({"copy": y, "hint": hint, "noise": rng.choice("ab")}, y)
    if name in ("kdb-fades", "ukdb-window", "aode-drifts", "ukdb-drifts", "mixture-drifts"):
        return  # they remember too few events for that
    found = model.explain_one({"copy": "yes", "hint": "yes", "noise": "a"})
    assert found.winner == "yes"
    assert next(iter(found.contributions)) == "copy"
    assert found.contributions["copy"] > 2.0
    assert abs(found.contributions["noise"]) < 0.25 * found.contributions["copy"]


@pytest.mark.parametrize("name", ["aode", "watan", "kdf", "ukdb", "csb", "bkdb"])
def test_what_many_networks_say_of_events_of_which_part_is_known(name):
    """An oracle: values never learned stand in for what is not known."""
    events = datasets.categorical(150, seed=2, n_features=4)
    model = learn(EVERY[name](**SOON), events)
    reference = NaiveBN().fit(*zip(*events, strict=True))
    order = sorted(reference.features, key=lambda name: -reference.mi(name))
    for x, _ in events[:4]:
        found = model.explain_one(x)

        def odds(known, x=x, found=found):
            p = model.predict_proba_one(
                {name: value if name in known else "never learned" for name, value in x.items()}
            )
            return math.log(p[found.winner] / p[found.runner_up])

        assert found.prior == pytest.approx(odds([]), abs=1e-9)
        for i, feature in enumerate(order):
            down = odds(order[: i + 1]) - odds(order[:i])
            up = odds(order[i:]) - odds(order[i + 1 :])
            assert found.contributions[feature] == pytest.approx((down + up) / 2, abs=1e-9)
        assert (found.parents, found.family_counts) == ({}, {})


ONE_NETWORK = {
    "nb": (KDBClassifier, NaiveBN, {"k": 0}),
    "kdb": (KDBClassifier, NaiveBN, {"k": 2}),
    "kdb-m": (KDBClassifier, NaiveBN, {"k": 2, "smoothing": "m-estimate"}),
    "kdb-skip": (KDBClassifier, NaiveBN, {"k": 1, "missing": "skip"}),
    "tan": (TANClassifier, functools.partial(NaiveBN, "tan"), {}),
}


@pytest.mark.parametrize("name", ONE_NETWORK)
def test_under_one_network_it_is_the_factor(name):
    make, oracle, params = ONE_NETWORK[name]
    events = datasets.categorical(90, seed=4, n_features=4, missing=0.1)
    model = learn(make(grace_period=1000, **params), events)
    model.relearn()
    reference = oracle(**params).fit(*zip(*events, strict=True))
    parents = reference.parents()
    for x, _ in [*events[:10], ({"f0": "never learned", "f1": "v1"}, None)]:
        found = model.explain_one(x)
        both = found.winner, found.runner_up
        priors = [math.log(reference.prior(c)) for c in both]
        assert found.prior == pytest.approx(priors[0] - priors[1], abs=1e-9)
        assert set(found.parents) == {n for n in reference.features if reference.is_seen(n, x)}
        for feature, nats in found.contributions.items():
            if feature not in found.parents:
                assert nats == 0.0
                continue
            logs = [math.log(reference.conditional(x, feature, parents[feature], c)) for c in both]
            assert nats == pytest.approx(logs[0] - logs[1], abs=1e-9)
            given_ = found.parents[feature]
            assert set(given_) == set(parents[feature][: len(given_)])
            assert found.counts[feature] == counts(reference, x, feature, (), both)
            assert found.family_counts[feature] == counts(reference, x, feature, given_, both)


def counts(reference, x, child, parents, both):
    names = (child, *parents)
    values = [value_of(x, name) for name in names]
    found = []
    for c in both:
        found += [
            reference.count(names, tuple(values), c),
            reference.count(names, (None, *values[1:]), c),
        ]
    return ClassCounts(*found)


def test_a_feature_that_the_selection_leaves_out_says_nothing():
    rng = random.Random(7)
    events = [({"signal": t % 3, "noise": rng.random()}, t % 3 == 0) for t in range(200)]
    found = learn(SelectiveKDBClassifier(), events).explain_one(events[0][0])
    assert found.contributions["noise"] == 0.0
    assert list(found.parents) == ["signal"]


def test_a_selected_network_is_that_of_the_oracle():
    events = datasets.categorical(120, seed=6, n_features=4)
    model = learn(SelectiveKDBClassifier(grace_period=1000), events)
    model.relearn()
    reference = NaiveSelective(k=3, order="mrmr").fit(*zip(*events, strict=True))
    for x, _ in events[:5]:
        found, joint = model.explain_one(x), reference.posterior(x)
        ratio = math.log(joint[found.winner] / joint[found.runner_up])
        assert found.log_odds == pytest.approx(ratio, abs=1e-9)


def test_log_odds_beyond_the_smallest_float():
    """One network works in logarithms; posteriors of several may be 0, and are held above."""
    rng = random.Random(1)
    events = [({f"f{i}": y for i in range(300)}, y) for y in rng.choices("pq", k=300)]
    x = events[0][0]
    model = learn(KDBClassifier(k=0), events)
    found = model.explain_one(x)
    joint = model.joint_log_likelihood(x)
    assert found.log_odds > 745.0
    assert found.log_odds == pytest.approx(joint[found.winner] - joint[found.runner_up])
    several = learn(TANClassifier(average="uniform", grace_period=1000), events)
    several.relearn()
    assert several.predict_proba_one(x)[found.runner_up] == 0.0
    clipped = several.explain_one(x)
    assert clipped.log_odds == math.fsum([clipped.prior, *clipped.contributions.values()])
    assert clipped.log_odds == pytest.approx(744.44, abs=0.01)


def test_many_classes():
    events = [({"a": t % 40, "b": str(t % 8)}, t % 40) for t in range(400)]
    for name in ("kdb2", "aode", "csb", "mixture"):
        model = learn(EVERY[name](), events)
        assert_adds_up(model, {"a": 13, "b": "5"})


def test_weights_and_fading_are_in_units_of_the_newest_event():
    model = KDBClassifier(k=0, half_life=1.0)
    for x, y in (({"a": "x"}, "p"), ({"a": "x"}, "q"), ({"a": "z"}, "p")):
        model.learn_one(x, y)
    found = model.explain_one({"a": "x"})
    assert found.counts["a"] == ClassCounts(0.5, 0.5, 0.25, 1.25)


def test_in_print():
    events = [({"a": "x", "n": 1.0}, "p"), ({"a": "x", "n": 2.0}, "p"), ({"a": "y"}, "q")]
    model = learn(KDBClassifier(k=0, n_bins=2), events * 3)
    found = model.explain_one({"a": "x", "n": 1.0})
    assert str(found).splitlines() == [
        f"'p' over 'q': log odds {found.log_odds:.4f}",
        "     nats  value (in so many events of 'p', of 'q')",
        f"  {found.prior:+.4f}  before any feature is known",
        f"  {found.contributions['a']:+.4f}  a = 'x' (6 of 6, 0 of 3)",
        f"  {found.contributions['n']:+.4f}  n = 1.0, (-inf, inf) (6 of 6, 0 of 3)",
    ]
    model.relearn()
    lines = str(model.explain_one({"a": "never", "n": None})).splitlines()
    assert lines[-1] == "left out: a"
    assert "n = None, missing (3 of 3, 0 of 6)" in lines[-2]


def test_parents_in_print():
    model = learned("tan")
    text = str(model.explain_one(EVENTS[0][0]))
    parent, child = model.structure_edges()[0]
    assert any(f"; given {parent}: " in line for line in text.splitlines() if child in line)


def test_the_counts_of_a_mixture_are_those_of_its_winner():
    model = BNMixtureClassifier([("kdb", 1, 5, None)], label_lags=0)
    events = datasets.categorical(80, seed=1)
    learn(model, events)
    found = model.explain_one(events[0][0])
    reference = NaiveBN().fit(*zip(*events, strict=True))
    both = found.winner, found.runner_up
    for feature, behind in found.counts.items():
        assert behind == counts(reference, events[0][0], feature, (), both)


def test_it_is_a_record():
    with pytest.raises(dataclasses.FrozenInstanceError):
        learned("kdb2").explain_one({}).winner = "another"


def test_a_bad_value_is_named():
    with pytest.raises(TypeError, match=r"'colour'.*\[1\]"):
        learned("mixture").explain_one({"colour": [1]})
