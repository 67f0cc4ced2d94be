"""What of a mixture was forged is refused before a kernel sees it."""

from __future__ import annotations

import time

import numpy as np
import pytest

import river_kdb
from river_kdb import BNMixtureClassifier, Expert
from river_kdb.counts.clock import RATE
from river_kdb.persist import UnreadableModelError
from tests.datasets import mixed
from tests.persist.checks.forgery import put, refuse
from tests.persist.checks.test_learner import replace


@pytest.fixture(scope="module")
def model():
    experts = [Expert("kdb", 2, 3, 50), Expert("tan", 1, 4), Expert("linear", 0, 1, 200)]
    made = BNMixtureClassifier(experts, label_lags=1, window_size=32, grace_period=20)
    for x, y in mixed(60, seed=1):
        made.learn_one(x, y)
    return made


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda it: setattr(it.store, "n_features", 5), "features are not those"),
        (lambda it: it.chains.pop(), "chains are not those"),
        (lambda it: put(it.numbers, (0, 0, 0), 99), "numbers of experts"),
        (lambda it: it.experts.reverse(), "experts is not that of its parameters"),
        (lambda it: it.codings.coders.pop(), "coders: not one for each chain"),
        (lambda it: setattr(it.codings.coders[0], "max_categories", 9), "coders are others"),
        (lambda it: put(it.codings.coders[1].missing, 0, 99), "slot is 99"),
        (lambda it: put(it.codings.tables.spec, (0, 0), 10**6), "start of a run"),
        (lambda it: put(it.store.past.labels, 3, 99), "labels"),
        (lambda it: put(it.store.past.weights, 3, -1.0), "weights"),
        (lambda it: put(it.store.keys, 0, (1, ())), "families are missing"),
        (lambda it: put(it.store.banks.spec, (0, 2), 10**6), "families"),
        (lambda it: put(it.store.banks.depths, 0, 9), "depths of chains"),
        (lambda it: put(it.store.banks.levels, (0, 1), 999), "levels"),
        (lambda it: put(it.store.banks.levels, (0, 0), 1), "levels without a beginning"),
        (lambda it: put(it.store.banks.levels, (0, 1), 1), "the family of another"),
        (lambda it: put(it.store.banks.used, 0, -1), "slots in use"),
        (lambda it: put(it.store.banks.cells, (0, 0), -1.0), "families has a count below 0"),
        (lambda it: put(it.store.banks.clocks, (0, RATE), 0.5), "the half-life"),
        (lambda it: put(it.store.parents, (0, 0), 999), "parents"),
        (lambda it: put(it.store.parents, (0, 0), 7), "a parent is in another chain"),
        (lambda it: put(it.linear.numbers, 0, 99), "numbers of regressions"),
        (lambda it: put(it.linear.start, 1, 10**6), "start of levels"),
        (lambda it: replace(it, "linear", "slopes", it.linear.slopes[:, 1:]), "slopes is"),
        (lambda it: replace(it, "linear", "moments", np.zeros((3, 9))), "moments is"),
        (lambda it: put(it.lags.recent, 0, -7), "latest labels"),
        (lambda it: put(it.lags.orders, 0, 99), "orders of lags"),
        (lambda it: replace(it, "lags", "counts", it.lags.counts[:, 1:]), "counts of lags is"),
        (lambda it: put(it.mixer.active, 0, 99), "experts with a say"),
        (lambda it: put(it.mixer.rates, 0, 9.0), "rates"),
        (lambda it: replace(it, "mixer", "losses", it.mixer.losses.T.copy()), "losses is"),
        (lambda it: setattr(it, "watch", None), "watch is of the wrong type"),
    ],
)
def test_what_was_forged_is_refused(model, change, said):
    refuse(model, change, said)


@pytest.mark.parametrize(
    ("parameter", "value", "said"),
    [
        ("label_lags", 10**9, "lags that are no experts"),
        ("experts", [("kdb", 10**9)], "an expert looks too far"),
        ("experts", [("kdb", 1), ("lag", 10**9)], "an expert looks too far"),
        ("pool_rates", [(1.0, 1.0)] * 10**5, "pools that are none"),
        ("pool_steps", [1.0] * 10**5, "pools that are none"),
        ("window_size", -1, "window_size must be a whole number"),
    ],
)
def test_parameters_that_would_take_much_memory_are_refused(model, parameter, value, said):
    forged = river_kdb.from_bytes(model.to_bytes())
    setattr(forged, parameter, value)
    begun = time.perf_counter()
    with pytest.raises(UnreadableModelError, match=said):
        river_kdb.from_bytes(forged.to_bytes())
    assert time.perf_counter() - begun < 5.0
