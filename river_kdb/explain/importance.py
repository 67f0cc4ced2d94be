"""How much worse a model does without each feature."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

import numpy as np

from river_kdb.explain.contributions import logarithms
from river_kdb.features.boxes import UNSEEN

__all__ = ["feature_importance"]


def feature_importance(
    answer: Callable[[np.ndarray], np.ndarray],
    names: Sequence[Hashable],
    raw: np.ndarray,
    labels: np.ndarray,
    weights: np.ndarray,
) -> dict[Hashable, float]:
    """Return the rise of the mean log loss when a feature is left out, in nats, the largest first.

    Parameters
    ----------
    answer
        Gives the posteriors (b, m) of raw rows (n, b).
    names
        Names of the features.
    raw
        float64 array of shape (n_features, n_events): raw rows.
    labels
        int array of shape (n_events,): their classes.
    weights
        float64 array of shape (n_events,), all above 0.
    """
    if not raw.size:
        return {}
    before = _mean_log_loss(answer(raw), labels, weights)
    rises = np.empty(len(names))
    for i in range(len(names)):
        without = raw.copy()
        without[i] = UNSEEN
        rises[i] = _mean_log_loss(answer(without), labels, weights) - before
    return {names[i]: float(rises[i]) for i in np.argsort(-rises, kind="stable")}


def _mean_log_loss(posteriors: np.ndarray, labels: np.ndarray, weights: np.ndarray) -> float:
    losses = -logarithms(posteriors[np.arange(len(labels)), labels])
    return float(np.average(losses, weights=weights))
