"""The consumer and a real server."""

from __future__ import annotations

import json
import random
import re
import signal
import time
import urllib.request

import pytest

pytest.importorskip("redis")

from river_kdb.consume import ConsumeError, Consumer, EntryFormat, Loop
from river_kdb.consume.entry import Entry, read_id
from tests.consume import servers
from tests.consume.servers import needs_server

pytestmark = needs_server


@pytest.fixture
def server():
    with servers.running_server() as running:
        yield running


@pytest.fixture
def client(server):
    with servers.client_of(server) as connected:
        yield connected


def consume(server, folder, **changes):
    return Consumer(servers.settings_of(server, folder, **changes), servers.make_model).run()


def test_as_the_plain_loop_in_two_runs(server, client, tmp_path):
    made = servers.rows(700)
    servers.send(client, "events", servers.with_labels(made))
    first = consume(server, tmp_path, stop_after=330)
    assert (first.events, first.learned) == (330, 330)
    assert client.xpending("events", "river-kdb")["pending"] == 20  # read, and not dealt with
    second = consume(server, tmp_path)
    model, predicted = servers.plain_loop(made)
    assert servers.kept_model(tmp_path).to_bytes() == model.to_bytes()
    servers.check_predictions(client, predicted)
    hits = [bool(p) and max(p, key=p.get) == y for p, (_, y) in zip(predicted, made, strict=True)]
    assert second.accuracy == sum(hits) / 699
    assert (second.events, second.relearns) == (700, model.n_relearns)
    assert client.xpending("events", "river-kdb")["pending"] == 0
    assert client.xlen("events") == 700
    assert not client.exists("river-kdb:events:river-kdb:lock")


def test_bad_entries_become_dead_letters_and_stop_nothing(server, client, tmp_path):
    made = servers.rows(40)
    bad = [b"{", b"[1]", b"\xff", {"a": 1}, {"class": None}, {"class": "UP", "a": [1]}]
    keys = servers.send(client, "events", bad[:3] + servers.with_labels(made) + bad[3:])
    flat = client.xadd("events", {"a": "1", b"\xfe": b"\xff", "class": "UP"})
    progress = consume(server, tmp_path)
    assert (progress.dead_events, progress.learned, progress.events) == (7, 40, 47)
    letters = client.xrange("events:dead")
    assert [key for key, _ in letters] == [*keys[:3], *keys[-3:], flat]
    assert [re.split("[:']", fields[b"reason"].decode())[0] for _, fields in letters] == [
        "not JSON", "not a JSON object, but a list", "not UTF-8", "no target ", "the target ",
        "feature ", "no field ",
    ]  # fmt: skip
    assert [fields[b"data"] for _, fields in letters[:3]] == bad[:3]
    assert json.loads(letters[-1][1][b"data"]) == {"a": "1", "\\xfe": "\\xff", "class": "UP"}
    assert {fields[b"stream"] for _, fields in letters} == {b"events"}
    assert servers.kept_model(tmp_path).to_bytes() == servers.plain_loop(made)[0].to_bytes()


def entries_of(client, stream):
    return [Entry(read_id(key), fields) for key, fields in client.xrange(stream)]


def test_labels_that_come_later(server, client, tmp_path):
    made = servers.rows(400)
    events = [{**x, "key": i} for i, (x, _) in enumerate(made)]
    labels = [{"id": i, "label": y} for i, (_, y) in enumerate(made)]
    for start in range(0, 400, 40):
        told = labels[max(0, start - 40) : start]
        servers.send(client, "events", events[start : start + 40], moment=start + 1)
        servers.send(client, "labels", [*told, b"?"], moment=start + 2)
    progress = consume(server, tmp_path, labels="labels", id_field="key", max_waiting=60)
    # Of the 40 events that waited, 20 expired each time that 40 more came
    assert (progress.predicted, progress.learned, progress.dead_labels) == (400, 180, 10)
    assert (progress.waiting_events, progress.expired_events) == (40, 180)
    assert (progress.waiting_labels, progress.expired_labels) == (60, 120)
    assert [f[b"reason"][:8] for _, f in client.xrange("labels:dead")] == [b"not JSON"] * 10
    plain = Loop(servers.make_model(), EntryFormat("class", "data", "key", True), 60)
    plain.run(entries_of(client, "events"), entries_of(client, "labels"))
    assert servers.kept_model(tmp_path).to_bytes() == plain.model.to_bytes()
    assert (plain.tally.learned, plain.tally.accuracy) == (progress.learned, progress.accuracy)
    assert not client.exists("river-kdb:events:river-kdb:steps")


@pytest.mark.slow
@pytest.mark.parametrize("apart", [False, True])
def test_killed_again_and_again(server, client, tmp_path, apart):
    """Ten times the process is killed; what comes out is what the plain loop gives."""
    made, rng = servers.rows(5000), random.Random(7)
    if apart:
        servers.send(client, "events", [{**x, "key": i} for i, (x, _) in enumerate(made)], 1)
        labels = [{"id": i, "label": y} for i, (_, y) in enumerate(made)]
        for i in range(0, 5000, 100):
            # Labels come up to 100 events late, some of them early
            servers.send(client, "labels", rng.sample(labels[i : i + 100], 100), 2 + i)
        options = ["--labels", "labels", "--id", "key", "--max-waiting", "6000"]
    else:
        servers.send(client, "events", servers.with_labels(made))
        options = []
    options += ["--batch", "40", "--every", "400", "--idle", "1"]
    for count in sorted(rng.sample(range(1, 4900), 10)):
        with servers.command(server, tmp_path, *options) as process:
            servers.wait_until(lambda count=count: client.xlen("events:predictions") >= count)
            time.sleep(rng.random() * 0.02)
            process.send_signal(signal.SIGKILL)
    with servers.command(server, tmp_path, *options) as process:
        told, errors = process.communicate(timeout=servers.PATIENCE)
    assert process.returncode == 0, errors
    assert "5,000 events, 5,000 learned" in told
    if apart:
        plain = Loop(servers.make_model(), EntryFormat("class", "data", "key", True), 6000)
        outcome = plain.run(entries_of(client, "events"), entries_of(client, "labels"))
        model, predicted = plain.model, [p.probabilities for p in outcome.predictions]
    else:
        model, predicted = servers.plain_loop(made)
    assert servers.kept_model(tmp_path).to_bytes() == model.to_bytes()
    servers.check_predictions(client, predicted)
    assert client.xpending("events", "river-kdb")["pending"] == 0


@pytest.mark.slow
@pytest.mark.parametrize("killed", [False, True])
def test_a_server_that_restarts(server, client, tmp_path, killed):
    made = servers.rows(3000)
    servers.send(client, "events", servers.with_labels(made[:2000]))
    with servers.AtWork(servers.settings_of(server, tmp_path, idle=None, every=700)) as at_work:
        for count in (300, 1200):
            servers.wait_until(lambda count=count: at_work.progress.events >= count)
            server.stop(at_once=killed)
            time.sleep(0.3)
            server.start()
        servers.send(client, "events", servers.with_labels(made[2000:]))
        servers.wait_until(lambda: at_work.progress.events >= 3000)
    assert at_work.error is None
    model, predicted = servers.plain_loop(made)
    assert servers.kept_model(tmp_path).to_bytes() == model.to_bytes()
    servers.check_predictions(client, predicted)
    assert client.xpending("events", "river-kdb")["pending"] == 0


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_a_signal_ends_it_with_a_checkpoint(server, client, tmp_path, number, code):
    made = servers.rows(3000)
    servers.send(client, "events", servers.with_labels(made))
    with servers.command(server, tmp_path, "--batch", "10", "--every", "100000") as process:
        servers.wait_until(lambda: client.xlen("events:predictions"))
        process.send_signal(number)
        told, errors = process.communicate(timeout=servers.PATIENCE)
    assert process.returncode == code, errors
    assert "Traceback" not in errors
    done = client.xlen("events:predictions")
    assert f"{done:,} events, {done:,} learned" in told
    model, predicted = servers.plain_loop(made[:done])
    assert servers.kept_model(tmp_path).to_bytes() == model.to_bytes()
    assert [json.loads(f[b"probability"]) for _, f in client.xrange("events:predictions")] == (
        predicted
    )
    assert not client.exists("river-kdb:events:river-kdb:lock")


@pytest.mark.slow
def test_a_second_consumer_ends_with_a_message(server, client, tmp_path):
    servers.send(client, "events", servers.with_labels(servers.rows(30)))
    with servers.AtWork(servers.settings_of(server, tmp_path, idle=None)) as at_work:
        servers.wait_until(lambda: at_work.progress.events == 30)
        with pytest.raises(ConsumeError, match="is consuming this stream for this group"):
            consume(server, tmp_path, consumer="second")
        with servers.command(server, tmp_path, "--idle", "1") as process:
            _, errors = process.communicate(timeout=servers.PATIENCE)
        assert process.returncode == 2
        assert errors.splitlines()[-1].endswith("one model is one consumer")
        assert consume(server, tmp_path / "..", group="other").events == 30
        servers.send(client, "events", servers.with_labels(servers.rows(60)[30:]))
        servers.wait_until(lambda: at_work.progress.events == 60)
    assert at_work.error is None


@pytest.mark.slow
def test_what_a_dead_consumer_of_another_name_had_read(server, client, tmp_path):
    made = servers.rows(120)
    servers.send(client, "events", servers.with_labels(made))
    client.xgroup_create("events", "river-kdb", id="0")
    for name, count in (("one", 50), ("two", 30)):
        client.xreadgroup("river-kdb", name, {"events": ">"}, count=count)
    assert consume(server, tmp_path, batch=20).learned == 120
    model, predicted = servers.plain_loop(made)
    assert servers.kept_model(tmp_path).to_bytes() == model.to_bytes()
    servers.check_predictions(client, predicted)


@pytest.mark.slow
def test_entries_deleted_while_they_were_pending_are_counted(server, client, tmp_path):
    made = servers.rows(60)
    keys = servers.send(client, "events", servers.with_labels(made))
    client.xgroup_create("events", "river-kdb", id="0")
    client.xreadgroup("river-kdb", "dead", {"events": ">"}, count=30)
    client.xdel("events", keys[3], keys[17])
    progress = consume(server, tmp_path)
    assert (progress.lost, progress.learned, progress.dead_events) == (2, 58, 2)
    letters = client.xrange("events:dead")
    assert [key for key, _ in letters] == [keys[3], keys[17]]
    assert {f[b"reason"] for _, f in letters} == {b"lost: the entry was deleted before it was read"}


@pytest.mark.slow
def test_metrics_over_http(server, client, tmp_path):
    made = servers.rows(300)
    servers.send(client, "events", [*servers.with_labels(made), b"?"])
    with servers.command(server, tmp_path, "--metrics-port", "0") as process:
        address = re.search(r"http://\S+", process.stderr.readline())[0]

        def shown():
            with urllib.request.urlopen(address) as answer:
                lines = answer.read().decode().splitlines()
            return dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))

        servers.wait_until(lambda: shown().get("river_kdb_learned_total") == "300.0")
        servers.wait_until(lambda: shown()["river_kdb_lag_events"] == "0.0")
        figures = shown()
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=servers.PATIENCE)
    model, predicted = servers.plain_loop(made)
    hits = [bool(p) and max(p, key=p.get) == y for p, (_, y) in zip(predicted, made, strict=True)]
    assert float(figures["river_kdb_accuracy"]) == sum(hits) / 299
    assert figures['river_kdb_dead_letters_total{of="events"}'] == "1.0"
    assert figures["river_kdb_relearns_total"] == str(float(model.n_relearns))
    assert figures["river_kdb_events_total"] == "301.0"


@pytest.mark.slow
def test_a_stream_that_others_write_predictions_to(server, client, tmp_path):
    servers.send(client, "events", servers.with_labels(servers.rows(20)))
    client.xadd("events:predictions", {"id": "of somebody else"})
    assert consume(server, tmp_path).learned == 20
    ids = [fields[b"id"] for _, fields in client.xrange("events:predictions")]
    assert ids[1:] == [key for key, _ in client.xrange("events")]


@pytest.mark.slow
def test_a_group_that_is_gone_is_made_again(server, client, tmp_path):
    made = servers.rows(90)
    servers.send(client, "events", servers.with_labels(made[:40]))
    with servers.AtWork(servers.settings_of(server, tmp_path, idle=None)) as at_work:
        servers.wait_until(lambda: at_work.progress.events == 40)
        client.xgroup_destroy("events", "river-kdb")
        servers.send(client, "events", servers.with_labels(made[40:]))
        servers.wait_until(lambda: at_work.progress.events == 90)
    assert at_work.error is None
    assert servers.kept_model(tmp_path).to_bytes() == servers.plain_loop(made)[0].to_bytes()


@pytest.mark.slow
def test_a_checkpoint_that_does_not_fit(server, client, tmp_path):
    servers.send(client, "events", servers.with_labels(servers.rows(20)))
    consume(server, tmp_path)
    with pytest.raises(ConsumeError, match="the checkpoint has target 'class', not 'b'"):
        consume(server, tmp_path, target="b")
    client.delete("events")
    client.xadd("events", {"data": "{}"}, id="5-0")
    with pytest.raises(ConsumeError, match="'events', which ends at 5-0"):
        consume(server, tmp_path)


@pytest.mark.slow
def test_a_lock_that_somebody_else_took_ends_the_run(server, client, tmp_path):
    servers.send(client, "events", servers.with_labels(servers.rows(20)))
    with servers.AtWork(servers.settings_of(server, tmp_path, idle=None)) as at_work:
        servers.wait_until(lambda: at_work.progress.events == 20)
        client.set("river-kdb:events:river-kdb:lock", "somebody else")
        time.sleep(0.6)
        servers.send(client, "events", servers.with_labels(servers.rows(5)))
        at_work.join()
    assert isinstance(at_work.error, ConsumeError)
    assert client.xlen("events:predictions") == 20
    assert client.get("river-kdb:events:river-kdb:lock") == b"somebody else"


@pytest.mark.slow
def test_after_a_crash_labels_are_taken_at_the_same_events_again(
    server, client, tmp_path, monkeypatch
):
    """By their ids all labels come after all events; they came in between, as the steps say."""
    made = servers.rows(90)
    events = [{**x, "key": i} for i, (x, _) in enumerate(made)]
    plain = Loop(servers.make_model(), EntryFormat("class", "data", "key", True))
    told = {"labels": "labels", "id_field": "key"}
    with monkeypatch.context() as patch:
        for step in ("_keep", "_acknowledge"):
            patch.setattr(Consumer, step, lambda self: None)
        settings = servers.settings_of(server, tmp_path, idle=None, every=10**6, **told)
        with servers.AtWork(settings) as at_work:
            for start in range(0, 90, 30):
                servers.send(client, "events", events[start : start + 30], moment=100 + start)
                servers.wait_until(lambda start=start: at_work.progress.predicted == start + 30)
                plain.run(entries_of(client, "events"))
                labels = [{"id": i, "label": made[i][1]} for i in range(start, start + 30)]
                servers.send(client, "labels", labels, moment=1000 + start)
                servers.wait_until(lambda start=start: at_work.progress.learned == start + 30)
                plain.run([], entries_of(client, "labels"))
    assert client.xpending("events", "river-kdb")["pending"] == 90
    before = client.xrange("events:predictions")
    client.delete("events:predictions")
    consume(server, tmp_path, **told)
    assert client.xrange("events:predictions") == before
    assert servers.kept_model(tmp_path).to_bytes() == plain.model.to_bytes()


@pytest.mark.slow
def test_one_that_was_halted_and_overtaken_ends(server, client, tmp_path):
    made = servers.rows(150)
    objects = servers.with_labels(made)
    servers.send(client, "events", objects[:50])
    with servers.command(server, tmp_path) as halted:
        servers.wait_until(lambda: client.xlen("events:predictions") == 50)
        halted.send_signal(signal.SIGSTOP)
        servers.send(client, "events", objects[50:100])
        assert consume(server, tmp_path, consumer="second").events == 100
        servers.send(client, "events", objects[100:])
        halted.send_signal(signal.SIGCONT)
        _, errors = halted.communicate(timeout=servers.PATIENCE)
    assert halted.returncode == 2
    assert "another consumer has taken over" in errors.splitlines()[-1]
    assert consume(server, tmp_path, consumer="second").events == 150
    model, predicted = servers.plain_loop(made)
    assert servers.kept_model(tmp_path).to_bytes() == model.to_bytes()
    servers.check_predictions(client, predicted)
