"""The benchmark of the consumer, on few events."""

from __future__ import annotations

import csv
import doctest
import sys
from pathlib import Path

import pytest

pytest.importorskip("redis")

from benchmarks import consume
from tests.consume.servers import needs_server


def test_the_examples():
    assert doctest.testmod(consume).failed == 0


@needs_server
@pytest.mark.slow
def test_the_table(tmp_path, monkeypatch, capsys):
    out = tmp_path / "consume.csv"
    monkeypatch.setattr(
        sys, "argv", ["consume", "--events", "2000", "--runs", "1", "--out", str(out)]
    )
    monkeypatch.setenv("PYTHONPATH", str(Path(consume.__file__).parents[1]))
    consume.main()
    head, *rows = csv.reader(out.open())
    assert [row[1] for row in rows] == ["everysec"] * 3 + ["always"] * 3
    assert [row[2] for row in rows] == ["plain", "consume", "consumer"] * 2
    assert len({tuple(row[6:]) for row in rows}) == 1
    assert all(0.7 < float(dict(zip(head, row, strict=True))["accuracy"]) < 1 for row in rows)
    assert "events_per_second" in capsys.readouterr().out
