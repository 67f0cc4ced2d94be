"""Estimates of probabilities from counts."""

from __future__ import annotations

import numbers
from typing import Any

from river_kdb.jit import kernel

M_ESTIMATE = -1.0
"""The value of the kernels' `smoothing` that stands for the m-estimate; else it is s > 0."""


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
def m_estimate(count, context, n_values):
    """Return (N(x, context) + 1 / v) / (N(context) + 1)."""
    return (count + 1.0 / n_values) / (context + 1.0)


@kernel
def back_off(count, context, shorter, strength):
    """Return (N(x, context) + s p) / (N(context) + s), p the estimate with one parent less."""
    return (count + strength * shorter) / (context + strength)
