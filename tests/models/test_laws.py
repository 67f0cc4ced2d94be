"""Laws that hold for every stream, tried on streams that hypothesis makes up.

The examples are the same in every run, so a failure here can be had again.
"""

from __future__ import annotations

import copy
import datetime
import decimal
import fractions
import math
import pickle
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
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
from tests import naive
from tests.naive_papers import NaiveKDF, NaiveSelective

MAKERS: dict[str, Any] = {
    "nb": lambda **p: KDBClassifier(k=0, **p),
    "kdb1": lambda **p: KDBClassifier(k=1, order="sum_cmi", **p),
    "kdb2": KDBClassifier,
    "kdb3": lambda **p: KDBClassifier(k=3, order="mrmr", **p),
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
}


def every(n_events: int) -> drift.DummyDriftDetector:
    return drift.DummyDriftDetector(t_0=n_events)


# Models to which it matters when an event came.
FORGETFUL: dict[str, Any] = {
    "kdb-fades": lambda **p: KDBClassifier(half_life=7.5, **p),
    "ukdb-window": lambda **p: UKDBClassifier(**{**p, "window_size": 8, "forget": "window"}),
    "aode-drifts": lambda **p: AODEClassifier(drift_detector=every(12), **p),
    "ukdb-drifts": lambda **p: UKDBClassifier(
        drift_detector=every(14), warning_detector=every(10), **p
    ),
}
ALL = MAKERS | FORGETFUL
# In a mixture a weight counts in the tables only: weight two is not learning twice. Its regressions
# learn what is missing from where on they know of the feature: late is not missing so far. And it
# has no joint probabilities.
MIXTURES: dict[str, Any] = {
    "mixture": lambda **p: BNMixtureClassifier(
        [("kdb", 2, 4, None), ("kdb", 0, 6, 20), ("linear",)], **p
    ),
    "mixture-drifts": lambda **p: BNMixtureClassifier(
        [("tan", 1, 5, 12), ("kdb", 1, 3, None)], drift_detector=every(14), **p
    ),
}
EVERY = ALL | MIXTURES
EARLY = {"grace_period": 6, "relearn_period": 10}
# Windows that soon overflow and slots that soon run out, beside roomy ones.
NARROW = st.fixed_dictionaries(
    {"window_size": st.sampled_from([8, 10_000]), "max_categories": st.sampled_from([2, 32])}
)


def examples(n: int) -> Any:
    return settings(
        max_examples=n,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )


# -- What the streams are made of ----------------------------------------------------------------

NAMES = ["a", "b", "c", "d", 7]
LABELS = ["yes", "no", 3]
CATEGORIES = ["red", "green", "blue", "grey", "pink", True, ("t", 1)]
INTEGERS = list(range(-3, 13))
FRACTIONS = [(step - 128) / 25.6 for step in range(256)]
EXTREMES = [math.inf, -math.inf, 0.0, -0.0, 1e300, 5e-324]
GAPS = [None, math.nan]
ABSENT: list = []


def pools(name: Any) -> list[list]:
    """Every feature leans on one kind of value, and now and then gets another, or is not there."""
    anything = [INTEGERS, FRACTIONS, EXTREMES, CATEGORIES]
    usual = [INTEGERS, FRACTIONS, EXTREMES] if name in ("c", "d") else [CATEGORIES, CATEGORIES]
    there = [*anything, *usual, GAPS, GAPS]
    return [ABSENT] * len(there) + there


POOLS = {name: pools(name) for name in NAMES}
EVENT_SIZE = 2 + 2 * len(NAMES)


def event(code: bytes) -> tuple[dict, Any]:
    """Read an event: a byte for its label, one for the order of its features, two for a value."""
    label, order, *rest = code
    start, backwards = order % len(NAMES), order // len(NAMES) % 2
    values = list(zip(NAMES, rest[::2], rest[1::2], strict=True))
    x = {}
    for name, kind, which in (values[start:] + values[:start])[:: -1 if backwards else 1]:
        pool = POOLS[name][kind % len(POOLS[name])]
        if pool:
            x[name] = pool[which % len(pool)]
    return x, LABELS[label % len(LABELS)]


def decoded(code: bytes) -> list:
    """Read a stream: a byte a feature for when it comes, at once or late, and then the events."""
    first, rest = code[: len(NAMES)], code[len(NAMES) :]
    events = [event(rest[at : at + EVENT_SIZE]) for at in range(0, len(rest), EVENT_SIZE)]
    since = {
        name: byte % len(events) if byte >= 128 else 0
        for name, byte in zip(NAMES, first, strict=True)
    }
    return [
        ({name: value for name, value in x.items() if t >= since[name]}, y)
        for t, (x, y) in enumerate(events)
    ]


def codes(n_events: int) -> st.SearchStrategy:
    """Streams come out of bytes: to draw every value by itself takes longer than all the laws."""
    size = len(NAMES) + n_events * EVENT_SIZE
    return st.binary(min_size=size, max_size=size)


STREAMS = st.one_of(st.integers(1, 12), st.integers(15, 50)).flatmap(codes).map(decoded)
WEIGHTS = st.sampled_from([0.0, 0.5, 1.0, 1.0, 1.0, 2.0, 3.0])

ANYTHING = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.binary(max_size=3),
    st.decimals(allow_nan=True).filter(lambda d: not d.is_snan()),
    st.fractions(),
    st.tuples(st.integers(), st.text(max_size=2)),
    st.frozensets(st.integers(), max_size=2),
    st.dates(),
    st.sampled_from(
        [10**400, np.float32(2.5), np.int8(-3), np.str_("z"), np.bool_(True), np.float64("nan")]
    ),
    st.sampled_from([decimal.Decimal("1e999"), fractions.Fraction(10**400), datetime.timedelta(3)]),
)
ANY_NAME = st.one_of(st.sampled_from(NAMES), st.text(max_size=2), st.integers(), st.tuples())
WILD = st.dictionaries(ANY_NAME, ANYTHING, max_size=6)


def learn(model: Any, events: list, weights: list | None = None) -> Any:
    for t, (x, y) in enumerate(events):
        model.learn_one(x, y, 1.0 if weights is None else weights[t])
    return model


def assert_same(a: Any, b: Any, events: list, close: float = 1e-9) -> None:
    for x in [*(x for x, _ in events), {}]:
        expected, got = a.predict_proba_one(x), b.predict_proba_one(x)
        assert got == pytest.approx(expected, abs=close)


def assert_distribution(p: dict) -> None:
    assert all(0.0 <= value <= 1.0 for value in p.values())
    assert math.isclose(sum(p.values()), 1.0, rel_tol=1e-9)


# -- The laws ------------------------------------------------------------------------------------


@pytest.mark.parametrize("maker", EVERY)
@examples(30)
@given(events=STREAMS, data=st.data())
def test_learn_many_equals_the_loop_for_any_split(maker, events, data):
    pd = pytest.importorskip("pandas")
    weights = data.draw(st.lists(WEIGHTS, min_size=len(events), max_size=len(events)))
    cuts = data.draw(st.lists(st.integers(0, len(events)), max_size=3).map(sorted))
    params = {**EARLY, **data.draw(NARROW)}
    one, many = EVERY[maker](**params), EVERY[maker](**params)
    for start, stop in zip([0, *cuts], [*cuts, len(events)], strict=True):
        part = events[start:stop]
        # A frame has a cell for every row and column, so the loop gets its None, too.
        names = list({name: None for x, _ in part for name in x})
        rows = [{name: x.get(name) for name in names} for x, _ in part]
        labels = [y for _, y in part]
        learn(one, list(zip(rows, labels, strict=True)), weights[start:stop])
        columns = {name: pd.Series([x[name] for x in rows], dtype=object) for name in names}
        frame = pd.DataFrame(columns, index=range(len(part)))
        many.learn_many(frame, labels, weights[start:stop])
    assert_same(one, many, events, 1e-12)
    assert one.structure_edges() == many.structure_edges()


@pytest.mark.parametrize("missing", ["value", "skip"])
@pytest.mark.parametrize("maker", ALL)
@examples(30)
@given(events=STREAMS, rows=st.lists(WILD, min_size=1, max_size=6), data=st.data())
def test_probabilities_sum_to_one_for_any_event(maker, missing, events, rows, data):
    smoothing = data.draw(st.sampled_from([5.0, 1e-6, "m-estimate"]))
    model = ALL[maker](missing=missing, smoothing=smoothing, **EARLY)
    for t, (x, y) in enumerate(events):
        model.learn_one(x, y)
        p = model.predict_proba_one(rows[t % len(rows)])
        assert y in p
        assert_distribution(p)
    for x in rows:
        model.learn_one(x, "yes")
        assert_distribution(model.predict_proba_one(x))
    model.relearn()
    for x in rows:
        assert_distribution(model.predict_proba_one(x))
        logs = model.joint_log_likelihood(x)
        assert all(math.isfinite(value) for value in logs.values())


@pytest.mark.parametrize("maker", ALL)
@examples(24)
@given(events=STREAMS, rows=st.lists(WILD, min_size=1, max_size=4))
def test_asking_changes_nothing(maker, events, rows):
    pd = pytest.importorskip("pandas")
    model = learn(ALL[maker](**EARLY), events)
    before = pickle.dumps(model)
    frame = pd.DataFrame([x for x, _ in events], dtype=object)
    for x in [*rows, *(x for x, _ in events[:5])]:
        twin = dict(x)
        first = model.predict_proba_one(x)
        assert model.predict_proba_one(x) == first
        model.predict_one(x)
        model.joint_log_likelihood(x)
        model.debug_one(x)
        assert list(x) == list(twin)
        assert all(x[name] is twin[name] for name in x)
    for ask in ("predict_proba_many", "predict_many", "joint_log_likelihood_many"):
        getattr(model, ask)(frame)
    str(model.summary)
    model.structure_edges()
    model.p_class(events[0][1])
    list(model.feature_names)
    assert pickle.dumps(model) == before


@pytest.mark.parametrize("maker", EVERY)
@examples(30)
@given(events=STREAMS, seed=st.integers(0, 9), narrow=NARROW)
def test_the_order_of_a_dict_does_not_matter(maker, events, seed, narrow):
    rng = random.Random(seed)
    a, b = EVERY[maker](**EARLY, **narrow), EVERY[maker](**EARLY, **narrow)
    for x, y in events:
        mixed_up = dict(rng.sample(list(x.items()), len(x)))
        assert a.predict_proba_one(x) == b.predict_proba_one(mixed_up)
        a.learn_one(x, y)
        b.learn_one(mixed_up, y)
    assert a.structure_edges() == b.structure_edges()
    assert str(a.summary) == str(b.summary)


# An event of weight two is left out as a whole where errors are judged: not as one of two.
WITHOUT_SELECTION = [name for name in MAKERS if name not in ("mmkdb", "skdb")]


@pytest.mark.parametrize("discretizer", ["quantile", "mdl", "uniform"])
@pytest.mark.parametrize("maker", WITHOUT_SELECTION)
@examples(18)
@given(events=STREAMS, data=st.data())
def test_weight_two_is_learning_twice(maker, discretizer, events, data):
    times = data.draw(st.lists(st.integers(0, 3), min_size=len(events), max_size=len(events)))
    params = {"discretizer": discretizer, "n_bins": data.draw(st.sampled_from([3, 10])), **EARLY}
    weighted, repeated = MAKERS[maker](**params), MAKERS[maker](**params)
    learn(weighted, events, times)
    learn(repeated, [event for event, n in zip(events, times, strict=True) for _ in range(n)])
    weighted.relearn()
    repeated.relearn()
    assert_same(weighted, repeated, events)


@pytest.mark.parametrize("discretizer", ["quantile", "mdl", "uniform"])
@pytest.mark.parametrize("maker", MAKERS)
@examples(18)
@given(events=STREAMS, data=st.data())
def test_the_schedule_of_recoding_does_not_matter(maker, discretizer, events, data):
    """While the window holds every event, only the events count."""
    params = {
        "discretizer": discretizer,
        "n_bins": data.draw(st.sampled_from([3, 10])),
        "max_categories": data.draw(st.sampled_from([2, 32])),
    }
    often = MAKERS[maker](grace_period=3, relearn_period=5, **params)
    seldom = MAKERS[maker](grace_period=10_000, relearn_period=10_000, **params)
    stops = data.draw(st.sets(st.integers(0, len(events)), max_size=6))
    for t, (x, y) in enumerate(events):
        often.learn_one(x, y)
        seldom.learn_one(x, y)
        if t in stops:
            often.relearn()
    often.relearn()
    seldom.relearn()
    assert often.structure_edges() == seldom.structure_edges()
    assert_same(often, seldom, events)
    often.relearn()
    assert_same(often, seldom, events)


@pytest.mark.parametrize("order", ["mi", "sum_cmi", "mrmr"])
@examples(30)
@given(events=STREAMS, k=st.integers(0, 6))
def test_kdb_is_acyclic_with_at_most_k_parents(order, events, k):
    model = learn(KDBClassifier(k=k, order=order, **EARLY), events)
    model.relearn()
    edges = model.structure_edges()
    assert_acyclic(edges)
    names = set(model.feature_names)
    for child in names:
        parents = [a for a, b in edges if b == child]
        assert len(parents) == len(set(parents)) <= k
        assert set(parents) <= names - {child}
    # Down the order every attribute takes as many as there are before it.
    n = len(names)
    assert len(edges) == sum(min(k, position) for position in range(n))


@examples(30)
@given(events=STREAMS)
def test_tan_is_a_tree(events):
    model = learn(TANClassifier(**EARLY), events)
    model.relearn()
    edges = model.structure_edges()
    assert_acyclic(edges)
    assert len(edges) == max(0, len(model.feature_names) - 1)
    assert len({child for _, child in edges}) == len(edges)


def assert_acyclic(edges: list) -> None:
    rest = list(edges)
    while rest:
        children = {child for _, child in rest}
        free = [edge for edge in rest if edge[0] not in children]
        assert free, f"a cycle among {rest}"
        rest = [edge for edge in rest if edge[0] in children]


@pytest.mark.parametrize("missing", ["value", "skip"])
@pytest.mark.parametrize("maker", MAKERS)
@examples(24)
@given(events=STREAMS, window_size=st.sampled_from([6, 10_000]))
def test_a_late_feature_is_as_if_it_had_been_missing(maker, missing, events, window_size):
    names = {name for x, _ in events for name in x}
    explicit = [({name: x.get(name) for name in names}, y) for x, y in events]
    if maker == "kdb3" or MAKERS[maker]().counts == "bitset":
        # Families of three parents, and all where no tables of pairs are kept, are filled from the
        # window, as far back as that goes: the model that was told of the feature may have begun
        # such a table earlier.
        window_size = 10_000
    params = {"missing": missing, "window_size": window_size, **EARLY}
    late, told = MAKERS[maker](**params), MAKERS[maker](**params)
    learn(late, events)
    learn(told, explicit)
    # Only a model that knows of a feature can have made it a parent: compare after relearning.
    late.relearn()
    told.relearn()
    assert_same(late, told, events, 1e-12)
    assert late.structure_edges() == told.structure_edges()


@pytest.mark.parametrize("maker", EVERY)
@examples(24)
@given(events=STREAMS, more=STREAMS, rows=st.lists(WILD, max_size=3), narrow=NARROW)
def test_copies_go_on_as_the_original_does(maker, events, more, rows, narrow):
    model = learn(EVERY[maker](**EARLY, **narrow), events)
    copies = [pickle.loads(pickle.dumps(model)), copy.deepcopy(model)]
    for x in [*rows, *(x for x, _ in events)]:
        for twin in copies:
            assert twin.predict_proba_one(x) == model.predict_proba_one(x)
    untouched = pickle.dumps(copies[0])
    learn(model, more)
    assert pickle.dumps(copies[0]) == untouched
    for twin in copies:
        learn(twin, more)
        for x in [*rows, *(x for x, _ in more)]:
            assert twin.predict_proba_one(x) == model.predict_proba_one(x)
        assert twin.structure_edges() == model.structure_edges()
        assert str(twin.summary) == str(model.summary)


@pytest.mark.parametrize("maker", [*MAKERS, "mixture"])
@examples(15)
@given(events=STREAMS)
def test_a_clone_is_fresh(maker, events):
    model = learn(EVERY[maker](**EARLY), events)
    clone = model.clone()
    assert clone._get_params() == model._get_params()
    assert clone.predict_proba_one(events[0][0]) == {}
    assert list(clone.feature_names) == []
    learn(clone, events)
    for x, _ in events:
        assert clone.predict_proba_one(x) == model.predict_proba_one(x)


# -- Categorical streams, where the oracle knows the answer --------------------------------------

WORDS = st.sampled_from(["u", "v", "w", "x", None])
WORD_STREAMS = st.lists(
    st.tuples(st.fixed_dictionaries(dict.fromkeys("abcd", WORDS)), st.sampled_from(LABELS)),
    min_size=2,
    max_size=40,
)


@pytest.mark.parametrize("missing", ["value", "skip"])
@pytest.mark.parametrize("smoothing", [5.0, 0.3, "m-estimate"])
@pytest.mark.parametrize("k", [0, 1, 2, 3])
@examples(24)
@given(events=WORD_STREAMS, probe=st.fixed_dictionaries(dict.fromkeys("abcd", WORDS)))
def test_kdb_equals_the_oracle(k, smoothing, missing, events, probe):
    """Small samples are full of ties, gaps and contexts nobody saw."""
    model = learn(KDBClassifier(k=k, smoothing=smoothing, missing=missing), events)
    model.relearn()
    oracle = naive.NaiveBN("kdb", k=k, smoothing=smoothing, missing=missing)
    oracle.fit([x for x, _ in events], [y for _, y in events])
    arcs = {(parent, child) for child, above in oracle.parents().items() for parent in above}
    assert set(model.structure_edges()) == arcs
    for x in [probe, {**probe, "a": "never"}, *(x for x, _ in events[:5])]:
        assert model.predict_proba_one(x) == pytest.approx(oracle.posterior(x), abs=1e-9)


@pytest.mark.parametrize("average", [None, "uniform", "mi"])
@pytest.mark.parametrize("missing", ["value", "skip"])
@examples(30)
@given(events=WORD_STREAMS, probe=st.fixed_dictionaries(dict.fromkeys("abcd", WORDS)))
def test_tan_equals_the_oracle(average, missing, events, probe):
    """Of branches that tie the earlier child joins first, under the earlier parent."""
    model = learn(TANClassifier(average=average, missing=missing), events)
    model.relearn()
    oracle = naive.NaiveBN("tan", average=average, missing=missing)
    oracle.fit([x for x, _ in events], [y for _, y in events])
    if average is None:
        arcs = {(parent, child) for child, above in oracle.parents().items() for parent in above}
        assert set(model.structure_edges()) == arcs
    for x in [probe, {**probe, "a": "never"}, {}, *(x for x, _ in events[:5])]:
        assert model.predict_proba_one(x) == pytest.approx(oracle.posterior(x), abs=1e-9)


@pytest.mark.parametrize("missing", ["value", "skip"])
@pytest.mark.parametrize("smoothing", [5.0, "m-estimate"])
@examples(30)
@given(events=WORD_STREAMS, probe=st.fixed_dictionaries(dict.fromkeys("abcd", WORDS)))
def test_aode_equals_the_oracle(smoothing, missing, events, probe):
    model = learn(AODEClassifier(smoothing=smoothing, missing=missing), events)
    model.relearn()
    oracle = naive.NaiveBN("aode", smoothing=smoothing, missing=missing)
    oracle.fit([x for x, _ in events], [y for _, y in events])
    for x in [probe, {**probe, "a": "never"}, {}, *(x for x, _ in events[:5])]:
        assert model.predict_proba_one(x) == pytest.approx(oracle.posterior(x), abs=1e-9)


@pytest.mark.parametrize("missing", ["value", "skip"])
@pytest.mark.parametrize("smoothing", [5.0, "m-estimate"])
@pytest.mark.parametrize("k", [1, 2, 3])
@examples(24)
@given(events=WORD_STREAMS, probe=st.fixed_dictionaries(dict.fromkeys("abcd", WORDS)))
def test_kdf_equals_the_oracle(k, smoothing, missing, events, probe):
    model = learn(KDFClassifier(k=k, smoothing=smoothing, missing=missing), events)
    model.relearn()
    oracle = NaiveKDF(k=k, smoothing=smoothing, missing=missing)
    oracle.fit([x for x, _ in events], [y for _, y in events])
    for x in [probe, {**probe, "a": "never"}, {}, *(x for x, _ in events[:5])]:
        assert model.predict_proba_one(x) == pytest.approx(oracle.posterior(x), abs=1e-9)


@pytest.mark.parametrize("missing", ["value", "skip"])
@pytest.mark.parametrize("smoothing", [5.0, "m-estimate"])
@pytest.mark.parametrize("order", ["mi", "mrmr"])
@pytest.mark.parametrize("select", ["arcs", "features"])
@examples(24)
@given(events=WORD_STREAMS, probe=st.fixed_dictionaries(dict.fromkeys("abcd", WORDS)))
def test_selective_kdb_equals_the_oracle(select, order, smoothing, missing, events, probe):
    params = {"order": order, "select": select, "smoothing": smoothing, "missing": missing}
    model = learn(SelectiveKDBClassifier(**params), events)
    model.relearn()
    oracle = NaiveSelective(**params)
    oracle.fit([x for x, _ in events], [y for _, y in events])
    arcs = {(parent, child) for child, above in oracle.parents().items() for parent in above}
    assert set(model.structure_edges()) == arcs
    for x in [probe, {**probe, "a": "never"}, {}, *(x for x, _ in events[:5])]:
        assert model.predict_proba_one(x) == pytest.approx(oracle.posterior(x), abs=1e-9)
