"""Category ids inside NaNs."""

from __future__ import annotations

import math
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_kdb.features.boxes import (
    ID_MASK,
    MARK_BITS,
    MISSING,
    UNSEEN,
    UNSEEN_ID,
    box,
    unbox,
    unbox_array,
)

IDS = st.one_of(
    st.sampled_from([0, 1, 2**31 - 1, 2**31, 2**32 - 2, UNSEEN_ID]), st.integers(0, 2**32 - 1)
)
NANS = [
    math.nan,
    -math.nan,
    struct.unpack("=d", struct.pack("=Q", 0x7FF00000000007A2))[0],  # R's NA
    struct.unpack("=d", struct.pack("=Q", 0x7FF0000000000001))[0],  # one that signals
    struct.unpack("=d", struct.pack("=Q", 0xFFFFFFFFFFFFFFFF))[0],
    np.float64("nan"),
    float(np.float32("nan")),
    float("inf") - float("inf"),
]


@given(IDS)
def test_an_id_comes_back(category_id):
    cell = box(category_id)
    assert type(cell) is float
    assert cell != cell
    assert unbox(cell) == category_id


@given(IDS)
def test_an_id_survives_an_array(category_id):
    row = np.empty(3)
    row[1] = box(category_id)
    moved = np.ascontiguousarray(np.stack([row, row])[:, ::-1])
    assert unbox(row[1]) == unbox(row.tolist()[1]) == unbox(moved[0, 1]) == category_id


@given(st.floats(allow_nan=False))
def test_a_number_is_no_box(number):
    assert unbox(number) == -1


@pytest.mark.parametrize("value", NANS)
def test_a_plain_nan_is_no_box(value):
    assert value != value
    assert unbox(value) == -1


@given(st.lists(st.one_of(st.floats(), st.sampled_from(NANS), IDS.map(box)), max_size=12))
def test_arrays(cells):
    values = np.array(cells, dtype=np.float64)
    expected = [unbox(cell) for cell in values]
    assert unbox_array(values).tolist() == expected
    pairs = np.stack([values, values])
    assert unbox_array(pairs).tolist() == [expected, expected]


def test_the_mark_and_the_mask_take_a_box_apart():
    """What kernels do with the bits is what `unbox` does."""
    bits = np.array([box(12345)]).view(np.int64)
    assert bits[0] >> 32 == MARK_BITS
    assert bits[0] & ID_MASK == 12345
    assert np.array([MISSING]).view(np.int64)[0] >> 32 != MARK_BITS


def test_missing_and_unseen():
    assert unbox(MISSING) == -1
    assert unbox(UNSEEN) == UNSEEN_ID
