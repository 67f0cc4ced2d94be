"""How the structure of a model has changed."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

MOST_KEPT = 1000

Arc = tuple[Hashable, Hashable]
"""Names of a parent and its child."""


class StructureChange(NamedTuple):
    """One change of a structure.

    Attributes
    ----------
    event
        Events learned so far.
    reason
        `"schedule"`, `"drift"`, `"call"` (of `relearn`) or `"merge"` (with a model whose structure
        was taken over).
    added, removed
        Arcs that came and went, as pairs of a parent and a child; of an ensemble those that any
        member has.
    """

    event: int
    reason: str
    added: tuple[Arc, ...]
    removed: tuple[Arc, ...]


class StructureHistory:
    """Keeps the latest 1,000 changes of a structure.

    Features are kept by number, in the order in which they first had an arc: an ensemble changes
    hundreds of arcs at a time.

    Examples
    --------
    >>> from river_kdb.history import StructureHistory
    >>> history = StructureHistory()
    >>> history.note(100, "schedule", ["a", "b", "c"], [], [(0, 1), (0, 2)])
    >>> history.note(200, "drift", ["a", "b", "c"], [(0, 1), (0, 2)], [(0, 1), (1, 2)])
    >>> history.changes()[-1]
    StructureChange(event=200, reason='drift', added=(('b', 'c'),), removed=(('a', 'c'),))
    """

    def __init__(self) -> None:
        self.names: list[Hashable] = []
        self.number: dict[Hashable, int] = {}
        self.kept: deque[tuple[int, str, np.ndarray, np.ndarray]] = deque(maxlen=MOST_KEPT)

    def note(
        self,
        event: int,
        reason: str,
        names: Sequence[Hashable],
        before: Sequence[tuple[int, int]],
        after: Sequence[tuple[int, int]],
    ) -> None:
        """Keep a change, unless it is the schedule's and changed nothing.

        Parameters
        ----------
        event
            Events learned so far.
        reason
            Why the structure was learned.
        names
            Names of the features.
        before, after
            Arcs, as pairs of the indices of a parent and a child.
        """
        old, new = set(before), set(after)
        added = self._numbered(names, (arc for arc in after if arc not in old))
        removed = self._numbered(names, (arc for arc in before if arc not in new))
        if len(added) or len(removed) or reason != "schedule":
            self.kept.append((event, reason, added, removed))

    def changes(self) -> list[StructureChange]:
        """Return what is kept, the oldest change first."""
        return [
            StructureChange(event, reason, self._named(added), self._named(removed))
            for event, reason, added, removed in self.kept
        ]

    def _numbered(self, names: Sequence[Hashable], arcs: Iterable[tuple[int, int]]) -> np.ndarray:
        numbers = [(self._number(names[i]), self._number(names[j])) for i, j in arcs]
        return np.array(numbers, dtype=np.int32).reshape(-1, 2)

    def _number(self, name: Hashable) -> int:
        number = self.number.setdefault(name, len(self.names))
        if number == len(self.names):
            self.names.append(name)
        return number

    def _named(self, arcs: np.ndarray) -> tuple[Arc, ...]:
        return tuple((self.names[i], self.names[j]) for i, j in arcs.tolist())
