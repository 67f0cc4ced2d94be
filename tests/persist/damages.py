"""Damaged and forged files of a model, none of which may be read."""

from __future__ import annotations

import io
import itertools
import json
import pickle
import random
import struct
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from river_kdb.persist.fileformat import MANIFEST, NODES
from tests.persist.files import Members, forged, members_of, packed, signed, text, with_nodes

Damage = tuple[str, bytes]


class Touch:
    """What a pickle would run: it leaves a file behind."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.path,)


def damages(data: bytes, trap: Path) -> Iterator[Damage]:
    """Name and bytes of some thousand files; `trap` is what those that execute would touch."""
    yield from _flips(data)
    yield from _cut(data)
    yield from _junk(data)
    yield from _zip_tricks(data)
    yield from _headers(data)
    yield from _swaps(data)
    yield from _npy(data, trap)
    yield from _json(data)
    yield from _node_tricks(data)


def _flips(data: bytes) -> Iterator[Damage]:
    rng = random.Random(0)
    for at in [*range(0, 600, 7), *(rng.randrange(len(data)) for _ in range(320))]:
        yield f"flip at {at}", _flipped(data, at, 1 << rng.randrange(8))
    for at in range(len(data) - 500, len(data), 9):
        yield f"flip at {at}", _flipped(data, at, 1 << rng.randrange(8))


def _flipped(data: bytes, at: int, bits: int) -> bytes:
    return data[:at] + bytes([data[at] ^ bits]) + data[at + 1 :]


def _cut(data: bytes) -> Iterator[Damage]:
    rng = random.Random(1)
    for size in [0, 1, 3, 4, 29, 30, len(data) - 1, *(rng.randrange(len(data)) for _ in range(80))]:
        yield f"cut to {size}", data[:size]
    for _ in range(40):
        first, stop = sorted(rng.randrange(len(data)) for _ in range(2))
        yield f"without {first}:{stop}", data[:first] + data[stop + 1 :]
        yield f"zeros at {first}", data[:first] + bytes(stop + 1 - first) + data[stop + 1 :]


def _junk(data: bytes) -> Iterator[Damage]:
    for junk in (b"\0", b"PK\3\4", b"PK\5\6" + bytes(18), b"#!/bin/sh\n", bytes(1000)):
        yield "prepended", junk + data
        yield "appended", data + junk
    yield "twice", data + data
    yield "in the middle", data[: len(data) // 2] + b"\0" + data[len(data) // 2 :]
    yield "wrong magic", b"PK\1\2" + data[4:]
    yield "a pickle", pickle.dumps(list(range(100)))
    yield "text", b"feature,label\n" * 100
    yield "an .npy file", _saved(np.zeros(100))


def _saved(array: np.ndarray, **options: Any) -> bytes:
    out = io.BytesIO()
    np.save(out, array, **options)
    return out.getvalue()


def _zip_tricks(data: bytes) -> Iterator[Damage]:
    members = members_of(data)
    for name in ("../evil", "/etc/evil", "C:\\evil", "arrays/../0.npy", "arrays/999.npy", "x" * 65):
        yield f"member {name:.20}", packed({**members, name: b"x"})
        yield f"signed member {name:.20}", signed({**members, name: b"x"})
    for name in members:
        yield f"without {name}", packed({n: c for n, c in members.items() if n != name})
        if name != MANIFEST:
            yield f"signed without {name}", signed({n: c for n, c in members.items() if n != name})
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        yield f"zipped by method {method}", _zipped(members, method)
    bomb = {**members, NODES: b" " * 2**28}
    yield "deflate bomb", _zipped(bomb, zipfile.ZIP_DEFLATED)
    yield "nested", _zipped({MANIFEST: members[MANIFEST], NODES: data}, zipfile.ZIP_STORED)
    yield "signed nested", signed({MANIFEST: members[MANIFEST], NODES: data})
    yield "reversed", packed(dict(reversed(members.items())))
    yield "signed, another order", signed({**dict(reversed(members.items()))})
    again = _zipped({**members}, zipfile.ZIP_STORED, twice=NODES)
    yield "a member twice", again
    yield "many members", _zipped({str(i): b"" for i in range(20_000)}, zipfile.ZIP_STORED)
    many = {**members, **{f"m{i}": b"" for i in range(5_000)}}
    yield "signed, many members", signed(many)
    with io.BytesIO(data) as file:
        with zipfile.ZipFile(file, "a") as archive:
            archive.comment = b"hello"
        yield "a comment", file.getvalue()


def _zipped(members: Members, method: int, twice: str | None = None) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content, method)
            if name == twice:
                archive.fp.write(content)  # type: ignore[union-attr]
    return out.getvalue()


def _headers(data: bytes) -> Iterator[Damage]:
    """Other values in the fields of the first header, the directory and the end."""
    directory, end = data.index(b"PK\1\2"), data.rindex(b"PK\5\6")
    fields = [(at, 2) for at in (4, 6, 8, 10, 12, 26, 28)] + [(at, 4) for at in (14, 18, 22)]
    fields += [(directory + at, 2) for at in (4, 6, 8, 10, 12, 14, 28, 30, 32, 34, 36)]
    fields += [(directory + at, 4) for at in (16, 20, 24, 38, 42)]
    fields += [(end + at, 2) for at in (4, 6, 8, 10, 20)] + [(end + at, 4) for at in (12, 16)]
    for at, size in fields:
        now = data[at : at + size]
        for value in (0, 1, 9, 2 ** (8 * size - 1), 2 ** (8 * size) - 1):
            other = value.to_bytes(size, "little")
            if other != now:
                yield f"{value} at {at}", data[:at] + other + data[at + size :]


def _swaps(data: bytes) -> Iterator[Damage]:
    members = members_of(data)
    arrays = [name for name in members if name.startswith("arrays/")]
    for a, b in itertools.combinations(arrays, 2):
        swapped = {**members, a: members[b], b: members[a]}
        if members[a] == members[b]:
            continue
        yield f"swapped {a} {b}", packed(swapped)
        if members[a][:128] != members[b][:128]:
            yield f"signed, swapped {a} {b}", signed(swapped)
    yield from _swapped_nodes(data)


def _swapped_nodes(data: bytes) -> Iterator[Damage]:
    """Two arrays of different type or shape in each other's place, with a right checksum."""
    nodes = json.loads(members_of(data)[NODES])
    arrays = [i for i, node in enumerate(nodes) if "array" in node]
    rng = random.Random(2)
    for i, j in rng.sample(list(itertools.combinations(arrays, 2)), 160):
        # an array without cells may be any other such
        if nodes[i]["array"][:3] == nodes[j]["array"][:3] or _is_packed(nodes, i, j):
            continue

        def swap(nodes: list[Any], i: int = i, j: int = j) -> None:
            nodes[i], nodes[j] = nodes[j], nodes[i]

        yield f"signed, nodes {i} and {j} swapped", with_nodes(data, swap)


def _is_packed(nodes: list[Any], *numbers: int) -> bool:
    packed_ones = {part["packed"][0] for node in nodes for part in _packed_in(node)}
    return any(number in packed_ones for number in numbers)


def _packed_in(node: dict[str, Any]) -> list[Any]:
    [content] = node.values()
    parts = [content, *content] if isinstance(content, list) else [content]
    return [part for part in parts if isinstance(part, dict) and "packed" in part]


def _npy(data: bytes, trap: Path) -> Iterator[Damage]:
    members = members_of(data)
    name = "arrays/0.npy"
    array = np.load(io.BytesIO(members[name]))
    objects = np.array([Touch(trap)], dtype=object)
    huge = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,), }"
    code = b"{'descr': __import__('os').system('touch " + str(trap).encode() + b"')}"
    headers = [_npy_header(huge), _npy_header(code), _npy_header(b"(" * 5000), b"", b"\x93NUMPY"]
    headers.append(b"\x93NUMPY\1\0\xff\xff")
    headers.append(b"\x93NUMPY\2\0" + struct.pack("<I", 2**32 - 1))
    contents = [header + array.tobytes() for header in headers]
    contents += [_saved(objects, allow_pickle=True), _saved(array.T), _saved(array[:0])]
    contents += [_saved(array.astype(">f8")), members[name] + b"\0", members[name][:-1]]
    contents += [_saved(np.zeros(3, dtype="f4,i8")), members[name].replace(b"False", b"True ")]
    for i, content in enumerate(contents):
        if content != members[name]:
            yield f"npy {i}", packed({**members, name: content})
            yield f"signed npy {i}", signed({**members, name: content})
    for kind in ("|O", "|V8", "O", "<f8,<i4", "<U3", ">f8", "<f16", "float64", "<M8[x]", 7, None):
        yield f"signed type {kind}", with_nodes(data, _first_array(0, kind))
    shapes = ([10**12], [2**62, 4], [-1], [2**40, 0], [1.5], "x", None, [1] * 40, [[64]], [True])
    for shape in shapes:
        yield f"signed shape {shape!s:.20}", with_nodes(data, _first_array(2, shape))
    for number in (-1, 10**6, 2**70, 1.5, None, True, "AAAA", "no base64!", "A" * 10**6):
        yield f"signed number {number!s:.20}", with_nodes(data, _first_array(3, number))


def _npy_header(fields: bytes) -> bytes:
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(fields)) + fields


def _first_array(place: int, value: Any) -> Any:
    def change(nodes: list[Any]) -> None:
        node = next(n for n in nodes if "array" in n and type(n["array"][3]) is int)
        node["array"][place] = value

    return change


def _json(data: bytes) -> Iterator[Damage]:
    deep = b"[" * 200_000 + b"]" * 200_000
    contents = [
        *(b"", b"null", b"[]", b"{}", b"\xff", b"{" * 1000, deep, b"1" * 10_000, b'"\\ud800"'),
        b'[{"list":[' + b"9" * 5000 + b"]}]",
        *(b'[{"list":[' + odd + b"]}]" for odd in (b"NaN", b"-Infinity", b"01", b"1e5000,", deep)),
        *(b'[{"list":' + odd + b"}]" for odd in (deep, b"{}", b'{"packed":' + deep + b"}")),
        b'{"list":[]}',
        b"[{}]",
        b"[7]",
    ]
    for i, content in enumerate(contents):
        yield f"nodes {i}", forged(data, lambda members, c=content: members.update({NODES: c}))
        yield f"manifest {i}", packed({**members_of(data), MANIFEST: content})
    manifest = json.loads(members_of(data)[MANIFEST])
    for key, value in (
        *(("format", v) for v in (0, 2, -1, "1", None, 10**30, 1.0, True, [1])),
        *(("kind", v) for v in ("checkpoint", "x", None, 1, ["model"])),
    ):
        other = text({**manifest, key: value})
        yield f"{key} {value!r}", signed({**members_of(data), MANIFEST: other})
    yield "no checksum", packed({**members_of(data), MANIFEST: text({"format": 1})})
    yield (
        "large manifest",
        packed({**members_of(data), MANIFEST: text({"format": 1, "x": "y" * 9**6})}),
    )


def _node_tricks(data: bytes) -> Iterator[Damage]:
    count = len(json.loads(members_of(data)[NODES]))
    odd = [
        {"list": [[count]]}, {"list": []}, {"list": [[-1]]}, {"list": [[1.0]]}, {"list": [[]]},
        {"list": "ab"}, {"list": {"packed": 3}}, {"list": {"packed": [0]}}, {"list": None},
        {"dict": [[1, 1], [2, 3]]}, {"dict": [[1], []]}, {"dict": [[[0]], [1]]}, {"dict": []},
        {"set": [1, 1]}, {"frozenset": [[0]]}, {"deque": [[1, 2], 1]}, {"deque": [[], -1]},
        {"bytearray": [0]}, {"bytearray": 3}, {"unknown": []}, {"list": [], "tuple": []},
        {"object": ["os.system", {}]}, {"object": ["subprocess.Popen", {"args": "true"}]},
        {"object": ["river.LogisticRegression", {}]}, {"object": [["Coder"], {}]},
        {"object": ["Coder", []]}, {"record": ["Coder", {}]}, {"record": ["Window", {"raw": 1}]},
        {"object": ["river.PageHinkley", {"_test_drift": ["method", "__reduce__"]}]},
        {"object": ["Coder", {"code": ["method", "code"]}]}, {"random": [3, 4, 5]}, {"random": []},
        {"adwin": [0.1]}, {"adwin": [0.1, 0, 5, 5, 10, 0.0, 0.0, 0.0, 0.0, 0, 0, 0, 0, []]},
        {"ewmean": [1, 2, 3]}, {"tuple": [["int", "0x" + "f" * 2**21]]}, {"tuple": [["int", "x"]]},
        {"tuple": [["float", "00"]]}, {"tuple": [["bytes", "?"]]}, {"tuple": [["numpy", "O", ""]]},
        {"tuple": [["numpy", "<i8", "00"]]}, {"tuple": [["method", "x"]]}, {"tuple": [{"a": 1}]},
        {"tuple": [2**53 + 1]}, {"tuple": [["numpy", "|b1", "02"]]}, {"array": []},
        {"array": ["|b1", "C", [1], "Ag=="]}, {"array": ["<f8", "A", [0], ""]},
    ]  # fmt: skip
    for i, node in enumerate(odd):
        yield f"odd node {i}", with_nodes(data, lambda nodes, node=node: nodes.append(node))
        yield f"odd node {i} alone", with_nodes(data, lambda nodes, node=node: _only(nodes, node))
        # its last reader is the model
        yield (
            f"odd node {i} inside",
            with_nodes(
                data,
                lambda nodes, node=node: nodes[-1]["object"][1].update(_extra=_put(nodes, node)),
            ),
        )
    laughs = [{"tuple": [1, 2]}, *({"tuple": [[i], [i]]} for i in range(80))]
    yield "tuples of tuples", _of_nodes(data, [*laughs, {"dict": [[[80]], [1]]}])
    deep = [{"tuple": [1]}, *({"tuple": [[i]]} for i in range(20_000))]
    yield "deep tuples", _of_nodes(data, [*deep, {"dict": [[[20_000]], [1]]}])
    sets = [{"frozenset": [1]}, *({"frozenset": [[i], i]} for i in range(2000))]
    yield "sets of sets", _of_nodes(data, sets)


def _only(nodes: list[Any], node: Any) -> None:
    nodes[:] = [node]


def _put(nodes: list[Any], node: Any) -> list[int]:
    """Put a node before the last, and return its number."""
    nodes.insert(-1, node)
    return [len(nodes) - 2]


def _of_nodes(data: bytes, nodes: list[Any]) -> bytes:
    return forged(data, lambda members: members.update({NODES: text(nodes)}))
