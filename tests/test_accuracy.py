"""Test-then-train accuracy with the default parameters on streams that come with River."""

from __future__ import annotations

import pytest
from river import datasets, evaluate, metrics
from river.datasets import synth

from river_kdb import BNMixtureClassifier, KDBClassifier


def name_of(value):
    return getattr(value, "__name__", str(value))


def agrawal(function):
    def stream():
        return synth.Agrawal(classification_function=function, seed=42).take(20_000)

    stream.__name__ = f"Agrawal {function}"
    return stream


def accuracy_of(model, stream):
    return evaluate.progressive_val_score(stream, model, metrics.Accuracy()).get()


@pytest.mark.parametrize(
    ("stream", "at_least"),
    [(datasets.Phishing, 0.915), (datasets.ImageSegments, 0.925), (datasets.Bananas, 0.86)],
    ids=name_of,
)
def test_progressive_accuracy(stream, at_least):
    assert accuracy_of(KDBClassifier(), stream()) >= at_least


@pytest.mark.parametrize(
    ("stream", "at_least"),
    [
        (datasets.Phishing, 0.922),
        (datasets.ImageSegments, 0.943),
        (datasets.Bananas, 0.885),
        (agrawal(1), 0.965),
        (agrawal(4), 0.955),
        (agrawal(5), 0.94),
    ],
    ids=name_of,
)
def test_progressive_accuracy_of_the_mixture(stream, at_least):
    assert accuracy_of(BNMixtureClassifier(), stream()) >= at_least
