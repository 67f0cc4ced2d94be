"""The latest answer of a model, kept for whoever asks about the same event again.

It is kept apart from the models, so that it is no part of their state, copies or size.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

_LATEST: WeakKeyDictionary[Any, tuple[bytes, Any]] = WeakKeyDictionary()


def recall(owner: Any, row: np.ndarray, compute: Callable[[np.ndarray], Any]) -> Any:
    """Return the answer to a raw row; it is computed unless the latest was to the same row.

    Parameters
    ----------
    owner
        Whose answer it is.
    row
        float64 array of shape (n_features,).
    compute
        Gives the answer to a row.
    """
    key = row.tobytes()
    latest = _LATEST.get(owner)
    if latest is not None and latest[0] == key:
        return latest[1]
    answer = compute(row)
    _LATEST[owner] = key, answer
    return answer


def drop_latest(owner: Any) -> None:
    """Drop the latest answer, since what it came from is about to change.

    Parameters
    ----------
    owner
        Whose answer it is.
    """
    _LATEST.pop(owner, None)
