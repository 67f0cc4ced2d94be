"""Columns of arrays and lists, and the numbers of keys against a dict."""

from __future__ import annotations

import datetime
import math
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_kdb.features.column import (
    Column,
    as_codes,
    no_values,
    number_keys,
    of_array,
    of_codes,
    of_list,
    of_objects,
    of_truths,
    rows_of,
)

WORDS = st.sampled_from([0, 1, 2, 2**32, 2**63, 2**64 - 1]) | st.integers(0, 2**64 - 1)


def cells_of(column):
    """The cells that a column stands for, None where missing."""
    if column.numbers is not None:
        return [None if math.isnan(number) else number for number in column.numbers.tolist()]
    return [column.values[code] if code >= 0 else None for code in column.codes.tolist()]


@pytest.mark.kernel
@pytest.mark.parametrize("width", [1, 2])
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_keys_are_numbered_as_they_appear(data, width):
    keys = data.draw(st.lists(st.tuples(*[WORDS] * width), max_size=40))
    number: dict[tuple[int, ...], int] = {}
    expected = [number.setdefault(key, len(number)) for key in keys]
    array = np.array(keys, dtype=np.uint64).reshape(len(keys), width)
    codes, first = number_keys(array)
    assert codes.tolist() == expected
    assert [keys[r] for r in first.tolist()] == list(number)
    assert first.tolist() == sorted(first.tolist())


OBJECTS = {
    "texts": ["x", "y", None, "x", math.nan, "z"],
    "texts apart": ["".join(["x", str(r % 3)]) for r in range(12)],
    "whole": [10**6, 3, 10**6, -4],
    "whole with gaps": [10**6, None, 3, math.nan],
    "real": [0.5, -0.0, 0.0, None, math.inf, math.nan],
    "too large to be exact": [2**53 + 1, 2**53, None],
    "far too large": [10**400, 1, None],
    "truths": [True, None, False, True],
    "truths and numbers": [True, 1, 0, False, 1.0],
    "days": [datetime.date(2020, 1, 1), None, datetime.date(2020, 1, 1)],
    "tuples": [("a", 1), ("a", 2), ("a", 1)],
    "of all sorts": [b"x", "x", 1.5, None, Decimal("1.5"), np.float32(0.5), np.str_("x")],
    "nothing": [None, None],
    "no rows": [],
}


@pytest.mark.parametrize("cells", OBJECTS.values(), ids=OBJECTS)
def test_objects_are_as_the_list_is(cells):
    array = np.empty(len(cells), dtype=object)
    array[:] = cells
    for column in (of_objects("a", array), of_objects("a", np.repeat(array, 2)[::2])):
        assert cells_of(column) == cells_of(of_list("a", cells))
        told_apart = [type(cell) for cell in cells_of(of_list("a", cells))]
        if column.numbers is None:
            assert [type(cell) for cell in cells_of(column)] == told_apart


@pytest.mark.parametrize("bad", [[1], {"q": 1}, 1j, Decimal("sNaN")], ids=repr)
def test_a_bad_object_is_named(bad):
    array = np.empty(3, dtype=object)
    array[:] = ["x", 1, bad]
    with pytest.raises(TypeError, match="'spoilt'"):
        of_objects("spoilt", array)


def test_arrays():
    assert cells_of(of_array("a", np.array([1.5, np.nan]))) == [1.5, None]
    assert cells_of(of_array("a", np.array([3, 1], dtype=np.uint8))) == [3, 1]
    assert cells_of(of_array("a", np.array([True, False]))) == [True, False]
    assert cells_of(of_array("a", np.array(["x", "y"], dtype=object))) == ["x", "y"]
    assert cells_of(of_array("a", np.array(["x", "y"]))) == ["x", "y"]


def test_values_that_do_not_occur_are_not_checked():
    column = of_codes("a", np.array([1, -1, 1]), [1j, 7, math.nan])
    assert cells_of(column) == [7, None, 7]
    with pytest.raises(TypeError, match="'a'"):
        of_codes("a", np.array([0, 1]), [1j, 7])


@pytest.mark.parametrize("gap", [None, math.nan])
def test_missing_among_the_values(gap):
    column = of_codes("a", np.array([0, 1, 2, -1, 1]), ["x", gap, 3])
    assert cells_of(column) == ["x", None, 3, None, None]


def test_truths_and_nothing():
    assert cells_of(of_truths(np.array([1, 0, -1], dtype=np.int8))) == [True, False, None]
    assert cells_of(no_values(2)) == [None, None]


def test_numbers_as_codes():
    column = as_codes(Column(np.array([2.5, math.nan, 1.0, 2.5, -0.0, 0.0]), None, []))
    assert cells_of(column) == [2.5, None, 1.0, 2.5, 0.0, 0.0]
    assert column.codes[4] == column.codes[5]
    assert as_codes(column) is column
    whole = as_codes(Column(np.array([-1, 2**62 + 1, 2**62, -1]), None, []))
    assert cells_of(whole) == [-1, 2**62 + 1, 2**62, -1]
    assert [type(value) for value in whole.values] == [int] * 3


@pytest.mark.parametrize("which", [slice(1, 3), np.array([1, 2])], ids=["slice", "array"])
def test_some_rows(which):
    columns = {"n": of_array("n", np.array([1.0, 2.0, 3.0])), "c": of_list("c", ["x", "y", "x"])}
    some = rows_of(columns, which)
    assert cells_of(some["n"]) == [2.0, 3.0]
    assert cells_of(some["c"]) == ["y", "x"]
