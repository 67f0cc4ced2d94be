"""What all that learns shares: labels, features and notes, which grow with the stream."""

from __future__ import annotations

import abc
import warnings
from collections.abc import Collection, Hashable, Iterable
from typing import Any

import numpy as np

from river_kdb.features.column import Columns
from river_kdb.features.encoder import Encoder, feature_key
from river_kdb.features.frame import raw_rows, settle_columns
from river_kdb.history import StructureHistory
from river_kdb.schedule import Schedule


class Growing(abc.ABC):
    """What is known of labels and features, and how it grows.

    Subclasses keep the counts.

    Parameters
    ----------
    nominal_attributes, grace_period, relearn_period, max_size
        As in the models.
    """

    def __init__(
        self,
        nominal_attributes: Collection[Hashable],
        grace_period: int,
        relearn_period: int,
        max_size: float,
    ) -> None:
        self.max_size = max_size
        self.labels: list[Hashable] = []
        self.label_index: dict[Hashable, int] = {}
        self.encoder = Encoder(nominal_attributes)
        self.schedule = Schedule(grace_period, relearn_period)
        self.n_relearns = 0
        self.history = StructureHistory()
        self.notes: dict[str, str] = {}
        self.warned = False

    @abc.abstractmethod
    def _has_room_for_feature(self, n_before: int) -> bool:
        """Say whether there is memory for one more feature after so many other new ones."""

    @abc.abstractmethod
    def _insert(self, names: list[Hashable]) -> None:
        """Make room for new features, which the encoder knows."""

    @abc.abstractmethod
    def _make_room(self) -> None:
        """Make room for all slots and classes."""

    def welcome(self, names: Iterable[Hashable]) -> list[Hashable]:
        """Return the names of known features and of the new ones that there is memory for.

        Parameters
        ----------
        names
            Names of features.
        """
        welcome: list[Hashable] = []
        for name in sorted(names, key=feature_key):
            if name in self.encoder.index or self._has_room_for_feature(len(welcome)):
                welcome.append(name)
            else:
                self.note("features", "no memory for more features, new ones are ignored")
        return welcome

    def take_features(self, names: Collection[Hashable]) -> None:
        """Take in new features, which were missing so far.

        Parameters
        ----------
        names
            Names that are not known yet.
        """
        self.encoder.add_features(names)
        self._insert(list(names))

    def take_in(self, row: np.ndarray, fresh: list[tuple[Hashable, Any]]) -> np.ndarray:
        """Take in new features and categories; return the completed row.

        Parameters
        ----------
        row, fresh
            What `Encoder.prepare` returned.
        """
        names = set(self.welcome(name for name, _ in fresh))
        new = [name for name in names if name not in self.encoder.index]
        row = self.encoder.register([pair for pair in fresh if pair[0] in names], row)
        self._insert(new)
        return row

    def take_label(self, y: Hashable) -> int:
        """Take in a new class; return its index.

        Parameters
        ----------
        y
            A checked label.
        """
        self.label_index[y] = len(self.labels)
        self.labels.append(y)
        self._make_room()
        return self.label_index[y]

    def raw_rows(self, columns: Columns, n_rows: int) -> np.ndarray:
        """Return the raw rows (n, b) of columns, learning nothing.

        Parameters
        ----------
        columns
            Columns of a frame by name.
        n_rows
            How many rows there are.
        """
        return raw_rows(self.encoder, settle_columns(self.encoder, columns), n_rows)

    def note(self, topic: str, text: str) -> None:
        """Keep for the summary what was left out for want of memory; warn the first time.

        Parameters
        ----------
        topic
            What it is about; a later note about the same takes its place.
        text
            What was left out.
        """
        text = f"max_size={self.max_size}: {text}"
        if not self.warned:
            warnings.warn(text, UserWarning, stacklevel=2)
        self.warned = True
        self.notes[topic] = text
