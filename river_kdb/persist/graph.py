"""Objects, lists, dicts, tuples and arrays as a list of nodes, and back.

A node is one thing that has parts. It names them by value, if they have no parts themselves, or
by the number of their node, `[number]`, which is always smaller: nothing contains itself, and
what two things share is one node. So the list is read from its beginning to its end without ever
going deeper, and each node is made with parts that are ready.
"""

from __future__ import annotations

import base64
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from types import MethodType
from typing import Any

import numpy as np

from river_kdb.persist.known import METHODS, OBJECTS, RECORDS, name_of, state_of
from river_kdb.persist.native import TAKEN_APART
from river_kdb.persist.npy import bytes_of, describe
from river_kdb.persist.values import is_scalar, to_json

MOST_INLINE = 256
"""Bytes of an array that stands in its node, and is no member of the archive."""

FEWEST_PACKED = 64
"""Floats or whole numbers of a list that are kept as an array."""

MOST_DEPTH = 100
"""So deep things may be: what is far deeper can't even be hashed."""


class Flattener:
    """Takes a thing apart into nodes and arrays.

    Attributes
    ----------
    nodes
        The nodes, as JSON has them; the last is the thing itself.
    arrays
        The arrays that are too large for a node.
    """

    def __init__(self) -> None:
        self.nodes: list[dict[str, Any]] = []
        self.arrays: list[np.ndarray] = []
        self._numbers: dict[int, int] = {}
        self._alive: list[Any] = []
        self._where: list[str] = []

    def add(self, thing: Any) -> Any:
        """Return a thing as JSON: its value, or the number of its node.

        Parameters
        ----------
        thing
            The thing.

        Raises
        ------
        TypeError
            For something that can't be saved; it says where that is.
        ValueError
            For something that contains itself, or is too deep.
        """
        if is_scalar(thing):
            try:
                return to_json(thing)
            except (TypeError, ValueError) as error:
                raise type(error)(f"{self._place()}: {thing!r:.80}: {error}") from None
        number = self._numbers.get(id(thing))
        if number is None:
            if len(self._where) >= MOST_DEPTH:
                raise ValueError(f"{self._place():.200}...: it is too deep, or contains itself")
            node = self._node(thing)
            number = self._numbers[id(thing)] = len(self.nodes)
            self.nodes.append(node)
            # ids must not be used again
            self._alive.append(thing)
        return [number]

    def _place(self) -> str:
        return "".join(self._where).lstrip(".") or "this"

    @contextmanager
    def _at(self, step: str) -> Iterator[None]:
        self._where.append(step)
        yield
        self._where.pop()

    def _node(self, thing: Any) -> dict[str, Any]:
        kind = type(thing)
        if kind in (list, tuple):
            return {kind.__name__: self._items(thing)}
        if kind is dict:
            return {"dict": [self._items(list(thing)), self._items(list(thing.values()))]}
        if kind is np.ndarray:
            return self._array(thing)
        if kind is deque:
            return {"deque": [self._items(list(thing)), thing.maxlen]}
        if kind is bytearray:
            return {"bytearray": self.add(np.frombuffer(bytes(thing), dtype=np.uint8))}
        if kind in (set, frozenset):
            return {kind.__name__: self._unordered(thing)}
        for tag, (is_one, take_apart) in TAKEN_APART.items():
            if is_one(thing):
                return {tag: self._items(take_apart(thing))}
        return self._known(thing)

    def _items(self, things: Any) -> Any:
        kinds = set(map(type, things)) if len(things) >= FEWEST_PACKED else set()
        if kinds == {float}:
            return {"packed": self.add(np.array(things, dtype=np.float64))}
        if kinds == {int} and all(-(2**63) <= thing < 2**63 for thing in things):
            return {"packed": self.add(np.array(things, dtype=np.int64))}
        found = []
        for place, thing in enumerate(things):
            with self._at(f"[{place}]"):
                found.append(self.add(thing))
        return found

    def _unordered(self, things: Any) -> Any:
        # the order of a set differs from run to run
        return self._items(sorted(things, key=lambda thing: (type(thing).__name__, repr(thing))))

    def _array(self, array: np.ndarray) -> dict[str, Any]:
        try:
            described = describe(array)
        except TypeError as error:
            raise TypeError(f"{self._place()}: {error}") from None
        if array.nbytes <= MOST_INLINE:
            text = base64.b64encode(bytes_of(array).tobytes()).decode()
            return {"array": [*described, text]}
        self.arrays.append(array)
        return {"array": [*described, len(self.arrays) - 1]}

    def _known(self, thing: Any) -> dict[str, Any]:
        name = name_of(type(thing))
        if name is None:
            kind = f"{type(thing).__module__}.{type(thing).__qualname__}"
            raise TypeError(f"{self._place()}: {thing!r:.80}: {kind} is not supported")
        if name in RECORDS:
            return {"record": [name, self._parts(name, thing._asdict())]}
        assert name in OBJECTS
        state = state_of(thing)
        self._alive.append(state)
        return {"object": [name, self._parts(name, state)]}

    def _parts(self, name: str, state: dict[str, Any]) -> dict[str, Any]:
        parts = {}
        for key, part in state.items():
            with self._at(f".{key}"):
                if isinstance(part, MethodType) and part.__name__ in METHODS.get((name, key), ()):
                    parts[key] = ["method", part.__name__]
                else:
                    parts[key] = self.add(part)
        return parts
