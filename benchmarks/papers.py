"""Repeat the experiments of the papers, and hold the results against their printed tables."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.reproduction.algorithms import (
    Algorithm,
    read_algorithms,
    read_overrides,
    read_value,
)
from benchmarks.reproduction.datasets import (
    Entry,
    NoDataError,
    choose,
    read_manifest,
)
from benchmarks.reproduction.pictures import critical_difference_diagram
from benchmarks.reproduction.printed import printed_sets
from benchmarks.reproduction.protocols import (
    PAPERS_SMOOTHING,
    PROTOCOLS,
    Options,
    Protocol,
)
from benchmarks.reproduction.report import (
    as_text,
    make_report,
    ranks_of_all,
    read_measured,
    write_report,
)
from benchmarks.reproduction.runner import Task, do_all, in_order, plan
from benchmarks.reproduction.store import Store

RESULTS = Path(__file__).parent / "results" / "papers"
IN_A_RUN = ("_agreement", "failed")
"""Ends of the names of the tables that are printed after a run."""

LONG = "_sets"
"""End of the names of the tables that are printed when asked for only."""

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

ProtocolOption = Annotated[
    str, typer.Option(help=f"{', '.join(PROTOCOLS)}; several with commas, or all.")
]
SmoothingOption = Annotated[
    str,
    typer.Option(help="m-estimate, as the papers; own, as each class has it; or a strength: 5."),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="A parameter of the models; repeatable."),
]
FoldsOption = Annotated[int, typer.Option(min=2, help="Folds of the cross-validation.")]
DrawsOption = Annotated[int, typer.Option(min=2, help="Training sets of --bias-variance.")]
RoundsOption = Annotated[
    int, typer.Option(min=1, help="Rounds of the cross-validation, each with other folds.")
]
LargestOption = Annotated[
    int | None, typer.Option(min=1, help="Leave out sets of more rows than this.")
]
SeedOption = Annotated[int, typer.Option(help="Of the folds and the draws.")]
RowsOption = Annotated[int | None, typer.Option(min=1, help="Take the first rows of a set only.")]
OutOption = Annotated[Path, typer.Option(help="Folder of results.csv and outcomes.csv.")]


def say(text: str) -> None:
    typer.echo(text)


def names_in(text: str) -> list[str]:
    """Split at commas."""
    return [name.strip() for name in text.split(",") if name.strip()]


def read_protocols(text: str) -> list[Protocol]:
    """Return the protocols of an option."""
    names = list(PROTOCOLS) if text == "all" else names_in(text)
    if unknown := [name for name in names if name not in PROTOCOLS]:
        raise typer.BadParameter(f"no protocol {', '.join(unknown)}; there are {list(PROTOCOLS)}")
    return [PROTOCOLS[name] for name in names]


def read_options(
    smoothing: str, settings: Sequence[str] | None, algorithms: Sequence[Algorithm], **way: object
) -> Options:
    """Return what is changed about the protocols, checked."""
    try:
        overrides = read_overrides(settings or [])
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    there = [algorithm for algorithm in algorithms if algorithm.is_there]
    for name in overrides:
        if not any(algorithm.takes(name) for algorithm in there):
            raise typer.BadParameter(f"no algorithm takes the parameter {name!r}")
    return Options(read_value(smoothing), tuple(sorted(overrides.items())), **way)


def choose_algorithms(text: str, protocol: Protocol) -> tuple[list[Algorithm], list[Algorithm]]:
    """Return the algorithms of an option that the package has, and those that it has not."""
    known = read_algorithms()
    names = {
        "table": list(protocol.columns.values()),
        "paper": [*protocol.columns.values(), *protocol.extras],
        "all": list(known),
    }.get(text) or names_in(text)
    if unknown := [name for name in names if name not in known]:
        raise typer.BadParameter(f"no algorithm {', '.join(unknown)}; there are {', '.join(known)}")
    chosen = [known[name] for name in dict.fromkeys(names)]
    there = [algorithm for algorithm in chosen if algorithm.is_there]
    return there, [algorithm for algorithm in chosen if not algorithm.is_there]


def choose_sets(
    text: str,
    protocol: Protocol,
    entries: dict[str, Entry],
    max_rows: int | None,
    largest: int | None,
) -> list[Entry]:
    """Return the sets of an option; say which of them are not there."""
    names = {
        "table": printed_sets(protocol.name, list(protocol.measures)),
        "all": [name for name, entry in entries.items() if entry.path.parent.name == "uci"],
    }.get(text) or names_in(text)
    found, missing = choose(names, entries, max_rows)
    if missing:
        say(f"{protocol.name}: sets not found: {', '.join(missing)}")
    return [entry for entry in found if largest is None or entry.rows <= largest]


def label_of(protocol: Protocol, options: Options) -> str:
    """Return what the files of a report are called."""
    changes = []
    if options.smoothing != PAPERS_SMOOTHING:
        changes.append(f"smoothing={options.smoothing}")
    changes += [f"{name}={value}" for name, value in options.overrides]
    for name in ("folds", "seed", "max_rows"):
        value = getattr(options, name)
        if value != Options._field_defaults[name]:
            changes.append(f"{name}={value}")
    return "_".join([protocol.name, *changes])


def work(tasks: Sequence[Task], jobs: int, store: Store) -> int:
    """Do tasks and store their results; return how many failed."""
    columns = (
        TextColumn("{task.description:<28}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    failed = 0
    console = Console(stderr=True)
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        bar = progress.add_task("", total=len(tasks))
        for task, (row, correct) in do_all(tasks, jobs):
            store.add(row, correct)
            failed += row.status == "failed"
            progress.update(bar, advance=1, description=f"{row.set} {row.algorithm}")
            if row.status == "failed":
                progress.console.print(f"{task.entry.name} {row.algorithm}: {row.message}")
    return failed


@app.callback(invoke_without_command=True)
def run(
    context: typer.Context,
    data: Annotated[
        Path | None, typer.Option(help="Folder with uci/ and streams/, each with MANIFEST.csv.")
    ] = None,
    sets: Annotated[
        str, typer.Option(help="Names with commas; table: those of the paper; all: all of uci/.")
    ] = "table",
    algorithms: Annotated[
        str,
        typer.Option(
            help="Names with commas; table: those with a printed column; paper: those the paper "
            "speaks of; all."
        ),
    ] = "table",
    protocol: ProtocolOption = "kdf",
    jobs: Annotated[int, typer.Option(min=1, help="Processes.")] = 1,
    smoothing: SmoothingOption = PAPERS_SMOOTHING,
    setting: SetOption = None,
    bias_variance: Annotated[
        bool, typer.Option("--bias-variance", help="Bias and variance, not cross-validation.")
    ] = False,
    folds: FoldsOption = 10,
    rounds: RoundsOption = 1,
    draws: DrawsOption = 20,
    seed: SeedOption = 1,
    max_rows: RowsOption = None,
    largest: LargestOption = None,
    again: Annotated[bool, typer.Option("--again", help="Also what has been done.")] = False,
    out: OutOption = RESULTS,
) -> None:
    """Cross-validate the algorithms of a paper on its sets, as far as both are there.

    A run that is stopped is taken up by the same command. What was done under one protocol is
    not done again under another one with the same settings.
    """
    if context.invoked_subcommand:
        return
    if data is None:
        raise typer.BadParameter("--data FOLDER is needed")
    options = read_options(
        smoothing,
        setting,
        list(read_algorithms().values()),
        folds=folds,
        rounds=rounds,
        seed=seed,
        max_rows=max_rows,
        bias_variance=bias_variance,
        draws=draws,
    )
    try:
        entries = read_manifest(data)
    except NoDataError as error:
        raise typer.BadParameter(str(error)) from None
    tasks: list[Task] = []
    protocols = read_protocols(protocol)
    for chosen in protocols:
        there, absent = choose_algorithms(algorithms, chosen)
        if absent:
            listed = ", ".join(f"{a.name} ({a.class_name})" for a in absent)
            say(f"{chosen.name}: not in this river_kdb: {listed}")
        found = choose_sets(sets, chosen, entries, max_rows, largest)
        for of_round in options.of_rounds():
            tasks += plan(found, there, chosen, of_round)
    store = Store(out)
    done = set() if again else store.done()
    tasks = in_order(tasks)
    left = [task for task in tasks if task.key not in done]
    say(f"{len(tasks)} tasks, {len(tasks) - len(left)} of them done before")
    started = time.perf_counter()
    try:
        failed = work(left, jobs, store)
    except KeyboardInterrupt:
        say("stopped; the same command takes it up again")
        raise typer.Exit(130) from None
    say(f"{len(left)} done in {time.perf_counter() - started:.0f} s, {failed} failed")
    for chosen in protocols:
        show(store, chosen, options, {task.entry.name for task in tasks})
    if failed:
        raise typer.Exit(1)


def show(store: Store, protocol: Protocol, options: Options, sets: set[str]) -> None:
    """Print the tables that belong under a run."""
    say(f"\n{label_of(protocol, options)}\npaper: {protocol.says}\nhere: {protocol.does}")
    for section in make_report(store, protocol, read_algorithms(), options, sets):
        if section.name.endswith(IN_A_RUN):
            say(as_text(section))


@app.command()
def report(
    protocol: ProtocolOption = "all",
    smoothing: SmoothingOption = PAPERS_SMOOTHING,
    setting: SetOption = None,
    folds: FoldsOption = 10,
    rounds: RoundsOption = 1,
    draws: DrawsOption = 20,
    seed: SeedOption = 1,
    max_rows: RowsOption = None,
    largest: LargestOption = None,
    out: OutOption = RESULTS,
    write: Annotated[Path | None, typer.Option(help="Folder for Markdown and CSV files.")] = None,
    full: Annotated[bool, typer.Option("--full", help="Print every set and column, too.")] = False,
    pictures: Annotated[
        bool, typer.Option("--pictures", help="Critical-difference diagrams, too.")
    ] = False,
) -> None:
    """Print the results beside the printed tables; with --write also as Markdown and CSV."""
    algorithms = read_algorithms()
    options = read_options(
        smoothing,
        setting,
        list(algorithms.values()),
        folds=folds,
        rounds=rounds,
        draws=draws,
        seed=seed,
        max_rows=max_rows,
    )
    store = Store(out)
    sets = None
    if largest is not None:
        frame = store.frame()
        sets = set(frame.loc[frame["rows"] <= largest, "set"])
    for chosen in read_protocols(protocol):
        label = label_of(chosen, options)
        sections = make_report(store, chosen, algorithms, options, sets)
        if not sections:
            say(f"\n{label}: no results in {out}")
            continue
        say(f"\n{label}\npaper: {chosen.says}\nhere: {chosen.does}")
        for section in sections:
            if full or not section.name.endswith(LONG):
                say(as_text(section))
        if write:
            written = write_report(sections, chosen, label, write)
            say(f"{len(written)} files written to {write}")
        if pictures:
            measured = read_measured(store, chosen, algorithms, options).of_sets(sets)
            values = measured.values("zero_one", algorithms)
            draw_ranks(values, chosen, label, write or out)


def draw_ranks(values: pd.DataFrame, protocol: Protocol, label: str, folder: Path) -> None:
    """Draw a critical-difference diagram of the paper's algorithms, and one of all."""
    of_paper = [name for name in protocol.columns.values() if name in values]
    for suffix, part in (("", values[of_paper]), ("_all", values)):
        _, _, full = ranks_of_all(part)
        if full.shape[1] > 2 and len(full) > 1:
            title = f"{label}: zero-one loss, {len(full)} sets"
            critical_difference_diagram(full, title, folder / f"{label}{suffix}.png")


if __name__ == "__main__":
    app()
