"""Pictures of matplotlib as SVG that can stand in a page of HTML."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from typing import TYPE_CHECKING
from xml.etree import ElementTree

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["colour_variable", "inline_svg"]

_HEX = re.compile(r"#[0-9a-fA-F]{6}\b")
_LONG_NUMBER = re.compile(r"-?\d+\.\d{2,}")
# The page's own font; older versions of matplotlib write size and families as one
_FAMILY = re.compile(r"font-family:[^;]*;? ?")
_FONT = re.compile(r"font: ([^;]*?)([\d.]+px)[^;]*")
_ROUNDED = ("d", "x", "y", "width", "height", "transform")


def colour_variable(colour: str) -> str:
    """Return the name of the CSS variable for a colour of a picture, `#rrggbb`."""
    return f"--c-{colour[1:].lower()}"


def inline_svg(
    draw: Callable[[], Figure], key: str, title: str, description: str
) -> tuple[str, set[str]]:
    """Return a picture as an element of HTML, and the colours for which it has variables.

    Nothing in it depends on the time, and nothing is loaded. Ids begin with `key`, so that
    several pictures can stand in a page. White is `var(--paper)`.

    Parameters
    ----------
    draw
        Returns the figure; called with the settings of matplotlib that this needs.
    key
        A word that no other picture of the page has.
    title, description
        What the picture shows, for those who do not see it.
    """
    from matplotlib import rc_context

    text = io.StringIO()
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "river_kdb", "path.simplify": True}):
        figure = draw()
        figure.savefig(text, format="svg")
    root = ElementTree.fromstring(text.getvalue())
    _plain_names(root)
    _unique_ids(root, key)
    colours: set[str] = set()
    for element in root.iter():
        _tidy(element, colours)
    _, _, width, height = (float(number) for number in root.attrib["viewBox"].split())
    root.attrib = {
        "viewBox": f"0 0 {width:.0f} {height:.0f}",
        "style": f"--width: {width * 4 / 3:.0f}px",
        "role": "img",
        "aria-labelledby": f"{key}-title {key}-desc",
    }
    for name, words in (("desc", description), ("title", title)):
        element = ElementTree.Element(name, id=f"{key}-{name}")
        element.text = words
        root.insert(0, element)
    return ElementTree.tostring(root, encoding="unicode"), colours


def _plain_names(root: ElementTree.Element) -> None:
    """Leave out namespaces, which HTML has none of, metadata and style sheets of the picture."""
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        element.attrib = {name.rpartition("}")[2]: v for name, v in element.attrib.items()}
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in {"metadata", "style"}:
                parent.remove(child)


def _unique_ids(root: ElementTree.Element, key: str) -> None:
    """Put the key before the ids that are referred to, and drop the others."""
    everything = ElementTree.tostring(root, encoding="unicode")
    used = set(re.findall(r"url\(#([^)]+)\)", everything))
    used |= set(re.findall(r'href="#([^"]+)"', everything))
    for element in root.iter():
        name = element.attrib.pop("id", None)
        if name in used:
            element.set("id", f"{key}-{name}")
        for attribute, value in element.attrib.items():
            if value.startswith("url(#"):
                element.set(attribute, f"url(#{key}-{value[5:]}")
            elif attribute == "href":
                element.set(attribute, f"#{key}-{value[1:]}")


def _tidy(element: ElementTree.Element, colours: set[str]) -> None:
    """Round numbers, and have colours and fonts come from the page."""
    for name in _ROUNDED:
        if name in element.attrib:
            value = _LONG_NUMBER.sub(lambda m: f"{float(m[0]):.1f}", element.attrib[name])
            element.set(name, " ".join(value.split()))
    element.tail = element.tail and "\n"

    def variable(match: re.Match[str]) -> str:
        colour = match[0].lower()
        if colour == "#ffffff":
            return "var(--paper)"
        colours.add(colour)
        return f"var({colour_variable(colour)})"

    style = element.attrib.get("style")
    if style:
        style = _FONT.sub(_size_and_weight, _FAMILY.sub("", style))
        element.set("style", _HEX.sub(variable, style))


def _size_and_weight(match: re.Match[str]) -> str:
    weight = match[1].strip()
    return f"font-size: {match[2]}" + (f"; font-weight: {weight}" if weight else "")
