"""Posteriors against the formulas, worked out over the events."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_kdb.counts.layout import Layout
from river_kdb.inference.smoothing import smoothing_strength
from river_kdb.inference.static import (
    log_joint_block,
    member_posteriors,
    posterior_block,
    to_posteriors,
)
from river_kdb.structure.aode import aode
from river_kdb.structure.structure import (
    ABSENT,
    MEAN_OF_POSTERIORS,
    Structure,
    no_arcs,
    single_network,
)
from tests import naive_counts as naive
from tests.counts.blocks import as_block
from tests.inference.networks import case_of, cases

pytestmark = pytest.mark.kernel

SMOOTHINGS = st.sampled_from(["m-estimate", 0.5, 5.0])
FEW = np.array([2, 2, 2])


@given(cases(), SMOOTHINGS)
@settings(max_examples=150)
def test_log_joints_and_posteriors(case, smoothing):
    strength = smoothing_strength(smoothing)
    joints = log_joint_block(*case.arguments(strength))
    posteriors = posterior_block(*case.arguments(strength))
    for r, x in enumerate(naive.rows_of(case.questions)):
        scores = case.scores(x, smoothing)
        assert joints[r] == pytest.approx(naive.logs(scores), abs=1e-9)
        assert posteriors[r] == pytest.approx(naive.normalised(scores), abs=1e-12)
        assert posteriors[r].sum() == pytest.approx(1.0, abs=1e-12)


@given(cases(), SMOOTHINGS)
@settings(max_examples=30)
def test_a_block_is_its_events_one_by_one(case, smoothing):
    strength = smoothing_strength(smoothing)
    whole = posterior_block(*case.arguments(strength))
    for r in range(len(whole)):
        single = case._replace(questions=np.ascontiguousarray(case.questions[:, r : r + 1]))
        assert posterior_block(*single.arguments(strength))[0].tolist() == whole[r].tolist()


@given(cases(), SMOOTHINGS)
@settings(max_examples=60)
def test_factors_that_are_remembered_are_the_same(case, smoothing):
    """From 32 events on a block remembers its factors."""
    strength = smoothing_strength(smoothing)
    n_events = case.questions.shape[1]
    few = log_joint_block(*case.arguments(strength))
    many = case._replace(questions=np.tile(case.questions, 40 // max(1, n_events) + 1))
    found = log_joint_block(*many.arguments(strength))
    for r in range(len(found)):
        assert found[r] == pytest.approx(few[r % n_events], abs=1e-9)


@given(cases(), SMOOTHINGS)
@settings(max_examples=100)
def test_posteriors_of_the_members(case, smoothing):
    """Whatever they weigh; naive Bayes where the superparent's value was never seen."""
    strength = smoothing_strength(smoothing)
    found = member_posteriors(*case.arguments(strength))
    assert found.shape == (len(case.program.levels), case.questions.shape[1], case.m)
    for r, x in enumerate(naive.rows_of(case.questions)):
        for t, (parents, root, _) in enumerate(case.members()):
            joints = case.sample.joints(x, parents, root, smoothing)
            if joints is None:
                joints = case.sample.joints(x, [()] * len(x), -1, smoothing)
            assert found[t, r] == pytest.approx(naive.normalised(joints), abs=1e-12)


@given(cases(), SMOOTHINGS)
@settings(max_examples=30)
def test_posteriors_of_the_members_in_a_long_block(case, smoothing):
    strength = smoothing_strength(smoothing)
    few, n_events = member_posteriors(*case.arguments(strength)), case.questions.shape[1]
    many = case._replace(questions=np.tile(case.questions, 40 // n_events + 1))
    found = member_posteriors(*many.arguments(strength))
    for r in range(found.shape[1]):
        assert found[:, r] == pytest.approx(few[:, r % n_events], abs=1e-12)


def many_members(n_features, seed):
    """Networks that share most factors, of which some have their parents in another order."""
    rng = np.random.default_rng(seed)
    chains = [[[-1, -1], [0, -1], [0, 1], [1, 0], [ABSENT, -1]], [[-1, -1], [0, 2], [2, 0]]]
    parents = np.full((12, n_features, 2), -1, dtype=np.int16)
    for t, i in np.ndindex(12, n_features - 3):
        parents[t, i + 3] = chains[i % 2][rng.integers(0, len(chains[i % 2]))]
    weights = rng.integers(0, 3, 12) / 4
    return Structure(parents, weights, np.full(12, -1, dtype=np.int16), MEAN_OF_POSTERIORS)


@pytest.mark.parametrize("smoothing", ["m-estimate", 5.0])
@pytest.mark.parametrize("n_events", [1, 31, 50])
def test_members_that_share_factors(n_events, smoothing):
    structure = many_members(9, seed=n_events)
    rng = np.random.default_rng(4)
    rows = [(rng.integers(0, 3, 9).tolist(), r % 3) for r in range(25)]
    case = learned(structure, 9, rows, rows[0][0], m=3, cap=3)
    questions = np.ascontiguousarray(rng.integers(-1, 3, (9, n_events)).astype(np.int16))
    case = case._replace(questions=questions)
    found = posterior_block(*case.arguments(smoothing_strength(smoothing)))
    for r, x in enumerate(naive.rows_of(questions)):
        expected = naive.normalised(case.scores(x, smoothing))
        assert found[r] == pytest.approx(expected, abs=1e-12)


def test_more_members_than_the_cache_holds_at_once():
    """Events are then taken some at a time: the answer must not know."""
    structure = many_members(9, seed=1)
    copies = 900
    structure = structure._replace(
        parents=np.tile(structure.parents, (copies, 1, 1)),
        weights=np.tile(structure.weights, copies),
        roots=np.tile(structure.roots, copies),
    )
    rng = np.random.default_rng(4)
    rows = [(rng.integers(0, 3, 9).tolist(), r % 3) for r in range(25)]
    case = learned(structure, 9, rows, rows[0][0], m=3, cap=3)
    questions = np.ascontiguousarray(rng.integers(-1, 3, (9, 11)).astype(np.int16))
    found = posterior_block(*case._replace(questions=questions).arguments(5.0))
    for r, x in enumerate(naive.rows_of(questions)):
        scores = case.sample.scores(x, case.members()[:12], False, 5.0)
        assert found[r] == pytest.approx(naive.normalised(scores), abs=1e-12)


def test_a_network_of_absent_features_is_the_prior():
    structure = single_network([[ABSENT], [ABSENT]])
    case = learned(structure, 2, [((0, 0), 0), ((1, 0), 1), ((1, 1), 1)], [1, 1])
    for strength in (5.0, smoothing_strength("m-estimate")):
        found = posterior_block(*case.arguments(strength))[0]
        assert found == pytest.approx([1.5 / 4, 2.5 / 4])


def test_more_values_than_are_remembered():
    """Contexts of 50 by 50 values are more than four times the events."""
    rng = np.random.default_rng(3)
    rows = [(rng.integers(0, 50, 3).tolist(), r % 2) for r in range(80)]
    case = learned(single_network([[-1, -1], [0, -1], [0, 1]]), 3, rows, rows[0][0], cap=50)
    questions = np.array([row for row, _ in rows[:40]], dtype=np.int16).T
    found = log_joint_block(
        *case._replace(questions=np.ascontiguousarray(questions)).arguments(5.0)
    )
    for r, (row, _) in enumerate(rows[:40]):
        assert found[r] == pytest.approx(naive.logs(case.scores(row, 5.0)), abs=1e-9)


def learned(structure, n_features, events, question, m=2, weights=None, cap=2):
    layout = Layout(np.full(n_features, cap), 2 if m <= 2 else 4)
    rows, labels = zip(*events, strict=True)
    block = as_block(rows, labels, weights or [1.0] * len(rows), n_features)
    questions = np.array(question, dtype=np.int16)[:, None]
    return case_of(structure, layout, block, questions, m)


@pytest.mark.parametrize("smoothing", ["m-estimate", 5.0])
@pytest.mark.parametrize("n_features", [15, 16, 17, 33])
def test_more_factors_than_one_logarithm_takes(n_features, smoothing):
    rng = np.random.default_rng(n_features)
    rows = [(rng.integers(0, 2, n_features).tolist(), r % 2) for r in range(12)]
    parents = np.arange(n_features)[:, None] - 1
    case = learned(single_network(parents), n_features, rows, rows[3][0])
    found = log_joint_block(*case.arguments(smoothing_strength(smoothing)))[0]
    assert found == pytest.approx(naive.logs(case.scores(rows[3][0], smoothing)))


@pytest.mark.parametrize(
    ("smoothing", "weight"), [(5.0, 1e30), (1e-9, 1e4), (1e-3, 1e5), ("m-estimate", 1e30)]
)
def test_factors_near_zero_do_not_vanish(smoothing, weight):
    """Half of the values say that one class is impossible, the others that the other is.

    A feature of the second half has parents of the other kind, so each step of the back-off
    makes it less probable.
    """
    quarter = 16
    likely = np.repeat([0, 1, 0, 1], quarter)
    events = [(likely, 0), (1 - likely, 1)]
    parents = np.full((4 * quarter, 2), -1)
    parents[2 * quarter :, 0] = np.roll(np.arange(2 * quarter), quarter)
    parents[2 * quarter :, 1] = np.roll(np.arange(2 * quarter), quarter + 1)
    parents[2 * quarter :, 1] = np.where(
        parents[2 * quarter :, 1] // quarter == parents[2 * quarter :, 0] // quarter,
        parents[2 * quarter :, 1],
        parents[2 * quarter :, 0] - 1,
    )
    question = [0] * (4 * quarter)
    network = single_network(parents)
    case = learned(network, len(question), events, question, weights=[weight, weight])
    posterior = posterior_block(*case.arguments(smoothing_strength(smoothing)))[0]
    assert posterior == pytest.approx([0.5, 0.5])


def test_a_superparent_that_was_never_seen_has_no_say():
    events = [((0, 0), 0), ((1, 0), 1), ((1, 1), 1)]
    both = aode(np.ones(2), np.arange(2))
    case = learned(both, 2, events, [-2, 0])
    found = posterior_block(*case.arguments(5.0))[0]
    alone = case.sample.joints([-2, 0], both.parents[1].tolist(), 1, 5.0)
    assert found == pytest.approx(naive.normalised(alone))


@pytest.mark.parametrize("smoothing", ["m-estimate", 5.0])
def test_without_a_superparent_it_is_naive_bayes(smoothing):
    events = [((0, 0, 0), 0), ((1, 0, 1), 1), ((1, 1, 1), 1)]
    first = aode(np.ones(3), np.array([0]))
    case = learned(first, 3, events, [-1, 0, 1])
    plain = learned(no_arcs(3), 3, events, [-1, 0, 1])
    strength = smoothing_strength(smoothing)
    found, expected = (log_joint_block(*c.arguments(strength))[0] for c in (case, plain))
    assert found == pytest.approx(expected)


def test_superparents_without_weight_are_left_out():
    events = [((0, 0), 0), ((1, 0), 1), ((1, 1), 1)]
    weighted = aode(np.array([0.0, 2.0]), np.arange(2))
    alone = aode(np.array([0.0, 2.0]), np.array([1]))
    alone = alone._replace(parents=weighted.parents[1:])
    one, other = (learned(s, 2, events, [1, 0]) for s in (weighted, alone))
    assert posterior_block(*one.arguments(5.0)) == pytest.approx(
        posterior_block(*other.arguments(5.0))
    )


def test_without_events_all_classes_are_equal():
    layout = Layout(FEW, 4)
    questions = np.zeros((3, 1), dtype=np.int16)
    for structure in (no_arcs(3), single_network([[-1], [0], [1]]), aode(np.ones(3), np.arange(3))):
        case = case_of(structure, layout, as_block([], [], [], 3), questions, 3)
        for strength in (5.0, smoothing_strength("m-estimate")):
            assert posterior_block(*case.arguments(strength))[0] == pytest.approx([1 / 3] * 3)


def test_no_features():
    layout = Layout(np.zeros(0, dtype=np.int64), 2)
    block = as_block([(), (), ()], [0, 1, 1], [1, 1, 1], 0)
    case = case_of(no_arcs(0), layout, block, np.empty((0, 1), dtype=np.int16), 2)
    found = posterior_block(*case.arguments(5.0))[0]
    assert found == pytest.approx([1.5 / 4, 2.5 / 4])


@given(
    st.lists(
        st.lists(st.one_of(st.floats(-1e5, 1e3), st.just(-math.inf)), min_size=3, max_size=3),
        min_size=1,
        max_size=4,
    )
)
def test_to_posteriors(rows):
    scores, evidence = np.array(rows), np.empty(len(rows))
    to_posteriors(scores, evidence)
    for row, found, log_sum in zip(rows, scores, evidence, strict=True):
        top = max(row)
        if top == -math.inf:
            assert log_sum == -math.inf
            continue
        shares = [math.exp(score - top) for score in row]
        assert found == pytest.approx([share / sum(shares) for share in shares])
        assert log_sum == pytest.approx(top + math.log(sum(shares)))
