"""Models that learned apart, merged, against one that learned everything, and against dicts."""

from __future__ import annotations

import copy
import functools
import itertools
import math
import pickle
import random
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
from tests.named_counts import MISSING, OTHER, FrozenCoding, count_by_name, tables_of

MAKERS: dict[str, Any] = {
    "aode": AODEClassifier,
    "bkdb": BKDBClassifier,
    "csb": CSBClassifier,
    "kdb": KDBClassifier,
    "kdf": KDFClassifier,
    "selective": SelectiveKDBClassifier,
    "tan": TANClassifier,
    "ukdb": functools.partial(UKDBClassifier, universal=False),
}
WAYS: dict[str, dict[str, Any]] = {
    "plain": {},
    "skip": {"missing": "skip"},
    "bitset": {"counts": "bitset"},
    "short": {"window_size": 70},
    "few": {"max_categories": 2, "window_size": 64},
}
FEW = {"n_bins": 3, "grace_period": 20, "relearn_period": 40}


def stream(n_events: int, seed: int, *, new: bool = True) -> list:
    """Numbers, texts and bools with gaps; what is new comes in the second half."""
    rng = random.Random(seed)
    events = []
    for t in range(n_events):
        late = new and 2 * t >= n_events
        label = rng.randrange(4 if late else 2)
        x: dict[Any, Any] = {
            "size": round(rng.gauss(label, 1.0), 1),
            "count": rng.randrange(6) + label,
            "colour": rng.choice(["red", "green", "blue"][: 2 + label % 2]),
            "flag": rng.random() < 0.3 + 0.3 * (label % 2),
        }
        if late:
            x["colour"] = rng.choice(["red", "mauve", "puce"])
            x["late"] = rng.choice([1.5, "much", None, 7])
            if rng.random() < 0.1:
                x["size"] = "huge"
            if rng.random() < 0.2:
                x["seldom"] = rng.random()
        if rng.random() < 0.3:
            x[rng.choice(sorted(x))] = rng.choice([None, math.nan])
        if rng.random() < 0.2:
            del x[rng.choice(sorted(x))]
        events.append((x, f"c{label}"))
    return events


def learn(model: Any, events: list, weights: Any = None) -> Any:
    for (x, y), w in zip(events, weights or [1.0] * len(events), strict=True):
        model.learn_one(x, y, w)
    return model


def sample(name: str, **params: Any) -> Any:
    model = learn(MAKERS[name](**FEW, **params), stream(60, 1, new=False))
    model.relearn()
    return model.freeze()


def fresh(name: str, like: Any, **params: Any) -> Any:
    return MAKERS[name](**FEW, **params).like(like)


def some_weights(n: int, seed: int) -> list[float]:
    """Their sums are the same in any order."""
    rng = random.Random(seed)
    return [rng.choice([0.5, 1.0, 1.0, 2.25]) for _ in range(n)]


def split(events: list, weights: list, bounds: list[int]) -> list[tuple[list, list]]:
    edges = [0, *sorted(bounds), len(events)]
    return [(events[a:b], weights[a:b]) for a, b in itertools.pairwise(edges)]


def assert_same_windows(merged: Any, one: Any) -> None:
    """Raw rows may number categories in another order, codes may not."""
    ours, theirs = merged._learner.store, one._learner.store
    assert (ours.n_events, ours.exact, ours.n_held) == (
        theirs.n_events,
        theirs.exact,
        theirs.n_held,
    )
    here, there = ours.held_places(), theirs.held_places()
    assert np.array_equal(ours.window.codes[:, here], theirs.window.codes[:, there])
    assert np.array_equal(ours.window.weights[here], theirs.window.weights[there])
    assert (
        np.isnan(ours.window.raw[:, here]).tolist()
        == np.isnan(theirs.window.raw[:, there]).tolist()
    )


# -- Sums ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MAKERS)
@settings(max_examples=6)
@given(data=st.data())
def test_any_shards_merged_in_any_order_have_the_tables_of_one_pass(name, data):
    check_any_shards(name, data)


@pytest.mark.slow
@pytest.mark.parametrize("name", MAKERS)
@settings(max_examples=80)
@given(data=st.data())
def test_many_shards_merged_in_any_order_have_the_tables_of_one_pass(name, data):
    check_any_shards(name, data)


@functools.cache
def kept_sample(name: str, way: str) -> Any:
    return sample(name, **WAYS[way])


def check_any_shards(name: str, data: Any) -> None:
    kind = data.draw(st.sampled_from(list(WAYS)))
    way, base = WAYS[kind], kept_sample(name, kind)
    seed = data.draw(st.integers(0, 99))
    events, weights = stream(90, seed), some_weights(90, seed)
    shards = split(events, weights, data.draw(st.lists(st.integers(0, 90), max_size=3)))
    order = data.draw(st.permutations(range(len(shards))))
    models = [learn(fresh(name, base, **way), *shards[s]) for s in order]
    one = learn(fresh(name, base, **way), events, weights)
    merged = models[0]
    before = [pickle.dumps(model) for model in models[1:]]
    for model in models[1:]:
        assert merged.merge(model) is merged
    assert [pickle.dumps(model) for model in models[1:]] == before
    found = tables_of(merged)
    assert found == count_by_name(events, weights, FrozenCoding(base), found)
    assert found == tables_of(one)
    assert merged.summary.n_events == 90
    if order == sorted(order):
        assert_same_windows(merged, one)
        merged.relearn()
        one.relearn()
        assert merged.structure_edges() == one.structure_edges()
        assert tables_of(merged) == tables_of(one)
        for x, _ in events[::4]:
            assert merged.predict_proba_one(x) == one.predict_proba_one(x)


@pytest.mark.parametrize("name", MAKERS)
def test_eight_shards_past_the_window_are_one_pass(name):
    """Of pairs, triples and families nothing is lost that the windows have."""
    params = {"window_size": 64, "counts": "dense"}
    base = sample(name, **params)
    events = stream(8 * 40, 3)
    one = learn(copy.deepcopy(base), events)
    merged = copy.deepcopy(base)
    for s in range(8):
        merged.merge(learn(fresh(name, base, **params), events[40 * s : 40 * s + 40]))
    assert_one_pass(merged, one, events)


def assert_one_pass(merged: Any, one: Any, events: list) -> None:
    store = merged._learner.store
    assert not store.exact
    assert (store.triples is None) == (one._learner.store.triples is None)
    assert (store.triples is not None) == store.wants_triples
    for _ in "12":
        found = tables_of(merged)
        assert found == tables_of(one)
        assert sum(found[()].values()) == store.n_events
        assert_same_windows(merged, one)
        for x, _ in events[::5]:
            assert merged.predict_proba_one(x) == one.predict_proba_one(x)
        for model in (merged, one):
            model.relearn()
            learn(model, events[:30])


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", MAKERS)
def test_eight_long_shards_are_one_pass(name, way):
    """Each is longer than the window itself, and brings new labels and features."""
    params = {"window_size": 100, **WAYS[way]}
    base = sample(name, **params)
    shards = [stream(250, seed) for seed in range(8)]
    events = [event for shard in shards for event in shard]
    one = learn(copy.deepcopy(base), events)
    merged = copy.deepcopy(base)
    for shard in shards:
        merged.merge(learn(fresh(name, base, **params), shard))
    found = tables_of(merged)
    assert found == tables_of(one)
    assert_same_windows(merged, one)
    every = [*stream(60, 1, new=False), *events]
    base = sample(name, **params)
    assert found == count_by_name(every, [1.0] * len(every), FrozenCoding(base), found)


@pytest.mark.parametrize("name", ["kdb", "bkdb"])
def test_where_only_the_window_counts_the_later_model_fills_it(name):
    params = {"forget": "window", "window_size": 70}
    base = sample(name, **params)
    for n_first, n_then in ((30, 20), (100, 50), (40, 90)):
        first, then = stream(n_first, 4), stream(n_then, 5)
        one = learn(fresh(name, base, **params), first + then)
        merged = learn(fresh(name, base, **params), first)
        merged.merge(learn(fresh(name, base, **params), then))
        assert_same_windows(merged, one)
        latest = (first + then)[-70:]
        found = tables_of(merged)
        assert found == count_by_name(latest, [1.0] * len(latest), FrozenCoding(base), found)
        for model in (merged, one):
            learn(model, first)
        assert tables_of(merged) == tables_of(one)


@pytest.mark.parametrize("name", ["tan", "ukdb"])
def test_with_a_half_life_the_newest_event_of_each_counts_one(name):
    params = {"half_life": 20.0}
    base = sample(name, **params)
    first, then, after = stream(40, 4), stream(70, 5), stream(10, 6)
    models = [learn(fresh(name, base, **params), part) for part in (first, then)]
    merged = copy.deepcopy(models[0]).merge(models[1])
    turned = copy.deepcopy(models[1]).merge(models[0])
    weights = [0.5 ** (t / 20) for part in (first, then) for t in reversed(range(len(part)))]
    for model in (merged, turned):
        unit = model._learner.store.clock[0]
        found = tables_of(model)
        wanted = count_by_name(first + then, weights, FrozenCoding(base), found)
        for key, counts in wanted.items():
            assert {k: n / unit for k, n in found[key].items()} == pytest.approx(counts)
    learn(merged, after)
    weights = [w * 0.5 ** (len(after) / 20) for w in weights]
    weights += [0.5 ** (t / 20) for t in reversed(range(len(after)))]
    every, unit = first + then + after, merged._learner.store.clock[0]
    found = tables_of(merged)
    for key, counts in count_by_name(every, weights, FrozenCoding(base), found).items():
        assert {k: n / unit for k, n in found[key].items()} == pytest.approx(counts)


def test_merging_goes_on_for_ever_with_a_half_life():
    """The unit never overflows: the epoch moves on as in learning."""
    base = sample("kdb", half_life=2.0)
    merged = fresh("kdb", base, half_life=2.0)
    part = learn(fresh("kdb", base, half_life=2.0), stream(50, 2))
    for _ in range(40):
        merged.merge(part)
    assert merged.summary.n_events == 2000
    assert sum(merged.summary.classes.values()) == pytest.approx(
        40 * sum(part.summary.classes.values())
    )
    assert 1.0 <= merged._learner.store.clock[0] < 2.0**70


# -- A coding that stays -------------------------------------------------------------------------


def test_a_frozen_model_counts_and_nothing_else():
    model = learn(KDBClassifier(**FEW, window_size=64), stream(50, 1, new=False))
    model.relearn()
    edges, history = model.structure_edges(), len(model.structure_history)
    assert model.freeze() is model
    assert model.freeze().is_frozen
    coding = FrozenCoding(model).features
    slots = list(model._learner.coder.n_slots)
    learn(model, stream(200, 2))
    known = {name: what for name, what in FrozenCoding(model).features.items() if name in coding}
    assert known == coding
    assert model.structure_edges() == edges
    assert len(model.structure_history) == history
    assert model.n_relearns == 3
    # at most OTHER was opened
    new_slots = dict(zip(model.feature_names, model._learner.coder.n_slots, strict=True))
    for name, n in zip(["colour", "count", "flag", "size"], slots, strict=True):
        assert n <= new_slots[name] <= n + 1


def test_what_renews_the_structure_of_a_frozen_model_leaves_its_coding():
    model = learn(KDBClassifier(k=1, **FEW), stream(50, 1, new=False)).freeze()
    coding, edges = FrozenCoding(model).features, model.structure_edges()
    events = [({"count": t % 7, "flag": t % 7 > 3}, "c1" if t % 2 else "c0") for t in range(200)]
    learn(model, events)
    assert model.structure_edges() == edges
    before = len(model.structure_history)
    model.relearn()
    assert FrozenCoding(model).features == coding
    assert model.structure_edges() != edges
    assert model.structure_history[before].reason == "call"
    learn(model, events)
    assert len(model.structure_history) == before + 1


@pytest.mark.parametrize("name", ["kdb", "ukdb"])
def test_learn_many_of_a_frozen_model_equals_the_loop(name):
    pd = pytest.importorskip("pandas")
    from river import drift

    params = {"window_size": 40, "drift_detector": drift.DummyDriftDetector(t_0=30)}
    one = sample(name, **params)
    many = copy.deepcopy(one)
    events = stream(120, 3)
    names = sorted({key for x, _ in events for key in x})
    rows = [{key: x.get(key) for key in names} for x, _ in events]
    learn(one, [(x, y) for x, (_, y) in zip(rows, events, strict=True)])
    for part in (slice(0, 50), slice(50, 120)):
        columns = {key: pd.Series([x[key] for x in rows[part]], dtype=object) for key in names}
        many.learn_many(pd.DataFrame(columns), [y for _, y in events[part]])
    assert tables_of(one) == tables_of(many)
    assert [one.predict_proba_one(x) for x in rows] == [many.predict_proba_one(x) for x in rows]


def test_no_drift_restarts_a_frozen_model_and_no_answer_is_stale():
    from river import drift

    detector = drift.DummyDriftDetector(t_0=100)
    model = learn(KDBClassifier(**FEW, drift_detector=detector), stream(90, 1, new=False))
    x, _ = stream(1, 8)[0]
    model.predict_proba_one(x)
    model.freeze()
    expected = copy.deepcopy(model)
    learn(model, stream(90, 2))
    learn(expected, stream(90, 2))
    assert model.n_drifts_detected() == 0
    assert model.summary.n_events == sum(model.summary.classes.values()) == 180
    for t in range(3):
        x = {"size": 1.0, "count": t}
        before = model.predict_proba_one(x)
        learn(model, [(x, "c3")] * 20)
        assert model.predict_proba_one(x)["c3"] > before["c3"]
    model.merge(expected)
    assert model.predict_proba_one(x) == copy.deepcopy(model).predict_proba_one(x)


def test_copies_are_frozen_and_clones_are_not():
    model = sample("tan")
    again = pickle.loads(pickle.dumps(model))
    assert again.is_frozen
    assert copy.deepcopy(model).is_frozen
    assert not model.clone().is_frozen
    for each in (model, again):
        learn(each, stream(300, 4))
    assert tables_of(model) == tables_of(again)


def test_the_summary_says_that_a_model_is_frozen():
    model = learn(TANClassifier(**FEW), stream(30, 1))
    assert "frozen" not in str(model.summary)
    model.freeze()
    assert model.summary.is_frozen
    assert "; frozen" in str(model.summary).splitlines()[0]
    learn(model, [({"never": 3.5}, "c0"), ({"never": "text"}, "c1")])
    (note,) = [record.note for record in model.summary.features if record.name == "never"]
    assert note == "all values share a slot"


def test_nothing_can_be_frozen_before_the_first_event():
    with pytest.raises(ValueError, match="learn a sample"):
        KDBClassifier().freeze()


# -- like ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MAKERS)
def test_a_model_like_another_has_everything_but_its_counts(name):
    base = sample(name)
    before = pickle.dumps(base)
    model = fresh(name, base)
    assert model.is_frozen
    assert model.feature_names == base.feature_names
    assert model.structure_edges() == base.structure_edges()
    assert FrozenCoding(model).features == FrozenCoding(base).features
    assert model.summary.n_events == 0
    x, _ = stream(1, 7)[0]
    uniform = dict.fromkeys(base.summary.classes, 0.5)
    assert model.predict_proba_one(x) == uniform
    assert model.predict_proba_one({}) == uniform
    learn(model, stream(60, 5))
    assert pickle.dumps(base) == before
    assert_same_posteriors(learn(fresh(name, base).like(base), stream(60, 5)), model)


def assert_same_posteriors(model: Any, other: Any) -> None:
    for x, _ in stream(20, 9):
        assert model.predict_proba_one(x) == other.predict_proba_one(x)


def test_models_of_other_classes_share_the_coding_and_no_structure():
    base = sample("tan")
    assert base.structure_edges()
    for model in (KDBClassifier(**FEW), TANClassifier("mi", **FEW), UKDBClassifier(**FEW)):
        learn(model.like(base), stream(50, 5, new=False))
        assert FrozenCoding(model).features == FrozenCoding(base).features
        assert not model.structure_edges()
        model.relearn()
        assert model.structure_edges()


def test_like_is_for_models_that_have_learned_nothing():
    base = sample("tan")
    model = learn(TANClassifier(**FEW), stream(3, 1))
    assert_refused(ValueError, "learned nothing", model, lambda: model.like(base))
    fresh_one = TANClassifier(**FEW)
    assert_refused(ValueError, "not frozen", fresh_one, lambda: fresh_one.like(model))
    assert_refused(TypeError, "BNMixture", fresh_one, lambda: fresh_one.like(BNMixtureClassifier()))
    other = TANClassifier(**FEW, missing="skip")
    assert_refused(
        ValueError, "missing='skip' here, missing='value'", other, lambda: other.like(base)
    )


def assert_refused(error: Any, match: str, model: Any, call: Any) -> None:
    before = pickle.dumps(model)
    with pytest.raises(error, match=match):
        call()
    assert pickle.dumps(model) == before


# -- Merging models that are not frozen ----------------------------------------------------------


def letters(n_events: int, seed: int, values: str = "abc", **more: Any) -> list:
    rng = random.Random(seed)
    return [
        ({"f": rng.choice(values), "g": rng.choice("xy"), **more}, rng.choice("pq"))
        for _ in range(n_events)
    ]


@pytest.mark.parametrize("name", MAKERS)
def test_codings_that_agree_can_be_merged_unfrozen(name):
    """Slots and labels stand in another order; each has a feature of its own."""
    first = letters(60, 1, "cab", mine="m")
    then = [(x, "rqp"["pq".index(y)]) for x, y in letters(90, 2, "dba", theirs=None)]
    then = [({**x, "theirs": "rst"[len(y)]}, y) for x, y in then]
    merged = learn(MAKERS[name](**FEW), first)
    other = learn(MAKERS[name](**FEW), then)
    edges = merged.structure_edges()
    before = pickle.dumps(other)
    n_relearns = merged.n_relearns
    merged.merge(other)
    assert pickle.dumps(other) == before
    assert not merged.is_frozen
    assert merged.n_relearns == n_relearns + 1  # at 60 of 60 and 140: one was due
    assert edges is not None
    plain = KDBClassifier(k=0, **FEW)
    one = learn(plain, first + then)
    found = tables_of(merged)
    coding = FrozenCoding(learn(KDBClassifier(k=0, **FEW), first + then).freeze())
    assert found == count_by_name(first + then, [1.0] * 150, coding, found)
    assert dict(one.summary.classes) == dict(merged.summary.classes)
    learn(merged, first)
    found = tables_of(merged)
    assert found == count_by_name(first + then + first, [1.0] * 210, coding, found)


def test_an_empty_model_takes_what_the_first_has():
    base = sample("csb")
    parts = [learn(fresh("csb", base), stream(80, seed)) for seed in (1, 2, 3)]
    total = MAKERS["csb"](**FEW)
    for part in parts:
        total.merge(part)
    assert total.is_frozen
    one = learn(fresh("csb", base), [e for seed in (1, 2, 3) for e in stream(80, seed)])
    assert tables_of(total) == tables_of(one)
    assert total.structure_edges() == one.structure_edges()
    assert_same_posteriors(total, one)


def test_a_model_without_events_brings_nothing():
    model, base = learn(sample("tan"), stream(30, 2)), sample("tan")
    before = pickle.dumps(model)
    model.merge(fresh("tan", base))
    assert pickle.dumps(model) == before


@pytest.mark.parametrize("turned", [False, True])
def test_the_structure_of_the_other_serves_a_model_that_has_none(turned):
    """Networks of classes go with the classes; where these stand otherwise all is learned anew."""
    then = sorted(letters(12, 4), key=lambda event: event[1])
    first = sorted(letters(6, 3), key=lambda event: event[1], reverse=turned)
    other = learn(BKDBClassifier(k=1, **FEW), then)
    other.relearn()
    model = learn(BKDBClassifier(k=1, **FEW), first)
    assert not model.structure_edges()
    model.merge(other)
    assert model.structure_edges()
    assert model.n_relearns == (1 if turned else 0)
    (change,) = model.structure_history
    assert (change.event, change.reason) == (18, "call" if turned else "merge")
    assert set(change.added) == set(model.structure_edges())
    found = tables_of(model)
    coding = FrozenCoding(learn(KDBClassifier(k=0, **FEW), first + then).freeze())
    assert found == count_by_name(first + then, [1.0] * 18, coding, found)


@pytest.mark.dense_only
@pytest.mark.parametrize("name", ["kdb", "ukdb"])
def test_what_drifts_have_made_them_forget_stays_forgotten(name):
    """And the pairs go on to catch up in time, though the window is full at another event now."""
    params = {"window_size": 64, "relearn_period": 10_000, "grace_period": 8, "n_bins": 3}
    parts, kept = [], []
    for n, first, seed in ((50, 30, 1), (60, 17, 2)):
        model = learn(MAKERS[name](**params), letters(n, seed, h="k"))
        model._learner.restart(first, model._learn_structure)
        parts.append(model)
        kept += letters(n, seed, h="k")[first:]
    merged = parts[0].merge(parts[1])
    for seed in range(3, 9):
        assert merged.summary.n_events == 110 + (seed - 3) * 23
        found = tables_of(merged)
        assert ("f", "g") in found
        coding = FrozenCoding(learn(KDBClassifier(k=0), kept).freeze())
        assert found == count_by_name(kept, [1.0] * len(kept), coding, found)
        learn(merged, letters(23, seed, h="k"))
        kept += letters(23, seed, h="k")
    assert ("f", "g", "h") in tables_of(merged)


def test_features_that_only_one_of_two_frozen_models_has_keep_their_coding():
    mine = learn(KDBClassifier(**FEW), letters(30, 1)).freeze()
    numbers = [({"n": float(t % 5), "word": "uvw"[t % 3]}, "pq"[t % 2]) for t in range(30)]
    theirs = learn(KDBClassifier(**FEW), numbers).freeze()
    cuts = FrozenCoding(theirs).features["n"]
    merged = mine.merge(theirs)
    assert merged.is_frozen
    coding = FrozenCoding(merged)
    assert coding.features["n"] == cuts
    learn(merged, [({"word": "new", "n": 1.0, "late": 2.0}, "p")])
    events = [*letters(30, 1), *numbers, ({"word": "new", "n": 1.0, "late": 2.0}, "p")]
    found = tables_of(merged)
    assert found == count_by_name(events, [1.0] * 61, coding, found)


def test_an_answer_from_before_is_not_given_again():
    from river import drift

    model = KDBClassifier(**FEW, drift_detector=drift.DummyDriftDetector(t_0=10**6))
    learn(model, letters(40, 1))
    x = {"f": "a", "g": "x"}
    before = model.predict_proba_one(x)
    model.merge(learn(KDBClassifier(**FEW), [({"f": "a", "g": "x"}, "p")] * 40))
    assert model.predict_proba_one(x)["p"] > before["p"]


def test_categories_that_left_the_window_are_forgotten():
    base = learn(KDBClassifier(window_size=50, **FEW), letters(30, 1)).freeze()
    merged = KDBClassifier(window_size=50, **FEW).like(base)
    for part in range(6):
        model = KDBClassifier(window_size=50, **FEW).like(base)
        merged.merge(learn(model, [({"f": f"id-{part}-{t}"}, "p") for t in range(40)]))
    encoder = merged._learner.encoder
    assert len(encoder.vocabularies[encoder.index["f"]]) == 50 + 3
    assert tables_of(merged)["f",] == {((OTHER,), "p"): 240.0}


# -- Refusals ------------------------------------------------------------------------------------


def test_what_can_not_be_merged_is_refused_before_anything_changes():
    base = sample("kdb")
    model = learn(fresh("kdb", base), stream(30, 2))
    for other, error, match in (
        (model, ValueError, "itself"),
        (TANClassifier(), TypeError, "only a KDBClassifier"),
        (BNMixtureClassifier(), TypeError, "only a KDBClassifier"),
        (KDBClassifier(**FEW, half_life=9.0), ValueError, "half_life=None here, half_life=9.0"),
        (KDBClassifier(k=3, **FEW), ValueError, "k=2 here, k=3 in the other"),
        (KDBClassifier(**FEW, nominal_attributes=["a"]), ValueError, "nominal_attributes"),
    ):
        assert_refused(error, match, model, lambda other=other: model.merge(other))
    with pytest.raises(TypeError, match="weights of the experts"):
        BNMixtureClassifier().merge(BNMixtureClassifier())


def test_names_of_nominal_attributes_may_be_listed_in_any_way():
    first = KDBClassifier(nominal_attributes=["f", "g"])
    then = KDBClassifier(nominal_attributes={"g", "f"})
    assert learn(first, letters(5, 1)).merge(learn(then, letters(5, 2))).summary.n_events == 10


def test_what_only_says_how_counts_are_read_may_differ():
    base = sample("kdb")
    other = KDBClassifier(
        n_bins=3, smoothing="m-estimate", grace_period=5, relearn_period=7, n_jobs=2
    )
    merged = learn(fresh("kdb", base), stream(30, 2)).merge(learn(other.like(base), stream(30, 3)))
    assert merged.summary.n_events == 60


@pytest.mark.parametrize(
    ("here", "there", "match"),
    [
        ([{"f": 1.0}, {"f": 2.0}] * 6, [{"f": 3.0}, {"f": 4.0}] * 6, "'f': the cut points differ"),
        ([{"f": "a"}], [{"f": 1.0}], "'f': categorical here, numeric in the other"),
        ([{"f": "a"}, {"f": "b"}], [{"f": "b"}, {"f": "c"}, {"f": "d"}], "'f': .* category 'a'"),
        ([{"f": "a"}], [{"f": "b"}, {"f": "c"}], "'f': together .* 3 categories"),
        ([{"f": "c"}, {"f": "b"}, {"f": "a"}], [{"f": "a"}], "'f': the category 'a'"),
    ],
)
def test_codings_that_differ_are_refused_by_the_name_of_the_feature(here, there, match):
    models = [
        learn(TANClassifier(max_categories=2), [(x, "y") for x in rows]) for rows in (here, there)
    ]
    before = [pickle.dumps(model) for model in models]
    with pytest.raises(ValueError, match=match) as caught:
        models[0].merge(models[1])
    assert "freeze() a model" in str(caught.value)
    with pytest.raises(ValueError, match="'f'"):
        models[1].merge(models[0])
    assert [pickle.dumps(model) for model in models] == before


def test_a_frozen_model_takes_no_new_category():
    base = learn(TANClassifier(), letters(20, 1))
    other = learn(copy.deepcopy(base), letters(20, 2, "z"))
    base.freeze()
    assert_refused(ValueError, "'f': the category 'z'", base, lambda: base.merge(other))


def test_features_of_one_model_that_come_late_differ_from_those_it_cut():
    late = learn(KDBClassifier(**FEW), letters(30, 1)).freeze()
    learn(late, [({"new": 1.0}, "p")])
    knows = learn(KDBClassifier(**FEW), [({"new": 1.0}, "p")]).freeze()
    for model, other in ((late, knows), (knows, late)):
        call = functools.partial(model.merge, other)
        assert_refused(ValueError, "'new': all its values have one slot", model, call)


# -- Memory --------------------------------------------------------------------------------------


def test_max_size_holds_after_merging():
    rng = random.Random(1)

    def wide(n, m):
        return [
            ({f"f{i}": f"v{rng.randrange(9)}" for i in range(20)}, rng.randrange(m))
            for _ in range(n)
        ]

    params = {"max_size": 1.0, "window_size": 100, "grace_period": 50}
    model, other = TANClassifier(**params), TANClassifier(**params)
    learn(model, wide(150, 2))
    learn(other, wide(150, 15))
    with pytest.warns(UserWarning, match="only what the window of a merged model still held"):
        model.merge(other)
    assert "merged model" in str(model.summary)
    store = model._learner.store
    tables = [store.singles.cells, store.pairs.cells, store.families.cells, *store.window]
    assert sum(table.nbytes for table in tables) <= 2**20
    assert store.windowed
    assert model.summary.n_events == 300


def test_features_that_there_is_no_memory_for_are_left_out_with_a_note():
    params = {"max_size": 0.01, "window_size": 64}
    model = learn(KDBClassifier(k=0, **params), [({"a": "x"}, y) for y in range(60)])
    other = learn(KDBClassifier(k=0, **params), [({f"b{i}": "z" for i in range(5)}, 0)] * 9)
    with pytest.warns(UserWarning, match="no memory for more features"):
        model.merge(other)
    assert "no memory for more features" in str(model.summary)
    assert model.feature_names == ["a", "b0"]
    assert sum(model.summary.classes.values()) == 69
    assert tables_of(model)["b0",] == {
        **{((MISSING,), y): 1.0 for y in range(60)},
        (("z",), 0): 9.0,
    }


def test_what_one_model_has_said_of_memory_is_not_said_again():
    params = {"max_size": 0.01, "window_size": 200}
    with pytest.warns(UserWarning, match="max_size"):
        wide = learn(KDBClassifier(k=0, **params), [({f"b{i}": "z" for i in range(20)}, 0)] * 9)
    assert "features" in wide._learner.notes
    narrow = learn(KDBClassifier(k=0, **params), [({"b0": "z"}, 0)] * 9)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        wide.merge(narrow)
    with pytest.warns(UserWarning, match="the window holds"):
        narrow.merge(wide)
    assert "no memory for more features" in str(narrow.summary)
