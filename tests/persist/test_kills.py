"""Consumers that are killed lose no event and learn none twice."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")


def kill(folder, n_kills, n_events, every, seconds):
    """How many of the killed consumers left a checkpoint with events in it."""
    command = [sys.executable, "-m", "tests.persist.consumer", str(folder)]
    command += map(str, (n_kills, n_events, every, seconds))
    done = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


def test_some_kills(tmp_path):
    # every event is written, so that most are killed while they write
    assert kill(tmp_path, n_kills=6, n_events=120, every=1, seconds=0.2) >= 3


@pytest.mark.slow
@pytest.mark.parametrize("every", [1, 7])
def test_two_hundred_kills_in_all(tmp_path, every):
    assert kill(tmp_path, n_kills=100, n_events=1000, every=every, seconds=0.5) >= 50
