"""Counts of values, however a model keeps them."""

from __future__ import annotations

import numpy as np
import pytest

from river_kdb import BNMixtureClassifier, Expert, KDBClassifier
from river_kdb.explain.tables import information_of, tables_of, tables_of_network
from tests import datasets

EVENTS = datasets.mixed(120, seed=3)
FADES = Expert("kdb", 1, 4, 20.0)
STAYS = Expert("kdb", 2, 6, None)


def learned(model):
    for x, y in EVENTS:
        model.learn_one(x, y)
    return model


@pytest.mark.parametrize("params", [{}, {"missing": "skip"}, {"half_life": 30.0}])
def test_information_is_that_of_the_model(params):
    model = learned(KDBClassifier(**params))
    tables = tables_of(model._learner)
    assert information_of(tables) == pytest.approx(model._learner.information(), abs=1e-12)
    assert (information_of(tables) > 0.0).any()


def test_nothing_counted():
    assert information_of(tables_of(KDBClassifier()._learner)).tolist() == []


@pytest.mark.parametrize("expert", [FADES, STAYS])
def test_counts_of_a_network_of_a_mixture(expert):
    model = learned(BNMixtureClassifier([FADES, STAYS, ("linear",)], label_lags=0))
    learner = model._learner
    tables = tables_of_network(learner, expert)
    raw = np.column_stack([learner.encoder.row(x) for x, _ in EVENTS])
    codes, t = tables.coder.code(raw), np.arange(len(EVENTS))
    weights = np.ones(len(t)) if expert is STAYS else 0.5 ** ((t[-1] - t) / expert.half_life)
    for i in range(len(codes)):
        for s in range(tables.rows[i + 1] - tables.rows[i]):
            for c, label in enumerate(learner.labels):
                of_class = np.array([y == label for _, y in EVENTS])
                expected = weights[(codes[i] == s) & of_class].sum()
                assert tables.cells[tables.rows[i] + s, c] == pytest.approx(expected)
                assert tables.sums[i, c] == pytest.approx(weights[of_class].sum())
