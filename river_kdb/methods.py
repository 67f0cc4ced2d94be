"""The methods of the papers by their short names, from `methods.csv`."""

from __future__ import annotations

import csv
import functools
import json
from importlib.resources import files
from typing import Any, NamedTuple

__all__ = ["Method", "methods"]


class Method(NamedTuple):
    """A class with parameters that make it the method of a paper.

    Attributes
    ----------
    name
        Its short name.
    class_name
        Name of the class.
    parameters
        Its parameters; everything else is as the class has it.
    paper_name
        What the paper calls it.
    paper
        The paper.
    equation
        Where it is found there.
    """

    name: str
    class_name: str
    parameters: dict[str, Any]
    paper_name: str
    paper: str
    equation: str


@functools.cache
def methods() -> dict[str, Method]:
    """Return the methods by name.

    Examples
    --------
    >>> from river_kdb.methods import methods
    >>> methods()["mkdb"].class_name, methods()["mkdb"].parameters
    ('KDBClassifier', {'k': 3, 'order': 'mrmr'})
    """
    text = (files("river_kdb") / "methods.csv").read_text(encoding="utf-8")
    return {
        line["name"]: Method(
            line["name"],
            line["class"],
            json.loads(line["parameters"]),
            line["paper_name"],
            line["paper"],
            line["equation"],
        )
        for line in csv.DictReader(text.splitlines())
    }
