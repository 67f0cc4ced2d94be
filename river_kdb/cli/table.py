"""The table of results."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from river_kdb.evaluate import ModelResult

__all__ = ["format_metric", "make_table", "print_results"]


def format_metric(result: ModelResult, name: str) -> str:
    """Return a metric as text: in percent where River shows it so, else with four decimals."""
    value = result.values[name]
    if math.isnan(value):
        return "–"
    return f"{value:.2%}" if "%" in result.metrics[name]._fmt else f"{value:.4f}"


def make_table(title: str, results: Sequence[ModelResult]) -> Table:
    """Return the table, with the best value of every metric in bold."""
    names = list(dict.fromkeys(name for result in results for name in result.metrics))
    best = {name: _best(results, name) for name in names}
    rows: list[list[Text]] = []
    for result in results:
        model = Text(result.name)
        if result.state != "finished":
            word = "interrupted" if result.state == "running" else "failed"
            model.append(f" ({word} after {result.rows:,} events)", style="yellow")
        row = [model, Text(f"{result.rows:,}")]
        for name in names:
            is_best = result.state == "finished" and result.values[name] == best[name]
            row.append(Text(format_metric(result, name), style="bold" if is_best else ""))
        row += [Text(_short(result.predict_us)), Text(_short(result.learn_us))]
        row.append(Text(_size(result.peak_memory) if result.rows else "–"))
        rows.append(row)
    table = Table(
        title=Text(title, style="bold"),
        title_justify="left",
        box=box.SIMPLE_HEAD,
        collapse_padding=True,
    )
    table.add_column("model", overflow="fold")
    for heading in ["events", *names, "predict\nµs", "learn\nµs", "peak\nmemory"]:
        table.add_column(heading, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    return table


def print_results(title: str, results: Sequence[ModelResult]) -> None:
    """Print the table and the notes to it on standard output."""
    console = Console(markup=False, emoji=False, highlight=False)
    if not results:
        return
    table = make_table(title, results)
    if not console.is_terminal:  # a file or a pipe has no width to keep to
        needed = Measurement.get(console, console.options.update(max_width=1000), table)
        console.width = max(console.width, needed.maximum)
    console.print(table)
    for result in results:
        if result.note:
            console.print(f"{result.name} runs behind {result.note}.", soft_wrap=True)
        for parameter in result.lacks:
            console.print(f"{result.name} has no {parameter}: it keeps its own.", soft_wrap=True)
        if result.error:
            console.print(f"{result.name} failed {result.error}", soft_wrap=True)
    drifts = [f"{r.name} {r.drifts:,}" for r in results if r.drifts is not None]
    if drifts:
        console.print(f"Drifts detected: {', '.join(drifts)}.", soft_wrap=True)


def _best(results: Sequence[ModelResult], name: str) -> float:
    values = [r.values[name] for r in results if r.state == "finished"]
    values = [value for value in values if not math.isnan(value)]
    if not values:
        return math.nan
    bigger = results[0].metrics[name].bigger_is_better
    return max(values) if bigger else min(values)


def _short(value: float) -> str:
    if math.isnan(value):
        return "–"
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 1 else f"{value:.2f}"


def _size(n_bytes: float) -> str:
    units = ["B", "KiB", "MiB", "GiB"]
    while n_bytes >= 1024 and len(units) > 1:
        n_bytes /= 1024
        del units[0]
    digits = 0 if n_bytes >= 100 or units[0] == "B" else 1
    return f"{n_bytes:,.{digits}f} {units[0]}"
