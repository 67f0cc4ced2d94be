"""Which changes of a structure are kept, and how they read."""

from __future__ import annotations

import pickle

import pytest
from river import datasets

from river_kdb import (
    AODEClassifier,
    BKDBClassifier,
    CSBClassifier,
    KDBClassifier,
    KDFClassifier,
    SelectiveKDBClassifier,
    TANClassifier,
    UKDBClassifier,
)
from river_kdb.history import MOST_KEPT, StructureChange, StructureHistory
from tests.detectors import Wide
from tests.test_schedule import slow_relearns

CLASSES = [
    KDBClassifier,
    TANClassifier,
    AODEClassifier,
    KDFClassifier,
    SelectiveKDBClassifier,
    UKDBClassifier,
    CSBClassifier,
    BKDBClassifier,
]
EVENTS = list(datasets.Phishing().take(650))


def test_what_came_and_went():
    history = StructureHistory()
    history.note(10, "schedule", ["a", "c"], [], [(0, 1)])
    # a feature that comes later moves the others
    history.note(20, "schedule", ["a", "b", "c"], [(0, 2)], [(0, 1), (2, 1)])
    history.note(30, "schedule", ["a", "b", "c"], [(0, 1), (2, 1)], [(2, 1), (0, 1)])
    history.note(40, "call", ["a", "b", "c"], [(0, 1)], [(0, 1)])
    history.note(50, "drift", ["a", "b", "c"], [(0, 1), (2, 1)], [])
    assert history.changes() == [
        StructureChange(10, "schedule", (("a", "c"),), ()),
        StructureChange(20, "schedule", (("a", "b"), ("c", "b")), (("a", "c"),)),
        StructureChange(40, "call", (), ()),
        StructureChange(50, "drift", (), (("a", "b"), ("c", "b"))),
    ]


def test_the_latest_are_kept():
    history = StructureHistory()
    for t in range(MOST_KEPT + 20):
        history.note(t, "call", [], [], [])
    assert [change.event for change in history.changes()] == list(range(20, MOST_KEPT + 20))
    assert MOST_KEPT == 1000


@pytest.mark.parametrize("klass", CLASSES)
def test_the_changes_of_a_model_add_up_to_its_structure(klass):
    detector = Wide(at=(450, 560), width=70)
    model = klass(grace_period=80, relearn_period=100, drift_detector=detector)
    assert model.structure_history == []
    assert model.n_relearns == 0
    for t, (x, y) in enumerate(EVENTS, 1):
        model.learn_one({name: x[name] for name in x if t > 150 or name != "https"}, y)
        if t == 250:
            model.relearn()
    edges = set()
    for change in model.structure_history:
        assert edges.isdisjoint(change.added)
        assert edges.issuperset(change.removed)
        edges = (edges | set(change.added)) - set(change.removed)
        assert change.added or change.removed or change.reason != "schedule"
    assert edges == set(model.structure_edges())
    events = {reason: [] for reason in ("schedule", "call", "drift")}
    for change in model.structure_history:
        events[change.reason].append(change.event)
    # the detector has no error of the first event, as there was no label to predict
    assert events["call"] == [250]
    assert events["drift"] == [452, 562]
    relearned = [*slow_relearns(452, 80, 100), 382 + 80, 382 + 160, 492 + 80]
    assert set(events["schedule"]) <= set(relearned)
    assert model.n_relearns == len(relearned) + 1
    assert pickle.loads(pickle.dumps(model)).structure_history == model.structure_history


def test_an_ensemble_gives_each_arc_once():
    model = AODEClassifier(grace_period=50)
    for x, y in EVENTS[:60]:
        model.learn_one(x, y)
    (change,) = model.structure_history
    n = len(EVENTS[0][0])
    assert change.reason == "schedule"
    assert len(set(change.added)) == len(change.added) == n * (n - 1)
