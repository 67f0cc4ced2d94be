"""Pools and their mixture, against the oracle's sums."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_kdb.mixture.mixing import (
    check_rates,
    expert_weights,
    learn_weights,
    new_mixer,
    pool_experts,
)
from tests.naive_mixture import NaiveMixer, log_softmax

RATES = ((1.0, 0.9), (0.3, 1.0))
STEPS = (0.05, 2.0)
LAST = (1.0, 0.99)
# Words of experts: log odds, some of them beyond what anyone is believed.
WORDS = st.lists(
    st.tuples(
        st.lists(
            st.lists(st.sampled_from([-40.0, -3.0, 0.0, 0.5, 2.0, 30.0]), min_size=3, max_size=3),
            min_size=4,
            max_size=4,
        ),
        st.integers(0, 2),
    ),
    min_size=1,
    max_size=30,
)


@pytest.mark.kernel
@settings(max_examples=30)
@given(
    WORDS,
    st.sampled_from([(RATES, STEPS), (RATES, ()), ((), STEPS)]),
    st.sampled_from([[0, 1, 2, 3], [1, 3], [2]]),
)
def test_answers_and_what_is_learned_are_the_oracles(words, pools, active):
    rates, steps = pools
    mixer = new_mixer(active, 4, rates, steps, LAST)
    oracle = NaiveMixer(active, rates, steps, LAST)
    shares, found, answer = np.zeros((4, 4)), np.zeros((len(rates) + len(steps), 4)), np.zeros(4)
    m = 1
    for scores, label in words:
        m = max(m, label + 1)
        logs = np.zeros((4, 4))
        logs[:, :m] = [log_softmax(row[:m]) for row in scores]
        said = dict(enumerate(logs[:, :m].tolist()))
        pool_experts(logs, shares, m, mixer, found, answer)
        expected = oracle.pools(said, m)
        np.testing.assert_allclose(found[:, :m], expected, rtol=0, atol=1e-9)
        np.testing.assert_allclose(answer[:m], oracle.answer(expected), rtol=0, atol=1e-9)
        assert answer[:m].sum() == pytest.approx(1.0, abs=1e-12)
        learn_weights(logs, found, label, m, mixer)
        oracle.learn(said, expected, label, m)
        for a, losses in enumerate(oracle.losses):
            assert mixer.losses[a, active].tolist() == pytest.approx(list(losses.values()))
        for a, exponents in enumerate(oracle.exponents):
            assert mixer.exponents[a, active].tolist() == pytest.approx(list(exponents.values()))
        weights = expert_weights(mixer)
        assert weights.sum() == pytest.approx(1.0, abs=1e-12)
        assert dict(zip(active, weights[active], strict=True)) == pytest.approx(oracle.shares())
        assert not np.delete(weights, active).any()


def test_at_first_all_are_trusted_alike():
    mixer = new_mixer([0, 2, 3], 5, RATES, STEPS, LAST)
    assert expert_weights(mixer).tolist() == pytest.approx([1 / 3, 0, 1 / 3, 1 / 3, 0])


def test_without_a_positive_exponent_all_have_the_same_share():
    mixer = new_mixer([0, 1], 2, (), (0.1,), LAST)
    mixer.exponents[:] = -0.5
    assert expert_weights(mixer).tolist() == [0.5, 0.5]


def test_the_better_expert_gets_the_say():
    mixer = new_mixer([0, 1], 2, RATES, STEPS, LAST)
    shares, pools, answer = np.zeros((2, 2)), np.zeros((4, 2)), np.zeros(2)
    for t in range(100):
        logs = np.log(np.array([[0.8, 0.2], [0.4, 0.6]])[:, [t % 2, 1 - t % 2]])
        pool_experts(logs, shares, 2, mixer, pools, answer)
        learn_weights(logs, pools, t % 2, 2, mixer)
    assert expert_weights(mixer)[0] > 0.95
    assert answer[t % 2] > 0.78


@pytest.mark.parametrize(
    ("rates", "steps", "name"),
    [
        ([(0.0, 0.9)], [0.1], "pool_rates"),
        ([(1.0, 0.0)], [0.1], "pool_rates"),
        ([(1.0, 1.1)], [0.1], "pool_rates"),
        ([(math.inf, 0.9)], [0.1], "pool_rates"),
        ([(1.0, math.nan)], [0.1], "pool_rates"),
        ([1.0, 0.9], [0.1], "pool_rates"),
        ([(1.0, 0.9, 0.5)], [0.1], "pool_rates"),
        (3, [0.1], "pool_rates"),
        ("often", [0.1], "pool_rates"),
        ([(1.0, 0.9)], [0.0], "pool_steps"),
        ([(1.0, 0.9)], [-1.0], "pool_steps"),
        ([(1.0, 0.9)], [math.inf], "pool_steps"),
        ([(1.0, 0.9)], 0.1, "pool_steps"),
        ([(1.0, 0.9)], [(0.1, 0.2)], "pool_steps"),
        ([(1.0, 0.9)], ["x"], "pool_steps"),
        ([], [], "pool_rates and pool_steps"),
    ],
)
def test_rates_out_of_bounds_are_refused(rates, steps, name):
    with pytest.raises(ValueError, match=name):
        check_rates(rates, steps)


def test_either_kind_of_pool_is_enough():
    check_rates([], [0.1])
    check_rates([(0.5, 1.0)], ())
