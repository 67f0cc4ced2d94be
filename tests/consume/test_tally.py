"""The scores are those of an evaluation."""

from __future__ import annotations

import math

import pytest
from river import metrics

from river_kdb import KDBClassifier
from river_kdb.consume.tally import Tally
from river_kdb.evaluate import Evaluation, LogLoss, open_stream


def test_as_an_evaluation():
    stream = open_stream("river:ImageSegments", limit=400)
    (result,) = Evaluation(stream, ["kdb:k=1"], ["accuracy", "logloss"]).run()
    model, tally, accuracy, log_loss = KDBClassifier(k=1), Tally(), metrics.Accuracy(), LogLoss()
    for x, y in stream:
        probabilities = model.predict_proba_one(x)
        tally.score(y, probabilities)
        if probabilities:
            accuracy.update(y, max(probabilities, key=probabilities.__getitem__))
            log_loss.update(y, probabilities)
        model.learn_one(x, y)
    assert tally.accuracy == accuracy.get() == result.values["accuracy"]
    assert tally.log_loss == pytest.approx(log_loss.get(), rel=1e-12)
    assert tally.log_loss == pytest.approx(result.values["logloss"], rel=1e-12)


def test_a_state_and_back():
    tally = Tally(events=3, lost=1)
    for y in ("a", 1, True, "a"):
        tally.score(y, {"a": 0.5, 1: 0.5})
    assert Tally.restored(tally.state()) == tally
    assert tally.state()["known"] == ["a", 1]


def test_before_the_first_event():
    assert math.isnan(Tally().accuracy)
