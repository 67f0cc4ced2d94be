"""The files: a manifest, the nodes of a thing, and its arrays, in one archive."""

from __future__ import annotations

import functools
import json
import platform
from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

import numpy as np

from river_kdb.persist.archive import (
    MOST_BYTES,
    Buffer,
    Member,
    checksum,
    first_member,
    pack,
    unpack,
)
from river_kdb.persist.errors import UnreadableModelError
from river_kdb.persist.graph import Flattener
from river_kdb.persist.npy import array_of, bytes_of, check_shape, describe, header
from river_kdb.persist.rebuild import Rebuilder

FORMAT = 1
"""The newest version of the files that can be read, and the one that is written."""

MANIFEST, NODES = "manifest.json", "nodes.json"

_MOST_IN_MANIFEST = 2**16
_MOST_NODES = 2**24
_MOST_DIGITS = 17


def file_of(kind: str, thing: Any) -> Iterator[Buffer]:
    """Give the bytes of the file of a thing, piece by piece.

    Parameters
    ----------
    kind
        What it is: `"model"` or `"checkpoint"`.
    thing
        The thing.

    Raises
    ------
    TypeError, ValueError
        For something in it that can't be saved; it says where.
    """
    flattener = Flattener()
    flattener.add(thing)
    members = [Member(NODES, [_to_text(flattener.nodes)])]
    for number, array in enumerate(flattener.arrays):
        name, order, shape = describe(array)
        head = header(name, order, tuple(shape))
        members.append(Member(_array_name(number), [head, bytes_of(array)]))
    manifest = {"format": FORMAT, "kind": kind, "versions": _versions()}
    unsigned = Member(MANIFEST, [_to_text(manifest)])
    manifest["blake2b"] = checksum([unsigned, *members])
    return pack([Member(MANIFEST, [_to_text(manifest)]), *members])


def thing_in(kind: str, data: memoryview) -> Any:
    """Return the thing in a file.

    Parameters
    ----------
    kind
        What it has to be.
    data
        The bytes of the file.

    Raises
    ------
    UnreadableModelError
        If it is something else, damaged or too new.
    """
    manifest = _manifest_of(data)
    if len(data) > MOST_BYTES:
        raise UnreadableModelError("damaged: it is too large")
    members = unpack(data)
    signature = manifest.pop("blake2b", None)
    content = [(name, [part]) for name, part in members.items() if name != MANIFEST]
    if signature != checksum([(MANIFEST, [_to_text(manifest)]), *content]):
        raise UnreadableModelError("damaged: its checksum is wrong")
    names = [MANIFEST, NODES, *(_array_name(number) for number in range(len(members) - 2))]
    if list(members) != names:
        raise UnreadableModelError("damaged: it has unexpected members")
    found = manifest.get("kind")
    if found != kind:
        raise UnreadableModelError(_WRONG_KIND.get(str(found), "no file of river_kdb"))
    return _thing_of(members)


_WRONG_KIND = {
    "model": "it is a model, no checkpoint; river_kdb.load reads it",
    "checkpoint": "it is a checkpoint, no model; river_kdb.Checkpoint reads it",
}


def _thing_of(members: dict[str, memoryview]) -> Any:
    """Return the thing in the members of an archive, which are as they were written."""
    read: set[int] = set()

    def read_array(number: int, name: Any, order: Any, shape: Any) -> np.ndarray:
        content = members[_array_name(number)]
        head = header(name, order, check_shape(shape))
        if number in read or content[: len(head)] != head:
            raise ValueError(f"array {number} is not what its node says")
        read.add(number)
        return array_of(content[len(head) :], name, order, shape)

    stored = _of_text(members[NODES])
    if type(stored) is not list or len(stored) > _MOST_NODES:
        raise ValueError("no list of nodes")
    made = Rebuilder(read_array).add(stored)
    if len(read) != len(members) - 2:
        raise ValueError("arrays that nobody needs")
    return made


def _manifest_of(data: memoryview) -> dict[str, Any]:
    """Return the manifest, which may be damaged, of a file that is of this package."""
    name, content = first_member(data)
    if name != MANIFEST.encode() or len(content) > _MOST_IN_MANIFEST:
        raise UnreadableModelError("no file of river_kdb")
    try:
        manifest = _of_text(content)
        number = manifest["format"]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise UnreadableModelError("damaged: its manifest is unreadable") from None
    if type(number) is not int or number < 1:
        raise UnreadableModelError("damaged: its manifest is unreadable")
    if number > FORMAT:
        raise UnreadableModelError(
            f"too new: it has format {number}, this version of river_kdb reads up to {FORMAT}"
        )
    return manifest


@functools.cache
def _versions() -> dict[str, str]:
    import river_kdb

    return {
        "river_kdb": river_kdb.__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "river": version("river"),
    }


def _array_name(number: int) -> str:
    return f"arrays/{number}.npy"


def _to_text(content: Any) -> bytes:
    return json.dumps(content, separators=(",", ":"), allow_nan=False).encode("ascii")


def _of_text(text: memoryview) -> Any:
    return json.loads(
        bytes(text).decode("ascii"), parse_int=_whole_number, parse_constant=_no_constant
    )


def _whole_number(text: str) -> int:
    if len(text) > _MOST_DIGITS:
        raise ValueError("a whole number has too many digits")
    return int(text)


def _no_constant(text: str) -> Any:
    raise ValueError(f"unexpected {text}")
