"""How much the members of an ensemble disagree."""

from __future__ import annotations

import numpy as np


def vote_entropy(posteriors: np.ndarray) -> np.ndarray:
    """Return the entropy of the members' votes about every event, in nats.

    Each member votes for its most probable class, the first of equals.

    Parameters
    ----------
    posteriors
        float64 array of shape (n_members, n_events, n_classes).

    Returns
    -------
    float64 array of shape (n_events,): 0 where all members agree.

    Examples
    --------
    >>> import numpy as np
    >>> from river_kdb.inference.diversity import vote_entropy
    >>> split = [[0.9, 0.1], [0.2, 0.8]]
    >>> agreed = [[0.6, 0.4], [0.7, 0.3]]
    >>> vote_entropy(np.array([split, agreed]).swapaxes(0, 1)).round(4).tolist()
    [0.6931, 0.0]
    """
    n_members, n_events, n_classes = posteriors.shape
    votes = np.zeros((n_events, n_classes))
    for ballot in posteriors.argmax(axis=2):
        votes[np.arange(n_events), ballot] += 1.0
    shares = votes / n_members
    logs = np.log(np.where(shares > 0.0, shares, 1.0))
    return np.abs((shares * logs).sum(axis=1))
