"""Which families a structure needs, and in which order memory is given to them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_kdb.counts.families import families_bytes
from river_kdb.counts.layout import Layout
from river_kdb.inference.program import make_program, plan_families
from river_kdb.structure.aode import aode
from river_kdb.structure.structure import ABSENT, no_arcs, single_network
from tests.counts.blocks import layouts
from tests.inference.networks import structures

LAYOUT = Layout(np.array([2, 3, 2, 4]), 2)


def test_keys_do_not_mind_the_order_of_the_parents():
    one = single_network([[-1, -1, -1], [3, 0, 2], [-1, -1, -1], [-1, -1, -1]])
    other = single_network([[-1, -1, -1], [0, 2, 3], [-1, -1, -1], [-1, -1, -1]])
    both = one._replace(parents=np.concatenate([one.parents, other.parents]))
    keys, levels, _ = plan_families(both, LAYOUT, math.inf)
    assert keys == [(1, (3,)), (1, (0,)), (1, (0, 3)), (1, (0, 2)), (1, (0, 2, 3))]
    assert levels[:, 1].tolist() == [[0, 2, 4], [1, 3, 4]]
    assert all(type(i) is int for child, parents in keys for i in (child, *parents))


def test_a_family_larger_than_any_int64_is_left_out():
    layout = Layout(np.full(9, 30_000), 2)
    parents = np.full((9, 8), -1)
    parents[0] = np.arange(1, 9)
    keys, _, lost = plan_families(single_network(parents), layout, 1e9)
    assert keys == []
    assert lost


def test_one_parent_first_then_two():
    structure = single_network([[-1, -1], [0, -1], [1, 0], [2, 1]])
    keys, levels, lost = plan_families(structure, LAYOUT, math.inf)
    assert keys == [(1, (0,)), (2, (1,)), (3, (2,)), (2, (0, 1)), (3, (1, 2))]
    assert levels.tolist() == [[[-1, -1], [0, -1], [1, 3], [2, 4]]]
    assert not lost


def test_members_share_families():
    keys, _, _ = plan_families(aode(np.ones(3), np.arange(3)), LAYOUT, math.inf)
    assert len(keys) == len(set(keys)) == 6
    tree = single_network([[-1], [0], [1], [1]])
    twice = tree._replace(parents=np.repeat(tree.parents, 2, axis=0))
    keys, levels, _ = plan_families(twice, LAYOUT, math.inf)
    assert len(keys) == 3
    assert levels[0].tolist() == levels[1].tolist()


def test_weak_parents_are_left_out_first():
    structure = single_network([[-1, -1], [0, -1], [1, 0], [2, 1]])
    strong = [(1, (0,)), (2, (1,)), (3, (2,))]
    keys, levels, lost = plan_families(structure, LAYOUT, families_bytes(LAYOUT, strong))
    assert keys == strong
    assert lost
    assert (levels[:, :, 1] == -1).all()


def test_no_weak_parent_without_the_strong_one():
    """The family of a strong parent with many values may not fit where two weak ones would."""
    layout = Layout(np.array([2, 100, 2]), 2)
    structure = single_network([[1, 2], [-1, -1], [-1, -1]])
    budget = families_bytes(layout, [(0, (1,))]) - 1
    keys, levels, lost = plan_families(structure, layout, budget)
    assert (keys, lost) == ([], True)
    assert (levels == -1).all()


def test_an_absent_feature_has_no_family_of_its_own():
    structure = single_network([[-1, -1], [0, -1], [ABSENT, -1], [2, 1]])
    keys, levels, _ = plan_families(structure, LAYOUT, math.inf)
    assert keys == [(1, (0,)), (3, (2,)), (3, (1, 2))]
    assert levels.tolist() == [[[-1, -1], [0, -1], [ABSENT, -1], [1, 2]]]


@given(st.data(), layouts())
@settings(max_examples=60)
def test_plans(data, layout):
    structure = data.draw(structures(len(layout.caps)))
    budget = data.draw(st.sampled_from([0, 100, 500, 2000, math.inf]))
    keys, levels, lost = plan_families(structure, layout, budget)
    assert levels.shape == structure.parents.shape
    assert levels.dtype == np.int32
    assert len(set(keys)) == len(keys)
    assert families_bytes(layout, keys) <= budget
    used = set()
    for t, child, q in np.argwhere(structure.parents >= 0).tolist():
        f = int(levels[t, child, q])
        if f >= 0:
            used.add(f)
            assert keys[f] == (child, tuple(sorted(structure.parents[t, child, : q + 1].tolist())))
            assert (levels[t, child, :q] >= 0).all()
        else:
            assert lost
    assert used == set(range(len(keys)))
    absent = structure.parents == ABSENT
    assert (levels[absent] == ABSENT).all()
    assert (levels[(structure.parents < 0) & ~absent] == -1).all()
    assert not (lost and budget == math.inf)


@pytest.mark.parametrize("structure", [no_arcs(4), aode(np.ones(4), np.arange(4))])
def test_the_program_of_a_structure(structure):
    _, levels, _ = plan_families(structure, LAYOUT, math.inf)
    program = make_program(structure, levels)
    assert program.levels is levels
    assert program[1:] == (structure.roots, structure.weights, structure.rule)
