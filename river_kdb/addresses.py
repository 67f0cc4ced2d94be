"""Arrays handed to a kernel by their addresses.

Every array that a call from Python hands over costs some 50 to 100 ns, and an event's kernels
need twenty. So their addresses and shapes are noted in one array, which is all that is handed
over. Whoever notes them keeps the arrays too: an address keeps nothing alive.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numba
import numpy as np
from numba.core import types
from numba.extending import intrinsic, overload

from river_kdb.jit import inlined

carray: Any = numba.carray  # type: ignore[attr-defined]

_MOST_DIMENSIONS = 3
_FILLING = (1,) * _MOST_DIMENSIONS


def addresses_of(arrays: Sequence[np.ndarray]) -> np.ndarray:
    """Return addresses and shapes of arrays: int64 of shape (n_arrays, 4).

    Parameters
    ----------
    arrays
        C-contiguous arrays of at most three dimensions.

    Raises
    ------
    ValueError
        For an array whose cells don't lie where a kernel looks for them.

    Examples
    --------
    >>> import numpy as np
    >>> from river_kdb.addresses import addresses_of, float_table
    >>> table = np.array([[1.0, 2.0], [3.0, 4.0]])
    >>> noted = addresses_of([table])
    >>> float_table(noted, 0)[1, 0] = 5.0
    >>> table.tolist()
    [[1.0, 2.0], [5.0, 4.0]]
    """
    return np.array([_note(array) for array in arrays], dtype=np.int64)


def _note(array: Any) -> tuple[int, ...]:
    flags = array.flags
    if not flags.c_contiguous or array.ndim > _MOST_DIMENSIONS:
        raise ValueError(f"only C-contiguous arrays can be noted, got {flags}")
    if flags.writeable and array.size:
        address = ctypes.addressof(ctypes.c_char.from_buffer(array))  # four times as fast
    else:
        address = array.ctypes.data
    return address, *array.shape, *_FILLING[array.ndim :]


def _pointer(address):
    return ctypes.c_void_p(int(address))


@intrinsic
def _cast(context: Any, address: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return builder.inttoptr(given[0], context.get_value_type(signature.return_type))

    return types.voidptr(types.int64), build


@overload(_pointer)
def _compiled_pointer(address):
    return lambda address: _cast(address)  # type: ignore[call-arg]


@inlined
def floats(noted, j):
    """Return array number `j`, float64 of one dimension."""
    return carray(_pointer(noted[j, 0]), (noted[j, 1],), np.float64)


@inlined
def float_table(noted, j):
    """Return array number `j`, float64 of two dimensions."""
    return carray(_pointer(noted[j, 0]), (noted[j, 1], noted[j, 2]), np.float64)


@inlined
def integers(noted, j):
    """Return array number `j`, int64 of one dimension."""
    return carray(_pointer(noted[j, 0]), (noted[j, 1],), np.int64)


@inlined
def integer_table(noted, j):
    """Return array number `j`, int64 of two dimensions."""
    return carray(_pointer(noted[j, 0]), (noted[j, 1], noted[j, 2]), np.int64)


@inlined
def shorts(noted, j):
    """Return array number `j`, int16 of one dimension."""
    return carray(_pointer(noted[j, 0]), (noted[j, 1],), np.int16)


@inlined
def short_table(noted, j):
    """Return array number `j`, int16 of two dimensions."""
    return carray(_pointer(noted[j, 0]), (noted[j, 1], noted[j, 2]), np.int16)


@inlined
def words(noted, j):
    """Return array number `j`, int32 of one dimension."""
    return carray(_pointer(noted[j, 0]), (noted[j, 1],), np.int32)


@inlined
def word_block(noted, j):
    """Return array number `j`, int32 of three dimensions."""
    return carray(_pointer(noted[j, 0]), (noted[j, 1], noted[j, 2], noted[j, 3]), np.int32)
