"""A consumer's figures for Prometheus."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from river_kdb.consume.errors import ConsumeError
from river_kdb.consume.progress import Progress

__all__ = ["MetricsServer", "progress_registry"]

_COUNTERS = {
    "events": "Entries of the events' stream, bad ones as well",
    "labels": "Entries of the labels' stream, bad ones as well",
    "predicted": "Events predicted",
    "learned": "Events learned",
    "relearns": "Times the model's structure was learned",
    "drifts": "Drifts detected",
    "expired_events": "Events whose label did not come in time",
    "expired_labels": "Labels whose event did not come in time",
    "lost": "Entries deleted before they were read",
    "skipped": "Entries that came again and had been dealt with",
}
_GAUGES = {
    "rate": "Events a second of late",
    "accuracy": "Accuracy of the predictions, test-then-learn",
    "log_loss": "Log loss of the predictions, test-then-learn",
    "lag_events": "Entries that were not delivered yet",
    "lag_seconds": "Age of the last event against the latest entry of its stream",
    "waiting_events": "Events that wait for their labels",
    "waiting_labels": "Labels that wait for their events",
}


class _Collector:
    """Turns figures into metrics whenever they are asked for."""

    def __init__(self, progress: Callable[[], Progress]) -> None:
        self._progress = progress

    def collect(self) -> Iterator[Any]:
        """Go over the metrics."""
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

        now = self._progress()
        for name, text in _COUNTERS.items():
            yield CounterMetricFamily(f"river_kdb_{name}", text, value=getattr(now, name))
        dead = CounterMetricFamily(
            "river_kdb_dead_letters", "Entries that were no use", labels=["of"]
        )
        dead.add_metric(["events"], now.dead_events)
        dead.add_metric(["labels"], now.dead_labels)
        yield dead
        for name, text in _GAUGES.items():
            yield GaugeMetricFamily(f"river_kdb_{name}", text, value=getattr(now, name))


def progress_registry(progress: Callable[[], Progress]) -> Any:
    """Return a `prometheus_client.CollectorRegistry` with a consumer's figures.

    Parameters
    ----------
    progress
        Returns the figures of the moment.

    Raises
    ------
    ImportError
        If prometheus-client is not installed.
    """
    try:
        from prometheus_client import CollectorRegistry
    except ImportError as error:
        raise ImportError(
            'metrics need prometheus-client: pip install "river-kdb[redis]"'
        ) from error
    registry = CollectorRegistry()
    registry.register(_Collector(progress))
    return registry


class MetricsServer:
    """Shows a consumer's figures at ``http://...:port/metrics``, from a thread of its own.

    Parameters
    ----------
    port
        The port; 0 takes a free one.
    progress
        Returns the figures of the moment.

    Raises
    ------
    ImportError
        If prometheus-client is not installed.
    ConsumeError
        If the port can't be had.
    """

    def __init__(self, port: int, progress: Callable[[], Progress]) -> None:
        registry = progress_registry(progress)
        from prometheus_client import start_http_server

        try:
            self._server, self._thread = start_http_server(port, registry=registry)
        except (OSError, OverflowError) as error:
            raise ConsumeError(f"no metrics at port {port}: {error}") from None

    @property
    def port(self) -> int:
        """The port."""
        return int(self._server.server_port)

    def close(self) -> None:
        """Stop showing them."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
