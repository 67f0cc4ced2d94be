"""Made-up rows of texts that depend on the class and on each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.scaling.cases import Case

SEED = 1

_OF_CLASS, _OF_NEIGHBOUR = 0.3, 0.6


class Rows:
    """The rows of a stream, as codes until they are asked for.

    A value is, in three of ten events, the one that the class likes in this feature; in three
    that of the feature before; else any, all equally likely. So are the classes.

    Parameters
    ----------
    case
        The sizes.
    n_rows
        How many rows there are.
    seed
        What they are drawn from.

    Examples
    --------
    >>> from benchmarks.scaling.cases import Case
    >>> from benchmarks.scaling.rows import Rows
    >>> rows = Rows(Case(n=2, slots=3, classes=2), 10)
    >>> next(rows.events(0, 10))
    ({'f000': 'v0', 'f001': 'v0'}, 'c0')
    >>> X, y = rows.frame(4, 10)
    >>> X.shape, len(y)
    ((6, 2), 6)
    """

    def __init__(self, case: Case, n_rows: int, seed: int = SEED) -> None:
        rng = np.random.default_rng(seed)
        self.names = [f"f{i:03}" for i in range(case.n)]
        self.values = [f"v{s}" for s in range(case.slots)]
        self.classes = [f"c{c}" for c in range(case.classes)]
        self.labels = rng.integers(case.classes, size=n_rows)
        liked = rng.integers(case.slots, size=(case.classes, case.n))
        self.codes = rng.integers(case.slots, size=(n_rows, case.n), dtype=np.int16)
        for i in range(case.n):
            lean = rng.random(n_rows)
            if i > 0:
                follows = lean < _OF_NEIGHBOUR
                self.codes[follows, i] = self.codes[follows, i - 1]
            likes = lean < _OF_CLASS
            self.codes[likes, i] = liked[self.labels[likes], i]

    def frame(self, start: int, stop: int) -> tuple[Any, list[str]]:
        """Return some rows as a pandas frame, and their labels.

        Parameters
        ----------
        start, stop
            Numbers of the first row, and of the one after the last.
        """
        import pandas as pd

        columns = {
            name: pd.Categorical.from_codes(self.codes[start:stop, i], self.values)
            for i, name in enumerate(self.names)
        }
        return pd.DataFrame(columns), [self.classes[c] for c in self.labels[start:stop]]

    def events(self, start: int, stop: int) -> Iterator[tuple[dict[str, str], str]]:
        """Give some rows one by one, with their labels.

        Parameters
        ----------
        start, stop
            Numbers of the first row, and of the one after the last.
        """
        values = self.values
        for r in range(start, stop):
            row = [values[s] for s in self.codes[r].tolist()]
            yield dict(zip(self.names, row, strict=True)), self.classes[self.labels[r]]
