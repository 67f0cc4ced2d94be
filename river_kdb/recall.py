"""The latest posterior of a model, kept for whoever asks about the same event again.

It is kept apart from the models, so that it is no part of their state, copies or size.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

_LATEST: WeakKeyDictionary[Any, tuple[bytes, np.ndarray]] = WeakKeyDictionary()


def recall(owner: Any, row: np.ndarray, compute: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Return the posterior of a raw row; it is computed unless the latest was of the same row.

    Parameters
    ----------
    owner
        Whose posterior it is.
    row
        float64 array of shape (n_features,).
    compute
        Gives the posterior (m,) of a row.
    """
    key = row.tobytes()
    latest = _LATEST.get(owner)
    if latest is not None and latest[0] == key:
        return latest[1]
    posterior = compute(row)
    _LATEST[owner] = key, posterior
    return posterior


def drop_latest(owner: Any) -> None:
    """Drop the latest posterior, since what it came from is about to change.

    Parameters
    ----------
    owner
        Whose posterior it is.
    """
    _LATEST.pop(owner, None)
