"""How often each value came with each class, however a model keeps its counts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from river_kdb.counts.clock import UNIT
from river_kdb.counts.families import CAP, START
from river_kdb.counts.layout import Layout
from river_kdb.counts.singles import new_singles
from river_kdb.features.coder import Coder
from river_kdb.information import class_information
from river_kdb.learner import Learner
from river_kdb.mixture.experts import Expert
from river_kdb.mixture.learner import MixtureLearner

__all__ = ["ValueTables", "information_of", "tables_of", "tables_of_network"]


class ValueTables(NamedTuple):
    """N(x_i, c) of every feature, in units of the newest event.

    Attributes
    ----------
    coder
        Says which slot a value has.
    rows
        int64 array of shape (n_features + 1,): first row of every feature, and the end.
    cells
        float64 array of shape (rows, n_classes): N(x_i = s, c) at row `rows[i] + s`.
    sums
        float64 array of shape (n_features, n_classes): the sum over the slots of a feature.
    """

    coder: Coder
    rows: np.ndarray
    cells: np.ndarray
    sums: np.ndarray


def tables_of(learner: Learner) -> ValueTables:
    """Return the counts of a model that has one set of them.

    Parameters
    ----------
    learner
        What the model has learned.
    """
    store, m = learner.store, len(learner.labels)
    singles, unit = store.singles, store.clock[UNIT]
    rows = np.append(0, np.cumsum(store.layout.caps))
    return ValueTables(learner.coder, rows, singles.cells[:, :m] / unit, singles.sums[:, :m] / unit)


def tables_of_network(learner: MixtureLearner, expert: Expert) -> ValueTables:
    """Return the counts of one network of a mixture.

    Parameters
    ----------
    learner
        What the mixture has learned.
    expert
        One of its networks that have a say.
    """
    store, m = learner.store, len(learner.labels)
    number = learner.experts.index(expert)
    chain, _, half_life = (int(at[0]) for at in np.nonzero(learner.numbers == number))
    banks, n = store.banks, store.n_features
    spec = banks.spec[chain * n : (chain + 1) * n]
    unit = banks.clocks[half_life, UNIT]
    columns = half_life + np.arange(m) * store.n_half_lives
    rows = np.append(0, np.cumsum(spec[:, CAP]))
    places = np.concatenate(
        [np.empty(0, dtype=np.int64), *(s + np.arange(cap) for s, cap in spec[:, [START, CAP]])]
    )
    return ValueTables(
        learner.codings.coders[chain],
        rows,
        banks.cells[np.ix_(places, columns)] / unit,
        banks.cells[np.ix_(spec[:, START] + spec[:, CAP], columns)] / unit,
    )


def information_of(tables: ValueTables) -> np.ndarray:
    """Return I(X_i; C) of every feature (n,), in nats.

    Parameters
    ----------
    tables
        The counts.
    """
    caps, m = np.diff(tables.rows), tables.cells.shape[1]
    empty = new_singles(Layout(np.zeros(0, dtype=np.int64), m))
    singles = empty._replace(
        cells=np.ascontiguousarray(tables.cells),
        sums=np.ascontiguousarray(tables.sums),
        totals=tables.cells.sum(axis=1),
        start=tables.rows[:-1],
    )
    return class_information(singles, caps, m)
