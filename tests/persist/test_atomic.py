"""A file that is written is the old one or the new one."""

from __future__ import annotations

import os
import stat

import pytest

import river_kdb
from river_kdb.persist.atomic import remove_leftovers, write_atomically
from tests.persist.files import small_model


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def test_pieces_are_written_in_turn(tmp_path):
    path = tmp_path / "file"
    for pieces in ([b"a", memoryview(b"bc")], [], [b"new"]):
        write_atomically(path, pieces)
        assert path.read_bytes() == b"".join(pieces)
    assert names_in(tmp_path) == ["file"]


def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def pieces():
        yield b"new"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_atomically(path, pieces())
    assert path.read_bytes() == b"old"
    assert names_in(tmp_path) == ["file"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_full_disk_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, step):
    path = tmp_path / "model.kdb"
    small_model(20).save(path)
    old = path.read_bytes()

    def fail(*given):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(OSError, match="No space left"):
        small_model(30).save(path)
    assert path.read_bytes() == old
    assert names_in(tmp_path) == ["model.kdb"]


def test_what_can_not_be_saved_leaves_the_old_file(tmp_path):
    path = tmp_path / "model.kdb"
    model = small_model(20)
    model.save(path)
    old = path.read_bytes()
    model.learn_one({"colour": frozenset()}, 0)
    with pytest.raises(TypeError, match="feature 'colour': the category frozenset"):
        model.save(path)
    assert path.read_bytes() == old
    assert names_in(tmp_path) == ["model.kdb"]


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
def test_modes_are_those_of_an_ordinary_file(tmp_path):
    def mode_of(path):
        return stat.S_IMODE(path.stat().st_mode)

    before = os.umask(0o027)
    try:
        (tmp_path / "ordinary").write_bytes(b"")
        write_atomically(tmp_path / "file", [b"x"])
        assert mode_of(tmp_path / "file") == mode_of(tmp_path / "ordinary") == 0o640
        (tmp_path / "file").chmod(0o604)
        write_atomically(tmp_path / "file", [b"y"])
        assert mode_of(tmp_path / "file") == 0o604
    finally:
        os.umask(before)


@pytest.mark.skipif(os.name != "posix", reason="links are POSIX's")
def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "folder" / "file")
    for content in (b"first", b"second"):
        write_atomically(tmp_path / "link", [content])
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "folder" / "file").read_bytes() == content


def test_folders_are_refused(tmp_path):
    with pytest.raises(IsADirectoryError, match="is a folder"):
        write_atomically(tmp_path, [b"x"])
    with pytest.raises(FileNotFoundError):
        small_model(5).save(tmp_path / "nowhere" / "model.kdb")
    with pytest.raises(FileNotFoundError):
        river_kdb.load(tmp_path / "nothing.kdb")


def test_only_leftovers_of_the_file_are_removed(tmp_path):
    for name in (".file.1-2.tmp", ".file2.1-2.tmp", "file.tmp", ".file.txt", "file"):
        (tmp_path / name).write_bytes(b"x")
    remove_leftovers(tmp_path / "file")
    assert names_in(tmp_path) == [".file.txt", ".file2.1-2.tmp", "file", "file.tmp"]
