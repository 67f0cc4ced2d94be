"""The example with a Redis server of its own."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys

import pytest

pytest.importorskip("redis")

from tests.consume.servers import needs_server

ROOT = pathlib.Path(__file__).parents[2]


@needs_server
@pytest.mark.slow
def test_it_consumes_all_and_notices_the_drift():
    run = subprocess.run(
        [sys.executable, ROOT / "examples" / "event_stream.py"],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert not run.stderr
    (row,) = re.findall("12,006 .*", run.stdout)
    _, _, accuracy, _, drifts, wait, dead = (cell.strip() for cell in row.split("│")[:7])
    assert float(accuracy) > 0.8
    assert (int(drifts) >= 1, wait, dead) == (True, "0", "6")
    assert "The last prediction: " in run.stdout
    assert "A dead letter: a meter that stutters, since it is not JSON" in run.stdout
