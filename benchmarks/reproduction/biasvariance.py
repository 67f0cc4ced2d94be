"""The decomposition of the zero-one loss by Kohavi and Wolpert (1996)."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import train_test_split

from benchmarks.reproduction.crossvalidation import aligned, learn
from benchmarks.reproduction.datasets import DataSet

TEST_SHARE = 1 / 3
TRAINING_SHARE = 1 / 2


class Decomposition(NamedTuple):
    """The parts of a loss; they add up to it."""

    bias: float
    variance: float
    loss: float


class Drawn(NamedTuple):
    """What the draws of a set gave."""

    parts: Decomposition
    learn_seconds: float
    predict_seconds: float


def decompose(predicted: np.ndarray, truth: np.ndarray, n_classes: int) -> Decomposition:
    """Return squared bias and variance, the class of a row taken as certain.

    Parameters
    ----------
    predicted
        int array of shape (n_draws, n_rows): the classes predicted after each training set.
    truth
        int array of shape (n_rows,).
    n_classes
        How many classes there are.
    """
    shares = np.stack([(predicted == c).mean(axis=0) for c in range(n_classes)], axis=1)
    target = np.eye(n_classes)[truth]
    bias = 0.5 * ((target - shares) ** 2).sum(axis=1)
    variance = 0.5 * (1.0 - (shares**2).sum(axis=1))
    return Decomposition(
        float(bias.mean()), float(variance.mean()), float((predicted != truth).mean())
    )


def draw(data: DataSet, make: Callable[[], Any], n_draws: int = 20, seed: int = 1) -> Drawn:
    """Predict a third of the rows after each of several random halves of the rest."""
    classes, truth = np.unique(data.y.astype(str), return_inverse=True)
    pool, test = train_test_split(
        np.arange(len(truth)), test_size=TEST_SHARE, random_state=seed, stratify=strata(truth)
    )
    X_test = data.X.iloc[test]
    rng = np.random.default_rng(seed)
    predicted = np.empty((n_draws, len(test)), dtype=np.int64)
    learning = predicting = 0.0
    for draw_number in range(n_draws):
        train = np.sort(rng.choice(pool, int(len(pool) * TRAINING_SHARE), replace=False))
        model = make()
        started = time.perf_counter()
        learn(model, data.X.iloc[train], data.y[train])
        learned = time.perf_counter()
        proba = model.predict_proba_many(X_test)
        predicting += time.perf_counter() - learned
        learning += learned - started
        predicted[draw_number] = np.argmax(aligned(proba, classes), axis=1)
    return Drawn(decompose(predicted, truth[test], len(classes)), learning, predicting)


def strata(truth: np.ndarray) -> np.ndarray | None:
    """Return the classes to stratify by, the single members of small ones put together."""
    counts = np.bincount(truth)
    grouped = np.where(counts[truth] < 2, len(counts), truth)
    fits = min(np.bincount(grouped)[np.unique(grouped)]) > 1
    return grouped if fits else None
