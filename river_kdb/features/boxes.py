"""Category ids inside float rows.

A raw row is an array of floats. A number stands there as itself; a missing value is a NaN; the
id of a category is a NaN too, one whose payload carries the id under a mark of our own. So a
column may hold numbers, texts and gaps at once, and one array is all that a window has to keep.
"""

from __future__ import annotations

import struct

import numpy as np

_MARK = 0xFFFCDB00
MARK_BITS = np.int64(_MARK - (1 << 32))
"""Upper half (as a signed number) of the bits of every boxed id."""

ID_MASK = np.int64(0xFFFFFFFF)
"""Lower half of the bits: the id itself."""

UNSEEN_ID = 0xFFFFFFFF
"""Id of a category that was never learned."""


def box(category_id: int) -> float:
    """Hide a category id in a NaN.

    Parameters
    ----------
    category_id
        A whole number from 0 to 2**32 - 1.

    Examples
    --------
    >>> from river_kdb.features.boxes import box, unbox
    >>> box(7)
    nan
    >>> unbox(box(7))
    7
    """
    return float(struct.unpack("=d", struct.pack("=Q", _MARK << 32 | category_id))[0])


def unbox(value: float) -> int:
    """Return the id hidden by `box`, or -1 for a number or a missing value.

    Parameters
    ----------
    value
        A cell of a raw row.

    Examples
    --------
    >>> from river_kdb.features.boxes import unbox
    >>> unbox(1.5), unbox(float("nan"))
    (-1, -1)
    """
    bits = int(struct.unpack("=Q", struct.pack("=d", value))[0])
    return bits & 0xFFFFFFFF if bits >> 32 == _MARK else -1


def unbox_array(values: np.ndarray) -> np.ndarray:
    """Return the ids hidden in an array of cells, -1 where there is none.

    Parameters
    ----------
    values
        float64 array of any shape, contiguous.
    """
    bits = values.view(np.int64)
    return np.where(bits >> 32 == MARK_BITS, bits & ID_MASK, -1)


UNSEEN = box(UNSEEN_ID)
MISSING = float("nan")
