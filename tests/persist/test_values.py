"""Values without parts keep their types in JSON."""

from __future__ import annotations

import json
import math
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_kdb.features.boxes import box, unbox
from river_kdb.persist.values import dtype_name, dtype_of, of_json, to_json


def again(value):
    return of_json(json.loads(json.dumps(to_json(value), allow_nan=False)))


_SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.binary(max_size=9),
    st.integers(-(2**63), 2**63 - 1).map(np.int64), st.floats().map(np.float64),
    st.floats(width=32).map(np.float32), st.booleans().map(np.bool_), st.text().map(np.str_),
)  # fmt: skip


@settings(max_examples=200)
@given(_SCALARS)
def test_every_scalar_comes_back(value):
    found = again(value)
    assert type(found) is type(value)
    assert repr(found) == repr(value)


def test_a_nan_keeps_the_id_that_it_carries():
    assert unbox(again(box(12345))) == 12345
    assert struct.pack("d", again(math.nan)) == struct.pack("d", math.nan)


@pytest.mark.parametrize(
    "value",
    [np.datetime64("2026-02-03", "s"), np.timedelta64(3, "D"), np.complex128(1 + 2j),
     np.bytes_(b"x\0y"), np.float16(0.5), np.uint8(255), np.datetime64("NaT", "s"), -0.0],
)  # fmt: skip
def test_odd_scalars_come_back(value):
    found = again(value)
    assert type(found) is type(value)
    assert repr(to_json(found)) == repr(to_json(value))


@pytest.mark.parametrize("value", [1j, object(), frozenset(), np.longdouble(1), np.void(b"x"), []])
def test_others_are_refused(value):
    with pytest.raises(TypeError, match="not supported"):
        to_json(value)


def test_long_numbers():
    assert again(-(10**5000)) == -(10**5000)
    with pytest.raises(ValueError, match="too many digits"):
        to_json(1 << 2**23)


class Text(str):
    pass


def test_subclasses_are_refused():
    with pytest.raises(TypeError, match="Text is not supported"):
        to_json(Text("x"))


@pytest.mark.parametrize(
    "text",
    [2**53 + 1, {}, [], [1], ["int"], ["int", "1", "2"], ["x", "y"],
     ["float", "00"], ["bytes", "?"], ["numpy", "|O", ""], ["numpy", "<i8", "00"],
     ["numpy", "|b1", "07"], [["int", "1"]], ["float", 1]],
)  # fmt: skip
def test_other_json_is_refused(text):
    with pytest.raises(ValueError):  # noqa: PT011, whatever the parser says
        of_json(text)


def test_types_of_numpy():
    for name in ("|b1", "<i2", ">f8", "<u8", "<c16", "<M8[ns]", "<m8[D]"):
        assert dtype_name(dtype_of(name)) == name
    for name in ("|O", "<U3", "|V8", "i8", "=i8", "<f16", "<i4,<i4", "<M8[1e9s]", None, 8):
        with pytest.raises(ValueError, match="unknown type"):
            dtype_of(name)
