"""The progress of an evaluation, on a terminal's standard error."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    Task,
    TextColumn,
)
from rich.text import Text

from river_kdb.evaluate import Listener, ModelResult
from river_kdb.evaluate.wording import format_metric

__all__ = ["ProgressListener", "StepsBar"]


class _Events(TextColumn):
    """How many events there were, and how many a second."""

    def __init__(self) -> None:
        super().__init__("")

    def render(self, task: Task) -> Text:
        """Return the numbers as text."""
        speed = task.finished_speed or task.speed
        rate = Text(f" {speed:,.0f}/s" if speed else "", style="cyan")
        return Text(f"{task.completed:,.0f}") + rate


class _Bar:
    """A bar that is there while a block of code runs, in a terminal only."""

    _progress: Progress

    def __enter__(self) -> Self:
        if not self._progress.disable:
            self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not self._progress.disable:  # older versions of rich would print an empty line
            self._progress.stop()


class ProgressListener(_Bar, Listener):
    """Shows a bar for the model that runs; where there is no terminal it shows nothing."""

    def __init__(self, names: Sequence[str], console: Console | None = None) -> None:
        console = console or Console(stderr=True)
        width = max((len(name) for name in names), default=0)
        self._left = len(names)
        self._progress = Progress(
            TextColumn(f"{{task.fields[name]:<{width}}}", markup=False),
            BarColumn(bar_width=10),
            _Events(),
            TextColumn("{task.fields[metric]}", style="green", markup=False),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task = self._progress.add_task("", name="", metric="", start=False, visible=False)

    def started(self, result: ModelResult, n_rows: int | None) -> None:
        """Start a bar anew."""
        self._progress.reset(
            self._task,
            total=n_rows,
            visible=True,
            name=result.name,
            metric="getting ready" if result.own else "",
        )

    def moved(self, result: ModelResult) -> None:
        """Move the bar, and show the first metric so far."""
        name = next(iter(result.metrics))
        text = f"{name} {format_metric(result, name)}"
        self._progress.update(self._task, completed=result.rows, metric=text)

    def ended(self, result: ModelResult) -> None:
        """Show the end of the bar."""
        self.moved(result)


class StepsBar(_Bar):
    """Shows a bar for steps of different names; where there is no terminal it shows nothing."""

    def __init__(self, console: Console | None = None) -> None:
        console = console or Console(stderr=True)
        self._progress = Progress(
            BarColumn(bar_width=20),
            TextColumn("{task.completed}/{task.total}"),
            TextColumn("{task.description}", style="cyan", markup=False),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task = self._progress.add_task("", total=1)

    def report(self, name: str, done: int, total: int) -> None:
        """Show the step that begins, how many are done and how many there are."""
        self._progress.update(self._task, description=name, completed=done, total=total)
