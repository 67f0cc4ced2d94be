"""The pictures of the page."""

from __future__ import annotations

import itertools
import re

import pytest

from river_kdb.evaluate import Calibration
from tests.evaluate import reports

pytest.importorskip("matplotlib")

from river_kdb.evaluate.curves import line_style
from river_kdb.evaluate.figures import curve_picture, reliability_picture, structure_picture


def narrow_enough(svg, most):
    width, height = map(float, re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg).groups())
    return width <= most and height > 50


def test_curves():
    results = reports.run(reports.stream(60), ("one", reports.Majority), "river:GaussianNB")
    svg, colours = curve_picture(results, 1, "logloss", "the stream", "k")
    assert narrow_enough(svg, 330)
    assert "Course of logloss on the stream" in svg
    assert all(f"{r.name} {r.values['logloss']:.4g}" in svg for r in results)
    assert {line_style(i).colour.lower() for i in range(2)} <= colours


def test_reliability_says_its_numbers():
    calibration = Calibration()
    for right in (True, True, False):
        calibration.update("a" if right else "b", "a", {"a": 0.66, "b": 0.34})
    svg, _ = reliability_picture(calibration, "kdb", "k")
    assert narrow_enough(svg, 330)
    assert "from 0.6 to 0.7: 3 events, mean probability 0.660, right 0.667" in svg


def test_structure_names_its_arcs():
    features = [f"feature {i}" for i in range(12)]
    edges = list(itertools.pairwise(features))
    svg, _ = structure_picture(edges, features, "kdb", "k")
    assert narrow_enough(svg, 330)
    assert all(f">{name}<" in svg for name in features)
    assert "feature 0 to feature 1; feature 1 to feature 2" in svg
    assert structure_picture([], [f"f{i}" for i in range(401)], "nb", "k") is None
