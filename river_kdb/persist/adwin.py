"""What the compiled half of River's ADWIN holds, as plain values.

River 0.24 has it in Cython, whose C arrays are read without a check of bounds, later releases in
Rust, which packs its fields as bincode does. Both hold the same.
"""

from __future__ import annotations

import math
import struct
from typing import Any, NamedTuple

import numpy as np

from river_kdb.persist.known import class_of

_MOST_BUCKETS = 2**16
_MOST_ROWS = 60

_HEAD, _COUNT, _SIZES, _TAIL = (struct.Struct(form) for form in ("<diQ6d4I", "<Q", "<QQ", "<diQii"))


class _Adwin(NamedTuple):
    """Parameters, totals, and rows of buckets: the totals and variances of each (2, any)."""

    delta: float
    clock: int
    max_buckets: int
    min_window_length: int
    grace_period: int
    total: float
    variance: float
    width: float
    total_width: float
    n_buckets: int
    max_n_buckets: int
    tick: int
    n_detections: int
    rows: list[np.ndarray]


def adwin_state(helper: Any) -> list[Any]:
    """Return what a helper of ADWIN holds.

    Parameters
    ----------
    helper
        The helper.

    Raises
    ------
    TypeError
        If River's release holds it in a form that is not known.
    """
    state = helper.__reduce_ex__(4)[2]
    try:
        if isinstance(state, bytes):
            found = _unpacked(state)
            known = _packed(found) == state
        else:
            found = _of_cython(state)
            known = True
        _check(found)
    except (struct.error, ValueError, IndexError, TypeError):
        known = False
    if not known:
        raise TypeError("ADWIN of this release of River is not supported")
    return list(found)


def adwin_of(state: list[Any]) -> Any:
    """Return a helper of ADWIN.

    Parameters
    ----------
    state
        What it holds.

    Raises
    ------
    ValueError
        If that is no state of one.
    """
    found = _Adwin(*state)
    _check(found)
    helper = class_of("river.ADWIN")(*found[:5])._helper
    if isinstance(helper.__reduce_ex__(4)[2], bytes):
        helper.__setstate__(_packed(found))
    else:
        helper.__setstate__(_to_cython(found))
    return helper


def _check(found: _Adwin) -> None:
    """Raise unless the values are such that an update stays within the rows."""
    floats = (found.delta, found.total, found.variance, found.width, found.total_width)
    fine = all(type(v) is float and math.isfinite(v) for v in floats)
    fine = fine and all(type(v) is int and 0 <= v < 2**31 for v in found[1:5])
    fine = fine and all(type(v) is int and 0 <= v < 2**32 for v in found[9:13])
    fine = fine and found.clock >= 1 and 1 <= found.max_buckets <= _MOST_BUCKETS
    fine = fine and type(found.rows) is list and 1 <= len(found.rows) <= _MOST_ROWS
    fine = fine and all(_is_row(row, found.max_buckets) for row in found.rows)
    width = sum(row.shape[1] << q for q, row in enumerate(found.rows)) if fine else 0
    if not fine or width != found.width:
        raise ValueError("no state of ADWIN")


def _is_row(row: Any, most: int) -> bool:
    fine = isinstance(row, np.ndarray) and row.dtype == np.float64 and row.ndim == 2
    return fine and row.shape[0] == 2 and row.shape[1] <= most and bool(np.isfinite(row).all())


def _unpacked(state: bytes) -> _Adwin:
    delta, clock, most, least, grace, *totals_and_counts = _HEAD.unpack_from(state)
    at = _HEAD.size
    (n_rows,) = _COUNT.unpack_from(state, at)
    at += _COUNT.size
    rows = []
    for _ in range(n_rows):
        _, used = _SIZES.unpack_from(state, at)
        at += _SIZES.size
        halves = []
        for _ in range(2):
            (size,) = _COUNT.unpack_from(state, at)
            at += _COUNT.size
            halves.append(np.frombuffer(state, "<f8", size, at)[:used])
            at += 8 * size
        rows.append(np.array(halves).reshape(2, used))
    head = delta, clock, most, int(least), int(grace)
    return _Adwin._make((*head, *totals_and_counts, rows))


def _packed(found: _Adwin) -> bytes:
    delta, clock, most, least, grace = found[:5]
    parts = [_HEAD.pack(delta, clock, most, least, grace, *found[5:13])]
    parts.append(_COUNT.pack(len(found.rows)))
    for row in found.rows:
        parts.append(_SIZES.pack(most, row.shape[1]))
        for half in row:
            parts += [_COUNT.pack(most + 1), half.tobytes(), bytes(8 * (most + 1 - len(half)))]
    parts.append(_TAIL.pack(delta, clock, most, least, grace))
    return b"".join(parts)


def _of_cython(state: tuple[Any, ...]) -> _Adwin:
    buckets, clock, delta, _, _, grace, most, largest, least, n, seen, tick, *totals = state
    total, total_width, variance, width = totals
    rows = []
    for bucket in buckets:
        _, used, values, variances = bucket.__reduce__()[1]
        rows.append(np.array([values, variances], dtype=np.float64).reshape(2, used))
    counts = n, largest, tick, seen
    return _Adwin(
        delta, clock, most, least, grace, total, variance, width, total_width, *counts, rows
    )


def _to_cython(found: _Adwin) -> tuple[Any, ...]:
    from river.drift.adwin_c import _rebuild_bucket

    buckets = [
        _rebuild_bucket(found.max_buckets, row.shape[1], row[0].tolist(), row[1].tolist())
        for row in found.rows
    ]
    first = buckets, found.clock, found.delta, 0, 0, found.grace_period, found.max_buckets
    second = found.max_n_buckets, found.min_window_length, found.n_buckets, found.n_detections
    return (
        *first, *second, found.tick,
        found.total, found.total_width, found.variance, found.width,
    )  # fmt: skip
