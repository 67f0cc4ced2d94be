"""The structure of a network as a picture."""

from __future__ import annotations

import math
import re
import textwrap
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from river_kdb.plot.layout import Arc, Bend, Layout, Node, arrange, layers_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_structure"]

_INK = "#1f2a44"
_FAINT = "#c3cad6"
_GREY = "#66708a"
_FONT = 9.0
_BOX_HEIGHT = 0.34
_LINE_HEIGHT = 0.15
_MARGIN = 0.35


class _Box(NamedTuple):
    text: str
    width: float
    height: float


def draw_structure(
    edges: Iterable[tuple[str, str]],
    features: Sequence[str],
    target: str = "class",
    title: str = "",
    most_abreast: int | None = None,
) -> Figure:
    """Draw which features are parents of which.

    A network without circles is drawn in layers, every feature below its parents, the class on
    top. Arcs that go in circles, as the members of an ensemble have them together, are drawn as
    chords of a ring with the class in the middle.

    The class is a parent of every feature; of those arcs only the ones to features without
    another parent are drawn.

    Parameters
    ----------
    edges
        Pairs of a parent's and a child's name; the class is left out.
    features
        The names of the features.
    target
        What to call the class.
    title
        A line above the picture.
    most_abreast
        How many features may stand side by side; None chooses by their number, from 4 to 9.

    Returns
    -------
    A matplotlib figure (made without pyplot, so there is nothing to close).

    Examples
    --------
    >>> from river_kdb.plot.structure import draw_structure
    >>> arcs = [("outlook", "humidity"), ("outlook", "wind")]
    >>> figure = draw_structure(arcs, ["outlook", "temperature", "humidity", "wind"], "play")
    >>> figure.savefig("structure.png")  # doctest: +SKIP

    """
    from matplotlib.figure import Figure

    arcs = list(dict.fromkeys((str(p), str(c)) for p, c in edges if p != c))
    names = list(dict.fromkeys([*map(str, features), *(name for arc in arcs for name in arc)]))
    boxes = {name: _box(name) for name in names}
    figure = Figure()
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    width = most_abreast or max(4, min(9, round(1.5 * math.sqrt(len(names)))))
    layers = layers_of(names, arcs, width)
    if layers is None:
        extent = _draw_ring(axes, boxes, arcs, target)
        note = f"{len(arcs)} arcs among {len(names)} features"
        if len(arcs) == len(names) * (len(names) - 1):
            note += ": each is the parent of all others, in a network of its own"
    else:
        extent = _draw_layers(axes, boxes, arcs, layers, target)
        note = f"{target} is a parent of every feature"
    _frame(figure, axes, extent, title, note)
    return figure


# --- boxes and text -------------------------------------------------------------------------


def _text_width(text: str, size: float, bold: bool = False) -> float:
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    if not text.strip():
        return 0.0
    font = FontProperties(weight="bold" if bold else "normal")
    path = TextPath((0, 0), text.replace("$", r"\$"), size=size, prop=font)
    return float(path.get_extents().width) / 72


def _box(name: str) -> _Box:
    """Break a long name into at most three lines and measure them."""
    lines = [name]
    if len(name) > 16:
        # Names break after the signs that join words
        pieces = re.sub(r"([-_./ ])", "\\1\0", name).split("\0")
        lines = [""]
        for piece in pieces:
            if lines[-1] and len(lines[-1]) + len(piece) > 14:
                lines.append("")
            lines[-1] += piece
        lines = [part for line in lines for part in textwrap.wrap(line, 18) or [""]]
        if len(lines) > 3:
            lines = [*lines[:2], lines[2][:13] + "…"]
    width = max(_text_width(line, _FONT) for line in lines) + 0.24
    return _Box("\n".join(lines), max(width, 0.5), _BOX_HEIGHT + _LINE_HEIGHT * (len(lines) - 1))


def _draw_box(
    axes: Axes, x: float, y: float, box: _Box, face: Any, edge: Any, ink: str = _INK, **text: Any
) -> None:
    from matplotlib.patches import FancyBboxPatch

    axes.add_patch(
        FancyBboxPatch(
            (x - box.width / 2, y - box.height / 2),
            box.width,
            box.height,
            boxstyle="round,pad=0,rounding_size=0.09",
            facecolor=face,
            edgecolor=edge,
            linewidth=1.1,
            zorder=4,
        )
    )
    label = box.text.replace("$", r"\$")
    axes.text(
        x, y, label, ha="center", va="center_baseline" if "\n" not in label else "center",
        fontsize=text.pop("fontsize", _FONT), color=ink, linespacing=1.15, zorder=5, **text,
    )  # fmt: skip


def _class_box(target: str) -> _Box:
    width = _text_width(target, _FONT + 1, bold=True) + 0.4
    return _Box(target, max(width, 0.8), _BOX_HEIGHT + 0.04)


def _draw_class(axes: Axes, x: float, y: float, target: str) -> None:
    box, size = _class_box(target), _FONT + 1
    _draw_box(axes, x, y, box, _INK, _INK, "white", fontsize=size, fontweight="bold")


def _frame(
    figure: Figure,
    axes: Axes,
    extent: tuple[float, float, float, float],
    title: str,
    note: str,
) -> None:
    """Make the figure just as large as what is drawn (in inches), with title and note."""
    left, right, bottom, top = extent
    need = max(_text_width(title, 12, bold=True), _text_width(note, 8)) + 0.2
    if right - left < need:
        middle = (left + right) / 2
        left, right = middle - need / 2, middle + need / 2
    if title:
        axes.text(left, top + 0.3, title, fontsize=12, fontweight="bold", color=_INK, va="center")
        top += 0.38
    axes.text(left, bottom - 0.3, note, fontsize=8, color=_GREY, va="center")
    bottom -= 0.3
    left, right = left - _MARGIN, right + _MARGIN
    bottom, top = bottom - _MARGIN * 0.7, top + _MARGIN * 0.7
    figure.set_size_inches(right - left, top - bottom)
    figure.set_dpi(150)
    axes.set_xlim(left, right)
    axes.set_ylim(bottom, top)


def _colour(share: float, light: float = 0.0) -> tuple[float, float, float]:
    """Return a colour between blue (0) and red (1), mixed with white."""
    from matplotlib import colormaps

    red, green, blue, _ = colormaps["turbo"](0.08 + 0.84 * share)
    # Turbo is loud: half-way to ink
    mixed = (0.62 * red + 0.08, 0.62 * green + 0.1, 0.62 * blue + 0.2)
    return (
        mixed[0] + (1 - mixed[0]) * light,
        mixed[1] + (1 - mixed[1]) * light,
        mixed[2] + (1 - mixed[2]) * light,
    )


# --- in layers --------------------------------------------------------------------------------


def _draw_layers(
    axes: Axes,
    boxes: dict[str, _Box],
    arcs: Sequence[Arc],
    layers: Sequence[Sequence[str]],
    target: str,
) -> tuple[float, float, float, float]:
    top = f"\0{target}"  # no feature is called that
    class_box = _class_box(target)
    sized: dict[str, _Box] = {top: class_box, **boxes}
    children = {child for _, child in arcs}
    from_class = [(top, name) for name in boxes if name not in children]
    tallest = max(box.height for box in sized.values())
    layout = arrange(
        [[top], *layers],
        [*from_class, *arcs],
        {name: box.width for name, box in sized.items()},
        bend_width=0.16 if arcs else 0.09,
        layer_height=tallest + 0.62,
    )
    depth = max(1, len(layers) - 1) if arcs else len(boxes)
    shares = {name: i / depth if arcs else 0.0 for i, at in enumerate(layers) for name in at}
    places = layout.places
    ports = _ports(layout, [*from_class, *arcs], sized)
    for arc, (start, end) in ports.items():
        points = [start, *(places[bend] for bend in layout.routes[arc]), end]
        if arc[0] == top:
            _draw_arc(axes, points, _FAINT, 0.9, zorder=1)
        else:
            _draw_arc(axes, points, _colour(shares[arc[0]]), 1.1, zorder=2)
    for name, box in boxes.items():
        _draw_box(axes, *places[name], box, _colour(shares[name], 0.9), _colour(shares[name], 0.15))
    _draw_class(axes, *places[top], target)
    bends_x = [x for node, (x, _) in places.items() if isinstance(node, Bend)]
    return (
        min([*bends_x, *(places[n][0] - sized[n].width / 2 for n in sized)]),
        max([*bends_x, *(places[n][0] + sized[n].width / 2 for n in sized)]),
        min(places[n][1] - sized[n].height / 2 for n in sized),
        places[top][1] + class_box.height / 2,
    )


def _ports(
    layout: Layout, arcs: Sequence[Arc], boxes: dict[str, _Box]
) -> dict[Arc, tuple[tuple[float, float], tuple[float, float]]]:
    """Spread the ends of the arcs along the edges of the boxes, in the order they come from."""
    leaving: dict[str, list[tuple[float, Arc]]] = defaultdict(list)
    coming: dict[str, list[tuple[float, Arc]]] = defaultdict(list)
    for arc in arcs:
        chain: list[Node] = [arc[0], *layout.routes[arc], arc[1]]
        leaving[arc[0]].append((layout.places[chain[1]][0], arc))
        coming[arc[1]].append((layout.places[chain[-2]][0], arc))

    def spread(ends: dict[str, list[tuple[float, Arc]]], side: int) -> dict[Arc, Any]:
        found = {}
        for name, group in ends.items():
            x, y = layout.places[name]
            box = boxes[name]
            room = min(box.width * 0.76, 0.16 * (len(group) - 1))
            for i, (_, arc) in enumerate(sorted(group, key=lambda end: end[0])):
                share = i / (len(group) - 1) - 0.5 if len(group) > 1 else 0.0
                found[arc] = (x + share * room, y + side * box.height / 2)
        return found

    starts, ends = spread(leaving, -1), spread(coming, 1)
    return {arc: (starts[arc], ends[arc]) for arc in arcs}


def _draw_arc(
    axes: Axes, points: Sequence[tuple[float, float]], colour: Any, width: float, zorder: int
) -> None:
    """Draw a smooth arrow through the points, running down at each of them."""
    from matplotlib.patches import FancyArrowPatch
    from matplotlib.path import Path

    vertices, codes = [points[0]], [int(Path.MOVETO)]
    for (x0, y0), (x1, y1) in pairwise(points):
        half = (y0 - y1) * 0.5
        vertices += [(x0, y0 - half), (x1, y1 + half), (x1, y1)]
        codes += [int(Path.CURVE4)] * 3
    axes.add_patch(
        FancyArrowPatch(
            path=Path(vertices, codes),
            arrowstyle="-|>,head_length=3.6,head_width=1.8",
            mutation_scale=1.0,
            facecolor=colour,
            edgecolor=colour,
            linewidth=width,
            shrinkA=0,
            shrinkB=0,
            capstyle="butt",
            joinstyle="miter",
            zorder=zorder,
        )
    )


# --- as a ring --------------------------------------------------------------------------------


def _draw_ring(
    axes: Axes, boxes: dict[str, _Box], arcs: Sequence[Arc], target: str
) -> tuple[float, float, float, float]:
    from matplotlib.patches import FancyArrowPatch

    n = len(boxes)
    widest = max(box.width for box in boxes.values())
    tallest = max(box.height for box in boxes.values())
    # Large enough for boxes one above the other at the sides and side by side at the top
    radius_y = max(1.1, n * (tallest + 0.12) / 4.4)
    radius_x = max(radius_y, 1.4, n * (widest + 0.1) / 6.8) + widest / 2
    spots = {
        name: (
            radius_x * math.sin(2 * math.pi * (i + 0.5) / n),
            radius_y * math.cos(2 * math.pi * (i + 0.5) / n),
        )
        for i, name in enumerate(boxes)
    }
    there = set(arcs)
    both = {arc for arc in arcs if arc[::-1] in there}
    alpha = max(0.16, min(0.8, 20 / len(arcs)))
    for arc in sorted(arcs):
        parent, child = arc
        if arc in both and parent > child:
            continue
        colour = _colour(list(boxes).index(parent) / max(1, n - 1))
        axes.add_patch(
            FancyArrowPatch(
                spots[parent],
                spots[child],
                arrowstyle="-" if arc in both else "-|>,head_length=4,head_width=2",
                mutation_scale=1.0,
                connectionstyle="arc3,rad=0.12",
                shrinkA=0,
                shrinkB=0 if arc in both else 16,
                color=colour,
                linewidth=0.9,
                alpha=alpha if arc in both else max(alpha, 0.6),
                zorder=2,
            )
        )
    for i, (name, box) in enumerate(boxes.items()):
        share = i / max(1, n - 1)
        _draw_box(axes, *spots[name], box, _colour(share, 0.9), _colour(share, 0.15))
    _draw_class(axes, 0.0, 0.0, target)
    half = radius_x + widest / 2
    return -half, half, -radius_y - tallest / 2, radius_y + tallest / 2
