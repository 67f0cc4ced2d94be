"""Arrays are written as numpy does, and read without its trust."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from river_kdb.persist.npy import array_of, bytes_of, describe, header


@settings(max_examples=40)
@given(
    hnp.arrays(
        st.sampled_from(["<f8", "<i2", "|b1", ">u4", "<c16"]),
        hnp.array_shapes(min_dims=0, min_side=0, max_side=5),
    ),
    st.booleans(),
)
def test_numpy_reads_and_writes_the_same(array, fortran):
    array = np.asfortranarray(array) if fortran else array
    name, order, shape = describe(array)
    data = header(name, order, tuple(shape)) + bytes_of(array).tobytes()
    out = io.BytesIO()
    np.save(out, array, allow_pickle=False)
    assert out.getvalue() == data
    found = array_of(memoryview(bytes_of(array).tobytes()), name, order, shape)
    assert found.tobytes() == array.tobytes()


@pytest.mark.parametrize(
    ("name", "order", "shape"),
    [
        ("<f8", "C", [2]), ("<f8", "C", [-1]), ("<f8", "C", [2**62, 4]), ("<f8", "C", (1,)),
        ("<f8", "K", [1]), ("|O", "C", [1]), ("<f8", "C", [True]), ("<f8", "C", [1] * 40),
        ("|b1", "C", [8]), ("<f8", "C", None), (None, "C", [1]), ("<f8", None, [1]),
    ],
)  # fmt: skip
def test_what_does_not_go_together_is_refused(name, order, shape):
    with pytest.raises(ValueError):  # noqa: PT011, all that is wrong
        array_of(memoryview(b"\7" * 8), name, order, shape)
