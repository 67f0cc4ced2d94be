"""The commands of ``river-kdb``."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from river_kdb.cli.consume import consume

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Bayesian network classifiers on streams: evaluate them, test-then-train.",
)

_DEMO_STREAMS = ("river:Phishing", "river:ImageSegments")
_MODELS = "mixture,kdb,tan,aode,nb,river:GaussianNB,river:HoeffdingTreeClassifier"
_METRICS = "accuracy,kappa,logloss"


@dataclass(frozen=True)
class _Job:
    """One evaluation, as asked for."""

    source: str
    models: Sequence[str]
    metrics: Sequence[str]
    report: Path | None = None
    target: str | None = None
    nominal: Sequence[str] = ()
    missing: Sequence[str] = ()
    limit: int | None = None
    seed: int = 42
    drift: str | None = None
    half_life: float | None = None


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import PackageNotFoundError, version

        import river_kdb

        try:
            number = version("river-kdb")
        except PackageNotFoundError:
            number = str(getattr(river_kdb, "__version__", "unknown"))
        typer.echo(f"river-kdb {number}")
        raise typer.Exit


@app.callback()
def _main(
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    pass


@app.command()
def evaluate(
    stream: Annotated[
        str,
        typer.Argument(
            metavar="STREAM",
            help="A CSV or ARFF file (plain or .gz), river:NAME (a data set of River's, as "
            "river:Phishing), or synth:NAME (a generator of River's, as synth:LED or "
            "synth:LED:noise_percentage=0.1).",
        ),
    ],
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            "-m",
            metavar="NAMES",
            help="mixture (networks of several kinds and memories, for streams that change), kdb "
            "(k=2), tan, aode, nb (naive Bayes), kdf, mmkdb, ukdb, tl, csb, bkdb and more of the "
            "papers' names, river:NAME for any classifier of River's. Parameters follow after "
            "colons: kdb:k=1:half_life=500:drift_detector=ADWIN.",
            show_default=_MODELS,
        ),
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            metavar="NAMES",
            help="accuracy, kappa, logloss, or any classification metric of River's by its name. "
            "The first one is shown while it runs.",
            show_default=_METRICS,
        ),
    ] = None,
    limit: Annotated[
        str | None,
        typer.Option(
            metavar="N",
            help="Stop after N events. Endless generators stop after 10,000 by default.",
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Write report.html there, a page with everything in it, and results.csv, "
            "learning_curves.png and structure-MODEL.png (extra plot).",
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The column with the labels; by default the last one."),
    ] = None,
    nominal: Annotated[
        list[str] | None,
        typer.Option(metavar="NAMES", help="Features that are nominal, though they hold numbers."),
    ] = None,
    missing: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEXTS",
            help="Cells of a CSV file that mean a missing value, beside the empty one; as NA,?",
        ),
    ] = None,
    drift: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="For this package's models: restart after drifts that a detector of River's sees, "
            "as ADWIN, ADWIN:delta=0.001, KSWIN, PageHinkley, DDM, EDDM, FHDDM, HDDM_A, HDDM_W.",
        ),
    ] = None,
    half_life: Annotated[
        str | None,
        typer.Option(
            metavar="N",
            help="For this package's models: events after which an event counts half. The mixture "
            "keeps half-lives of its own.",
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option(metavar="N", help="For generators, models and detectors with a seed.")
    ] = 42,
) -> None:
    """Evaluate models on a stream: each event is first predicted, then learned.

    One model after the other reads the stream from its start. The table has the metrics, the
    microseconds an event that predicting and learning took (calls of the model only; kernels
    are compiled beforehand), and the peak memory: the largest size of everything the model
    refers to, taken after 100, 200, 400, ... events (at gaps of at most 10,000) and at the end.

    In a CSV file a column is numeric if every cell of the first 1,000 rows is a number or
    missing. River's models get their default parameters, and what they need to take the stream
    (said below the table): text one-hot encoded, numbers standardised, one-vs-rest; missing
    values are left out for them. What a model's own text sets goes before --drift and
    --half-life.

    Exit codes: 0; 1 if a model failed; 2 for input that cannot be used; 130 after Ctrl-C, which
    shows the table so far.
    """
    with _one_line_errors():
        job = _Job(
            stream,
            _names(model, _MODELS),
            _names(metric, _METRICS),
            report,
            target,
            _names(nominal),
            _names(missing),
            _whole_number(limit),
            seed,
            drift,
            _half_life(half_life),
        )
        code = _run(job)
    raise typer.Exit(code)


@app.command()
def demo(
    report: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Write reports there, one folder a stream."),
    ] = None,
) -> None:
    """Run this package's models and two of River's on two data sets that come with River."""
    code = 0
    with _one_line_errors():
        for source in _DEMO_STREAMS:
            folder = report / source.partition(":")[2] if report else None
            job = _Job(source, _names(None, _MODELS), _names(None, _METRICS), folder)
            code = max(code, _run(job))
            if code == 130:
                break
    raise typer.Exit(code)


@app.command()
def warmup() -> None:
    """Compile all kernels now, and keep them: no stream has to wait for them then.

    Every kernel of this package is compiled when it is first called, which takes some seconds up
    to half a minute for a model, and is kept for the next process. They are kept in
    NUMBA_CACHE_DIR, else beside the package, else in a folder of the user's.

    Exit codes: 0; 1 if no folder can be written, so that nothing could be kept.
    """
    from river_kdb.cli.progress import StepsBar
    from river_kdb.warmup import warmup as compile_all

    try:
        with StepsBar() as bar:
            warmth = compile_all(bar.report)
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    if warmth.folder is None:
        typer.echo(
            f"river-kdb: {warmth.n_compiled} kernels were compiled and none is kept: set "
            "NUMBA_CACHE_DIR to a folder that can be written, and unset NUMBA_DISABLE_JIT",
            err=True,
        )
        raise typer.Exit(1)
    new, took = warmth.n_compiled, f"{warmth.seconds:.0f} s"
    done = f"Compiled {new} kernels in {took}" if new else f"Nothing to compile, checked in {took}"
    size = f"{warmth.n_bytes / 2**20:.1f} MiB"
    typer.echo(f"{done}: {warmth.n_kernels} kernels in {warmth.folder} ({size})")


app.command()(consume)


def _run(job: _Job) -> int:
    """Evaluate, show the table, write the report; return the exit code."""
    from river_kdb.cli.progress import ProgressListener
    from river_kdb.cli.table import print_results
    from river_kdb.evaluate import (
        Evaluation,
        EvaluationError,
        Origin,
        make_detector,
        make_models,
        open_stream,
        prepare_folder,
        write_report,
    )

    if job.report is not None:
        prepare_folder(job.report)
    stream = open_stream(job.source, job.target, job.nominal, job.limit, job.missing, job.seed)
    common: dict[str, object] = {}
    if job.drift is not None:
        common["drift_detector"] = make_detector(job.drift, job.seed)
    if job.half_life is not None:
        common["half_life"] = job.half_life
    specs = make_models(job.models, stream, job.seed, common)
    listener = ProgressListener([spec.name for spec in specs])
    evaluation = Evaluation(stream, specs, job.metrics, listener)
    code = 0
    try:
        with listener:
            evaluation.run()
    except KeyboardInterrupt:
        typer.echo("river-kdb: interrupted; the table so far:", err=True)
        code = 130
    except EvaluationError:
        # The stream broke off: show what there is, then say why
        if any(result.rows for result in evaluation.results):
            print_results(stream.name, evaluation.results)
        raise
    print_results(stream.name, evaluation.results)
    if job.report is not None:
        origin = Origin(_command(job), job.seed)
        written = write_report(job.report, stream.name, evaluation.results, origin)
        typer.echo(f"Wrote {', '.join(path.name for path in written)} to {job.report}")
    if code == 0 and any(result.state == "failed" for result in evaluation.results):
        code = 1
    return code


def _command(job: _Job) -> str:
    """Return the command line that does the job, but for where the report goes."""
    options = {
        "--model": ",".join(job.models),
        "--metric": ",".join(job.metrics),
        "--target": job.target,
        "--nominal": ",".join(job.nominal),
        "--missing": ",".join(job.missing),
        "--limit": job.limit,
        "--drift": job.drift,
        "--half-life": job.half_life,
        "--seed": job.seed,
    }
    words = ["river-kdb", "evaluate", job.source]
    for name, value in options.items():
        words += [name, str(value)] if value not in (None, "") else []
    return shlex.join(words)


@contextmanager
def _one_line_errors() -> Iterator[None]:
    from river_kdb.evaluate import EvaluationError

    try:
        yield
    except EvaluationError as error:
        typer.echo(f"river-kdb: {' '.join(str(error).split())}", err=True)
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        raise typer.Exit(130) from None


def _names(given: Sequence[str] | None, default: str = "") -> list[str]:
    """Split lists at commas, whether an option was given once or several times."""
    texts = given if given else [default]
    return [name.strip() for text in texts for name in text.split(",") if name.strip()]


def _whole_number(text: str | None) -> int | None:
    from river_kdb.evaluate import EvaluationError

    if text is None:
        return None
    digits = text.replace(",", "").replace("_", "").strip()
    if not digits.isdecimal() or int(digits) < 1:
        raise EvaluationError(f"the limit must be a whole number of at least 1, not {text!r}")
    return int(digits)


def _half_life(text: str | None) -> float | None:
    from river_kdb.evaluate import EvaluationError

    if text is None:
        return None
    try:
        value = float(text.replace(",", ""))
    except ValueError:
        value = math.nan
    if not 1.0 <= value < math.inf:
        raise EvaluationError(f"the half-life must be a number of at least 1, not {text!r}")
    return value
