"""The summary against the events and the settings of the model."""

from __future__ import annotations

import pickle
import random
import re

import pytest

from river_kdb import (
    AODEClassifier,
    BKDBClassifier,
    CSBClassifier,
    KDBClassifier,
    TANClassifier,
    UKDBClassifier,
)
from tests import naive


def events(n=300):
    rng = random.Random(5)
    for _ in range(n):
        y = rng.choice(["yes", "no"])
        x = {
            "word": rng.choice("pq") + ("!" if y == "yes" and rng.random() < 0.7 else "?"),
            "flag": rng.random() < (0.6 if y == "yes" else 0.5),
            "number": rng.choice([None, 1.0, 2.0, 3.0]),
            "gaps": None,
        }
        yield x, y


def learned(model, weights=(1.0,)):
    for t, (x, y) in enumerate(events()):
        model.learn_one(x, y, weights[t % len(weights)])
    return model


def learn_all(model, rows):
    for x, y in rows:
        model.learn_one(x, y)


def by_name(model):
    return {feature.name: feature for feature in model.summary.features}


def test_kinds_and_slots():
    features = by_name(learned(KDBClassifier()))
    assert list(features) == ["flag", "gaps", "number", "word"]
    assert [f.kind for f in features.values()] == [
        "categorical",
        "unknown",
        "numeric",
        "categorical",
    ]
    assert [f.slots for f in features.values()] == [2, 1, 4, 4]


@pytest.mark.parametrize("missing", ["value", "skip"])
@pytest.mark.parametrize("weights", [(1.0,), (0.5, 2.0, 1.0)])
def test_shares_of_missing_values(missing, weights):
    features = by_name(learned(KDBClassifier(missing=missing), weights))
    total = sum(weights[t % len(weights)] for t in range(300))
    gaps = sum(
        weights[t % len(weights)] for t, (x, _) in enumerate(events()) if x["number"] is None
    )
    assert features["number"].missing == pytest.approx(gaps / total)
    assert features["gaps"].missing == pytest.approx(1.0)
    assert features["word"].missing == pytest.approx(0.0)


def test_information_is_that_of_the_events():
    model = learned(KDBClassifier(), (1.0, 3.0))
    rows, labels = zip(*events(), strict=True)
    weights = [(1.0, 3.0)[t % 2] for t in range(300)]
    for feature in model.summary.features:
        column = [str(x[feature.name]) for x in rows]
        expected = naive.mutual_information(column, labels, weights)
        assert feature.information == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("make", [KDBClassifier, TANClassifier, AODEClassifier, UKDBClassifier])
def test_parents_and_edges(make):
    model = learned(make())
    summary = model.summary
    assert summary.edges == model.structure_edges()
    assert summary.edges
    for feature in summary.features:
        expected = [parent for parent, child in summary.edges if child == feature.name]
        assert feature.parents == expected


@pytest.mark.parametrize(
    ("model", "n_members"),
    [
        (KDBClassifier(), 1),
        (TANClassifier(), 1),
        (TANClassifier(average="uniform"), 4),
        (AODEClassifier(), 4),
    ],
    ids=["kdb", "tan", "atan", "aode"],
)
def test_heads(model, n_members):
    summary = learned(model, (1.0, 0.5)).summary
    assert summary.model == type(model).__name__
    assert summary.n_events == 300
    expected = {"yes": 0.0, "no": 0.0}
    for t, (_, y) in enumerate(events()):
        expected[y] += (1.0, 0.5)[t % 2]
    assert summary.classes == expected
    assert summary.n_members == n_members


def test_notes_on_values():
    model = KDBClassifier(max_categories=2, n_bins=2, nominal_attributes=["code"])
    for t in range(60):
        model.learn_one({"number": float(t), "word": "pqr"[t % 3], "code": t % 2}, t % 2)
    notes = {name: feature.note for name, feature in by_name(model).items()}
    cuts = model._learner.coder.cuts[1]
    assert notes == {
        "code": "2 categories",
        "number": f"bins cut at {cuts[0]:.4g}",
        "word": "2 categories; rare ones share OTHER",
    }


def test_texts_among_numbers_are_noted():
    model = KDBClassifier()
    for t in range(60):
        model.learn_one({"a": "n/a" if t % 5 == 0 else 3.0}, t % 2)
    assert by_name(model)["a"].kind == "categorical"
    model.learn_one({"b": 1}, 0)
    assert "1 bin" in by_name(model)["b"].note


def test_memory_that_ran_out_is_noted():
    model = KDBClassifier(k=1, max_size=0.1, counts="dense")
    rng = random.Random(1)
    rows = [({f"f{i}": rng.choice("pqrstuv") for i in range(12)}, t % 2) for t in range(200)]
    with pytest.warns(UserWarning, match=r"max_size=0\.1"):
        learn_all(model, rows)
    summary = model.summary
    assert any("features keep pairs" in note for note in summary.notes)
    without = [f for f in summary.features if "no pairs" in f.note]
    assert 0 < len(without) < 12
    assert not any(f.parents for f in without)
    assert all(note in str(summary) for note in summary.notes)


def test_tables_are_listed():
    assert KDBClassifier().summary.tables.startswith("tables: ")
    kept = learned(KDBClassifier(counts="dense")).summary.tables
    assert all(name in kept for name in ("window", "singles", "pairs", "families"))
    assert "triples" not in kept
    assert "pairs" not in learned(KDBClassifier(k=0)).summary.tables
    assert "sets" not in kept


@pytest.mark.parametrize("make", [UKDBClassifier, CSBClassifier, BKDBClassifier])
def test_the_window_as_sets_is_listed(make):
    model = make(grace_period=50)
    rows = list(events())
    learn_all(model, rows[:40])
    assert "sets" not in model.summary.tables
    learn_all(model, rows[40:])
    bitsets = model._learner.store.bitsets
    size = sum(array.nbytes for array in bitsets[:6]) / 2**20
    assert size > 0
    assert f"sets {size:.2f} MiB" in model.summary.tables
    assert "sets" in str(model.summary).splitlines()[1]


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"counts": "auto"}, "counts: tables of pairs, since all fit (0.0"),
        ({"counts": "dense"}, "counts: tables of pairs, as asked for"),
        ({"counts": "bitset"}, "counts: sets of the window, as asked for"),
        ({"k": 0}, "counts: of single features"),
    ],
)
def test_where_counts_come_from(params, said):
    assert KDBClassifier(**params).summary.counts.startswith("counts: of single features")
    assert learned(KDBClassifier(**params)).summary.counts.startswith(said)


def test_why_counts_come_from_the_window():
    rng = random.Random(1)
    rows = [({f"f{i}": rng.choice("pqrstuv") for i in range(30)}, t % 2) for t in range(120)]
    model = KDBClassifier(k=1, max_size=0.4, window_size=100, counts="auto")
    learn_all(model, rows)
    model.relearn()
    pattern = r"counts: sets of the window, since tables of all pairs would take \d+ MiB"
    assert re.fullmatch(pattern, model.summary.counts)


def test_in_print():
    model = learned(AODEClassifier())
    head, networks, counts, titles, *rows = str(model.summary).splitlines()
    assert head.startswith("AODEClassifier: 300 events, classes 'no' ")
    assert networks.startswith(f"4 networks, {len(model.structure_edges())} arcs; tables: ")
    assert counts == model.summary.counts
    assert titles.split() == ["feature", "kind", "slots", "missing", "I(X;C)", "parents", "values"]
    for feature, row in zip(model.summary.features, rows, strict=True):
        cells = row.split()
        assert cells[:4] == [
            feature.name,
            feature.kind,
            str(feature.slots),
            f"{feature.missing:.1%}",
        ]
        assert float(cells[4]) == pytest.approx(feature.information, abs=5e-5)
        start = titles.index("parents")
        assert row[start:].startswith(", ".join(feature.parents) or "-")


def test_before_the_first_event():
    summary = TANClassifier().summary
    assert (summary.n_events, summary.classes, summary.features) == (0, {}, [])
    assert "0 events, classes none" in str(summary)


def test_looking_changes_nothing():
    model = learned(KDBClassifier())
    before = pickle.dumps(model)
    str(model.summary)
    assert pickle.dumps(model) == before
