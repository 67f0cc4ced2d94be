"""Checks of the parameters that all models share."""

from __future__ import annotations

import math
import numbers
from collections.abc import Collection, Hashable, Iterable
from typing import Any

_NAMES = "nominal_attributes"

MAX_BINS = 15_000
"""Bins or categories of a feature, at most: codes are 16 bits wide."""


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


def check_above_zero(name: str, value: Any) -> None:
    """Raise unless the value is a finite number above 0.

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
    if not number or not 0.0 < float(value) < math.inf:
        raise ValueError(f"{name} must be a number above 0, got {value!r}")


def check_jobs(value: Any) -> None:
    """Raise unless the value is a number of threads: 1 or more, or -1 for one a core.

    Parameters
    ----------
    value
        The parameter `n_jobs`.

    Raises
    ------
    ValueError
        If it is anything else.
    """
    whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not whole or (value < 1 and value != -1):
        raise ValueError(f"n_jobs must be -1 or a whole number at least 1, got {value!r}")


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
    check_count("n_bins", model.n_bins, 1, MAX_BINS)
    check_choice("discretizer", model.discretizer, ("quantile", "mdl", "uniform"))
    check_choice("counts", model.counts, ("auto", "dense", "bitset"))
    check_upkeep(model)


def check_upkeep(model: Any) -> None:
    """Raise unless the parameters that say what is kept, and when it is renewed, are in order.

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
    check_count("max_categories", model.max_categories, 1, MAX_BINS)
    check_choice("missing", model.missing, ("value", "skip"))
    check_count("window_size", model.window_size, 1)
    check_count("grace_period", model.grace_period, 1)
    check_count("relearn_period", model.relearn_period, 1)
    check_above_zero("max_size", model.max_size)
    check_jobs(model.n_jobs)
    names = model.nominal_attributes
    if names is not None and (isinstance(names, str) or not isinstance(names, Collection)):
        raise TypeError(f"nominal_attributes must be a collection of names, got {names!r}")


def check_forgetting(model: Any) -> None:
    """Raise unless the parameters that say what is forgotten are in order.

    Parameters
    ----------
    model
        A model with its parameters set as attributes.

    Raises
    ------
    ValueError
        For a parameter out of bounds.
    """
    check_half_life("half_life", model.half_life)
    check_choice("forget", model.forget, (None, "window"))


def check_half_life(name: str, value: Any) -> None:
    """Raise unless the value is a half-life: None, or a number of events of at least 1.

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
    if value is not None and (not number or not 1.0 <= float(value) < math.inf):
        raise ValueError(f"{name} must be None or a number of events, at least 1, got {value!r}")


def first_difference(mine: Any, theirs: Any, names: Iterable[str]) -> str:
    """Return which parameter of two models differs, with both values; "" where none does.

    Parameters
    ----------
    mine, theirs
        The models, with their parameters as attributes.
    names
        Names of the parameters.
    """
    for name in names:
        values = getattr(mine, name), getattr(theirs, name)
        here, there = (frozenset(v or ()) for v in values) if name == _NAMES else values
        if here != there:
            return f"{name}={values[0]!r} here, {name}={values[1]!r} in the other model"
    return ""


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
