"""The learning curves of an evaluation."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from river_kdb.evaluate.result import ModelResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["LineStyle", "draw_curves", "draw_panel", "drifts_of", "line_style", "mark_drifts"]

# Okabe and Ito's colours, told apart by all eyes
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7F6DB5", "#555555")
_DASHES = ("-", "--", ":")


class LineStyle(NamedTuple):
    """How the line of a model looks: a colour, and a dash in matplotlib's signs."""

    colour: str
    dash: str


def line_style(i: int) -> LineStyle:
    """Return how the line of the i-th model looks."""
    return LineStyle(_COLOURS[i % len(_COLOURS)], _DASHES[i // len(_COLOURS) % len(_DASHES)])


def drifts_of(results: Sequence[ModelResult]) -> dict[int, list[int]]:
    """Return, for the numbers of the models that detected drifts, the events after which."""
    return {i: events for i, result in enumerate(results) if (events := result.drift_events)}


def draw_curves(results: Sequence[ModelResult], title: str = "") -> Figure:
    """Draw the course of every metric, a panel each, a line a model.

    The metrics are those of all events up to the one at the axis. The limits leave out the
    unsteady start; a line that stays far away from the others is named at the edge of the panel.
    Ticks above a panel, a row a model, are where a model of this package detected a drift.

    """
    from matplotlib.figure import Figure

    shown = [result for result in results if result.rows]
    names = list(dict.fromkeys(name for result in shown for name in result.metrics))
    lines = math.ceil(len(shown) / 3)
    head = 0.55 + 0.24 * lines
    height = head + 2.5 * len(names) + 0.5
    figure = Figure(figsize=(9, height))
    panels = figure.subplots(len(names), 1, sharex=True, squeeze=False)[:, 0]
    for position, (name, axes) in enumerate(zip(names, panels, strict=True)):
        draw_panel(axes, shown, position, name)
    drifts = drifts_of(shown)
    for axes in panels:
        mark_drifts(axes, drifts)
    panels[-1].set_xlabel("events; ticks: drifts detected" if drifts else "events")
    panels[-1].xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    figure.subplots_adjust(
        left=0.09, right=0.97, top=1 - head / height, bottom=0.55 / height, hspace=0.14
    )
    left = 0.09
    figure.text(left, 1 - 0.26 / height, title, fontsize=12, fontweight="bold", va="center")
    figure.legend(
        *panels[0].get_legend_handles_labels(),
        loc="upper left",
        bbox_to_anchor=(left - 0.01, 1 - 0.38 / height),
        ncols=3,
        frameon=False,
        fontsize=9,
        handlelength=2.2,
        borderaxespad=0.2,
    )
    return figure


def draw_panel(axes: Axes, results: Sequence[ModelResult], position: int, name: str) -> None:
    """Draw the course of one metric, a line a model.

    Parameters
    ----------
    axes
        Where to.
    results
        Models that have seen events.
    position, name
        The metric: its place in the curves, and its name.
    """
    last = max(result.rows for result in results)
    settled: list[list[float]] = []
    for i, result in enumerate(results):
        values = [point[position] for point in result.curve.values]
        begin = sum(row < min(last * 0.01, result.rows) for row in result.curve.rows)
        axes.plot(
            result.curve.rows[begin:],
            values[begin:],
            label=result.name,
            color=line_style(i).colour,
            linestyle=line_style(i).dash,
            linewidth=1.8 if result.own else 1.3,
            alpha=1.0 if result.own else 0.85,
            zorder=3 if result.own else 2,
        )
        steady = [
            value
            for row, value in zip(result.curve.rows, values, strict=True)
            if (row >= last * 0.05 or result.rows < last * 0.05) and math.isfinite(value)
        ]
        settled.append(steady or [0.0])
    metric = results[0].metrics[name]
    low, high = _limits(settled, metric.bigger_is_better)
    bounded = "%" in metric._fmt
    space = (high - low) * 0.07 or 0.05
    bottom = low - space if metric.bigger_is_better else max(0.0, low - space)
    axes.set_ylim(bottom, min(1.0, high + space) if bounded else high + space)
    _name_the_far(axes, results, settled, low, high)
    axes.set_xlim(0, last)
    axes.set_ylabel(name)
    if bounded:
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:.3g}")
    axes.grid(axis="y", color="#e3e6ec", linewidth=0.8)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color("#9aa2b1")
    axes.tick_params(color="#9aa2b1", labelsize=9)


def mark_drifts(axes: Axes, drifts: Mapping[int, Sequence[int]]) -> None:
    """Draw ticks above a panel, a row for each model (by its number) that detected drifts."""
    height = min(0.04, 0.1 / max(1, len(drifts)))
    for row, (i, events) in enumerate(drifts.items()):
        axes.vlines(
            events, 1 + row * height, 1 + (row + 0.85) * height,
            transform=axes.get_xaxis_transform(), clip_on=False,
            colors=line_style(i).colour, linewidth=1.5,
        )  # fmt: skip


def _limits(settled: Sequence[Sequence[float]], bigger_is_better: bool) -> tuple[float, float]:
    """Return the range of the lines, without those that are much worse than the rest."""
    low = min(min(values) for values in settled)
    high = max(max(values) for values in settled)
    if len(settled) < 3:
        return low, high
    ends = sorted((values[-1] for values in settled), reverse=bigger_is_better)
    best, middle = ends[0], ends[len(ends) // 2]
    reach = max(abs(middle - best) * 8, abs(best) * 0.15, 1e-9)
    near = [values for values in settled if abs(values[-1] - best) <= reach]
    if bigger_is_better:
        return min(max(min(values), best - reach) for values in near), high
    return low, max(min(max(values), best + reach) for values in near)


def _name_the_far(
    axes: Axes,
    results: Sequence[ModelResult],
    settled: Sequence[Sequence[float]],
    low: float,
    high: float,
) -> None:
    room = round(14 * axes.bbox.width / axes.figure.dpi)  # characters
    above = [(r, v[-1]) for r, v in zip(results, settled, strict=True) if v[-1] > high]
    below = [(r, v[-1]) for r, v in zip(results, settled, strict=True) if v[-1] < low]
    for sign, group, y, anchor in (("↑", above, 0.96, "top"), ("↓", below, 0.04, "bottom")):
        if group:
            text = ",  ".join(f"{result.name} {value:.3g}" for result, value in group)
            text = textwrap.fill(f"{sign} {text}", room)
            axes.text(
                0.99, y, text, parse_math=False, transform=axes.transAxes, ha="right", va=anchor,
                fontsize=8.5, color="#66708a", zorder=5,
                bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1.5},
            )  # fmt: skip
