"""One event in the banks, many at once, and the clocks of several half-lives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_kdb.counts.clock import EPOCH, UNIT
from river_kdb.counts.families import context_rows, new_families
from river_kdb.counts.layout import Layout
from river_kdb.mixture.banks import (
    Banks,
    add_event,
    count_used,
    due_at,
    fill_classes,
    fill_families,
    new_clocks,
    renormalise,
)
from tests.counts.blocks import as_block, family_row
from tests.naive_mixture import family_counts

pytestmark = pytest.mark.kernel

HALF_LIVES = st.sampled_from([(3.0, None), (1.0, 2.5, 20.0), (None,)])
KEYS = [(0, ()), (1, ()), (2, ()), (2, (0,)), (1, (0, 2))]
CAPS = [2, 3, 2]
EVENTS = st.lists(
    st.tuples(
        st.tuples(*(st.integers(-1, cap - 1) for cap in CAPS)),
        st.integers(0, 2),
        st.sampled_from([0.5, 1.0, 2.25]),
    ),
    max_size=30,
)


def new_banks(half_lives) -> Banks:
    columns = 4 * len(half_lives)
    return Banks(
        *new_families(Layout(np.array(CAPS), columns), KEYS),
        np.full((3, 1), -1, dtype=np.int32),
        np.zeros(1, dtype=np.int64),
        np.zeros(3, dtype=np.int64),
        np.zeros(columns),
        new_clocks(half_lives),
    )


def learn(banks, events):
    for t, (row, label, weight) in enumerate(events):
        codes = np.array(row, dtype=np.int16)[:, None]
        rows = context_rows(codes, banks.spec)
        add_event(codes, rows, label, weight, t, banks)
        if t + 1 == due_at(banks.clocks):
            renormalise(banks, t + 1)


def counts_of(banks, f, half_lives, h):
    """N of family f in units of the newest event, as the oracle has it."""
    child, parents = KEYS[f]
    unit, n_half_lives = banks.clocks[h, UNIT], len(half_lives)
    found = {}
    for context in np.ndindex(*(CAPS[p] for p in parents)):
        row = family_row(banks, f, context)
        for value in [*range(CAPS[child]), None]:
            cells = banks.cells[row + (CAPS[child] if value is None else value)]
            for c, n in enumerate(cells[h::n_half_lives] / unit):
                if n > 0.0:
                    found[value, context, c] = n
    return found


@settings(max_examples=30)
@given(HALF_LIVES, EVENTS)
def test_an_event_counts_in_every_family_and_half_life(half_lives, events):
    banks = new_banks(half_lives)
    learn(banks, events)
    for h, half_life in enumerate(half_lives):
        for f, (child, parents) in enumerate(KEYS):
            expected = family_counts(events, child, parents, half_life)
            assert counts_of(banks, f, half_lives, h) == pytest.approx(dict(expected), rel=1e-9)
        classes = family_counts(events, None, (), half_life)
        found = banks.classes[h :: len(half_lives)] / banks.clocks[h, UNIT]
        assert found.tolist() == pytest.approx([classes[None, (), c] for c in range(4)], rel=1e-9)
    used = [len({row[i] for row, _, _ in events} - {-1}) for i in range(3)]
    assert banks.used.tolist() == used


@settings(max_examples=20)
@given(HALF_LIVES, EVENTS, st.integers(0, 25), st.integers(0, 30))
def test_filling_counts_what_the_events_did(half_lives, events, first, since):
    """Events number `first` and on are held; the last half-life counts from `since` on."""
    first = min(first, len(events))
    banks, other = new_banks(half_lives), new_banks(half_lives)
    learn(banks, events)
    other.clocks[:] = banks.clocks
    froms = np.zeros(len(half_lives))
    froms[-1] = since
    block = as_block(*zip(*events[first:], strict=True), 3) if events[first:] else None
    if block is not None:
        which = np.arange(len(KEYS))
        rows = context_rows(block.codes, other.spec)
        fill_families(other, which, block.codes, rows, *block[1:], first, froms)
        fill_classes(other, *block[1:], first, froms)
        count_used(other)
    for h, half_life in enumerate(half_lives):
        begin = max(first, since) if h == len(half_lives) - 1 else first
        for f, (child, parents) in enumerate(KEYS):
            expected = family_counts(events, child, parents, half_life, begin)
            assert counts_of(other, f, half_lives, h) == pytest.approx(dict(expected), rel=1e-9)
        classes = family_counts(events, None, (), half_life, begin)
        assert other.classes[h :: len(half_lives)].sum() / other.clocks[h, UNIT] == pytest.approx(
            sum(classes.values())
        )
    begin = max(first, since)
    used = [len({row[i] for row, _, _ in events[begin:]} - {-1}) for i in range(3)]
    assert other.used.tolist() == used


def test_what_faded_away_is_dropped_with_its_slot():
    banks = new_banks((1.0, 2.0))
    events = [((1, 2, 0), 0, 0.5)] + [((0, 0, 0), 1, 1.0)] * 140
    learn(banks, events)
    assert banks.clocks[:, EPOCH].tolist() == [129.0, 128.0]
    assert banks.used.tolist() == [1, 1, 1]
    assert set(counts_of(banks, 0, (1.0, 2.0), 1)) == {(0, (), 1), (None, (), 1)}


def test_the_next_clock_to_be_due():
    assert due_at(new_clocks([None])) > 10**18
    assert due_at(new_clocks([10, 300, None])) == 641
    assert due_at(new_clocks([2.5])) == 161


def test_a_clock_that_is_not_due_stays():
    banks = new_banks((1.0, 100.0, None))
    learn(banks, [((0, 1, 1), 0, 1.0)] * 60)
    before = [array.copy() for array in banks]
    renormalise(banks, 60)
    for old, new in zip(before, banks, strict=True):
        assert old.tobytes() == new.tobytes()
    renormalise(banks, 64)
    assert banks.clocks[0, EPOCH] == 64
    assert banks.clocks[1:].tobytes() == before[-1][1:].tobytes()
