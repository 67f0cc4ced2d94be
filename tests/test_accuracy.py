"""Test-then-train accuracy with the default parameters on streams that come with River."""

from __future__ import annotations

import pytest
from river import datasets, evaluate, metrics

from river_kdb import KDBClassifier


@pytest.mark.parametrize(
    ("stream", "at_least"),
    [(datasets.Phishing, 0.915), (datasets.ImageSegments, 0.925), (datasets.Bananas, 0.86)],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_progressive_accuracy(stream, at_least):
    accuracy = evaluate.progressive_val_score(stream(), KDBClassifier(), metrics.Accuracy())
    assert accuracy.get() >= at_least
