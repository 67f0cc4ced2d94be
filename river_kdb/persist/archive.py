"""A zip archive of stored members that looks the same whoever writes it.

Only what `pack` writes is read: `unpack` makes the headers anew and compares them, so that not a
byte of the file is free. Whatever opens zip files can read it.
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from river_kdb.persist.errors import UnreadableModelError

Buffer = bytes | memoryview | Any
"""Something whose bytes can be had without a copy."""

MOST_BYTES = 2**32 - 2
"""A zip archive of the plain kind is no larger."""

BEGINNING = b"PK\3\4"
"""What every file begins with, and every member in it."""

_LOCAL = struct.Struct("<4s5H3I2H")
_CENTRAL = struct.Struct("<4s6H3I5H2I")
_END = struct.Struct("<4s4H2IH")
_MOST_MEMBERS = 2**16 - 1
_MOST_IN_NAME = 64

_VERSION, _DAY, _UNIX = 20, 33, 3 << 8
"""What it takes to read a member; the first day of zip's calendar; the system that wrote it."""

_MODE = 0o100644 << 16


class Member(NamedTuple):
    """A file in the archive.

    Attributes
    ----------
    name
        Its name, in ASCII.
    parts
        Its content, piece by piece.
    """

    name: str
    parts: Sequence[Buffer]


def _local(name: bytes, crc: int, size: int) -> bytes:
    rest = crc, size, size, len(name), 0
    return _LOCAL.pack(BEGINNING, _VERSION, 0, 0, 0, _DAY, *rest) + name


def _directory(entries: Sequence[tuple[bytes, int, int, int]], start: int) -> bytes:
    """Return the end of an archive, given name, checksum, size and place of its members."""
    lines = []
    for name, crc, size, place in entries:
        head = b"PK\1\2", _UNIX | _VERSION, _VERSION, 0, 0, 0, _DAY, crc, size, size
        lines.append(_CENTRAL.pack(*head, len(name), 0, 0, 0, 0, _MODE, place) + name)
    found = b"".join(lines)
    count = len(entries)
    return found + _END.pack(b"PK\5\6", 0, 0, count, count, len(found), start, 0)


def pack(members: Sequence[Member]) -> Iterator[Buffer]:
    """Give the bytes of an archive, piece by piece.

    Parameters
    ----------
    members
        Its files, in their order.

    Raises
    ------
    ValueError
        If they are more than such an archive can hold.
    """
    entries = []
    place = 0
    for name, parts in members:
        crc = size = 0
        for part in parts:
            crc, size = zlib.crc32(part, crc), size + len(part)
        entries.append((name.encode("ascii"), crc, size, place))
        place += _LOCAL.size + len(name) + size
    if place + len(entries) * (_CENTRAL.size + _MOST_IN_NAME) > MOST_BYTES:
        raise ValueError(
            f"a model of {place / 2**30:.1f} GiB is too large for a file, 4 GiB is most"
        )
    if len(entries) > _MOST_MEMBERS:
        raise ValueError(f"{len(entries)} arrays are too many for a file")
    for (encoded, crc, size, _), member in zip(entries, members, strict=True):
        yield _local(encoded, crc, size)
        yield from member.parts
    yield _directory(entries, place)


def unpack(data: memoryview) -> dict[str, memoryview]:
    """Return the members of an archive by name, in their order.

    Parameters
    ----------
    data
        All of its bytes.

    Raises
    ------
    UnreadableModelError
        If it is not one that `pack` wrote, to the last byte.
    """
    members: dict[str, memoryview] = {}
    entries = []
    place = 0
    while bytes(data[place : place + 4]) == BEGINNING:
        encoded, content = _member_at(data, place)
        name = encoded.decode("ascii", "replace")
        if name in members:
            raise UnreadableModelError(f"damaged: the member {name!r} is there twice")
        crc = zlib.crc32(content)
        head = _local(encoded, crc, len(content))
        if data[place : place + len(head)] != head:
            raise UnreadableModelError(f"damaged: the header or content of {name!r} is wrong")
        members[name] = content
        entries.append((encoded, crc, len(content), place))
        place += len(head) + len(content)
        if len(entries) > _MOST_MEMBERS:
            raise UnreadableModelError("damaged: too many members")
    if data[place:] != _directory(entries, place):
        raise UnreadableModelError("damaged: the directory at its end is not that of its members")
    return members


def _member_at(data: memoryview, place: int) -> tuple[bytes, memoryview]:
    """Return name and content of the member whose header is at a place."""
    if len(data) < place + _LOCAL.size:
        raise UnreadableModelError("damaged: it is cut off")
    _, _, flags, method, *_, packed, size, n_name, n_extra = _LOCAL.unpack_from(data, place)
    if flags or method or n_extra or packed != size:
        raise UnreadableModelError("damaged: a member is packed, encrypted or otherwise unexpected")
    first = place + _LOCAL.size + n_name
    if n_name > _MOST_IN_NAME or first + size > len(data):
        raise UnreadableModelError("damaged: it is cut off, or a member is longer than it says")
    return bytes(data[place + _LOCAL.size : first]), data[first : first + size]


def first_member(data: memoryview) -> tuple[bytes, memoryview]:
    """Return name and content of the first member, of which nothing is checked yet.

    Parameters
    ----------
    data
        The bytes of the archive.

    Raises
    ------
    UnreadableModelError
        If there is none.
    """
    if bytes(data[:4]) != BEGINNING:
        raise UnreadableModelError("no file of river_kdb")
    return _member_at(data, 0)


def checksum(members: Sequence[tuple[str, Sequence[Buffer]]]) -> str:
    """Return a checksum over names, sizes and content of members.

    Parameters
    ----------
    members
        Names and pieces of content.
    """
    total = hashlib.blake2b(digest_size=32)
    for name, parts in members:
        total.update(f"{name}\n{sum(map(len, parts))}\n".encode())
        for part in parts:
            total.update(part)
    return total.hexdigest()
