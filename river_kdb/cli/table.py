"""The table of results."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from river_kdb.evaluate import ModelResult
from river_kdb.evaluate.wording import (
    best_value,
    format_metric,
    notes,
    short_number,
    size_text,
    state_word,
)

__all__ = ["make_table", "print_results"]


def make_table(title: str, results: Sequence[ModelResult]) -> Table:
    """Return the table, with the best value of every metric in bold."""
    names = list(dict.fromkeys(name for result in results for name in result.metrics))
    best = {name: best_value(results, name) for name in names}
    rows: list[list[Text]] = []
    for result in results:
        model = Text(result.name)
        if result.state != "finished":
            model.append(f" ({state_word(result)} after {result.rows:,} events)", style="yellow")
        row = [model, Text(f"{result.rows:,}")]
        for name in names:
            is_best = result.state == "finished" and result.values[name] == best[name]
            row.append(Text(format_metric(result, name), style="bold" if is_best else ""))
        row += [Text(short_number(result.predict_us)), Text(short_number(result.learn_us))]
        row.append(Text(size_text(result.peak_memory) if result.rows else "–"))
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
    for note in notes(results):
        console.print(note, soft_wrap=True)
