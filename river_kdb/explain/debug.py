"""How a posterior comes about, in words."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from river_kdb.explain.values import slot_names
from river_kdb.inference.factors import Factor, factors, prior
from river_kdb.inference.program import is_ensemble
from river_kdb.learner import Learner
from river_kdb.structure.structure import absent_features


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
    if not learner.labels:
        return "nothing learned yet"
    codes = block[:, 0]
    lines = left_out(learner, x, codes)
    members = [_member_lines(learner, t, codes) for t in range(len(learner.program.levels))]
    lines += [line for member in members for line in member]
    if all(member == [] or member[-1] == _SILENT for member in members):
        lines += ["no member has a say: naive Bayes", *_network_lines(learner, -1, [], codes)]
    scores, posterior = learner.log_joints(block)[0], learner.posteriors(block)[0]
    lines.append("posterior")
    lines += [
        f"  {label!r}: log joint {score:.6f}, probability {probability:.6f}"
        for label, score, probability in zip(learner.labels, scores, posterior, strict=True)
    ]
    return "\n".join(lines)


_SILENT = "  has no say: the superparent's value was never seen"


def left_out(learner: Learner, x: Mapping[Hashable, Any], codes: np.ndarray) -> list[str]:
    """Say which values no factor is made of, and why.

    Parameters
    ----------
    learner
        What the model has learned.
    x
        The event.
    codes
        Its codes as the posterior is computed from them, int array of shape (n_features,).
    """
    index = learner.encoder.index
    seen = learner.coder.code(learner.encoder.row(x)[:, None])[:, 0]
    absent = set(absent_features(learner.structure).tolist())
    reasons: dict[str, list[str]] = {}
    for name, value in x.items():
        if name not in index or seen[index[name]] < 0:
            reasons.setdefault("never learned or missing", []).append(f"{name!r} = {value!r}")
        elif codes[index[name]] < 0:
            reasons.setdefault("implied by another value", []).append(f"{name!r} = {value!r}")
        elif index[name] in absent:
            reasons.setdefault("by the selection", []).append(f"{name!r} = {value!r}")
    return [f"left out, {reason}: {', '.join(values)}" for reason, values in reasons.items()]


def _member_lines(learner: Learner, t: int, codes: np.ndarray) -> list[str]:
    program, names = learner.program, learner.encoder.names
    root = int(program.roots[t])
    lines = []
    if is_ensemble(program):
        of = f", superparent {names[root]!r}" if root >= 0 else ""
        lines.append(f"member {t + 1}{of}, weight {program.weights[t]:.6f}")
    if prior(root, codes, len(learner.labels), learner.store.singles) is None:
        return [*lines, _SILENT]
    return lines + _network_lines(learner, root, program.levels[t], codes)


def _network_lines(
    learner: Learner, root: int, levels: Sequence[Any] | np.ndarray, codes: np.ndarray
) -> list[str]:
    store, m = learner.store, len(learner.labels)
    start = prior(root, codes, m, store.singles)
    assert start is not None
    strength = learner.settings.strength
    found = factors(levels, root, codes, m, store.singles, store.families, strength)
    what = "P(class)" if root < 0 else f"P(class, {learner.encoder.names[root]!r})"
    lines = []
    for c, label in enumerate(learner.labels):
        lines.append(f"class {label!r}")
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
