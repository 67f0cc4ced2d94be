"""The benchmark on streams: its figures, its streams and models, and whole runs on tiny streams."""

from __future__ import annotations

import gzip
import json
import math
import random
from importlib.util import find_spec
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from river import datasets, metrics

pd = pytest.importorskip("pandas")
pytest.importorskip("scipy")
pytest.importorskip("sklearn")
typer_testing = pytest.importorskip("typer.testing")
streams = pytest.importorskip("benchmarks.streams")

from benchmarks.streaming import (  # noqa: E402
    measures,
    models,
    pictures,
    report,
    runner,
    sources,
    store,
    synthetic,
)
from river_kdb import KDBClassifier  # noqa: E402
from river_kdb.evaluate import LogLoss, ModelSpec, Stream  # noqa: E402

# Figures -----------------------------------------------------------------------------------------


def answers_of(rows):
    truth, predicted, p_true = zip(*rows, strict=True)
    return measures.Answers(np.array(truth), np.array(predicted), np.array(p_true, float))


answer_rows = st.lists(
    st.tuples(st.integers(0, 3), st.integers(-1, 3), st.floats(0.0, 1.0)), min_size=2, max_size=40
)


@settings(max_examples=40)
@given(answer_rows)
def test_figures_are_those_of_rivers_metrics(rows):
    got = measures.measure(answers_of(rows))
    named = {"accuracy": metrics.Accuracy(), "kappa": metrics.CohenKappa()}
    loss, clipped, known = LogLoss(), [], set()
    for row, (y, predicted, p_true) in enumerate(rows):
        if row:
            for metric in named.values():
                metric.update(y, predicted)
        loss.update(y, {y: p_true})
        if y in known:
            clipped.append(-math.log(max(p_true, 1e-3)))
        known.add(y)
    for name, metric in named.items():
        assert got[name] == pytest.approx(metric.get())
    if clipped:
        assert got["log_loss"] == pytest.approx(loss.get())
        assert got["log_loss_clipped"] == pytest.approx(np.mean(clipped))
    else:
        assert math.isnan(got["log_loss"])


@settings(max_examples=40)
@given(answer_rows)
def test_macro_f1_is_rivers(rows):
    answers = answers_of([(y, max(p, 0), q) for y, p, q in rows])
    metric = metrics.MacroF1()
    for y, p in zip(answers.truth[1:], answers.predicted[1:], strict=True):
        metric.update(y, p)
    assert measures.measure(answers)["macro_f1"] == pytest.approx(metric.get())


def test_without_a_prediction_or_a_number_the_answer_is_wrong():
    rows = [(0, -1, 0.0), (0, 0, 1.0), (0, -1, 0.0), (0, 0, math.nan), (1, 0, 0.0)]
    got = measures.measure(answers_of(rows))
    assert got["accuracy"] == 0.5
    assert got["macro_f1"] == pytest.approx((4 / 6 + 0) / 2)
    assert got["log_loss"] == pytest.approx(-2 * math.log(1e-15) / 3)
    assert got["log_loss_clipped"] == pytest.approx(-2 * math.log(1e-3) / 3)


def test_kappa_temporal():
    assert measures.kappa_temporal(0.8, 0.6) == pytest.approx(0.5)
    assert math.isnan(measures.kappa_temporal(1.0, 1.0))
    truth = np.array([0, 0, 1, 1, 0, 1])
    before = np.append(-1, truth[:-1])
    answers = measures.Answers(truth, before, np.zeros(6))
    assert measures.measure(answers)["kappa_temporal"] == 0.0


@settings(max_examples=30)
@given(st.integers(1, 5000))
def test_checkpoints_rise_to_the_last_row(n_rows):
    rows = measures.checkpoints(n_rows)
    assert rows[0] >= 1
    assert rows[-1] == n_rows
    assert (np.diff(rows) > 0).all()
    assert len(rows) <= 1.5 * measures.POINTS


def test_a_curve_is_the_figures_of_the_first_rows():
    rng = np.random.default_rng(3)
    answers = measures.Answers(rng.integers(0, 3, 90), rng.integers(0, 3, 90), rng.random(90))
    curve = measures.course(answers, measures.checkpoints(120, 20))
    assert curve.rows[-1] == 90
    for i, row in enumerate(curve.rows[1:], start=1):
        got = measures.measure(measures.Answers(*(column[:row] for column in answers)))
        for name in ("accuracy", "log_loss", "log_loss_clipped"):
            assert getattr(curve, name)[i] == pytest.approx(got[name], abs=1e-6, nan_ok=True)
        part = slice(max(curve.rows[i - 1], 1), row)
        hits = answers.truth[part] == answers.predicted[part]
        assert curve.windowed[i] == pytest.approx(hits.mean(), abs=1e-6)


def test_the_windowed_accuracy_of_a_picture_is_that_of_the_events_before():
    rng = np.random.default_rng(5)
    answers = measures.Answers(rng.integers(0, 2, 400), rng.integers(0, 2, 400), rng.random(400))
    curve = measures.course(answers, measures.checkpoints(400))._asdict()
    at, accuracy = report.windowed(curve, 400, points=20, width=5)
    hits = answers.truth == answers.predicted
    assert at.tolist() == list(range(20, 401, 20))
    for row, got in zip(at[5:], accuracy[5:], strict=True):
        # Rows of a curve leave the first event out, so the sum may be off by one event
        assert got == pytest.approx(hits[int(row) - 100 : int(row)].mean(), abs=0.011)


# Streams -----------------------------------------------------------------------------------------

GENERATORS = {generator.name: generator for generator in synthetic.generators()}


def accuracy(model, events):
    return np.mean([model.predict_one(x) == y for x, y in events])


@pytest.mark.parametrize("name", GENERATORS)
def test_concepts_repeat_and_differ(name):
    first = list(islice(GENERATORS[name].first(), 2000))
    second = list(islice(GENERATORS[name].second(), 2000))
    assert first[:20] == list(islice(GENERATORS[name].first(), 20))
    assert second[:20] == list(islice(GENERATORS[name].second(), 20))
    assert list(first[0][0]) == list(second[0][0])
    learned = []
    for events in (first, second):
        model = KDBClassifier(k=1)
        for x, y in events[:1500]:
            model.learn_one(x, y)
        learned.append(accuracy(model, second[1500:]))
    assert learned[0] < learned[1] - 0.04


def test_drifts_are_where_they_are_said_to_be():
    made = synthetic.Generator(
        "made",
        "made",
        lambda: (({"i": i}, "first") for i in range(10_000)),
        lambda: (({"i": i}, "second") for i in range(10_000)),
    )
    assert {y for _, y in synthetic.drifting(made, "plain", 100)} == {"first"}
    abrupt = synthetic.drifting(made, "abrupt", 101)
    assert [y for _, y in abrupt] == ["first"] * 50 + ["second"] * 51
    gradual = synthetic.drifting(made, "gradual", 2000)
    assert gradual == synthetic.drifting(made, "gradual", 2000)
    is_second = np.array([y == "second" for _, y in gradual])
    assert not is_second[:700].any()
    assert is_second[1300:].all()
    assert 0.4 < is_second[950:1050].mean() < 0.6
    for label in ("first", "second"):  # no event is lost
        numbers = [x["i"] for x, y in gradual if y == label]
        assert numbers == list(range(len(numbers)))


def test_permuted_features_keep_their_order():
    plain = list(islice(GENERATORS["LED"].first(), 30))
    moved = list(islice(GENERATORS["LED"].second(), 30))
    for (x, y), (z, label) in zip(plain, moved, strict=True):
        assert (y, list(x), sum(x.values())) == (label, list(z), sum(z.values()))
    assert plain != moved


def write_set(folder, name, n_rows):
    rng = random.Random(name)
    lines = ["number,digit,empty,class"]
    for row in range(n_rows):
        label = rng.choice("ab")
        number = "" if row % 10 == 9 else f"{rng.gauss(label == 'a', 1.0):.3f}"
        lines.append(f"{number},{rng.choice('12') if row % 7 else ''},{'x' if row > 40 else ''}")
        lines[-1] += f",{label}"
    with gzip.open(folder / f"{name}.csv.gz", "wt", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    return f"{name},{n_rows},3,2,number,nowhere,yes"


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    for part, name in (("streams", "elec2"), ("uci", "car")):
        (folder / part).mkdir()
        head = "name,instances,attributes,classes,numeric_columns,source,matches_paper"
        lines = [head, write_set(folder / part, name, 60)]
        (folder / part / "MANIFEST.csv").write_text("\n".join(lines), encoding="utf-8")
    return folder


def test_sets_are_read_as_the_manifest_says(data):
    found, missing = sources.read_sources(data, 100, None)
    by_name = {source.name: source for source in found}
    assert "car" not in missing
    assert "nursery" in missing
    assert len(missing) == len(sources.REAL) + len(sources.SHUFFLED) - 2
    stream = by_name["elec2"].make()
    events = list(stream)
    assert events == list(stream)
    assert len(events) == stream.n_rows == 60
    assert stream.text == {"digit", "empty"}
    assert isinstance(events[1][0]["number"], float)
    assert events[9][0]["number"] is None
    assert events[7][0]["digit"] is None
    assert [x["empty"] for x, _ in events[40:42]] == [None, "x"]
    shuffled = list(by_name["car"].make())
    ordered = list(sources.read_stream(by_name["car"].make.__closure__[0].cell_contents, 60))
    assert shuffled != ordered
    assert sorted(map(str, shuffled)) == sorted(map(str, ordered))


def test_streams_have_one_order(data):
    found, missing = sources.read_sources(data, 100, None)
    names = [name for name in sources.stream_names() if name not in missing]
    assert [source.name for source in found] == names


def test_streams_are_cut_and_run_the_plain_ones_first(data):
    found, _ = sources.read_sources(data, 5000, 50)
    assert {source.n_rows for source in found} == {50}
    drifts = [source.drift for source in found]
    assert drifts == sorted(drifts, key=lambda drift: drift != "plain")
    assert [s.name for s in found[:5]] == ["Phishing", "ImageSegments", "Bananas", "elec2", "car"]
    whole = list(datasets.Phishing())
    assert list(found[0].make()) == whole[:50]
    car = next(source for source in found if source.name == "car")
    assert len(list(car.make())) == 50


# Models ------------------------------------------------------------------------------------------


def mixed_stream():
    rng = random.Random(1)
    events = []
    for i in range(60):
        y = rng.choice(["a", "b", "c"])
        x = {"n": None if i % 9 == 8 else rng.gauss("abc".index(y), 1), "t": rng.choice([y, "z"])}
        events.append((x, y))
    return Stream.look_at("mixed", lambda: events, 60)


@pytest.mark.parametrize("name", models.PEERS)
def test_peers_take_any_stream(name):
    chosen = models.contender(name)
    stream = mixed_stream()
    run = runner.go_over(chosen.spec(stream), stream, 20)
    assert len(run.answers.truth) == 60
    assert (run.answers.predicted[1:] >= 0).all()
    assert run.peak_memory > 0
    assert not chosen.own
    assert chosen.version.startswith("river ")


def test_names_that_are_not_listed():
    assert models.contender("kdf:k=1").own
    assert not models.contender("river:GaussianNB").own
    (spec,) = [models.contender("nb").spec(mixed_stream())]
    assert isinstance(spec.make(), KDBClassifier)


# Runs --------------------------------------------------------------------------------------------


class Slow:
    """Gives the class of two events before, and burns CPU time."""

    def __init__(self):
        self.seen = ["?", "?"]

    def predict_proba_one(self, x):
        sum(range(30_000))
        return {self.seen[-2]: 0.75, self.seen[-1]: 0.25}

    def learn_one(self, x, y):
        self.seen.append(y)


def test_a_run_ends_when_its_time_is_up():
    events = [({"a": i}, "xy"[i % 2]) for i in range(100_000)]
    run = runner.go_over(ModelSpec("slow", Slow), events, 0.05)
    n_rows = len(run.answers.truth)
    assert 2 <= n_rows < 2000
    assert run.predict_ns + run.learn_ns >= 0.05e9
    assert (run.answers.predicted[2:] == run.answers.truth[2:]).all()
    assert run.answers.p_true[2:].tolist() == [0.75] * (n_rows - 2)


def task_of(name, seconds=20.0, n_rows=300):
    (source,) = (s for s in sources.read_sources(None, n_rows, n_rows)[0] if s.name == "Phishing")
    return runner.Task(source, models.contender(name), seconds)


def test_a_record():
    record = runner.do(task_of("nb"))
    assert record["status"] == "ok"
    assert record["rows_done"] == record["rows_in_stream"] == 300
    assert record["accuracy"] > 0.8
    assert record["predict_us"] > 0
    assert record["versions"]["river"]
    text = json.dumps(record)
    assert json.dumps(json.loads(text)) == text


def test_what_a_model_raises_is_a_record(monkeypatch):
    def failing(stream):
        def make():
            raise OverflowError("too  much")

        return ModelSpec("failing", make)

    task = task_of("nb")
    failed = runner.do(task._replace(contender=task.contender._replace(spec=failing)))
    assert (failed["status"], failed["message"]) == ("failed", "OverflowError: too much")


def test_the_store(tmp_path):
    kept = store.Store(tmp_path / "deep")
    key = store.Key("a b/c", "kdb:k=1", "p", "v 1", 10, 2.0)
    assert not kept.is_done(key)
    assert kept.records() == []
    kept.add({**key._asdict(), "status": "failed"})
    assert not kept.is_done(key)
    kept.add({**key._asdict(), "status": "ok"})
    assert kept.is_done(key)
    assert not kept.is_done(key._replace(version="v 2"))
    (tmp_path / "deep" / "half.1.part").write_text('{"stream"')  # as an interruption leaves it
    assert [record["status"] for record in kept.records()] == ["ok"]


def invoke(*arguments, code=0):
    result = typer_testing.CliRunner().invoke(streams.app, [str(a) for a in arguments])
    assert result.exit_code == code, result.output
    return result.output


def test_a_run_a_resumption_and_a_report(data, tmp_path, monkeypatch):
    monkeypatch.setitem(models.OWN, "mixture", "kdb:k=1")
    folder = tmp_path / "records"
    chosen = ("--streams", "Phishing,elec2,car,Sine,Sine-abrupt,nursery", "--max-rows", 200)
    names = ("--models", "mixture,NoChange,HT,ARF")
    base = ("--data", data, *chosen, "--store", folder)
    text = invoke(*base, *names)
    assert "sets not found (--data): chess-games" in text
    assert "20 tasks, 0 of them done before" in text
    assert len(list(folder.iterdir())) == 20
    assert "20 tasks, 20 of them done before" in invoke(*base, *names)
    assert "20 tasks, 15 of them done before" in invoke(*base, *names, "--again", "HT")
    text = invoke(*base, "--models", "kdb:nonsense=1,nb,NoChange")
    assert "kdb:nonsense=1 is left out" in text
    assert "10 tasks, 5 of them done before" in text

    if find_spec("scikit_posthocs") is None:  # of the extra bench, which draws the diagrams
        monkeypatch.setattr(
            pictures, "critical_difference_diagram", lambda *given: given[-1].touch()
        )
    written = tmp_path / "written"
    text = invoke("report", "--store", folder, "--write", written)
    assert "Mean ranks: log loss" in text
    assert "log loss of mixture better than that of every River classifier" in text
    assert "time as a share of ARF's" in text
    table = pd.read_csv(written / "results.csv")
    assert len(table) == 25
    assert table["group"].unique().tolist() == ["real", "shuffled", "plain", "abrupt"]
    page = (written / "report.md").read_text()
    assert "| Phishing | 200 of 200 |" in page
    assert "**" in page
    drawn = {path.name for path in written.glob("*.png")}
    assert drawn == {
        *("curves_real.png", "curves_shuffled.png", "curves_rules.png"),
        *("ranks_accuracy.png", "ranks_log_loss.png", "time.png"),
    }
    text = invoke("report", "--store", folder, "--models", "NoChange,HT,nb")
    assert "mixture" not in text
    assert "no records" in invoke("report", "--store", tmp_path / "none", code=2)


def test_an_interruption_keeps_what_is_finished(tmp_path, monkeypatch):
    done = []

    def interrupted(task, moved):
        if done:
            raise KeyboardInterrupt
        done.append(task.contender.name)
        return runner.do(task, moved)

    base = ("--streams", "Phishing", "--max-rows", 50, "--store", tmp_path)
    base = (*base, "--models", "Majority,NoChange")
    with monkeypatch.context() as patched:
        patched.setattr(streams, "do", interrupted)
        assert "stopped" in invoke(*base, code=130)
    assert [record["model"] for record in store.Store(tmp_path).records()] == ["Majority"]
    assert "2 tasks, 1 of them done before" in invoke(*base)


def test_what_cannot_be_asked_for(data, tmp_path):
    assert "no stream Sin" in invoke("--streams", "Sin", "--store", tmp_path, code=2)
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "holds no sets" in invoke("--data", empty, "--store", tmp_path, code=2)


# The report --------------------------------------------------------------------------------------


def record_of(stream, model, accuracy, loss, rows=(10, 20), **changes):
    curve = {
        "rows": list(rows),
        "accuracy": [accuracy] * len(rows),
        "log_loss": [loss] * len(rows),
        "log_loss_clipped": [loss] * len(rows),
    }
    record = {
        "stream": stream,
        "model": model,
        "seconds": 20.0,
        "rows_in_stream": 20,
        "status": "ok",
        "family": "real",
        "drift": "plain",
        "own": model == "mixture",
        "rows_done": rows[-1],
        "predict_us": 1.0,
        "learn_us": 3.0,
        "peak_memory": 2**20,
        "versions": {"river": "1"},
        "curve": curve,
        "message": "",
    }
    return record | changes


KINDS = ("mixture", "ARF", "HT")


def made_records():
    records = []
    for i in range(6):
        name = f"s{i}"
        records += [
            record_of(name, "mixture", 0.9, 0.2 if i < 4 else 0.6, learn_us=1.0),
            record_of(name, "ARF", 0.8 + 0.04 * i, 0.5, rows=(10,) if i == 1 else (10, 20)),
            record_of(name, "HT", 0.7, 0.4),
        ]
    return records


def test_models_are_compared_at_equal_rows():
    records = [
        *made_records(),
        record_of("s0", "kNN", 0.1, 9.0, rows=(10,)),
        record_of("s6", "HT", 0.1, 9.0),
        *(record_of("s7", name, 0.1, 9.0, (10,), drift="abrupt") for name in KINDS),
    ]
    compared = report.compare(report.read_records(records))
    assert compared.rows.to_dict() == {"s0": 20, "s1": 10, **{f"s{i}": 20 for i in range(2, 6)}}
    assert list(compared.own[compared.own].index) == ["mixture"]
    assert compared.notes == [
        "on few streams, and left out: kNN",
        "streams without all models, left out: s6",
        "the drift not behind all models, left out: s7",
    ]
    assert report.against_all(compared, "log_loss").endswith("4 of 6 streams (66.7%)")
    assert report.against_all(compared, "accuracy").endswith("3 of 6 streams (50.0%)")
    section = report.duel_section(compared, report.read_records(records))
    duels = section.table.set_index("model")
    assert duels.loc["HT", "log loss: W/D/L"] == "4/0/2"
    assert duels.loc["ARF", "accuracy: W/D/L"] == "3/0/3"
    assert duels.loc["ARF", "time, median of shares"] == 0.5
    ranks = report.rank_section(compared, "log_loss").table.set_index("model")
    assert ranks.loc["mixture", "all"] == f"{(4 * 1 + 2 * 3) / 6:.2f}"


def test_the_last_record_of_the_most_events_counts():
    records = [
        record_of("s", "HT", 0.5, 1.0),
        record_of("s", "HT", 0.6, 1.0),
        record_of("s", "HT", 0.7, 1.0, drift="abrupt", family="LED", seconds=90.0),
        record_of("s", "HT", 0.8, 1.0, rows_in_stream=10),
    ]
    (line,) = report.read_records(records).to_dict("records")
    assert line["curve"]["accuracy"][0] == 0.7
    assert line["group"] == "abrupt"
    assert report.read_records([]).empty


def test_what_failed_is_listed_and_its_stream_left_out():
    records = made_records()
    records[1] |= {"status": "failed", "message": "ValueError: no", "curve": math.nan}
    frame = report.read_records(records)
    compared = report.compare(frame)
    assert "s0" not in compared.rows.index
    failed = report.make_report(frame, compared)[-1]
    assert failed.table.to_numpy().tolist() == [["s0", "ARF", "ValueError: no"]]
