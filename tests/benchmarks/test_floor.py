"""The floor is what it says, and the benchmark leaves the rows it should."""

from __future__ import annotations

import copy
import csv
import itertools

import numpy as np
import pytest

floor = pytest.importorskip("benchmarks.floor")

N = 150


@pytest.fixture(scope="module", params=["Agrawal, 3 texts", "ImageSegments"])
def learned(request):
    events = floor.streams(N)[request.param]
    model = floor.trained(events)
    return model, events, floor.bare_codes(model, events)


@pytest.mark.slow
def test_the_log_joint_is_that_of_the_model(learned):
    model, events, codes = learned
    learner = model._learner
    out = np.empty(len(learner.labels))
    for (x, _), own in zip(events, codes, strict=True):
        floor.log_joint(own, learner.settings.strength, out, learner.noted)
        # every value and context of an event that was learned has been seen
        assert out.tolist() == pytest.approx(list(model.joint_log_likelihood(x).values()))


@pytest.mark.slow
def test_the_increments_are_those_of_the_model(learned):
    model, events, codes = copy.deepcopy(learned)
    twin = copy.deepcopy(model)
    for (x, y), own in list(zip(events, codes, strict=True))[:20]:
        model.learn_one(x, y)
        floor.add_event(own, twin._learner.label_index[y], twin._learner.noted)
    for name in ("singles", "families"):
        mine, bare = getattr(model._learner.store, name), getattr(twin._learner.store, name)
        for table, other in zip(mine, bare, strict=True):
            assert table.tolist() == other.tolist()


@pytest.mark.parametrize("name", ["Agrawal", "Agrawal, 3 texts", floor.CATEGORICAL])
def test_the_walk_keeps_apart_what_differs(name):
    events = floor.streams(60)[name]
    walk = floor.walker(events)
    rows = [walk(x) for x, _ in events]
    assert {row.shape for row in rows} == {(len(events[0][0]),)}
    for (x, _), (other, _) in itertools.combinations(events[:15], 2):
        assert (walk(x).tolist() == walk(other).tolist()) == (x == other)


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    path = tmp_path_factory.mktemp("floor") / "results" / "floor.csv"
    given = ["--events", "120", "--runs", "1", "--out", str(path)]
    floor.main([*given, "--only", f"Agrawal;{floor.CATEGORICAL}"])
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.slow
def test_the_rows(rows):
    assert list(rows[0]) == ["section", "stream", "model", "measure", "value", "unit"]
    assert {row["section"] for row in rows} == {"setup", "floor"}
    found = {
        (row["stream"], row["model"], row["measure"]): float(row["value"])
        for row in rows
        if row["section"] == "floor"
    }
    assert min(found.values()) > 0
    for name in ("Agrawal", floor.CATEGORICAL):
        beside = {who for stream, who, _ in found if stream == name}
        expected = {floor.OWN, floor.TREE, floor.FLOOR}
        assert beside == (expected | {floor.BAYES} if name == floor.CATEGORICAL else expected)
        for end in ("", "_median"):
            assert found[name, floor.FLOOR, f"of_floor{end}"] == 1
            assert found[name, floor.TREE, f"of_tree{end}"] == 1
            pieces = sum(found[name, floor.FLOOR, piece + end] for piece in floor.PIECES)
            assert pieces == pytest.approx(found[name, floor.FLOOR, f"both{end}"], rel=1e-4)
    bayes = found[floor.CATEGORICAL, floor.OWN, "of_bayes"]
    assert bayes == pytest.approx(
        found[floor.CATEGORICAL, floor.OWN, "both"] / found[floor.CATEGORICAL, floor.BAYES, "both"],
        rel=1e-4,
    )


@pytest.mark.parametrize("arguments", [["--only", "two"], ["--runs", "0"], ["--events", "0"]])
def test_bad_options_say_so(arguments, capsys):
    with pytest.raises(SystemExit) as error:
        floor.main(arguments)
    assert error.value.code == 2
    assert "error: " in capsys.readouterr().err
