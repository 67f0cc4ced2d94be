"""Whatever is wrong with a file, it is said so, quickly and with little memory."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

import river_kdb
from river_kdb.persist import UnreadableModelError
from tests.persist.damages import damages
from tests.persist.files import small_model

_ROOM = 64 * 2**20
_LONG = 30.0


@contextmanager
def little_memory():
    """Let the process have 64 MiB more, and no more."""
    if not sys.platform.startswith("linux"):
        yield
        return
    before = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + _ROOM
    resource.setrlimit(resource.RLIMIT_AS, (limit, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def refusal(content):
    """The error that a file is refused with."""
    try:
        river_kdb.from_bytes(content)
    except UnreadableModelError as error:
        return error
    return None


def test_a_thousand_damaged_files_are_refused(tmp_path):
    data = small_model().to_bytes()
    assert river_kdb.from_bytes(data).to_bytes() == data
    trap = tmp_path / "executed"
    files = list(damages(data, trap))
    assert len(files) >= 1_000
    with little_memory():
        for name, content in files:
            begun = time.perf_counter()
            error = refusal(content)
            assert error is not None, name
            assert not isinstance(error.__cause__, MemoryError), name
            assert time.perf_counter() - begun < _LONG, name
    assert not trap.exists()


@pytest.mark.slow
def test_forged_files_are_refused_or_do_no_harm():
    n_files = 200
    done = subprocess.run(
        [sys.executable, "-m", "tests.persist.mutations", str(n_files)],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert 0 < int(done.stdout) < n_files
