"""Which classes are taken for which."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from river.metrics import ConfusionMatrix

__all__ = ["ConfusionTable", "confusion_table"]

MOST_CLASSES = 20


@dataclass(frozen=True)
class ConfusionTable:
    """A confusion matrix as it is shown.

    Attributes
    ----------
    labels
        Texts of the classes; where some are grouped the last one says how many.
    counts
        Events, a row a true class, a column a predicted one.
    n_grouped
        How many classes are grouped in the last row and column.
    """

    labels: list[str]
    counts: list[list[int]]
    n_grouped: int

    @property
    def totals(self) -> list[int]:
        """Events of each true class."""
        return [sum(row) for row in self.counts]

    @property
    def shares(self) -> list[list[float]]:
        """Share of the events of the true class that were predicted so; 0 where there are none."""
        return [
            [count / total if total else 0.0 for count in row]
            for row, total in zip(self.counts, self.totals, strict=True)
        ]


def confusion_table(matrix: ConfusionMatrix, most: int = MOST_CLASSES) -> ConfusionTable:
    """Arrange a confusion matrix; of many classes the most frequent ones, the others as one.

    Parameters
    ----------
    matrix
        The counts.
    most
        How many classes have a row of their own, if there are more than one more.

    Examples
    --------
    >>> from river import metrics
    >>> from river_kdb.evaluate.confusion import confusion_table
    >>> matrix = metrics.ConfusionMatrix()
    >>> for y_true, y_pred in zip("aabbccd", "aacbccb"):
    ...     matrix.update(y_true, y_pred)
    >>> table = confusion_table(matrix, most=2)
    >>> table.labels
    ['a', 'b', '2 others']
    >>> table.counts
    [[2, 0, 0], [0, 1, 1], [0, 1, 2]]

    """
    classes = sorted(matrix.classes, key=lambda c: (-matrix.sum_row.get(c, 0.0), _order(c)))
    n_shown = len(classes) if len(classes) <= most + 1 else most
    shown = sorted(classes[:n_shown], key=_order)
    at = {label: i for i, label in enumerate(shown)}
    n_grouped = len(classes) - n_shown
    size = n_shown + (n_grouped > 0)
    counts = [[0] * size for _ in range(size)]
    for true, row in matrix.data.items():
        for predicted, count in row.items():
            counts[at.get(true, n_shown)][at.get(predicted, n_shown)] += int(count)
    labels = _texts(shown)
    return ConfusionTable(labels + [f"{n_grouped} others"] * (n_grouped > 0), counts, n_grouped)


def _order(label: Hashable) -> tuple[bool, float, list[tuple[int, str]], str]:
    """Numbers by size, also those that a file gave as text, then texts, with 9 before 10."""
    text, kind = str(label), type(label).__name__
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if math.isfinite(number):
        return False, number, [], kind
    pieces = re.findall(r"([0-9]+)|([^0-9]+)", text)
    return True, 0.0, [(int(digits or 0), signs) for digits, signs in pieces], kind


def _texts(labels: Sequence[Hashable]) -> list[str]:
    """Return the texts of labels, told apart where 1 and "1" are both there."""
    times = Counter(map(str, labels))
    return [repr(label) if times[str(label)] > 1 else str(label) for label in labels]
