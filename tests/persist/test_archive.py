"""The archive is an ordinary zip file, and no other is read."""

from __future__ import annotations

import io
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_kdb.persist import archive
from river_kdb.persist.archive import Member, pack, unpack
from river_kdb.persist.errors import UnreadableModelError

_NAMES = st.text("abc/.", min_size=1, max_size=9)


@settings(max_examples=30)
@given(st.dictionaries(_NAMES, st.lists(st.binary(max_size=30), max_size=3), max_size=5))
def test_whatever_opens_zip_files_reads_it(contents):
    data = b"".join(pack([Member(name, parts) for name, parts in contents.items()]))
    whole = {name: b"".join(parts) for name, parts in contents.items()}
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        assert file.testzip() is None
        assert {name: file.read(name) for name in file.namelist()} == whole
    assert {name: bytes(part) for name, part in unpack(memoryview(data)).items()} == whole


@settings(max_examples=60)
@given(st.data())
def test_no_byte_is_free(data):
    packed = b"".join(pack([Member("one", [b"first"]), Member("two", [b""])]))
    at = data.draw(st.integers(0, len(packed) - 1))
    other = data.draw(st.integers(0, 255).filter(lambda byte: byte != packed[at]))
    with pytest.raises(UnreadableModelError, match="damaged"):
        unpack(memoryview(packed[:at] + bytes([other]) + packed[at + 1 :]))


def test_too_large_and_too_many_are_refused(monkeypatch):
    monkeypatch.setattr(archive, "MOST_BYTES", 1000)
    with pytest.raises(ValueError, match="too large for a file"):
        list(pack([Member("a", [bytes(600)]), Member("b", [bytes(600)])]))
    monkeypatch.setattr(archive, "_MOST_MEMBERS", 1)
    with pytest.raises(ValueError, match="2 arrays are too many"):
        list(pack([Member("a", []), Member("b", [])]))
