"""The figures as Prometheus reads them."""

from __future__ import annotations

import socket
import urllib.request
from dataclasses import fields

import pytest

pytest.importorskip("prometheus_client")

import prometheus_client
from prometheus_client.parser import text_string_to_metric_families

from river_kdb.consume import ConsumeError, Progress
from river_kdb.consume.metrics import MetricsServer, progress_registry


def samples(text):
    families = text_string_to_metric_families(text)
    return {(s.name, *s.labels.values()): s.value for family in families for s in family.samples}


def test_every_figure_is_there():
    names = [field.name for field in fields(Progress)]
    now = Progress(**{name: i + 1 for i, name in enumerate(names)})
    text = prometheus_client.generate_latest(progress_registry(lambda: now)).decode()
    found = samples(text)
    assert sorted(found.values()) == list(range(1, len(names) + 1))
    assert found["river_kdb_dead_letters_total", "events"] == now.dead_events
    assert found["river_kdb_expired_labels_total",] == now.expired_labels
    assert found["river_kdb_log_loss",] == now.log_loss


def test_they_are_those_of_the_moment():
    now = [Progress(events=1)]
    server = MetricsServer(0, lambda: now[0])
    try:
        address = f"http://localhost:{server.port}/metrics"
        for events in (1, 5):
            now[0] = Progress(events=events)
            with urllib.request.urlopen(address) as answer:
                assert samples(answer.read().decode())["river_kdb_events_total",] == events
    finally:
        server.close()


def test_a_port_that_is_taken():
    with socket.socket() as taken:
        taken.bind(("0.0.0.0", 0))
        taken.listen()
        with pytest.raises(ConsumeError, match="no metrics at port"):
            MetricsServer(taken.getsockname()[1], Progress)
