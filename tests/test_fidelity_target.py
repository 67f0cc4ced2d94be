"""The classifiers that learn a network for each event against their slow oracles."""

from __future__ import annotations

import functools

import pytest

from tests import datasets
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
    windowed_oracle,
)

SMOOTHINGS = ["m-estimate", 5.0]

# Those that owe nothing to a structure learned at some earlier moment
OF_THE_MOMENT = ["kdb-p", "tan-p", "ukdb-p", "csb-all", "bkdb-l", "bkdb-literal-l"]


@functools.cache
def tic_tac_toe() -> list:
    return datasets.shuffled(datasets.tic_tac_toe(), seed=1)


@pytest.mark.parametrize("smoothing", SMOOTHINGS, ids=str)
@pytest.mark.parametrize("name", MODELS)
def test_tic_tac_toe_equals_the_oracle(name, smoothing):
    train, test = tic_tac_toe()[:300], tic_tac_toe()[900:908]
    model = learned(name, train, smoothing=smoothing)
    reference = oracle(name, train, smoothing=smoothing)
    assert_same_posteriors(model, reference, [x for x, _ in test])


@pytest.mark.parametrize("missing", ["value", "skip"])
@pytest.mark.parametrize("smoothing", SMOOTHINGS, ids=str)
@pytest.mark.parametrize("name", MODELS)
def test_missing_values_and_weights_equal_the_oracle(name, smoothing, missing):
    events = datasets.categorical(200, seed=8, n_features=5, missing=0.15, n_classes=4)
    weights = random_weights(len(events))
    params = {"smoothing": smoothing, "missing": missing}
    model = learned(name, events, weights, **params)
    reference = oracle(name, events, weights, **params)
    assert_same_posteriors(model, reference, questions(events))


@pytest.mark.parametrize("missing", ["value", "skip"])
@pytest.mark.parametrize("name", MODELS)
def test_odd_columns_equal_the_oracle(name, missing):
    """Constant, never there, single-valued, and a twin of another."""
    events = datasets.categorical(150, seed=5, n_features=3, missing=0.1, odd_columns=True)
    weights = random_weights(len(events))
    model = learned(name, events, weights, missing=missing)
    reference = oracle(name, events, weights, missing=missing)
    assert_same_posteriors(model, reference, questions(events, 4, 8))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", MODELS)
def test_any_number_of_features_and_classes_equals_the_oracle(name, seed):
    events = datasets.categorical(
        110, seed=seed, n_features=1 + seed, n_values=2 + seed % 3, n_classes=1 + seed % 4
    )
    model = learned(name, events)
    assert_same_posteriors(model, oracle(name, events), questions(events, 3, 4))


# -- On the way ----------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", ["value", "skip"])
@pytest.mark.parametrize("name", OF_THE_MOMENT)
def test_counts_are_exact_at_every_moment(name, missing):
    """No relearning is due between 120 events and 260."""
    events = datasets.categorical(260, seed=11, n_features=4, n_values=5, missing=0.1)
    weights = random_weights(len(events))
    model = learn(fresh(name, missing=missing, grace_period=10_000), events[:90], weights[:90])
    model.relearn()
    for start in range(90, 260, 57):
        stop = start + 57
        learn(model, events[start:stop], weights[start:stop])
        reference = oracle(name, events[:stop], weights[:stop], missing=missing)
        assert_same_posteriors(model, reference, questions(events, 2, 5))


@pytest.mark.parametrize("name", ["kdb-p", "ukdb-p", "csb-all", "bkdb-l"])
def test_new_features_categories_and_classes_count_at_once(name):
    """What a model met a moment ago is in all its counts, and missing in all that was before."""
    events = datasets.growing(320, seed=13)
    model = fresh(name, grace_period=30, relearn_period=50)
    for start in range(0, 320, 80):
        learn(model, events[start : start + 80])
        reference = oracle(name, events[: start + 80])
        assert_same_posteriors(model, reference, questions(events[: start + 80], 2, 4))


@pytest.mark.parametrize("name", ["ukdb", "csb", "bkdb", "bkdb-r"])
def test_new_features_categories_and_classes_equal_the_oracle_after_relearning(name):
    events = datasets.growing(320, seed=12)
    model = learned(name, events, grace_period=30, relearn_period=100)
    assert_same_posteriors(model, oracle(name, events), questions(events, 4, 6))


@pytest.mark.parametrize("name", MODELS)
def test_rows_of_a_frame_are_learned_as_events(name):
    pd = pytest.importorskip("pandas")
    events = datasets.categorical(230, seed=3, n_features=4, missing=0.1)
    weights = random_weights(len(events))
    params = {"grace_period": 40, "relearn_period": 60, "window_size": 100}
    one, many = learn(fresh(name, **params), events, weights), fresh(name, **params)
    rows, labels = pd.DataFrame([x for x, _ in events]), [y for _, y in events]
    for start, stop in ((0, 90), (90, 97), (97, 230)):
        part = slice(start, stop)
        many.learn_many(rows.iloc[part], labels[part], weights[part])
    asked = questions(events)
    for x in asked:
        assert many.predict_proba_one(x) == pytest.approx(one.predict_proba_one(x), abs=1e-12)
    whole = one.predict_proba_many(pd.DataFrame(asked[:8]))
    for r, x in enumerate(asked[:8]):
        assert whole.iloc[r].to_dict() == pytest.approx(one.predict_proba_one(x), abs=1e-12)


# -- After the window is full --------------------------------------------------------------------


@pytest.mark.parametrize("missing", ["value", "skip"])
@pytest.mark.parametrize(
    "name", ["tl", "ukdb", "tan-e", "csb", "csb-few", "bkdb", "bkdb-literal", "bkdb-literal-l"]
)
@pytest.mark.dense_only
def test_with_one_parent_all_events_count_for_ever(name, missing):
    events = datasets.categorical(260, seed=21, n_features=4, n_values=3, missing=0.1)
    weights = random_weights(len(events))
    params = {"k": 1, "missing": missing}
    model = learned(name, events, weights, window_size=50, grace_period=30, **params)
    assert model._learner.store.limit == 50
    reference = oracle(name, events, weights, **params)
    assert_same_posteriors(model, reference, questions(events, 3, 6))


@pytest.mark.parametrize("counts", ["dense", "bitset"])
@pytest.mark.parametrize("missing", ["value", "skip"])
@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("kdb-p", {}),
        ("kdb-p", {"k": 3, "smoothing": "m-estimate"}),
        ("ukdb-p", {"criterion": "expected"}),
        ("ukdb-p", {"criterion": "posterior"}),
        ("ukdb-p", {"criterion": "sum", "k": 3}),
        ("ukdb-p", {"criterion": "min-sum"}),
        ("csb-all", {}),
        ("bkdb-l", {}),
        ("bkdb-l", {"redundancy": 0.8}),
        ("bkdb-literal-l", {}),
    ],
)
def test_with_more_parents_the_window_counts(name, params, missing, counts):
    """Contexts of two and more parents are those of the latest events, and pairs in sets too."""
    events = datasets.categorical(260, seed=22, n_features=4, n_values=3, missing=0.1)
    weights = random_weights(len(events))
    params = {"missing": missing, **params}
    early = {"window_size": 70, "grace_period": 30, "counts": counts}
    model = learned(name, events, weights, **early, **params)
    n_counted = 1 if counts == "bitset" else 2
    reference = windowed_oracle(name, events, weights, 70, n_counted, **params)
    rows = questions(events, 4, 8)
    assert_same_posteriors(model, reference, rows)
    # which is another answer than that of all events
    everything = oracle(name, events, weights, **params)
    found = [model.predict_proba_one(x) for x in rows]
    assert found != [pytest.approx(everything.posterior(x), abs=1e-6) for x in rows]


@pytest.mark.parametrize("name", MODELS)
def test_a_tiny_window_is_no_trouble(name):
    events = datasets.growing(300, seed=14)
    model = fresh(name, window_size=7, grace_period=20, relearn_period=40)
    for start in range(0, 300, 50):
        learn(model, events[start : start + 50])
        assert_distributions(model, questions(events, 2, 4))
