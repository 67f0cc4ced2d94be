"""How many events a second the Redis consumer manages, from the stream to the predictions.

    python benchmarks/consume.py --events 100000 --out benchmarks/results/consume.csv

A Redis server is started, filled with Agrawal's events as JSON, and consumed by ``river-kdb
consume``, a process of its own, with KDB(2). The server appends every command to a file, and has it
on the disk once a second (`fsync` is everysec), or before it answers (always).

`plain` is the loop over the same events as dicts in memory: predict, score, learn. `consume` is the
command from its start to its end; `consumer` leaves out its start: from the first predictions in
the stream to the last. The accuracies have to be equal, and the models to the last bit; if they are
not, the script fails.
"""

from __future__ import annotations

import argparse
import csv
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from itertools import product
from pathlib import Path
from typing import Any

import redis
from river.datasets import synth

from river_kdb import Checkpoint, KDBClassifier
from river_kdb.consume.server import LocalServer
from river_kdb.consume.tally import Tally

_HEAD = (
    "run",
    "fsync",
    "measure",
    "events",
    "seconds",
    "events_per_second",
    "accuracy",
    "log_loss",
)

Event = tuple[dict[str, Any], Any]


def agrawal(n_events: int) -> list[Event]:
    """Return events of nine features, three of them texts, as a producer would send them.

    Parameters
    ----------
    n_events
        How many.

    Examples
    --------
    >>> from benchmarks.consume import agrawal
    >>> x, y = agrawal(1)[0]
    >>> len(x), x["car"], y
    (9, 'c9', 'no')
    """
    texts = {"elevel": "e", "car": "c", "zipcode": "z"}
    return [
        ({k: f"{texts[k]}{v}" if k in texts else v for k, v in x.items()}, "yes" if y else "no")
        for x, y in synth.Agrawal(classification_function=4, seed=1).take(n_events)
    ]


def plain_loop(events: Iterable[Event]) -> tuple[KDBClassifier, Tally, float]:
    """Predict, score and learn; return the model, the scores and the seconds.

    Parameters
    ----------
    events
        The events.
    """
    model, tally = KDBClassifier(k=2), Tally()
    begun = time.perf_counter()
    for x, y in events:
        tally.score(y, model.predict_proba_one(x))
        model.learn_one(x, y)
    return model, tally, time.perf_counter() - begun


def send(client: Any, events: Iterable[Event]) -> None:
    """Write the events to the stream ``events``.

    Parameters
    ----------
    client
        A Redis client.
    events
        The events.
    """
    pipe = client.pipeline(transaction=False)
    for x, y in events:
        pipe.xadd("events", {"data": json.dumps({**x, "class": y})})
        if len(pipe) >= 1000:
            pipe.execute()
    pipe.execute()


def consume(server: LocalServer, client: Any, checkpoint: Path, n_events: int) -> list[float]:
    """Run the command; return its seconds, and those without its start.

    Parameters
    ----------
    server
        The server.
    client
        A client of it.
    checkpoint
        Where the checkpoint goes.
    n_events
        How many events there are.
    """
    begun = time.perf_counter()
    with subprocess.Popen(
        [
            sys.executable, "-m", "river_kdb.cli", "consume", server.url, "--stream", "events",
            "--target", "class", "--checkpoint", str(checkpoint), "--stop-after", str(n_events),
        ],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        while not client.exists("events:predictions") and process.poll() is None:
            time.sleep(0.01)
        first, there = time.perf_counter(), client.xlen("events:predictions")
        while client.xlen("events:predictions") < n_events and process.poll() is None:
            time.sleep(0.02)
        last = time.perf_counter()
        if process.wait() != 0:
            raise SystemExit("river-kdb consume failed")
    share = (n_events - there) / n_events
    return [time.perf_counter() - begun, (last - first) / share if share else last - begun]


def measure(run: int, n_events: int, durable: bool) -> list[tuple[Any, ...]]:
    """Return the rows of a run: the plain loop, the command, the command without its start.

    Parameters
    ----------
    run
        The number of the run.
    n_events
        How many events.
    durable
        Whether every command is on the disk before it is answered.
    """
    events = agrawal(n_events)
    model, tally, seconds = plain_loop(events)
    measured = [("plain", seconds, tally)]
    folder = Path(tempfile.mkdtemp(prefix="kdb"))
    try:
        with LocalServer(folder, durable) as server, redis.Redis.from_url(server.url) as client:
            send(client, events)
            both = consume(server, client, folder / "model.ckpt", n_events)
        saved = Checkpoint(folder / "model.ckpt").load()
        if saved is None or saved.model.to_bytes() != model.to_bytes():
            raise SystemExit("the consumer's model is not that of the plain loop")
        scored = Tally.restored(saved.position["loop"]["tally"])
    finally:
        shutil.rmtree(folder)
    if (scored.accuracy, scored.log_loss) != (tally.accuracy, tally.log_loss):
        raise SystemExit("the consumer's scores are not those of the plain loop")
    measured += [("consume", both[0], scored), ("consumer", both[1], scored)]
    return [
        (
            run, "always" if durable else "everysec", name, n_events, f"{seconds:.2f}",
            f"{n_events / seconds:.0f}", f"{scores.accuracy:.6f}", f"{scores.log_loss:.6f}",
        )
        for name, seconds, scores in measured
    ]  # fmt: skip


def main() -> None:
    """Print the table, and write it where asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    plain_loop(agrawal(1000))  # the kernels are compiled, if they were not
    rows: list[tuple[Any, ...]] = [_HEAD]
    print(*(name.rjust(17) for name in _HEAD))
    for run, durable in product(range(1, given.runs + 1), (False, True)):
        for row in measure(run, given.events, durable):
            print(*(str(cell).rjust(17) for cell in row), flush=True)
            rows.append(row)
    if given.out is not None:
        with given.out.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(rows)


if __name__ == "__main__":
    main()
