"""One network of a model as conditional probability tables."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np

from river_kdb.counts.clock import UNIT
from river_kdb.counts.families import CAP, FIRST_PARENT, START
from river_kdb.inference.smoothing import M_ESTIMATE, back_off, m_estimate
from river_kdb.learner import Learner
from river_kdb.structure.structure import ABSENT

__all__ = ["Network", "Table", "network_tables"]

_MOST_ENTRIES = 4_000_000


class Table(NamedTuple):
    """P(x | parents, c) of one feature.

    Attributes
    ----------
    feature
        Index of the feature.
    parents
        Indices of its parents but for the class, the strongest first.
    probabilities
        float64 array of shape (states of each parent ..., states of the feature, n_classes).
    """

    feature: int
    parents: tuple[int, ...]
    probabilities: np.ndarray


class Network(NamedTuple):
    """A network over the class and the features whose factor tells something.

    A feature of one value has none: its probability is 1 under every class.

    Attributes
    ----------
    prior
        float64 array of shape (n_classes,): P(c).
    tables
        The features' tables, by rising index.
    states
        Slots of every feature that have any count, int arrays.
    """

    prior: np.ndarray
    tables: list[Table]
    states: list[np.ndarray]


def network_tables(learner: Learner, t: int) -> Network:
    """Return the probabilities that predictions use, of every context, seen or not.

    Parameters
    ----------
    learner
        What the model has learned.
    t
        Number of the member network.

    Raises
    ------
    ValueError
        If a table would have more than 4,000,000 entries.
    """
    store, m = learner.store, len(learner.labels)
    singles, caps, unit = store.singles, store.layout.caps, store.clock[UNIT]
    totals = [singles.totals[s : s + cap] for s, cap in zip(singles.start, caps, strict=True)]
    states = [np.flatnonzero(total > 0.0) for total in totals]
    levels, root = learner.program.levels[t], int(learner.program.roots[t])
    chains = [_chain(learner, levels[i], states) for i in range(len(states))]
    there = [
        i
        for i, slots in enumerate(states)
        if len(slots) > 1 and not (len(levels[i]) and levels[i][0] == ABSENT)
    ]
    for i in there:
        _check_size(learner.encoder.names, i, chains[i][1], states, m)
    if root >= 0 and len(states[root]):
        prior, own = _superparent(learner, root, states[root])
    else:
        prior = m_estimate(singles.classes[:m], singles.classes[:m].sum(), m, unit)
    tables = [own if i == root else _table(learner, i, *chains[i], states) for i in there]
    return Network(prior, tables, states)


def _chain(
    learner: Learner, chain: np.ndarray, states: list[np.ndarray]
) -> tuple[list[int], tuple[int, ...]]:
    """Return the families along the parents of a feature, and the parents, the strongest first."""
    spec = learner.store.families.spec
    families: list[int] = []
    parents: list[int] = []
    for f in chain.tolist():
        if f < 0:
            break
        (new,) = {int(p) for p in spec[f, FIRST_PARENT::2] if p >= 0}.difference(parents)
        if not len(states[new]):
            break
        families.append(f)
        parents.append(new)
    return families, tuple(parents)


def _check_size(
    names: Sequence[Hashable],
    i: int,
    parents: tuple[int, ...],
    states: list[np.ndarray],
    m: int,
) -> None:
    entries = m * math.prod(len(states[j]) for j in (i, *parents))
    if entries > _MOST_ENTRIES:
        given = ", ".join(repr(names[j]) for j in parents)
        raise ValueError(
            f"the table of {names[i]!r} given the class and {given} would have {entries:,} "
            f"entries, more than {_MOST_ENTRIES:,}: learn with fewer parents, bins or categories"
        )


def _superparent(learner: Learner, i: int, states: np.ndarray) -> tuple[np.ndarray, Table]:
    """Return P(c) and P(x | c) of a superparent, whose joint probability the member begins with."""
    singles, m = learner.store.singles, len(learner.labels)
    counts = singles.cells[singles.start[i] + states, :m]
    n, unit = singles.sums[i, :m].sum(), learner.store.clock[UNIT]
    joint = m_estimate(counts.ravel(), n, m * singles.used[i], unit).reshape(counts.shape)
    prior = joint.sum(axis=0)
    return prior, Table(i, (), joint / prior)


def _table(
    learner: Learner,
    i: int,
    families: list[int],
    parents: tuple[int, ...],
    states: list[np.ndarray],
) -> Table:
    singles, m = learner.store.singles, len(learner.labels)
    spec, cells = learner.store.families
    unit, n_values = learner.store.clock[UNIT], singles.used[i]
    counts = singles.cells[singles.start[i] + states[i], :m] / unit
    p = _estimate(m_estimate, counts, singles.sums[i, :m] / unit, n_values)
    goes_on: Any = True
    for q, f in enumerate(families, start=1):
        stride = dict(zip(spec[f, FIRST_PARENT::2], spec[f, FIRST_PARENT + 1 :: 2], strict=True))
        grid = np.ix_(*(states[parent] * stride[parent] for parent in parents[:q]))
        rows = spec[f, START] + sum(grid, start=np.zeros((1,) * q, dtype=np.int64))
        contexts = cells[rows + spec[f, CAP], :m] / unit
        counts = cells[rows[..., None] + states[i], :m] / unit
        goes_on = np.expand_dims(goes_on, -1) & (contexts.sum(axis=-1) > 0.0)
        shorter = np.broadcast_to(np.expand_dims(p, -3), counts.shape)
        whole = contexts[..., None, :]
        if learner.settings.strength == M_ESTIMATE:
            longer = _estimate(m_estimate, counts, whole, n_values)
        else:
            strength = learner.settings.strength
            longer = _estimate(back_off, counts, whole, shorter, strength, n_values)
        p = np.where(goes_on[..., None, None], longer, shorter)
    alike = tuple(q for q, parent in enumerate(parents) if len(states[parent]) == 1)
    kept = tuple(parent for parent in parents if len(states[parent]) > 1)
    return Table(i, kept, p.squeeze(alike))


def _estimate(estimate: Any, counts: np.ndarray, *given: Any) -> np.ndarray:
    """Return what a kernel makes of arrays of any shape, which it takes flat."""
    flat = [
        np.broadcast_to(a, counts.shape).flatten() if isinstance(a, np.ndarray) else a
        for a in given
    ]
    return estimate(counts.ravel(), *flat).reshape(counts.shape)
