"""What each feature adds to the log odds of the most probable class over the next."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from river_kdb.features.boxes import UNSEEN
from river_kdb.inference.factors import Factor

__all__ = ["LogOdds", "log_odds_by_factors", "log_odds_by_steps", "logarithms", "partial_events"]

_LOG_SMALLEST = math.log(5e-324)


class LogOdds(NamedTuple):
    """The log odds of two classes, in parts.

    Attributes
    ----------
    winner, runner_up
        Indices of the classes.
    prior
        The log odds while no feature is known, in nats.
    contributions
        float64 array of shape (n_features,): what each feature adds, in nats.
    factors
        The factors behind, where there is one network.
    """

    winner: int
    runner_up: int
    prior: float
    contributions: np.ndarray
    factors: Sequence[Factor] = ()


def logarithms(probabilities: np.ndarray) -> np.ndarray:
    """Return natural logarithms; that of 0 is taken as that of the smallest float above, -744.4.

    Parameters
    ----------
    probabilities
        float array of any shape.

    Examples
    --------
    >>> import numpy as np
    >>> from river_kdb.explain.contributions import logarithms
    >>> logarithms(np.array([1.0, 0.0])).round(2).tolist()
    [0.0, -744.44]
    """
    found = np.full(probabilities.shape, _LOG_SMALLEST)
    np.log(probabilities, out=found, where=probabilities > 0.0)
    return found


def partial_events(row: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Return an event of which more and more is known: down an order, then up.

    Parameters
    ----------
    row
        float64 array of shape (n_features,): the raw row.
    order
        int array of shape (n_features,): the features.

    Returns
    -------
    float64 array of shape (n_features, 2 n_features + 2), in which what is not known yet is as
    never learned. The first half of the columns goes down the order, the second up.
    """
    n = len(row)
    place = np.empty(n, dtype=np.int64)
    place[order] = np.arange(n)
    n_known = np.arange(n + 1)
    down = place[:, None] < n_known
    up = place[:, None] >= n - n_known
    return np.where(np.concatenate([down, up], axis=1), row[:, None], UNSEEN)


def log_odds_by_steps(
    answer: Callable[[np.ndarray], np.ndarray], row: np.ndarray, order: np.ndarray, winner: int
) -> LogOdds:
    """Return the log odds by what changes them when one feature after the other becomes known.

    The differences telescope, so that they add up. Each is the mean of two: down the order and
    up, since what two features share is credited to the earlier one.

    Parameters
    ----------
    answer
        Gives the posteriors (b, m) of raw rows (n, b).
    row
        float64 array of shape (n_features,): the raw row.
    order
        int array of shape (n_features,): the features.
    winner
        Index of the most probable class.
    """
    n = len(row)
    scores = logarithms(answer(partial_events(row, order)))
    runner_up = _best_but(scores[n], winner)
    odds = scores[:, winner] - scores[:, runner_up]
    contributions = np.empty(n)
    contributions[order] = (np.diff(odds[: n + 1]) + np.diff(odds[n + 1 :])[::-1]) / 2.0
    return LogOdds(winner, runner_up, float(odds[0]), contributions)


def log_odds_by_factors(
    prior: np.ndarray, factors: Sequence[Factor], n_features: int, winner: int
) -> LogOdds:
    """Return the log odds under one network: each feature adds its factor's log ratio.

    Parameters
    ----------
    prior
        float64 array of shape (n_classes,): P(c).
    factors
        The factors, at most one a feature.
    n_features
        How many features there are.
    winner
        Index of the most probable class.
    """
    logs = np.zeros((n_features, len(prior)))
    for factor in factors:
        logs[factor.feature] = np.log(factor.probabilities)
    start = np.log(prior)
    runner_up = _best_but(start + logs.sum(axis=0), winner)
    contributions = logs[:, winner] - logs[:, runner_up]
    first = float(start[winner] - start[runner_up])
    return LogOdds(winner, runner_up, first, contributions, factors)


def _best_but(scores: np.ndarray, winner: int) -> int:
    """Return the class of the largest score (m,) but one; of equals the first."""
    others = scores.copy()
    others[winner] = -np.inf
    if np.isneginf(others).all():
        return int(winner == 0)
    return int(np.argmax(others))
