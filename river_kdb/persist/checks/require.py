"""Small checks that raise one kind of error."""

from __future__ import annotations

from typing import Any

import numpy as np

MOST_EVENTS = 2**53


def require(condition: Any, what: str) -> None:
    """Raise unless a condition holds.

    Parameters
    ----------
    condition
        The condition.
    what
        What is wrong if it does not.

    Raises
    ------
    ValueError
        If it does not hold.
    """
    if not condition:
        raise ValueError(what)


def require_array(name: str, array: Any, dtype: Any, shape: tuple[int, ...]) -> None:
    """Raise unless something is an array as the kernels take it.

    Parameters
    ----------
    name
        What it is called, for the message.
    array
        The array.
    dtype
        Its type.
    shape
        Its shape.

    Raises
    ------
    ValueError
        If it is of another type or shape, or its cells don't lie one after the other.
    """
    require(type(array) is np.ndarray, f"{name} is no array")
    good = array.dtype == np.dtype(dtype) and array.dtype.isnative and array.shape == shape
    require(good and array.flags.c_contiguous, f"{name} is {array.dtype}{array.shape}, not {shape}")


def require_within(name: str, array: Any, least: Any, most: Any) -> None:
    """Raise unless all values of an array are within bounds.

    Parameters
    ----------
    name
        What it is called, for the message.
    array
        The array.
    least, most
        The smallest and largest value there may be: numbers, or arrays that go with it.

    Raises
    ------
    ValueError
        If one is not.
    """
    require(np.all((array >= least) & (array <= most)), f"{name} has a value out of bounds")


def require_equal(name: str, array: Any, expected: np.ndarray) -> None:
    """Raise unless something is the array that follows from the rest.

    Parameters
    ----------
    name
        What it is called, for the message.
    array
        The array.
    expected
        What it has to be.

    Raises
    ------
    ValueError
        If it is not.
    """
    require_array(name, array, expected.dtype, expected.shape)
    require(np.array_equal(array, expected), f"{name} does not go with the rest")


def require_counts(name: str, array: Any, shape: tuple[int, ...]) -> None:
    """Raise unless something is an array of counts, none of which is below 0.

    Parameters
    ----------
    name
        What it is called, for the message.
    array
        The array.
    shape
        Its shape.

    Raises
    ------
    ValueError
        If it is not.
    """
    require_array(name, array, np.float64, shape)
    require(not (array.size and np.min(array) < 0.0), f"{name} has a count below 0")


def require_whole(name: str, value: Any, least: int = 0, most: int = MOST_EVENTS) -> None:
    """Raise unless something is a whole number within bounds.

    Parameters
    ----------
    name
        What it is called, for the message.
    value
        The number.
    least, most
        The smallest and largest it may be.

    Raises
    ------
    ValueError
        If it is anything else.
    """
    require(type(value) is int and least <= value <= most, f"{name} is {value!r:.60}")
