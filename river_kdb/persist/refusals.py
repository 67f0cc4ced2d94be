"""What can't be saved, said so that its owner finds it."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

from river_kdb.persist.known import DETECTORS, MODELS, name_of
from river_kdb.persist.npy import describe
from river_kdb.persist.values import is_scalar, to_json

_SEQUENCES = (list, tuple, set, frozenset, deque)


def check_model(model: Any) -> None:
    """Raise unless a model can be saved, as far as what it was given goes.

    Parameters
    ----------
    model
        The model.

    Raises
    ------
    TypeError
        For a model that is none of this package's; for a detector, label, category or name of a
        feature of a type that files don't have.
    """
    if name_of(type(model)) not in MODELS:
        raise TypeError(f"only classifiers of river_kdb can be saved, got {type(model)!r}")
    for key in ("drift_detector", "warning_detector"):
        detector = getattr(model, key)
        if detector is not None and name_of(type(detector)) not in DETECTORS:
            raise TypeError(f"{key}: {_said(detector)}: only detectors of River are")
    encoder = model._learner.encoder
    _check_all("the label", model._learner.labels)
    _check_all("the feature's name", encoder.names)
    for name, vocabulary in zip(encoder.names, encoder.vocabularies, strict=True):
        _check_all(f"feature {name!r}: the category", vocabulary)


def _check_all(what: str, values: Iterable[Hashable]) -> None:
    for value in values:
        if not _is_plain_hashable(value):
            raise TypeError(f"{what} {_said(value)}")


def _is_plain_hashable(value: Any) -> bool:
    if type(value) is tuple:
        return all(map(_is_plain_hashable, value))
    return _is_plain_scalar(value)


def _is_plain_scalar(value: Any) -> bool:
    if not is_scalar(value):
        return False
    try:
        to_json(value)
    except TypeError:
        return False
    return True


def _said(value: Any) -> str:
    kind = type(value)
    return f"{value!r:.80} can't be saved, {kind.__module__}.{kind.__qualname__} is not supported"


def check_position(position: Any) -> None:
    """Raise unless the position of a checkpoint is made of plain things.

    Parameters
    ----------
    position
        The position.

    Raises
    ------
    TypeError
        If it has something else in it.
    """
    seen: set[int] = set()
    left = [position]
    while left:
        thing = left.pop()
        if _is_plain_scalar(thing) or id(thing) in seen or type(thing) is bytearray:
            continue
        seen.add(id(thing))
        if type(thing) is dict:
            left += [*thing.keys(), *thing.values()]
        elif type(thing) in _SEQUENCES:
            left += thing
        elif type(thing) is np.ndarray:
            _check_array(thing)
        else:
            raise TypeError(f"position: {_said(thing)}")


def _check_array(array: np.ndarray) -> None:
    try:
        describe(array)
    except TypeError as error:
        raise TypeError(f"position: an array can't be saved, {error}") from None
