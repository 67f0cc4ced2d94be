"""Cross-validation of a model, and the measures of its predictions."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import f1_score, matthews_corrcoef
from sklearn.model_selection import StratifiedKFold

from benchmarks.reproduction.datasets import DataSet
from benchmarks.reproduction.statistics import average_cmi
from river_kdb.information import conditional_information_matrix

LEAST_PROBABILITY = 1e-15


class Measures(NamedTuple):
    """How good predictions are."""

    zero_one: float
    rmse: float
    rmse_all: float
    macro_f1: float
    mcc: float
    log_loss: float


class Outcome(NamedTuple):
    """What a cross-validation gave.

    Attributes
    ----------
    measures
        Over the rows of all folds together.
    correct
        bool array of shape (n_rows,): which rows were predicted right.
    learn_seconds, predict_seconds
        Sums over the folds.
    average_cmi
        Mean over the folds; NaN where there are no arcs.
    """

    measures: Measures
    correct: np.ndarray
    learn_seconds: float
    predict_seconds: float
    average_cmi: float


def folds(y: np.ndarray, n_folds: int, seed: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Go through stratified folds, the same whenever rows and seed are."""
    splitter = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class")
        yield from splitter.split(np.zeros(len(y)), y)


def cross_validate(
    data: DataSet,
    make: Callable[[], Any],
    n_folds: int = 10,
    seed: int = 1,
    with_cmi: bool = False,
) -> Outcome:
    """Learn and predict every fold; `make` gives new models."""
    classes, truth = np.unique(data.y.astype(str), return_inverse=True)
    probabilities = np.zeros((len(truth), len(classes)))
    learning = predicting = 0.0
    strengths = []
    for train, test in folds(truth, n_folds, seed):
        X, y, X_test = data.X.iloc[train], data.y[train], data.X.iloc[test]
        model = make()
        started = time.perf_counter()
        learn(model, X, y)
        learned = time.perf_counter()
        proba = model.predict_proba_many(X_test)
        predicting += time.perf_counter() - learned
        learning += learned - started
        probabilities[test] = aligned(proba, classes)
        if with_cmi:
            strengths.append(structure_cmi(model))
    found = [strength for strength in strengths if not np.isnan(strength)]
    return Outcome(
        measure(truth, probabilities),
        np.argmax(probabilities, axis=1) == truth,
        learning,
        predicting,
        float(np.mean(found)) if found else np.nan,
    )


def learn(model: Any, X: Any, y: np.ndarray) -> None:
    """Learn rows as a batch."""
    model.learn_many(X, y)
    model.relearn()


def aligned(proba: Any, classes: np.ndarray) -> np.ndarray:
    """Return the columns in the order of the classes; one never learned has probability 0."""
    return proba.reindex(columns=list(classes), fill_value=0.0).to_numpy(dtype=float)


def measure(truth: np.ndarray, probabilities: np.ndarray) -> Measures:
    """Return the measures of predictions.

    Parameters
    ----------
    truth
        int array of shape (n_rows,): the classes.
    probabilities
        float array of shape (n_rows, n_classes).
    """
    predicted = np.argmax(probabilities, axis=1)
    of_truth = probabilities[np.arange(len(truth)), truth]
    off = probabilities - np.eye(probabilities.shape[1])[truth]
    return Measures(
        zero_one=float(np.mean(predicted != truth)),
        rmse=float(np.sqrt(np.mean((1.0 - of_truth) ** 2))),
        rmse_all=float(np.sqrt(np.mean(off**2))),
        macro_f1=float(f1_score(truth, predicted, average="macro", zero_division=0)),
        mcc=float(matthews_corrcoef(truth, predicted)),
        log_loss=float(-np.mean(np.log(np.clip(of_truth, LEAST_PROBABILITY, 1.0)))),
    )


def structure_cmi(model: Any) -> float:
    """Return the average CMI of the arcs of a learned model, in nats (KDF's eq. 10)."""
    learner = model._learner
    parents, pairs = learner.structure.parents, learner.store.pairs
    if pairs is None or not (parents >= 0).any():
        return np.nan
    matrix = conditional_information_matrix(pairs, parents.shape[1], len(learner.labels))
    return average_cmi(matrix, parents)
