"""The folder of a report."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from river_kdb.evaluate import (
    Evaluation,
    EvaluationError,
    ModelSpec,
    open_stream,
    prepare_folder,
    write_report,
)

pytest.importorskip("matplotlib")
pytest.importorskip("jinja2")

PNG = b"\x89PNG"


class Structured:
    """A model with a structure."""

    feature_names = ("a", "b", "long-name_of/one feature", "d$_1")

    def __init__(self, edges):
        self.edges = edges

    def predict_proba_one(self, x):
        return {0: 1.0}

    def learn_one(self, x, y):
        pass

    def structure_edges(self):
        return self.edges


def run(*specs, limit=50):
    evaluation = Evaluation(open_stream("synth:LED", limit=limit), specs)
    evaluation.run()
    return evaluation.results


def test_report(tmp_path: Path):
    folder = tmp_path / "a" / "b"
    prepare_folder(folder)
    chain = ModelSpec("kdb:k=1:order=mi", lambda: Structured([("a", "b"), ("b", "d$_1")]))
    names = Structured.feature_names
    ring = ModelSpec("aode", lambda: Structured([(p, c) for p in names for c in names if p != c]))
    results = run(chain, ring, ModelSpec("nb", lambda: Structured([])), "river:GaussianNB")
    written = write_report(folder, "synth:LED", results)
    assert [path.name for path in written] == [
        "results.csv",
        "learning_curves.png",
        "structure-kdb-k=1-order=mi.png",
        "structure-aode.png",
        "structure-nb.png",
        "report.html",
    ]
    assert all(path.read_bytes().startswith(PNG) for path in written[1:-1])
    assert written[-1].read_text(encoding="utf-8").startswith("<!doctype html>")
    with open(written[0], newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["model"] for row in rows] == ["kdb:k=1:order=mi", "aode", "nb", "river:GaussianNB"]
    assert rows[3]["rows"] == "50"
    assert rows[3]["state"] == "finished"
    assert float(rows[3]["accuracy"]) == pytest.approx(results[3].values["accuracy"], rel=1e-5)
    assert float(rows[3]["predict_us"]) > 0


def test_nothing_ran(tmp_path):
    results = run("river:GaussianNB")
    results[0].rows = 0
    written = write_report(tmp_path, "s", results)
    assert [path.name for path in written] == ["results.csv", "report.html"]


def test_folder_that_is_a_file(tmp_path):
    path = tmp_path / "file"
    path.write_text("")
    with pytest.raises(EvaluationError, match="cannot make the folder"):
        prepare_folder(path)


def test_without_matplotlib(tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(EvaluationError, match=r"river-kdb\[plot\]"):
        prepare_folder(tmp_path / "new")
    assert not (tmp_path / "new").exists()
