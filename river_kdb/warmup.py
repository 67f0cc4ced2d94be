"""Compile all kernels at once, so that no stream has to wait for them.

There is no list of kernels: models of all kinds learn small made-up streams on which everything
happens that may happen.
"""

from __future__ import annotations

import functools
import importlib.util
import inspect
import random
import sys
import time
import warnings
from collections.abc import Callable, Hashable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from numba.extending import is_jitted

import river_kdb
from river_kdb.jit import FOLDER
from river_kdb.methods import methods

__all__ = ["Warmth", "warmup"]

Event = tuple[dict[Hashable, Any], Hashable]

_FRAMES = ("pandas", "polars")
_UPKEEP: dict[str, Any] = {"grace_period": 20, "relearn_period": 30, "window_size": 60}
_N_EVENTFUL, _N_PLAIN = 100, 400
_SETTINGS: tuple[dict[str, Any], ...] = (
    {},
    {"missing": "skip"},
    {"half_life": 50.0},
    {"forget": "window"},
    {"counts": "bitset"},
    {"counts": "bitset", "half_life": 50.0},
)


class Warmth(NamedTuple):
    """What a warm-up has done.

    Attributes
    ----------
    n_kernels
        How many kernels are ready now, one for every combination of types.
    n_compiled
        How many of them had to be compiled.
    seconds
        How long it took.
    folder
        Where they are kept; None: nowhere, so that the next process has to compile them again.
    n_bytes
        How much is kept there.
    """

    n_kernels: int
    n_compiled: int
    seconds: float
    folder: Path | None
    n_bytes: int


def warmup(report: Callable[[str, int, int], Any] | None = None) -> Warmth:
    """Compile and keep every kernel that the classifiers use.

    It takes a minute or three the first time, and some seconds where the kernels are there
    already. They are kept in `NUMBA_CACHE_DIR`, else beside the package, else in a folder of the
    user's, under a name of their own for every state of the sources: a folder of another name is
    of use to another version only. A Dockerfile calls this, or `river-kdb warmup`. Where the
    container then can't write that folder, the kernels are copied at the first start to one that
    it can write: to have one, set `NUMBA_CACHE_DIR` there.

    Parameters
    ----------
    report
        Called before each step with what it is about, how many steps are done and how many
        there are, and once more at the end.

    Examples
    --------
    >>> from river_kdb.warmup import warmup
    >>> warmup()  # doctest: +SKIP
    Warmth(n_kernels=134, n_compiled=134, seconds=95.1, folder=PosixPath('...'), n_bytes=16563551)
    """
    began = time.perf_counter()
    variants = list(_variants())
    for done, (name, given) in enumerate(variants):
        if report is not None:
            chosen = ", ".join(f"{key}={value!r}" for key, value in given.items())
            report(f"{name}({chosen})", done, len(variants))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            _go_through(getattr(river_kdb, name), given)
    if report is not None:
        report("", len(variants), len(variants))
    found = kernels()
    n_compiled = sum(sum(kernel.stats.cache_misses.values()) for kernel in found)
    n_kept, n_bytes = _kept(FOLDER) if FOLDER is not None else (n_compiled, 0)
    return Warmth(n_kept, n_compiled, time.perf_counter() - began, FOLDER, n_bytes)


def kernels() -> list[Any]:
    """Return the kernels of all modules of this package that were loaded."""
    modules = [module for name, module in sys.modules.items() if name.startswith("river_kdb.")]
    found = {id(value): value for module in modules for value in vars(module).values()}
    return [value for value in found.values() if is_jitted(value)]


def _kept(folder: Path) -> tuple[int, int]:
    """Return how many kernels a folder has for this Python, and the bytes of all that it has."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    python = f".py{sys.version_info[0]}{sys.version_info[1]}"
    n_kernels = sum(python in path.name and path.suffix == ".nbc" for path in files)
    return n_kernels, sum(path.stat().st_size for path in files)


# What there is to do ---------------------------------------------------------------------------


def _variants() -> Iterator[tuple[str, dict[str, Any]]]:
    """Give every classifier under every setting that it knows, and every method of the papers."""
    classes = [name for name in river_kdb.__all__ if name.endswith("Classifier")]
    seen: list[Any] = []
    settings = [(name, setting) for name in classes for setting in _SETTINGS]
    published = [(method.class_name, method.parameters) for method in methods().values()]
    for name, given in (*settings, *published):
        known = inspect.signature(getattr(river_kdb, name)).parameters
        chosen = {key: value for key, value in given.items() if key in known}
        variant = name, {key: parameter.default for key, parameter in known.items()} | chosen
        if variant not in seen:
            seen.append(variant)
            yield name, chosen


def _go_through(make: Callable[..., Any], given: dict[str, Any]) -> None:
    """Let models of a class go through the streams, in every way that they can."""
    from river.drift import DummyDriftDetector

    eventful = _eventful(_N_EVENTFUL)
    model = make(**_UPKEEP, **given)
    for x, y in eventful:
        model.predict_proba_one(x)
        model.learn_one(x, y)
    model.relearn()
    _ask(model, eventful[-1][0])
    drifts = DummyDriftDetector(t_0=_UPKEEP["window_size"])
    watched = make(**_UPKEEP, drift_detector=drifts, **given)
    for x, y in eventful:
        watched.learn_one(x, y)
    rarely = _UPKEEP | {"grace_period": _N_PLAIN // 2, "window_size": _N_PLAIN}
    settled = make(**rarely, **given)
    for x, y in _plain(_N_PLAIN + 1):
        settled.learn_one(x, y)
    for module in _frame_modules():
        _learn_frame(make(**_UPKEEP, **given), module, eventful)


def _frame_modules() -> list[Any]:
    """Return the libraries of frames that are installed."""
    return [importlib.import_module(name) for name in _FRAMES if importlib.util.find_spec(name)]


def _ask(model: Any, x: dict[Hashable, Any]) -> None:
    """Ask for all that a model can tell of an event, and of itself."""
    for name in ("joint_log_likelihood", "debug_one", "explain_one", "networks_one"):
        if hasattr(model, name):
            getattr(model, name)(x)
    model.feature_importance()
    str(model.summary)


def _learn_frame(model: Any, module: Any, events: Sequence[Event]) -> None:
    names = sorted({name for x, _ in events for name in x}, key=str)
    frame = module.DataFrame({name: [x.get(name) for x, _ in events] for name in names})
    model.learn_many(frame, [y for _, y in events])
    for name in ("predict_proba_many", "joint_log_likelihood_many", "diversity"):
        if hasattr(model, name):
            getattr(model, name)(frame)


# Streams ---------------------------------------------------------------------------------------


@functools.cache
def _eventful(n_events: int) -> list[Event]:
    """Return events with values missing, and new features, categories and classes time and again.

    They are new before and after the window has turned.
    """
    rng = random.Random(1)
    events: list[Event] = []
    for t in range(n_events):
        age = 1 + 4 * t // n_events
        label = rng.choice("uvwxy"[: age + 1])
        x: dict[Hashable, Any] = {
            "number": ord(label) + rng.gauss(0.0, 2.0) if rng.random() < 0.9 else None,
            "text": rng.choice("abcdefghijkl"[: 3 * age]),
            "flag": rng.random() < 0.5,
        }
        x |= {f"late {j}": rng.choice("pq") + label for j in range(age)}
        events.append((x, label))
    return events


@functools.cache
def _plain(n_events: int) -> list[Event]:
    """Return events of few values, whose combinations are counted as sets of bits."""
    rng = random.Random(2)
    return [
        ({f"feature {i}": rng.choice("ab") for i in range(5)}, rng.choice(["no", "yes"]))
        for _ in range(n_events)
    ]
