"""Colours on light and on dark ground, and those of the page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import river_kdb.evaluate
from river_kdb.evaluate.colours import contrast, twins
from river_kdb.evaluate.curves import line_style

CSS = (Path(river_kdb.evaluate.__file__).parent / "templates" / "report.css").read_text("utf-8")
LIGHT, DARK = (
    dict(re.findall(r"--([a-z]+): (#[0-9a-f]{6});", block))
    for block in re.findall(r":root \{(.*?)\}", CSS, re.DOTALL)
)


@pytest.mark.parametrize("colour", [line_style(i).colour for i in range(8)] + ["#66708a"])
def test_lines_stand_out_on_both_grounds(colour):
    light, dark = twins(colour)
    assert contrast(light, LIGHT["paper"]) >= 3
    assert contrast(dark, DARK["paper"]) >= 4.5


@pytest.mark.parametrize("colour", ["#ffffff", "#eef3fa", "#f2f8ee", "#e3e6ec"])
def test_what_lies_behind_stays_behind(colour):
    light, dark = twins(colour)
    assert light == colour
    assert contrast(dark, DARK["paper"]) < 1.5
    assert contrast(dark, twins("#1f2a44")[1]) >= 7


def test_greys_stay_grey():
    for value in range(0, 256, 15):
        for twin in twins(f"#{value:02x}{value:02x}{value:02x}"):
            channels = [int(twin[i : i + 2], 16) for i in (1, 3, 5)]
            assert max(channels) - min(channels) <= 1


@pytest.mark.parametrize("mode", [LIGHT, DARK], ids=["light", "dark"])
def test_text_of_the_page_has_the_contrast_of_wcag_aa(mode):
    for ground in ("paper", "panel"):
        for ink in ("ink", "muted", "accent", "alarm"):
            assert contrast(mode[ink], mode[ground]) >= 4.5, (ink, ground)


@pytest.mark.parametrize(("name", "most"), [("right", 0.42), ("wrong", 0.42)])
def test_text_in_the_darkest_cells_of_the_confusion_matrix(name, most):
    shades = re.findall(rf"--{name}: (\d+) (\d+) (\d+);", CSS)
    for shade, mode in zip(shades, (LIGHT, DARK), strict=True):
        paper = [int(mode["paper"][i : i + 2], 16) for i in (1, 3, 5)]
        mixed = [round(most * int(s) + (1 - most) * p) for s, p in zip(shade, paper, strict=True)]
        assert contrast("#" + "".join(f"{m:02x}" for m in mixed), mode["ink"]) >= 4.5
