"""Things made of the nodes that `graph` took them apart into."""

from __future__ import annotations

import base64
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from river_kdb.persist.graph import MOST_DEPTH, MOST_INLINE
from river_kdb.persist.known import METHODS, OBJECTS, RECORDS, class_of
from river_kdb.persist.native import PUT_TOGETHER
from river_kdb.persist.npy import array_of
from river_kdb.persist.values import of_json

_SHARED = 16
"""So many times as large as it is written may a thing become, beyond what follows."""

_ROOM = 2**20
"""Values in a thing, its parts' included, that are nothing unusual. Without a bound, lists that
share each other could be short in a file and take for ever to compare."""


class Rebuilder:
    """Makes things of nodes.

    Parameters
    ----------
    read_array
        Gives the array of a member of the archive, given its number, type, memory order, shape.
    """

    def __init__(self, read_array: Callable[[int, Any, Any, Any], np.ndarray]) -> None:
        self._read_array = read_array
        self._made: list[Any] = []
        self._sizes: list[int] = []
        self._needed: set[int] = set()
        self._depths: list[int] = []
        self._size = self._depth = self._n_written = 0
        self._makers: dict[str, Callable[[Any], Any]] = {
            "list": self._list,
            "tuple": lambda parts: tuple(self._list(parts)),
            "dict": self._dict,
            "set": lambda parts: _distinct(set, self._list(parts)),
            "frozenset": lambda parts: _distinct(frozenset, self._list(parts)),
            "deque": self._deque,
            "bytearray": self._bytearray,
            "array": self._array,
            "record": self._record,
            "object": self._object,
        }

    def add(self, nodes: Sequence[Any]) -> Any:
        """Return the thing that the last of some nodes stands for.

        Parameters
        ----------
        nodes
            The nodes.

        Raises
        ------
        ValueError
            For anything that is no such node. Other errors of broken nodes may come as they are.
        """
        for node in nodes:
            if type(node) is not dict or len(node) != 1:
                raise ValueError(f"no node: {node!r:.60}")
            [(tag, content)] = node.items()
            self._size, self._depth = 1, 0
            if tag in self._makers:
                made = self._makers[tag](content)
            elif tag in PUT_TOGETHER:
                made = PUT_TOGETHER[tag](self._list(content))
            else:
                raise ValueError(f"no node: {tag!r:.60}")
            if self._size > _ROOM + _SHARED * self._n_written:
                raise ValueError("it is far larger than what it is made of")
            if self._depth > MOST_DEPTH:
                raise ValueError("it is too deep")
            self._made.append(made)
            self._sizes.append(self._size)
            self._depths.append(self._depth + 1)
        if len(self._needed) != len(nodes) - 1:
            raise ValueError("nodes that nobody needs")
        return self._made[-1]

    def _value(self, json: Any) -> Any:
        """Return what JSON stands for inside a node: a value, or `[number]` of an earlier node."""
        self._n_written += 1
        if type(json) is not list or len(json) != 1:
            self._size += 1
            return of_json(json)
        [number] = json
        if type(number) is not int or not 0 <= number < len(self._made):
            raise ValueError(f"no earlier node: {number!r:.60}")
        self._needed.add(number)
        self._depth = max(self._depth, self._depths[number])
        self._size += self._sizes[number]
        return self._made[number]

    def _list(self, parts: Any) -> list[Any]:
        if type(parts) is dict and list(parts) == ["packed"]:
            packed = self._value(parts["packed"])
            if type(packed) is not np.ndarray or packed.ndim != 1:
                raise ValueError("no packed list")
            if packed.dtype not in (np.float64, np.int64):
                raise ValueError("no packed list")
            return packed.tolist()
        if type(parts) is not list:
            raise ValueError(f"no list: {parts!r:.60}")
        return [self._value(part) for part in parts]

    def _dict(self, parts: Any) -> dict[Any, Any]:
        keys, values = map(self._list, parts)
        made = dict(zip(keys, values, strict=True))
        if len(made) < len(keys):
            raise ValueError("a dict has a key twice")
        return made

    def _deque(self, parts: Any) -> deque[Any]:
        items, most = parts
        if most is not None and (type(most) is not int or most < 0):
            raise ValueError(f"no length of a deque: {most!r:.60}")
        found = self._list(items)
        if most is not None and len(found) > most:
            raise ValueError("a deque is longer than it may be")
        return deque(found, maxlen=most)

    def _bytearray(self, parts: Any) -> bytearray:
        array = self._value(parts)
        if type(array) is not np.ndarray or array.dtype != np.uint8 or array.ndim != 1:
            raise ValueError("no bytes")
        return bytearray(array.tobytes())

    def _array(self, parts: Any) -> np.ndarray:
        name, order, shape, content = parts
        if type(content) is int:
            return self._read_array(content, name, order, shape)
        data = base64.b64decode(content, validate=True)
        if len(data) > MOST_INLINE:
            raise ValueError("an array in a node is too large for it")
        return array_of(memoryview(data), name, order, shape)

    def _state(self, parts: Any, kinds: Mapping[str, str]) -> tuple[str, dict[str, Any]]:
        name, state = parts
        if type(name) is not str or name not in kinds:
            raise ValueError(f"unknown class {name!r:.60}")
        return name, {key: part for key, part in state.items() if not _is_method(part)}

    def _record(self, parts: Any) -> Any:
        name, state = self._state(parts, RECORDS)
        return class_of(name)(**{key: self._value(part) for key, part in state.items()})

    def _object(self, parts: Any) -> Any:
        name, state = self._state(parts, OBJECTS)
        kind: Any = class_of(name)
        made: Any = kind.__new__(kind)
        for key, part in state.items():
            made.__dict__[key] = self._value(part)
        for key, part in parts[1].items():
            if _is_method(part):
                if part[1] not in METHODS.get((name, key), ()):
                    raise ValueError(f"{name} has no method {part[1]!r:.60}")
                made.__dict__[key] = getattr(made, part[1])
        return made


def _is_method(json: Any) -> bool:
    return type(json) is list and len(json) == 2 and json[0] == "method"


def _distinct(kind: Callable[[list[Any]], Any], parts: list[Any]) -> Any:
    made = kind(parts)
    if len(made) < len(parts):
        raise ValueError("a set has a member twice")
    return made
