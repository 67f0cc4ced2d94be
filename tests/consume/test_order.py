"""The order in which entries of two streams are dealt with."""

from __future__ import annotations

from river_kdb.consume.order import Step, later_steps, next_bound
from river_kdb.consume.source import Source
from tests.consume.entries import entry


def source_of(numbers, has_more):
    source = Source("s")
    source.put_pending([], asked=1)
    source.put_new([entry(i) for i in numbers], asked=len(numbers) + (not has_more))
    return source


def test_all_of_it_where_nothing_is_left_to_read():
    assert next_bound([source_of([1, 5], False), source_of([9], False)]) is None


def test_a_stream_with_more_holds_the_other_one_back():
    assert next_bound([source_of([1, 5], True), source_of([3, 9], False)]) == (5, 0)
    assert next_bound([source_of([1, 5], True), source_of([3, 4], True)]) == (4, 0)
    assert next_bound([source_of([1, 5], False), source_of([], False)]) is None


def test_a_limit():
    events = source_of([1, 5, 6], True)
    assert next_bound([events], limit=2) == (5, 0)
    assert next_bound([events, source_of([3], True)], limit=2) == (3, 0)
    assert next_bound([events], limit=3) == (6, 0)


def test_steps_that_were_noted_twice_count_once():
    steps = [Step((i, 0), (i // 2, 0)) for i in range(6)]
    assert later_steps([*steps[:3], *steps], steps[0]) == steps[1:]
    assert later_steps(steps, steps[-1]) == []
