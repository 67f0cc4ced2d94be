"""Long streams that never stop bringing new things: memory stays flat and nothing breaks."""

from __future__ import annotations

import gc
import math
import random
import warnings
from collections.abc import Iterator
from typing import Any

import pytest
from river import drift

from river_kdb import (
    AODEClassifier,
    BKDBClassifier,
    BNMixtureClassifier,
    CSBClassifier,
    KDBClassifier,
    KDFClassifier,
    SelectiveKDBClassifier,
    TANClassifier,
    UKDBClassifier,
)

MODELS: dict[str, Any] = {
    "kdb": KDBClassifier,
    "kdb3": lambda **p: KDBClassifier(k=3, **p),
    "watan": lambda **p: TANClassifier(average="mi", **p),
    "aode": AODEClassifier,
    "kdf": KDFClassifier,
    "mmkdb": SelectiveKDBClassifier,
    "ukdb": UKDBClassifier,
    "csb": CSBClassifier,
    "bkdb": BKDBClassifier,
    "kdb-fades": lambda **p: KDBClassifier(half_life=500, **p),
    "ukdb-window": lambda **p: UKDBClassifier(forget="window", **p),
    "tan-drifts": lambda **p: TANClassifier(drift_detector=drift.ADWIN(), **p),
}
# Its tables hold no pairs; what it does where memory is short is tested with it.
EVERY = MODELS | {
    "mixture": lambda **p: BNMixtureClassifier(
        [("kdb", 1, 4, 300), ("kdb", 0, 8, None), ("linear",)], label_lags=0, **p
    )
}


def restless(n_events: int, *, n_classes: int = 20, seed: int = 0) -> Iterator[tuple[dict, str]]:
    """A user id that hardly repeats, features that come and go, and a new class now and then.

    All classes and features have been there once within the first half.
    """
    rng = random.Random(seed)
    step = n_events // (2 * n_classes)
    for t in range(n_events):
        label = rng.randrange(min(n_classes, 1 + t // step))
        phase = 8 * t // n_events % 4
        x: dict[str, Any] = {
            "user": f"user-{rng.randrange(1_000_000)}",
            "signal": (label * 7 + rng.randrange(3)) % 20,
            "size": rng.gauss(label, 2.0),
            f"phase-{phase}": rng.choice("abc") if rng.random() < 0.7 else "abc"[label % 3],
            f"level-{phase}": rng.random() + label % 2,
        }
        if rng.random() < 0.1:
            x["signal"] = None
        yield x, f"class-{label}"


def memory(model: Any) -> int:
    gc.collect()
    return model._raw_memory_usage


def families_of(model: Any) -> int:
    """What the tables of families take, whose size follows the structure of the moment."""
    families = getattr(model._learner.store, "families", None)
    return families.cells.nbytes if hasattr(families, "cells") else 0


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
def test_memory_is_flat_on_a_restless_stream(name):
    n_events = 8_000
    model = EVERY[name](window_size=1_000)
    half = families = 0
    right = 0
    for t, (x, y) in enumerate(restless(n_events)):
        right += model.predict_one(x) == y
        model.learn_one(x, y)
        if t == n_events // 2:
            half, families = memory(model), families_of(model)
    # Dictionaries of categories may double once more; nothing may grow with the events.
    grown = 2 * max(0, families_of(model) - families)  # River counts an array for each who has it
    assert memory(model) <= 1.25 * half + 64 * 1024 + grown
    assert right / n_events > 0.25
    p = model.predict_proba_one({"user": "nobody", "signal": 3})
    assert len(p) == 20
    assert math.isclose(sum(p.values()), 1.0)
    (user,) = [line for line in str(model.summary).splitlines() if line.startswith("user ")]
    assert int(user.split()[2]) <= model.max_categories + 2


def wide(n_events: int, n_features: int, n_values: int, n_classes: int) -> list:
    rng = random.Random(1)
    events = []
    for _ in range(n_events):
        label = rng.randrange(n_classes)
        x = {
            f"f{i:02}": f"v{label if rng.random() < 0.5 / (1 + i) else rng.randrange(n_values)}"
            for i in range(n_features)
        }
        events.append((x, label))
    return events


@pytest.mark.parametrize("name", MODELS)
def test_a_small_max_size_is_kept_with_one_warning_and_a_note(name):
    """Forty features of fifteen values and eight classes want tens of MiB of pairs."""
    events = wide(700, n_features=40, n_values=15, n_classes=8)
    model = MODELS[name](max_size=1, window_size=200, grace_period=100, counts="dense")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for x, y in events:
            model.learn_one(x, y)
        model.relearn()
        answers = [model.predict_one(x) for x, _ in events]
    about_size = [warning for warning in caught if "max_size" in str(warning.message)]
    assert len(about_size) == 1
    assert len(caught) == 1
    # River counts the bytes of an array twice; the rest is window, vocabularies and singles.
    assert memory(model) < 2 * 2**20 + 2**20
    noted = ["max_size" in record.note for record in model.summary.features]
    assert any(noted)
    assert not all(noted)
    assert "max_size" in str(model.summary)
    # Those of the largest I(X;C) keep their pairs; the rest enter as naive Bayes factors.
    by_information = sorted(model.summary.features, key=lambda record: record.information)
    assert "max_size" in by_information[0].note
    assert "max_size" not in by_information[-1].note
    without_pairs = {r.name for r in model.summary.features if "max_size" in r.note}
    assert not without_pairs & {name for edge in model.structure_edges() for name in edge}
    assert sum(a == y for a, (_, y) in zip(answers, events, strict=True)) / 700 > 0.4


@pytest.mark.parametrize("name", MODELS)
def test_a_small_max_size_is_kept_by_sets_of_the_window_without_a_warning_about_pairs(name):
    """The same features; families may have to be left out, pairs are not."""
    events = wide(450, n_features=40, n_values=15, n_classes=8)
    model = MODELS[name](max_size=1, window_size=200, grace_period=100, counts="bitset")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for x, y in events:
            model.learn_one(x, y)
        model.relearn()
    store = model._learner.store
    assert store.windowed
    assert len(store.pairs.members) == 40
    assert memory(model) < 2 * 2**20 + 2**20
    assert not any("max_size" in record.note for record in model.summary.features)
    answers = [model.predict_one(x) for x, _ in events]
    assert sum(a == y for a, (_, y) in zip(answers, events, strict=True)) / 450 > 0.35


def test_deep_families_are_kept_small():
    """Six parents of twenty values each would be 10^9 cells."""
    rng = random.Random(2)
    model = KDBClassifier(k=6, max_size=2, window_size=300)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for t in range(900):
            label = rng.randrange(3)
            x = {f"f{i}": f"v{(label * 5 + rng.randrange(20)) % 20}" for i in range(8)}
            model.predict_one(x)
            model.learn_one(x, label)
            if t % 300 == 299:
                model.relearn()
                assert memory(model) < 2 * 2 * 2**20 + 2**20
    assert math.isclose(sum(model.predict_proba_one(x).values()), 1.0)


def test_no_warning_while_everything_fits():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = KDBClassifier(window_size=300)
        for x, y in restless(600, n_classes=4):
            model.predict_proba_one(x)
            model.learn_one(x, y)
        model.relearn()
    assert not any("max_size" in record.note for record in model.summary.features)


@pytest.mark.parametrize("name", EVERY)
def test_a_small_model_is_small(name):
    """Nothing compiled hangs on a model: River's measure would walk through all of numba."""
    model = EVERY[name]()
    assert memory(model) < 50_000
    for t in range(20):
        model.learn_one({"a": t % 3, "b": "xy"[t % 2]}, t % 2)
        model.predict_one({"a": 1})
    assert memory(model) < 200_000


def test_the_window_is_bounded():
    """A larger window costs memory once and no more."""
    sizes = []
    for n_events in (400, 1_600):
        model = KDBClassifier(window_size=200)
        for t in range(n_events):
            model.learn_one({"a": t % 9, "b": "xyz"[t % 3], "c": math.sin(t)}, t % 3)
        sizes.append(memory(model))
    assert sizes[1] <= sizes[0] + 4_096


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("max_size", [0.002, 0.02, 0.1])
def test_growth_past_a_tiny_max_size_goes_on(name, max_size):
    """Classes and categories keep coming after pairs and families have taken all memory."""
    rng = random.Random(4)
    model = MODELS[name](max_size=max_size, window_size=80, grace_period=20, relearn_period=40)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for t in range(400):
            label = f"c{rng.randrange(1 + t // 20)}"
            x = {f"f{i}": f"v{rng.randrange(1 + t // 15)}" for i in range(6)}
            x["g"] = label if rng.random() < 0.8 else "other"
            model.learn_one(x, label)
            assert sum(model.predict_proba_one(x).values()) == pytest.approx(1.0)
    store = model._learner.store
    assert store.pairs is None or store.pairs.cells.nbytes <= max_size * 2**20
    assert store.families.cells.nbytes <= max_size * 2**20


def test_the_least_informative_lose_their_pairs_first():
    """Growth leaves no room for all pairs; which feature comes last by name does not matter."""
    rng = random.Random(5)
    model = MODELS["kdb"](max_size=0.2, window_size=100, grace_period=50, counts="dense")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for t in range(300):
            label = rng.choice("pq")
            x = {f"a{i}": f"v{rng.randrange(2 if t < 120 else 12)}" for i in range(8)}
            x["z"] = label if rng.random() < 0.9 else f"w{rng.randrange(1 if t < 120 else 12)}"
            model.learn_one(x, label)
    notes = {record.name: record.note for record in model.summary.features}
    assert any("max_size" in note for note in notes.values())
    assert "max_size" not in notes["z"]
