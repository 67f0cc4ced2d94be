"""Files of models, taken apart and put together again with another content and a right checksum."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from river import drift

from river_kdb import KDBClassifier
from river_kdb.persist.archive import Member, checksum, pack, unpack
from river_kdb.persist.fileformat import MANIFEST, NODES
from tests.datasets import mixed

Members = dict[str, bytes]


def small_model(n_events: int = 90, **parameters: Any) -> KDBClassifier:
    """A model with texts, numbers, truth values and gaps, a structure and a detector."""
    settings: dict[str, Any] = {"k": 1, "window_size": 64, "grace_period": 20, "n_bins": 4}
    settings |= {"drift_detector": drift.ADWIN(), **parameters}
    model = KDBClassifier(**settings)
    for x, y in mixed(n_events, seed=3):
        model.learn_one(x, y)
    return model


def members_of(data: bytes) -> Members:
    """The members of a file by name."""
    return {name: bytes(content) for name, content in unpack(memoryview(data)).items()}


def packed(members: Members) -> bytes:
    """The archive of members as they are."""
    return b"".join(pack([Member(name, [content]) for name, content in members.items()]))


def signed(members: Members) -> bytes:
    """The archive of members, with the checksum that they have now."""
    manifest = json.loads(members[MANIFEST])
    manifest.pop("blake2b", None)
    rest = {name: content for name, content in members.items() if name != MANIFEST}
    unsigned = text(manifest)
    parts = [(MANIFEST, [unsigned]), *((name, [content]) for name, content in rest.items())]
    manifest["blake2b"] = checksum(parts)
    return packed({MANIFEST: text(manifest), **rest})


def forged(data: bytes, change: Callable[[Members], Any]) -> bytes:
    """A file with other members and a right checksum; `change` changes them in place."""
    members = members_of(data)
    change(members)
    return signed(members)


def with_nodes(data: bytes, change: Callable[[list[Any]], Any]) -> bytes:
    """A file with other nodes and a right checksum; `change` changes them in place."""

    def rewrite(members: Members) -> None:
        nodes = json.loads(members[NODES])
        change(nodes)
        members[NODES] = text(nodes)

    return forged(data, rewrite)


def text(content: Any) -> bytes:
    """JSON as the files have it."""
    return json.dumps(content, separators=(",", ":")).encode()
