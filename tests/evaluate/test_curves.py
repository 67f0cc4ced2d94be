"""The learning curves."""

from __future__ import annotations

import pytest

from river_kdb.evaluate import Evaluation, draw_curves, open_stream
from river_kdb.evaluate.curves import line_style
from tests.evaluate import reports

pytest.importorskip("matplotlib")


def test_a_panel_a_metric_and_a_line_a_model():
    models = ["river:GaussianNB", "river:PriorClassifier"]
    results = Evaluation(open_stream("synth:LED", limit=50), models).run()
    figure = draw_curves(results, "LED")
    assert len(figure.axes) == 3
    for axes in figure.axes:
        assert len(axes.lines) == 2
    low, high = figure.axes[0].get_ylim()
    assert low < high <= 1.0
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels == models


def test_lines_differ():
    assert len({line_style(i) for i in range(24)}) == 24


def test_a_line_far_away_is_named_whatever_it_is_called():
    models = [("a", reports.Majority), ("b", reports.Majority), ("$x$ far", reports.LabelsOnly)]
    results = reports.run(reports.stream(60, n_classes=1), *models, metrics=["logloss"])
    results[2].curve.values = [[9.0] for _ in results[2].curve.values]
    (axes,) = draw_curves(results).axes
    assert [text.get_text() for text in axes.texts] == ["↑ $x$ far 9"]
    assert not axes.texts[0].get_parse_math()
