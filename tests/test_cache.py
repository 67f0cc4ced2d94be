"""Kernels are kept where that can be, and where it can't the package works all the same."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import river_kdb
from river_kdb.cache import choose_folder, fingerprint, kernel_sources, kernels_kept_in, user_folder

PACKAGE = Path(river_kdb.__file__).parent

SCRIPT = """
import json, warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    from river_kdb.inference.smoothing import m_estimate
    from river_kdb.jit import FOLDER
    answer = m_estimate(1.0, 3.0, 2.0, 1.0)
texts = [str(w.message) for w in caught if w.category is RuntimeWarning]
hits, misses = (sum(count.values()) for count in m_estimate.stats[1:])
print(json.dumps([answer, str(FOLDER), hits, misses, texts]))
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of three files, in a place where nothing else is."""
    folder = tmp_path / "site" / "river_kdb"
    (folder / "counts").mkdir(parents=True)
    (folder / "counts" / "kernels.py").write_text(
        "from river_kdb.jit import kernel\nfrom river_kdb.numbers import ONE\n"
    )
    (folder / "numbers.py").write_text("ONE = 1\n")
    (folder / "models.py").write_text("from river_kdb.counts.kernels import ONE\n")
    monkeypatch.setattr("river_kdb.cache.user_folder", lambda: tmp_path / "home" / "river_kdb")
    return folder


def file_at(path: Path) -> Path:
    """Write a file: nobody, not even root, can make a folder there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("")
    return path


def test_sources_of_kernels(package):
    assert [path.name for path in kernel_sources(package)] == ["kernels.py", "numbers.py"]
    before = fingerprint(package)
    (package / "models.py").write_text("")
    assert fingerprint(package) == before
    (package / "numbers.py").write_text("ONE = 1.0\n")
    assert fingerprint(package) != before


def test_every_kernel_is_in_the_sources():
    sources = kernel_sources(PACKAGE)
    for path in PACKAGE.rglob("*.py"):
        if "@kernel" in path.read_text("utf-8") or "@inlined" in path.read_text("utf-8"):
            assert path in sources
    assert PACKAGE / "structure" / "structure.py" in sources  # constants only
    assert PACKAGE / "base.py" not in sources


def test_the_first_folder_that_can_be_written(package, tmp_path):
    name = f"river_kdb-{fingerprint(package)}"
    wish = tmp_path / "wish"
    assert choose_folder(str(wish), package) == (wish / name, "")
    assert choose_folder("", package) == (package / "__pycache__" / name, "")
    shutil.rmtree(package / "__pycache__")
    file_at(package / "__pycache__")
    folder, trouble = choose_folder("", package)
    assert folder == tmp_path / "home" / "river_kdb" / name
    assert str(package / "__pycache__") in trouble
    assert "NUMBA_CACHE_DIR" in trouble
    assert choose_folder("", package) == (folder, "")  # told once


def test_a_wish_that_cannot_be_met(package, tmp_path):
    wish = file_at(tmp_path / "file") / "below"
    for _ in range(2):
        folder, trouble = choose_folder(str(wish), package)
        assert folder is not None
        assert folder.parent == package / "__pycache__"
        assert f"NUMBA_CACHE_DIR={wish} can't be written" in trouble


def test_no_folder_at_all(package, tmp_path, monkeypatch):
    file_at(package / "__pycache__")
    monkeypatch.setattr("river_kdb.cache.user_folder", lambda: None)
    folder, trouble = choose_folder("", package)
    assert folder is None
    assert "at every start" in trouble
    assert "NUMBA_CACHE_DIR" in trouble


@pytest.mark.parametrize("place", ["home/river_kdb", "wish"])
def test_kernels_that_can_only_be_read_are_copied(package, tmp_path, monkeypatch, place):
    name = f"river_kdb-{fingerprint(package)}"
    file_at(package / "__pycache__" / name / "counts_1" / "kernel.nbi")

    def writable(folder):
        folder.mkdir(parents=True, exist_ok=True)
        return package not in folder.parents

    monkeypatch.setattr("river_kdb.cache._can_write", writable)
    folder, trouble = choose_folder(str(tmp_path / place) if place == "wish" else "", package)
    assert folder == tmp_path / place / name
    assert (folder / "counts_1" / "kernel.nbi").exists()
    assert trouble == ""


def test_kernels_that_can_be_written_are_not_copied(package, tmp_path):
    own, _ = choose_folder("", package)
    assert own is not None
    file_at(own / "counts_1" / "kernel.nbi")
    folder, _ = choose_folder(str(tmp_path / "wish"), package)
    assert folder is not None
    assert not any(folder.iterdir())


def test_kernels_of_earlier_sources_are_dropped(package, tmp_path):
    wish = tmp_path / "wish"
    old = [choose_folder(text, package).folder for text in ("", str(wish))]
    (package / "numbers.py").write_text("ONE = 2\n")
    for text in ("", str(wish)):
        choose_folder(text, package)
    assert [folder.exists() for folder in old if folder] == [False, True]


def test_numba_is_told_only_meanwhile(tmp_path):
    from numba import config

    before = config.CACHE_DIR
    with kernels_kept_in(tmp_path):
        assert Path(config.CACHE_DIR) == tmp_path
    assert before == config.CACHE_DIR


@pytest.mark.skipif(sys.platform != "linux", reason="the variables are Linux's")
def test_folder_of_the_user(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert user_folder() == tmp_path / "river_kdb"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert user_folder() == tmp_path / ".cache" / "river_kdb"
    monkeypatch.setattr("os.path.expanduser", lambda path: path)
    assert user_folder() is None


# Whole processes -----------------------------------------------------------------------------


@pytest.fixture
def installed(tmp_path):
    """A copy of this package that has compiled nothing."""
    folder = tmp_path / "site" / "river_kdb"
    shutil.copytree(PACKAGE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def start(installed: Path, tmp_path: Path, **variables: Path):
    """Import the copy in a new process, and call one kernel."""
    names = ("NUMBA_CACHE_DIR", "NUMBA_DISABLE_JIT", "XDG_CACHE_HOME", "LOCALAPPDATA")
    environment = {name: text for name, text in os.environ.items() if name not in names}
    environment |= {"PYTHONPATH": str(installed.parent), "HOME": str(tmp_path / "home")}
    environment |= {name: str(path) for name, path in variables.items()}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    answer, folder, hits, misses, texts = json.loads(done.stdout)
    assert answer == 0.375
    return folder, (hits, misses), texts


def test_beside_the_source(installed, tmp_path):
    folder, counts, texts = start(installed, tmp_path)
    assert Path(folder).parent == installed / "__pycache__"
    assert (counts, texts) == ((0, 1), [])
    assert list(Path(folder).glob("*/smoothing.m_estimate-*.nbc"))
    assert start(installed, tmp_path) == (folder, (1, 0), [])


@pytest.mark.skipif(sys.platform != "linux", reason="the variables are Linux's")
def test_beside_the_user_where_the_source_is_read_only(installed, tmp_path):
    file_at(installed / "__pycache__")
    folder, counts, texts = start(installed, tmp_path)
    assert Path(folder).parent == tmp_path / "home" / ".cache" / "river_kdb"
    assert counts == (0, 1)
    assert len(texts) == 1
    assert start(installed, tmp_path) == (folder, (1, 0), [])


@pytest.mark.skipif(sys.platform != "linux", reason="the variables are Linux's")
def test_nowhere(installed, tmp_path):
    below = file_at(tmp_path / "file") / "below"
    file_at(installed / "__pycache__")
    folder, counts, texts = start(
        installed, tmp_path, XDG_CACHE_HOME=below, NUMBA_CACHE_DIR=below, HOME=below
    )
    assert (folder, counts) == ("None", (0, 1))
    assert len(texts) == 1
    assert str(below) in texts[0]


def test_where_numba_was_told_to_but_cannot(installed, tmp_path):
    below = file_at(tmp_path / "file") / "below"
    folder, counts, texts = start(installed, tmp_path, NUMBA_CACHE_DIR=below)
    assert Path(folder).parent == installed / "__pycache__"
    assert counts == (0, 1)
    assert len(texts) == 1
    assert str(below) in texts[0]
