"""The queue of a stream."""

from __future__ import annotations

from river_kdb.consume.source import Source
from tests.consume.entries import entry


def numbers(entries):
    return [e.id[0] for e in entries]


def test_pending_entries_come_first():
    source = Source("s")
    source.put_pending([entry(1), entry(2)], asked=2)
    assert (source.behind, source.has_more, source.read) == (True, True, (2, 0))
    source.put_pending([], asked=2)
    assert (source.behind, source.has_more) == (False, False)
    source.put_new([entry(3), entry(4)], asked=2)
    assert source.has_more
    assert numbers(source.take((3, 0))) == [1, 2, 3]
    assert numbers(source.take(None)) == [4]


def test_after_a_failure_what_was_not_taken_is_read_again():
    source = Source("s")
    source.put_pending([], asked=5)
    source.put_new([entry(1), entry(2), entry(3)], asked=5)
    source.take((1, 0))
    source.rewind()
    assert (source.behind, source.read, len(source.queue)) == (True, (1, 0), 0)


def test_deleted_entries_stand_in_their_places():
    source = Source("s", deleted=[(9, 0), (3, 0), (2, 0)])
    source.put_pending([entry(1), entry(4)], asked=2)
    assert [(e.id[0], e.fields is None) for e in source.queue] == [
        (1, False), (2, True), (3, True), (4, False),
    ]  # fmt: skip
    source.take((1, 0))
    source.rewind()
    source.put_pending([entry(4)], asked=2)
    assert numbers(source.take(None)) == [2, 3, 4, 9]
    source.rewind()
    source.put_pending([], asked=2)
    assert not source.queue
