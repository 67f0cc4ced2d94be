"""What the summary of a mixture says, in its fields and as text."""

from __future__ import annotations

import pytest
from river import drift

from river_kdb import BNMixtureClassifier, Expert
from tests import datasets

EXPERTS = [Expert("kdb", 2, 3), Expert("kdb", 0, 3, 9.0), Expert("tan", 1, 6), Expert("linear")]


@pytest.fixture(scope="module")
def model():
    detector = drift.NoDrift()
    model = BNMixtureClassifier(EXPERTS, grace_period=30, drift_detector=detector)
    for x, y in datasets.mixed(200, seed=1):
        model.learn_one({**x, "never": None}, y)
    return model


def test_its_fields(model):
    summary = model.summary
    assert summary.model == "BNMixtureClassifier"
    assert summary.n_events == 200
    assert sorted(summary.classes) == [0, 1, 2]
    assert summary.weights == model.weights_
    shares = list(summary.weights.values())
    assert shares == sorted(shares, reverse=True)
    assert summary.notes == []
    kinds = {name: kind for name, kind, _ in summary.features}
    assert list(kinds) == model.feature_names
    assert kinds == {
        "colour": "categorical",
        "count": "numeric",
        "few": "numeric",
        "flag": "categorical",
        "length": "numeric",
        "never": "unknown",
        "noise": "numeric",
    }


def test_slots_are_those_of_every_chain(model):
    slots = {name: slots for name, _, slots in model.summary.features}
    assert slots["length"] == (3 + 1, 6 + 1)  # bins, and missing
    assert slots["colour"] == (5, 5)
    assert slots["flag"] == (3, 3)
    assert slots["never"] == (1, 1)


def test_its_text(model):
    lines = str(model.summary).splitlines()
    assert lines[0].startswith("BNMixtureClassifier: 200 events, classes ")
    assert lines[1].startswith("6 experts; window ")
    assert lines[2] == "share  expert"
    best = next(iter(model.summary.weights))
    assert lines[3] == f"{model.weights_[best]:5.1%}  {best}"
    assert lines[9] == " 0.0%  all others"
    assert any(line.split() == ["length", "numeric", "4", "7"] for line in lines)


def test_of_many_experts_the_first_are_shown():
    model = BNMixtureClassifier([("kdb", k, bins) for k in range(3) for bins in range(2, 6)])
    model.learn_one({"a": 1.0}, "y")
    lines = str(model.summary).splitlines()
    assert lines[1].startswith("14 experts")
    assert lines[11].split() == ["42.9%", "all", "others"]


def test_nothing_learned():
    text = str(BNMixtureClassifier(EXPERTS).summary)
    assert "0 events, classes none" in text
