"""What is measured, over arrays with an element for every event."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

LEAST = 1e-15
"""Probabilities are raised to this, as by `river_kdb.evaluate.LogLoss`."""

CLIPPED = 1e-3
"""And to this in a second figure, on which single events of probability 0 weigh less."""

POINTS = 200


class Answers(NamedTuple):
    """What a model answered, event by event.

    Attributes
    ----------
    truth
        int array of shape (n_rows,): the class of each event.
    predicted
        int array of shape (n_rows,): the most probable class, below 0 where there was none.
    p_true
        float array of shape (n_rows,): the probability of the true class.
    """

    truth: np.ndarray
    predicted: np.ndarray
    p_true: np.ndarray


class Curve(NamedTuple):
    """The course of a run: lists with an element for every checkpoint.

    Attributes
    ----------
    rows
        How many events had been predicted.
    accuracy, log_loss, log_loss_clipped
        Of all events so far, NaN before the first that counts.
    windowed
        Accuracy since the checkpoint before.
    """

    rows: list[int]
    accuracy: list[float]
    log_loss: list[float]
    log_loss_clipped: list[float]
    windowed: list[float]


def checkpoints(n_rows: int, points: int = POINTS) -> np.ndarray:
    """Return rows at equal distances, the last of them `n_rows`.

    In the first twentieth they are ten times closer: some models do not come further.

    Examples
    --------
    >>> checkpoints(100, 4).tolist()
    [2, 5, 25, 50, 75, 100]
    """
    coarse = np.arange(1, points + 1) * (n_rows / points)
    fine = np.arange(1, points // 2 + 1) * (n_rows / points / 10.0)
    rows = np.unique(np.concatenate([coarse, fine]).astype(int))
    return rows[rows > 0]


def is_first_of_class(truth: np.ndarray) -> np.ndarray:
    """Return which events are the first ones of their classes."""
    first = np.zeros(len(truth), dtype=bool)
    first[np.unique(truth, return_index=True)[1]] = True
    return first


def losses(answers: Answers, least: float = LEAST) -> np.ndarray:
    """Return the log loss of every event, 0 for the first one of each class (it is left out)."""
    p = np.clip(np.nan_to_num(answers.p_true), least, 1.0)
    return np.where(is_first_of_class(answers.truth), 0.0, -np.log(p))


def kappa(truth: np.ndarray, predicted: np.ndarray) -> float:
    """Return Cohen's kappa."""
    classes = np.union1d(truth, predicted)
    shares = [np.mean(truth[:, None] == classes, axis=0), np.mean(predicted[:, None] == classes, 0)]
    chance = float(np.dot(*shares))
    return (float(np.mean(truth == predicted)) - chance) / (1.0 - chance) if chance < 1.0 else 0.0


def kappa_temporal(accuracy: float, accuracy_no_change: float) -> float:
    """Return by how much a model is better than always giving the class before, 1 for always right.

    NaN where the class never changes.
    """
    rest = 1.0 - accuracy_no_change
    return (accuracy - accuracy_no_change) / rest if rest > 0.0 else np.nan


def macro_f1(truth: np.ndarray, predicted: np.ndarray) -> float:
    """Return the mean of the F1 scores of all classes that occur or are predicted."""
    scores = []
    for label in np.union1d(truth, predicted[predicted >= 0]):
        is_true, is_predicted = truth == label, predicted == label
        scores.append(2.0 * np.sum(is_true & is_predicted) / (is_true.sum() + is_predicted.sum()))
    return float(np.mean(scores))


def measure(answers: Answers) -> dict[str, float]:
    """Return the figures of a run; the first event of the stream is left out."""
    truth, predicted = answers.truth[1:], answers.predicted[1:]
    if not len(truth):
        return {}
    n_losses = np.sum(~is_first_of_class(answers.truth))
    accuracy = float(np.mean(truth == predicted))
    no_change = float(np.mean(truth == answers.truth[:-1]))
    return {
        "accuracy": accuracy,
        "kappa": kappa(truth, predicted),
        "kappa_temporal": kappa_temporal(accuracy, no_change),
        "macro_f1": macro_f1(truth, predicted),
        "log_loss": float(losses(answers).sum() / n_losses) if n_losses else np.nan,
        "log_loss_clipped": (
            float(losses(answers, CLIPPED).sum() / n_losses) if n_losses else np.nan
        ),
    }


def course(answers: Answers, rows: np.ndarray) -> Curve:
    """Return the figures at the checkpoints that were reached.

    Parameters
    ----------
    answers
        Of a run.
    rows
        The checkpoints of the whole stream.
    """
    rows = rows[rows <= len(answers.truth)]
    is_right = answers.truth == answers.predicted
    is_right[0] = False
    hits = np.cumsum(is_right)[rows - 1]
    n_losses = np.cumsum(~is_first_of_class(answers.truth))[rows - 1]

    def mean(sums: np.ndarray, n: np.ndarray) -> list[float]:
        return np.round(np.where(n > 0, sums / np.maximum(n, 1), np.nan), 6).tolist()

    return Curve(
        rows.tolist(),
        mean(hits, rows - 1),
        mean(np.cumsum(losses(answers))[rows - 1], n_losses),
        mean(np.cumsum(losses(answers, CLIPPED))[rows - 1], n_losses),
        mean(np.diff(hits, prepend=0), np.diff(rows - 1, prepend=0)),
    )
