"""The names of slots against what is coded to them."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from river_kdb import KDBClassifier
from river_kdb.explain.values import slot_name, slot_names


def learned(values, **params):
    model = KDBClassifier(k=0, **params)
    for t, value in enumerate(values):
        model.learn_one({"a": value}, t % 2)
    return model


def names_of(model):
    return slot_names(model._learner, 0)


def code_of(model, value):
    learner = model._learner
    return int(learner.coder.code(learner.encoder.row({"a": value})[:, None])[0, 0])


def test_categories():
    model = learned(["x", "y", 3, True, ("t", 1)])
    assert names_of(model) == ["'x'", "'y'", "3", "True", "('t', 1)"]


def test_missing_and_other():
    model = learned(["x", "y", "z", None], max_categories=2)
    assert sorted(names_of(model)) == ["'x'", "'y'", "missing", "other"]
    for value, name in (("x", "'x'"), ("y", "'y'"), ("z", "other"), (None, "missing")):
        assert names_of(model)[code_of(model, value)] == name


def test_skipped_missing_values_have_no_slot():
    assert names_of(learned(["x", None], missing="skip")) == ["'x'"]


def test_one_bin_before_there_are_cuts():
    assert names_of(learned([3.0])) == ["(-inf, inf)"]


def parse(name):
    low, high = name[1:-1].split(", ")
    return float(low), float(high)


@pytest.mark.parametrize("discretizer", ["quantile", "uniform", "mdl"])
def test_a_number_lies_in_the_bin_it_is_coded_to(discretizer):
    rng = random.Random(1)
    numbers = [rng.randrange(0, 80) / 8 for _ in range(60)]
    model = learned(
        ["text" if t % 9 == 5 else number for t, number in enumerate(numbers)],
        discretizer=discretizer,
        n_bins=4,
    )
    names = names_of(model)
    bins = [name for name in names if name[0] == "("]
    edges = [parse(name) for name in bins]
    assert [name[-1] for name in bins] == ["]"] * (len(bins) - 1) + [")"]
    assert edges[0][0] == -math.inf
    assert edges[-1][1] == math.inf
    assert [high for _, high in edges[:-1]] == [low for low, _ in edges[1:]]
    for number in [*numbers, -1e9, 1e9, *(high for _, high in edges[:-1])]:
        low, high = parse(names[code_of(model, number)])
        assert low < number <= high
    assert names[code_of(model, "text")] == "'text'"


def test_every_slot_has_a_name_after_slots_have_moved():
    rng = random.Random(2)
    values = [rng.choice([None, "x", "y", "z", rng.random(), math.inf]) for _ in range(210)]
    model = learned([0.5, *values], max_categories=2, window_size=50)
    names = names_of(model)
    assert "?" not in names
    assert len(set(names)) == len(names) == model._learner.coder.n_slots[0]
    assert names[code_of(model, np.float32(0.25))][0] == "("


@pytest.mark.parametrize("value", ["x", "z", None, 0.5, 2.0, -math.inf, True, "never learned"])
def test_one_name_is_that_of_all(value):
    model = learned(["x", True, None, "y", "z", *range(40)], n_bins=4, max_categories=3)
    model.relearn()
    code = code_of(model, value)
    expected = names_of(model)[code] if code >= 0 else None
    assert slot_name(model._learner.coder, 0, code, value) == expected
