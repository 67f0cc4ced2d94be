"""Where events come from: files, River's data sets, River's generators."""

from __future__ import annotations

import inspect
import numbers
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from river import datasets

from river_kdb.evaluate.arff import ARFFFile
from river_kdb.evaluate.csvfile import CSVFile
from river_kdb.evaluate.errors import EvaluationError, did_you_mean
from river_kdb.evaluate.settings import check_settings, parse_settings

__all__ = ["DEFAULT_LIMIT", "Event", "Stream", "open_stream"]

Event = tuple[dict[Any, Any], Any]

DEFAULT_LIMIT = 10_000
"""How many events an endless generator gives unless told otherwise."""

_LOOK = 1000


@dataclass(frozen=True)
class Stream:
    """A stream of events that can be read again and again, each time from its start.

    Parameters
    ----------
    name
        What to call it.
    rows
        Returns a new iterator over the pairs of a dict of features and a label.
    n_rows
        How many events there are, None where that is not known beforehand.
    features
        The features met in a first look, in order of appearance.
    text
        The features that held text (or anything else but numbers) in the first look.
    labels
        The labels met in the first look.
    nominal
        The features declared nominal: what they hold is handed on as text.

    """

    name: str
    rows: Callable[[], Iterable[Event]]
    n_rows: int | None = None
    features: tuple[Hashable, ...] = ()
    text: frozenset[Hashable] = frozenset()
    labels: frozenset[Hashable] = frozenset()
    nominal: tuple[Hashable, ...] = ()

    def __iter__(self) -> Iterator[Event]:
        return iter(self.rows())

    @property
    def has_true_false_labels(self) -> bool:
        """Whether the labels seen in the first look are no others than True and False (or 1, 0)."""
        return self.labels <= {0, 1}

    @classmethod
    def look_at(
        cls,
        name: str,
        rows: Callable[[], Iterable[Event]],
        n_rows: int | None = None,
        nominal: tuple[Hashable, ...] = (),
        look: int = _LOOK,
    ) -> Stream:
        """Make a stream, learning its features and labels from its first events.

        Examples
        --------
        >>> from river_kdb.evaluate import Stream
        >>> stream = Stream.look_at("two", lambda: [({"a": 1, "b": "x"}, "yes"), ({"a": 2}, "no")])
        >>> stream.features, sorted(stream.text), sorted(stream.labels)
        (('a', 'b'), ['b'], ['no', 'yes'])

        """
        features: dict[Hashable, None] = {}
        text: set[Hashable] = set()
        labels: set[Hashable] = set()
        for x, y in islice(rows(), look):
            labels.add(y)
            for feature, value in x.items():
                features[feature] = None
                if value is not None and not isinstance(value, numbers.Number):
                    text.add(feature)
        if not labels:
            raise EvaluationError(f"{name} has no events")
        return cls(name, rows, n_rows, tuple(features), frozenset(text), frozenset(labels), nominal)


def open_stream(
    source: str,
    target: str | None = None,
    nominal: Collection[str] = (),
    limit: int | None = None,
    missing: Collection[str] = (),
    seed: int = 42,
) -> Stream:
    """Open a stream by what the command line calls it.

    Parameters
    ----------
    source
        The path of a CSV or ARFF file (plain or .gz), or ``river:NAME`` (a data set of
        ``river.datasets``), or ``synth:NAME`` (a generator of ``river.datasets.synth``),
        with parameters after colons: ``synth:LED:noise_percentage=0.1``.
    target
        For files: the name of the column with the labels, the last one by default.
    nominal
        Features that are nominal though they look like numbers.
    limit
        Stop after so many events. An endless generator stops after 10,000 by default.
    missing
        For CSV files: cells that mean a missing value, beside the empty cell.
    seed
        For generators: the seed.

    Examples
    --------
    >>> from river_kdb.evaluate import open_stream
    >>> stream = open_stream("river:Phishing", limit=3)
    >>> stream.n_rows, len(stream.features), stream.has_true_false_labels
    (3, 9, True)
    >>> open_stream("river:Fishing")
    Traceback (most recent call last):
        ...
    river_kdb.evaluate.errors.EvaluationError: no data set river:Fishing; did you mean Phishing?

    """
    if limit is not None and limit < 1:
        raise EvaluationError(f"the limit must be at least 1, not {limit}")
    kind, colon, _ = source.partition(":")
    kind = kind.lower()
    if colon and kind in {"river", "synth"}:
        if target is not None:
            raise EvaluationError(f"{source} has its own labels: --target is for files")
        rows, n_rows = _river_rows(source, seed)
        if n_rows is None and limit is None:
            limit = DEFAULT_LIMIT
    else:
        rows, n_rows = _file_rows(Path(source).expanduser(), target, nominal, missing, limit)
    name = source if colon else Path(source).name
    if limit is not None:
        rows = _limited(rows, limit)
        n_rows = limit if n_rows is None else min(n_rows, limit)
        if kind not in {"river", "synth"}:  # the file may well be shorter
            n_rows = None
    stream = Stream.look_at(name, rows, n_rows)
    return _declare_nominal(stream, nominal) if nominal else stream


def _file_rows(
    path: Path,
    target: str | None,
    nominal: Collection[str],
    missing: Collection[str],
    limit: int | None,
) -> tuple[Callable[[], Iterable[Event]], None]:
    _check_path(path)
    names = [suffix.lower() for suffix in path.suffixes]
    if names[-1:] == [".arff"] or names[-2:] == [".arff", ".gz"]:
        arff = ARFFFile(path, target, nominal)
        return arff.__iter__, None
    look = _LOOK if limit is None else min(limit, _LOOK)
    return CSVFile(path, target, nominal, missing, look).__iter__, None


def _check_path(path: Path) -> None:
    """Raise an `EvaluationError` unless `path` is a file."""
    if path.is_file():
        return
    if path.is_dir():
        raise EvaluationError(f"{path} is a folder, not a CSV or ARFF file")
    choices = [f"river:{name}" for name in _classes(datasets)]
    choices += [f"synth:{name}" for name in _classes(datasets.synth)]
    hint = ""
    for choice in choices:
        if choice.partition(":")[2].lower() == str(path).lower():
            hint = f"; did you mean {choice}?"
    if not hint and path.parent.is_dir():
        hint = did_you_mean(path.name, [p.name for p in path.parent.iterdir() if p.is_file()])
    raise EvaluationError(f"no such file: {path}{hint}")


def _classes(module: Any) -> dict[str, Any]:
    named = {name: getattr(module, name) for name in module.__all__}
    return {name: thing for name, thing in named.items() if inspect.isclass(thing)}


def _river_rows(text: str, seed: int) -> tuple[Callable[[], Iterable[Event]], int | None]:
    """Return a function that starts a River data set anew, and the number of its events."""
    kind, name, *settings = text.split(":")
    kind = kind.lower()
    classes = _classes(datasets if kind == "river" else datasets.synth)
    found = {known.lower(): cls for known, cls in classes.items()}.get(name.lower())
    if found is None:
        raise EvaluationError(f"no data set {kind}:{name}{did_you_mean(name, classes)}")
    parameters = inspect.signature(found).parameters
    seeds = {p: seed for p in parameters if p == "seed" or p.startswith("seed_")}
    given = seeds | parse_settings(text, settings)

    def start() -> Iterable[Event]:
        events: Iterable[Event] = found(**given)
        return events

    dataset = check_settings(text, found, given)
    name = f"{kind}:{found.__name__}"
    if "classification" not in dataset.task or dataset.task.startswith("Multi-output"):
        raise EvaluationError(f"{name} is not for classification but for {dataset.task.lower()}")
    if isinstance(dataset, datasets.base.RemoteDataset) and not dataset.is_downloaded:
        raise EvaluationError(
            f"{name} is not on this machine; first run: "
            f'python -c "from river import datasets; datasets.{found.__name__}().download()"'
        )
    return start, dataset.n_samples


def _limited(rows: Callable[[], Iterable[Event]], limit: int) -> Callable[[], Iterable[Event]]:
    return lambda: islice(rows(), limit)


def _declare_nominal(stream: Stream, nominal: Collection[str]) -> Stream:
    """Return the stream with the values of the nominal features as text."""
    by_name = {str(feature): feature for feature in stream.features}
    for name in nominal:
        if name not in by_name:
            hint = did_you_mean(name, by_name)
            raise EvaluationError(f"{stream.name} has no feature {name!r} (--nominal){hint}")
    declared = tuple(by_name[name] for name in nominal)
    rows = stream.rows

    def as_text() -> Iterator[Event]:
        for x, y in rows():
            changed = dict(x)
            for feature in declared:
                value = changed.get(feature)
                if value is not None and not isinstance(value, str):
                    changed[feature] = str(value)
            yield changed, y

    return Stream.look_at(stream.name, as_text, stream.n_rows, declared)
