"""What a structure says about itself."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_kdb.structure.aode import aode
from river_kdb.structure.structure import (
    ABSENT,
    MEAN_OF_POSTERIORS,
    Structure,
    absent_features,
    arcs,
    moved_features,
    no_arcs,
    single_network,
)


def test_one_network():
    structure = single_network([[-1, -1], [0, -1], [0, 1]])
    assert structure.parents.shape == (1, 3, 2)
    assert structure.parents.dtype == np.int16
    assert structure.weights.tolist() == [1.0]
    assert structure.roots.tolist() == [-1]
    assert arcs(structure) == [(0, 1), (0, 2), (1, 2)]


def test_features_that_no_member_has_a_factor_of():
    one = single_network([[ABSENT, -1], [-1, -1], [1, -1], [ABSENT, -1]])
    assert absent_features(one).tolist() == [0, 3]
    assert arcs(one) == [(1, 2)]
    other = single_network([[ABSENT, -1], [-1, -1], [1, -1], [2, -1]])
    both = one._replace(parents=np.concatenate([one.parents, other.parents]))
    assert absent_features(both).tolist() == [0]
    assert absent_features(no_arcs(3)).tolist() == []


@pytest.mark.parametrize("n_features", [0, 1, 4])
def test_naive_bayes(n_features):
    structure = no_arcs(n_features)
    assert structure.parents.shape == (1, n_features, 0)
    assert arcs(structure) == []


def test_arcs_of_all_members_once_each():
    parents = np.array([[[-1], [0], [1]], [[1], [-1], [1]]], dtype=np.int16)
    structure = Structure(parents, np.ones(2), np.full(2, -1, dtype=np.int16), MEAN_OF_POSTERIORS)
    assert arcs(structure) == [(0, 1), (1, 0), (1, 2)]
    assert all(type(i) is int for arc in arcs(structure) for i in arc)


def test_the_first_candidates_count_as_arcs():
    candidates = np.array([[-1, -1, -1], [0, -1, -1], [1, 0, -1], [2, 0, 1]], dtype=np.int16)
    for k, expected in (
        (0, set()),
        (1, {(0, 1), (1, 2), (2, 3)}),
        (2, {(0, 1), (1, 2), (0, 2), (2, 3), (0, 3)}),
        (4, {(0, 1), (1, 2), (0, 2), (2, 3), (0, 3), (1, 3)}),
    ):
        structure = single_network(np.full((4, k), -1))._replace(candidates=candidates)
        assert arcs(structure) == sorted(expected)
    with_parents = single_network([[3], [-1], [-1], [2]])._replace(candidates=candidates)
    assert arcs(with_parents) == [(0, 1), (1, 2), (2, 3), (3, 0)]


def test_most_structures_have_no_candidates():
    for structure in (no_arcs(3), single_network([[-1], [0]]), aode(np.ones(2), np.arange(2))):
        assert structure.candidates.shape == (0, 0)


@st.composite
def structures(draw):
    n = draw(st.integers(1, 5))
    shape = (draw(st.integers(1, 3)), n, draw(st.integers(0, 2)))
    width = draw(st.integers(0, 3))
    some = st.lists(st.integers(-1, n - 1), min_size=n * width, max_size=n * width)
    candidates = np.array(draw(some), dtype=np.int16).reshape(n, width)
    if not width and draw(st.booleans()):
        candidates = np.empty((0, 0), dtype=np.int16)  # as the structures without any have it
    size = int(np.prod(shape))
    parents = draw(st.lists(st.integers(ABSENT, n - 1), min_size=size, max_size=size))
    roots = draw(st.lists(st.integers(-1, n - 1), min_size=shape[0], max_size=shape[0]))
    return Structure(
        np.array(parents, dtype=np.int16).reshape(shape),
        np.ones(shape[0]),
        np.array(roots, dtype=np.int16),
        MEAN_OF_POSTERIORS,
        candidates,
    )


@given(structures(), st.data())
def test_new_features_have_no_arcs_and_the_others_keep_theirs(structure, data):
    n = structure.parents.shape[1]
    total = n + data.draw(st.integers(0, 3))
    new = sorted(data.draw(st.permutations(range(total)))[: total - n])
    where = np.delete(np.arange(total), new)
    grown = moved_features(structure, where, total)
    assert grown.parents.dtype == grown.roots.dtype == np.int16
    assert (grown.parents[:, new] == -1).all()
    back = {int(j): i for i, j in enumerate(where)} | {-1: -1, ABSENT: ABSENT}
    for t in range(len(structure.parents)):
        for i, j in enumerate(where):
            assert [back[int(p)] for p in grown.parents[t, j]] == structure.parents[t, i].tolist()
        assert back[int(grown.roots[t])] == structure.roots[t]
    width = structure.candidates.shape[1]
    assert grown.candidates.dtype == np.int16
    assert grown.candidates.shape == (total, width)
    assert (grown.candidates[new] == -1).all()
    if len(structure.candidates):
        for i, j in enumerate(where):
            moved = [back[int(p)] for p in grown.candidates[j]]
            assert moved == structure.candidates[i].tolist()
    assert grown.weights is structure.weights
    assert grown.rule == structure.rule


def test_a_new_feature_under_aode_is_no_superparent_yet():
    grown = moved_features(aode(np.ones(2), np.arange(2)), np.array([0, 2]), 3)
    assert grown.roots.tolist() == [0, 2]
    assert arcs(grown) == [(0, 2), (2, 0)]
