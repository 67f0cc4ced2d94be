"""Every example runs as a newcomer would run it."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
APART = {"event_stream.py"}  # they need more than Python, and have files of tests of their own
NAMES = sorted(path.name for path in (ROOT / "examples").glob("*.py"))
SPOKEN = {
    "drift.py": ["KDB(2) with ADWIN", "detected a drift after event 30", "structure-after.png"],
    "quickstart.py": ["-> sail", "KDBClassifier: 140 events", "posterior"],
    "pipeline.py": ["alone Accuracy: 8", "bagged Accuracy: 8"],
    "progressive.py": ["KDB(2)", "HoeffdingTree", "[1,250] Accuracy: 9"],
}


@pytest.mark.parametrize("name", [name for name in NAMES if name not in APART])
def test_an_example_runs_and_says_what_it_should(name, tmp_path):
    if name == "drift.py":
        pytest.importorskip("matplotlib")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)}
    run = subprocess.run(
        [sys.executable, ROOT / "examples" / name],
        capture_output=True,
        text=True,
        timeout=300,
        env=environment,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert not run.stderr
    for words in SPOKEN[name]:
        assert words in run.stdout
