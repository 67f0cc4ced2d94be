"""What goes wrong through the user's input, said in one line."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = ["EvaluationError", "did_you_mean"]


class EvaluationError(ValueError):
    """An input that cannot be used: a stream, a model, a metric, a limit.

    Its message is one line, meant to be shown to the user as it is.

    """


def did_you_mean(word: str, choices: Iterable[str]) -> str:
    """Return a hint naming the closest choices, or an empty string where none is close.

    Examples
    --------
    >>> from river_kdb.evaluate.errors import did_you_mean
    >>> did_you_mean("acuracy", ["accuracy", "kappa"])
    '; did you mean accuracy?'
    >>> did_you_mean("zebra", ["accuracy", "kappa"])
    ''

    """
    by_lower = {choice.lower(): choice for choice in choices}
    close = difflib.get_close_matches(word.lower(), by_lower, n=2, cutoff=0.6)
    if not close:
        return ""
    close.sort(key=lambda match: sorted(match) != sorted(word.lower()))  # swapped letters first
    return f"; did you mean {' or '.join(by_lower[match] for match in close)}?"
