"""Softmax regression on the standardised numbers and on the categories.

It is the discriminative twin of naive Bayes with Gaussian factors of equal variances, whose log
odds are linear too, and is there for what bins do badly: smooth, oblique boundaries.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from river_kdb.jit import kernel

_STEP = 0.2
_FARTHEST = 4.0
"""Standard deviations from the mean beyond which a number counts as no farther."""


class Linear(NamedTuple):
    """Regressions that differ in how long past gradients make their steps smaller (Adagrad).

    Attributes
    ----------
    numbers
        int64 array of shape (n_linear,): numbers of the experts.
    keeps
        float64 array of shape (n_linear,): what is left of a squared gradient after an event.
    moments
        float64 array of shape (3, n_features): count, mean and sum of squared deviations.
    slopes, slope_squares
        float64 arrays of shape (n_linear, n_features, class capacity), of the numbers.
    start
        int64 array of shape (n_features + 1,): first row of the slots of a feature; at the end the
        row of the intercept.
    levels, level_squares
        float64 arrays of shape (n_linear, rows, class capacity), of slots that are no bins.
    """

    numbers: np.ndarray
    keeps: np.ndarray
    moments: np.ndarray
    slopes: np.ndarray
    slope_squares: np.ndarray
    start: np.ndarray
    levels: np.ndarray
    level_squares: np.ndarray


def new_linear(
    numbers: Sequence[int],
    half_lives: Sequence[float | None],
    caps: np.ndarray,
    class_capacity: int,
) -> Linear:
    """Return regressions that know nothing.

    Parameters
    ----------
    numbers
        Numbers of the experts.
    half_lives
        Events after which a squared gradient counts half, None for ever.
    caps
        int64 array of shape (n_features,): room for slots.
    class_capacity
        Room for classes.
    """
    n_linear, n = len(numbers), len(caps)
    start = slot_starts(caps)
    rows = int(start[-1]) + 1
    return Linear(
        np.array(numbers, dtype=np.int64),
        np.array([1.0 if h is None else 0.5 ** (1.0 / h) for h in half_lives]),
        np.zeros((3, n)),
        np.zeros((n_linear, n, class_capacity)),
        np.zeros((n_linear, n, class_capacity)),
        start,
        np.zeros((n_linear, rows, class_capacity)),
        np.zeros((n_linear, rows, class_capacity)),
    )


def slot_starts(caps: np.ndarray) -> np.ndarray:
    """Return the first row of the slots of every feature, and the row of the intercept.

    Parameters
    ----------
    caps
        int64 array of shape (n_features,): room for slots.
    """
    return np.append(0, np.cumsum(caps)).astype(np.int64)


def regrown_linear(
    linear: Linear, caps: np.ndarray, class_capacity: int, where: np.ndarray, source: np.ndarray
) -> Linear:
    """Return the same regressions with other room.

    Parameters
    ----------
    linear
        The regressions.
    caps
        int64 array of shape (n_features,): room for slots.
    class_capacity
        Room for classes.
    where
        int array: the new index of every old feature.
    source
        int array: the old row of the level of every slot, -1 for none.
    """
    half_lives: list[float | None] = [None] * len(linear.numbers)
    grown = new_linear(linear.numbers.tolist(), half_lives, caps, class_capacity)
    grown.keeps[:] = linear.keeps
    m = min(class_capacity, linear.slopes.shape[2])
    grown.moments[:, where] = linear.moments
    grown.slopes[:, where, :m] = linear.slopes[:, :, :m]
    grown.slope_squares[:, where, :m] = linear.slope_squares[:, :, :m]
    there = np.append(np.flatnonzero(source >= 0), grown.levels.shape[1] - 1)
    here = np.append(source[source >= 0], linear.levels.shape[1] - 1)
    grown.levels[:, there, :m] = linear.levels[:, here, :m]
    grown.level_squares[:, there, :m] = linear.level_squares[:, here, :m]
    return grown


def rows_of_grown(old_start: np.ndarray, start: np.ndarray, where: np.ndarray) -> np.ndarray:
    """Return the old row of every slot where features and slots were added behind those there.

    Parameters
    ----------
    old_start, start
        First rows of the features, and the row of the intercept, before and now.
    where
        int array: the new index of every old feature.
    """
    source = np.full(int(start[-1]), -1, dtype=np.int64)
    for i, j in enumerate(where.tolist()):
        size = min(old_start[i + 1] - old_start[i], start[j + 1] - start[j])
        source[start[j] : start[j] + size] = np.arange(old_start[i], old_start[i] + size)
    return source


@kernel
def standardise(row, moments, out):
    """Write the numbers of a raw row (n,) in standard deviations from their mean, NaN for none."""
    count, mean, squares = moments
    for i in range(row.shape[0]):
        out[i] = np.nan
        if row[i] == row[i] and count[i] > 1.0 and squares[i] > 0.0:
            far = (row[i] - mean[i]) / math.sqrt(squares[i] / count[i])
            out[i] = min(max(far, -_FARTHEST), _FARTHEST)


@kernel
def write_linear_posteriors(row, standard, codes, m, linear, out):
    """Write the log posteriors to `out` (E, capacity).

    `row` (n,) is the raw row, `standard` (n,) gets its numbers standardised, and `codes` (V, 1)
    begin with those of the chain whose slots count.
    """
    numbers, _, moments, slopes, _, start, levels, _ = linear
    n = row.shape[0]
    standardise(row, moments, standard)
    for j in range(numbers.shape[0]):
        e = numbers[j]
        for c in range(m):
            out[e, c] = levels[j, start[n], c]
        for i in range(n):
            if standard[i] == standard[i]:
                for c in range(m):
                    out[e, c] += slopes[j, i, c] * standard[i]
            elif row[i] != row[i] and codes[i, 0] >= 0:
                for c in range(m):
                    out[e, c] += levels[j, start[i] + codes[i, 0], c]
        top = -np.inf
        for c in range(m):
            top = max(top, out[e, c])
        total = 0.0
        for c in range(m):
            total += math.exp(out[e, c] - top)
        for c in range(m):
            out[e, c] -= top + math.log(total)


@kernel
def learn_linear(row, standard, codes, logs, label, m, linear):
    """Take a step towards the label of an event.

    `logs` (E, capacity) are the log posteriors of the `m` classes; the other arrays are as
    `write_linear_posteriors` left them.
    """
    numbers, keeps, _, slopes, slope_squares, start, levels, level_squares = linear
    n = row.shape[0]
    for j in range(numbers.shape[0]):
        for c in range(m):
            error = math.exp(logs[numbers[j], c]) - (c == label)
            intercept = start[n]
            level_squares[j, intercept, c] = (
                keeps[j] * level_squares[j, intercept, c] + error * error
            )
            levels[j, intercept, c] -= (
                _STEP * error / math.sqrt(1.0 + level_squares[j, intercept, c])
            )
            for i in range(n):
                if standard[i] == standard[i]:
                    slope = error * standard[i]
                    slope_squares[j, i, c] = keeps[j] * slope_squares[j, i, c] + slope * slope
                    slopes[j, i, c] -= _STEP * slope / math.sqrt(1.0 + slope_squares[j, i, c])
                elif row[i] != row[i] and codes[i, 0] >= 0:
                    at = start[i] + codes[i, 0]
                    level_squares[j, at, c] = keeps[j] * level_squares[j, at, c] + error * error
                    levels[j, at, c] -= _STEP * error / math.sqrt(1.0 + level_squares[j, at, c])


@kernel
def learn_moments(row, moments):
    """Learn the mean and spread of the numbers of a raw row (n,)."""
    count, mean, squares = moments
    for i in range(row.shape[0]):
        if row[i] == row[i] and abs(row[i]) < 1e150:
            count[i] += 1.0
            off = row[i] - mean[i]
            mean[i] += off / count[i]
            squares[i] += off * (row[i] - mean[i])
