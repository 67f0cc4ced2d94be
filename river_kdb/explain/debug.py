"""How a posterior comes about, in words."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from river_kdb.explain.values import slot_names
from river_kdb.inference.factors import Factor, factors, prior
from river_kdb.learner import Learner


def debug_text(learner: Learner, x: Mapping[Hashable, Any], block: np.ndarray) -> str:
    """Return the prior, every factor with its parents and counts, and the posterior of an event.

    Parameters
    ----------
    learner
        What the model has learned.
    x
        The event.
    block
        Its codes as the posterior is computed from them, int16 array of shape (n_features, 1).
    """
    codes = block[:, 0]
    if not learner.labels:
        return "nothing learned yet"
    spoken = [
        f"{name!r} = {value!r}"
        for name, value in x.items()
        if name not in learner.encoder.index or codes[learner.encoder.index[name]] < 0
    ]
    lines = [f"left out, never learned or missing: {', '.join(spoken)}"] if spoken else []
    program = learner.program
    several = len(program.levels) > 1 or program.roots[0] >= 0
    for t in range(len(program.levels)):
        lines += _member_lines(learner, t, codes, several)
    scores, posterior = learner.log_joints(block)[0], learner.posteriors(block)[0]
    lines.append("posterior")
    lines += [
        f"  {label!r}: log joint {score:.6f}, probability {probability:.6f}"
        for label, score, probability in zip(learner.labels, scores, posterior, strict=True)
    ]
    return "\n".join(lines)


def _member_lines(learner: Learner, t: int, codes: np.ndarray, several: bool) -> list[str]:
    store, program, m = learner.store, learner.program, len(learner.labels)
    root = int(program.roots[t])
    lines = []
    if several:
        of = f", superparent {learner.encoder.names[root]!r}" if root >= 0 else ""
        lines.append(f"member {t + 1}{of}, weight {program.weights[t]:.6f}")
    start = prior(root, codes, m, store.singles)
    if start is None:
        return [*lines, "  has no say: the superparent's value was never seen"]
    found = factors(program, t, codes, m, store.singles, store.families, learner.settings.strength)
    for c, label in enumerate(learner.labels):
        lines.append(f"class {label!r}")
        what = "P(class)" if root < 0 else f"P(class, {learner.encoder.names[root]!r})"
        lines.append(f"  log {what} = log {start[c]:.6g} = {math.log(start[c]):.6f}")
        lines += [_factor_line(learner, factor, codes, c) for factor in found]
        total = math.log(start[c]) + sum(math.log(f.probabilities[c]) for f in found)
        lines.append(f"  log joint = {total:.6f}")
    return lines


def _factor_line(learner: Learner, factor: Factor, codes: np.ndarray, c: int) -> str:
    names = learner.encoder.names
    child, *parents = [
        f"{names[i]!r} {slot_names(learner, i)[codes[i]]}"
        for i in (factor.feature, *factor.parents)
    ]
    given = f" | {', '.join(parents)}" if parents else ""
    p = factor.probabilities[c]
    counts = f"counts {factor.counts[c]:g} of {factor.contexts[c]:g}"
    return f"  log P({child}{given}) = log {p:.6g} = {math.log(p):.6f}  ({counts})"
