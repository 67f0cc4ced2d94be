"""Streams by their names."""

from __future__ import annotations

import pytest
from river import datasets

from river_kdb.evaluate import EvaluationError, Stream, open_stream


def test_river_data_set_is_that_of_river():
    stream = open_stream("river:phishing")
    assert list(stream) == list(datasets.Phishing())
    assert stream.n_rows == 1250
    assert stream.has_true_false_labels
    assert not stream.text


def test_generator_has_a_seed_and_a_default_limit():
    stream = open_stream("synth:LED", seed=7)
    assert stream.n_rows == 10_000
    assert sum(1 for _ in stream) == 10_000
    assert list(open_stream("synth:LED", limit=20, seed=7)) == list(
        datasets.synth.LED(seed=7).take(20)
    )
    assert list(open_stream("synth:RandomRBF", limit=5)) == list(
        open_stream("synth:RandomRBF", limit=5)
    )


def test_generator_with_parameters():
    stream = open_stream("synth:LED:noise_percentage=0.1:seed=3", limit=20)
    assert list(stream) == list(datasets.synth.LED(seed=3, noise_percentage=0.1).take(20))


def test_limit_beyond_the_end():
    assert open_stream("river:Phishing", limit=99_999).n_rows == 1250


def test_nominal_features_of_a_data_set_become_text():
    stream = open_stream("synth:LED", nominal=["0", "3"], limit=5)
    assert stream.nominal == (0, 3)
    assert all(isinstance(x[0], str) and isinstance(x[1], int) for x, _ in stream)
    assert stream.text == {0, 3}


def test_file_and_limit(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,y\n1,p\n2,q\n,\n")
    assert len(list(open_stream(str(path), limit=2))) == 2
    with pytest.raises(EvaluationError, match=r"a\.csv, line 4: no value for 'y'"):
        open_stream(str(path))


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        ("river:Phising", {}, "no data set river:Phising; did you mean Phishing"),
        ("synth:Lead", {}, "no data set synth:Lead"),
        (
            "synth:LED:noise_percent=0.1",
            {},
            "no parameter 'noise_percent'; did you mean noise_percentage",
        ),
        ("synth:LED:noise_percentage=2", {}, "synth:LED:noise_percentage=2: "),
        ("river:", {}, "no data set river:"),
        ("river:TrumpApproval", {}, "not for classification but for regression"),
        ("river:SolarFlare", {}, "not for classification but for multi-output"),
        ("river:Phishing", {"limit": 0}, "limit must be at least 1"),
        ("river:Phishing", {"target": "y"}, "--target is for files"),
        ("river:Phishing", {"nominal": ["empty_server_form_handle"]}, "did you mean empty_server"),
        ("Phishing", {}, "no such file: Phishing; did you mean river:Phishing"),
    ],
)
def test_unknown(source, options, message):
    with pytest.raises(EvaluationError, match=message):
        open_stream(source, **options)


def test_remote_data_set_is_not_downloaded(tmp_path, monkeypatch):
    monkeypatch.setenv("RIVER_DATA", str(tmp_path))
    with pytest.raises(EvaluationError, match=r"not on this machine.*Elec2\(\)\.download"):
        open_stream("river:Elec2")


def test_paths(tmp_path):
    (tmp_path / "data.csv").write_text("a,y\n1,p\n")
    with pytest.raises(EvaluationError, match=r"dta\.csv; did you mean data\.csv"):
        open_stream(str(tmp_path / "dta.csv"))
    with pytest.raises(EvaluationError, match="is a folder"):
        open_stream(str(tmp_path))


def test_unknown_nominal_of_a_file(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("colour,y\n1,p\n")
    with pytest.raises(EvaluationError, match=r"no feature 'color'.*did you mean colour"):
        open_stream(str(path), nominal=["color"])


def test_first_look_at_late_features():
    events = [({"a": 1}, 0), ({"b": None}, 1), ({"b": "x", "a": True}, 0)]
    stream = Stream.look_at("s", lambda: iter(events))
    assert stream.features == ("a", "b")
    assert stream.text == {"b"}
    assert stream.has_true_false_labels
