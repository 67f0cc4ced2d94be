"""One test a line of the table of odd cases: nothing learned, missing, unseen, new, impossible."""

from __future__ import annotations

import decimal
import fractions
import itertools
import math
import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from river import drift

from river_kdb import (
    AODEClassifier,
    BKDBClassifier,
    BNMixtureClassifier,
    CSBClassifier,
    KDBClassifier,
    KDFClassifier,
    SelectiveKDBClassifier,
    TANClassifier,
    UKDBClassifier,
)
from tests import datasets, naive

CLASSES = [
    KDBClassifier,
    TANClassifier,
    AODEClassifier,
    KDFClassifier,
    SelectiveKDBClassifier,
    UKDBClassifier,
    CSBClassifier,
    BKDBClassifier,
]
VARIANTS: dict[str, Any] = {
    "nb": lambda **p: KDBClassifier(k=0, **p),
    "kdb": KDBClassifier,
    "kdb3": lambda **p: KDBClassifier(k=3, **p),
    "tan": TANClassifier,
    "watan": lambda **p: TANClassifier(average="mi", **p),
    "aode": AODEClassifier,
    "waode-sr": lambda **p: AODEClassifier(weights="mi", subsumption=True, **p),
    "kdf": KDFClassifier,
    "mmkdb": SelectiveKDBClassifier,
    "skdb": lambda **p: SelectiveKDBClassifier(k=2, order="mi", select="features", **p),
    "ukdb": UKDBClassifier,
    "tl": lambda **p: UKDBClassifier(universal=False, **p),
    "csb": CSBClassifier,
    "bkdb": BKDBClassifier,
    "kdb-fades": lambda **p: KDBClassifier(half_life=1e6, **p),
    "aode-window": lambda **p: AODEClassifier(forget="window", **p),
    "ukdb-watched": lambda **p: UKDBClassifier(drift_detector=drift.ADWIN(), **p),
}
# It has no joint probabilities, and is weighed by more than its counts; its own tests say more.
MIXTURES: dict[str, Any] = {
    "mixture": lambda **p: BNMixtureClassifier(
        [("kdb", 2, 4, None), ("kdb", 0, 6, 20), ("linear",)], **p
    )
}
EVERY = VARIANTS | MIXTURES


@pytest.fixture(params=VARIANTS)
def make(request):
    return VARIANTS[request.param]


@pytest.fixture(params=EVERY)
def make_any(request):
    return EVERY[request.param]


def learn(model: Any, events: list) -> Any:
    for x, y in events:
        model.learn_one(x, y)
    return model


def assert_distribution(p: dict) -> None:
    assert p
    assert all(0.0 <= value <= 1.0 for value in p.values())
    assert math.isclose(sum(p.values()), 1.0, rel_tol=1e-9)


def assert_same(a: Any, b: Any, rows: list) -> None:
    for x in rows:
        assert a.predict_proba_one(x) == pytest.approx(b.predict_proba_one(x), abs=1e-12)


# -- Little or nothing learned -------------------------------------------------------------------


def test_nothing_learned(make):
    model = make()
    for x in ({}, {"a": 1.0}, {"a": "red"}, {"a": None}):
        assert model.predict_proba_one(x) == {}
        assert model.predict_one(x) is None
        assert model.joint_log_likelihood(x) == {}
        assert isinstance(model.debug_one(x), str)
    assert isinstance(str(model.summary), str)
    assert list(model.summary.features) == []
    assert list(model.structure_edges()) == []
    assert list(model.feature_names) == []
    model.relearn()
    assert model.predict_proba_one({"a": 1.0}) == {}


def test_one_class_learned(make_any):
    model = make_any()
    for t in range(130):
        model.learn_one({"a": t % 7, "b": "xyz"[t % 3]}, "only")
        assert model.predict_proba_one({"a": 3, "b": "w"}) == {"only": 1.0}
        assert model.predict_one({}) == "only"
    model.relearn()
    assert model.predict_proba_one({"a": 3}) == {"only": 1.0}


def test_events_without_features(make):
    model = learn(make(), [({}, "a"), ({}, "a"), ({}, "b")])
    assert model.predict_proba_one({}) == pytest.approx({"a": 2.5 / 4, "b": 1.5 / 4})
    assert model.predict_one({}) == "a"
    model.relearn()
    assert_distribution(model.predict_proba_one({"later": 3}))
    assert isinstance(model.debug_one({}), str)
    for label in "cdefghijk":
        model.learn_one({}, label)
        assert_distribution(model.predict_proba_one({}))
    model.learn_one({"later": 3}, "a")
    assert_distribution(model.predict_proba_one({"later": 3}))


def test_a_single_event(make_any):
    model = learn(make_any(), [({"a": "red", "b": 2.5}, True)])
    assert model.predict_proba_one({"a": "red"}) == {True: 1.0}
    model.relearn()
    assert model.predict_one({"a": "blue", "b": -4}) is True


# -- Missing -------------------------------------------------------------------------------------


def missing_values() -> list:
    found = [None, math.nan, np.nan, np.float32("nan"), decimal.Decimal("NaN")]
    try:
        import pandas as pd
    except ImportError:
        return found
    return [*found, pd.NA, pd.NaT]


@pytest.mark.parametrize("value", missing_values(), ids=lambda v: f"{type(v).__name__}-{v}")
@pytest.mark.parametrize("missing", ["value", "skip"])
def test_every_way_to_be_missing_is_the_same(make_any, missing, value):
    events = datasets.mixed(150, seed=3, missing=0.0)

    def gaps(way: str) -> list:
        changed = []
        for t, (x, y) in enumerate(events):
            x = dict(x)
            name = sorted(x)[t % len(x)]
            if t % 2 == 0:
                if way == "absent":
                    del x[name]
                else:
                    x[name] = value
            changed.append((x, y))
        return changed

    absent, present = gaps("absent"), gaps("value")
    a, b = learn(make_any(missing=missing), absent), learn(make_any(missing=missing), present)
    a.relearn()
    b.relearn()
    for (x, _), (with_value, _) in zip(absent, present, strict=True):
        expected = a.predict_proba_one(x)
        assert b.predict_proba_one(with_value) == pytest.approx(expected, abs=1e-12)
        assert a.predict_proba_one(with_value) == pytest.approx(expected, abs=1e-12)


def test_missing_in_the_first_event_leaves_the_kind_open():
    model = learn(KDBClassifier(), [({"a": None, "b": math.nan}, 0), ({"a": 3.5, "b": "x"}, 1)])
    kinds = {record.name: record.kind for record in model.summary.features}
    assert kinds == {"a": "numeric", "b": "categorical"}


def test_missing_where_none_was_learned_is_left_out(make):
    events = datasets.categorical(150, seed=4, n_features=4)
    model = learn(make(), events)
    model.relearn()
    gone = dict.fromkeys(events[0][0])
    priors = {c: model.p_class(c) for c in model.predict_proba_one({})}
    assert model.predict_proba_one(gone) == pytest.approx(priors)
    assert model.predict_proba_one({}) == pytest.approx(priors)


def test_missing_share_is_reported():
    events = [({"a": None if t % 4 == 0 else t, "b": "x"}, t % 2) for t in range(80)]
    model = learn(KDBClassifier(), events)
    shares = {record.name: record.missing for record in model.summary.features}
    assert shares["a"] == pytest.approx(0.25)
    assert shares["b"] == 0


@pytest.mark.parametrize("missing", ["value", "skip"])
def test_a_feature_that_appears_late(make, missing):
    """The events before it count as missing there.

    That holds once the structure is learned again: before that only the model that was told of
    the feature can have made it a parent.
    """
    events = datasets.growing(300, seed=5)
    names = {name for x, _ in events for name in x}
    explicit = [({name: x.get(name) for name in names}, y) for x, y in events]
    late, told = make(missing=missing), make(missing=missing)
    for t, ((x, y), (full, _)) in enumerate(zip(events, explicit, strict=True)):
        hidden = isinstance(told, (AODEClassifier, SelectiveKDBClassifier))
        if not told.structure_edges() and not (hidden and t >= told.grace_period):
            expected = told.predict_proba_one(full)
            assert late.predict_proba_one(x) == pytest.approx(expected, abs=1e-12)
        late.learn_one(x, y)
        told.learn_one(full, y)
    late.relearn()
    told.relearn()
    assert_same(late, told, [x for x, _ in events])


# -- Unseen and new ------------------------------------------------------------------------------


def test_an_unseen_category_is_left_out():
    events = datasets.categorical(150, seed=6, n_features=4)
    model = learn(KDBClassifier(k=0), events)
    x = events[0][0]
    without = {name: value for name, value in x.items() if name != "f1"}
    assert model.predict_proba_one({**x, "f1": "unheard of"}) == model.predict_proba_one(without)


def test_a_new_class_is_there_at_once(make_any):
    model = learn(make_any(), datasets.categorical(150, seed=7))
    for number in range(20):
        label = ("new", number)
        model.learn_one({"f0": "v1"}, label)
        p = model.predict_proba_one({"f0": "v1"})
        assert label in p
        assert_distribution(p)


def test_a_new_category_is_learned_at_once(make_any):
    model = learn(make_any(), datasets.categorical(150, seed=8, n_classes=2))
    x = dict.fromkeys(("f0", "f1", "f2", "f3", "f4", "f5"), "brand new")
    before = model.predict_proba_one(x)["c1"]
    for _ in range(5):
        model.learn_one(x, "c1")
    assert model.predict_proba_one(x)["c1"] > before


def test_categories_past_the_maximum_share_a_slot(make):
    model = make(max_categories=4, grace_period=20)
    for t in range(300):
        model.learn_one({"id": f"user {t}", "b": "xy"[t % 2]}, t % 2)
        assert_distribution(model.predict_proba_one({"id": f"user {t}", "b": "x"}))
    (record,) = [record for record in model.summary.features if record.name == "id"]
    assert record.slots <= 6  # four, one for OTHER, one for missing


def test_frequent_categories_get_their_slots_back_at_a_recode():
    rare = [({"a": f"rare {t}"}, t % 2) for t in range(8)]
    frequent = [({"a": "good"}, 1), ({"a": "bad"}, 0)] * 60
    model = learn(KDBClassifier(max_categories=2), rare + frequent)
    model.relearn()
    merged = [
        ({"a": x["a"] if x["a"] in ("good", "bad") else "OTHER"}, y) for x, y in rare + frequent
    ]
    oracle = naive.NaiveBN("kdb").fit([x for x, _ in merged], [y for _, y in merged])
    for value in ("good", "bad"):
        expected = oracle.posterior({"a": value})
        assert model.predict_proba_one({"a": value}) == pytest.approx(expected, abs=1e-9)


# -- Numbers and text ----------------------------------------------------------------------------


def test_text_in_a_numeric_feature_is_a_category_of_it(make):
    model = make(grace_period=40)
    for t in range(200):
        low = t % 2 == 0
        model.learn_one({"a": "n/a" if t % 5 == 2 else float(low) + t / 1000, "b": t % 3}, low)
    model.relearn()
    kinds = {record.name: record.kind for record in model.summary.features}
    assert kinds == {"a": "numeric", "b": "numeric"}
    assert model.predict_one({"a": 1.05}) is True
    assert model.predict_one({"a": 0.05}) is False
    assert_distribution(model.predict_proba_one({"a": "n/a"}))
    assert_distribution(model.predict_proba_one({"a": "something else"}))


def test_text_beside_bins_counts_as_a_value():
    """Five numbers and a word are six values, as if all of them were words."""
    rows = [{"a": ["n/a", 1, 2, 3, 4, 5][t * t % 6], "b": "pq"[t % 2]} for t in range(150)]
    rows = [{"a": 1, "b": "p"}, *rows]
    labels = [(t * t + t) % 3 for t in range(151)]
    model = learn(KDBClassifier(), list(zip(rows, labels, strict=True)))
    model.relearn()
    oracle = naive.NaiveBN("kdb").fit(rows, labels)
    for x in rows:
        assert model.predict_proba_one(x) == pytest.approx(oracle.posterior(x), abs=1e-9)


def test_numbers_in_a_categorical_feature_are_categories():
    rows = [{"a": ["word", 1, 2, 3.5, 40, -5][t * t % 6], "b": "pq"[t % 2]} for t in range(150)]
    labels = [(t * t + t) % 3 for t in range(150)]
    model = learn(KDBClassifier(), list(zip(rows, labels, strict=True)))
    model.relearn()
    assert next(r.kind for r in model.summary.features if r.name == "a") == "categorical"
    oracle = naive.NaiveBN("kdb").fit(rows, labels)
    for x in [*rows, {"a": 2.5, "b": "p"}, {"a": 1.0, "b": "q"}]:
        assert model.predict_proba_one(x) == pytest.approx(oracle.posterior(x), abs=1e-9)


def test_nominal_attributes_hold_numbers_as_categories():
    """An id of thirty values, whose order means nothing."""
    rows = [{"id": (t * 7) % 30, "b": t % 4} for t in range(240)]
    labels = [x["id"] % 3 for x in rows]
    model = learn(KDBClassifier(nominal_attributes=["id"]), list(zip(rows, labels, strict=True)))
    model.relearn()
    kinds = {record.name: record.kind for record in model.summary.features}
    assert kinds == {"id": "categorical", "b": "numeric"}
    oracle = naive.NaiveBN("kdb").fit(rows, labels)
    for x in rows[:60]:
        assert model.predict_proba_one(x) == pytest.approx(oracle.posterior(x), abs=1e-9)
    assert model.predict_one({"id": 4.0}) == 1


def test_truth_values_are_categories():
    model = learn(KDBClassifier(), [({"a": t % 3 == 0, "b": t}, t % 2) for t in range(30)])
    kinds = {record.name: record.kind for record in model.summary.features}
    assert kinds == {"a": "categorical", "b": "numeric"}
    for x in ({"a": True}, {"a": np.bool_(True)}):
        assert_distribution(model.predict_proba_one(x))
    assert model.predict_proba_one({"a": True}) == model.predict_proba_one({"a": np.True_})


@pytest.mark.parametrize("discretizer", ["quantile", "mdl", "uniform"])
def test_infinities_fall_in_the_outermost_bins(make, discretizer):
    model = make(discretizer=discretizer)
    for t in range(200):
        model.learn_one({"a": t % 50 + t / 1000, "b": -(t % 37)}, t % 50 > 25)
    model.relearn()
    high = model.predict_proba_one({"a": 1e300, "b": 1e300})
    low = model.predict_proba_one({"a": -1e300, "b": -1e300})
    assert model.predict_proba_one({"a": math.inf, "b": math.inf}) == high
    assert model.predict_proba_one({"a": -math.inf, "b": -math.inf}) == low
    assert high[True] > low[True]


@pytest.mark.parametrize("discretizer", ["quantile", "mdl", "uniform"])
def test_infinities_are_learned(make, discretizer):
    model = make(discretizer=discretizer, grace_period=30)
    for t in range(200):
        value = math.inf if t % 4 == 0 else -math.inf if t % 4 == 1 else float(t % 50)
        model.learn_one({"a": value, "b": 1e308 * (-1) ** t, "c": 5e-324 * t}, t % 4 == 0)
        assert_distribution(model.predict_proba_one({"a": value}))
    model.relearn()
    assert model.predict_one({"a": math.inf}) is True
    assert model.predict_one({"a": -math.inf}) is False


@pytest.mark.parametrize("huge", [10**400, -(10**400), fractions.Fraction(10**400, 3)], ids=repr)
def test_numbers_too_large_for_a_float_are_infinite(make_any, huge):
    model = learn(make_any(), [({"a": float(t % 20)}, t % 20 > 9) for t in range(120)])
    model.relearn()
    limit = math.inf if huge > 0 else -math.inf
    assert model.predict_proba_one({"a": huge}) == model.predict_proba_one({"a": limit})
    model.learn_one({"a": huge}, True)
    assert_distribution(model.predict_proba_one({"a": huge}))


@pytest.mark.parametrize(
    "number",
    [
        int,
        float,
        np.float64,
        np.float32,
        np.int64,
        np.int8,
        np.uint16,
        decimal.Decimal,
        fractions.Fraction,
    ],
    ids=lambda kind: kind.__name__,
)
def test_every_kind_of_number_is_a_number(make, number):
    plain = [({"a": t * t % 23, "b": t % 5}, t % 3) for t in range(140)]
    other = [({"a": number(x["a"]), "b": number(x["b"])}, y) for x, y in plain]
    a, b = learn(make(), plain), learn(make(), other)
    a.relearn()
    b.relearn()
    assert {record.kind for record in b.summary.features} == {"numeric"}
    for (x, _), (twin, _) in zip(plain, other, strict=True):
        expected = a.predict_proba_one(x)
        assert b.predict_proba_one(twin) == pytest.approx(expected, abs=1e-12)


def test_numpy_values_equal_their_python_twins(make_any):
    plain = [({"a": "uvw"[t % 3], "b": t % 2 == 0, "c": t % 7}, t % 4 == 0) for t in range(140)]
    numpy = [
        ({"a": np.str_(x["a"]), "b": np.bool_(x["b"]), "c": np.int64(x["c"])}, np.bool_(y))
        for x, y in plain
    ]
    a, b, both = learn(make_any(), plain), learn(make_any(), numpy), make_any()
    for t, (one, other) in enumerate(zip(plain, numpy, strict=True)):
        both.learn_one(*(one if t % 2 else other))
    for (x, _), (twin, _) in zip(plain, numpy, strict=True):
        expected = a.predict_proba_one(x)
        for model, event in itertools.product((a, b, both), (x, twin)):
            assert model.predict_proba_one(event) == pytest.approx(expected, abs=1e-12)


# -- Names, labels, categories -------------------------------------------------------------------

LABELS = {
    "text": ["a", "b"],
    "truth": [True, False],
    "ints": [3, -1],
    "floats": [0.5, 2.5],
    "tuples": [("a", 1), ("b", 2)],
    "bytes": [b"a", b"b"],
    "frozensets": [frozenset({1}), frozenset()],
    "mixed": ["1", 1],
    "empty": ["", ()],
    "numpy": [np.str_("a"), np.int64(4)],
}


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
def test_labels_come_back_as_they_were_given(make, labels):
    model = make()
    for t in range(120):
        model.learn_one({"a": "pq"[t % 2], "b": t % 2}, labels[t % 2])
    model.relearn()
    p = model.predict_proba_one({"a": "p"})
    assert set(p) == set(labels)
    for label, value in ((labels[0], "p"), (labels[1], "q")):
        answer = model.predict_one({"a": value, "b": int(value == "q")})
        assert answer == label
        assert type(answer) is type(label)
        assert model.p_class(label) == pytest.approx(0.5)
    assert isinstance(model.debug_one({"a": "p"}), str)


def test_categories_can_be_any_hashable(make):
    values = ["a", b"a", ("a", 1), frozenset({1}), "1", "", (), range(3), np.str_("z")]
    rows = [{"a": values[t * t % 9], "b": "pq"[t % 2]} for t in range(150)]
    labels = [t % 3 for t in range(150)]
    model = learn(make(), list(zip(rows, labels, strict=True)))
    model.relearn()
    for x in rows:
        assert_distribution(model.predict_proba_one(x))
        assert isinstance(model.debug_one(x), str)
    assert isinstance(str(model.summary), str)


def test_feature_names_are_sorted_numbers_then_text_then_the_rest():
    names = [("b", 1), "beta", 10, "Alpha", 2, 2.5, ("a", 9), "10"]
    model = KDBClassifier()
    for t in range(130):
        model.learn_one({name: (t * (i + 1)) % 4 for i, name in enumerate(names)}, t % 2)
    expected = [2, 2.5, 10, "10", "Alpha", "beta", ("a", 9), ("b", 1)]
    assert list(model.feature_names) == expected
    assert [record.name for record in model.summary.features] == expected
    assert isinstance(str(model.summary), str)


def test_a_lone_surrogate_and_odd_texts(make):
    texts = ["\ud800", "\x00", "ünï", "a" * 10_000, "{}", "%s", "new\nline"]
    model = make()
    for t in range(140):
        model.learn_one({texts[t % 7]: texts[t * t % 7], "b": t % 3}, texts[t % 2])
    model.relearn()
    assert_distribution(model.predict_proba_one({"\ud800": "\x00"}))
    assert isinstance(model.debug_one({"\ud800": "\x00"}), str)
    assert isinstance(str(model.summary), str)


# -- Weights -------------------------------------------------------------------------------------


def test_weight_nought_changes_nothing(make_any):
    model = learn(make_any(), datasets.mixed(60, seed=9))
    before = pickle.dumps(model)
    model.learn_one({"length": 1.0}, 0, w=0)
    model.learn_one({"a new feature": "new"}, "a new class", w=0.0)
    assert pickle.dumps(model) == before
    fresh = make_any()
    fresh.learn_one({"a": 1}, "x", w=0)
    assert fresh.predict_proba_one({"a": 1}) == {}


@pytest.mark.parametrize("w", [2, 2.0, np.float64(2), np.int64(2), fractions.Fraction(2)], ids=repr)
def test_weights_of_every_kind_of_number(w):
    a, b = KDBClassifier(), KDBClassifier()
    for x, y in datasets.categorical(60, seed=10):
        a.learn_one(x, y, w=w)
        b.learn_one(x, y)
        b.learn_one(x, y)
    a.relearn()
    b.relearn()
    assert_same(a, b, [x for x, _ in datasets.categorical(60, seed=10)])


# -- Impossible input ----------------------------------------------------------------------------

IMPOSSIBLE = {"a list": [1, 2], "a dict": {"z": 1}, "a set": {1}, "complex": 1 + 2j}
ARRAYS = {"an array": np.array([1.5, 2.5])}


@pytest.mark.parametrize(
    "value", [*IMPOSSIBLE.values(), *ARRAYS.values()], ids=[*IMPOSSIBLE, *ARRAYS]
)
@pytest.mark.parametrize("name", ["colour", "length", "a new feature"])
def test_an_impossible_value_is_named_and_leaves_no_trace(make_any, name, value):
    model = learn(make_any(), datasets.mixed(130, seed=11))
    before = pickle.dumps(model)
    # The new feature and the new class come with the bad value: neither may stay.
    x = {"zz also new": "new", "count": 5, name: value}
    with pytest.raises((TypeError, ValueError)) as caught:
        model.learn_one(x, "a new class")
    assert repr(name) in str(caught.value) or name in str(caught.value)
    assert repr(value) in str(caught.value)
    assert pickle.dumps(model) == before


@pytest.mark.parametrize("value", IMPOSSIBLE.values(), ids=IMPOSSIBLE)
@pytest.mark.parametrize("name", ["colour", "length"])
def test_an_impossible_value_cannot_be_asked_about(make, name, value):
    model = learn(make(), datasets.mixed(60, seed=11))
    before = pickle.dumps(model)
    for ask in (model.predict_proba_one, model.predict_one, model.joint_log_likelihood):
        with pytest.raises((TypeError, ValueError), match=name):
            ask({name: value})
    assert pickle.dumps(model) == before


@pytest.mark.parametrize("value", IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_an_impossible_first_event_leaves_the_model_fresh(make_any, value):
    model = make_any()
    before = pickle.dumps(model)
    with pytest.raises((TypeError, ValueError), match="colour"):
        model.learn_one({"a": 1, "colour": value}, "y")
    assert pickle.dumps(model) == before
    assert model.predict_proba_one({"a": 1}) == {}


@pytest.mark.parametrize("value", [decimal.Decimal("sNaN")], ids=repr)
def test_a_signalling_nan_is_refused_or_missing(make_any, value):
    """Python can neither hash nor convert it; it must not end in another kind of error."""
    model = learn(make_any(), datasets.mixed(60, seed=11))
    before = pickle.dumps(model)
    try:
        model.learn_one({"length": value}, 0)
    except (TypeError, ValueError) as error:
        message = str(error)
    else:
        return
    assert "length" in message
    assert pickle.dumps(model) == before


@pytest.mark.parametrize("y", [None, math.nan, np.nan, np.float32("nan"), [1], {"a": 1}], ids=repr)
def test_an_impossible_label(make_any, y):
    model = learn(make_any(), datasets.mixed(60, seed=12))
    before = pickle.dumps(model)
    with pytest.raises((TypeError, ValueError)) as caught:
        model.learn_one({"length": 2.0, "new": "new"}, y)
    assert str(caught.value)
    assert pickle.dumps(model) == before


@pytest.mark.parametrize("w", [-1, -1e-9, math.nan, math.inf, -math.inf], ids=repr)
def test_an_impossible_weight(make_any, w):
    model = learn(make_any(), datasets.mixed(60, seed=13))
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match=r"w"):
        model.learn_one({"length": 2.0, "new": "new"}, "new class", w=w)
    assert pickle.dumps(model) == before


@pytest.mark.parametrize("w", ["2", None, [1.0], 1j], ids=repr)
def test_a_weight_that_is_no_number(make_any, w):
    model = learn(make_any(), datasets.mixed(60, seed=13))
    before = pickle.dumps(model)
    with pytest.raises((TypeError, ValueError)):
        model.learn_one({"length": 2.0, "new": "new"}, "new class", w=w)
    assert pickle.dumps(model) == before


# -- Parameters ----------------------------------------------------------------------------------

COMMON_BAD = [
    ("smoothing", 0),
    ("smoothing", -1.0),
    ("smoothing", math.nan),
    ("smoothing", math.inf),
    ("smoothing", "laplace"),
    ("n_bins", 0),
    ("n_bins", -3),
    ("discretizer", "equal"),
    ("max_categories", 0),
    ("max_categories", -1),
    ("missing", "impute"),
    ("window_size", 0),
    ("window_size", -5),
    ("grace_period", -1),
    ("relearn_period", 0),
    ("relearn_period", -1),
    ("max_size", 0),
    ("max_size", -1),
]


@pytest.mark.parametrize(("name", "value"), COMMON_BAD, ids=lambda v: str(v))
@pytest.mark.parametrize("klass", CLASSES)
def test_a_wrong_parameter_is_refused(klass, name, value):
    with pytest.raises(ValueError, match=name):
        klass(**{name: value})


@pytest.mark.parametrize(
    ("klass", "name", "value"),
    [
        (KDBClassifier, "k", -1),
        (KDBClassifier, "order", "random"),
        (KDBClassifier, "order", None),
        (TANClassifier, "average", "mean"),
        (AODEClassifier, "weights", "cmi"),
        (KDFClassifier, "k", 0),
        (SelectiveKDBClassifier, "k", 0),
        (SelectiveKDBClassifier, "order", "sum_cmi"),
        (SelectiveKDBClassifier, "select", "none"),
        (UKDBClassifier, "k", 0),
        (UKDBClassifier, "universal", "yes"),
        (UKDBClassifier, "candidates", 0),
        (UKDBClassifier, "criterion", "best"),
        (UKDBClassifier, "parts", "PT"),
        (UKDBClassifier, "tree", None),
        (CSBClassifier, "k", 0),
        (CSBClassifier, "confident", 0),
        (CSBClassifier, "confident", 1.5),
        (CSBClassifier, "parts", "TP"),
        (BKDBClassifier, "k", 0),
        (BKDBClassifier, "parts", "P"),
        (BKDBClassifier, "literal", 2),
        (BKDBClassifier, "redundancy", 0.0),
        (BKDBClassifier, "redundancy", 2),
    ],
    ids=lambda v: getattr(v, "__name__", str(v)),
)
def test_a_wrong_parameter_of_its_own_is_refused(klass, name, value):
    with pytest.raises(ValueError, match=name):
        klass(**{name: value})


def test_parameters_are_kept_as_given():
    model = KDBClassifier(k=1, smoothing="m-estimate", nominal_attributes=["a"])
    assert model.k == 1
    assert model.smoothing == "m-estimate"
    assert list(model.nominal_attributes) == ["a"]


# -- What the model says of itself ---------------------------------------------------------------


def test_debug_names_classes_and_factors(make):
    events = datasets.categorical(150, seed=14)
    model = learn(make(), events)
    model.relearn()
    text = model.debug_one(events[0][0])
    for c in model.predict_proba_one(events[0][0]):
        assert str(c) in text
    for name in events[0][0]:
        assert name in text


def test_summary_says_how_a_feature_is_treated():
    events = datasets.categorical(200, seed=15, n_features=3, missing=0.2)
    model = learn(KDBClassifier(), events)
    model.relearn()
    oracle = naive.NaiveBN("kdb").fit([x for x, _ in events], [y for _, y in events])
    for record in model.summary.features:
        assert record.kind == "categorical"
        assert record.slots == len(oracle.values_in_use(record.name))
        assert record.information == pytest.approx(oracle.mi(record.name), abs=1e-9)
        assert record.name in str(model.summary)
    edges = model.structure_edges()
    assert edges


def test_drawing(make_any):
    pytest.importorskip("graphviz")
    model = make_any()
    model.draw()
    learn(model, datasets.categorical(150, seed=16))
    model.relearn()
    before = pickle.dumps(model)
    source = model.draw().source
    assert "f0" in source
    assert pickle.dumps(model) == before


def test_no_warning_on_the_way(make_any):
    """Empty slots, single classes, constants: none of them ends in numpy's divide by zero."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = make_any(grace_period=10)
        for x, y in datasets.categorical(80, seed=17, odd_columns=True):
            model.predict_proba_one(x)
            model.learn_one(x, y)
        for x, y in datasets.mixed(80, seed=18):
            model.predict_proba_one(x)
            model.learn_one(x, y)
        model.relearn()
        model.predict_proba_one({})


def test_constants_only(make):
    model = learn(make(), [({"a": "x", "b": 1.0, "c": None}, t % 2) for t in range(130)])
    model.relearn()
    assert model.predict_proba_one({"a": "x", "b": 1.0}) == pytest.approx({0: 0.5, 1: 0.5})
