"""Whether a model has the attributes that a new one with its parameters has."""

from __future__ import annotations

import copy
import inspect
from typing import Any

from river_kdb.persist.checks.require import require
from river_kdb.persist.graph import Flattener
from river_kdb.persist.known import MODELS, PARTS, name_of, state_of

_OWNED = {**MODELS, **PARTS}

_OPTIONAL = {"pairs", "triples"}
"""Attributes that are None now and then."""

_FIXED = {
    "Coder": ("max_categories", "skip_missing"),
    "CountStore": (
        *("window_size", "max_bytes", "wants_pairs", "wants_triples", "at_once", "counts"),
        "fades",
    ),
    "DriftWatch": ("grace_period", "relearn_period", "window_size"),
    "Encoder": ("nominal",),
    "Learner": ("settings", "max_size"),
    "MixtureLearner": ("settings", "max_size", "experts", "half_lives"),
    "MixtureStore": ("n_half_lives", "window_size", "max_bytes"),
    "Schedule": ("grace_period", "relearn_period"),
}
"""Attributes that never change."""


def parameters_of(model: Any) -> dict[str, Any]:
    """Return the parameters that a model was made with, by name.

    Those that it does not have, since they came later than its file, are left out.

    Parameters
    ----------
    model
        The model.
    """
    names = inspect.signature(type(model).__init__).parameters
    return {name: vars(model)[name] for name in names if name in vars(model)}


def new_one_like(model: Any) -> Any:
    """Return a new model with the parameters of another, which are checked on the way.

    Parameters
    ----------
    model
        The other one.

    Raises
    ------
    TypeError, ValueError
        For a parameter out of its bounds.
    """
    # some detectors change when they are cloned
    return type(model)(**copy.deepcopy(parameters_of(model)))


def check_attributes(thing: Any, fresh: Any) -> None:
    """Raise unless a thing, and all that it is made of, has the attributes of a new one.

    What a file lacks, since it came later, is taken from the new one.

    Parameters
    ----------
    thing
        The thing.
    fresh
        The new one, made with the same parameters.

    Raises
    ------
    ValueError
        For an attribute that is unknown, of another type, or different where it never changes.
    """
    owner, found, expected = type(fresh).__name__, vars(thing), state_of(fresh)
    for key in found:
        require(key in expected, f"{owner} has no attribute {key!r:.60}")
    for key, value in expected.items():
        found.setdefault(key, value)
        _check_type(owner, key, found[key], value)
        if name_of(type(value)) in _OWNED:
            check_attributes(found[key], value)
    for key in _FIXED.get(owner, ()):
        require(_same(found[key], expected[key]), f"{owner}: {key} is not that of its parameters")


def _check_type(owner: str, key: str, value: Any, expected: Any) -> None:
    """Raise unless an attribute is of the type that it is to have."""
    if owner in MODELS and not key.startswith("_"):
        return  # parameters are checked when they make a new model
    optional = key in _OPTIONAL and expected is None
    require(optional or type(value) is type(expected), f"{owner}: {key} is of the wrong type")


def _same(value: Any, expected: Any) -> bool:
    """Say whether two things are the same to the last type."""
    one, other = Flattener(), Flattener()
    if one.add(value) != other.add(expected) or one.nodes != other.nodes:
        return False
    cells = zip(one.arrays, other.arrays, strict=True)
    return all(mine.tobytes() == theirs.tobytes() for mine, theirs in cells)
