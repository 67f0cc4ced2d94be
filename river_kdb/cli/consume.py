"""The command ``river-kdb consume``."""

from __future__ import annotations

import importlib.util
import logging
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from river_kdb.consume import Consumer, Progress

__all__ = ["consume"]


def consume(
    url: Annotated[
        str,
        typer.Argument(
            metavar="URL", help="The Redis server: redis://HOST:PORT/DB, rediss://..., unix://PATH."
        ),
    ],
    stream: Annotated[str, typer.Option(metavar="NAME", help="The stream of the events.")],
    target: Annotated[
        str, typer.Option(metavar="FIELD", help="The name of the label in an event's JSON.")
    ],
    checkpoint: Annotated[
        Path,
        typer.Option(
            metavar="FILE", help="Keeps the model and how far it is; taken up where it is there."
        ),
    ],
    group: Annotated[str, typer.Option(metavar="NAME", help="The consumer group.")] = "river-kdb",
    predictions: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="Where predictions go.", show_default="STREAM:predictions"
        ),
    ] = "",
    dead_letters: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Where bad events go; bad labels go to LABELS:dead.",
            show_default="STREAM:dead",
        ),
    ] = "",
    labels: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help='A stream of labels that come later, as {"id": ..., "label": ...}. Events without '
            "a target wait for them.",
        ),
    ] = None,
    field: Annotated[
        str, typer.Option(metavar="NAME", help="The field of an entry that holds the JSON.")
    ] = "data",
    id_field: Annotated[
        str | None,
        typer.Option(
            "--id",
            metavar="FIELD",
            help="The name of the id in an event's JSON, by which labels name it; by default it is "
            "the id of the entry.",
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            "-m",
            metavar="NAME",
            help="A model of this package as evaluate takes it: kdb:k=1:drift_detector=ADWIN.",
            show_default="kdb",
        ),
    ] = None,
    load: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Start from a saved model, where there is no checkpoint."
        ),
    ] = None,
    nominal: Annotated[
        str,
        typer.Option(metavar="NAMES", help="Features that are nominal, though they hold numbers."),
    ] = "",
    seed: Annotated[int, typer.Option(metavar="N", help="For models and detectors with one.")] = 42,
    max_waiting: Annotated[
        int,
        typer.Option(
            metavar="N", help="Events that may wait for labels, and labels for events; each."
        ),
    ] = 10_000,
    every: Annotated[
        int, typer.Option(metavar="N", help="Entries from one checkpoint to the next, at most.")
    ] = 10_000,
    batch: Annotated[int, typer.Option(metavar="N", help="Entries read at once.")] = 500,
    block: Annotated[
        int,
        typer.Option(
            metavar="MS", help="Milliseconds to wait for entries at a time; at most half of --lock."
        ),
    ] = 500,
    metrics_port: Annotated[
        int | None,
        typer.Option(metavar="PORT", help="Show metrics for Prometheus there; 0: at a free one."),
    ] = None,
    stop_after: Annotated[
        int | None, typer.Option(metavar="N", help="End after so many events.")
    ] = None,
    idle: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="End when nothing came for so long.")
    ] = None,
    consumer: Annotated[
        str,
        typer.Option(metavar="NAME", help="The consumer's name in the group.", show_default="host"),
    ] = "",
    lock: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            help="When another one may take the place of a consumer that is gone.",
        ),
    ] = 10.0,
) -> None:
    """Predict and learn the events of a Redis stream, each once, whatever is killed in between.

    An entry of the stream has one field with a JSON object: features, and the label under the
    target's name, if it is known. Each event is predicted; predictions (id, label, and
    probability: JSON) are written under the ids of the events' entries. An event is learned when
    its label is there. What is no use goes to the dead letters, with the reason.

    Entries are acknowledged once a checkpoint has them: at least every 5 seconds. A second
    consumer of the same stream and group ends with a message: one model is one consumer.

    SIGTERM and Ctrl-C end it after the batch at hand, with a checkpoint.

    Exit codes: 0; 2 for what it can't start or go on with; 130 after Ctrl-C.
    """
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    with _one_line_errors():
        _check_extra()
        from river_kdb.consume import Consumer, Settings

        settings = Settings(
            url=url, stream=stream, target=target, checkpoint=checkpoint, group=group,
            predictions=predictions, dead_letters=dead_letters, labels=labels, field=field,
            id_field=id_field, max_waiting=max_waiting, every=every, batch=batch, block_ms=block,
            metrics_port=metrics_port, stop_after=stop_after, idle=idle, lock_seconds=lock,
            consumer=consumer,
        )  # fmt: skip
        at_work = Consumer(settings, _model_maker(model, load, nominal, seed))
        with _signals(at_work) as received:
            progress = at_work.run()
        typer.echo(_summary(progress))
    if signal.SIGINT in received:
        raise typer.Exit(130)


def _check_extra() -> None:
    from river_kdb.evaluate import EvaluationError

    absent = [
        package
        for package, module in (("redis", "redis"), ("prometheus-client", "prometheus_client"))
        if importlib.util.find_spec(module) is None
    ]
    if absent:
        raise EvaluationError(
            f"consume needs {' and '.join(absent)}, not installed here: "
            'pip install "river-kdb[redis]"'
        )


def _model_maker(
    model: str | None, load: Path | None, nominal: str, seed: int
) -> Callable[[], Any]:
    """Return what makes the model to start with; what is wrong with it shows here."""
    from river_kdb.evaluate import EvaluationError, Stream, make_models

    if load is not None:
        if model is not None or nominal:
            raise EvaluationError(
                "--load brings its model along: no --model and --nominal beside it"
            )
        from river_kdb import load as load_model

        loaded = load_model(load)
        return lambda: loaded
    text = model or "kdb"
    if text.lower().startswith("river:"):
        raise EvaluationError(f"{text}: a checkpoint keeps this package's models only")
    names = tuple(name.strip() for name in nominal.split(",") if name.strip())
    (spec,) = make_models([text], Stream("events", lambda: (), nominal=names), seed)
    make: Callable[[], Any] = spec.make
    return make


def _summary(progress: Progress) -> str:
    dead = progress.dead_events + progress.dead_labels
    return (
        f"{progress.events:,} events, {progress.learned:,} learned, accuracy "
        f"{progress.accuracy:.4f}, log loss {progress.log_loss:.4f}; {progress.waiting_events:,} "
        f"wait, {progress.expired_events:,} expired, {dead:,} dead letters"
    )


@contextmanager
def _signals(consumer: Consumer) -> Iterator[set[int]]:
    """Have SIGTERM and SIGINT stop a consumer; what came is in the set."""
    received: set[int] = set()

    def note(number: int, _frame: Any) -> None:
        received.add(number)
        consumer.stop()

    before = {number: signal.signal(number, note) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _one_line_errors() -> Iterator[None]:
    from river_kdb.consume.errors import ConsumeError
    from river_kdb.evaluate import EvaluationError
    from river_kdb.persist.errors import UnreadableModelError

    try:
        yield
    except (ConsumeError, EvaluationError, UnreadableModelError, OSError) as error:
        typer.echo(f"river-kdb: {' '.join(str(error).split())}", err=True)
        raise typer.Exit(2) from None
