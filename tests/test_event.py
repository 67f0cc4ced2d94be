"""The two kernels of an event against the parts that they put together."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_kdb.counts.families import add_families, new_families
from river_kdb.counts.layout import Layout
from river_kdb.counts.singles import add_singles, new_singles
from river_kdb.counts.window import new_window
from river_kdb.event import learn_event, predict_event, predict_event_by_all
from river_kdb.features.boxes import MISSING, UNSEEN, box
from river_kdb.features.coder import Coder
from river_kdb.features.encoder import CATEGORICAL, NUMERIC
from river_kdb.inference.program import is_ensemble, make_program, plan_families
from river_kdb.inference.static import posterior_block
from river_kdb.structure.aode import aode
from river_kdb.structure.structure import no_arcs, single_network

pytestmark = pytest.mark.kernel

KINDS = [NUMERIC, CATEGORICAL, CATEGORICAL]
STRUCTURES = {
    "none": no_arcs(3),
    "arcs": single_network(np.array([[-1, -1], [0, -1], [1, 0]])),
    "aode": aode(np.array([1.0, 2.0, 0.0]), np.arange(3)),
}
SMOOTHING = 5.0
M = 3


def coder_of(skip_missing):
    """Two bins; two categories and OTHER; one category. Gaps have slots unless skipped."""
    coder = Coder(2, skip_missing)
    coder.insert(np.arange(3))
    coder.set_bins(0, np.array([0.0]))
    gaps = [[MISSING] * 3]
    rows = [[1.0, box(i), box(0)] for i in range(3)]
    coder.open_slots(np.ascontiguousarray(np.array(gaps + rows).T), KINDS)
    return coder


class Parts:
    """Everything that the kernels take, empty."""

    def __init__(self, structure, skip_missing):
        self.coder = coder_of(skip_missing)
        self.layout = Layout(np.array(self.coder.n_slots, dtype=np.int64), 4)
        self.window = new_window(3, 4)
        self.singles = new_singles(self.layout)
        keys, levels, _ = plan_families(structure, self.layout, math.inf)
        self.families = new_families(self.layout, keys)
        self.program = make_program(structure, levels)

    @property
    def arrays(self):
        return (*self.coder.tables, *self.window, *self.singles, *self.families)

    def predict(self, row):
        program = self.program
        kernel = predict_event_by_all if is_ensemble(program) else predict_event
        return kernel(
            row, M, SMOOTHING, program.rule, *self.coder.tables, *self.singles, *self.families,
            program.levels, program.roots, program.weights,
        )  # fmt: skip


ROWS = st.tuples(
    st.sampled_from([-1.0, 0.0, 2.5, math.inf, MISSING]),
    st.sampled_from([box(0), box(1), box(2), box(7), MISSING]),
    st.sampled_from([box(0), MISSING]),
).map(np.array)
EVENTS = st.lists(st.tuples(ROWS, st.integers(0, M - 1), st.sampled_from([0.5, 1.0, 2.0])))


@pytest.mark.parametrize("skip_missing", [False, True])
@pytest.mark.parametrize("name", STRUCTURES)
@given(EVENTS)
@settings(max_examples=20)
def test_learning_is_coding_and_counting(name, skip_missing, events):
    parts, expected = (Parts(STRUCTURES[name], skip_missing) for _ in range(2))
    for t, (row, label, weight) in enumerate(events):
        assert learn_event(row, label, weight, t, *parts.arrays)
        codes = expected.coder.code(row[:, None])
        labels, weights = np.array([label], dtype=np.int32), np.array([weight])
        add_singles(expected.singles, codes, labels, weights)
        add_families(expected.families.spec, expected.families.cells, codes, labels, weights)
        for array, right in zip(expected.window, (row, codes[:, 0], label, weight), strict=True):
            array[..., t % 4] = right
    for array, right in zip(parts.arrays, expected.arrays, strict=True):
        assert array.tobytes() == right.tobytes()


@pytest.mark.parametrize("name", STRUCTURES)
def test_a_value_without_a_slot_changes_nothing(name):
    parts = Parts(STRUCTURES[name], False)
    for bad in ([0.0, UNSEEN, box(0)], [0.0, box(0), box(1)]):
        before = [array.tobytes() for array in parts.arrays]
        assert not learn_event(np.array(bad), 0, 1.0, 0, *parts.arrays)
        assert [array.tobytes() for array in parts.arrays] == before


@pytest.mark.parametrize("skip_missing", [False, True])
@pytest.mark.parametrize("name", STRUCTURES)
@given(EVENTS, ROWS)
@settings(max_examples=20)
def test_predicting_is_coding_and_inference(name, skip_missing, events, row):
    parts = Parts(STRUCTURES[name], skip_missing)
    for t, (learned, label, weight) in enumerate(events):
        learn_event(learned, label, weight, t, *parts.arrays)
    before = [array.tobytes() for array in parts.arrays]
    found = parts.predict(row)
    assert [array.tobytes() for array in parts.arrays] == before
    block = posterior_block(
        parts.program, parts.coder.code(row[:, None]), M, parts.singles, parts.families, SMOOTHING
    )
    assert found.tolist() == block[0].tolist()
    assert found.sum() == pytest.approx(1.0)


def test_unseen_values_are_left_out():
    parts = Parts(STRUCTURES["arcs"], False)
    for t in range(6):
        learn_event(np.array([1.0, box(t % 2), box(0)]), t % 2, 1.0, t, *parts.arrays)
    with_it = parts.predict(np.array([1.0, UNSEEN, box(0)]))
    prior = parts.predict(np.array([1.0, UNSEEN, UNSEEN]))
    assert with_it == pytest.approx(prior)  # constants tell nothing
    assert with_it[0] == pytest.approx(with_it[1])
