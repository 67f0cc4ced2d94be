"""The sweep over the events against leaving each event out in turn."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_kdb.counts.layout import Layout
from river_kdb.inference.leave_one_out import first_smallest, selected_parents, sweep, whole_order
from river_kdb.inference.smoothing import smoothing_strength
from river_kdb.structure.kdb import TIE
from river_kdb.structure.structure import ABSENT, single_network
from tests import naive_counts as naive
from tests.counts.blocks import Block, as_block, blocks
from tests.inference.networks import case_of

pytestmark = pytest.mark.kernel

SMOOTHINGS = st.sampled_from(["m-estimate", 0.5, 5.0])


@st.composite
def problems(draw, max_features=4):
    """An order, parents that are earlier in it, and events."""
    n, k = draw(st.integers(1, max_features)), draw(st.integers(1, 3))
    caps = draw(st.lists(st.integers(1, 3), min_size=n, max_size=n))
    layout = Layout(np.array(caps, dtype=np.int64), draw(st.sampled_from([2, 4])))
    block = draw(blocks(layout, max_events=10))
    order = draw(st.permutations(range(n)))
    parents = np.full((n, k), -1)
    for place, child in enumerate(order):
        above = draw(st.permutations(order[:place]))[: draw(st.integers(0, k))]
        parents[child, : len(above)] = above
    return np.array(order), parents, layout, block


def tables(problem):
    _, parents, layout, block = problem
    m = max(1, int(block.labels.max(initial=0)) + 1)
    return case_of(single_network(parents), layout, block, block.codes, m)


def arguments(problem, case, smoothing):
    order, _, _, block = problem
    strength = smoothing_strength(smoothing)
    return (
        order, case.program.levels[0], *block, case.m, case.singles, case.families, strength,
    )  # fmt: skip


def others(block: Block, r: int) -> Block:
    return as_block(
        [row for t, row in enumerate(naive.rows_of(block.codes)) if t != r],
        np.delete(block.labels, r).tolist(),
        np.delete(block.weights, r).tolist(),
        len(block.codes),
    )


class LeftOut(naive.Sample):
    """A sample without one event, whose values count as seen all the same."""

    def __init__(self, block, r, m):
        rest = others(block, r)
        super().__init__(naive.rows_of(rest.codes), rest.labels, rest.weights, m)
        self.all_rows = naive.rows_of(block.codes)

    def values(self, i):
        return {row[i] for row in self.all_rows if row[i] >= 0}


def slow_error(block, parents, m, smoothing):
    """Of the network of the features that `parents` (feature -> parents) has."""
    total = 0.0
    for r, x in enumerate(naive.rows_of(block.codes)):
        rest = LeftOut(block, r, m)
        network = [parents.get(i, [ABSENT]) for i in range(len(x))]
        shares = naive.normalised(rest.joints(x, network, -1, smoothing))
        total += block.weights[r] * (1 - shares[block.labels[r]]) ** 2
    return math.sqrt(total / block.weights.sum())


@given(problems(), SMOOTHINGS, st.booleans())
@settings(max_examples=120)
def test_errors_are_those_without_each_event(problem, smoothing, all_arcs):
    """The errors of the arcs that were taken; that no other has a smaller one is tested below."""
    order, parents, _, block = problem
    if not len(block.labels):
        return
    case = tables(problem)
    taken, losses = sweep(*arguments(problem, case, smoothing), all_arcs)
    network = {}
    for place, i in enumerate(order.tolist()):
        above = [j for j in parents[i].tolist() if j >= 0]
        if all_arcs:
            assert taken[i] == len(above)
        network[i] = above[: taken[i]]
        assert losses[place] == pytest.approx(slow_error(block, network, case.m, smoothing))


@given(problems(), SMOOTHINGS)
@settings(max_examples=80)
def test_no_other_number_of_parents_is_better(problem, smoothing):
    order, parents, _, block = problem
    if not len(block.labels):
        return
    case = tables(problem)
    taken, losses = sweep(*arguments(problem, case, smoothing), False)
    network = {}
    for place, i in enumerate(order.tolist()):
        above = [j for j in parents[i].tolist() if j >= 0]
        for q in range(len(above) + 1):
            error = slow_error(block, {**network, i: above[:q]}, case.m, smoothing)
            assert error >= losses[place] - 1e-9
            if q < taken[i]:
                assert error > losses[place] + TIE / 2
        network[i] = above[: taken[i]]


@given(problems(), SMOOTHINGS, st.booleans())
@settings(max_examples=60)
def test_the_front_of_the_order_is_kept(problem, smoothing, all_arcs):
    order, parents, _, block = problem
    case = tables(problem)
    order, levels, *rest = arguments(problem, case, smoothing)
    events, (m, *counts) = rest[:3], rest[3:]
    left = selected_parents(order, parents, levels, tuple(events), m, *counts, all_arcs)
    if not len(block.labels):
        assert left.tolist() == parents.tolist()
        return
    taken, losses = sweep(*arguments(problem, case, smoothing), all_arcs)
    n_kept = next(s for s in range(len(order)) if losses[s] <= losses.min() + TIE) + 1
    for place, i in enumerate(order):
        if place < n_kept:
            expected = [j if q < taken[i] else -1 for q, j in enumerate(parents[i].tolist())]
        else:
            expected = [ABSENT] + [-1] * (parents.shape[1] - 1)
        assert left[i].tolist() == expected


def test_a_copy_of_the_first_feature_is_left_out():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 60)
    signal = np.where(rng.random(60) < 0.8, labels, 1 - labels)
    rows = np.column_stack([signal, signal, rng.integers(0, 2, 60)]).tolist()
    block = as_block(rows, labels.tolist(), [1.0] * 60, 3)
    parents = np.array([[-1], [0], [0]])
    problem = (np.arange(3), parents, Layout(np.full(3, 2), 2), block)
    case = tables(problem)
    order, levels, *rest = arguments(problem, case, "m-estimate")
    left = selected_parents(order, parents, levels, tuple(rest[:3]), *rest[3:], False)
    assert left.tolist() == [[-1], [ABSENT], [ABSENT]]


def test_one_event_is_left_out_of_nothing():
    """Without it every class and value is as likely as any other."""
    block = as_block([(0, 1)], [1], [2.0], 2)
    problem = (np.arange(2), np.array([[-1], [0]]), Layout(np.full(2, 2), 2), block)
    taken, losses = sweep(*arguments(problem, tables(problem), 5.0), False)
    assert taken.tolist() == [0, 0]
    assert losses == pytest.approx([0.5, 0.5])


@pytest.mark.parametrize(
    ("values", "first"),
    [([0.3, 0.2, 0.2], 1), ([0.2 + TIE / 2, 0.2], 0), ([0.2 + 3 * TIE, 0.2], 1), ([1.0], 0)],
)
def test_the_first_of_the_smallest(values, first):
    assert first_smallest(np.array([*values, 0.0]), len(values)) == first


def test_features_that_have_no_pairs_come_last():
    information = np.array([0.1, 0.5, 0.4, 0.5, 0.2])
    assert whole_order(np.array([4, 0]), information).tolist() == [4, 0, 1, 3, 2]
    assert whole_order(np.empty(0, dtype=np.int64), information).tolist() == [1, 3, 2, 4, 0]
