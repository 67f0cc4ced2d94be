"""The compiled parts of River's drift detectors, and generators of random numbers.

What they hold is written as plain values, so that a file does not depend on whether River's
release has them in Rust or in Cython.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from river_kdb.persist.adwin import adwin_of, adwin_state
from river_kdb.persist.known import class_of

_WORDS = 625
_MEAN = struct.Struct("<ddd?d")


def random_state(thing: random.Random) -> list[Any]:
    """Return what a generator of random numbers holds.

    Parameters
    ----------
    thing
        The generator.
    """
    version, words, gauss = thing.getstate()
    return [version, np.array(words, dtype=np.uint32), gauss]


def random_of(state: list[Any]) -> random.Random:
    """Return a generator of random numbers.

    Parameters
    ----------
    state
        What it holds.

    Raises
    ------
    ValueError, TypeError
        If that is no state of one.
    """
    version, words, gauss = state
    if words.shape != (_WORDS,) or words.dtype != np.uint32:
        raise ValueError("no state of a generator of random numbers")
    if gauss is not None and type(gauss) is not float:
        raise ValueError("no state of a generator of random numbers")
    made = random.Random(0)
    made.setstate((version, tuple(words.tolist()), gauss))
    return made


def _mean_class() -> type:
    return type(class_of("river.EWMean")(0.5)._ewmean)


def mean_state(thing: Any) -> list[Any]:
    """Return what a compiled mean that forgets holds.

    Parameters
    ----------
    thing
        The mean.

    Raises
    ------
    TypeError
        If River's release holds it in a form that is not known.
    """
    state = thing.__reduce_ex__(4)[2]
    if len(state) != _MEAN.size:
        raise TypeError("the mean of this release of River is not supported")
    mean, alpha, _, begun, _ = _MEAN.unpack(state)
    if _packed_mean(mean, alpha, begun) != state:
        raise TypeError("the mean of this release of River is not supported")
    return [mean, alpha, begun]


def _packed_mean(mean: float, alpha: float, begun: bool) -> bytes:
    return _MEAN.pack(mean, alpha, 1.0 - alpha, begun, alpha)


def mean_of(state: list[Any]) -> Any:
    """Return a compiled mean that forgets.

    Parameters
    ----------
    state
        What it holds.

    Raises
    ------
    ValueError
        If that is no state of one.
    """
    mean, alpha, begun = state
    if type(mean) is not float or type(alpha) is not float or type(begun) is not bool:
        raise ValueError("no state of a mean")
    made = class_of("river.EWMean")(alpha)._ewmean
    made.__setstate__(_packed_mean(mean, alpha, begun))
    return made


def _is_adwin(thing: Any) -> bool:
    return type(thing).__name__ == "AdaptiveWindowing" and _is_of_river(thing)


def _is_mean(thing: Any) -> bool:
    return _is_of_river(thing) and type(thing) is _mean_class()


def _is_of_river(thing: Any) -> bool:
    return type(thing).__module__.partition(".")[0] == "river"


TAKEN_APART: dict[str, tuple[Callable[[Any], bool], Callable[[Any], list[Any]]]] = {
    "random": (lambda thing: type(thing) is random.Random, random_state),
    "adwin": (_is_adwin, adwin_state),
    "ewmean": (_is_mean, mean_state),
}
"""By the name in files: whether a thing is one, and what it holds."""

PUT_TOGETHER: dict[str, Callable[[list[Any]], Any]] = {
    "random": random_of,
    "adwin": adwin_of,
    "ewmean": mean_of,
}
"""By the name in files: the thing, given what it holds."""
