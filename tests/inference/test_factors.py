"""The factors one by one add up to what the kernels say."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_kdb.counts.layout import Layout
from river_kdb.inference.factors import factors, prior
from river_kdb.inference.smoothing import smoothing_strength
from river_kdb.inference.static import log_joint_block
from river_kdb.structure.structure import ABSENT, SUM_OF_JOINTS, single_network
from tests.counts.blocks import as_block
from tests.inference.networks import case_of, cases

pytestmark = pytest.mark.kernel

SMOOTHINGS = st.sampled_from(["m-estimate", 0.5, 5.0])


def factors_of(case, t, x, strength):
    start = prior(int(case.program.roots[t]), x, case.m, case.singles)
    found = factors(
        case.program.levels[t],
        case.program.roots[t],
        x,
        case.m,
        case.singles,
        case.families,
        strength,
    )
    return start, found


def product(start, found):
    joint = start.copy()
    for factor in found:
        joint *= factor.probabilities
    return joint


def combined(case, x, strength):
    """The weighted sum of the members' products; None where none has a say."""
    total = np.zeros(case.m)
    for t, weight in enumerate(case.program.weights):
        start, found = factors_of(case, t, x, strength)
        if start is None or weight <= 0:
            continue
        joint = product(start, found)
        total += weight * (joint if case.program.rule == SUM_OF_JOINTS else joint / joint.sum())
    return total if total.max() > 0 else None


@given(cases(), SMOOTHINGS)
@settings(max_examples=80)
def test_factors_add_up(case, smoothing):
    strength = smoothing_strength(smoothing)
    joints = log_joint_block(*case.arguments(strength))
    single = len(case.program.weights) == 1 and case.program.roots[0] < 0
    for r, x in enumerate(case.questions.T):
        if single:
            total = product(*factors_of(case, 0, x, strength))
        else:
            total = combined(case, x, strength)
        if total is not None:
            assert np.log(total) == pytest.approx(joints[r], abs=1e-9)


@given(cases(), SMOOTHINGS)
@settings(max_examples=80)
def test_each_factor_is_the_oracles(case, smoothing):
    strength = smoothing_strength(smoothing)
    for t in range(len(case.program.weights)):
        parents, root, _ = case.members()[t]
        for x in case.questions.T:
            row = x.tolist()
            start, found = factors_of(case, t, x, strength)
            has_say = root < 0 or case.sample.seen(root, row[root])
            assert (start is not None) == has_say
            if has_say:
                expected = [case.sample.prior(row, root, c) for c in range(case.m)]
                assert start == pytest.approx(expected)
            spoken = [
                i
                for i, code in enumerate(row)
                if i != root and ABSENT not in parents[i] and case.sample.seen(i, code)
            ]
            assert [factor.feature for factor in found] == spoken
            for factor in found:
                assert_factor(case, row, parents[factor.feature], factor, smoothing)


def assert_factor(case, x, parents, factor, smoothing):
    """Its parents are the longest run whose context was seen; counts are those of the events."""
    i, sample = factor.feature, case.sample
    above = [j for j in parents if j >= 0]
    length = 0
    for q in range(1, len(above) + 1):
        context = {j: x[j] for j in above[:q]}
        if min(context.values()) < 0 or sample.count(context, [i, *above[:q]]) == 0:
            break
        length = q
    used = above[:length]
    assert sorted(factor.parents) == sorted(used)
    context = {j: x[j] for j in used}
    for c in range(case.m):
        assert factor.counts[c] == sample.count({**context, i: x[i]}, [i, *used], c)
        assert factor.contexts[c] == sample.count(context, [i, *used], c)
        expected = sample.conditional(x, i, above, c, smoothing)
        assert factor.probabilities[c] == pytest.approx(expected)
        assert math.isfinite(math.log(factor.probabilities[c]))


def test_all_probabilities_of_a_feature_sum_to_one():
    """Over the values that were seen, in a context in which each could stand."""
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 3, (30, 3)).tolist()
    block = as_block(rows, rng.integers(0, 2, 30).tolist(), [1.0] * 30, 3)
    questions = np.array([[u, 1, 2] for u in range(3)], dtype=np.int16).T.copy()
    structure = single_network([[1, 2], [-1, -1], [-1, -1]])
    case = case_of(structure, Layout(np.full(3, 3), 2), block, questions, 2)
    total = np.zeros(2)
    for x in questions.T:
        _, found = factors_of(case, 0, x, 5.0)
        total += found[0].probabilities
    assert total == pytest.approx([1.0, 1.0])
