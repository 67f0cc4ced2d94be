"""Everything that is counted at once: singles, pairs and the window as sets, of drawn events."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from river_kdb.counts.bitsets import BitSets, new_bitsets
from river_kdb.counts.event_sets import together_in_window
from river_kdb.counts.evidence import Evidence, gather_evidence, present_together
from river_kdb.counts.layout import Layout
from river_kdb.counts.pairs import Pairs, add_pairs, new_pairs, new_slab
from river_kdb.counts.singles import Singles, add_singles, new_singles
from river_kdb.counts.window import Window, new_window, push_block
from river_kdb.inference.event_network import Counts
from river_kdb.inference.smoothing import smoothing_strength
from river_kdb.information.of_event import LOGARITHMS
from tests import naive_counts as naive
from tests.counts.blocks import WEIGHTS, Block, blocks, layouts, members_of


def part_of(block: Block, first: int, stop: int) -> Block:
    """The events number `first` to `stop`."""
    codes = np.ascontiguousarray(block.codes[:, first:stop])
    return Block(codes, block.labels[first:stop], block.weights[first:stop])


def window_of(block: Block, capacity: int) -> Window:
    """A ring that the events went through one by one."""
    window = new_window(len(block.codes), capacity)
    for t in range(len(block.labels)):
        event = part_of(block, t, t + 1)
        push_block(window, t, event.codes.astype(np.float64), *event)
    return window


class TwoSamples(naive.Sample):
    """All events, but those of the window where more than `n_counted` features are counted."""

    def __init__(self, block: Block, capacity: int, m: int, n_counted: int) -> None:
        super().__init__(naive.rows_of(block.codes), block.labels, block.weights, m)
        self.n_counted = n_counted
        held = part_of(block, max(0, len(block.labels) - capacity), len(block.labels))
        self.held = naive.Sample(naive.rows_of(held.codes), held.labels, held.weights, m)

    def count(self, wanted, among, c=None) -> float:
        if len(among) > self.n_counted:
            return self.held.count(wanted, among, c)
        return super().count(wanted, among, c)

    def counted(self, n_features: int) -> naive.Sample:
        """The events among which so many features are counted."""
        return self.held if n_features > self.n_counted else self


class AtOnce(NamedTuple):
    """Some events, what is counted of them, and events to ask about.

    The features of the evidence are the members; `feature` tells their own numbers. Where they
    are `windowed` there are no tables of pairs.
    """

    layout: Layout
    block: Block
    questions: np.ndarray
    capacity: int
    m: int
    some_missing: bool
    windowed: bool
    singles: Singles
    pairs: Pairs
    bitsets: BitSets
    together: np.ndarray

    @property
    def feature(self) -> list[int]:
        return self.pairs.members.tolist()

    @property
    def sample(self) -> TwoSamples:
        return TwoSamples(self.block, self.capacity, self.m, 1 if self.windowed else 2)

    def counts(self, smoothing: float | str = 5.0) -> Counts:
        tables = (self.singles, self.pairs, self.bitsets, self.windowed, self.together)
        strength = smoothing_strength(smoothing)
        return Counts(*tables, self.some_missing, strength, LOGARITHMS)

    def evidence(self, r: int = 0) -> Evidence:
        return gather_evidence(self.questions, r, self.m, self.counts())

    def row(self, r: int) -> list[int]:
        return self.questions[:, r].tolist()


def at_once(
    layout, block, questions, members, capacity, some_missing=True, windowed=False
) -> AtOnce:
    singles = new_singles(layout)
    add_singles(singles, *block)
    bitsets = new_bitsets(layout, window_of(block, capacity), len(block.labels))
    m = max(1, int(block.labels.max(initial=0)) + 1)
    if windowed:
        pairs = new_slab(layout, members, 0, 0)
        together = together_in_window(bitsets, pairs.members, m, some_missing)
    else:
        pairs = new_pairs(layout, members)
        add_pairs(pairs, *block)
        together = present_together(pairs, singles, m, some_missing)
    return AtOnce(
        layout, block, questions, capacity, m, some_missing, windowed,
        singles, pairs, bitsets, together,
    )  # fmt: skip


@st.composite
def cases(draw, max_features=4, max_questions=2):
    """Mostly all features keep pairs and the window holds all events, but not always.

    Half of them count pairs in the window.
    """
    layout = draw(layouts(max_features=max_features, max_slots=3))
    some_missing, windowed = draw(st.booleans()), draw(st.booleans())
    weights = draw(st.sampled_from([WEIGHTS, st.just(1.0)]))
    least = -1 if some_missing else 0
    block = draw(blocks(layout, max_events=14, least_code=least, weights=weights))
    row = st.tuples(*(st.integers(-2, int(cap) - 1) for cap in layout.caps))
    rows = draw(st.lists(row, min_size=1, max_size=max_questions))
    rows += naive.rows_of(block.codes)[:2]  # values that were learned together
    questions = np.ascontiguousarray(np.array(rows, dtype=np.int16).T)
    capacity = draw(st.one_of(st.just(64), st.integers(1, 14)))
    members = draw(members_of(layout))
    return at_once(layout, block, questions, members, capacity, some_missing, windowed)
