"""Values that have no parts, as JSON that keeps their types.

None, bools, texts, and ints and floats that JSON has stand for themselves. Others are lists of a
tag and a text.
"""

from __future__ import annotations

import base64
import math
import re
import struct
from typing import Any

import numpy as np

MOST_EXACT = 2**53
"""Whole numbers up to this are numbers in JSON too; larger ones are written as hexadecimal text."""

_MOST_DIGITS = 2**20

_DTYPE = re.compile(
    r"[<>|](b1|[iu][1248]|f[248]|c8|c16|[mM]8(\[\d{0,9}(Y|M|W|D|h|m|s|ms|us|ns)\])?)"
)
"""Types of numpy that look the same on every machine."""


def dtype_name(dtype: np.dtype[Any]) -> str:
    """Return the name of a type of numpy.

    Parameters
    ----------
    dtype
        The type.

    Raises
    ------
    TypeError
        If it is none of bools, numbers and times of fixed size.
    """
    if not _DTYPE.fullmatch(dtype.str):
        raise TypeError(f"numpy's type {dtype} is not supported")
    return dtype.str


def dtype_of(name: Any) -> np.dtype[Any]:
    """Return the type of numpy with a name that `dtype_name` gave.

    Parameters
    ----------
    name
        The name.

    Raises
    ------
    ValueError
        For anything else.
    """
    if type(name) is not str or not _DTYPE.fullmatch(name):
        raise ValueError(f"unknown type of numpy {name!r:.60}")
    dtype = np.dtype(name)
    if dtype.str != name:
        raise ValueError(f"unknown type of numpy {name!r:.60}")
    return dtype


def is_scalar(value: Any) -> bool:
    """Say whether a value has no parts.

    Parameters
    ----------
    value
        Anything.
    """
    return value is None or type(value) in _SCALARS or isinstance(value, np.generic)


_SCALARS = (bool, int, float, str, bytes)


def to_json(value: Any) -> Any:
    """Return a value without parts as JSON.

    Parameters
    ----------
    value
        The value.

    Raises
    ------
    TypeError
        For a value that can't be saved.
    ValueError
        For a whole number of more than four million bits.

    Examples
    --------
    >>> from river_kdb.persist.values import of_json, to_json
    >>> to_json("a"), to_json(1.5), to_json(2**70), to_json(float("inf"))
    ('a', 1.5, ['int', '0x400000000000000000'], ['float', '7ff0000000000000'])
    >>> of_json(to_json(np.int8(5)))
    np.int8(5)
    """
    kind = type(value)
    if value is None or kind is bool or kind is str:
        return value
    if kind is int:
        if -MOST_EXACT <= value <= MOST_EXACT:
            return value
        if value.bit_length() > 4 * _MOST_DIGITS:
            raise ValueError("a whole number has too many digits")
        return ["int", hex(value)]
    if kind is float:
        # a NaN may carry the id of a category
        return value if math.isfinite(value) else ["float", struct.pack(">d", value).hex()]
    if kind is bytes:
        return ["bytes", base64.b64encode(value).decode()]
    if kind is np.str_:
        return ["numpy", "str", str(value)]
    if kind is np.bytes_:
        return ["numpy", "bytes", base64.b64encode(value).decode()]
    if isinstance(value, np.generic) and kind.__module__ == "numpy":
        return ["numpy", dtype_name(value.dtype), value.tobytes().hex()]
    raise TypeError(f"{kind.__name__} is not supported")


def of_json(json: Any) -> Any:
    """Return the value that `to_json` made JSON of.

    Parameters
    ----------
    json
        The JSON.

    Raises
    ------
    ValueError
        For anything that `to_json` does not give.
    """
    kind = type(json)
    if json is None or kind is bool or kind is str or kind is float:
        return json
    if kind is int and -MOST_EXACT <= json <= MOST_EXACT:
        return json
    if kind is not list or not all(type(part) is str for part in json):
        raise ValueError(f"no value: {json!r:.60}")
    match json:
        case ["int", text] if len(text) <= _MOST_DIGITS + 3:
            return int(text, 16)
        case ["float", text] if len(text) == 16:
            return struct.unpack(">d", bytes.fromhex(text))[0]
        case ["bytes", text]:
            return base64.b64decode(text, validate=True)
        case ["numpy", "str", text]:
            return np.str_(text)
        case ["numpy", "bytes", text]:
            return np.bytes_(base64.b64decode(text, validate=True))
        case ["numpy", name, text]:
            return _numpy_scalar(dtype_of(name), bytes.fromhex(text))
    raise ValueError(f"no value: {json!r:.60}")


def _numpy_scalar(dtype: np.dtype[Any], data: bytes) -> np.generic:
    if len(data) != dtype.itemsize or (dtype.kind == "b" and data not in (b"\0", b"\1")):
        raise ValueError(f"{data!r:.60} is no {dtype}")
    return np.frombuffer(data, dtype)[0]
