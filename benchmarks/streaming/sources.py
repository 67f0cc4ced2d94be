"""The streams by name: River's, those of a folder, and the synthetic ones."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from river import datasets

from benchmarks.reproduction.datasets import Entry, choose, load, read_manifest
from benchmarks.streaming.synthetic import (
    ABRUPT,
    GRADUAL,
    PLAIN,
    SEED,
    Generator,
    drifting,
    generators,
)
from river_kdb.evaluate.streams import Event, Stream

BUNDLED = ("Phishing", "ImageSegments", "Bananas")
REAL = (
    "chess-games",
    "elec2",
    "gmsc",
    "kdd99-10pct",
    "outdoor",
    "ozone-eighthr",
    "phishing",
    "powersupply",
    "usenet1",
)
SHUFFLED = (
    "nursery",
    "car",
    "kr-vs-kp",
    "mushrooms",
    "connect-4",
    "adult",
    "letter-recog",
    "poker-hand-part",
)


class Source(NamedTuple):
    """A stream to be made.

    Attributes
    ----------
    name
        Of the stream.
    family
        Of the streams that belong into a picture.
    n_rows
        How many events it has.
    drift
        ``"plain"``, ``"abrupt"`` or ``"gradual"``: whether another concept was put into it.
    make
        Returns it.
    """

    name: str
    family: str
    n_rows: int
    drift: str
    make: Callable[[], Stream]


def read_sources(
    data: Path | None, n_events: int, max_rows: int | None
) -> tuple[list[Source], list[str]]:
    """Return the streams in the order in which they run, and the names of those not found.

    Parameters
    ----------
    data
        A folder with ``streams/`` and ``uci/``; None for none.
    n_events
        Of a synthetic stream.
    max_rows
        No stream has more than these, its first ones.
    """
    found = [_bundled(name, max_rows) for name in BUNDLED]
    missing = [*REAL, *SHUFFLED]
    if data is not None:
        entries, missing = choose(missing, read_manifest(data))
        found += [_of_entry(entry, entry.name in SHUFFLED, max_rows) for entry in entries]
    n_events = min(n_events, max_rows or n_events)
    found += [_synthetic(generator, drift, n_events) for generator, drift in synthetic()]
    return found, missing


def synthetic() -> list[tuple[Generator, str]]:
    """Return the synthetic streams, those with a drift after all others."""
    made = generators()
    plain = [(generator, PLAIN) for generator in made]
    return plain + [(generator, drift) for generator in made for drift in (ABRUPT, GRADUAL)]


def stream_names() -> list[str]:
    """Return the names of all streams, in the order in which they run."""
    return [*BUNDLED, *REAL, *SHUFFLED, *(_name(*stream) for stream in synthetic())]


def _name(generator: Generator, drift: str) -> str:
    return generator.name if drift == PLAIN else f"{generator.name}-{drift}"


def _bundled(name: str, max_rows: int | None) -> Source:
    dataset = getattr(datasets, name)()
    n_rows = min(dataset.n_samples, max_rows or dataset.n_samples)

    def make() -> Stream:
        events = list(dataset.take(n_rows))
        return Stream.look_at(name, lambda: events, n_rows)

    return Source(name, "real", n_rows, PLAIN, make)


def _of_entry(entry: Entry, shuffled: bool, max_rows: int | None) -> Source:
    n_rows = min(entry.rows, max_rows or entry.rows)
    family = "shuffled" if shuffled else "real"
    return Source(
        entry.name,
        family,
        n_rows,
        PLAIN,
        lambda: read_stream(entry, n_rows, SEED if shuffled else None),
    )


def _synthetic(generator: Generator, drift: str, n_events: int) -> Source:
    name = _name(generator, drift)

    def make() -> Stream:
        events = drifting(generator, drift, n_events)
        return Stream.look_at(name, lambda: events, n_events)

    return Source(name, generator.family, n_events, drift, make)


def read_stream(entry: Entry, n_rows: int, seed: int | None = None) -> Stream:
    """Return the first rows of a set, in its order or shuffled; a missing cell is None.

    Every column that its manifest does not call numeric holds text.
    """
    data = load(entry if seed is not None else entry._replace(rows=n_rows))
    order = np.arange(len(data.y))
    if seed is not None:
        order = np.random.default_rng(seed).permutation(order)[:n_rows]
    frame = data.X.iloc[order].astype(object)
    frame = frame.where(frame.notna(), None)
    names = list(frame.columns)
    columns = [frame[name].tolist() for name in names]
    labels = data.y[order].tolist()

    def events() -> Iterator[Event]:
        for row, y in zip(zip(*columns, strict=True), labels, strict=True):
            yield dict(zip(names, row, strict=True)), y

    # The whole stream is looked at: a column may be empty, or a number, for long
    return Stream.look_at(entry.name, events, n_rows, look=n_rows)


@functools.lru_cache(maxsize=1)
def opened(source: Source) -> Stream:
    """Return the stream of a source; the last one is kept."""
    return source.make()
