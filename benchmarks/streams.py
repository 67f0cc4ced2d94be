"""Test the models, and River's, on streams: each event is predicted before it is learned."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.reproduction.datasets import NoDataError
from benchmarks.reproduction.report import as_text
from benchmarks.streaming.models import OWN, PEERS, Contender, contender
from benchmarks.streaming.pictures import draw_all
from benchmarks.streaming.report import compare, in_order, make_report, read_records, write_report
from benchmarks.streaming.runner import Task, do
from benchmarks.streaming.sources import Source, opened, read_sources, stream_names
from benchmarks.streaming.store import Store
from benchmarks.streaming.synthetic import ABRUPT, GRADUAL, PLAIN
from river_kdb.evaluate import EvaluationError

RESULTS = Path(__file__).parent / "results" / "streams"
STORE = RESULTS / "records"
GROUPS = ("real", "shuffled", PLAIN, ABRUPT, GRADUAL)

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

StoreOption = Annotated[Path, typer.Option(help="Folder of the records.")]
SecondsOption = Annotated[
    float, typer.Option(min=0.01, help="CPU time of a model's calls on a stream, no more.")
]


def say(text: str) -> None:
    typer.echo(text)


def names_in(text: str) -> list[str]:
    """Split at commas."""
    return [name.strip() for name in text.split(",") if name.strip()]


def choose_sources(text: str, sources: Sequence[Source], missing: Sequence[str]) -> list[Source]:
    """Return the streams of an option, in their order."""
    if text == "all":
        return list(sources)
    groups = {group: [s.name for s in sources if group in group_names(s)] for group in GROUPS}
    asked = {name for part in names_in(text) for name in groups.get(part, [part])}
    if unknown := asked - {source.name for source in sources} - set(missing):
        known = ", ".join([*GROUPS, *(source.name for source in sources)])
        raise typer.BadParameter(f"no stream {', '.join(sorted(unknown))}; there are {known}")
    return [source for source in sources if source.name in asked]


def group_names(source: Source) -> tuple[str, ...]:
    """Return the groups that a stream may be asked for by."""
    return (source.family,) if source.family in GROUPS else (source.family, source.drift)


def model_names(text: str) -> list[str]:
    """Return the names of the models of an option.

    Examples
    --------
    >>> model_names("HT,own,HT")[:3]
    ['HT', 'mixture', 'kdb']
    """
    groups = {"own": list(OWN), "peers": list(PEERS), "all": [*OWN, *PEERS]}
    names = (name for part in names_in(text) for name in groups.get(part, [part]))
    return list(dict.fromkeys(names))


def choose_contenders(text: str, source: Source) -> list[Contender]:
    """Return the models of an option that can be made; say which can not."""
    found = []
    for name in model_names(text):
        chosen = contender(name)
        try:
            chosen.spec(opened(source))
        except (EvaluationError, TypeError) as error:
            say(f"{name} is left out: {error}")
            continue
        found.append(chosen)
    return found


def work(tasks: Sequence[Task], store: Store) -> int:
    """Do tasks and store their records; return how many failed."""
    columns = (
        TextColumn("{task.description:<36}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    failed = 0
    console = Console(stderr=True)
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        whole = progress.add_task("", total=len(tasks))
        rows = progress.add_task("rows")
        for task in tasks:
            name = f"{task.source.name} {task.contender.name}"
            progress.update(whole, description=name)
            progress.reset(rows, total=task.source.n_rows)
            record = do(task, lambda row: progress.update(rows, completed=row))
            store.add(record)
            progress.advance(whole)
            failed += record["status"] == "failed"
            if record["status"] == "failed":
                progress.console.print(f"{name}: {record['message']}", markup=False)
            elif not console.is_terminal:
                done = f"{record['rows_done']} of {task.source.n_rows}"
                say(f"{name}: {record['accuracy']:.4f}, {record['log_loss']:.4f}, {done} rows")
    return failed


@app.callback(invoke_without_command=True)
def run(
    context: typer.Context,
    data: Annotated[
        Path | None, typer.Option(help="Folder with uci/ and streams/, each with MANIFEST.csv.")
    ] = None,
    streams: Annotated[
        str, typer.Option(help=f"Names with commas, or groups: all, {', '.join(GROUPS)}.")
    ] = "all",
    models: Annotated[
        str,
        typer.Option(
            help=f"Names with commas, or all, own ({', '.join(OWN)}), peers ({', '.join(PEERS)}); "
            "also any name that `river-kdb evaluate` knows."
        ),
    ] = "all",
    events: Annotated[int, typer.Option(min=2, help="Of a synthetic stream.")] = 10_000,
    max_rows: Annotated[
        int | None, typer.Option(min=2, help="Take the first rows of a stream only.")
    ] = None,
    seconds: SecondsOption = 20.0,
    again: Annotated[
        str, typer.Option(help="Models (names with commas) to run though they have run.")
    ] = "",
    store: StoreOption = STORE,
) -> None:
    """Run models on streams, as far as both are there.

    A run that is stopped is taken up by the same command.
    """
    if context.invoked_subcommand:
        return
    try:
        sources, missing = read_sources(data, events, max_rows)
    except NoDataError as error:
        raise typer.BadParameter(str(error)) from None
    if missing:
        say(f"sets not found (--data): {', '.join(missing)}")
    chosen = choose_sources(streams, sources, missing)
    if not chosen:
        raise typer.BadParameter("none of these streams is there")
    contenders = choose_contenders(models, chosen[0])
    records = Store(store)
    tasks = [Task(source, each, seconds) for source in chosen for each in contenders]
    anew = set(names_in(again))
    left = [t for t in tasks if t.contender.name in anew or not records.is_done(t.key)]
    say(f"{len(tasks)} tasks, {len(tasks) - len(left)} of them done before")
    try:
        failed = work(left, records)
    except KeyboardInterrupt:
        say("stopped; the same command takes it up again")
        raise typer.Exit(130) from None
    say(f"{len(left)} done, {failed} failed")
    if failed:
        raise typer.Exit(1)


@app.command()
def report(
    store: StoreOption = STORE,
    models: Annotated[
        str, typer.Option(help="Names with commas: compare these only. Also own, peers, all.")
    ] = "",
    write: Annotated[
        Path | None, typer.Option(help="Folder for results.csv, report.md and pictures.")
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="Print every stream, too.")] = False,
) -> None:
    """Print the tables; with --write also write them, with pictures.

    On each stream the models are compared at the last checkpoint that all of them reached. The
    last record of a model on a stream counts, whatever its --seconds.
    """
    frame = read_records(Store(store).records())
    if not frame.empty:
        asked = model_names(models) if models else list(frame["model"].unique())
        frame = frame[frame["model"].isin(asked)]
    if frame.empty:
        raise typer.BadParameter(f"no records of these models in {store}")
    frame = in_order(frame, model_names("all"), stream_names())
    compared = compare(frame)
    sections = make_report(frame, compared)
    for note in compared.notes:
        say(note)
    for section in sections:
        if full or not section.name.endswith(GROUPS):
            say(as_text(section))
    if write:
        written = write_report(frame, compared, sections, write)
        written += draw_all(frame, compared, write)
        say(f"{len(written)} files written to {write}")


if __name__ == "__main__":
    app()
