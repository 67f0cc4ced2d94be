"""The statistics of the papers, over arrays and frames."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

LEVEL = 0.05
HALF_A_DIGIT = 5e-5
"""Half of the last digit that the papers print."""


class Record(NamedTuple):
    """Wins, draws and losses of an algorithm against another one."""

    win: int
    draw: int
    loss: int

    @property
    def goal_difference(self) -> int:
        """Wins less losses."""
        return self.win - self.loss

    def __str__(self) -> str:
        """Return it as the papers print it."""
        return f"{self.win}/{self.draw}/{self.loss}"


class Friedman(NamedTuple):
    """Friedman's test, as it is and as F (Iman and Davenport)."""

    chi2: float
    p: float
    f: float
    f_p: float


def mean_difference(measured: np.ndarray, printed: np.ndarray) -> float:
    """Return the mean of measured less printed."""
    return float(np.mean(measured - printed))


def mean_absolute_difference(measured: np.ndarray, printed: np.ndarray) -> float:
    """Return the mean distance."""
    return float(np.mean(np.abs(measured - printed)))


def record(verdicts: np.ndarray) -> Record:
    """Return the record of verdicts: 1 for a win, 0 for a draw, -1 for a loss."""
    counts = [int(np.sum(np.asarray(verdicts) == verdict)) for verdict in (1, 0, -1)]
    return Record(*counts)


def plain_verdicts(a: np.ndarray, b: np.ndarray, tolerance: float = HALF_A_DIGIT) -> np.ndarray:
    """Return who has the smaller loss on each set: 1 for a, -1 for b, 0 within the tolerance."""
    gap = np.asarray(b) - np.asarray(a)
    return np.where(np.abs(gap) <= tolerance, 0, np.sign(gap)).astype(int)


def sign_test(
    correct_a: np.ndarray,
    correct_b: np.ndarray,
    alternative: str = "two-sided",
    level: float = LEVEL,
) -> int:
    """Return 1 if a is significantly better on a set, -1 if b is, else 0.

    Of the rows that only one of the two predicts right, each is as likely to be a's as b's if
    they are equally good.

    Parameters
    ----------
    correct_a, correct_b
        bool arrays of shape (n_rows,): the rows that each predicts right.
    alternative
        "two-sided", or "greater" for a one-tailed test in favour of the better one.
    level
        Of significance.
    """
    only_a = int(np.sum(correct_a & ~correct_b))
    only_b = int(np.sum(correct_b & ~correct_a))
    if only_a == only_b:
        return 0
    better = max(only_a, only_b)
    test = stats.binomtest(better, only_a + only_b, 0.5, alternative=alternative)
    return (1 if only_a > only_b else -1) if test.pvalue < level else 0


def relative_loss(a: np.ndarray, b: np.ndarray) -> float:
    """Return the mean of 1 - a/b over the sets where b is above 0."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    usable = b > 0
    return float(np.mean(1.0 - a[usable] / b[usable])) if usable.any() else np.nan


def ranks(losses: pd.DataFrame) -> pd.Series:
    """Return the average rank of every column; a row is a set, small is good, ties share."""
    return losses.rank(axis=1, method="average").mean()


def friedman(losses: pd.DataFrame) -> Friedman:
    """Return the test that the columns do not differ; three or more are needed."""
    n_sets, n = losses.shape
    chi2, p = stats.friedmanchisquare(*losses.to_numpy().T)
    rest = n_sets * (n - 1) - chi2
    f = (n_sets - 1) * chi2 / rest if rest > 0 else np.inf
    f_p = stats.f.sf(f, n - 1, (n - 1) * (n_sets - 1))
    return Friedman(float(chi2), float(p), float(f), float(f_p))


def critical_difference(n_algorithms: int, n_sets: int, level: float = LEVEL) -> float:
    """Return by how much average ranks have to differ (Nemenyi)."""
    q = stats.studentized_range.ppf(1.0 - level, n_algorithms, np.inf) / np.sqrt(2.0)
    return float(q * np.sqrt(n_algorithms * (n_algorithms + 1) / (6.0 * n_sets)))


def average_cmi(matrix: np.ndarray, parents: np.ndarray) -> float:
    """Return the mean of I(X_i; X_j | C) over the arcs of all members (KDF's eq. 10).

    Parameters
    ----------
    matrix
        float array of shape (n_features, n_features).
    parents
        int array of shape (n_members, n_features, k), below 0 for none.
    """
    _, child, _ = np.nonzero(parents >= 0)
    parent = parents[parents >= 0]
    return float(matrix[child, parent].mean()) if len(child) else np.nan
