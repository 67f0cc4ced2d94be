"""Estimates of probabilities from counts."""

from __future__ import annotations

import numbers
from typing import Any

from river_kdb.jit import kernel

M_ESTIMATE = -1.0
"""The value of the kernels' `smoothing` that stands for the m-estimate; else it is s > 0."""

EQUAL_SHARES = 0.75
"""How often equal shares of the values count as seen in every context; chosen by measurement, as
they keep a context that a class hardly had from deciding against it."""


def smoothing_strength(smoothing: Any) -> float:
    """Return the parameter `smoothing` as the kernels take it.

    Parameters
    ----------
    smoothing
        A number larger than 0, or `"m-estimate"`.

    Raises
    ------
    ValueError
        For anything else.

    Examples
    --------
    >>> from river_kdb.inference.smoothing import smoothing_strength
    >>> smoothing_strength(5), smoothing_strength("m-estimate")
    (5.0, -1.0)
    """
    if smoothing == "m-estimate":
        return M_ESTIMATE
    number = isinstance(smoothing, numbers.Real) and not isinstance(smoothing, bool)
    if number and 0.0 < smoothing < float("inf"):
        return float(smoothing)
    raise ValueError(f"smoothing must be a number above 0 or 'm-estimate', got {smoothing!r}")


@kernel
def m_estimate(count, context, n_values, unit=1.0):
    """Return (N(x, context) + 1 / v) / (N(context) + 1), the counts given in a unit."""
    return equal_start(count, context, unit / n_values, unit)


@kernel
def equal_start(count, context, share, unit):
    """Return the m-estimate, given the unit's equal share of a value."""
    return (count + share) / (context + unit)


@kernel
def back_off(count, context, shorter, strength, n_values, unit=1.0):
    """Return (N(x, context) + s p + u / v) / (N(context) + s + u), the counts given in a unit.

    p is the estimate with one parent less, u is `EQUAL_SHARES`.
    """
    return lean_on(count, context, shorter, strength, EQUAL_SHARES / n_values, unit)


@kernel
def lean_on(count, context, shorter, strength, share, unit):
    """Return the estimate that is backed off, given the equal share of a value in u."""
    prior = unit * (strength * shorter + share)
    return (count + prior) / (context + unit * strength + unit * EQUAL_SHARES)
