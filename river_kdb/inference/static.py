"""Posteriors of the classes under a structure that was learned before the events."""

from __future__ import annotations

import math

import numpy as np

from river_kdb.counts.clock import UNIT
from river_kdb.counts.families import CAP, START, context_rows
from river_kdb.inference.program import is_ensemble
from river_kdb.inference.smoothing import (
    EQUAL_SHARES,
    M_ESTIMATE,
    back_off,
    equal_start,
    lean_on,
    m_estimate,
)
from river_kdb.jit import ZERO, block_kernel, inlined, kernel
from river_kdb.structure.structure import ABSENT, SUM_OF_JOINTS

_FACTORS_A_LOGARITHM = 16
_MANY_EVENTS, _REMEMBERED = 32, 4
"""From so many events on factors are remembered, as many of a feature as this times the events."""

_SCORES_AT_ONCE = 2**17

_TINY = 1e-18
"""So many factors above this have a product above the smallest float."""


@kernel
def log_or_never(p):
    """Return the logarithm of a probability, -inf of 0."""
    return math.log(p) if p > 0.0 else -np.inf


@inlined
def is_absent(levels, i):
    """Say whether the member whose families are `levels` (n, k) leaves feature `i` out."""
    return levels.shape[1] > 0 and levels[i, 0] == ABSENT


@inlined
def class_priors(root, codes, m, singles, out):
    """Write P(c) of every event to `out` (b, m), or P(c, x_root) of a superparent.

    Where the superparent's value was never seen all are 0.
    """
    classes, cells, sums, totals, used, start, clock = singles
    n, unit = 0.0, clock[UNIT]
    for c in range(m):
        n += classes[c] if root < 0 else sums[root, c]
    for r in range(out.shape[0]):
        if root < 0:
            for c in range(m):
                out[r, c] = m_estimate(classes[c], n, m, unit)
            continue
        code = codes[root, r]
        seen = code >= 0 and totals[start[root] + code] > 0.0
        for c in range(m):
            row = start[root] + code
            out[r, c] = m_estimate(cells[row, c], n, m * used[root], unit) if seen else 0.0


@inlined
def multiply_backed_off(levels, root, codes, rows, m, singles, families, strength, product, out):
    """Add the logarithms of all factors to `out`, each backed off along its parents."""
    _, cells, sums, totals, used, start, clock = singles
    spec, family_cells = families
    unit = clock[UNIT]
    p = np.empty(m)
    n_events = out.shape[0]
    for i in range(codes.shape[0]):
        left_out = i == root or is_absent(levels, i)
        for r in range(n_events):
            code = codes[i, r]
            row = start[i] + code
            if left_out or code < 0 or totals[row] <= 0.0:
                continue
            # divided once for all classes
            whole_share, share = unit / used[i], EQUAL_SHARES / used[i]
            for c in range(m):
                p[c] = equal_start(cells[row, c], sums[i, c], whole_share, unit)
            for q in range(levels.shape[1]):
                f = levels[i, q]
                if f < 0 or rows[f, r] < 0:
                    break
                here, whole = rows[f, r] + code, rows[f, r] + spec[f, CAP]
                seen = 0.0
                for c in range(m):
                    seen += family_cells[whole, c]
                if seen <= 0.0:
                    break
                for c in range(m):
                    p[c] = lean_on(
                        family_cells[here, c], family_cells[whole, c], p[c], strength, share, unit
                    )
            for c in range(m):
                if p[c] > _TINY:
                    product[r, c] *= p[c]
                else:
                    out[r, c] += log_or_never(p[c])
        if i % _FACTORS_A_LOGARITHM == _FACTORS_A_LOGARITHM - 1:
            for r in range(n_events):
                for c in range(m):
                    out[r, c] += log_or_never(product[r, c])
                    product[r, c] = 1.0
    for r in range(n_events):
        for c in range(m):
            out[r, c] += log_or_never(product[r, c])


@inlined
def multiply_m_estimates(levels, root, codes, rows, m, singles, families, out):
    """Add the logarithms of all factors to `out`, each with as many parents as were seen."""
    _, cells, sums, totals, used, start, clock = singles
    spec, family_cells = families
    unit = clock[UNIT]
    for i in range(codes.shape[0]):
        if i == root or is_absent(levels, i):
            continue
        for r in range(out.shape[0]):
            code = codes[i, r]
            row = start[i] + code
            if code < 0 or totals[row] <= 0.0:
                continue
            seen, here, whole = 0.0, np.int64(0), np.int64(0)
            for q in range(levels.shape[1] - 1, -1, -1):
                f = levels[i, q]
                if seen > 0.0 or f < 0 or rows[f, r] < 0:
                    continue
                here, whole = rows[f, r] + code, rows[f, r] + spec[f, CAP]
                for c in range(m):
                    seen += family_cells[whole, c]
            for c in range(m):
                if seen > 0.0:
                    p = m_estimate(family_cells[here, c], family_cells[whole, c], used[i], unit)
                else:
                    p = m_estimate(cells[row, c], sums[i, c], used[i], unit)
                out[r, c] += log_or_never(p)


@inlined
def member_log_joints(levels, root, codes, rows, m, singles, families, smoothing, product, out):
    """Write log P(c, x) of every event under one member, whose families are `levels` (n, k).

    `rows` are the contexts of `codes` (n, b); `product` and `out` have shape (b, m). An event
    of whose superparent's value was never seen gets -inf throughout.
    """
    class_priors(root, codes, m, singles, product)
    if smoothing == M_ESTIMATE:
        for r in range(out.shape[0]):
            for c in range(m):
                out[r, c] = log_or_never(product[r, c])
        multiply_m_estimates(levels, root, codes, rows, m, singles, families, out)
    else:
        out[:, :] = 0.0
        multiply_backed_off(
            levels, root, codes, rows, m, singles, families, smoothing, product, out
        )


@inlined
def to_posteriors(scores, evidence):
    """Turn log joints (b, m) into probabilities in place; write the logarithm of their sums."""
    m = scores.shape[1]
    for r in range(scores.shape[0]):
        top = scores[r, 0]
        for c in range(1, m):
            top = max(top, scores[r, c])
        evidence[r] = top
        if top == -np.inf:
            continue
        total = 0.0
        for c in range(m):
            scores[r, c] = math.exp(scores[r, c] - top)
            total += scores[r, c]
        for c in range(m):
            scores[r, c] /= total
        evidence[r] += math.log(total)


@inlined
def add_factors(levels, i, codes, rows, first, m, singles, families, smoothing, known, memory, out):
    """Add log P(x_i | parents, c) of the events from number `first` on to `out` (b, m).

    The factor of a value under a context is worked out when it first occurs, and remembered in
    `memory` (places + 1, m) where its place is below `known` (places,), which is overwritten.
    """
    _, cells, sums, totals, used, start, clock = singles
    spec, family_cells = families
    unit = clock[UNIT]
    n_places = known.shape[0]
    for slot in range(n_places):
        known[slot] = False
    deepest = -1
    for q in range(levels.shape[1]):
        if levels[i, q] >= 0:
            deepest = levels[i, q]
    base = spec[deepest, START] if deepest >= 0 else np.int64(0)
    for r in range(out.shape[0]):
        code = np.int64(codes[i, first + r])
        row = start[i] + code
        if code < 0 or totals[row] <= 0.0:
            continue
        place = rows[deepest, first + r] - base + code if deepest >= 0 else code
        if place < 0 or place >= n_places:
            place = n_places
        if place == n_places or not known[place]:
            if place < n_places:
                known[place] = True
            for c in range(m):
                memory[place, c] = m_estimate(cells[row, c], sums[i, c], used[i], unit)
            for q in range(levels.shape[1]):
                f = levels[i, q]
                if f < 0 or rows[f, first + r] < 0:
                    break
                here, whole = rows[f, first + r] + code, rows[f, first + r] + spec[f, CAP]
                seen = 0.0
                for c in range(m):
                    seen += family_cells[whole, c]
                if seen <= 0.0:
                    break
                for c in range(m):
                    count, context = family_cells[here, c], family_cells[whole, c]
                    if smoothing == M_ESTIMATE:
                        memory[place, c] = m_estimate(count, context, used[i], unit)
                    else:
                        memory[place, c] = back_off(
                            count, context, memory[place, c], smoothing, used[i], unit
                        )
            for c in range(m):
                memory[place, c] = log_or_never(memory[place, c])
        for c in range(m):
            out[r, c] += memory[place, c]


@inlined
def places_of(n_events):
    """Return how many factors of a feature are worth remembering for so many events."""
    return _REMEMBERED * n_events if n_events >= _MANY_EVENTS else 0


@kernel
def remembered_log_joints(levels, root, codes, rows, m, singles, families, smoothing):
    """Return what `member_log_joints` writes, for so many events that factors recur."""
    n_events = codes.shape[1]
    out = np.empty((n_events, m))
    class_priors(root, codes, m, singles, out)
    for r in range(n_events):
        for c in range(m):
            out[r, c] = log_or_never(out[r, c])
    n_places = places_of(n_events)
    known, memory = np.zeros(n_places, dtype=np.bool_), np.empty((n_places + 1, m))
    for i in range(codes.shape[0]):
        if i != root and not is_absent(levels, i):
            add_factors(
                levels, i, codes, rows, 0, m, singles, families, smoothing, known, memory, out
            )
    return out


@kernel
def member_block(levels, root, codes, rows, m, singles, families, smoothing):
    """Return log P(c, x) (b, m) of every event of `codes` (n, b) under one member."""
    if codes.shape[1] >= _MANY_EVENTS:
        return remembered_log_joints(levels, root, codes, rows, m, singles, families, smoothing)
    product, out = np.empty((codes.shape[1], m)), np.empty((codes.shape[1], m))
    member_log_joints(levels, root, codes, rows, m, singles, families, smoothing, product, out)
    return out


@kernel
def _where_silent(scores, shift, instead):
    """Return the scores (b, m), with others in the rows where no member had a say."""
    for r in range(scores.shape[0]):
        if shift[r] == -np.inf:
            for c in range(scores.shape[1]):
                scores[r, c] = instead[r, c]
    return scores


@inlined
def sum_shared_factors(
    levels, codes, rows, first, m, singles, families, smoothing,
    known, memory, latest, number, factors, scores,
):  # fmt: skip
    """Add the logarithms of all factors of all members to `scores` (T, b, m).

    It is about the events from number `first` on. A factor that members share is worked out
    once. `latest` (F + 1,), `number` (T,) and `factors` (T, b, m) are overwritten.
    """
    n_members, k, size = levels.shape[0], levels.shape[2], scores.shape[1] * m
    flat_factors = factors.reshape((n_members, size))
    flat_scores = scores.reshape((n_members, size))
    for f in range(latest.shape[0]):
        latest[f] = -1
    for i in range(codes.shape[0]):
        latest[0] = -1
        n_found = 0
        for t in range(n_members):
            number[t] = -1
            deepest = -1
            for q in range(k):
                if levels[t, i, q] >= 0:
                    deepest = levels[t, i, q]
            if k > 0 and levels[t, i, 0] == ABSENT:
                continue
            # members whose last family is the same most often share those before
            u = latest[deepest + 1]
            latest[deepest + 1] = t
            same = u >= 0
            for q in range(k):
                same = same and levels[t, i, q] == levels[u, i, q]
            if same:
                number[t] = number[u]
                continue
            number[t] = n_found
            for z in range(size):
                flat_factors[n_found, z] = 0.0
            add_factors(
                levels[t], i, codes, rows, first, m, singles, families, smoothing,
                known, memory, factors[n_found],
            )  # fmt: skip
            n_found += 1
        for t in range(n_members):
            g = number[t]
            if g >= 0:
                for z in range(size):
                    flat_scores[t, z] += flat_factors[g, z]


@kernel
def shared_log_joints(program, codes, rows, first, n_events, m, singles, families, smoothing):
    """Return log P(c, x) (T, b, m) under each member, none of which has a superparent.

    It is about `n_events` events of codes (n, b) from number `first` on.
    """
    n_members = program.levels.shape[0]
    scores = np.empty((n_members, n_events, m))
    n, unit = 0.0, singles.clock[UNIT]
    for c in range(m):
        n += singles.classes[c]
    for t in range(n_members):
        for r in range(n_events):
            for c in range(m):
                scores[t, r, c] = math.log(m_estimate(singles.classes[c], n, m, unit))
    n_places = places_of(n_events)
    known, memory = np.zeros(n_places, dtype=np.bool_), np.empty((n_places + 1, m))
    latest = np.empty(families.spec.shape[0] + 1, dtype=np.int64)
    number, factors = np.empty(n_members, dtype=np.int64), np.empty((n_members, n_events, m))
    sum_shared_factors(
        program.levels, codes, rows, first, m, singles, families, smoothing,
        known, memory, latest, number, factors, scores,
    )  # fmt: skip
    return scores


@kernel
def add_shares(posteriors, weights, evidence, first, out, shift):
    """Add the weighted posteriors (T, b, m) of the events from number `first` on to `out`.

    `shift` gets 0 where a member has a say, where its `evidence` (T, b) is above -inf.
    """
    for t in range(posteriors.shape[0]):
        for r in range(posteriors.shape[1]):
            if weights[t] > 0.0 and evidence[t, r] > -np.inf:
                shift[first + r] = 0.0
                for c in range(posteriors.shape[2]):
                    out[first + r, c] += weights[t] * posteriors[t, r, c]


@kernel
def sum_of_posteriors(program, codes, rows, m, singles, families, smoothing, out, shift):
    """Add the members' weighted posteriors of every event to `out` (b, m), zero so far.

    No member has a superparent. The events are taken so many at a time as the cache can hold.
    """
    n_members, n_events = program.levels.shape[0], codes.shape[1]
    most = max(1, _SCORES_AT_ONCE // (n_members * m))
    for first in range(0, n_events, most):
        n_here = min(most, n_events - first)
        scores = shared_log_joints(
            program, codes, rows, first, n_here, m, singles, families, smoothing
        )
        evidence = np.empty((n_members, n_here))
        flat = scores.reshape((n_members * n_here, m))
        to_posteriors(flat, evidence.reshape(n_members * n_here))
        add_shares(scores, program.weights, evidence, first, out, shift)


@kernel
def sum_of_members(program, codes, rows, m, singles, families, smoothing, out, shift):
    """Add the members' weighted shares in every event to `out` (b, m), zero so far, one by one.

    The shares are posteriors, or joints where these are what the rule sums; `shift` (b,), -inf
    so far, gets the logarithm of the scale of `out`.
    """
    n_events = codes.shape[1]
    evidence = np.empty(n_events)
    for t in range(program.levels.shape[0]):
        if program.weights[t] <= 0.0:
            continue
        joint = member_block(
            program.levels[t], program.roots[t], codes, rows, m, singles, families, smoothing
        )
        to_posteriors(joint, evidence)
        for r in range(n_events):
            if evidence[r] == -np.inf:
                continue
            level = evidence[r] if program.rule == SUM_OF_JOINTS else 0.0
            if level > shift[r]:
                for c in range(m):
                    out[r, c] *= math.exp(shift[r] - level)
                shift[r] = level
            share = program.weights[t] * math.exp(level - shift[r])
            for c in range(m):
                out[r, c] += share * joint[r, c]


@kernel
def has_superparents(roots):
    """Say whether a member has a superparent."""
    n_found = 0
    for t in range(roots.shape[0]):
        n_found += roots[t] >= 0
    return n_found > 0


@kernel
def ensemble_block(program, codes, rows, m, singles, families, smoothing):
    """Return the logarithm of the members' weighted sum (b, m) for every event of `codes` (n, b).

    Each member's joint is normalised first, unless joints are what the rule sums. Where no member
    has a say the answer is naive Bayes'.
    """
    n_events = codes.shape[1]
    out, shift = np.zeros((n_events, m)), np.full(n_events, -np.inf)
    if has_superparents(program.roots) or program.rule == SUM_OF_JOINTS:
        sum_of_members(program, codes, rows, m, singles, families, smoothing, out, shift)
    else:
        sum_of_posteriors(program, codes, rows, m, singles, families, smoothing, out, shift)
    for r in range(n_events):
        for c in range(m):
            out[r, c] = log_or_never(out[r, c]) + shift[r]
    for r in range(n_events):
        if shift[r] == -np.inf:
            no_parents = np.full(program.levels.shape[1:], -1, dtype=np.int32)
            no_root = np.int16(-1)
            return _where_silent(
                out,
                shift,
                member_block(no_parents, no_root, codes, rows, m, singles, families, smoothing),
            )
    return out


@block_kernel
def log_joint_block(program, codes, m, singles, families, smoothing):
    """Return log P(c, x) (b, m) of a block of codes (n, b), up to what members share."""
    rows = context_rows(codes, families.spec)
    if is_ensemble(program):
        return ensemble_block(program, codes, rows, m, singles, families, smoothing)
    levels, no_root = program.levels[0], np.int16(-1)
    return member_block(levels, no_root, codes, rows, m, singles, families, smoothing)


@block_kernel
def posterior_block(program, codes, m, singles, families, smoothing):
    """Return the posteriors (b, m) of a block of codes (n, b)."""
    scores = log_joint_block(program, codes, m, singles, families, smoothing)
    to_posteriors(scores, np.empty(codes.shape[1]))
    return scores


@kernel
def all_log_joints(program, codes, rows, m, singles, families, smoothing):
    """Return log P(c, x) (T, b, m) of every event of `codes` (n, b) under each member."""
    n_members, n_events = program.levels.shape[0], codes.shape[1]
    if not has_superparents(program.roots):
        return shared_log_joints(
            program, codes, rows, ZERO, n_events, m, singles, families, smoothing
        )
    out = np.empty((n_members, n_events, m))
    for t in range(n_members):
        joint = member_block(
            program.levels[t], program.roots[t], codes, rows, m, singles, families, smoothing
        )
        for r in range(n_events):
            for c in range(m):
                out[t, r, c] = joint[r, c]
    return out


@block_kernel
def member_posteriors(program, codes, m, singles, families, smoothing):
    """Return the posteriors (T, b, m) of a block of codes (n, b) under each member alone.

    The weights of the members do not matter. A member whose superparent's value was never seen
    answers as naive Bayes. All are in memory at once: callers split large blocks.
    """
    n_members, n_events = program.levels.shape[0], codes.shape[1]
    rows = context_rows(codes, families.spec)
    out = all_log_joints(program, codes, rows, m, singles, families, smoothing)
    flat = out.reshape((n_members * n_events, m))
    evidence = np.empty(n_members * n_events)
    to_posteriors(flat, evidence)
    for z in range(evidence.shape[0]):
        if evidence[z] == -np.inf:
            no_parents = np.full(program.levels.shape[1:], -1, dtype=np.int32)
            plain = member_block(
                no_parents, np.int16(-1), codes, rows, m, singles, families, smoothing
            )
            to_posteriors(plain, np.empty(n_events))
            for at in range(z, evidence.shape[0]):
                if evidence[at] == -np.inf:
                    for c in range(m):
                        flat[at, c] = plain[at % n_events, c]
            break
    return out
