"""The algorithms by their short names, and the models made of them."""

from __future__ import annotations

import inspect
import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import river_kdb
from river_kdb.methods import methods

FIXED_K = ("nb", "k1db", "uk1db")
"""What has its k in its name keeps it."""

STATIC = {"KDBClassifier", "TANClassifier", "KDFClassifier", "SelectiveKDBClassifier"}
"""Classes whose structure does not depend on the event that is predicted."""

ENSEMBLES = {"AODEClassifier", "KDFClassifier", "SelectiveKDBClassifier"}
LAZY = {"UKDBClassifier", "CSBClassifier", "BKDBClassifier"}

OWN_SMOOTHING = "own"

Parameters = dict[str, Any]


class Algorithm(NamedTuple):
    """A class with parameters."""

    name: str
    class_name: str
    parameters: Parameters

    @property
    def is_there(self) -> bool:
        """Whether the package has the class."""
        return hasattr(river_kdb, self.class_name)

    @property
    def is_static(self) -> bool:
        """Whether there is one structure for all events."""
        return self.class_name in STATIC

    def takes(self, parameter: str) -> bool:
        """Whether the parameter is one of the class's, and open to change."""
        if parameter == "k" and self.name in FIXED_K:
            return False
        return parameter in inspect.signature(getattr(river_kdb, self.class_name)).parameters

    def weight(self, n_features: int) -> int:
        """Return how dear an event is, beside naive Bayes and roughly."""
        if self.class_name in LAZY:
            return 4 * n_features
        several = self.class_name in ENSEMBLES or "average" in self.parameters
        return n_features if several else 1 + self.parameters.get("k", 1)


def read_algorithms() -> dict[str, Algorithm]:
    """Return the methods of the package by name."""
    return {
        name: Algorithm(name, method.class_name, method.parameters)
        for name, method in methods().items()
    }


def read_overrides(texts: Sequence[str]) -> Parameters:
    """Return parameters written as `name=value`, the value JSON or else a text.

    Examples
    --------
    >>> read_overrides(["k=3", "order=mrmr"])
    {'k': 3, 'order': 'mrmr'}
    """
    found: Parameters = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise ValueError(f"a parameter is set by NAME=VALUE, not by {text!r}")
        found[name.strip()] = read_value(value.strip())
    return found


def read_value(text: str) -> Any:
    """Return what a text stands for: a number, true, false, null, or itself."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def make_model(
    class_name: str, parameters: Parameters, nominal: Sequence[str], n_rows: int
) -> river_kdb.base.BNClassifier:
    """Return a model that holds `n_rows` rows, and relearns when it is told to only.

    A smoothing of `"own"` is the class's own.
    """
    if parameters.get("smoothing") == OWN_SMOOTHING:
        parameters = {name: value for name, value in parameters.items() if name != "smoothing"}
    return getattr(river_kdb, class_name)(
        **parameters,
        nominal_attributes=list(nominal),
        window_size=n_rows,
        grace_period=n_rows + 1,
        relearn_period=n_rows + 1,
    )
