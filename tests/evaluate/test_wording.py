"""Results as text."""

from __future__ import annotations

import math

import pytest

from river_kdb.evaluate.wording import (
    best_value,
    format_metric,
    short_number,
    size_text,
    state_word,
)
from tests.evaluate import reports


@pytest.mark.parametrize(
    ("value", "text"),
    [(math.nan, "–"), (0.0, "0.00"), (0.123, "0.12"), (9.87, "9.9"), (1234.5, "1,234")],
)
def test_short_numbers(value, text):
    assert short_number(value) == text


@pytest.mark.parametrize(
    ("n_bytes", "text"),
    [
        (0, "0 B"),
        (1023, "1,023 B"),
        (1536, "1.5 KiB"),
        (200 * 2**20, "200 MiB"),
        (2**42, "4,096 GiB"),
    ],
)
def test_sizes(n_bytes, text):
    assert size_text(n_bytes) == text


def test_the_best_is_one_that_finished():
    specs = [
        "river:GaussianNB",
        "river:NoChangeClassifier",
        ("failing", lambda: reports.Majority(3)),
    ]
    results = reports.run(reports.stream(60), *specs)
    assert best_value(results, "accuracy") == results[0].values["accuracy"]
    assert best_value(results, "logloss") == results[0].values["logloss"]
    assert [state_word(r) for r in results] == ["finished", "finished", "failed"]
    results[0].state = "running"
    assert best_value(results, "accuracy") == results[1].values["accuracy"]
    assert state_word(results[0]) == "interrupted"
    assert math.isnan(best_value(results[2:], "accuracy"))
    assert format_metric(results[1], "accuracy") == "0.00%"
