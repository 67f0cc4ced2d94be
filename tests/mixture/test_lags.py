"""The label given those before it, against dicts of all contexts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_kdb.mixture.lags import (
    context_of,
    learn_label,
    new_lags,
    regrown_lags,
    write_lag_posteriors,
)
from tests.naive_mixture import NaiveLag

pytestmark = pytest.mark.kernel

WEIGHTS = st.sampled_from([0.5, 1.0, 3.0])


@settings(max_examples=25)
@given(
    st.lists(st.tuples(st.integers(0, 4), WEIGHTS), max_size=60),
    st.sampled_from([[1], [2, 1], [1, 2, 3], []]),
)
def test_posteriors_are_the_oracles_while_classes_come(events, orders):
    lags = new_lags([3 * j for j in range(len(orders))], orders, 2)
    oracles = [NaiveLag(order) for order in orders]
    out = np.zeros((7, 8))
    m = 1
    for label, weight in events:
        m = max(m, label + 1)
        if m > lags.counts.shape[2]:
            lags = regrown_lags(lags, 2 * lags.counts.shape[2] if m <= 4 else 8)
        write_lag_posteriors(lags, m, out)
        for j, oracle in enumerate(oracles):
            assert out[3 * j, :m].tolist() == pytest.approx(oracle.log_posterior(m), abs=1e-9)
            oracle.learn(label, weight)
        learn_label(lags, label, weight)


def test_a_cycle_is_found_out():
    lags, out = new_lags([0, 1], [1, 2], 2), np.zeros((2, 2))
    for t in range(60):
        learn_label(lags, [0, 0, 1][t % 3], 1.0)
    write_lag_posteriors(lags, 2, out)  # after 0, 1 comes 0; after 1 as well
    assert np.exp(out[:, 0]).min() > 0.9
    learn_label(lags, 0, 1.0)
    write_lag_posteriors(lags, 2, out)  # after 1, 0 comes 0; after 0 alone it may be either
    assert np.exp(out[1, 0]) > 0.9
    assert np.exp(out[0, 0]) == pytest.approx(0.5, abs=0.1)


def test_contexts_of_up_to_two_labels_are_apart():
    for order in (1, 2):
        rows = {
            context_of(np.array([a, b]), order)
            for a in range(27)
            for b in (range(-1, 27) if order == 2 else [0])
        }
        assert len(rows) == 27 * (28 if order == 2 else 1)
