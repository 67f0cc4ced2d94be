"""Arrays as the bytes of an .npy file, and back, without trusting a header."""

from __future__ import annotations

import functools
import io
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib import format as npy_format

from river_kdb.persist.values import dtype_name, dtype_of

_MOST_DIMENSIONS = 32


def describe(array: np.ndarray) -> tuple[str, str, list[int]]:
    """Return type, memory order and shape of an array, as JSON has them.

    Parameters
    ----------
    array
        The array.

    Raises
    ------
    TypeError
        If it holds no bools, numbers or times of fixed size.
    """
    flags = array.flags
    order = "F" if flags.f_contiguous and not flags.c_contiguous else "C"
    return dtype_name(array.dtype), order, list(array.shape)


def bytes_of(array: np.ndarray) -> np.ndarray:
    """Return the bytes of an array in its memory order, uint8 array of one dimension.

    Parameters
    ----------
    array
        The array; only one that is not contiguous is copied.
    """
    flags = array.flags
    flat = array.ravel(order="K" if flags.c_contiguous or flags.f_contiguous else "C")
    return flat.view(np.uint8)


@functools.lru_cache(maxsize=256)
def header(name: str, order: str, shape: tuple[int, ...]) -> bytes:
    """Return the header of an .npy file.

    Parameters
    ----------
    name
        Type of numpy.
    order
        `"C"` or `"F"`.
    shape
        The shape.
    """
    out = io.BytesIO()
    fields = {"descr": name, "fortran_order": order == "F", "shape": shape}
    npy_format.write_array_header_1_0(out, fields)
    return out.getvalue()


def array_of(data: memoryview, name: Any, order: Any, shape: Any) -> np.ndarray:
    """Return the array with these bytes.

    Parameters
    ----------
    data
        The bytes, without a header.
    name, order, shape
        As `describe` gave them.

    Raises
    ------
    ValueError
        If they don't go together, or are no such things.
    """
    dtype, shape = dtype_of(name), check_shape(shape)
    if order not in ("C", "F"):
        raise ValueError(f"unknown memory order {order!r:.60}")
    if math.prod(shape) * dtype.itemsize != len(data):
        raise ValueError(f"{len(data)} bytes are no array of shape {shape!s:.60} and type {dtype}")
    array = np.empty(shape, dtype, order=order)
    if array.size:
        found = np.frombuffer(data, np.uint8)
        if dtype.kind == "b" and found.max() > 1:
            raise ValueError("bools that are neither true nor false")
        bytes_of(array)[:] = found
    return array


def check_shape(shape: Any) -> tuple[int, ...]:
    """Return a shape that JSON has as a tuple.

    Parameters
    ----------
    shape
        A list of whole numbers from 0.

    Raises
    ------
    ValueError
        For anything else.
    """
    if type(shape) is not list or len(shape) > _MOST_DIMENSIONS:
        raise ValueError(f"no shape: {shape!r:.60}")
    _check_sizes(shape)
    return tuple(shape)


def _check_sizes(shape: Sequence[Any]) -> None:
    for size in shape:
        if type(size) is not int or not 0 <= size < 2**48:
            raise ValueError(f"no shape: {shape!r:.60}")
