"""What is measured: sizes of streams and models, one of which grows at a time."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from river_kdb import KDBClassifier, UKDBClassifier


class Case(NamedTuple):
    """The sizes of a stream and of the models that learn it.

    Attributes
    ----------
    n
        Features.
    slots
        Values of a feature; in a model each has one slot more, for missing values.
    classes
        Classes.
    k
        Parents of a feature besides the class, at most.
    window
        Events in the window.
    """

    n: int = 36
    slots: int = 4
    classes: int = 5
    k: int = 2
    window: int = 2000


BASE = Case()
"""What all other sizes are while one of them grows."""

FACTORS: dict[str, tuple[int, ...]] = {
    "n": (5, 9, 18, 36, 64, 128, 250, 500),
    "slots": (2, 4, 10, 32, 100),
    "classes": (2, 5, 10, 26, 100),
    "k": (0, 1, 2, 3, 4),
    "window": (500, 1000, 2000, 4000, 8192, 16384),
}
QUICK: dict[str, tuple[int, ...]] = {
    "n": (9, 36, 128),
    "slots": (2, 10, 32),
    "classes": (2, 10, 26),
    "k": (0, 2, 4),
    "window": (500, 2000, 4000),
}

MODELS: dict[str, Callable[..., Any]] = {
    "KDB": KDBClassifier,
    "TL": partial(UKDBClassifier, universal=False),
    "UKDB": UKDBClassifier,
}
STORES = ("dense", "bitset")
RELEARN_PERIOD = 1000

_KEPT_CATEGORIES = 32


class Series(NamedTuple):
    """A model along the sizes of a factor.

    Attributes
    ----------
    factor
        Name of the size that grows.
    model, store
        Names of the model and of what its counts come from.
    cases
        From the smallest to the largest.
    """

    factor: str
    model: str
    store: str
    cases: tuple[Case, ...]


def series(factors: dict[str, tuple[int, ...]], base: Case) -> list[Series]:
    """Return every model along every factor.

    Parameters
    ----------
    factors
        Rising sizes by factor.
    base
        The other sizes.

    Examples
    --------
    >>> from benchmarks.scaling.cases import BASE, series
    >>> for each in series({"k": (0, 1)}, BASE):
    ...     print(each.model, each.store, [case.k for case in each.cases])
    KDB dense [0, 1]
    KDB bitset [0, 1]
    TL dense [1]
    TL bitset [1]
    UKDB dense [1]
    UKDB bitset [1]
    """
    found = []
    for factor, sizes in factors.items():
        for model in MODELS:
            cases = (base._replace(**{factor: size}) for size in sizes)
            possible = tuple(case for case in cases if case.k > 0 or model == "KDB")
            found += [Series(factor, model, store, possible) for store in STORES]
    return found


def make_model(model: str, store: str, case: Case, max_size: float) -> Any:
    """Return a new model.

    Parameters
    ----------
    model, store
        Their names.
    case
        The sizes.
    max_size
        Memory that the tables and the window may take, in MiB.
    """
    return MODELS[model](
        k=case.k,
        counts=store,
        window_size=case.window,
        max_size=max_size,
        max_categories=max(_KEPT_CATEGORIES, case.slots),
        relearn_period=RELEARN_PERIOD,
    )
