"""The benchmark runs, and leaves the rows it should; what the times are is not for a test."""

from __future__ import annotations

import csv
import itertools
import os
from contextlib import nullcontext

import pytest

import river_kdb

pytest.importorskip("pandas")
pytest.importorskip("polars")
pytest.importorskip("pyarrow")
speed = pytest.importorskip("benchmarks.speed")

TINY = ["--events", "100", "--runs", "1", "--rows", "100", "--frame-rows", "50,100"]


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    path = tmp_path_factory.mktemp("speed") / "results" / "speed.csv"
    speed.main([*TINY, "--only", "one,batch", "--out", str(path)])
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.slow
def test_columns_and_versions(rows):
    assert list(rows[0]) == ["section", "stream", "model", "measure", "value", "unit"]
    found = {row["measure"]: row["value"] for row in rows if row["section"] == "setup"}
    assert {"python", "river", "numpy", "numba", "pandas", "polars", "cpu", "cpus"} <= set(found)
    assert {row["section"] for row in rows} == {"setup", "one", "batch"}


@pytest.mark.slow
def test_one_at_a_time(rows):
    found = {
        (row["stream"], row["model"], row["measure"]): float(row["value"])
        for row in rows
        if row["section"] == "one"
    }
    names = ("Phishing", "ImageSegments", "LED", "Agrawal", speed.CATEGORICAL)
    rivals = (speed.REFERENCE, "GaussianNB", "BernoulliNB", "ARF (short)")
    measures = ("predict", "learn", "both", "ratio", "both_median")
    expected = set(itertools.product(names, (*speed.OWN, *rivals), measures))
    assert set(found) == expected | {("all", speed.FLAGSHIP, "median_ratio")}
    assert min(found.values()) > 0
    for name in names:
        assert found[name, speed.REFERENCE, "ratio"] == 1
        predict, learn, both = (found[name, "TAN", m] for m in measures[:3])
        assert predict + learn == pytest.approx(both, rel=1e-4)


@pytest.mark.slow
def test_batches(rows):
    found = {
        (row["stream"], row["model"], row["measure"]): float(row["value"])
        for row in rows
        if row["section"] == "batch"
    }
    streams = [
        f"{source}, {kind}, {phase}, {size}"
        for source, kinds in speed.FRAMES.items()
        for kind in kinds
        for phase in ("scratch", "steady")
        for size in (50, 100)
    ]
    ends = ("many", "dicts", "rows", "times_dicts", "times_rows")
    measures = [f"{call}_{end}" for call in ("predict", "learn") for end in ends]
    measures += ["predict_threads", "predict_threads_times_rows"]
    assert set(found) == set(itertools.product(streams, speed.OWN, measures))
    assert min(found.values()) > 0


def test_every_classifier_starts():
    names = {name for package, name, _ in speed.STARTERS.values() if package == "river_kdb"}
    assert names == {name for name in river_kdb.__all__ if name.endswith("Classifier")}


def test_start(monkeypatch, tmp_path):
    monkeypatch.setattr(speed, "STARTERS", {"NB (KDB k=0)": speed.STARTERS["NB (KDB k=0)"]})
    # A cache that may be filled already: what is cold is not for a test
    monkeypatch.setattr(speed.tempfile, "TemporaryDirectory", lambda: nullcontext(cache()))
    path = tmp_path / "speed.csv"
    speed.main(["--only", "start", "--runs", "1", "--out", str(path)])
    with path.open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["section"] == "start"]
    for state in ("cold", "warm"):
        found = {
            row["measure"]: float(row["value"]) for row in rows if row["stream"].endswith(state)
        }
        parts = [value for measure, value in found.items() if "_" in measure or measure == "import"]
        assert min(parts) > 0
        assert found["import"] < found["until_predicted"] < found["until_300"] < found["total"]


def cache():
    """Return the folder that numba was told to use here, else any."""
    return os.environ.get("NUMBA_CACHE_DIR", "")


def test_streams_are_as_said():
    events = speed.streams(300)
    assert {name: len(rows) for name, rows in events.items()} == dict.fromkeys(events, 300)
    rows = events[speed.CATEGORICAL]
    assert rows == speed.categorical(300)
    assert {len(x) for x, _ in rows} == {36}
    for name in rows[0][0]:
        assert {x[name] for x, _ in rows} == {"low", "middle", "high"}
    assert {y for _, y in rows} == set("abcd")


@pytest.mark.parametrize("arguments", [["--only", "two"], ["--runs", "0"], ["--rows", "1500"]])
def test_bad_options_say_so(arguments, capsys):
    with pytest.raises(SystemExit) as error:
        speed.main(arguments)
    assert error.value.code == 2
    assert "error: " in capsys.readouterr().err
