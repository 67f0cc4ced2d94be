"""A superparent for every member, and its weight."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_kdb.structure.aode import aode
from river_kdb.structure.structure import SUM_OF_JOINTS, arcs


@given(st.integers(1, 6), st.data())
def test_every_superparent_has_all_others_under_it(n, data):
    weights = np.array(
        data.draw(st.lists(st.sampled_from([0.0, 0.5, 2.0]), min_size=n, max_size=n))
    )
    chosen = data.draw(st.sets(st.integers(0, n - 1), min_size=1))
    superparents = np.array(sorted(chosen))
    structure = aode(weights, superparents)
    assert structure.parents.shape == (len(chosen), n, 1)
    assert structure.rule == SUM_OF_JOINTS
    assert structure.roots.tolist() == superparents.tolist()
    for t, root in enumerate(superparents):
        expected = [root if i in chosen and i != root else -1 for i in range(n)]
        assert structure.parents[t, :, 0].tolist() == expected
    total = weights[superparents].sum()
    equal = np.full(len(chosen), 1 / len(chosen))
    assert structure.weights == pytest.approx(weights[superparents] / total if total else equal)
    assert structure.weights.sum() == pytest.approx(1.0)
    assert structure.parents.dtype == structure.roots.dtype == np.int16


@pytest.mark.parametrize("n", [0, 3])
def test_without_superparents_it_is_naive_bayes(n):
    structure = aode(np.ones(n), np.empty(0, dtype=np.int64))
    assert arcs(structure) == []
    assert structure.roots.tolist() == [-1]
