"""Files of models with a few values changed and a right checksum, which are refused or do no harm.

    NUMBA_DISABLE_JIT=1 python -m tests.persist.mutations FILES

Without the JIT an index beyond an array is an error, where a kernel would read on. It prints how
many files were read, and stops with an error where one of them did harm.
"""

from __future__ import annotations

import base64
import json
import random
import struct
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from river import drift

import river_kdb
from river_kdb import Expert
from river_kdb.persist import UnreadableModelError
from river_kdb.persist.fileformat import NODES
from tests.datasets import growing, mixed
from tests.persist.files import members_of, signed, text

_MODELS: list[tuple[str, dict[str, Any]]] = [
    ("UKDBClassifier", {"counts": "dense", "drift_detector": drift.ADWIN(clock=4)}),
    ("UKDBClassifier", {"counts": "bitset", "missing": "skip"}),
    ("KDBClassifier", {"half_life": 30, "missing": "skip"}),
    ("AODEClassifier", {}),
    ("SelectiveKDBClassifier", {"forget": "window"}),
    ("CSBClassifier", {"missing": "skip"}),
    ("BKDBClassifier", {"literal": True}),
    ("KDFClassifier", {"counts": "dense"}),
    ("TANClassifier", {"average": "mi"}),
    ("BNMixtureClassifier", {"experts": [Expert("kdb", 2, 5, 100), Expert("linear", 0, 1, 9)]}),
]


def originals() -> Iterator[bytes]:
    """Files of models that are sound."""
    for name, parameters in _MODELS:
        settings = {"window_size": 32, "grace_period": 20, "relearn_period": 40, **parameters}
        model = getattr(river_kdb, name)(**settings)
        for x, y in mixed(90, seed=1):
            model.learn_one(x, y)
        yield model.to_bytes()


def mutated(data: bytes, rng: random.Random) -> bytes:
    """A file with up to three values changed."""
    members = members_of(data)
    nodes = json.loads(members[NODES])
    arrays = [node for node in nodes if "array" in node]
    for _ in range(rng.choice([1, 1, 2, 3])):
        node = rng.choice(arrays if rng.random() < 0.5 else nodes)
        [(tag, content)] = node.items()
        if tag == "array" and type(content[3]) is str:
            cells = _mutated_cells(base64.b64decode(content[3]), content[0], rng)
            content[3] = base64.b64encode(cells).decode()
        elif tag == "array":
            name = f"arrays/{content[3]}.npy"
            begin = 10 + struct.unpack("<H", members[name][8:10])[0]
            cells = _mutated_cells(members[name][begin:], content[0], rng)
            members[name] = members[name][:begin] + cells
        elif tag in ("object", "record"):
            key = rng.choice(list(content[1]))
            content[1][key] = _other(content[1][key], rng)
        elif type(content) is list and content:
            place = rng.randrange(len(content))
            content[place] = _other(content[place], rng)
    members[NODES] = text(nodes)
    return signed(members)


def _mutated_cells(data: bytes, kind: str, rng: random.Random) -> bytes:
    array = np.frombuffer(data, kind).copy()
    if not array.size:
        return data
    place, others = rng.randrange(array.size), [array[rng.randrange(array.size)], 0, 1]
    if array.dtype.kind == "f":
        others += [np.nan, np.inf, -np.inf, -1.0, 1e300, -array[place]]
    elif array.dtype.kind in "iu":
        least, most = np.iinfo(array.dtype).min, np.iinfo(array.dtype).max
        others += [least, most, max(int(array[place]) - 1, least), min(int(array[place]) + 1, most)]
        others += [7, 64, int(array.max())]
    if rng.random() < 0.8:
        array[place] = rng.choice(others)
    else:
        array[:] = rng.choice(others)
    return array.tobytes()


def _other(json_value: Any, rng: random.Random) -> Any:
    match json_value:
        case bool() | None:
            return rng.choice([True, False, None, 0])
        case int():
            return rng.choice([json_value + 1, json_value - 1, 0, -2, 2**31, 2**52, -json_value])
        case float():
            return rng.choice([-json_value, json_value + 1, 0.0, 1e300])
        case str():
            return json_value + "x"
        case [int()]:
            return rng.choice([[max(0, json_value[0] - rng.randrange(20))], 0, None])
    return json_value


def check(n_files: int) -> int:
    """Read so many files and use those that can be read; return how many these are."""
    rng, files = random.Random(0), list(originals())
    later = [*mixed(25, seed=7, n_classes=4), *growing(12)]
    n_read = 0
    for _ in range(n_files):
        data = mutated(rng.choice(files), rng)
        try:
            model = river_kdb.from_bytes(data)
        except UnreadableModelError:
            continue
        n_read += 1
        try:
            for x, y in later:
                model.predict_proba_one(x)
                model.learn_one(x, y)
            model.relearn()
            river_kdb.from_bytes(model.to_bytes()).predict_one(later[0][0])
        except ValueError as error:
            # only Python minds the logarithm of 0
            if str(error) != "math domain error":
                raise
    return n_read


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    with np.errstate(all="ignore"):
        print(check(int(sys.argv[1])))
