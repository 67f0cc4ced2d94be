"""Posteriors of the classes under a structure that was learned before the events."""

from __future__ import annotations

import math

import numpy as np

from river_kdb.counts.families import CAP, START, context_rows
from river_kdb.inference.program import is_ensemble
from river_kdb.inference.smoothing import M_ESTIMATE, back_off, m_estimate
from river_kdb.jit import inlined, kernel
from river_kdb.structure.structure import SUM_OF_JOINTS

_FACTORS_A_LOGARITHM = 16
_MANY_EVENTS, _REMEMBERED = 32, 4
"""From so many events on factors are remembered, as many of a feature as this times the events."""

_TINY = 1e-18
"""So many factors above this have a product above the smallest float."""


@kernel
def log_or_never(p):
    """Return the logarithm of a probability, -inf of 0."""
    return math.log(p) if p > 0.0 else -np.inf


@inlined
def class_priors(root, codes, m, singles, out):
    """Write P(c) of every event to `out` (b, m), or P(c, x_root) of a superparent.

    Where the superparent's value was never seen all are 0.
    """
    classes, cells, sums, totals, used, start = singles
    n = 0.0
    for c in range(m):
        n += classes[c] if root < 0 else sums[root, c]
    for r in range(out.shape[0]):
        if root < 0:
            for c in range(m):
                out[r, c] = m_estimate(classes[c], n, m)
            continue
        code = codes[root, r]
        seen = code >= 0 and totals[start[root] + code] > 0.0
        for c in range(m):
            row = start[root] + code
            out[r, c] = m_estimate(cells[row, c], n, m * used[root]) if seen else 0.0


@inlined
def multiply_backed_off(levels, root, codes, rows, m, singles, families, strength, product, out):
    """Add the logarithms of all factors to `out`, each backed off along its parents."""
    _, cells, sums, totals, used, start = singles
    spec, family_cells = families
    p = np.empty(m)
    n_events = out.shape[0]
    for i in range(codes.shape[0]):
        for r in range(n_events):
            code = codes[i, r]
            row = start[i] + code
            if code < 0 or i == root or totals[row] <= 0.0:
                continue
            for c in range(m):
                p[c] = m_estimate(cells[row, c], sums[i, c], used[i])
            for q in range(levels.shape[1]):
                f = levels[i, q]
                if f < 0 or rows[f, r] < 0:
                    break
                here, whole = rows[f, r] + code, rows[f, r] + spec[f, CAP]
                for c in range(m):
                    p[c] = back_off(family_cells[here, c], family_cells[whole, c], p[c], strength)
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
    _, cells, sums, totals, used, start = singles
    spec, family_cells = families
    for i in range(codes.shape[0]):
        for r in range(out.shape[0]):
            code = codes[i, r]
            row = start[i] + code
            if code < 0 or i == root or totals[row] <= 0.0:
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
                    p = m_estimate(family_cells[here, c], family_cells[whole, c], used[i])
                else:
                    p = m_estimate(cells[row, c], sums[i, c], used[i])
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


@kernel
def factor(levels, i, codes, rows, r, m, singles, families, smoothing, p):
    """Write log P(x_i | parents, c) of event `r` to `p` (m,)."""
    code, used = codes[i, r], singles.used[i]
    row = singles.start[i] + code
    for c in range(m):
        p[c] = m_estimate(singles.cells[row, c], singles.sums[i, c], used)
    for q in range(levels.shape[1]):
        f = levels[i, q]
        if f < 0 or rows[f, r] < 0:
            break
        here, whole = rows[f, r] + code, rows[f, r] + families.spec[f, CAP]
        seen = 0.0
        for c in range(m):
            seen += families.cells[whole, c]
        if seen <= 0.0:
            break
        for c in range(m):
            count, context = families.cells[here, c], families.cells[whole, c]
            if smoothing == M_ESTIMATE:
                p[c] = m_estimate(count, context, used)
            else:
                p[c] = back_off(count, context, p[c], smoothing)
    for c in range(m):
        p[c] = log_or_never(p[c])


@kernel
def remembered_log_joints(levels, root, codes, rows, m, singles, families, smoothing):
    """Return what `member_log_joints` writes, for so many events that factors recur.

    The factor of each value under each context is worked out when it first occurs.
    """
    n_events = codes.shape[1]
    spec, totals, start = families.spec, singles.totals, singles.start
    out, p = np.empty((n_events, m)), np.empty(m)
    class_priors(root, codes, m, singles, out)
    for r in range(n_events):
        for c in range(m):
            out[r, c] = log_or_never(out[r, c])
    most = _REMEMBERED * n_events
    known, memory = np.zeros(most, dtype=np.bool_), np.empty((most, m))
    for i in range(codes.shape[0]):
        deepest = -1
        for q in range(levels.shape[1]):
            if levels[i, q] >= 0:
                deepest = levels[i, q]
        first = spec[deepest, START] if deepest >= 0 else 0
        known[:] = False
        for r in range(n_events):
            code = codes[i, r]
            if code < 0 or i == root or totals[start[i] + code] <= 0.0:
                continue
            place = rows[deepest, r] - first + code if deepest >= 0 else np.int64(code)
            if place < 0 or place >= most:
                factor(levels, i, codes, rows, r, m, singles, families, smoothing, p)
                for c in range(m):
                    out[r, c] += p[c]
                continue
            if not known[place]:
                known[place] = True
                factor(levels, i, codes, rows, r, m, singles, families, smoothing, memory[place])
            for c in range(m):
                out[r, c] += memory[place, c]
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


@kernel
def ensemble_block(program, codes, rows, m, singles, families, smoothing):
    """Return the logarithm of the members' weighted sum (b, m) for every event of `codes` (n, b).

    Each member's joint is normalised first, unless joints are what the rule sums. Where no member
    has a say the answer is naive Bayes'.
    """
    n_events = codes.shape[1]
    out = np.zeros((n_events, m))
    evidence, shift = np.empty(n_events), np.full(n_events, -np.inf)
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


@kernel
def log_joint_block(program, codes, m, singles, families, smoothing):
    """Return log P(c, x) (b, m) of a block of codes (n, b), up to what members share."""
    rows = context_rows(codes, families.spec)
    if is_ensemble(program):
        return ensemble_block(program, codes, rows, m, singles, families, smoothing)
    levels, no_root = program.levels[0], np.int16(-1)
    return member_block(levels, no_root, codes, rows, m, singles, families, smoothing)


@kernel
def posterior_block(program, codes, m, singles, families, smoothing):
    """Return the posteriors (b, m) of a block of codes (n, b)."""
    scores = log_joint_block(program, codes, m, singles, families, smoothing)
    to_posteriors(scores, np.empty(codes.shape[1]))
    return scores
