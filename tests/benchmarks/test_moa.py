"""The race runs with and without CapyMOA; what the times are is not for a test."""

from __future__ import annotations

import csv
import doctest
import itertools
import sys

import numpy as np
import pytest
from river import dummy

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
moa = pytest.importorskip("benchmarks.moa")

ODD = pd.DataFrame(
    {
        "number": [0.5, 1, 2, None, 4],
        "code": ["3", "1", "3", "2", "1"],
        "flag": [True, False, True, True, False],
        "a text": ["two words", "x,y", "'", "z", "x,y"],
        "label": [10, 2, 2, 10, 10],
    }
)


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    return moa.put("small", moa.agrawal(400), tmp_path_factory.mktemp("moa"), 150)


@pytest.fixture
def no_moa(monkeypatch):
    monkeypatch.setitem(sys.modules, "capymoa", None)


def held(read, table):
    return list(read(table))


def test_the_examples():
    assert doctest.testmod(moa).failed == 0


def test_made_streams():
    for name, make in moa.MADE.items():
        assert len(make(50)) == 50, name
        pd.testing.assert_frame_equal(make(50), make(50))
    frame = moa.categorical(2000)
    *features, label = frame.columns
    assert [frame[name].nunique() for name in features] == [3 + i % 6 for i in range(36)]
    assert set(frame[label]) == set(moa.CLASSES)


def test_what_is_known_of_a_table(tmp_path):
    table = moa.put("odd", ODD, tmp_path, 10_000)
    assert (table.n_rows, table.frame_rows) == (4, 1)
    assert table.features == ["number", "code", "flag", "a text"]
    assert table.target == "label"
    assert table.categories == {
        "code": ["v0", "v1"],
        "flag": ["False", "True"],
        "a text": ["v0", "v1", "v2"],
        "label": ["v0", "v1"],
    }


def test_both_files_hold_the_same_rows(tmp_path):
    table = moa.put("odd", ODD, tmp_path, 10_000)
    with table.csv.open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    assert header == [*table.features, table.target]
    head, _, data = table.arff.read_text(encoding="utf-8").partition("@data\n")
    assert [line.split(",") for line in data.splitlines()] == rows
    assert head.splitlines()[1:] == [
        "@attribute a0 numeric",
        "@attribute a1 {v0,v1}",
        "@attribute a2 {False,True}",
        "@attribute a3 {v0,v1,v2}",
        "@attribute a4 {v0,v1}",
    ]


def test_all_readers_read_the_same(table):
    events = held(moa.read_dicts, table)
    assert len(events) == table.n_rows == 400
    assert {type(value) for value in events[0][0].values()} == {float, str}
    for read in (moa.read_pandas, moa.read_polars):
        frames = held(read, table)
        assert [len(y) for _, y in frames] == [100, 100, 100, 100]
        labels = list(itertools.chain(*(y.to_list() for _, y in frames)))
        assert labels == [y for _, y in events]
        for name in table.features:
            column = list(itertools.chain(*(X[name].to_list() for X, _ in frames)))
            expected = [x[name] for x, _ in events]
            # pandas 2 reads a number but for its last digit
            assert column == (expected if name in table.categories else pytest.approx(expected))


class Parrot:
    """Says the last label that it heard."""

    label = "A"

    def predict_one(self, x):
        return self.label

    def predict_proba_many(self, X):
        kind = pd.DataFrame if hasattr(X, "iloc") else pl.DataFrame
        says = self.label == "B"
        return kind({"A": [1.0 - says] * len(X), "B": [float(says)] * len(X)})

    def learn_one(self, x, y):
        self.label = y

    def learn_many(self, X, y):
        self.label = list(y)[-1]


def test_the_accuracy_is_of_what_comes_after_the_first_frame():
    labels = ["A", "B", "B", "A", "A", "A", "B"]
    events = [({}, y) for y in labels]
    hits = [y == before for before, y in itertools.pairwise(["A", *labels])]
    assert moa.go_events(Parrot(), events, 3) == np.mean(hits[3:])
    for frame, series in ((pd.DataFrame, pd.Series), (pl.DataFrame, pl.Series)):
        cut = [labels[:3], labels[3:6], labels[6:]]
        frames = [(frame({"x": [0.0] * len(part)}), series(part)) for part in cut]
        assert moa.go_frames(Parrot(), frames, 3) == 0.0
        assert moa.go_frames(Parrot(), frames[:1] + frames, 3) == pytest.approx(2 / 7)


def test_frames_are_predicted_before_they_are_learned(table):
    """Of both kinds of frames the same is learned, and what is predicted is right."""
    for make in (moa.OWN["KDB(0)"], moa.OWN["KDB(2)"]):
        frames = held(moa.read_pandas, table)
        model, hits = make(), []
        for i, (X, y) in enumerate(frames):
            hits += [] if i == 0 else list(model.predict_many(X).to_numpy() == y.to_numpy())
            model.learn_many(X, y)
        assert moa.go_frames(make(), frames, 100) == pytest.approx(np.mean(hits))
        assert moa.go_frames(make(), held(moa.read_polars, table), 100) == np.mean(hits)


def test_slow_lanes_are_timed_once(table):
    made = []

    def make(table):
        made.append(table.name)
        return dummy.PriorClassifier()

    rows = (moa.read_dicts, list, moa.go_events)
    lanes = [moa.Lane("fast", "dicts", make, *rows), moa.Lane("slow", "dicts", make, *rows, True)]
    first = table._replace(name="first")
    runs = moa.race(table, first, lanes, 3)
    assert [sorted(run) for run in runs] == [
        ["fast, dicts", "slow, dicts"],
        ["fast, dicts"],
        ["fast, dicts"],
    ]
    # From the file and from memory; once more to get warm, if slow with the first rows only
    assert made.count("small") == 2 * (4 + 1)
    assert made.count("first") == 2
    found = {result.model for result in moa.medians("small", runs)}
    assert found == {"fast, dicts", "slow, dicts"}


def test_ratios_are_taken_within_a_run():
    own = [f"{model}, {way}" for model in moa.SINGLE for way in (moa.PANDAS, moa.POLARS)]
    rivals = [f"{m}, {w}" for m in moa.RIVALS for w in (moa.PYTHON, moa.NUMPY, moa.JAVA)]
    runs = [
        dict.fromkeys(own, moa.Times(mine, 1.0, 1.0, 1.0, 0.9))
        | dict.fromkeys(rivals, moa.Times(other, 4.0, 1.0, 1.0, 0.9))
        for mine, other in ((2.0, 4.0), (1.0, 10.0), (9.0, 10.0))
    ]
    whole, ready = (moa.ratios("s", runs, measure) for measure in ("whole", "ready"))
    assert {(r.model, r.measure) for r in whole} == set(itertools.product(own, rivals))
    assert {r.value for r in whole} == {0.5}
    assert {r.value for r in ready} == {0.25}


TINY = ["--rows", "300", "--frame-rows", "100", "--runs", "1"]


@pytest.mark.usefixtures("no_moa")
def test_without_capymoa(tmp_path, capsys):
    """One line says so, and the others run."""
    path = tmp_path / "results" / "moa.csv"
    moa.main([*TINY, "--made", "SEA", "--out", str(path)])
    said = [line for line in capsys.readouterr().out.splitlines() if "CapyMOA" in line]
    assert len(said) == 1
    assert "left out" in said[0]
    assert "pip install" in said[0]
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["section", "stream", "model", "measure", "value", "unit"]
    found = {(r["model"], r["measure"]): float(r["value"]) for r in rows if r["section"] == "race"}
    ways = (moa.DICTS, moa.PANDAS, moa.POLARS)
    names = [f"{model}, {way}" for model, way in itertools.product(moa.OWN, ways)]
    names.append(f"River's HoeffdingTree, {moa.DICTS}")
    assert set(found) == set(itertools.product(names, moa.Times._fields))
    assert min(found.values()) > 0
    assert {r["section"] for r in rows} == {"setup", "race"}


@pytest.mark.usefixtures("no_moa")
def test_files_of_ones_own(tmp_path, monkeypatch):
    monkeypatch.setattr(moa, "OWN", {"KDB(0)": moa.OWN["KDB(0)"]})
    source, out = tmp_path / "mine.csv", tmp_path / "moa.csv"
    moa.categorical(300).to_csv(source, index=False)
    moa.main([*TINY, "--csv", str(source), "--out", str(out)])
    with out.open(newline="", encoding="utf-8") as file:
        streams = {row["stream"] for row in csv.DictReader(file)}
    assert streams == {"", "mine"}


def test_with_capymoa(tmp_path):
    """Python's loop and Java's find the same, whoever reads."""
    if reason := moa.why_no_moa():
        pytest.skip(reason)
    lanes = [lane for lane in moa.moa_lanes() if not lane.slow]
    for make in (moa.agrawal, moa.segments):
        table = moa.put("small", make(400), tmp_path, 100)
        (run,) = moa.race(table, table, lanes, 1)
        for name in moa.RIVALS:
            found = [run[f"{name}, {way}"] for way in (moa.PYTHON, moa.NUMPY, moa.JAVA)]
            assert min(times.whole for times in found) > 0
            assert [times.accuracy for times in found] == pytest.approx([found[0].accuracy] * 3)
    versions = {result.measure for result in moa.moa_versions()}
    assert versions == {"capymoa", "jpype1", "java"}


@pytest.mark.parametrize(
    "arguments", [["--made", "elec"], ["--runs", "0"], ["--csv", "nowhere.csv"]]
)
def test_bad_options_say_so(arguments, capsys):
    with pytest.raises(SystemExit) as error:
        moa.parse(arguments)
    assert error.value.code == 2
    assert "error: " in capsys.readouterr().err
