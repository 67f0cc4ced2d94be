"""What is wrong with a file that holds no readable model."""

from __future__ import annotations


class UnreadableModelError(ValueError):
    """A file is no model of this package, or is damaged, or too new.

    Examples
    --------
    >>> import river_kdb
    >>> river_kdb.from_bytes(b"something else")
    Traceback (most recent call last):
        ...
    river_kdb.persist.errors.UnreadableModelError: bytes: no file of river_kdb
    """
