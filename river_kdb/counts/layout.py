"""How much room the count tables have."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

_FIRST_CLASSES = 2


class Layout(NamedTuple):
    """Room for slots and classes.

    Attributes
    ----------
    caps
        int64 array of shape (n_features,): room for slots.
    class_capacity
        Room for classes; the class axis of every table is last and padded to this.
    """

    caps: np.ndarray
    class_capacity: int


def class_room(n_classes: int) -> int:
    """Return the class capacity for a number of classes: 2, 4, 8, ...

    Parameters
    ----------
    n_classes
        How many classes there are.

    Examples
    --------
    >>> from river_kdb.counts.layout import class_room
    >>> [class_room(m) for m in (0, 2, 3, 5)]
    [2, 2, 4, 8]
    """
    room = _FIRST_CLASSES
    while room < n_classes:
        room *= 2
    return room


def slot_room(n_slots: int) -> int:
    """Return the room to give a feature that just ran out of it.

    Parameters
    ----------
    n_slots
        How many slots it needs.

    Examples
    --------
    >>> from river_kdb.counts.layout import slot_room
    >>> [slot_room(s) for s in (0, 3, 10)]
    [1, 4, 13]
    """
    return max(1, n_slots + (n_slots + 2) // 4)
