"""Test-then-train."""

from __future__ import annotations

import gc
import itertools

import numpy as np
import pytest
from river import datasets, dummy, metrics, naive_bayes, tree
from river import evaluate as river_evaluate

from river_kdb.evaluate import (
    Evaluation,
    EvaluationError,
    Listener,
    ModelSpec,
    Stream,
    memory_usage,
    open_stream,
)


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("river:GaussianNB", naive_bayes.GaussianNB),
        ("river:HoeffdingTreeClassifier", tree.HoeffdingTreeClassifier),
        ("river:NoChangeClassifier", dummy.NoChangeClassifier),
    ],
)
def test_as_progressive_val_score(name, model):
    evaluation = Evaluation(open_stream("river:Phishing"), [name], ["accuracy", "kappa", "rocauc"])
    (result,) = evaluation.run()
    for metric in (metrics.Accuracy(), metrics.CohenKappa(), metrics.ROCAUC()):
        river_evaluate.progressive_val_score(datasets.Phishing(), model(), metric)
        mine = next(m for m in result.metrics.values() if type(m) is type(metric))
        assert mine.get() == pytest.approx(metric.get(), abs=1e-12)
    assert (result.state, result.rows) == ("finished", 1250)
    assert result.predict_us > 0
    assert result.learn_us > 0
    assert result.peak_memory > 0


class Recorder:
    """A model that notes what it is asked and told."""

    def __init__(self, log, fails_at=None):
        self.log = log
        self.fails_at = fails_at
        self.n = 0

    def predict_proba_one(self, x):
        self.log.append(("predict", x["i"]))
        return {"a": 0.5, "b": 0.5}

    def learn_one(self, x, y):
        self.n += 1
        if self.n == self.fails_at:
            raise RuntimeError("too\nmuch")
        self.log.append(("learn", x["i"]))


def counting_stream(n, label="ab"):
    return Stream.look_at("n", lambda: (({"i": i}, label[i % 2]) for i in range(n)))


def test_each_event_is_predicted_once_then_learned():
    log = []
    spec = ModelSpec("recorder", lambda: Recorder(log))
    Evaluation(counting_stream(5), [spec], ["accuracy"]).run()
    assert log == [(what, i) for i in range(5) for what in ("predict", "learn")]


def test_every_model_reads_the_stream_from_its_start():
    evaluation = Evaluation(
        open_stream("synth:LED", limit=200), ["river:GaussianNB", "river:PriorClassifier"]
    )
    assert [result.rows for result in evaluation.run()] == [200, 200]


def test_a_model_that_fails_does_not_stop_the_others():
    log = []
    specs = [
        ModelSpec("fragile", lambda: Recorder(log, fails_at=3)),
        ModelSpec("sound", lambda: Recorder(log)),
    ]
    fragile, sound = Evaluation(counting_stream(5), specs, ["accuracy"]).run()
    assert (fragile.state, fragile.rows) == ("failed", 2)
    assert fragile.error == "at event 3: RuntimeError: too much"
    assert (sound.state, sound.rows) == ("finished", 5)


def test_a_model_without_probabilities():
    class LabelsOnly(Recorder):
        def predict_proba_one(self, x):
            raise NotImplementedError

        def predict_one(self, x):
            return "a" if self.n else None

    spec = ModelSpec("labels", lambda: LabelsOnly([]))
    (result,) = Evaluation(counting_stream(11), [spec], ["accuracy", "logloss"]).run()
    assert result.values["accuracy"] == 0.5  # the first event is not predicted
    assert result.labels_only
    assert result.state == "finished"


def test_confusion_and_calibration_are_of_the_events_predicted():
    (result,) = Evaluation(counting_stream(11), ["river:NoChangeClassifier"]).run()
    assert result.confusion["a"]["b"] == result.confusion["b"]["a"] == 5
    assert result.confusion.n_samples == result.calibration.n_events == 10
    assert (result.calibration.error, result.calibration.brier) == (1.0, 2.0)
    assert not result.labels_only
    assert result.seconds >= (result.predict_ns + result.learn_ns) / 1e9


def test_interrupted_in_the_second_model():
    passes = []

    def rows():
        passes.append(1)
        for i in range(100):
            if len(passes) == 3 and i == 40:  # the first pass is the first look
                raise KeyboardInterrupt
            yield {"i": i}, "ab"[i % 2]

    stream = Stream.look_at("n", rows)
    specs = [ModelSpec(name, lambda: Recorder([])) for name in ("one", "two", "three")]
    evaluation = Evaluation(stream, specs, ["accuracy"])
    with pytest.raises(KeyboardInterrupt):
        evaluation.run()
    assert [(r.name, r.state, r.rows) for r in evaluation.results] == [
        ("one", "finished", 100),
        ("two", "running", 40),
    ]
    assert evaluation.results[1].curve.rows[-1] == 40


def test_a_stream_that_breaks_off():
    def rows():
        yield {"i": 0}, "a"
        raise EvaluationError("line 2: no")

    evaluation = Evaluation(
        Stream("s", rows, labels=frozenset("a")),
        [ModelSpec("r", lambda: Recorder([]))],
        ["accuracy"],
    )
    with pytest.raises(EvaluationError, match="line 2"):
        evaluation.run()
    assert evaluation.results[0].rows == 1


def test_listener_hears_of_everything():
    heard = []

    class Ear(Listener):
        def started(self, result, n_rows):
            heard.append(("started", result.name, n_rows))

        def moved(self, result):
            heard.append("moved")

        def ended(self, result):
            heard.append(("ended", result.rows))

    stream = counting_stream(10)
    specs = [ModelSpec(name, lambda: Recorder([])) for name in ("one", "two")]
    Evaluation(stream, specs, ["accuracy"], Ear()).run()
    told = [event for event in heard if event != "moved"]
    # What the first model found out about the length is told to the second
    assert told == [("started", "one", None), ("ended", 10), ("started", "two", 10), ("ended", 10)]
    assert "moved" in heard


def test_curves_stay_short_and_end_at_the_end():
    stream = counting_stream(5003)
    (result,) = Evaluation(
        stream, [ModelSpec("r", lambda: Recorder([]))], ["accuracy", "kappa"]
    ).run()
    rows = result.curve.rows
    assert 200 <= len(rows) <= 401
    assert rows[-1] == 5003
    assert len({b - a for a, b in itertools.pairwise(rows[:-1])}) == 1
    assert all(len(values) == 2 for values in result.curve.values)


def test_own_models_are_tried_on_a_throwaway_first():
    made = []

    def make():
        made.append(Recorder([]))
        return made[-1]

    (result,) = Evaluation(
        counting_stream(400), [ModelSpec("r", make, own=True)], ["accuracy"]
    ).run()
    assert [model.n for model in made] == [250, 400]
    assert result.model is made[1]


def test_bad_metric_is_told_before_anything_runs():
    with pytest.raises(EvaluationError, match="no metric"):
        Evaluation(counting_stream(3), ["river:GaussianNB"], ["nope"])


def test_memory_counts_arrays_once():
    class Holder:
        pass

    holder = Holder()
    empty = memory_usage(holder)
    holder.table = np.zeros(100_000)
    holder.again = holder.table
    assert 800_000 < memory_usage(holder) - empty < 802_000
    holder.again = holder.table[:10]
    assert 800_000 < memory_usage(holder) - empty < 802_000
    view_only = Holder()
    view_only.view = np.zeros(100_000)[:10]
    assert 800_000 < memory_usage(view_only) < 803_000
    del holder
    gc.collect()
