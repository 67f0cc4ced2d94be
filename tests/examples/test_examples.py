"""Every example runs as a newcomer would run it."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
SPOKEN = {
    "drift.py": ["KDB(2) with ADWIN", "detected a drift after event 30", "structure-after.png"],
    "quickstart.py": ["-> sail", "KDBClassifier: 140 events", "posterior"],
    "pipeline.py": ["alone Accuracy: 8", "bagged Accuracy: 8"],
    "progressive.py": ["KDB(2)", "HoeffdingTree", "[1,250] Accuracy: 9"],
}
APART = {"event_stream.py", "spark_train.py"}  # they need more than Python
NAMES = sorted(path.name for path in (ROOT / "examples").glob("*.py"))


def run_example(name, folder):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(folder)}
    environment["PYSPARK_PYTHON"] = sys.executable
    return subprocess.run(
        [sys.executable, ROOT / "examples" / name],
        capture_output=True,
        text=True,
        timeout=300,
        env=environment,
        check=False,
    )


@pytest.mark.parametrize("name", [name for name in NAMES if name not in APART])
def test_an_example_runs_and_says_what_it_should(name, tmp_path):
    if name == "drift.py":
        pytest.importorskip("matplotlib")
    run = run_example(name, tmp_path)
    assert run.returncode == 0, run.stderr
    assert not run.stderr
    for words in SPOKEN[name]:
        assert words in run.stdout


@pytest.mark.slow
def test_spark_learns_what_one_process_does(tmp_path):
    """Spark itself writes to stderr, so only what the example says is looked at."""
    pytest.importorskip("pyspark")
    if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
        pytest.skip("there is no Java")
    run = run_example("spark_train.py", tmp_path)
    assert run.returncode == 0, run.stderr
    table = [line.split() for line in run.stdout.splitlines()[1:4]]
    assert len({accuracy for *_, accuracy, _ in table}) == 1
    assert [difference for *_, difference in table] == ["0"] * 3
    assert "|prediction|" in run.stdout
