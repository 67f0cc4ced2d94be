"""What `debug_one` says of values that no factor is made of, and of ensembles without a say."""

from __future__ import annotations

import re

import pytest

from river_kdb import AODEClassifier


@pytest.fixture(scope="module")
def model():
    model = AODEClassifier(subsumption=True)
    for t in range(300):
        both = "xy"[t % 2]
        model.learn_one({"a": both, "b": both, "c": t % 3 == 0}, "yn"[t % 5 == 0])
    return model


def test_a_value_that_another_implies_is_said_to_be(model):
    text = model.debug_one({"a": "x", "b": "x", "c": True, "d": 1})
    assert "left out, implied by another value: 'b' = 'x'" in text
    assert "left out, never learned or missing: 'd' = 1" in text


def test_without_a_say_the_factors_are_those_of_naive_bayes(model):
    x = {"a": "unheard of"}
    text = model.debug_one(x)
    assert text.count("has no say") == 3
    _, fallback = text.split("no member has a say: naive Bayes")
    totals = re.findall(r"log joint = (-?[0-9.]+)", fallback)
    expected = model.joint_log_likelihood(x).values()
    assert [float(total) for total in totals] == pytest.approx(list(expected), abs=1e-6)
