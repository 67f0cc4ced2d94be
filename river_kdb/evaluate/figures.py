"""The pictures of the page: small enough for a phone, as SVG with the page's colours."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from river_kdb.evaluate.calibration import Calibration
from river_kdb.evaluate.curves import draw_panel, drifts_of, mark_drifts
from river_kdb.evaluate.result import ModelResult
from river_kdb.evaluate.svg import inline_svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Picture", "curve_picture", "reliability_picture", "structure_picture"]

# Inches; text of 9 points is as large as the page's small print where 3.6 are 330 pixels
_WIDTH = 3.6
_ABREAST = 4
# Features and arcs of a network that can be told apart, and drawn in some 300 KB
_MOST_DRAWN = 400
_ACCENT = "#0072b2"
_GREY = "#66708a"


class Picture(NamedTuple):
    """A picture as an element of HTML, and the colours that it has variables for."""

    svg: str
    colours: set[str]


def curve_picture(
    results: Sequence[ModelResult], position: int, name: str, stream_name: str, key: str
) -> Picture:
    """Draw the course of one metric.

    Parameters
    ----------
    results
        Models that have seen events.
    position, name
        The metric: its place in the curves, and its name.
    stream_name
        What to call the stream.
    key
        A word that no other picture of the page has.
    """

    def draw() -> Figure:
        from matplotlib.figure import Figure
        from matplotlib.ticker import MaxNLocator

        figure = Figure(figsize=(_WIDTH, 2.3))
        axes = figure.add_axes((0.13, 0.12, 0.84, 0.81))
        draw_panel(axes, results, position, name)
        mark_drifts(axes, drifts_of(results))
        axes.set_ylabel("")
        axes.xaxis.set_major_locator(MaxNLocator(4, integer=True))
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        figure.patch.set_visible(False)
        axes.patch.set_visible(False)
        return figure

    ends = ", ".join(f"{result.name} {result.values[name]:.4g}" for result in results)
    title = f"Course of {name} on {stream_name}"
    return Picture(*inline_svg(draw, key, title, f"A line a model. At the end: {ends}."))


def reliability_picture(calibration: Calibration, model: str, key: str) -> Picture:
    """Draw how often the most probable class was right, against its probability.

    Parameters
    ----------
    calibration
        With one event at least.
    model
        What to call the model.
    key
        A word that no other picture of the page has.
    """

    def draw() -> Figure:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(_WIDTH, 3.4))
        upper = figure.add_axes((0.14, 0.39, 0.82, 0.54))
        lower = figure.add_axes((0.14, 0.125, 0.82, 0.15))
        bins = calibration.bins
        upper.plot([0, 1], [0, 1], color=_GREY, linewidth=1, linestyle=(0, (4, 3)))
        most = max(b.n_events for b in bins)
        confidences, rights = [b.confidence for b in bins], [b.right for b in bins]
        upper.plot(confidences, rights, color=_ACCENT, linewidth=1.2)
        sizes = [6 + 40 * b.n_events / most for b in bins]
        upper.scatter(confidences, rights, s=sizes, color=_ACCENT, clip_on=False, zorder=3)
        upper.set_ylim(0, 1)
        lower.bar(
            [(b.low + b.high) / 2 for b in bins], [b.n_events for b in bins], width=0.088,
            color=_ACCENT,
        )  # fmt: skip
        lower.set_ylim(0, most)
        lower.set_yticks([0, most], ["0", f"{most:,}"])
        lower.set_xlabel("probability of the most probable class", fontsize=9)
        for axes, name in ((upper, "share that was right"), (lower, "events")):
            _plain(axes, name)
        upper.tick_params(labelbottom=False)
        figure.patch.set_visible(False)
        return figure

    points = "; ".join(
        f"from {b.low:.1f} to {b.high:.1f}: {b.n_events:,} events, mean probability "
        f"{b.confidence:.3f}, right {b.right:.3f}"
        for b in calibration.bins
    )
    return Picture(*inline_svg(draw, key, f"Reliability of {model}", f"By probability, {points}."))


def structure_picture(
    edges: Sequence[tuple[Hashable, Hashable]], features: Sequence[Hashable], model: str, key: str
) -> Picture | None:
    """Draw a network; None where there is too much of it for a picture in a page.

    Parameters
    ----------
    edges
        Arcs, as pairs of a parent and a child.
    features
        Names of the features.
    model
        What to call the model.
    key
        A word that no other picture of the page has.
    """
    if len(edges) + len(features) > _MOST_DRAWN:
        return None
    arcs = [(str(parent), str(child)) for parent, child in edges]
    names = [str(name) for name in features]

    def draw() -> Figure:
        from river_kdb.plot.structure import draw_structure

        figure = draw_structure(arcs, names, most_abreast=_ABREAST)
        figure.patch.set_visible(False)
        return figure

    listed = "; ".join(f"{parent} to {child}" for parent, child in arcs[:60]) or "none"
    more = f"; and {len(arcs) - 60} more" if len(arcs) > 60 else ""
    text = f"The class is a parent of every feature. Arcs between features: {listed}{more}."
    return Picture(*inline_svg(draw, key, f"Network of {model}", text))


def _plain(axes: Axes, name: str) -> None:
    axes.set_title(name, loc="left", x=-0.12, pad=6, fontsize=9, color=_GREY)
    axes.set_xlim(0, 1)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", ".25", ".5", ".75", "1"])
    axes.patch.set_visible(False)
    axes.grid(color="#e3e6ec", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color("#9aa2b1")
    axes.tick_params(color="#9aa2b1", labelsize=9)
