"""Files that are replaced as a whole."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from uuid import uuid4

_BINARY = getattr(os, "O_BINARY", 0)


def write_atomically(path: str | os.PathLike[str], pieces: Iterable[Any]) -> None:
    """Write a file such that, whatever happens, there is the old one or the new one.

    The new one is written under another name in the same folder, and takes the old one's place
    when it is on the disk. It has the mode that writing to the old one would have left.

    Parameters
    ----------
    path
        The file; of a symbolic link what it points to.
    pieces
        Its content, piece by piece.

    Raises
    ------
    OSError
        If it can't be written; the old one is still there then.
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(f"{target} is a folder")
    temporary = target.with_name(f"{_prefix(target)}{os.getpid()}-{uuid4().hex}.tmp")
    # before there is anything to remove
    file = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o666)
    try:
        with open(file, "wb") as out:
            if os.name == "posix" and target.exists():
                os.fchmod(file, stat.S_IMODE(target.stat().st_mode))
            for piece in pieces:
                out.write(piece)
            out.flush()
            os.fsync(file)
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def remove_leftovers(path: str | os.PathLike[str]) -> None:
    """Remove what killed writers of a file left behind; nobody may be writing it.

    Parameters
    ----------
    path
        The file.
    """
    target = Path(os.path.realpath(path))
    prefix = _prefix(target)
    for entry in os.scandir(target.parent):
        if entry.name.startswith(prefix) and entry.name.endswith(".tmp"):
            Path(entry.path).unlink(missing_ok=True)


def _prefix(target: Path) -> str:
    return f".{target.name}."


def _sync_folder(folder: Path) -> None:
    if os.name != "posix":  # elsewhere a folder can't be opened
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
