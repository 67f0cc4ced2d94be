"""Whichever way a block is counted, the counts are the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_kdb.counts import bulk
from river_kdb.counts.layout import Layout
from river_kdb.counts.pairs import add_pairs, new_pairs
from river_kdb.counts.triples import add_triples, new_triples
from tests.counts.blocks import WEIGHTS, layouts_and_blocks

pytestmark = pytest.mark.kernel

WAYS = {
    "pairs": (new_pairs, add_pairs, bulk.count_pairs),
    "triples": (new_triples, add_triples, bulk.count_triples),
}


def assert_same(what, bits, layout, block):
    """Counting one way, whatever would pay, gives what counting one by one gives."""
    new, add, count = WAYS[what]
    members = np.arange(len(layout.caps))
    expected, counted = new(layout, members), new(layout, members)
    add(expected, *block)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bulk, "bits_pay", lambda *sizes: bits)
        count(counted, *block)
    assert np.array_equal(counted.cells, expected.cells)


@pytest.mark.parametrize("bits", [True, False])
@pytest.mark.parametrize("what", WAYS)
@given(layouts_and_blocks(min_features=2, max_features=4, max_slots=3, max_events=8))
@settings(max_examples=25)
def test_any_weights(bits, what, drawn):
    assert_same(what, bits, *drawn)


@pytest.mark.parametrize("bits", [True, False])
@pytest.mark.parametrize("what", WAYS)
@given(layouts_and_blocks(min_features=2, max_features=4, weights=st.just(1.0)), WEIGHTS)
@settings(max_examples=25)
def test_equal_weights(bits, what, drawn, weight):
    layout, block = drawn
    assert_same(what, bits, layout, block._replace(weights=np.full_like(block.weights, weight)))


def test_unequal_weights_never_go_by_bits(monkeypatch):
    monkeypatch.setattr(bulk, "bits_pay", lambda *sizes: True)
    monkeypatch.setattr(bulk, "add_pairs_by_bits", lambda *args: pytest.fail("went by bits"))
    pairs = new_pairs(Layout(np.array([1, 1]), 2), np.arange(2))
    codes, labels = np.zeros((2, 2), dtype=np.int16), np.zeros(2, dtype=np.int32)
    bulk.count_pairs(pairs, codes, labels, np.array([1.0, 2.0]))
    assert pairs.cells[0, 0] == 3.0


def test_many_events_in_few_cells_go_by_bits():
    assert bulk.bits_pay(n_rows=8, m=1, n_groups=1, n_events=1000)
    assert not bulk.bits_pay(n_rows=8000, m=1, n_groups=1, n_events=1000)
    assert not bulk.bits_pay(n_rows=8, m=1, n_groups=1, n_events=1)
    assert not bulk.bits_pay(n_rows=8, m=100, n_groups=1, n_events=1000)
