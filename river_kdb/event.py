"""The kernels that every event goes through.

They take bare arrays, since each tuple of arrays costs a call from Python about as much as the
work of the call; inside they put the tuples together again.
"""

from __future__ import annotations

import numpy as np

from river_kdb.counts.bitsets import join_sets, leave_sets
from river_kdb.counts.clock import SLIDES, UNIT, lets_go, unit_of
from river_kdb.counts.families import Families, add_families, context_rows
from river_kdb.counts.pairs import Pairs, add_pairs
from river_kdb.counts.singles import Singles, add_singles
from river_kdb.features.coder import CodeTables, code_block
from river_kdb.inference.program import Program
from river_kdb.inference.static import member_log_joints, posterior_block, to_posteriors
from river_kdb.jit import inlined, kernel


@inlined
def room_for(n, ring, labels, counted, place, leaving):
    """Return codes (n, b), labels (b,) and weights (b,) with room for an event at the end.

    Before it stands the event at its place in the window, to be taken out, if that is `leaving`.
    """
    codes = np.empty((n, 1 + leaving), dtype=np.int16)
    of, shifts = np.empty(1 + leaving, dtype=labels.dtype), np.empty(1 + leaving)
    if leaving > 0:
        of[0], shifts[0] = labels[place], -counted[place]
        for i in range(n):
            codes[i, 0] = ring[i, place]
    return codes, of, shifts


@kernel
def learn_event(
    row, label, weight, t,
    code_spec, cuts, slots,
    raw, ring, labels, weights, counted,
    classes, cells, sums, totals, used, start, clock,
    family_spec, family_cells,
):  # fmt: skip
    """Learn one event, number `t`, given by its raw row (n,), its class and weight.

    Returns False, with nothing changed, where a value has no slot yet.
    """
    n = row.shape[0]
    own = np.empty((n, 1), dtype=np.int16)
    if code_block(row.reshape((n, 1)), CodeTables(code_spec, cuts, slots), own):
        return False
    place = t % labels.shape[0]
    leaving = 1 if clock[SLIDES] > 0.0 and lets_go(clock, t, labels.shape[0]) else 0
    codes, of, shifts = room_for(n, ring, labels, counted, place, leaving)
    clock[UNIT] = unit_of(clock, t)
    labels[place] = of[leaving] = label
    weights[place] = weight
    counted[place] = shifts[leaving] = weight * clock[UNIT]
    for i in range(n):
        raw[i, place] = row[i]
        ring[i, place] = codes[i, leaving] = own[i, 0]
    singles = Singles(classes, cells, sums, totals, used, start, clock)
    add_singles(singles, codes, of, shifts)
    if family_spec.shape[0] > 0:
        add_families(family_spec, family_cells, codes, of, shifts)
    return True


@kernel
def learn_event_at_once(
    row, label, weight, t,
    code_spec, cuts, slots,
    raw, ring, labels, weights, counted,
    classes, cells, sums, totals, used, start, clock,
    family_spec, family_cells,
    set_slots, set_start, words, heads, bit_of, event_at,
    members, base, width, offset, pair_caps, span, pair_cells,
):  # fmt: skip
    """Learn one event as `learn_event` does, in the sets of the window and the pairs too."""
    n, place = row.shape[0], t % labels.shape[0]
    joining = 1 if set_slots.shape[1] > 0 else 0
    parting = joining if lets_go(clock, t, labels.shape[0]) else 0
    leaving = 1 if clock[SLIDES] > 0.0 and lets_go(clock, t, labels.shape[0]) else 0
    own = np.empty((n, 1), dtype=np.int16)
    if code_block(row.reshape((n, 1)), CodeTables(code_spec, cuts, slots), own):
        return False
    codes, of, shifts = room_for(n, ring, labels, counted, place, leaving)
    leave_sets(
        set_slots, set_start, words, heads, bit_of, event_at, labels, counted, ring, t, parting
    )
    learn_event(
        row, label, weight, t, code_spec, cuts, slots, raw, ring, labels, weights, counted,
        classes, cells, sums, totals, used, start, clock, family_spec, family_cells,
    )  # fmt: skip
    join_sets(
        set_slots, set_start, words, heads, bit_of, event_at, labels, counted, ring, t, joining
    )
    of[leaving], shifts[leaving] = label, counted[place]
    for i in range(n):
        codes[i, leaving] = own[i, 0]
    add_pairs(Pairs(members, base, width, offset, pair_caps, span, pair_cells), codes, of, shifts)
    return True


@inlined
def code_event(row, code_spec, cuts, slots):
    """Return the codes (n, 1) of a raw row (n,)."""
    n = row.shape[0]
    codes = np.empty((n, 1), dtype=np.int16)
    code_block(row.reshape((n, 1)), CodeTables(code_spec, cuts, slots), codes)
    return codes


@kernel
def predict_event(
    row, m, smoothing, rule,
    code_spec, cuts, slots,
    classes, cells, sums, totals, used, start, clock,
    family_spec, family_cells,
    levels, roots, member_weights,
):  # fmt: skip
    """Return the posterior of the first `m` classes under one network, given a raw row (n,)."""
    codes = code_event(row, code_spec, cuts, slots)
    rows = context_rows(codes, family_spec)
    singles = Singles(classes, cells, sums, totals, used, start, clock)
    families = Families(family_spec, family_cells)
    product, scores = np.empty((1, m)), np.empty((1, m))
    member_log_joints(
        levels[0], roots[0], codes, rows, m, singles, families, smoothing, product, scores
    )
    to_posteriors(scores, np.empty(1))
    return scores[0]


@kernel
def predict_event_by_all(
    row, m, smoothing, rule,
    code_spec, cuts, slots,
    classes, cells, sums, totals, used, start, clock,
    family_spec, family_cells,
    levels, roots, member_weights,
):  # fmt: skip
    """Return the posterior of the first `m` classes under all members, given a raw row (n,)."""
    codes = code_event(row, code_spec, cuts, slots)
    program = Program(levels, roots, member_weights, rule)
    singles = Singles(classes, cells, sums, totals, used, start, clock)
    families = Families(family_spec, family_cells)
    return posterior_block(program, codes, m, singles, families, smoothing)[0]
