"""The kernels of an event against the parts that they put together."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_kdb.addresses import addresses_of
from river_kdb.counts.bitsets import add_to_bitsets, new_bitsets, take_from_bitsets
from river_kdb.counts.families import add_families, new_families
from river_kdb.counts.layout import Layout
from river_kdb.counts.pairs import add_pairs, new_pairs, new_slab
from river_kdb.counts.singles import add_singles, new_singles
from river_kdb.counts.window import new_window
from river_kdb.event import (
    learn_event,
    learn_event_at_once,
    learn_noted,
    predict_event,
    predict_event_by_all,
)
from river_kdb.features.boxes import MISSING, UNSEEN, box
from river_kdb.features.coder import Coder
from river_kdb.features.encoder import CATEGORICAL, NUMERIC
from river_kdb.inference.program import is_ensemble, make_program, plan_families
from river_kdb.inference.static import posterior_block
from river_kdb.structure.aode import aode
from river_kdb.structure.structure import no_arcs, single_network
from tests.counts.test_bitsets import assert_sets

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

    @property
    def noted(self):
        program = self.program
        return addresses_of((*self.arrays, program.levels, program.roots, program.weights))

    def predict(self, row):
        posterior = np.empty(M)
        if is_ensemble(self.program):
            predict_event_by_all(row, SMOOTHING, self.program.rule, posterior, self.noted)
        else:
            predict_event(row, SMOOTHING, posterior, self.noted)
        return posterior


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
        assert learn_noted(row, label, weight, t, parts.noted)
        codes = expected.coder.code(row[:, None])
        labels, weights = np.array([label], dtype=np.int32), np.array([weight])
        add_singles(expected.singles, codes, labels, weights)
        add_families(expected.families.spec, expected.families.cells, codes, labels, weights)
        event = (row, codes[:, 0], label, weight, weight)
        for array, right in zip(expected.window, event, strict=True):
            array[..., t % 4] = right
    for array, right in zip(parts.arrays, expected.arrays, strict=True):
        assert array.tobytes() == right.tobytes()


@pytest.mark.parametrize("name", STRUCTURES)
def test_a_value_without_a_slot_changes_nothing(name):
    parts = Parts(STRUCTURES[name], False)
    for bad in ([0.0, UNSEEN, box(0)], [0.0, box(0), box(1)]):
        before = [array.tobytes() for array in parts.arrays]
        assert not learn_noted(np.array(bad), 0, 1.0, 0, parts.noted)
        assert [array.tobytes() for array in parts.arrays] == before


@pytest.mark.parametrize("skip_missing", [False, True])
@pytest.mark.parametrize("name", STRUCTURES)
@given(EVENTS, ROWS)
@settings(max_examples=20)
def test_predicting_is_coding_and_inference(name, skip_missing, events, row):
    parts = Parts(STRUCTURES[name], skip_missing)
    for t, (learned, label, weight) in enumerate(events):
        learn_noted(learned, label, weight, t, parts.noted)
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
        learn_noted(np.array([1.0, box(t % 2), box(0)]), t % 2, 1.0, t, parts.noted)
    with_it = parts.predict(np.array([1.0, UNSEEN, box(0)]))
    prior = parts.predict(np.array([1.0, UNSEEN, UNSEEN]))
    assert with_it == pytest.approx(prior)  # constants tell nothing
    assert with_it[0] == pytest.approx(with_it[1])


# -- Pairs and sets at once ----------------------------------------------------------------------


class PartsAtOnce(Parts):
    """Pairs of all features, of the last two or of none; the window as sets, or not."""

    def __init__(self, structure, skip_missing, members=(0, 1, 2), keeps_sets=True):
        super().__init__(structure, skip_missing)
        self.pairs = pairs_of(self.layout, members)
        window = self.window if keeps_sets else new_window(3, 0)
        self.bitsets = new_bitsets(self.layout, window, 0)

    @property
    def arrays(self):
        return (*super().arrays, *self.bitsets[:6], *self.pairs)


def pairs_of(layout, members):
    """No members: all keep pairs, but in the window only."""
    if members:
        return new_pairs(layout, np.array(members))
    return new_slab(layout, np.arange(3), 0, 0)


def assert_same_arrays(found, right):
    for array, other in zip(found, right, strict=True):
        assert array.tobytes() == other.tobytes()


@pytest.mark.parametrize("keeps_sets", [True, False])
@pytest.mark.parametrize("members", [(0, 1, 2), (1, 2), ()])
@pytest.mark.parametrize("skip_missing", [False, True])
@given(EVENTS)
@settings(max_examples=20)
def test_learning_at_once_is_learning_and_counting(skip_missing, members, keeps_sets, events):
    structure = STRUCTURES["arcs"]
    parts = PartsAtOnce(structure, skip_missing, members, keeps_sets)
    expected = Parts(structure, skip_missing)
    pairs = pairs_of(expected.layout, members)
    window = expected.window if keeps_sets else new_window(3, 0)
    sets = new_bitsets(expected.layout, window, 0)
    for t, (row, label, weight) in enumerate(events):
        assert learn_event_at_once(row, label, weight, t, *parts.arrays)
        if keeps_sets and t >= 4:
            take_from_bitsets(sets, window.codes, t - 4, 1)
        assert learn_event(row, label, weight, t, *expected.arrays)
        if keeps_sets:
            add_to_bitsets(sets, window.codes, t, 1)
        codes = expected.coder.code(row[:, None])
        add_pairs(pairs, codes, np.array([label], dtype=np.int32), np.array([weight]))
        assert_same_arrays(parts.arrays, (*expected.arrays, *sets[:6], *pairs))


@pytest.mark.parametrize("n_before", [0, 3, 4, 5, 9])
@pytest.mark.parametrize("keeps_sets", [True, False])
def test_a_value_without_a_slot_changes_nothing_at_once(keeps_sets, n_before):
    """The event that would have left the ring stays in it."""
    parts = PartsAtOnce(STRUCTURES["arcs"], False, keeps_sets=keeps_sets)
    for t in range(n_before):
        row = np.array([t - 1.0, box(t % 2), box(0)])
        assert learn_event_at_once(row, t % M, 1.0 + t % 2, t, *parts.arrays)
    for bad in ([0.0, UNSEEN, box(0)], [0.0, box(0), box(1)]):
        before = [array.tobytes() for array in parts.arrays]
        assert not learn_event_at_once(np.array(bad), 0, 1.0, n_before, *parts.arrays)
        assert [array.tobytes() for array in parts.arrays] == before
    # and the next good one is learned as if nothing had been
    row = np.array([0.5, box(1), box(0)])
    assert learn_event_at_once(row, 2, 1.0, n_before, *parts.arrays)
    if keeps_sets:
        assert_sets(parts.bitsets, parts.layout, parts.window, n_before + 1)
