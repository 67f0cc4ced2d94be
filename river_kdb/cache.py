"""Where compiled kernels are kept for the next process.

Numba keeps them where it is told to, else beside the source, else in a folder of the user, and
fails at import where none of them can be written. It notices that a file of kernels has changed,
not that one has changed whose kernels these call. So the folder is chosen here, one for every
state of the sources, and numba is told.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import numba

_CONFIG: Any = numba.config
_PACKAGE = Path(__file__).parent
_MAKES_KERNELS = re.compile(rb"^from river_kdb\.jit import .*(?:kernel|inlined)", re.MULTILINE)
_IMPORTS = re.compile(rb"^(?:from|import) (river_kdb[\w.]*)", re.MULTILINE)
_NAME = "river_kdb-"
_COST = "some 5 s before the first prediction of KDBClassifier, 10 to 30 s in all for a model"
_REMEDY = "Set NUMBA_CACHE_DIR to a folder that can be written"


class Choice(NamedTuple):
    """Where kernels are kept.

    Attributes
    ----------
    folder
        The folder, which can be written; None if there is none.
    trouble
        What the user has to be told, "" for nothing.
    """

    folder: Path | None
    trouble: str


def kernel_sources(package: Path) -> list[Path]:
    """Return the files of a package that its compiled kernels come from.

    They are those that make kernels, and all of the package that these import.

    Parameters
    ----------
    package
        Folder of the package.
    """
    texts = {path: path.read_bytes() for path in sorted(package.rglob("*.py"))}
    found = [path for path, text in texts.items() if _MAKES_KERNELS.search(text)]
    for path in found:
        for name in _IMPORTS.findall(texts[path]):
            stem = package.joinpath(*name.decode().split(".")[1:])
            for file in (stem.with_suffix(".py"), stem / "__init__.py"):
                if file in texts and file not in found:
                    found.append(file)
    return sorted(found)


def fingerprint(package: Path) -> str:
    """Return a text that is another one where kernels may have to be compiled anew.

    Parameters
    ----------
    package
        Folder of the package.
    """
    digest = hashlib.sha256()
    for path in kernel_sources(package):
        digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


def user_folder() -> Path | None:
    """Return the user's folder for what can be made again, None if there is no telling."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or r"~\AppData\Local"
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    with suppress(RuntimeError):  # there is no home
        return Path(base).expanduser().absolute() / "river_kdb"
    return None


def choose_folder(wish: str, package: Path) -> Choice:
    """Choose the folder for the kernels of a package, and make it.

    Where another one that can't be written has the kernels, as in an image whose file system is
    read-only, they are copied.

    Parameters
    ----------
    wish
        `NUMBA_CACHE_DIR`, "" if it is not set.
    package
        Folder of the package.
    """
    name = _NAME + fingerprint(package)
    own, user = package / "__pycache__", user_folder()
    wished = Path(wish).absolute() if wish else None
    places = [place for place in (wished, own, user) if place is not None]
    for at, place in enumerate(places):
        known = (place / name).is_dir()
        if not _can_write(place / name):
            continue
        if not known:
            others = [other / name for other in places if (other / name).is_dir()]
            _copy_kernels([other for other in others if not _can_write(other)], place / name)
        if place == own and not known:
            _drop_others(own, name)
        settled = known or any((place / name).iterdir())
        return Choice(place / name, _trouble(wished, places[:at], place, settled))
    return Choice(None, _trouble(wished, places, None, settled=False))


def _can_write(folder: Path) -> bool:
    """Make a folder; say whether it and those in it can be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for place in (folder, *(inner for inner in folder.iterdir() if inner.is_dir())):
            tempfile.TemporaryFile(dir=place).close()
    except OSError:
        return False
    return True


def _copy_kernels(sources: Sequence[Path], folder: Path) -> None:
    for source in sources:
        with suppress(OSError):
            for file in source.glob("*/*"):
                (folder / file.parent.name).mkdir(exist_ok=True)
                shutil.copyfile(file, folder / file.parent.name / file.name)


def _drop_others(own: Path, name: str) -> None:
    """Drop the kernels of earlier sources from the package's own folder."""
    for other in own.glob(f"{_NAME}*"):
        if other.name != name:
            shutil.rmtree(other, ignore_errors=True)


def _trouble(
    wished: Path | None, refused: Sequence[Path], place: Path | None, settled: bool
) -> str:
    """Say what went wrong, what it costs and what to do."""
    if place is None:
        folders = ", ".join(str(folder) for folder in refused)
        return (
            f"river_kdb can't keep its compiled kernels: none of these folders can be written: "
            f"{folders}. They are compiled anew at every start ({_COST}). {_REMEDY}."
        )
    if wished is not None and place != wished:
        return (
            f"NUMBA_CACHE_DIR={wished} can't be written; river_kdb keeps its compiled kernels in "
            f"{place}. Where they are not there yet they are compiled ({_COST}). {_REMEDY}."
        )
    if wished is None and refused and not settled:
        return (
            f"{refused[0]} can't be written; river_kdb keeps its compiled kernels in {place}. "
            f"They are compiled now, once ({_COST}). {_REMEDY} to keep them elsewhere."
        )
    return ""


@contextmanager
def kernels_kept_in(folder: Path) -> Iterator[None]:
    """Let numba keep in a folder what is decorated meanwhile.

    Parameters
    ----------
    folder
        The folder.
    """
    before = _CONFIG.CACHE_DIR
    _CONFIG.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        _CONFIG.CACHE_DIR = before


def open_folder() -> Path | None:
    """Return the folder for the kernels of this package, None if there is none.

    Warns where it is not the one that was to be expected.
    """
    if _CONFIG.DISABLE_JIT:
        return None
    choice = choose_folder(_CONFIG.CACHE_DIR, _PACKAGE)
    if choice.trouble:
        warnings.warn(choice.trouble, RuntimeWarning, stacklevel=3)
    return choice.folder
