"""The recovery from drifts, on few events."""

from __future__ import annotations

import csv
import doctest
import sys

import numpy as np
import pytest
from river import naive_bayes
from river.datasets import synth

from benchmarks import recovery


def test_the_examples():
    assert doctest.testmod(recovery).failed == 0


@pytest.mark.parametrize(
    ("hits", "found"),
    [
        (np.ones(3000), "0"),
        (np.zeros(3000), "never"),
        (np.repeat([0.0, 1.0], [750, 2250]), "750"),
        (np.repeat([0.5, 0.9], [250, 2750]), "never"),
        (np.repeat([0.5, 0.985], [250, 2750]), "250"),
    ],
)
def test_when_the_accuracy_is_back(hits, found):
    assert recovery.regained(hits, 1.0) == found


def test_the_tables(tmp_path, monkeypatch, capsys):
    def concept(variant, seed):
        return synth.STAGGER(classification_function=variant, seed=seed)

    bayes = naive_bayes.GaussianNB
    monkeypatch.setattr(recovery, "DRIFTS", {"STAGGER 0-2": (concept, 0, 2)})
    monkeypatch.setattr(recovery, "MODELS", {"kept": bayes, "watched": bayes})
    monkeypatch.setattr(recovery, "WATCHED", {})
    monkeypatch.setattr(recovery, "BEFORE", 1000)
    monkeypatch.setattr(sys, "argv", ["recovery", "--seeds", "2", "--out", str(tmp_path / "r.csv")])
    recovery.main()
    assert "regained" in capsys.readouterr().out
    rows = list(csv.reader((tmp_path / "r.csv").open()))
    assert [row[:2] for row in rows[1:3]] == [["STAGGER 0-2", "kept"], ["STAGGER 0-2", "watched"]]
    assert rows[1][2:] == rows[2][2:]
    assert float(rows[1][2]) > float(rows[1][3])
