"""Pictures as elements of a page."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

pytest.importorskip("matplotlib")

from matplotlib.figure import Figure

from river_kdb.evaluate.svg import _FONT, _size_and_weight, inline_svg


def draw():
    figure = Figure(figsize=(2, 1))
    axes = figure.add_subplot()
    axes.plot([0, 1, 2], [1, 3, 2], color="#123456", marker="o")
    axes.text(0.5, 1, "<b> & $", parse_math=False, color="#abcdef")
    return figure


def test_two_of_the_same_share_no_id():
    texts = [inline_svg(draw, key, "t", "d")[0] for key in ("one", "two")]
    ids = [set(re.findall(r'id="([^"]+)"', text)) for text in texts]
    assert not ids[0] & ids[1]
    for text, own in zip(texts, ids, strict=True):
        used = re.findall(r'(?:url\(|href=")#([^)"]+)', text)
        assert used
        assert set(used) <= own


def test_colours_are_variables():
    text, colours = inline_svg(draw, "k", "t", "d")
    assert {"#123456", "#abcdef"} <= colours
    assert "var(--c-123456)" in text
    assert "var(--paper)" in text
    assert not re.search(r"#[0-9a-fA-F]{6}", text)


def test_nothing_of_the_time_or_of_other_places():
    text, _ = inline_svg(draw, "k", "t", "d")
    assert text == inline_svg(draw, "k", "t", "d")[0]
    for word in ("http", "<style", "<metadata", "xmlns", "font-family"):
        assert word not in text


def test_words_are_escaped():
    text, _ = inline_svg(draw, "k", "<i>", "a & b")
    root = ElementTree.fromstring(text)
    assert [element.text for element in root[:2]] == ["<i>", "a & b"]
    assert "&lt;b&gt; &amp; $" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "font: 9px 'DejaVu Sans', sans-serif; text-anchor: start",
            "font-size: 9px; text-anchor: start",
        ),
        ("font: 700 12px 'DejaVu Sans'", "font-size: 12px; font-weight: 700"),
    ],
)
def test_fonts_as_older_versions_of_matplotlib_write_them(old, new):
    assert _FONT.sub(_size_and_weight, old) == new
