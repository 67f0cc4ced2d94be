"""How a posterior comes about, in words."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from river_kdb.explain.values import slot_names
from river_kdb.inference.factors import Factor, factors, prior

if TYPE_CHECKING:
    from river_kdb.base import BNClassifier


def debug_text(model: BNClassifier, x: Mapping[Hashable, Any]) -> str:
    """Return the prior, every factor with its parents and counts, and the posterior of an event.

    Parameters
    ----------
    model
        The model.
    x
        The event.
    """
    codes = model._codes(x)[:, 0]
    if not model._labels:
        return "nothing learned yet"
    spoken = [
        f"{name!r} = {value!r}"
        for name, value in x.items()
        if name not in model._encoder.index or codes[model._encoder.index[name]] < 0
    ]
    lines = [f"left out, never learned or missing: {', '.join(spoken)}"] if spoken else []
    program = model._program
    several = len(program.levels) > 1 or program.roots[0] >= 0
    for t in range(len(program.levels)):
        lines += _member_lines(model, t, codes, several)
    scores = model.joint_log_likelihood(x)
    posterior = model.predict_proba_one(x)
    lines.append("posterior")
    lines += [
        f"  {label!r}: log joint {scores[label]:.6f}, probability {posterior[label]:.6f}"
        for label in model._labels
    ]
    return "\n".join(lines)


def _member_lines(model: BNClassifier, t: int, codes: np.ndarray, several: bool) -> list[str]:
    store, program, m = model._store, model._program, len(model._labels)
    root = int(program.roots[t])
    lines = []
    if several:
        of = f", superparent {model._encoder.names[root]!r}" if root >= 0 else ""
        lines.append(f"member {t + 1}{of}, weight {program.weights[t]:.6f}")
    start = prior(root, codes, m, store.singles)
    if start is None:
        return [*lines, "  has no say: the superparent's value was never seen"]
    found = factors(program, t, codes, m, store.singles, store.families, model._strength)
    for c, label in enumerate(model._labels):
        lines.append(f"class {label!r}")
        what = "P(class)" if root < 0 else f"P(class, {model._encoder.names[root]!r})"
        lines.append(f"  log {what} = log {start[c]:.6g} = {math.log(start[c]):.6f}")
        lines += [_factor_line(model, factor, codes, c) for factor in found]
        total = math.log(start[c]) + sum(math.log(f.probabilities[c]) for f in found)
        lines.append(f"  log joint = {total:.6f}")
    return lines


def _factor_line(model: BNClassifier, factor: Factor, codes: np.ndarray, c: int) -> str:
    names = model._encoder.names
    child, *parents = [
        f"{names[i]!r} {slot_names(model, i)[codes[i]]}" for i in (factor.feature, *factor.parents)
    ]
    given = f" | {', '.join(parents)}" if parents else ""
    p = factor.probabilities[c]
    counts = f"counts {factor.counts[c]:g} of {factor.contexts[c]:g}"
    return f"  log P({child}{given}) = log {p:.6g} = {math.log(p):.6f}  ({counts})"
