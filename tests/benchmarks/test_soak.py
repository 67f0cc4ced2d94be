"""The long run, on few events."""

from __future__ import annotations

import csv
import sys

import pytest

from benchmarks import soak
from river_kdb.evaluate import ModelSpec


def test_the_stream_drifts_and_ends():
    events = list(soak.drifting(30))
    assert len(events) == 30
    assert events == list(soak.drifting(30))
    assert len({x["user"] for x, _ in events}) > 20


def test_the_table(tmp_path, monkeypatch, capsys):
    out = tmp_path / "soak.csv"
    given = ["soak", "--events", "200", "--models", "nb:half_life=20", "--out", str(out)]
    monkeypatch.setattr(sys, "argv", given)
    soak.main()
    assert capsys.readouterr().out.count("nb:half_life=20") == 10
    head, *rows = csv.reader(out.open())
    assert head[:2] == ["model", "events"]
    assert [int(row[1]) for row in rows] == list(range(20, 201, 20))
    assert all(float(row[-1]) < 1e-12 for row in rows)


def test_what_is_no_probability_ends_the_run(monkeypatch):
    class Broken:
        def predict_proba_one(self, x):
            return {True: float("nan")}

        def learn_one(self, x, y):
            pass

    spec = ModelSpec("broken", Broken)
    monkeypatch.setattr(soak, "make_models", lambda names, stream: [spec])
    with pytest.raises(ArithmeticError, match="after 1 events"):
        list(soak.soak("broken", 20))
