"""Consumers of a stream that keep a checkpoint and are killed at random moments.

    python -m tests.persist.consumer FOLDER KILLS EVENTS EVERY SECONDS

It stops with an error where one has lost an event, or learned one twice.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path
from typing import Any

from river import drift

from river_kdb import Checkpoint, KDBClassifier
from tests.datasets import mixed

_LONGEST = 120.0


def new_model() -> KDBClassifier:
    """The model before the first event."""
    return KDBClassifier(k=1, window_size=64, drift_detector=drift.ADWIN(clock=8))


def consume(folder: Path, events: list[Any], every: int) -> None:
    """Learn what is left of the stream, and write the model at its end."""
    checkpoint = Checkpoint(folder / "stream.kdb", every)
    begin: tuple[KDBClassifier, dict[str, Any]] = new_model(), {"next": 0, "labels": []}
    model, position = checkpoint.load() or begin
    (folder / "begun").touch()
    for n, (x, y) in enumerate(events[position["next"] :], position["next"]):
        model.learn_one(x, y)
        position = {"next": n + 1, "labels": [*position["labels"][-9:], y]}
        checkpoint.update(model, position)
    model.save(folder / "result.kdb")


def run(folder: Path, events: list[Any], every: int, seconds: float) -> bool:
    """Kill a consumer some seconds after it began; say whether it had come to the end."""
    (folder / "begun").unlink(missing_ok=True)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            consume(folder, events, every)
            code = 0
        finally:
            os._exit(code)
    end = time.monotonic() + _LONGEST
    while not (folder / "begun").exists() and time.monotonic() < end:
        time.sleep(0.0005)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            assert status == 0
            return True
        time.sleep(min(0.0005, seconds / 3))
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert status == signal.SIGKILL or status == 0
    return status == 0


def check_saved(folder: Path, events: list[Any], every: int, before: int) -> int:
    """Check what the checkpoint holds; return how many events that is."""
    saved = Checkpoint(folder / "stream.kdb").load()
    if saved is None:
        assert before == 0
        return 0
    done = saved.position["next"]
    assert done >= before
    assert done % every == 0
    assert saved.model._learner.store.n_events == done
    assert saved.position["labels"] == [y for _, y in events[:done]][-10:]
    return int(done)


def kill_consumers(folder: Path, n_kills: int, n_events: int, every: int, seconds: float) -> int:
    """Kill so many consumers; return how many checkpoints with some events they left."""
    rng, events = random.Random(0), mixed(n_events, seed=4)
    model = new_model()
    for x, y in events:
        model.learn_one(x, y)
    killed = resumed = done = 0
    while killed < n_kills:
        finished = run(folder, events, every, rng.uniform(0.0, seconds))
        killed += not finished
        done = check_saved(folder, events, every, done)
        resumed += done > 0
        if finished:
            assert (folder / "result.kdb").read_bytes() == model.to_bytes()
            (folder / "stream.kdb").unlink()
            done = 0
    assert run(folder, events, every, _LONGEST)
    assert (folder / "result.kdb").read_bytes() == model.to_bytes()
    return resumed


if __name__ == "__main__":
    given = sys.argv[1:]
    print(kill_consumers(Path(given[0]), *map(int, given[1:4]), float(given[4])))
