"""Posteriors of whole chains of networks, against the oracle's one network at a time."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_kdb.mixture.banks import add_event
from river_kdb.mixture.networks import write_log_posteriors
from river_kdb.mixture.store import MixtureStore
from tests.mixture.tables import Run
from tests.naive_mixture import NaiveNetworks

pytestmark = pytest.mark.kernel

HALF_LIVES = st.sampled_from([(2.0, 20.0, None), (5.0,), (None,)])


def grown(seed, half_lives, depths, n_features, n_events, skip=False):
    run = Run(seed, half_lives, limit=500, depths=depths, skip=skip)
    for _ in range(n_features - 2):
        run.insert()
    for _ in range(n_events):
        run.learn()
    run.use()
    return run


@settings(max_examples=30)
@given(
    st.integers(0, 10**6),
    HALF_LIVES,
    st.sampled_from([(3,), (2, 0, 1)]),
    st.sampled_from([2, 4]),
    st.sampled_from([8, 50, 1]),
    st.sampled_from([1.0, 5.0, 1e-6]),
)
def test_every_network_of_every_chain(seed, half_lives, depths, n_features, n_events, strength):
    run = grown(seed, half_lives, depths, n_features, n_events)
    for _ in range(2):
        run.assert_as_the_oracle(run.question(), strength, close=1e-10)


def test_more_factors_than_one_logarithm_takes():
    run = grown(1, (3.0, None), (1,), 35, 60)
    for _ in range(3):
        run.assert_as_the_oracle(run.question(), 1.0)


def test_nothing_known_of_the_event_leaves_the_prior():
    run = grown(2, (4.0, None), (2,), 3, 40)
    answers, oracle = run.answers([-2, -1, -2], 1.0), run.oracle(1.0)
    for h in range(2):
        expected = [math.log(oracle.prior(c, h)) for c in range(run.m)]
        for q in range(3):
            assert answers[0, q, h].tolist() == pytest.approx(expected, abs=1e-12)


def test_posteriors_sum_to_one():
    run = grown(3, (1.0, None), (2, 1), 4, 200)
    for _ in range(5):
        sums = np.exp(run.answers(run.question(), 0.01)[0]).sum(axis=-1)
        assert sums == pytest.approx(np.ones_like(sums), abs=1e-12)


def test_without_features_every_network_is_the_prior():
    store, none = MixtureStore((4.0, None), 50, 1e9), np.empty((0, 1), dtype=np.int16)
    depths = np.array([2], dtype=np.int64)
    banks = store.banks._replace(depths=depths)
    labels = [0, 1, 1, 0, 1]
    for t, label in enumerate(labels):
        add_event(none, np.empty((0, 1), dtype=np.int64), label, 1.0, t, banks)
    numbers, out = np.arange(6).reshape(1, 3, 2), np.zeros((6, 2))
    write_log_posteriors(none, np.empty((0, 1), dtype=np.int64), 2, banks, numbers, 1.0, out)
    oracle = NaiveNetworks([((), label, 1.0) for label in labels], (4.0, None), 2, 1.0)
    expected = [[math.log(oracle.prior(c, h)) for c in range(2)] for h in range(2)] * 3
    np.testing.assert_allclose(out, expected, rtol=0, atol=1e-12)
