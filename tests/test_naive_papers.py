"""The oracles of the papers' classifiers, against what can be worked out by hand."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import pytest

from tests import datasets, naive
from tests.naive_papers import (
    NaiveBKDB,
    NaiveCSB,
    NaiveEnsemble,
    NaiveKDF,
    NaiveSelective,
    NaiveTarget,
    ancestors,
    grown_tree,
    ranking,
    strongest_earlier,
)

EXACT = 1e-12

MODELS: dict[str, tuple[Callable[..., NaiveEnsemble], dict[str, Any]]] = {
    "kdf": (NaiveKDF, {}),
    "skdb": (NaiveSelective, {"select": "features"}),
    "mskdb": (NaiveSelective, {}),
    "mmkdb": (NaiveSelective, {"order": "mrmr"}),
    "tl": (NaiveTarget, {}),
    "kdb-p": (NaiveTarget, {"parts": "P"}),
    "tan-e": (NaiveTarget, {"tree": True}),
    "ukdb": (NaiveTarget, {"universal": True}),
    "ukdb-sum": (NaiveTarget, {"universal": True, "criterion": "sum", "candidates": 3}),
    "ukdb-min-sum": (NaiveTarget, {"universal": True, "criterion": "min-sum"}),
    "csb": (NaiveCSB, {}),
    "csb-g": (NaiveCSB, {"parts": "G"}),
    "csb-l": (NaiveCSB, {"parts": "L", "confident": 1.0}),
    "bkdb": (NaiveBKDB, {}),
    "bkdb-r": (NaiveBKDB, {"redundancy": 0.8}),
    "bkdb-literal": (NaiveBKDB, {"literal": True}),
}
SELECTIVE = ("skdb", "mskdb", "mmkdb")
MEANS = [name for name in MODELS if name != "bkdb-literal"]
SETTINGS = [(s, m) for s in ("m-estimate", 5.0) for m in ("value", "skip")]


def build(name: str, **params: Any) -> NaiveEnsemble:
    klass, own = MODELS[name]
    return klass(**own, **params)


def fitted(model: naive.NaiveBN, events: list, weights: list[float] | None = None) -> Any:
    return model.fit([x for x, _ in events], [y for _, y in events], weights)


def table(names: str, rows: str) -> list:
    """Events out of words such as "01p": the values of the features, then the class."""
    return [(dict(zip(names, word, strict=False)), word[-1]) for word in rows.split()]


# -- Small tools ---------------------------------------------------------------------------------


def test_of_equal_names_the_earlier_is_first():
    score = {"b": 1.0, "a": 1.0 + 1e-14, "c": 2.0, 7: 1.0}
    assert ranking(["b", "c", "a", 7], score.get) == ["c", 7, "a", "b"]


def test_parents_come_from_before_and_the_strongest_first():
    def strength(a, b):
        return {"ab": 1.0, "ac": 0.0, "ad": 5.0, "bc": 2.0, "bd": 3.0, "cd": 4.0}[
            "".join(sorted(a + b))
        ]

    network = strongest_earlier(["c", "a", "b", "d"], 2, strength)
    assert network == {"c": [], "a": ["c"], "b": ["c", "a"], "d": ["a", "c"]}
    tree = grown_tree(["a", "b", "c", "d"], "c", strength)
    assert tree == {"c": [], "d": ["c"], "a": ["d"], "b": ["d"]}


def test_ancestors_are_all_above():
    network = {"a": [], "b": ["a"], "c": [], "d": ["b", "c"]}
    assert ancestors(network, "d") == {"a", "b", "c"}
    assert ancestors(network, "a") == set()


# -- What holds for all of them ------------------------------------------------------------------


@pytest.mark.parametrize("name", MODELS)
def test_nothing_learned(name):
    assert fitted(build(name), []).posterior({"a": 1}) == {}


@pytest.mark.parametrize("name", MODELS)
def test_without_features_there_is_the_prior(name):
    model = fitted(build(name), [({}, "p"), ({}, "p"), ({}, "q")])
    assert model.posterior({"a": 1}) == pytest.approx({"p": 2.5 / 4, "q": 1.5 / 4}, abs=EXACT)


@pytest.mark.parametrize(("smoothing", "missing"), SETTINGS)
@pytest.mark.parametrize("name", MEANS)
def test_one_feature_is_naive_bayes(name, smoothing, missing):
    events = datasets.categorical(60, seed=1, n_features=1, missing=0.1)
    params = {"smoothing": smoothing, "missing": missing}
    model = fitted(build(name, **params), events)
    plain = fitted(naive.NaiveBN("kdb", k=0, **params), events)
    for x in [x for x, _ in events[:5]] + [{"f0": None}, {"f0": "new"}]:
        assert model.posterior(x) == pytest.approx(plain.posterior(x), abs=EXACT)


@pytest.mark.parametrize("name", [name for name in MEANS if name not in (*SELECTIVE, "tan-e")])
def test_without_parents_it_is_naive_bayes(name):
    events = datasets.categorical(80, seed=2, n_features=4)
    model = fitted(build(name, k=0), events)
    plain = fitted(naive.NaiveBN("kdb", k=0), events)
    for x, _ in events[:5]:
        assert model.posterior(x) == pytest.approx(plain.posterior(x), abs=EXACT)


@pytest.mark.parametrize(("smoothing", "missing"), SETTINGS)
@pytest.mark.parametrize("name", MODELS)
def test_probabilities_of_odd_events_sum_to_one(name, smoothing, missing):
    events = datasets.categorical(50, seed=3, n_features=3, missing=0.2, odd_columns=True)
    model = fitted(build(name, smoothing=smoothing, missing=missing), events)
    rows = [events[0][0], {}, {"f0": "new", "f1": None}, dict.fromkeys(events[0][0], "new")]
    for x in rows:
        posterior = model.posterior(x)
        assert sum(posterior.values()) == pytest.approx(1, abs=EXACT)
        assert all(0 < p < 1 for p in posterior.values())


@pytest.mark.parametrize("name", [name for name in MODELS if name not in SELECTIVE])
def test_a_weight_of_two_is_learning_twice(name):
    events = datasets.categorical(40, seed=4, n_features=3)
    weighted = fitted(build(name), events, [2.0] * 20 + [1.0] * 19 + [0.0])
    repeated = fitted(build(name), events[:20] + events[:39])
    for x, _ in events[:4]:
        assert weighted.posterior(x) == pytest.approx(repeated.posterior(x), abs=EXACT)


@pytest.mark.parametrize("name", [name for name in MODELS if name not in SELECTIVE])
def test_no_network_has_more_than_k_parents_or_a_cycle(name):
    events = datasets.categorical(60, seed=5, n_features=6)
    model = fitted(build(name), events)
    for network in model.networks(events[0][0]).values():
        assert set(network) == set(model.features)
        for child, above in network.items():
            assert len(set(above)) == len(above) <= 2
            assert child not in ancestors(network, child)


# -- Measures ------------------------------------------------------------------------------------

FOUR = table("ab", "11p 10p 00q 11q")


def test_terms_of_measures_by_hand():
    model, x = fitted(NaiveTarget(), FOUR), {"a": "1", "b": "1"}
    assert model.micro_mi(x, "a", "p") == pytest.approx(0.5 * math.log(4 / 3), abs=EXACT)
    assert model.micro_mi(x, "a", "q") == pytest.approx(0.25 * math.log(2 / 3), abs=EXACT)
    assert model.micro_mi({"a": "0"}, "a", "p") == 0
    by_hand = 0.5 * math.log(4 / 3) + 0.25 * math.log(2 / 3)
    assert model.local_mi(x, "a") == pytest.approx(by_hand, abs=EXACT)
    by_hand = 0.25 * math.log(2) + 0.25 * math.log(2 / 3)
    assert model.class_mi("a", "q") == pytest.approx(by_hand, abs=EXACT)
    assert model.micro_cmi(x, "a", "b", "p") == pytest.approx(0, abs=EXACT)
    assert model.local_cmi(x, "b", "a") == pytest.approx(0.25 * math.log(2), abs=EXACT)
    assert model.class_cmi("a", "b", "q") == pytest.approx(0.5 * math.log(2), abs=EXACT)


def test_under_skip_measures_are_of_the_events_that_have_the_feature():
    events = [*FOUR, ({"a": None, "b": "1"}, "p"), ({"b": "0"}, "q")]
    model, x = fitted(NaiveTarget(missing="skip"), events), {"a": "1", "b": "1"}
    by_hand = 0.5 * math.log(4 / 3) + 0.25 * math.log(2 / 3)
    assert model.local_mi(x, "a") == pytest.approx(by_hand, abs=EXACT)
    assert model.local_cmi(x, "a", "b") == pytest.approx(0.25 * math.log(2), abs=EXACT)


@pytest.mark.parametrize("missing", ["value", "skip"])
def test_terms_add_up_to_the_measures(missing):
    events = datasets.categorical(80, seed=6, n_features=2, missing=0.2)
    rng = random.Random(6)
    model = fitted(NaiveCSB(missing=missing), events, [rng.choice([0.5, 1, 3]) for _ in events])
    mi = sum(model.class_mi("f0", c) for c in model.classes)
    cmi = sum(model.class_cmi("f0", "f1", c) for c in model.classes)
    assert mi == pytest.approx(model.mi("f0"), abs=EXACT)
    assert cmi == pytest.approx(model.cmi("f0", "f1"), abs=EXACT)
    local = sum(model.local_mi({"f0": value}, "f0") for value in model.values_in_use("f0"))
    assert local == pytest.approx(mi, abs=EXACT)


# -- KDF -----------------------------------------------------------------------------------------


class GivenKDF(NaiveKDF):
    """Reads its measures off a list: CMI of two features, I(C;X_j|X_i) as "i>j"."""

    given: dict[str, float]

    def cmi(self, a, b):
        return self.given["".join(sorted(a + b))]

    def measure(self, what, *names):
        return self.given[">".join(names)]


def test_kdf_by_hand():
    """From a: c (3), then b (1 + 2 against 2 + 0 of d), then d."""
    model = GivenKDF(k=3, order="sum_cmi")
    model.given = {
        "a>b": 1, "a>c": 3, "a>d": 2, "c>b": 2, "c>d": 0, "b>d": 0,
        "ac": 0.5, "bc": 0.1, "ab": 0.4, "ad": 0.2, "bd": 0.9, "cd": 0.8,
    }  # fmt: skip
    model.features = ["a", "b", "c", "d"]
    assert model.order_from("a") == ["a", "c", "b", "d"]
    # c is no ancestor of b, so d cannot have it, strong as it is.
    assert model.parents("a") == {"a": [], "c": ["a"], "b": ["a"], "d": ["b", "a"]}
    model.given["ab"] = 0.05
    # Now c is b's first parent and a the other; d chooses among both, the stronger first.
    assert model.parents("a") == {"a": [], "c": ["a"], "b": ["c", "a"], "d": ["b", "c", "a"]}
    model.k = 2
    assert model.parents("a")["d"] == ["b", "c"]
    model.k = 1
    assert model.parents("a")["d"] == ["b"]


def test_kdf_by_hand_with_the_next_one_given():
    """From a: d, given which a says most (4); then c (1 + 5 against 3 + 2 of b)."""
    model = GivenKDF(k=2)
    model.given = {"b>a": 3, "c>a": 1, "d>a": 4, "b>d": 2, "c>d": 5, "b>c": 0}
    model.features = ["a", "b", "c", "d"]
    assert model.order_from("a") == ["a", "d", "c", "b"]


def test_kdf_of_two_features_is_the_mean_of_both_directions():
    events = datasets.categorical(50, seed=7, n_features=2)
    model = fitted(NaiveKDF(), events)
    assert model.networks({}) == {"f0": {"f0": [], "f1": ["f0"]}, "f1": {"f1": [], "f0": ["f1"]}}
    one = fitted(naive.NaiveBN(parents={"f1": ["f0"]}), events).posterior(events[0][0])
    two = fitted(naive.NaiveBN(parents={"f0": ["f1"]}), events).posterior(events[0][0])
    mean = {c: (one[c] + two[c]) / 2 for c in one}
    assert model.posterior(events[0][0]) == pytest.approx(mean, abs=EXACT)


# -- Selective KDB -------------------------------------------------------------------------------

WITH_NOISE = table("an", "00p 00p 01p 01p 10q 10q 11q 11q")


@pytest.mark.parametrize("select", ["arcs", "features"])
def test_selective_drops_noise(select):
    """Alone, `a` gives the true class 3.5/8 · 3.5/4 against 4.5/8 · .5/5."""
    model = fitted(NaiveSelective(select=select, smoothing="m-estimate"), WITH_NOISE)
    assert model.chosen == {"a": []}
    assert model.absent == ["n"]
    true, other = 3.5 / 8 * 3.5 / 4, 4.5 / 8 * 0.5 / 5
    # With noise times 1.5/4 against 2.5/5; as a's child the same: 1.5/4 against .5/1.
    noisy, other_noisy = true * 1.5 / 4, other * 2.5 / 5
    by_hand = [other / (true + other), other_noisy / (noisy + other_noisy)]
    assert model.losses == pytest.approx(by_hand, abs=EXACT)
    alone = fitted(naive.NaiveBN(), [({"a": x["a"]}, y) for x, y in WITH_NOISE])
    assert model.posterior({"a": "0", "n": "1"}) == pytest.approx(
        alone.posterior({"a": "0"}), abs=EXACT
    )


def test_selective_keeps_an_arc_that_tells():
    """The class is whether a and b differ: neither says anything without the other."""
    events = table("ab", "00p 01q 10q 11p") * 5
    model = fitted(NaiveSelective(), events)
    assert model.chosen == {"a": [], "b": ["a"]}
    assert model.absent == []
    assert fitted(NaiveSelective(k=0), events).chosen == {"a": []}


def left_out_error(events: list, weights: list[float], network: dict, params: dict) -> float:
    """The error where every event is asked about by a model that really never saw it."""
    squares = 0.0
    for t, (x, y) in enumerate(events):
        kept = {child: x.get(child) for child in network}
        rest = [({child: row.get(child) for child in network}, label) for row, label in events]
        without = [w if s != t else 0.0 for s, w in enumerate(weights)]
        model = fitted(naive.NaiveBN("kdb", parents=network, **params), rest, without)
        squares += weights[t] * (1 - model.posterior(kept)[y]) ** 2
    return math.sqrt(squares / sum(weights))


@pytest.mark.parametrize("select", ["arcs", "features"])
@pytest.mark.parametrize(("smoothing", "missing"), SETTINGS)
def test_leaving_one_out_is_learning_without_it(smoothing, missing, select):
    events = datasets.categorical(40, seed=8, n_features=3, n_values=3, missing=0.1)
    weights = [random.Random(8 + t).choice([0.5, 1.0, 2.0]) for t in range(40)]
    params = {"smoothing": smoothing, "missing": missing}
    model = fitted(NaiveSelective(select=select, **params), events, weights)
    *_, last = model.chosen
    error = left_out_error(events, weights, model.chosen, params)
    assert model.losses[len(model.chosen) - 1] == pytest.approx(error, abs=1e-9)
    assert min(model.losses) == pytest.approx(error, abs=1e-9)
    above = model._kdb_parents()[last]
    for q in range(len(above) + 1):
        other = left_out_error(events, weights, {**model.chosen, last: above[:q]}, params)
        assert select == "features" or other >= error - 1e-9


# -- Target learning -----------------------------------------------------------------------------


def test_target_takes_only_what_was_seen():
    events = datasets.categorical(60, seed=9, n_features=4, missing=0.1)
    x = {"f0": "v0", "f1": "new", "f2": None, "f3": "v1"}
    for missing, seen in (("value", {"f0", "f2", "f3"}), ("skip", {"f0", "f3"})):
        for params in ({}, {"universal": True}, {"tree": True}):
            model = fitted(NaiveTarget(missing=missing, **params), events)
            assert set(model.networks(x)["P"]) == seen
        assert set(fitted(NaiveTarget(universal=True), events).networks(x)["T"]) >= seen


def test_parts_of_target_learning():
    events = datasets.categorical(60, seed=10, n_features=4)
    both = fitted(NaiveTarget(), events)
    for x, _ in events[:4]:
        t = fitted(NaiveTarget(parts="T"), events).posterior(x)
        p = fitted(NaiveTarget(parts="P"), events).posterior(x)
        plain = fitted(naive.NaiveBN("kdb", smoothing=both.smoothing), events)
        assert t == pytest.approx(plain.posterior(x), abs=EXACT)
        mean = {c: (t[c] + p[c]) / 2 for c in t}
        assert both.posterior(x) == pytest.approx(mean, abs=EXACT)
    trees = fitted(NaiveTarget(parts="T", tree=True), events)
    tan = fitted(naive.NaiveBN("tan", smoothing=both.smoothing), events)
    x = events[0][0]
    assert trees.posterior(x) == pytest.approx(tan.posterior(x), abs=EXACT)


def test_the_network_of_an_event_by_hand():
    """The local MI of the values decides which of the two comes first."""
    events = table("ab", "00p 00p 00p 10p 10q 10q 10q 11q")
    model = fitted(NaiveTarget(k=1), events)
    # a=0: 3/8 ln(24/12) = .260.  b=0: 4/8 ln(32/28) + 3/8 ln(24/28) = .009.
    assert model.networks({"a": "0", "b": "0"})["P"] == {"a": [], "b": ["a"]}
    # a=1: 1/8 ln(8/20) + 4/8 ln(32/20) = .120.  b=1: 1/8 ln(8/4) = .087.
    assert model.networks({"a": "1", "b": "1"})["P"] == {"a": [], "b": ["a"]}
    more = fitted(NaiveTarget(k=1), [*events, *table("ab", "11q 11q")])
    # a=1: 1/10 ln(10/28) + 6/10 ln(60/42) = .111.  b=1: 3/10 ln(30/18) = .153.
    assert more.networks({"a": "1", "b": "1"})["P"] == {"b": [], "a": ["b"]}


def test_criteria_by_hand():
    """P(b=1|a=1,p) = 1.5/3 where a=1 has 2 of 4, P(b=1|a=1,q) = 1.5/2 where it has 1 of 4."""
    x = {"a": "1", "b": "1"}
    for criterion, by_hand in {
        "expected": 2 / 4 * math.log(0.5) + 1 / 4 * math.log(0.75),
        "sum": math.log(0.5) + math.log(0.75),
        "min-sum": -math.log(0.5) - math.log(0.75),
    }.items():
        model = fitted(NaiveTarget(universal=True, criterion=criterion), FOUR)
        assert model.value(x, "b", ("a",)) == pytest.approx(by_hand, abs=EXACT)


class GivenValues(NaiveTarget):
    def value(self, x, child, subset):
        self.asked.append("".join(subset))
        return self.given.get("".join(subset), 0.0)


def test_of_subsets_the_best_is_taken_and_of_equal_ones_the_first():
    events = table("abcz", "0000p 1111q")
    model, x = fitted(GivenValues(universal=True), events), events[0][0]
    model.given, model.asked = {}, []
    assert model.best_subset(x, "z", ["b", "a", "c"]) == ["b"]
    assert model.asked == ["b", "a", "c", "ba", "bc", "ac"]
    model.given = {"c": 1.0, "ac": 1.0, "ba": 1.0}
    assert model.best_subset(x, "z", ["b", "a", "c"]) == ["c"]
    model.given = {"ac": 1.0, "ba": 1.0 - 1e-14, "abc": 9.0}
    assert model.best_subset(x, "z", ["b", "a", "c"]) == ["b", "a"]
    # a=1 was never there together with b=0.
    model.given = {"ba": 1.0}
    assert model.best_subset({**x, "a": "1"}, "z", ["b", "a"]) == ["b"]
    assert model.best_subset(x, "z", []) == []


@pytest.mark.parametrize("name", ["kdf", "tl", "tan-e", "ukdb", "csb", "bkdb"])
def test_of_a_feature_and_its_copy_one_is_the_others_parent(name):
    rng = random.Random(11)
    events = []
    for _ in range(60):
        a, n = rng.choice("012"), rng.choice("01")
        events.append(({"a": a, "copy": a, "n": n}, rng.choice("pq")))
    model = fitted(build(name, **({} if name == "tan-e" else {"k": 1})), events)
    for network in model.networks(events[0][0]).values():
        assert network["a"] == ["copy"] or network["copy"] == ["a"]


# -- CSB -----------------------------------------------------------------------------------------


def test_how_many_classes_are_confident():
    for m, confident, u in ((1, 0.75, 1), (3, 0.75, 3), (4, 0.75, 3), (5, 0, 1), (25, 0.28, 7)):
        events = [({"a": str(c)}, c) for c in range(m)]
        model = fitted(NaiveCSB(confident=confident), events)
        assert len(model.confident_of({"a": "0"})) == u


def test_confident_classes_are_the_most_probable_and_of_equal_ones_the_first():
    model = fitted(NaiveCSB(confident=0.5), table("a", "0s 0p 1q 1q 0r 1r"))
    # P(c) P(a=0|c): p and s alike, 1.25 · 1.5/2; q 2.25 · .5/3; r 2.25 · 1.5/3.
    assert model.confident_of({"a": "0"}) == ["r", "s"]
    # q 2.25 · 2.5/3; r 2.25 · 1.5/3; p and s 1.25 · .5/2.
    assert model.confident_of({"a": "1"}) == ["q", "r"]
    assert set(model.networks({"a": "0"})) == {("G", "r"), ("G", "s"), ("L", "r"), ("L", "s")}


def test_csb_networks_by_hand():
    """I(a;p) = 2/4 ln 4/3, and b says nothing of either class."""
    model = fitted(NaiveCSB(k=1), FOUR)
    assert model.general_network("p") == {"a": [], "b": ["a"]}
    # Micro-MI of a=1 and q is 1/4 ln 2/3, of b=1 and q 0, so b comes first.
    assert model.local_network({"a": "1", "b": "1"}, "q") == {"b": [], "a": ["b"]}
    assert model.local_network({"a": "1", "b": "1"}, "p") == {"a": [], "b": ["a"]}


# -- BKDB ----------------------------------------------------------------------------------------

SIX = table("ab", "00p 00p 01p 11p 10q 11q")
H_A_IN_P = 0.75 * math.log(4 / 3) + 0.25 * math.log(4)
H_B_OF_A_IN_P = 0.75 * (2 / 3 * math.log(3 / 2) + 1 / 3 * math.log(3))


def test_entropies_by_hand():
    model = fitted(NaiveBKDB(), SIX)
    assert model.entropy("a", (), "p") == pytest.approx(H_A_IN_P, abs=EXACT)
    assert model.entropy("b", (), "p") == pytest.approx(math.log(2), abs=EXACT)
    assert model.entropy("b", ("a",), "p") == pytest.approx(H_B_OF_A_IN_P, abs=EXACT)
    assert model.entropy("a", (), "q") == 0
    assert model.entropy("b", ("a",), "q") == pytest.approx(math.log(2), abs=EXACT)
    x = {"a": "0", "b": "1"}
    assert model.surprise(x, "a", (), "p") == pytest.approx(-math.log(4 / 5), abs=EXACT)
    assert model.surprise(x, "b", ("a",), "p") == pytest.approx(-math.log(2 / 4), abs=EXACT)
    assert model.surprise(x, "b", ("a",), "q") == 0


def test_bkdb_networks_by_hand():
    networks = fitted(NaiveBKDB(), SIX).networks({"a": "0", "b": "1"})
    assert list(networks[("G", "p")].items()) == [("a", []), ("b", ["a"])]
    assert list(networks[("G", "q")].items()) == [("a", []), ("b", ["a"])]
    assert list(networks[("L", "p")].items()) == [("a", []), ("b", ["a"])]
    # In q, -ln P of a=0 is ln 3 and of b=1 ln 3/2.
    assert list(networks[("L", "q")].items()) == [("b", []), ("a", ["b"])]


def test_literal_by_hand():
    """In p .8 · 2/4, in q 1/3 · 1/1 of all events and 2/3 · 1/2 of this one alone."""
    x = {"a": "0", "b": "1"}
    p, q = 4.5 / 7 * 0.4, 2.5 / 7 / 3
    by_hand = {"p": p / (p + q), "q": q / (p + q)}
    for parts in ("G", "L", "GL"):
        model = fitted(NaiveBKDB(literal=True, parts=parts), SIX)
        assert model.posterior(x) == pytest.approx(by_hand, abs=EXACT)
    # Without parents the two factors of each class are 4/5 and 3/5, 1/3 and 2/3.
    p, q = 4.5 / 7 * 12 / 25, 2.5 / 7 * 2 / 9
    model = fitted(NaiveBKDB(k=0, literal=True), SIX)
    assert model.posterior(x) == pytest.approx({"p": p / (p + q), "q": q / (p + q)}, abs=EXACT)
    # A value never seen: b alone is left, 3/5 and 2/3.
    p, q = 4.5 / 7 * 3 / 5, 2.5 / 7 * 2 / 3
    model = fitted(NaiveBKDB(literal=True), SIX)
    by_hand = {"p": p / (p + q), "q": q / (p + q)}
    assert model.posterior({"a": "new", "b": "1"}) == pytest.approx(by_hand, abs=EXACT)


def test_literal_members_are_averaged_before_they_are_normalised():
    events = datasets.categorical(50, seed=12, n_features=4)
    x = events[0][0]
    scores = {}
    both = fitted(NaiveBKDB(k=1, literal=True), events)
    for c in both.classes:
        networks = both.networks(x)
        general, local = (math.exp(both.literal_log(x, networks[part, c], c)) for part in "GL")
        assert general != pytest.approx(local, abs=EXACT)
        scores[c] = both.prior(c) * (general + local) / 2
    assert both.posterior(x) == pytest.approx(naive.normalised(scores), abs=EXACT)


def test_redundancy_by_hand():
    total = H_A_IN_P + H_B_OF_A_IN_P
    for redundancy, above in ((H_A_IN_P / total - 0.01, []), (H_A_IN_P / total + 0.01, ["a"])):
        model = fitted(NaiveBKDB(redundancy=redundancy), SIX)
        assert model.general_network("p") == {"a": [], "b": above}
    # In q nothing is reached before b: H(a|q) = 0.
    assert model.general_network("q") == {"a": [], "b": ["a"]}
    # Where all is certain, nothing is as good as all of it.
    certain = fitted(NaiveBKDB(redundancy=0.95), table("ab", "00p 00p"))
    assert certain.general_network("p") == {"a": [], "b": []}


def test_a_class_that_never_had_the_feature_has_no_entropy():
    events = [({"a": "0"}, "p"), ({"a": "1"}, "p"), ({"a": None}, "q")]
    model = fitted(NaiveBKDB(missing="skip"), events)
    assert model.entropy("a", (), "q") == 0
    assert model.entropy("a", (), "p") == pytest.approx(math.log(2), abs=EXACT)
    assert sum(model.posterior({"a": "0"}).values()) == pytest.approx(1, abs=EXACT)
