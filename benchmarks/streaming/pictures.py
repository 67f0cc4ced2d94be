"""Pictures of the results: learning curves, and what is reached against what it costs."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.reproduction.pictures import critical_difference_diagram
from benchmarks.streaming.models import DUMMIES, MIXTURE
from benchmarks.streaming.report import MEASURES, Comparison, both_times, windowed
from benchmarks.streaming.synthetic import ABRUPT, GRADUAL, WIDTH

DRAWN = {
    MIXTURE: "black",
    "kdb": "tab:orange",
    "nb": "tab:green",
    "NoChange": "0.65",
    "HT": "tab:cyan",
    "HAT": "tab:purple",
    "AMF": "tab:pink",
    "ARF": "tab:blue",
    "SRP": "tab:red",
    "LevBag": "tab:olive",
}
"""Models and their colours; more curves would hide each other."""

COLUMNS = {"real": 4, "shuffled": 4}
"""Panels side by side; of other families a generator and its two drifts."""

DPI = 80
COLORS = 64


def draw_all(frame: pd.DataFrame, compared: Comparison, folder: Path) -> list[Path]:
    """Draw all pictures and return where they are."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for family, part in frame[frame["status"] == "ok"].groupby("family", sort=False):
        written.append(folder / f"curves_{family.lower()}.png")
        learning_curves(part, family, written[-1])
    if len(compared.own) > 2 and len(compared.rows) > 1:
        for measure in ("accuracy", "log_loss"):
            written.append(folder / f"ranks_{measure}.png")
            losses = compared.losses(measure)
            title = f"{MEASURES[measure]}: mean ranks, {len(losses)} streams"
            critical_difference_diagram(losses, title, written[-1])
        written.append(folder / "time.png")
        against_time(frame, compared, written[-1])
    return written


def _pyplot() -> Any:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    return plt


def _save(figure: Any, path: Path) -> None:
    """Write a PNG of few colours: a third of the size."""
    from PIL import Image

    drawn = io.BytesIO()
    figure.savefig(drawn, dpi=DPI)
    Image.open(drawn).convert("RGB").quantize(COLORS).save(path, optimize=True)


def learning_curves(frame: pd.DataFrame, family: str, path: Path) -> None:
    """Draw the accuracy of the last twentieth of a stream, a panel for each stream.

    Parameters
    ----------
    frame
        The lines of a family, with their curves.
    family
        Its name.
    path
        The PNG to write.
    """
    plt = _pyplot()
    streams = _panel_order(frame)
    n_columns = min(COLUMNS.get(family, 3), len(streams))
    n_rows = -(-len(streams) // n_columns)
    figure, grid = plt.subplots(
        n_rows, n_columns, figsize=(4 * n_columns, 2.2 * n_rows + 0.6), squeeze=False
    )
    handles: dict[str, Any] = {}
    for axes in grid.flat[len(streams) :]:
        axes.axis("off")
    for axes, stream in zip(grid.flat, streams, strict=False):
        part = frame[frame["stream"] == stream].set_index("model")
        handles |= _draw_panel(axes, part)
        axes.set_title(stream, fontsize=9)
    figure.legend(
        handles.values(), handles, loc="upper center", ncol=len(handles), fontsize=8, frameon=False
    )
    figure.tight_layout(rect=(0, 0, 1, 1 - 0.35 / figure.get_figheight()))
    _save(figure, path)
    plt.close(figure)


def _draw_panel(axes: Any, part: pd.DataFrame) -> dict[str, Any]:
    """Draw the curves of a stream, whose lines `part` has by model; return them by model."""
    n_events = int(part["rows_in_stream"].iloc[0])
    _mark_drift(axes, part["drift"].iloc[0], n_events)
    # Elsewhere than on real streams the class before says nothing
    hidden = [] if part["family"].iloc[0] == "real" else ["NoChange"]
    drawn = {}
    for model in part.index.intersection(list(DRAWN)).difference(hidden, sort=False):
        at, accuracy = windowed(part.loc[model, "curve"], n_events)
        style = {"lw": 1.8, "zorder": 3} if model == MIXTURE else {"lw": 0.9}
        drawn[model] = axes.plot(at, accuracy, color=DRAWN[model], **style)[0]
    axes.set_xlim(0, n_events)
    axes.tick_params(labelsize=7)
    return drawn


def _panel_order(frame: pd.DataFrame) -> Sequence[str]:
    """Return the streams, a generator's three side by side."""
    streams = frame.drop_duplicates("stream")[["stream"]]
    first = {name: place for place, name in enumerate(streams["stream"])}
    suffixes = (f"-{ABRUPT}", f"-{GRADUAL}")

    def place(name: str) -> tuple[int, int]:
        for number, suffix in enumerate(suffixes, start=1):
            if name.endswith(suffix):
                return first.get(name.removesuffix(suffix), first[name]), number
        return first[name], 0

    return sorted(first, key=place)


def _mark_drift(axes: Any, drift: str, n_events: int) -> None:
    middle, half = n_events / 2, n_events / WIDTH / 2
    if drift == ABRUPT:
        axes.axvline(middle, color="0.5", ls="--", lw=0.9)
    elif drift == GRADUAL:
        axes.axvspan(middle - half, middle + half, color="0.88", lw=0)


def against_time(frame: pd.DataFrame, compared: Comparison, path: Path) -> None:
    """Draw mean accuracy, and mean rank in log loss, against the median time an event."""
    plt = _pyplot()
    times = both_times(frame).loc[compared.rows.index].median()
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.5))
    shown = {
        left: (compared.values["accuracy"].mean(), "mean accuracy"),
        right: (compared.losses("log_loss").rank(axis=1).mean(), "mean rank in log loss"),
    }
    for axes, (values, label) in shown.items():
        for model in values.index.difference(DUMMIES, sort=False):
            color = "C3" if compared.own[model] else "C0"
            axes.plot(times[model], values[model], "o", color=color)
            axes.annotate(
                model, (times[model], values[model]), (4, 4), textcoords="offset points", fontsize=8
            )
        axes.set_xscale("log")
        axes.margins(x=0.15)
        axes.set_xlabel("µs an event, predict and learn (median)")
        axes.set_ylabel(label)
    right.invert_yaxis()
    figure.suptitle(f"{len(compared.rows)} streams, equal rows", fontsize=10)
    figure.tight_layout()
    _save(figure, path)
    plt.close(figure)
