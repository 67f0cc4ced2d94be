"""Networks for each class against the formulas, worked out over the events."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_kdb.counts.layout import Layout
from river_kdb.inference.class_networks import (
    INFORMATION,
    LIKELIHOOD,
    class_networks_block,
    class_parents,
    drop_redundant,
    literal_block,
    literal_log_likelihood,
    log_likelihood_in_class,
)
from river_kdb.inference.event_network import event_order
from river_kdb.information.of_event import local_information, local_likelihood
from tests.counts.at_once import at_once, cases
from tests.counts.blocks import as_block
from tests.inference.test_event_network import SMOOTHINGS, networks, slow_posterior
from tests.inference.test_target import alone, slow_parents

pytestmark = pytest.mark.kernel

MEASURES = {INFORMATION: local_information, LIKELIHOOD: local_likelihood}
WHICH = st.sampled_from([INFORMATION, LIKELIHOOD])
REDUNDANCIES = st.sampled_from([0.3, 0.8, 0.95])


def slow_log_likelihood(case, x, child, above, c):
    """Ln P(x_child | x_above, c), the event counted once more; unseen values end the list."""
    used = []
    for b in above:
        if b < 0 or x[case.feature[b]] not in case.sample.values(case.feature[b]):
            break
        used.append(case.feature[b])
    i, wanted = case.feature[child], {j: x[j] for j in used}
    whole = case.sample.count(wanted, [i, *used], c)
    both = case.sample.count({**wanted, i: x[i]}, [i, *used], c)
    return math.log((both + 1) / (whole + 1))


@given(cases(max_features=5), st.data())
@settings(max_examples=60)
def test_likelihood_of_a_value_in_a_class(case, data):
    for r in range(case.questions.shape[1]):
        evidence = case.evidence(r)
        n = len(case.feature)
        room = np.empty(case.m), np.empty(case.m)
        for a in np.flatnonzero(evidence.seen).tolist():
            others = data.draw(st.permutations([*(b for b in range(n) if b != a), -1]))[:3]
            for c in range(case.m):
                found = log_likelihood_in_class(a, np.array(others), c, evidence, *room)
                expected = slow_log_likelihood(case, case.row(r), a, others, c)
                assert found == pytest.approx(expected, abs=1e-12)


@given(cases(max_features=5), st.integers(0, 3), WHICH)
@settings(max_examples=50)
def test_parents_for_each_class(case, k, by):
    for r in range(case.questions.shape[1]):
        evidence = case.evidence(r)
        single, pair = MEASURES[by](evidence, case.m)
        found = class_parents(by, k, 1.0, evidence)
        assert found.shape == (case.m, len(case.feature), k)
        for c in range(case.m):
            expected = slow_parents(single[c], pair[c], evidence.seen, k)
            assert found[c].tolist() == expected.tolist()


def slow_kept(case, x, order, parents, c, redundancy):
    """The places of the order before which less than the share of the surprise has come."""
    surprise = [-slow_log_likelihood(case, x, a, parents[a], c) for a in order]
    return [
        sum(surprise[:place]) < redundancy * sum(surprise) - 1e-12 for place in range(len(order))
    ]


@given(cases(max_features=5), st.integers(1, 2), REDUNDANCIES)
@settings(max_examples=50)
def test_the_end_of_the_order_loses_its_parents(case, k, redundancy):
    for r in range(case.questions.shape[1]):
        evidence = case.evidence(r)
        single, _ = local_likelihood(evidence, case.m)
        whole = class_parents(LIKELIHOOD, k, 1.0, evidence)
        found = class_parents(LIKELIHOOD, k, redundancy, evidence)
        for c in range(case.m):
            order = event_order(single[c], evidence.seen)
            parents = whole[c].copy()
            kept = slow_kept(case, case.row(r), order.tolist(), parents, c, redundancy)
            drop_redundant(order, parents, c, redundancy, evidence)
            expected = whole[c].copy()
            expected[order[[not here for here in kept]]] = -1
            assert parents.tolist() == expected.tolist() == found[c].tolist()


@given(cases(), SMOOTHINGS, WHICH, st.sampled_from([1.0, 0.8]), st.data())
@settings(max_examples=40)
def test_the_networks_of_the_wanted_classes(case, smoothing, by, redundancy, data):
    counts, b = case.counts(smoothing), case.questions.shape[1]
    flags = data.draw(st.lists(st.booleans(), min_size=b * case.m, max_size=b * case.m))
    wanted = np.array(flags, dtype=np.bool_).reshape(b, case.m)
    found = class_networks_block(case.questions, case.m, counts, wanted, by, 2, redundancy)
    for r in range(b):
        parents = class_parents(by, 2, redundancy, case.evidence(r))
        members = [
            slow_posterior(case, case.row(r), parents[c], smoothing)
            for c in range(case.m)
            if wanted[r, c]
        ]
        expected = np.sum(members, axis=0) if members else np.zeros(case.m)
        assert found[r] == pytest.approx(expected, abs=1e-9)
        one = class_networks_block(
            alone(case, r).questions, case.m, counts, wanted[r : r + 1], by, 2, redundancy
        )
        assert one[0].tolist() == found[r].tolist()


def slow_literal(case, x, parents, c):
    return sum(
        slow_log_likelihood(case, x, a, parents[a], c)
        for a, i in enumerate(case.feature)
        if x[i] in case.sample.values(i)
    )


def prior_and_rest(case, x, c):
    """P(c), and the factors of what keeps no pairs."""
    p = case.sample.prior(x, -1, c)
    for i in set(range(len(case.layout.caps))) - set(case.feature):
        if case.sample.seen(i, x[i]):
            p *= case.sample.conditional(x, i, [], c, "m-estimate")
    return p


@given(cases(), st.sampled_from(["G", "L", "GL"]), st.sampled_from([1.0, 0.8]), st.data())
@settings(max_examples=50)
def test_likelihoods_as_they_are_written(case, parts, redundancy, data):
    """Whatever the network of a class, it scores its own class; learned parents may be unseen."""
    counts, n = case.counts(), len(case.feature)
    learned = np.empty((0, n, 2), dtype=np.int64)
    if "G" in parts:
        everything_seen = case.evidence()._replace(seen=np.ones(n, dtype=np.bool_))
        learned = np.array([data.draw(networks(everything_seen, 2)) for _ in range(case.m)])
    found = literal_block(case.questions, case.m, counts, learned, "L" in parts, 2, redundancy)
    for r in range(len(found)):
        x, evidence = case.row(r), case.evidence(r)
        own = class_parents(LIKELIHOOD, 2, redundancy, evidence)
        for c in range(case.m):
            members = []
            if "G" in parts:
                members.append(slow_literal(case, x, learned[c], c))
                alone_found = literal_log_likelihood(learned[c], c, evidence)
                assert alone_found == pytest.approx(members[0], abs=1e-12)
            if "L" in parts:
                members.append(slow_literal(case, x, own[c], c))
            joint = prior_and_rest(case, x, c) * sum(math.exp(member) for member in members)
            # a class has as many networks as any other: how many does not matter
            assert found[r, c] == pytest.approx(math.log(joint), abs=1e-9)


def test_likelihoods_too_small_for_a_float():
    """Sums of two of them are taken in logarithms."""
    n = 60
    layout = Layout(np.full(n, 2), 2)
    block = as_block([[0] * n, [1] * n], [0, 1], [1e9, 1e9], n)
    case = at_once(layout, block, np.zeros((n, 1), dtype=np.int16), np.arange(n), 4)
    learned = np.full((2, n, 1), -1)
    found = literal_block(case.questions, 2, case.counts(), learned, True, 1, 1.0)
    assert np.isfinite(found).all()
    assert found[0, 0] == pytest.approx(math.log(0.5) + math.log(2), abs=1e-9)
    # learned: every value is new to the class; of the event: only the first is, then none is known
    naive_bayes = n * math.log(1 / (1e9 + 1))
    chain = literal_log_likelihood(
        class_parents(LIKELIHOOD, 1, 1.0, case.evidence())[1],
        1,
        case.evidence(),
    )
    top = max(naive_bayes, chain)
    both = top + math.log(math.exp(naive_bayes - top) + math.exp(chain - top))
    assert naive_bayes < -1000
    assert found[0, 1] == pytest.approx(math.log(0.5) + both, abs=1e-6)
