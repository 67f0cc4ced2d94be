"""The page of a report."""

from __future__ import annotations

import itertools
import os
import re
import sys
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from river_kdb import KDBClassifier
from river_kdb.evaluate import Origin
from tests.evaluate import reports

pytest.importorskip("matplotlib")
pytest.importorskip("jinja2")

from river_kdb.evaluate.html import page, write_page

VOID = {"meta", "link", "wbr", "br"}


class Page(HTMLParser):
    """Reads a page, complains of tags that are not closed in order, and gathers what is there."""

    def __init__(self, text):
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.headings: list[str] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        assert len(dict(attrs)) == len(attrs), f"an attribute twice in {tag}"
        if tag not in VOID:
            self.open.append(tag)
            if re.fullmatch("h[1-6]", tag):
                self.headings.append("")

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.words.append(data)
        if any(re.fullmatch("h[1-6]", tag) for tag in self.open):
            self.headings[-1] += data

    def all(self, tag, attribute):
        return [attrs[attribute] for name, attrs in self.tags if name == tag and attribute in attrs]

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())


@pytest.fixture(scope="module")
def everything():
    name, results = reports.everything()
    return page(name, results, Origin("river-kdb evaluate <it>", 42, {"river": "1.2.3"}))


def test_it_is_well_formed(everything):
    read = Page(everything)
    ids = [attrs["id"] for _, attrs in read.tags if "id" in attrs]
    assert len(ids) == len(set(ids)) > 20
    for reference in read.all("a", "href"):
        assert reference[0] == "#"
        assert reference[1:] in ids
    for names in read.all("svg", "aria-labelledby"):
        assert set(names.split()) <= set(ids)
    assert read.tags[0] == ("html", {"lang": "en"})
    assert {"name": "viewport", "content": "width=device-width, initial-scale=1"} in [
        attrs for tag, attrs in read.tags if tag == "meta"
    ]


def test_it_can_be_read_aloud(everything):
    read = Page(everything)
    levels = [int(tag[1]) for tag, _ in read.tags if re.fullmatch("h[1-6]", tag)]
    assert levels.count(1) == 1
    assert all(later <= earlier + 1 for earlier, later in itertools.pairwise(levels))
    tags = [tag for tag, _ in read.tags]
    assert tags.count("table") == tags.count("caption") > 5
    for tag, attrs in read.tags:
        if tag == "th":
            assert attrs["scope"] in {"col", "row"}
        if tag == "svg":
            assert attrs.get("role") == "img" or attrs.get("aria-hidden") == "true"
        if "scroll" in (attrs.get("class") or "").split():
            assert attrs["tabindex"] == "0"
            assert attrs["aria-label"]


def test_its_pictures_are_xml_with_title_and_description(everything):
    pictures = re.findall(r"<svg.*?</svg>", everything, re.DOTALL)
    assert len(pictures) > 6
    for picture in pictures:
        root = ElementTree.fromstring(picture)
        if root.get("role") == "img":
            assert [root[0].tag, root[1].tag] == ["title", "desc"]
            assert root[0].text
            assert root[1].text
            # No colour is left that a dark page could not change
            assert not re.search(r"#[0-9a-f]{6}", picture.partition("</desc>")[2])


def test_it_loads_nothing(everything):
    read = Page(everything)
    loads = [
        value
        for tag, attrs in read.tags
        for name, value in attrs.items()
        if name in {"src", "srcset", "data", "action"} or (name == "href" and tag != "a")
    ]
    assert [value for value in loads if value and value[0] != "#"] == ["data:,"]
    assert "http:" not in everything.replace("http-equiv", "")
    assert "https:" not in everything
    assert "@import" not in everything
    assert set(re.findall(r"url\((.)", everything)) <= {"#"}
    assert "default-src 'none'" in read.all("meta", "content")[-1]


def test_names_are_text(everything):
    assert "<script" not in everything
    assert "<b>" not in everything
    read = Page(everything)
    assert sum(reports.SCRIPT in heading for heading in read.headings) == 3
    # stream, model, label and feature: in tables, pictures and attributes
    for tag in ("title", "strong", "th", "desc", "text", "span"):
        assert re.search(rf"<{tag}[^>]*>[^<]*&lt;script&gt;", everything), tag
    assert any(reports.SCRIPT in label for label in read.all("div", "aria-label"))


def test_it_has_everything(everything):
    read = Page(everything)
    assert read.headings[1:4] == ["Results", "Learning curves", "Models"]
    at = read.headings.index(f"kdb:{reports.SCRIPT}", 1) + 1
    assert read.headings[at : at + 6] == [
        "Confusion matrix", "Calibration", "Structure now", "How the structure changed", "Drifts",
        "How features are treated",
    ]  # fmt: skip
    assert "Who has the say" in read.headings
    for words in (
        "Expected calibration error", "the best of 4 models", "bins cut at", "I(X;C), nats",
        "schedule", "drift", "arcs between features", "KDBClassifier", "seed 42", "river 1.2.3",
        "river-kdb evaluate <it>", "whole run", "peak memory", "that time is left out",
        "The model gives labels only", "This model tells of none.",
    ):  # fmt: skip
        assert words in read.text, words


def test_drifts_are_named_and_marked():
    events = reports.stream()
    results = reports.run(events, ("kdb", reports.kdb))
    (at,) = results[0].drift_events
    read = Page(page("s", results))
    assert f"1 detected, after event {at}." in read.text
    assert "Ticks above a picture" in read.text


def test_models_that_failed_say_so(everything):
    read = Page(everything)
    assert "Failed at event 30: RuntimeError: <b>no more</b>" in read.text
    assert "failed after 29 events" in read.text
    assert "Not to be read: structure: IndexError: half a structure" in read.text
    assert "failed after 0 events" in read.text
    # They come last, whatever they had
    failed = read.headings.index("fragile failed after 29 events")
    assert failed > read.headings.index("river:GaussianNB")


def test_a_model_that_finished_and_cannot_be_read_is_an_error():
    results = reports.run(reports.stream(20), ("broken", reports.Broken))
    with pytest.raises(IndexError, match="half a structure"):
        page("s", results)


def test_interrupted_and_nothing_finished():
    results = reports.run(reports.stream(20), ("one", reports.Majority))
    results[0].state = "running"
    read = Page(page("s", results))
    assert read.headings[0] == "No model has finished"
    assert "Interrupted: what follows is what there was by then." in read.text


def test_nothing_started():
    read = Page(page("s", []))
    assert read.headings[:2] == ["No model has finished", "Results"]
    assert "No model has started." in read.text


def test_one_class_only():
    results = reports.run(
        reports.stream(40, n_classes=1), ("kdb", KDBClassifier), "river:GaussianNB"
    )
    read = Page(page("s", results))
    assert read.text.count("class 0 39 100.0% 39") == 2
    assert "kdb and river:GaussianNB" in read.headings[0]


def test_thirty_classes():
    events = reports.stream(300, n_classes=30)
    read = Page(page("s", reports.run(events, "river:GaussianNB", metrics=["accuracy"])))
    assert "10 others" in read.text
    assert "The 10 rarest classes are put together." in read.text
    assert read.all("table", "class") == ["results", "confusion"]


def test_no_drift_and_no_structure():
    results = reports.run(reports.stream(60), ("plain", reports.Majority))
    text = page("s", results)
    read = Page(text)
    assert "Structure now" not in read.headings
    assert "How features are treated" not in read.headings
    assert "Ticks above" not in read.text
    results = reports.run(reports.stream(60, n_classes=2), ("kdb", reports.kdb))
    assert "None detected." in Page(page("s", results)).text


def test_the_best_comes_first_by_the_first_metric():
    events = reports.stream(200)
    specs = ["river:NoChangeClassifier", "river:GaussianNB"]
    by_accuracy = Page(page("s", reports.run(events, *specs, metrics=["accuracy"])))
    by_loss = Page(page("s", reports.run(events, *specs, metrics=["logloss", "accuracy"])))
    assert by_accuracy.headings[0] == by_loss.headings[0] == "river:GaussianNB"


def test_the_same_results_give_the_same_bytes():
    results = reports.run(reports.stream(60), ("plain", reports.Majority), "river:GaussianNB")
    assert page("s", results) == page("s", results)


def test_it_is_written_at_once_or_not_at_all(tmp_path, monkeypatch):
    results = reports.run(reports.stream(20), ("plain", reports.Majority))
    path = tmp_path / "report.html"
    write_page(path, "first", results)
    before = path.read_bytes()
    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError("full")))
        with pytest.raises(OSError, match="full"):
            write_page(path, "second", results)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"]
    write_page(path, "second", results)
    assert b"second" in path.read_bytes()


def test_without_jinja2(monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match=r"river-kdb\[plot\]"):
        page("s", [])
