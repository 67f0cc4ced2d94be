"""The command that consumes: what it says where it can't, and the model it starts with."""

from __future__ import annotations

from inspect import signature

import pytest

pytest.importorskip("typer")
pytest.importorskip("redis")
pytest.importorskip("prometheus_client")

from typer.testing import CliRunner

from river_kdb import KDBClassifier
from river_kdb.cli.app import app
from river_kdb.consume import Consumer, Progress

NEEDED = ["--stream", "events", "--target", "class", "--checkpoint", "model.ckpt"]


@pytest.fixture
def run():
    # Older versions mix the two outputs unless told not to
    apart = {"mix_stderr": False} if "mix_stderr" in signature(CliRunner).parameters else {}
    runner = CliRunner(**apart)

    def invoke(*arguments, url="redis://localhost"):
        return runner.invoke(app, ["consume", url, *NEEDED, *map(str, arguments)])

    return invoke


@pytest.fixture
def made(monkeypatch):
    """Have consumers end at once; they are in the list."""
    consumers = []

    def run_at_once(consumer):
        consumers.append(consumer)
        return Progress(events=1234, learned=1200, accuracy=0.75, log_loss=0.5, dead_labels=2)

    monkeypatch.setattr(Consumer, "run", run_at_once)
    return consumers


def test_all_options(run, made, tmp_path):
    result = run(
        "--group", "g", "--predictions", "p", "--dead-letters", "d", "--labels", "l",
        "--field", "json", "--id", "key", "--max-waiting", 7, "--every", 8, "--batch", 9,
        "--block", 10, "--metrics-port", 0, "--stop-after", 11, "--idle", 1.5, "--consumer", "c",
        "--lock", 2, "--model", "tan:half_life=50", "--nominal", "a, b",
    )  # fmt: skip
    assert result.exit_code == 0, result.stderr
    assert "1,234 events, 1,200 learned, accuracy 0.7500" in result.stdout
    assert "2 dead letters" in result.stdout
    (consumer,) = made
    told = consumer.settings
    assert (told.url, told.stream, told.group, told.target) == (
        "redis://localhost", "events", "g", "class",
    )  # fmt: skip
    assert (told.predictions, told.dead_letters, told.labels) == ("p", "d", "l")
    assert (told.field, told.id_field, told.consumer) == ("json", "key", "c")
    assert (told.max_waiting, told.every, told.batch, told.block_ms) == (7, 8, 9, 10)
    assert (told.metrics_port, told.stop_after, told.idle, told.lock_seconds) == (0, 11, 1.5, 2)
    model = consumer._make_model()
    assert type(model).__name__ == "TANClassifier"
    assert (model.half_life, model.nominal_attributes) == (50, ["a", "b"])


def test_defaults(run, made):
    assert run().exit_code == 0
    assert made[0]._make_model().k == 2
    assert made[0].settings.every == 10_000


def test_a_saved_model(run, made, tmp_path):
    model = KDBClassifier(k=1)
    for i in range(30):
        model.learn_one({"a": i % 3}, i % 2)
    model.save(tmp_path / "model")
    assert run("--load", tmp_path / "model").exit_code == 0
    assert made[0]._make_model().to_bytes() == model.to_bytes()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--model", "kdbb"], "no model 'kdbb'; did you mean kdb"),
        (["--model", "kdb:kk=2"], "no parameter 'kk'"),
        (["--model", "river:GaussianNB"], "a checkpoint keeps this package's models only"),
        (["--load", "x", "--model", "kdb"], "--load brings its model along"),
        (["--load", "/nowhere/at/all"], "/nowhere/at/all"),
        (["--load", __file__], "test_consume.py"),
        (["--batch", "0"], "batch must be at least 1, not 0"),
        (["--idle", "nan"], "idle must be a number of seconds above 0"),
    ],
)
def test_what_can_not_be_used(run, made, options, message):
    result = run(*options)
    assert result.exit_code == 2
    assert message in result.stderr.splitlines()[-1]
    assert not made


def test_no_server(run):
    result = run(url="unix:///nowhere/at.all")
    assert result.exit_code == 2
    assert result.stderr.startswith("river-kdb: no Redis server at unix:///nowhere/at.all: ")


def test_without_the_extra(run, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    result = run()
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1] == (
        "river-kdb: consume needs redis and prometheus-client, not installed here: "
        'pip install "river-kdb[redis]"'
    )
