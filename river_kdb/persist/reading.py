"""Models and checkpoints out of bytes, with one kind of error for all that can be wrong."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from river_kdb.persist.archive import BEGINNING, MOST_BYTES
from river_kdb.persist.errors import UnreadableModelError
from river_kdb.persist.fileformat import thing_in
from river_kdb.persist.refusals import check_position
from river_kdb.persist.validate import validate

T = TypeVar("T")


def load(path: str | os.PathLike[str]) -> Any:
    """Return the model in a file that its `save` wrote.

    Nothing in the file is executed, and all of it is checked.

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    UnreadableModelError
        If the file is no model of this package, damaged or too new.
    OSError
        If there is no such file, or it can't be read.

    Examples
    --------
    >>> import tempfile
    >>> from river import datasets
    >>> import river_kdb

    >>> model = river_kdb.TANClassifier()
    >>> for x, y in datasets.Phishing().take(200):
    ...     model.learn_one(x, y)
    >>> path = f"{tempfile.mkdtemp()}/phishing.kdb"
    >>> model.save(path)
    >>> river_kdb.load(path).predict_proba_one(x) == model.predict_proba_one(x)
    True
    """
    return _model_in(read_file(path), os.fspath(path))


def from_bytes(data: bytes, kind: type[T] | None = None) -> Any:
    """Return the model in bytes that its `to_bytes` gave.

    Parameters
    ----------
    data
        The bytes of a file.
    kind
        Class that it has to be of; None: any.

    Raises
    ------
    UnreadableModelError
        If they are damaged, too new, or hold something else.
    """
    model = _model_in(data, "bytes")
    if kind is not None and not isinstance(model, kind):
        found = type(model).__name__
        raise UnreadableModelError(f"bytes: the model is a {found}, no {kind.__name__}")
    return model


def _model_in(data: bytes, source: str) -> Any:
    return _guarded(lambda: validate(thing_in("model", memoryview(data))), source)


def read_checkpoint(data: bytes, source: str) -> tuple[Any, Any]:
    """Return the model and the position in the bytes of a checkpoint.

    Parameters
    ----------
    data
        The bytes.
    source
        What they come from, for the message.

    Raises
    ------
    UnreadableModelError
        If there is no readable checkpoint in them.
    """
    return _guarded(lambda: _checkpoint_in(data), source)


def _checkpoint_in(data: bytes) -> tuple[Any, Any]:
    found = thing_in("checkpoint", memoryview(data))
    if type(found) is not tuple or len(found) != 2:
        raise ValueError("no model with a position")
    check_position(found[1])
    return validate(found[0]), found[1]


def read_file(path: str | os.PathLike[str]) -> bytes:
    """Return the bytes of a file, unless its beginning or size say that it is none of ours.

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    OSError
        If it can't be read.
    UnreadableModelError
        If it is something else.
    """
    source = os.fspath(path)
    with Path(path).open("rb") as file:
        if os.fstat(file.fileno()).st_size > MOST_BYTES or not file.read(4) == BEGINNING:
            raise UnreadableModelError(f"{source}: no file of river_kdb")
        file.seek(0)
        return _guarded(file.read, source)


def _guarded(read: Callable[[], T], source: str) -> T:
    """Return what can be read, or say what is wrong with its source."""
    try:
        return read()
    except UnreadableModelError as error:
        raise UnreadableModelError(f"{source}: {error}") from None
    except (OSError, KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # compiled parts of River raise what is no Exception
        said = f"{type(error).__name__}: {error!s:.200}"
        raise UnreadableModelError(f"{source}: damaged or forged ({said})") from error
