"""Arrays found again by their addresses."""

from __future__ import annotations

import doctest

import numpy as np
import pytest

from river_kdb import addresses
from river_kdb.jit import kernel

pytestmark = pytest.mark.kernel

READERS = {
    "floats": (np.float64, 1),
    "float_table": (np.float64, 2),
    "integers": (np.int64, 1),
    "integer_table": (np.int64, 2),
    "shorts": (np.int16, 1),
    "short_table": (np.int16, 2),
    "words": (np.int32, 1),
    "word_block": (np.int32, 3),
}
SHAPE = (3, 2, 4)


def test_the_examples():
    assert doctest.testmod(addresses).failed == 0


@pytest.mark.parametrize("name", READERS)
def test_an_array_is_found_again(name):
    """In Python as in a kernel: what is written to it there is written to the array."""
    kind, dimensions = READERS[name]
    read = getattr(addresses, name)

    @kernel
    def write(noted, j, place, value):
        read(noted, j)[place] = value
        return read(noted, j).shape

    shape, place = SHAPE[:dimensions], (1, 1, 3)[:dimensions]
    first, second = np.arange(5.0), np.arange(np.prod(shape)).astype(kind).reshape(shape)
    noted = addresses.addresses_of([first, second])
    expected = second.copy()
    assert read(noted, 1).tolist() == expected.tolist()
    expected[place] = 77
    where = place if dimensions > 1 else place[0]
    assert write(noted, 1, where, 77) == shape
    assert second.tolist() == expected.tolist()
    assert first.tolist() == [0, 1, 2, 3, 4]


def test_arrays_without_cells_and_those_that_are_only_read():
    still = np.arange(3.0)
    still.flags.writeable = False
    noted = addresses.addresses_of([np.empty(0), np.empty((2, 0)), still])
    assert addresses.floats(noted, 0).shape == (0,)
    assert addresses.float_table(noted, 1).shape == (2, 0)
    assert addresses.floats(noted, 2).tolist() == [0.0, 1.0, 2.0]


@pytest.mark.parametrize("array", [np.zeros((3, 4))[:, 1:], np.zeros(6)[::2], np.zeros((1,) * 4)])
def test_what_a_kernel_would_not_find_is_refused(array):
    with pytest.raises(ValueError, match="C-contiguous"):
        addresses.addresses_of([array])
