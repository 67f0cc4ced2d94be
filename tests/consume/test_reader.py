"""Reading both streams: against a group that is kept in lists."""

from __future__ import annotations

import copy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_kdb.consume.event import EntryFormat
from river_kdb.consume.loop import Loop
from river_kdb.consume.order import Step, later_steps
from river_kdb.consume.reader import Reader
from river_kdb.consume.source import Source
from tests.consume.entries import Recorder, entry

FORM = EntryFormat("y", id_field="key", labels_apart=True)


class Away(Exception):
    """The server does not answer."""


class ListGroup:
    """A consumer group of two streams, of which some readings fail after they were done."""

    def __init__(self, streams, failures=()):
        self.streams = streams
        self.delivered = dict.fromkeys(streams, 0)
        self.pending_ids = {name: set() for name in streams}
        self.failures = iter(failures)

    def pending(self, stream, after, count):
        found = [
            e for e in self.streams[stream] if e.id > after and e.id in self.pending_ids[stream]
        ]
        self._maybe_fail()
        return found[:count]

    def new(self, streams, count, block_ms):
        answer = {}
        for name in streams:
            start = self.delivered[name]
            found = self.streams[name][start : start + count]
            self.delivered[name] += len(found)
            self.pending_ids[name].update(e.id for e in found)
            answer[name] = found
        self._maybe_fail()
        return answer

    def _maybe_fail(self):
        if next(self.failures, False):
            raise Away


def reader_of(group, batch, steps=()):
    return Reader(group, Source("e"), Source("l"), batch, 0, steps)


def test_a_backlog_is_read_in_the_order_in_which_it_arose():
    streams = {
        "e": [entry(10 * i) for i in range(20)],
        "l": [entry(10 * i + 45) for i in range(0, 20, 4)],
    }
    reader, order = reader_of(ListGroup(streams), batch=3), []
    while sum(map(len, batch := reader.next())):
        ids = sorted(e.id[0] for part in batch for e in part)
        order += ids
    assert order == sorted(e.id[0] for part in streams.values() for e in part)


def test_a_limit_counts_events():
    streams = {"e": [entry(i) for i in range(1, 9)], "l": [entry(4), entry(7)]}
    reader = reader_of(ListGroup(streams), batch=10)
    events, labels = reader.next(limit=5)
    assert ([e.id[0] for e in events], [e.id[0] for e in labels]) == ([1, 2, 3, 4, 5], [4])
    events, labels = reader.next()
    assert ([e.id[0] for e in events], [e.id[0] for e in labels]) == ([6, 7, 8], [7])


def test_what_the_server_delivered_in_vain_is_read_again():
    group = ListGroup({"e": [entry(i) for i in range(1, 5)], "l": []}, [False, False, True])
    reader = reader_of(group, batch=2)
    with pytest.raises(Away):
        reader.next()
    assert group.delivered["e"] == 2
    assert [e.id[0] for e in reader.next()[0]] == [1, 2]
    assert [e.id[0] for e in reader.next()[0]] == [3, 4]


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_whatever_breaks_off_each_entry_counts_once_and_in_the_first_order(data):
    """Entries arrive, readings fail, the consumer is killed, in any order; steps are noted."""
    events = [entry(100 + 7 * i, key=i, x=i) for i in range(25)]
    labels = [entry(90 + 9 * i, id=i, label="ab"[i % 2]) for i in range(25)]
    arrived = {"e": [], "l": []}
    failures = data.draw(st.lists(st.booleans(), max_size=60))
    group = ListGroup(arrived, failures)
    batch = data.draw(st.integers(1, 6))
    steps, noted, predictions = [], [], {}
    kept = (Recorder(), Loop(Recorder(), FORM, 8).state())

    def start():
        loop = Loop(copy.deepcopy(kept[0]), FORM, 8)
        loop.restore(copy.deepcopy(kept[1]))
        done = loop.step
        return loop, reader_of(group, batch, later_steps(noted, done))

    loop, reader = start()
    doings = st.lists(
        st.sampled_from(["event", "label", "event", "label", "read", "read", "keep", "kill"]),
        min_size=80,
        max_size=120,
    )
    for doing in [*data.draw(doings), "all", *["read"] * 100]:
        if doing == "event" and len(arrived["e"]) < len(events):
            arrived["e"].append(events[len(arrived["e"])])
        elif doing == "label" and len(arrived["l"]) < len(labels):
            arrived["l"].append(labels[len(arrived["l"])])
        elif doing == "all":
            arrived["e"][:], arrived["l"][:] = events, labels
        elif doing == "kill":
            loop, reader = start()
        elif doing == "keep":
            kept = (copy.deepcopy(loop.model), loop.state())
            done = loop.step
            group.pending_ids["e"] = {i for i in group.pending_ids["e"] if i > done.event}
            group.pending_ids["l"] = {i for i in group.pending_ids["l"] if i > done.label}
            if not reader.is_repeating:
                noted.clear()
        elif doing == "read":
            try:
                read = reader.next()
            except Away:
                continue
            outcome = loop.run(*read)
            noted.append(loop.step)
            steps.append(noted[-1])
            for prediction in outcome.predictions:
                assert predictions.setdefault(prediction.entry, prediction) == prediction

    plain = Loop(Recorder(), FORM, 8)
    for step in later_steps(steps, Step((0, 0), (0, 0))):
        plain.run(
            [e for e in events if plain.last_event < e.id <= step.event],
            [e for e in labels if plain.last_label < e.id <= step.label],
        )
    assert plain.last_event == events[-1].id
    assert loop.model.learned == plain.model.learned
    loop.tally.skipped = plain.tally.skipped = 0
    assert loop.state() == plain.state()
