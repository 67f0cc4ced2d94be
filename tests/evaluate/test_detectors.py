"""River's drift detectors by their names, and what the models make of them."""

from __future__ import annotations

import pytest
from river import drift

from river_kdb.evaluate import (
    Evaluation,
    EvaluationError,
    Stream,
    draw_curves,
    make_detector,
    make_models,
    open_stream,
    write_results,
)
from river_kdb.evaluate.detectors import drift_detectors

LED = open_stream("synth:LED", limit=20)


def flipping():
    """Return a stream of 600 events whose labels change places after half of them."""
    return Stream.look_at(
        "flipping", lambda: (({"a": i % 2}, "pq"[(i + (i >= 300)) % 2]) for i in range(600))
    )


def test_all_detectors_of_river_are_known():
    assert {"ADWIN", "KSWIN", "PageHinkley", "NoDrift", "DummyDriftDetector"} <= set(
        drift_detectors()
    )
    for name in ("DDM", "EDDM", "FHDDM", "HDDM_A", "hddm_w", "ADWIN", "page_hinkley", "noDrift"):
        assert type(make_detector(name)).__name__.lower() == name.replace("_", "").lower()


def test_parameters_and_seed():
    assert make_detector("ADWIN:delta=0.001").delta == 0.001
    assert make_detector("kswin : window_size=50", seed=7).window_size == 50
    assert make_detector("kswin", seed=7).seed == 7
    assert make_detector("KSWIN:seed=8", seed=7).seed == 8


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ADWN", "no drift detector 'ADWN'; did you mean ADWIN"),
        ("HDDM_B", "no drift detector 'HDDM_B'; did you mean HDDM"),
        ("zzz", r"no drift detector 'zzz' \(there are ADWIN, "),
        ("DriftRetrainingClassifier", "no drift detector"),
        ("", "no drift detector ''"),
        ("ADWIN:dleta=1", "ADWIN:dleta=1: no parameter 'dleta'; did you mean delta"),
        ("ADWIN:delta", "not of the form parameter=value"),
        ("KSWIN:alpha=7", "KSWIN:alpha=7: "),
    ],
)
def test_bad_detectors(text, message):
    with pytest.raises(EvaluationError, match=message):
        make_detector(text)


def test_what_is_set_for_all_models():
    detector = drift.ADWIN()
    names = ["kdb", "kdb:half_life=500:drift_detector=None", "tan:drift_detector=hddm_w", "mixture"]
    common = {"drift_detector": detector, "half_life": 50.0}
    kdb, other, tan, mixture = make_models(names, LED, common=common)
    assert kdb.make().drift_detector is detector
    assert kdb.make().half_life == 50
    assert (other.make().drift_detector, other.make().half_life) == (None, 500)
    assert (type(tan.make().drift_detector).__name__, tan.make().half_life) == ("HDDMW", 50)
    assert mixture.make().drift_detector is detector
    assert [spec.lacks for spec in (kdb, other, tan, mixture)] == [(), (), (), ("half_life",)]
    (river,) = make_models(["river:ARFClassifier"], LED, common=common)
    assert river.lacks == ()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("kdb:drift_detector=ADWN", "no drift detector 'ADWN'"),
        ("kdb:drift_detector=5", "kdb:drift_detector=5: .*must be a drift detector"),
        ("kdb:drift_detector=ADWIN:half_life=0", "half_life must be"),
    ],
)
def test_bad_settings_of_a_model(name, message):
    with pytest.raises(EvaluationError, match=message):
        make_models([name], LED)


def test_results_tell_the_drifts(tmp_path):
    stream = flipping()
    names = ["nb:drift_detector=ADWIN", "nb:drift_detector=NoDrift", "nb", "river:ARFClassifier"]
    results = Evaluation(stream, names, ["accuracy"]).run()
    assert [result.drifts for result in results] == [1, 0, None, None]
    (event,) = results[0].drift_events
    assert 300 < event < 400
    assert [result.drift_events for result in results[1:]] == [[], [], []]
    write_results(tmp_path / "results.csv", "flipping", results)
    lines = (tmp_path / "results.csv").read_text().splitlines()
    assert lines[0].endswith("peak_memory_bytes,drifts,drift_events,error")
    assert [line.split(",")[-3:] for line in lines[1:]] == [
        ["1", str(event), ""],
        ["0", "", ""],
        ["", "", ""],
        ["", "", ""],
    ]


def test_curves_have_ticks_where_drifts_were_detected():
    same_color = pytest.importorskip("matplotlib.colors").same_color
    names = ["river:PriorClassifier", "nb:drift_detector=ADWIN", "nb"]
    results = Evaluation(flipping(), names, ["accuracy", "logloss"]).run()
    figure = draw_curves(results, "flipping")
    for axes in figure.axes:
        (ticks,) = axes.collections
        assert [path.vertices[0, 0] for path in ticks.get_paths()] == results[1].drift_events
        assert same_color(ticks.get_colors()[0], axes.lines[1].get_color())
    assert "drifts" in figure.axes[-1].get_xlabel()
    plain = draw_curves([results[0], results[2]])
    assert not any(axes.collections for axes in plain.axes)
    assert plain.axes[-1].get_xlabel() == "events"
