"""Random events and structures over their codes, and the tables that go with them."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from river_kdb.counts.families import Families, add_families, new_families
from river_kdb.counts.layout import Layout
from river_kdb.counts.singles import Singles, add_singles, new_singles
from river_kdb.inference.program import Program, make_program, plan_families
from river_kdb.structure.aode import aode
from river_kdb.structure.structure import (
    ABSENT,
    MEAN_OF_POSTERIORS,
    SUM_OF_JOINTS,
    Structure,
    no_arcs,
    single_network,
)
from tests import naive_counts as naive
from tests.counts.blocks import blocks


class Case(NamedTuple):
    """A structure, the tables of some events, and the oracle's sample of the same events."""

    structure: Structure
    program: Program
    singles: Singles
    families: Families
    sample: naive.Sample
    questions: np.ndarray
    m: int

    def members(self):
        """The members as the oracle takes them."""
        parents, weights, roots = self.structure[:3]
        return [
            (parents[t].tolist(), int(roots[t]), float(weights[t])) for t in range(len(weights))
        ]

    def scores(self, x, smoothing):
        several = self.structure.rule == SUM_OF_JOINTS or len(self.structure.weights) > 1
        if several:
            of_joints = self.structure.rule == SUM_OF_JOINTS
            return self.sample.scores(x, self.members(), of_joints, smoothing)
        parents, root, _ = self.members()[0]
        return self.sample.joints(x, parents, root, smoothing)

    def arguments(self, strength):
        return self.program, self.questions, self.m, self.singles, self.families, strength


@st.composite
def random_parents(draw, n, k):
    """At most k parents of every feature, strongest first, without circles; some are absent."""
    order = draw(st.permutations(range(n)))
    parents = np.full((n, k), -1)
    for place, child in enumerate(order):
        above = draw(st.permutations(order[:place]))[: draw(st.integers(0, k))]
        parents[child, : len(above)] = above
        if draw(st.integers(0, 5)) == 0:
            parents[child] = [ABSENT] + [-1] * (k - 1)
    return parents


@st.composite
def structures(draw, n):
    kind = draw(st.sampled_from(["none", "one", "mean", "aode"]))
    if kind == "none":
        return no_arcs(n)
    if kind == "one":
        return single_network(draw(random_parents(n, draw(st.integers(1, 3)))))
    weights = st.lists(st.sampled_from([0.0, 0.25, 1.0, 3.0]), min_size=n, max_size=n)
    if kind == "aode":
        chosen = sorted(draw(st.sets(st.integers(0, n - 1), min_size=1)))
        return aode(np.array(draw(weights)), np.array(chosen))
    parents = [draw(random_parents(n, 2)) for _ in range(draw(st.integers(2, 3)))]
    shares = np.array([0.5, 0.3, 0.2])[: len(parents)]
    return Structure(
        np.array(parents, dtype=np.int16),
        shares / shares.sum(),
        np.full(len(parents), -1, dtype=np.int16),
        MEAN_OF_POSTERIORS,
    )


def case_of(structure, layout, block, questions, m):
    keys, levels, _ = plan_families(structure, layout, math.inf)
    singles, families = new_singles(layout), new_families(layout, keys)
    add_singles(singles, *block)
    add_families(families.spec, families.cells, *block)
    sample = naive.Sample(naive.rows_of(block.codes), block.labels, block.weights, m)
    program = make_program(structure, levels)
    return Case(structure, program, singles, families, sample, questions, m)


@st.composite
def cases(draw, max_features=4):
    n = draw(st.integers(1, max_features))
    caps = draw(st.lists(st.integers(1, 3), min_size=n, max_size=n))
    layout = Layout(np.array(caps, dtype=np.int64), draw(st.sampled_from([2, 4])))
    block = draw(blocks(layout, max_events=14))
    row = st.tuples(*(st.integers(-2, cap - 1) for cap in caps))
    rows = draw(st.lists(row, min_size=1, max_size=4))
    questions = np.ascontiguousarray(np.array(rows, dtype=np.int16).T)
    m = max(1, int(block.labels.max(initial=0)) + 1)
    return case_of(draw(structures(n)), layout, block, questions, m)
