"""What an entry may hold, and what is said of the others."""

from __future__ import annotations

import json
import math

import pytest

from river_kdb.consume.entry import Entry, id_text, read_id
from river_kdb.consume.errors import BadEntryError
from river_kdb.consume.event import EntryFormat, Event, Label, label_text
from tests.consume.entries import entry, raw_entry

FORM = EntryFormat("y")
APART = EntryFormat("y", id_field="key", labels_apart=True)


def test_an_id_and_back():
    assert [id_text(read_id(text)) for text in (b"0-1", "1700000000000-12")] == [
        "0-1", "1700000000000-12",
    ]  # fmt: skip
    assert read_id("9-2") < read_id("9-10") < read_id("10-0")


def test_every_kind_of_value():
    event = FORM.event(entry(7, a=1, b=-2.5, c="é", d=True, e=None, y="UP"))
    assert event == Event("7-0", {"a": 1, "b": -2.5, "c": "é", "d": True, "e": None}, "UP")


def test_nan_is_missing_and_infinite_numbers_are_numbers():
    event = FORM.event(raw_entry(1, b'{"a": NaN, "b": -Infinity, "y": 1}'))
    assert math.isnan(event.x["a"])
    assert event.x["b"] == -math.inf


@pytest.mark.parametrize("label", ["UP", "", 0, 3, 2.5, False])
def test_labels(label):
    assert FORM.event(entry(1, y=label)).y == label
    assert APART.label(entry(1, id=5, label=label)) == Label("5", label)


def test_an_event_without_its_label_waits_where_labels_come_apart():
    for x in (
        entry(1, key="k"),
        entry(1, key="k", y=None),
        raw_entry(1, b'{"key": "k", "y": NaN}'),
    ):
        assert APART.event(x) == Event("k", {}, None)


def test_another_field():
    assert EntryFormat("y", field="json").event(Entry((3, 1), {b"json": b'{"y": 1}'})).id == "3-1"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\xff{}", "not UTF-8: invalid start byte at byte 0"),
        ('{"y": 1}'.encode("utf-16"), "not UTF-8"),
        (b"\xef\xbb\xbf{}", "not JSON"),
        (b"", "not JSON"),
        (b'{"y": 1', "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b'{"a": ' + b"1" * 5000 + b"}", "not JSON"),
        (b"[1, 2]", "not a JSON object, but a list"),
        (b"null", "not a JSON object, but null"),
        (b"3", "not a JSON object, but a number"),
        (b'"text"', "not a JSON object, but a text"),
        (b'{"a": 1}', "no target 'y'"),
        (b'{"y": null}', "the target 'y' is missing"),
        (b'{"y": NaN}', "the target 'y' is missing"),
        (b'{"y": -Infinity}', "the label 'y' is infinite"),
        (b'{"y": [1]}', "the label 'y' is a list"),
        (b'{"y": {}}', "the label 'y' is an object"),
        (b'{"y": 1, "a": [1]}', "feature 'a' is a list"),
        (b'{"y": 1, "a": {"b": 1}}', "feature 'a' is an object"),
        (b'{"y": "\\ud800"}', "a text is no Unicode: half of a surrogate pair"),
    ],
)
def test_bad_events(data, reason):
    with pytest.raises(BadEntryError) as error:
        FORM.event(raw_entry(1, data))
    assert str(error.value).startswith(reason)


def test_a_flat_entry():
    with pytest.raises(BadEntryError, match=r"^no field 'data'$"):
        FORM.event(Entry((1, 0), {b"a": b"1", b"y": b"UP"}))


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        ({}, "no id 'key'"),
        ({"key": None}, "no id 'key'"),
        ({"key": 1.5}, "the id 'key' is a number, not a text or whole number"),
        ({"key": True}, "the id 'key' is true or false, not a text or whole number"),
    ],
)
def test_bad_ids(found, reason):
    with pytest.raises(BadEntryError, match=f"^{reason}$"):
        APART.event(entry(1, **found))


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        ({"label": 1}, "no id 'id'"),
        ({"id": "k"}, "no 'label'"),
        ({"id": "k", "label": None}, "no 'label'"),
        ({"id": [1], "label": 1}, "the id 'id' is a list, not a text or whole number"),
        ({"id": "k", "label": {}}, "the label 'label' is an object"),
    ],
)
def test_bad_labels(found, reason):
    with pytest.raises(BadEntryError, match=f"^{reason}$"):
        APART.label(entry(1, **found))


def test_surrogates_in_pairs_are_a_character():
    assert FORM.event(raw_entry(1, json.dumps({"y": "😀"}).encode())).y == "😀"


def test_label_texts():
    assert [label_text(y) for y in ("a", 1, 1.5, False, None)] == ["a", "1", "1.5", "false", ""]
