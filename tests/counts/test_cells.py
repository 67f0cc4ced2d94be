"""One event in one cell."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_kdb.counts.cells import shifted

pytestmark = pytest.mark.kernel

AMOUNTS = st.lists(st.floats(0.01, 100.0), min_size=1, max_size=60)


@given(AMOUNTS)
def test_what_was_added_can_be_taken_out_to_the_last(amounts):
    count = 0.0
    for amount in amounts:
        count = shifted(count, amount)
    assert count == pytest.approx(sum(amounts), rel=1e-12)
    for amount in amounts:
        assert count > 0.0
        count = shifted(count, -amount)
    assert count == 0.0


def test_a_cell_that_once_counted_thousands_comes_to_nothing():
    count = 0.0
    for _ in range(20_000):
        count = shifted(count, 0.3)
    for _ in range(20_000):
        count = shifted(count, -0.3)
    assert count == 0.0


def test_a_small_count_stays():
    assert shifted(0.0, 1e-30) == 1e-30
    assert shifted(1.0 + 1e-6, -1.0) == pytest.approx(1e-6, rel=1e-6)
