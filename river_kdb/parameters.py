"""Checks of the parameters that all models share."""

from __future__ import annotations

import math
import numbers
from collections.abc import Collection, Hashable
from typing import Any

_MAX_SLOTS = 30_000


def check_choice(name: str, value: Any, choices: Collection[Any]) -> None:
    """Raise unless the value is one of the choices.

    Parameters
    ----------
    name
        Name of the parameter.
    value
        Its value.
    choices
        What it may be.

    Raises
    ------
    ValueError
        If it is none of them.
    """
    if value not in choices:
        listed = ", ".join(repr(choice) for choice in choices)
        raise ValueError(f"{name} must be one of {listed}, got {value!r}")


def check_count(name: str, value: Any, least: int, most: int | None = None) -> None:
    """Raise unless the value is a whole number within bounds.

    Parameters
    ----------
    name
        Name of the parameter.
    value
        Its value.
    least, most
        The smallest and largest it may be.

    Raises
    ------
    ValueError
        If it is anything else.
    """
    whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not whole or value < least or (most is not None and value > most):
        bounds = f"at least {least}" if most is None else f"from {least} to {most}"
        raise ValueError(f"{name} must be a whole number {bounds}, got {value!r}")


def check_share(name: str, value: Any) -> None:
    """Raise unless the value is a share: above 0, and 1 at most.

    Parameters
    ----------
    name
        Name of the parameter.
    value
        Its value.

    Raises
    ------
    ValueError
        If it is anything else.
    """
    number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not number or not 0.0 < float(value) <= 1.0:
        raise ValueError(f"{name} must be above 0 and at most 1, got {value!r}")


def check_common(model: Any) -> None:
    """Raise unless the parameters that all models share are in order.

    Parameters
    ----------
    model
        A model with its parameters set as attributes.

    Raises
    ------
    ValueError
        For a parameter out of bounds.
    TypeError
        If `nominal_attributes` is no collection of names.
    """
    check_count("n_bins", model.n_bins, 1, _MAX_SLOTS // 2)
    check_choice("discretizer", model.discretizer, ("quantile", "mdl", "uniform"))
    check_count("max_categories", model.max_categories, 1, _MAX_SLOTS // 2)
    check_choice("missing", model.missing, ("value", "skip"))
    check_count("window_size", model.window_size, 1)
    check_count("grace_period", model.grace_period, 1)
    check_count("relearn_period", model.relearn_period, 1)
    size = model.max_size
    number = isinstance(size, numbers.Real) and not isinstance(size, bool)
    if not number or not 0 < float(size) < math.inf:
        raise ValueError(f"max_size must be a number of MiB above 0, got {size!r}")
    names = model.nominal_attributes
    if names is not None and (isinstance(names, str) or not isinstance(names, Collection)):
        raise TypeError(f"nominal_attributes must be a collection of names, got {names!r}")


def check_weight(w: Any) -> float:
    """Return a weight as a float.

    Parameters
    ----------
    w
        The weight of an event.

    Raises
    ------
    ValueError
        If it is negative or not finite, or no number.
    """
    try:
        weight = math.nan if isinstance(w, (str, bytes)) else float(w)
    except (TypeError, ValueError, OverflowError):
        weight = math.nan
    if not 0.0 <= weight < math.inf:
        raise ValueError(f"w must be a finite number and not negative, got {w!r}")
    return weight


def check_label(y: Any) -> Hashable:
    """Return a label that a model can learn.

    Parameters
    ----------
    y
        The label of an event.

    Raises
    ------
    ValueError
        If it is missing.
    TypeError
        If it is unhashable.
    """
    try:
        hash(y)
    except TypeError:
        raise TypeError(f"y: the label {y!r} is unhashable") from None
    if y is None or type(y).__name__ in ("NAType", "NaTType") or y != y:
        raise ValueError(f"y: the label is missing, got {y!r}")
    return y
