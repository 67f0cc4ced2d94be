"""The times of saving and loading, on few rows."""

from __future__ import annotations

import csv
import sys

import pytest

from benchmarks import persistence
from river_kdb import KDBClassifier


def test_rows_are_the_same_every_time():
    (one, labels), (other, same) = (persistence.rows_of(20, 3, seed=4) for _ in range(2))
    assert one.equals(other)
    assert labels == same
    assert list(one.columns) == ["n0", "t1", "n2"]


def test_the_table(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(persistence, "models", lambda n_rows: [("some", KDBClassifier())])
    out = tmp_path / "persistence.csv"
    monkeypatch.setattr(sys, "argv", ["persistence", "--runs", "1", "--out", str(out)])
    persistence.main()
    assert "some" in capsys.readouterr().out
    head, row = csv.reader(out.open())
    assert head[:4] == ["model", "mib", "save_s", "load_s"]
    assert row[0] == "some"
    assert all(float(value) > 0.0 for value in row[1:])


def test_models_have_learned(monkeypatch):
    name, model = next(persistence.models(50))
    assert name == "naive Bayes, 8 features"
    assert model._learner.store.n_events == 50


def test_what_is_not_the_same_ends_the_run(tmp_path, monkeypatch):
    monkeypatch.setattr(persistence.river_kdb, "load", lambda path: KDBClassifier(k=0))
    with pytest.raises(ArithmeticError, match="some: what was loaded"):
        persistence.measure("some", KDBClassifier(), tmp_path, 1)
