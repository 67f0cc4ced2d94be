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
from numba.np.arrayobj import make_array, populate_array

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


def _reader(kind: Any, dimensions: int) -> Any:
    """Return a function of `noted` and j that gives array number j, of such a type, to a kernel."""
    array_type = types.Array(numba.from_dtype(np.dtype(kind)), dimensions, "C")

    # `numba.carray` would do, and take the compiler three times as long
    @intrinsic
    def found(context, noted, j):
        def build(context, builder, signature, given):
            notes = make_array(signature.args[0])(context, builder, given[0])
            first = builder.mul(given[1], builder.extract_value(notes.shape, 1))
            note = [
                builder.load(builder.gep(notes.data, [builder.add(first, first.type(place))]))
                for place in range(1 + dimensions)
            ]
            itemsize = context.get_constant(types.intp, array_type.dtype.bitwidth // 8)
            strides = [itemsize]
            for size in reversed(note[2:]):
                strides.insert(0, builder.mul(strides[0], size))
            array = make_array(array_type)(context, builder)
            data = builder.inttoptr(note[0], array.data.type)
            populate_array(array, data, note[1:], strides, itemsize, meminfo=None)
            return array._getvalue()

        return array_type(noted, types.intp), build

    def read(noted, j):
        address, *shape = noted[j, : 1 + dimensions].tolist()
        return carray(ctypes.c_void_p(address), tuple(shape), kind)

    overload(read)(lambda noted, j: lambda noted, j: found(noted, j))  # type: ignore[call-arg]
    return read


floats, float_table = _reader(np.float64, 1), _reader(np.float64, 2)
integers, integer_table = _reader(np.int64, 1), _reader(np.int64, 2)
shorts, short_table = _reader(np.int16, 1), _reader(np.int16, 2)
words, word_block = _reader(np.int32, 1), _reader(np.int32, 3)
