"""The progress bar and the table."""

from __future__ import annotations

import io
import re

import pytest

pytest.importorskip("typer")
pytest.importorskip("rich")

from rich.console import Console

from river_kdb.cli.progress import ProgressListener, StepsBar
from river_kdb.cli.table import format_metric, make_table
from river_kdb.evaluate import Evaluation, open_stream


def evaluate_with(listener, limit=400):
    evaluation = Evaluation(
        open_stream("river:Phishing", limit=limit),
        ["river:GaussianNB", "river:PriorClassifier"],
        listener=listener,
    )
    with listener:
        return evaluation.run()


def test_a_terminal_gets_a_bar_with_rate_and_metric():
    console = Console(file=io.StringIO(), force_terminal=True, width=140)
    evaluate_with(ProgressListener(["river:GaussianNB", "river:PriorClassifier"], console))
    shown = console.file.getvalue()
    assert "river:PriorClassifier" in shown
    assert "accuracy" in shown
    assert re.search(r"400.* [\d,]+/s", shown)


def test_steps_have_a_bar():
    console = Console(file=io.StringIO(), force_terminal=True, width=140)
    with StepsBar(console) as bar:
        bar.report("TANClassifier()", 3, 7)
    assert re.search(r"3/7.* .*TANClassifier\(\)", console.file.getvalue())
    console = Console(file=io.StringIO())
    with StepsBar(console) as bar:
        bar.report("TANClassifier()", 3, 7)
    assert console.file.getvalue() == ""


def test_a_file_gets_nothing():
    console = Console(file=io.StringIO(), width=140)
    evaluate_with(ProgressListener(["river:GaussianNB"], console))
    assert console.file.getvalue() == ""


def test_the_best_is_bold_and_markup_in_names_is_not_read():
    results = evaluate_with(ProgressListener([], Console(file=io.StringIO())))
    results[0].name = "[red]x[/red]"
    console = Console(file=io.StringIO(), force_terminal=True, width=140)
    console.print(make_table("title", results))
    text = console.file.getvalue()
    assert "[red]x[/red]" in text
    best = format_metric(results[0], "accuracy")
    assert re.search(rf"\x1b\[1m *{best}", text)


def test_a_narrow_terminal_keeps_names_and_numbers():
    results = evaluate_with(ProgressListener([], Console(file=io.StringIO())))
    results[0].name = "river:HoeffdingTreeClassifier"
    console = Console(file=io.StringIO(), force_terminal=True, color_system=None, width=80)
    console.print(make_table("title", results))
    text = console.file.getvalue()
    assert "river:Hoeffd" in text
    for name in results[0].metrics:
        assert format_metric(results[0], name) in text
    assert max(len(line) for line in text.splitlines()) <= 80


def test_nothing_predicted_shows_a_dash():
    results = evaluate_with(ProgressListener([], Console(file=io.StringIO())), 1)
    results[0].rows = 0
    assert format_metric(results[0], "accuracy") == "–"
    console = Console(file=io.StringIO(), width=140)
    console.print(make_table("title", results))
    assert "–" in console.file.getvalue()
