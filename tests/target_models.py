"""The models that learn a network for each event, and the oracle of each."""

from __future__ import annotations

import itertools
import math
import random
from typing import Any

import pytest

from river_kdb import BKDBClassifier, CSBClassifier, UKDBClassifier
from tests.naive_papers import NaiveBKDB, NaiveCSB, NaiveEnsemble, NaiveTarget

EXACT = 1e-9
TREE = {"tree": True}

# Name -> (class, oracle, the parameters of both)
MODELS: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "tl": (UKDBClassifier, NaiveTarget, {"universal": False}),
    "tl3": (UKDBClassifier, NaiveTarget, {"universal": False, "k": 3}),
    "kdb-p": (UKDBClassifier, NaiveTarget, {"universal": False, "parts": "P"}),
    "tan-e": (UKDBClassifier, NaiveTarget, TREE),
    "tan-p": (UKDBClassifier, NaiveTarget, {**TREE, "parts": "P"}),
    "ukdb": (UKDBClassifier, NaiveTarget, {"universal": True}),
    "ukdb1": (UKDBClassifier, NaiveTarget, {"universal": True, "k": 1}),
    "ukdb-t": (UKDBClassifier, NaiveTarget, {"universal": True, "parts": "T"}),
    "ukdb-p": (UKDBClassifier, NaiveTarget, {"universal": True, "parts": "P", "candidates": 3}),
    "ukdb-posterior": (UKDBClassifier, NaiveTarget, {"criterion": "posterior"}),
    "ukdb-expected": (UKDBClassifier, NaiveTarget, {"criterion": "expected"}),
    "ukdb-sum": (UKDBClassifier, NaiveTarget, {"criterion": "sum", "candidates": 3}),
    "ukdb-min-sum": (UKDBClassifier, NaiveTarget, {"criterion": "min-sum", "k": 3}),
    "csb": (CSBClassifier, NaiveCSB, {}),
    "csb-g": (CSBClassifier, NaiveCSB, {"parts": "G"}),
    "csb-l": (CSBClassifier, NaiveCSB, {"parts": "L"}),
    "csb-few": (CSBClassifier, NaiveCSB, {"confident": 0.3}),
    "csb-all": (CSBClassifier, NaiveCSB, {"parts": "L", "confident": 1.0}),
    "bkdb": (BKDBClassifier, NaiveBKDB, {}),
    "bkdb-g": (BKDBClassifier, NaiveBKDB, {"parts": "G"}),
    "bkdb-l": (BKDBClassifier, NaiveBKDB, {"parts": "L"}),
    "bkdb-r": (BKDBClassifier, NaiveBKDB, {"redundancy": 0.8}),
    "bkdb-literal": (BKDBClassifier, NaiveBKDB, {"literal": True}),
    "bkdb-literal-l": (BKDBClassifier, NaiveBKDB, {"literal": True, "parts": "L", "k": 3}),
}


def fresh(name: str, **params: Any) -> Any:
    klass, _, own = MODELS[name]
    return klass(**{**own, **params})


def learn(model: Any, events: list, weights: Any = None) -> Any:
    for (x, y), w in zip(events, weights or itertools.repeat(1.0), strict=False):
        model.learn_one(x, y, w)
    return model


def learned(name: str, events: list, weights: Any = None, **params: Any) -> Any:
    model = learn(fresh(name, **params), events, weights)
    model.relearn()
    return model


def _reference(name: str, params: dict[str, Any]) -> Any:
    _, klass, own = MODELS[name]
    params = {**own, **params}
    if klass is NaiveTarget:
        params.setdefault("universal", not params.get("tree", False))
    return klass, params


def oracle(name: str, events: list, weights: Any = None, **params: Any) -> Any:
    klass, params = _reference(name, params)
    return klass(**params).fit([x for x, _ in events], [y for _, y in events], weights)


class _FromWindow:
    """Counts of more than `n_counted` features are those of the latest events, in `held`."""

    held: NaiveEnsemble
    n_counted: int

    def learn(self) -> None:
        """The networks learned from all events are not asked."""

    def count(self, names: tuple, values: tuple, label: Any) -> float:
        if len(names) > self.n_counted:
            return self.held.count(names, values, label)
        return super().count(names, values, label)

    def value(self, x: Any, child: Any, subset: Any) -> float:
        worth = super().value(x, child, subset)
        if self.criterion == "expected" and len(subset) >= self.n_counted:
            everything = sum(self.event_weights)
            worth *= everything / sum(self.held.event_weights)
        return worth


def windowed_oracle(
    name: str, events: list, weights: list, size: int, n_counted: int = 2, **params: Any
) -> Any:
    """The oracle of a model whose window holds the latest `size` events of any weight.

    Of more than `n_counted` features only these count.
    """
    klass, params = _reference(name, params)
    counted = [(x, y, w) for (x, y), w in zip(events, weights, strict=True) if w > 0]
    held = NaiveEnsemble("kdb", missing=params.get("missing", "value"))
    held.fit(*map(list, zip(*counted[-size:], strict=True)))
    own = {"held": held, "n_counted": n_counted}
    reference = type(f"Windowed{klass.__name__}", (_FromWindow, klass), own)(**params)
    return reference.fit(*map(list, zip(*counted, strict=True)))


def random_weights(n: int) -> list[float]:
    rng = random.Random(7)
    return [rng.choice([0.0, 0.25, 1.0, 1.0, 2.5]) for _ in range(n)]


def questions(events: list, n_known: int = 6, n_changed: int = 9) -> list[dict]:
    """Known events, and some with unseen values, gaps and nothing at all."""
    rng = random.Random(99)
    rows = [dict(x) for x, _ in events[:n_known]]
    for x, _ in events[n_known : n_known + n_changed]:
        changed = dict(x)
        for name in changed:
            way = rng.random()
            if way < 0.2:
                changed[name] = "never learned"
            elif way < 0.4:
                changed[name] = rng.choice([None, math.nan])
        rows.append(changed)
    return [*rows, {}, {"unknown feature": "a"}, dict.fromkeys(events[0][0], "never learned")]


def assert_same_posteriors(model: Any, reference: Any, rows: list) -> None:
    for x in rows:
        assert model.predict_proba_one(x) == pytest.approx(reference.posterior(x), abs=EXACT), x


def assert_distributions(model: Any, rows: list) -> None:
    for x in rows:
        posterior = model.predict_proba_one(x)
        assert posterior
        assert all(0.0 <= p <= 1.0 for p in posterior.values()), x
        assert math.isclose(sum(posterior.values()), 1.0, rel_tol=1e-9), x
