"""The two kernels of an event, held against their parts one by one."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from river import drift

from river_kdb import BNMixtureClassifier, Expert
from river_kdb.counts.families import context_rows
from river_kdb.mixture.banks import add_event
from river_kdb.mixture.event import (
    Answer,
    Parts,
    bare_arrays,
    code_chains,
    learn_mixture,
    new_answer,
    predict_mixture,
    predict_rows,
)
from river_kdb.mixture.lags import learn_label, write_lag_posteriors
from river_kdb.mixture.linear import learn_linear, learn_moments, write_linear_posteriors
from river_kdb.mixture.mixing import learn_weights, pool_experts
from river_kdb.mixture.networks import write_log_posteriors

pytestmark = pytest.mark.kernel

EXPERTS = [
    Expert("kdb", 2, 4, None),
    Expert("kdb", 0, 4, 8.0),
    Expert("tan", 1, 6, 8.0),
    Expert("linear", 0, 1, 6.0),
]


@pytest.fixture(scope="module")
def learner():
    model = BNMixtureClassifier(EXPERTS, grace_period=20, drift_detector=drift.NoDrift())
    rng = random.Random(1)
    for _ in range(60):
        label = rng.randrange(3)
        x = {"a": rng.gauss(label, 1), "b": rng.choice("pqr"), "c": rng.choice([None, 1.0, "w"])}
        model.learn_one(x, label)
    return model._learner


def copied(learner) -> tuple[Parts, Answer]:
    parts = learner.parts
    fresh = [
        type(part)(*(array.copy() for array in part)) if isinstance(part, tuple) else part
        for part in parts
    ]
    return Parts(*fresh), new_answer(parts, len(learner.experts), 4)


ROWS = [[0.3, None, 2.0], [math.inf, "p", None], [-1.0, "q", "w"], [None, "unseen", 1.0]]


def raw_row(learner, cells):
    return learner.encoder.row(dict(zip("abc", cells, strict=True)))


def in_parts(row, m, parts, answer):
    """What `predict_mixture` does, called one by one."""
    code_chains(row, parts.tables, answer.codes)
    answer.rows[:] = context_rows(answer.codes, parts.banks.spec)
    write_log_posteriors(
        answer.codes, answer.rows, m, parts.banks, parts.numbers, parts.strength, answer.logs
    )
    write_linear_posteriors(row, answer.standard, answer.codes, m, parts.linear, answer.logs)
    write_lag_posteriors(parts.lags, m, answer.logs)
    pool_experts(answer.logs, answer.shares, m, parts.mixer, answer.pools, answer.posterior)


@pytest.mark.parametrize("cells", ROWS, ids=repr)
def test_an_event_is_coded_as_every_chain_codes_it(learner, cells):
    row = raw_row(learner, cells)
    codes = np.empty((len(learner.codings.tables.spec), 1), dtype=np.int16)
    unopened = code_chains(row, learner.codings.tables, codes)
    assert codes.tolist() == learner.codings.code(row[:, None]).tolist()
    assert unopened == (-2 in codes)


@pytest.mark.parametrize("cells", ROWS, ids=repr)
def test_predicting_is_the_sum_of_its_parts(learner, cells):
    row = raw_row(learner, cells)
    (parts, answer), (_, other) = copied(learner), copied(learner)
    before = [np.array(array).tobytes() for array in bare_arrays(parts)]
    predict_mixture(row, 3, *bare_arrays(parts), *answer)
    assert [np.array(array).tobytes() for array in bare_arrays(parts)] == before
    in_parts(row, 3, parts, other)
    np.testing.assert_allclose(answer.posterior[:3], other.posterior[:3], rtol=0, atol=1e-12)
    np.testing.assert_allclose(answer.logs[:, :3], other.logs[:, :3], rtol=0, atol=1e-12)
    assert answer.rows.tolist() == other.rows.tolist()
    assert answer.posterior[:3].sum() == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("label", [0, 2, 3])
def test_learning_is_the_sum_of_its_parts(learner, label):
    """Label 3 is new with this event: whatever mixes the experts had no word on it."""
    row = raw_row(learner, [0.7, "q", None])
    (parts, answer), (twin, other) = copied(learner), copied(learner)
    t, m = learner.store.n_events, max(3, label + 1)
    past = type(learner.store.past)(*(array.copy() for array in learner.store.past))
    predict_mixture(row, m, *bare_arrays(parts), *answer)
    learn_mixture(row, label, 1.5, t, m, 3, *bare_arrays(parts), *answer, *past)
    in_parts(row, m, twin, other)
    if label < 3:
        learn_weights(other.logs, other.pools, label, 3, twin.mixer)
    learn_linear(row, other.standard, other.codes, other.logs, label, m, twin.linear)
    learn_moments(row, twin.linear.moments)
    learn_label(twin.lags, label, 1.5)
    add_event(other.codes, other.rows, label, 1.5, t, twin.banks)
    for one, two in zip(bare_arrays(parts), bare_arrays(twin), strict=True):
        np.testing.assert_allclose(one, two, rtol=0, atol=1e-12)
    place = t % len(past.labels)
    assert (past.labels[place], past.weights[place]) == (label, 1.5)
    assert past.raw[:, place].tobytes() == row.tobytes()


def test_many_rows_are_predicted_as_one_by_one(learner):
    raw = np.array([raw_row(learner, cells) for cells in ROWS]).T
    parts, answer = copied(learner)
    posteriors = predict_rows(np.ascontiguousarray(raw), 3, (*bare_arrays(parts), *answer))
    for r, cells in enumerate(ROWS):
        assert posteriors[r].tolist() == learner.posterior(raw_row(learner, cells)).tolist()


def test_without_a_class_there_is_only_the_code(learner):
    parts, answer = copied(learner)
    predict_mixture(raw_row(learner, ROWS[0]), 0, *bare_arrays(parts), *answer)
    assert not answer.posterior.any()
    row = raw_row(learner, ROWS[0])
    assert answer.codes.tolist() == learner.codings.code(row[:, None]).tolist()
