"""The kernels that every event goes through.

They take the addresses of all arrays as one array `noted`, or bare arrays: each array costs a call
from Python about a tenth of the work of the call, and each tuple of arrays as much as all of it.
Inside they put the tuples together again.
"""

from __future__ import annotations

import numpy as np

from river_kdb.addresses import (
    float_table,
    floats,
    integer_table,
    integers,
    short_table,
    shorts,
    word_block,
    words,
)
from river_kdb.counts.bitsets import join_sets, leave_sets
from river_kdb.counts.clock import SLIDES, UNIT, lets_go, unit_of
from river_kdb.counts.families import Families, add_families, context_rows
from river_kdb.counts.pairs import Pairs, add_pairs
from river_kdb.counts.singles import Singles, add_singles
from river_kdb.counts.window import Window
from river_kdb.features.coder import CodeTables, code_block
from river_kdb.inference.program import Program
from river_kdb.inference.static import ensemble_block, member_log_joints, to_posteriors
from river_kdb.jit import inlined, kernel

CODER = 0
WINDOW = CODER + len(CodeTables._fields)
SINGLES = WINDOW + len(Window._fields)
FAMILIES = SINGLES + len(Singles._fields)
PROGRAM = FAMILIES + len(Families._fields)
"""Where in `noted` the arrays begin of `CodeTables`, `Window`, `Singles`, `Families`, `Program`."""


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


@kernel
def learn_noted(row, label, weight, t, noted):
    """Learn one event as `learn_event` does, given the addresses of coder, window and counts."""
    return learn_event(
        row, label, weight, t,
        integer_table(noted, CODER), floats(noted, CODER + 1), shorts(noted, CODER + 2),
        float_table(noted, WINDOW), short_table(noted, WINDOW + 1), words(noted, WINDOW + 2),
        floats(noted, WINDOW + 3), floats(noted, WINDOW + 4),
        floats(noted, SINGLES), float_table(noted, SINGLES + 1), float_table(noted, SINGLES + 2),
        floats(noted, SINGLES + 3), integers(noted, SINGLES + 4), integers(noted, SINGLES + 5),
        floats(noted, SINGLES + 6),
        integer_table(noted, FAMILIES), float_table(noted, FAMILIES + 1),
    )  # fmt: skip


@inlined
def noted_codes(row, noted):
    """Return the codes (n, 1) of a raw row (n,)."""
    n = row.shape[0]
    codes = np.empty((n, 1), dtype=np.int16)
    spec, cuts = integer_table(noted, CODER), floats(noted, CODER + 1)
    code_block(row.reshape((n, 1)), CodeTables(spec, cuts, shorts(noted, CODER + 2)), codes)
    return codes


@inlined
def noted_counts(noted):
    """Return the singles and the families."""
    singles = Singles(
        floats(noted, SINGLES), float_table(noted, SINGLES + 1), float_table(noted, SINGLES + 2),
        floats(noted, SINGLES + 3), integers(noted, SINGLES + 4), integers(noted, SINGLES + 5),
        floats(noted, SINGLES + 6),
    )  # fmt: skip
    return singles, Families(integer_table(noted, FAMILIES), float_table(noted, FAMILIES + 1))


@kernel
def predict_event(row, smoothing, posterior, noted):
    """Write the posterior (m,) of the first m classes under one network, given a raw row (n,)."""
    m, no_root = posterior.shape[0], np.int16(-1)
    codes, levels = noted_codes(row, noted), word_block(noted, PROGRAM)
    singles, families = noted_counts(noted)
    rows = context_rows(codes, families.spec)
    product, scores = np.empty((1, m)), posterior.reshape((1, m))
    member_log_joints(
        levels[0], no_root, codes, rows, m, singles, families, smoothing, product, scores
    )
    to_posteriors(scores, product[0])


@kernel
def predict_event_by_all(row, smoothing, rule, posterior, noted):
    """Write the posterior (m,) of the first m classes under all members, given a raw row (n,)."""
    m = posterior.shape[0]
    codes, levels = noted_codes(row, noted), word_block(noted, PROGRAM)
    program = Program(levels, shorts(noted, PROGRAM + 1), floats(noted, PROGRAM + 2), rule)
    singles, families = noted_counts(noted)
    rows = context_rows(codes, families.spec)
    found = ensemble_block(program, codes, rows, m, singles, families, smoothing)
    to_posteriors(found, np.empty(1))
    for c in range(m):
        posterior[c] = found[0, c]
