"""Parameters in the names of models and generators: ``NAME:parameter=value:...``."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from river_kdb.evaluate.errors import EvaluationError, did_you_mean

__all__ = ["check_settings", "parse_settings"]


def parse_settings(text: str, settings: Sequence[str]) -> dict[str, Any]:
    """Read settings; a value is a Python literal or, failing that, text.

    Parameters
    ----------
    text
        What to call the thing that is set, should a setting be wrong.
    settings
        The settings.

    Examples
    --------
    >>> from river_kdb.evaluate.settings import parse_settings
    >>> parse_settings("kdb:k=1:order=mrmr", ["k=1", "order=mrmr"])
    {'k': 1, 'order': 'mrmr'}

    """
    parsed: dict[str, Any] = {}
    for setting in settings:
        key, equals, value = (part.strip() for part in setting.partition("="))
        if not equals or not key.isidentifier():
            raise EvaluationError(f"{text}: {setting!r} is not of the form parameter=value")
        try:
            parsed[key] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            parsed[key] = value
    return parsed


def check_settings(text: str, make: Callable[..., Any], settings: dict[str, Any]) -> Any:
    """Return ``make(**settings)``; raise an `EvaluationError` if that is not possible."""
    parameters = inspect.signature(make).parameters
    open_ended = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    for key in settings:
        if key not in parameters and not open_ended:
            hint = did_you_mean(key, parameters)
            raise EvaluationError(f"{text}: no parameter {key!r}{hint}")
    try:
        return make(**settings)
    except Exception as error:
        message = str(error).replace(f"{make.__name__}.__init__() ", "")
        raise EvaluationError(f"{text}: {message or type(error).__name__}") from error
