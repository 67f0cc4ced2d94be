"""The loop: each entry once, whatever comes again, in whatever batches."""

from __future__ import annotations

import copy

from hypothesis import given, settings
from hypothesis import strategies as st

from river_kdb import KDBClassifier
from river_kdb.consume.entry import Entry
from river_kdb.consume.event import EntryFormat
from river_kdb.consume.loop import Loop
from tests.consume.entries import Recorder, entry, raw_entry

FORM = EntryFormat("y", id_field="key", labels_apart=True)


def some_entries():
    """Return events (of which a third brings its label, and some are bad), and labels."""
    events = [
        entry(10 * i, key=i, x=i % 5, **({"y": "ab"[i % 2]} if i % 3 == 0 else {}))
        for i in range(1, 31)
    ]
    events[4] = raw_entry(50, b"{")
    events[9] = Entry((100, 0), None)
    labels = [entry(10 * i + 25 * (i % 4) - 30, id=i, label="ab"[i % 2]) for i in range(4, 29)]
    labels = sorted(labels)
    labels[7] = raw_entry(labels[7].id[0], b'{"id": 7}')
    return events, labels


EVENTS, LABELS = some_entries()


def run_all(max_waiting=5):
    loop = Loop(Recorder(), FORM, max_waiting)
    return loop, loop.run(EVENTS, LABELS)


def test_what_becomes_of_every_entry():
    loop, outcome = run_all(max_waiting=50)
    tally, waiting = loop.tally, loop.waiting
    assert (tally.events, tally.labels, tally.lost) == (30, 25, 1)
    assert [letter.reason[:8] for letter in outcome.dead_events] == ["not JSON", "lost: th"]
    assert [letter.reason for letter in outcome.dead_labels] == ["no 'label'"]
    assert tally.predicted == len(outcome.predictions) == 28 == tally.learned + len(waiting.events)
    assert tally.learned == len(loop.model.learned)


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_entries_that_come_again_change_nothing(data):
    """Events and labels are read in the order of their ids, with parts of them again and again."""
    whole, expected = run_all()
    loop, predictions = Loop(Recorder(), FORM, 5), []
    ends = sorted(data.draw(st.sets(st.integers(0, 350), max_size=8)) | {350})
    for end in ends:
        back = data.draw(st.integers(0, end))
        part = [[e for e in entries if back <= e.id[0] <= end] for entries in (EVENTS, LABELS)]
        gap = [
            [e for e in entries if last < e.id and e.id[0] < back]
            for entries, last in ((EVENTS, loop.last_event), (LABELS, loop.last_label))
        ]
        predictions += loop.run(gap[0], gap[1]).predictions
        predictions += loop.run(*part).predictions
    loop.tally.skipped = 0
    assert loop.state() == whole.state()
    assert loop.model.learned == whole.model.learned
    assert predictions == expected.predictions


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_crashes_change_nothing(data):
    """From a checkpoint on the same comes out, and the predictions are the same."""
    whole, expected = run_all()
    loop, predictions = Loop(Recorder(), FORM, 5), {}
    kept, at = (copy.deepcopy(loop.model), loop.state()), 0
    for end in [*sorted(data.draw(st.sets(st.integers(0, 350), max_size=8))), 350, 350]:
        batch = [[e for e in entries if at < e.id[0] <= end] for entries in (EVENTS, LABELS)]
        for prediction in loop.run(*batch).predictions:
            assert predictions.setdefault(prediction.entry, prediction) == prediction
        what = data.draw(st.sampled_from(["keep", "go on", "crash"])) if end < 350 else "keep"
        if what == "keep":
            kept, at = (copy.deepcopy(loop.model), loop.state()), end
        elif what == "crash":
            loop = Loop(copy.deepcopy(kept[0]), FORM, 5)
            loop.restore(copy.deepcopy(kept[1]))
        else:
            at = end
        if what == "crash":
            at = max(loop.last_event, loop.last_label)[0]
    loop.tally.skipped = 0
    assert loop.state() == whole.state()
    assert loop.model.learned == whole.model.learned
    assert list(predictions.values()) == expected.predictions


@settings(max_examples=30, deadline=None)
@given(order=st.lists(st.booleans(), min_size=60, max_size=60))
def test_whatever_comes_first_the_same_is_learned(order):
    whole, _ = run_all(max_waiting=50)
    loop, events, labels = Loop(Recorder(), FORM, 50), list(EVENTS), list(LABELS)
    for first in order:
        if first and events:
            loop.run([events.pop(0)])
        elif labels:
            loop.run([], [labels.pop(0)])
    loop.run(events, labels)
    assert sorted(map(repr, loop.model.learned)) == sorted(map(repr, whole.model.learned))
    assert loop.tally.learned == whole.tally.learned


def test_as_test_then_learn():
    model, plain = KDBClassifier(k=1, grace_period=20), KDBClassifier(k=1, grace_period=20)
    loop = Loop(model, EntryFormat("y"))
    rows = [({"a": i % 5, "b": (i * i) % 7, "c": "xyz"[i % 3]}, "uv"[i % 2]) for i in range(1, 80)]
    outcome = loop.run([entry(i, **x, y=y) for i, (x, y) in enumerate(rows, 1)])
    for prediction, (x, y) in zip(outcome.predictions, rows, strict=True):
        assert prediction.probabilities == plain.predict_proba_one(x)
        assert prediction.label == plain.predict_one(x)
        plain.learn_one(x, y)


def test_an_id_can_wait_but_once():
    loop = Loop(Recorder(), FORM)
    outcome = loop.run([entry(1, key="k"), entry(2, key="k")])
    assert len(outcome.predictions) == 1
    assert outcome.dead_events[0].reason == "an event with the id 'k' waits for its label already"
    outcome = loop.run([], [entry(1, id="n", label=1), entry(2, id="n", label=2)])
    assert outcome.dead_labels[0].reason == "a label for the id 'n' waits for its event already"


def test_what_the_model_refuses():
    loop = Loop(Recorder(), FORM)
    events = [entry(1, key=1, y=1, unpredictable=1), entry(2, key=2, y=1, unlearnable=1)]
    outcome = loop.run([*events, entry(3, key=3, unlearnable=1)], [entry(9, id=3, label=1)])
    assert [letter.entry.id[0] for letter in outcome.dead_events] == [1, 2]
    assert outcome.dead_events[0].reason == "the model: feature 'unpredictable'"
    assert [letter.entry.id[0] for letter in outcome.dead_labels] == [9]
    assert [prediction.entry[0] for prediction in outcome.predictions] == [2, 3]
    assert (loop.tally.learned, loop.tally.scored) == (0, 0)


def test_a_delayed_event_is_scored_by_what_was_predicted_when_it_came():
    loop = Loop(Recorder(), FORM)
    loop.run([entry(1, key=1, y="a"), entry(2, key=2), entry(3, key=3, y="b"), entry(4, key=4)])
    loop.run([], [entry(5, id=2, label="b"), entry(6, id=4, label="a")])
    assert (loop.tally.scored, loop.tally.correct) == (3, 1)
