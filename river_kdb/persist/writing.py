"""Models and checkpoints into bytes and files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from river_kdb.persist.archive import Buffer
from river_kdb.persist.atomic import write_atomically
from river_kdb.persist.fileformat import file_of
from river_kdb.persist.refusals import check_model, check_position


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a model to a file, in place of an older one.

    Parameters
    ----------
    model
        A classifier of this package.
    path
        The file.

    Raises
    ------
    TypeError, ValueError
        For something in the model that can't be saved, or something that is no model.
    OSError
        If the file can't be written; an older one is still there then.
    """
    write_atomically(path, model_file(model))


def to_bytes(model: Any) -> bytes:
    """Return a model as `save` would write it.

    Parameters
    ----------
    model
        A classifier of this package.

    Raises
    ------
    TypeError, ValueError
        For something in the model that can't be saved, or something that is no model.

    Examples
    --------
    >>> import river_kdb
    >>> model = river_kdb.KDBClassifier(k=1)
    >>> model.learn_one({"size": 3, "colour": "red"}, "apple")
    >>> river_kdb.from_bytes(model.to_bytes()).predict_one({"size": 3, "colour": "red"})
    'apple'
    """
    return b"".join(model_file(model))


def model_file(model: Any) -> Iterator[Buffer]:
    """Give the bytes of the file of a model, piece by piece.

    Parameters
    ----------
    model
        A classifier of this package.

    Raises
    ------
    TypeError, ValueError
        For something in the model that can't be saved, or something that is no model.
    """
    check_model(model)
    return file_of("model", model)


def checkpoint_file(model: Any, position: Any) -> Iterator[Buffer]:
    """Give the bytes of the file of a checkpoint, piece by piece.

    Parameters
    ----------
    model
        A classifier of this package.
    position
        How far in its stream it is.

    Raises
    ------
    TypeError, ValueError
        For something that can't be saved.
    """
    check_model(model)
    check_position(position)
    return file_of("checkpoint", (model, position))
