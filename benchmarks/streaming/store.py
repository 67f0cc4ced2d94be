"""The records on disk: a JSON file for every model on a stream, so that a run can be taken up."""

from __future__ import annotations

import hashlib
import json
import os
import re
from pathlib import Path
from typing import Any, NamedTuple


class Key(NamedTuple):
    """What tells a record from others."""

    stream: str
    model: str
    parameters: str
    version: str
    rows_in_stream: int
    seconds: float


class Store:
    """A folder with a file for every record; each is whole or not there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, key: Key) -> Path:
        """Return where the record of a key is."""
        digest = hashlib.sha256(json.dumps(key).encode()).hexdigest()[:10]
        name = re.sub(r"[^A-Za-z0-9.=_-]+", "_", f"{key.stream}.{key.model}")
        return self.folder / f"{name}.{digest}.json"

    def add(self, record: dict[str, Any]) -> None:
        """Write a record, in the place of an older one of the same key."""
        path = self.path(Key(**{name: record[name] for name in Key._fields}))
        self.folder.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(f".{os.getpid()}.part")
        with draft.open("w", encoding="utf-8") as file:
            json.dump(record, file)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)

    def is_done(self, key: Key) -> bool:
        """Whether there is a record that is not of a failure."""
        path = self.path(key)
        return path.exists() and json.loads(path.read_text("utf-8"))["status"] == "ok"

    def records(self) -> list[dict[str, Any]]:
        """Return all records, the oldest first."""
        paths = sorted(self.folder.glob("*.json"), key=lambda path: path.stat().st_mtime_ns)
        return [json.loads(path.read_text("utf-8")) for path in paths]
