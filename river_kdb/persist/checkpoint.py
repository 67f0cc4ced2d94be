"""A model together with how far in its stream it is."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from river_kdb.parameters import check_count
from river_kdb.persist.atomic import remove_leftovers, write_atomically
from river_kdb.persist.reading import read_checkpoint, read_file
from river_kdb.persist.writing import checkpoint_file


class Saved(NamedTuple):
    """What a checkpoint holds.

    Attributes
    ----------
    model
        The model.
    position
        How far in its stream it is, as whoever wrote it says.
    """

    model: Any
    position: Any


class Checkpoint:
    """Keeps a model and how far in its stream it is in one file, which is replaced as a whole.

    A consumer that was killed at any moment goes on with `load()` from where both stood together,
    so that no event is lost or learned twice. Only one process may write a checkpoint.

    Parameters
    ----------
    path
        The file.
    every
        Events between two writes.

    Raises
    ------
    ValueError
        If `every` is no whole number above 0.

    Examples
    --------
    >>> import tempfile
    >>> from river import datasets
    >>> from river_kdb import Checkpoint, KDBClassifier

    >>> path = f"{tempfile.mkdtemp()}/phishing.kdb"
    >>> def consume(n_events):
    ...     checkpoint = Checkpoint(path, every=100)
    ...     model, position = checkpoint.load() or (KDBClassifier(), 0)
    ...     for n, (x, y) in enumerate(datasets.Phishing().take(n_events), start=1):
    ...         if n > position:
    ...             model.learn_one(x, y)
    ...             checkpoint.update(model, n)
    ...     return position

    >>> consume(250), consume(1_000), consume(1_250)
    (0, 200, 1000)
    """

    def __init__(self, path: str | os.PathLike[str], every: int = 10_000) -> None:
        check_count("every", every, 1)
        self.path = path
        self.every = every
        self.n_since = 0
        """Events since the last write."""
        self._is_tidy = False

    def load(self) -> Saved | None:
        """Return what was written last, or None if there is no file.

        Raises
        ------
        UnreadableModelError
            If the file is no checkpoint, damaged or too new.
        """
        try:
            data = read_file(self.path)
        except FileNotFoundError:
            return None
        return Saved(*read_checkpoint(data, os.fspath(self.path)))

    def update(self, model: Any, position: Any, n_events: int = 1) -> bool:
        """Count events, and write when `every` have passed since the last write.

        Parameters
        ----------
        model
            The model, which has learned them.
        position
            How far in the stream it is: None, bools, numbers, texts, bytes, tuples, lists and dicts
            of these, and scalars and arrays of numpy.
        n_events
            How many events have passed since the last call.

        Returns
        -------
        Whether it was written.

        Raises
        ------
        TypeError, ValueError
            For something that can't be saved.
        OSError
            If the file can't be written; the old one is still there then.
        """
        check_count("n_events", n_events, 0)
        self.n_since += n_events
        if self.n_since < self.every:
            return False
        self.write(model, position)
        return True

    def write(self, model: Any, position: Any) -> None:
        """Write model and position now.

        Parameters
        ----------
        model
            The model.
        position
            How far in the stream it is, see `update`.

        Raises
        ------
        TypeError, ValueError
            For something that can't be saved.
        OSError
            If the file can't be written; the old one is still there then.
        """
        pieces = checkpoint_file(model, position)
        if not self._is_tidy:
            remove_leftovers(self.path)
            self._is_tidy = True
        write_atomically(self.path, pieces)
        self.n_since = 0
