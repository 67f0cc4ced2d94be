"""From the entries of a stream to events and labels."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from river_kdb.consume.entry import Entry, id_text
from river_kdb.consume.errors import BadEntryError

__all__ = ["EntryFormat", "Event", "Label", "label_text"]

_KINDS = {dict: "an object", list: "a list", str: "a text", bool: "true or false"}


class Event(NamedTuple):
    """An event to predict.

    Parameters
    ----------
    id
        What its label is told by.
    x
        Features and values.
    y
        Its label, None if that is still to come.
    """

    id: str
    x: dict[str, Any]
    y: Any


class Label(NamedTuple):
    """A label that comes by itself.

    Parameters
    ----------
    id
        The id of its event.
    y
        The label.
    """

    id: str
    y: Any


@dataclass(frozen=True)
class EntryFormat:
    """What an entry looks like: a field with a JSON object.

    The object's values are texts, numbers, true, false and null. As everywhere in the package,
    null and NaN (which Python's JSON knows) are missing values, and infinite numbers fall into the
    outermost bins. A label is a text, a number, true or false.

    Parameters
    ----------
    target
        The name of the label in the object; it is taken out before the event is predicted.
    field
        The field of the entry that holds the object. Others are left alone.
    id_field
        The name of the event's id in the object, a text or whole number; it is taken out as well.
        None: the id of the entry.
    labels_apart
        Whether an event without a label waits for it, rather than being no use.

    Examples
    --------
    >>> from river_kdb.consume.entry import Entry
    >>> from river_kdb.consume.event import EntryFormat
    >>> form = EntryFormat(target="class")
    >>> form.event(Entry((7, 0), {b"data": b'{"price": 3.5, "day": "Mon", "class": "UP"}'}))
    Event(id='7-0', x={'price': 3.5, 'day': 'Mon'}, y='UP')
    >>> form.event(Entry((8, 0), {b"data": b'{"price": 3.5}'}))
    Traceback (most recent call last):
        ...
    river_kdb.consume.errors.BadEntryError: no target 'class'
    >>> form.label(Entry((1, 0), {b"data": b'{"id": "7-0", "label": "DOWN"}'}))
    Label(id='7-0', y='DOWN')
    """

    target: str
    field: str = "data"
    id_field: str | None = None
    labels_apart: bool = False

    def event(self, entry: Entry) -> Event:
        """Return the event of an entry.

        Parameters
        ----------
        entry
            The entry.

        Raises
        ------
        BadEntryError
            If it holds none.
        """
        x = self._object(entry.fields)
        event_id = id_text(entry.id)
        if self.id_field is not None:
            event_id = _event_id(self.id_field, x.pop(self.id_field, None))
        given = self.target in x
        y = _label(self.target, x.pop(self.target, None))
        if y is None and not self.labels_apart:
            missing = f"the target {self.target!r} is missing"
            raise BadEntryError(missing if given else f"no target {self.target!r}")
        for feature, value in x.items():
            if type(value) in (dict, list):
                raise BadEntryError(f"feature {feature!r} is {_kind(value)}")
        return Event(event_id, x, y)

    def label(self, entry: Entry) -> Label:
        """Return the label of an entry of the labels' stream.

        Parameters
        ----------
        entry
            The entry.

        Raises
        ------
        BadEntryError
            If it holds none.
        """
        told = self._object(entry.fields)
        event_id = _event_id("id", told.get("id"))
        y = _label("label", told.get("label"))
        if y is None:
            raise BadEntryError("no 'label'")
        return Label(event_id, y)

    def _object(self, fields: Mapping[bytes, bytes] | None) -> dict[str, Any]:
        data = None if fields is None else fields.get(self.field.encode())
        if data is None:
            raise BadEntryError(f"no field {self.field!r}")
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise BadEntryError(f"not UTF-8: {error.reason} at byte {error.start}") from None
        try:
            found = json.loads(text)
            if "\\ud" in text or "\\uD" in text:
                json.dumps(found, ensure_ascii=False).encode("utf-8")
        except UnicodeEncodeError:
            raise BadEntryError("a text is no Unicode: half of a surrogate pair") from None
        except (ValueError, RecursionError) as error:
            raise BadEntryError(f"not JSON: {error}") from None
        if type(found) is not dict:
            raise BadEntryError(f"not a JSON object, but {_kind(found)}")
        return found


def label_text(label: Any) -> str:
    """Return a label as it is written to a stream: texts as they are, the rest as JSON.

    Parameters
    ----------
    label
        The label; None, where there is none, is an empty text.

    Examples
    --------
    >>> from river_kdb.consume.event import label_text
    >>> label_text("UP"), label_text(3), label_text(True), label_text(None)
    ('UP', '3', 'true', '')
    """
    if isinstance(label, str):
        return label
    return "" if label is None else json.dumps(label)


def _event_id(name: str, value: Any) -> str:
    if type(value) is str:
        return value
    if type(value) is int:
        return str(value)
    if value is None:
        raise BadEntryError(f"no id {name!r}")
    raise BadEntryError(f"the id {name!r} is {_kind(value)}, not a text or whole number")


def _label(name: str, value: Any) -> Any:
    """Return a checked label, None where it is missing."""
    if type(value) in (dict, list):
        raise BadEntryError(f"the label {name!r} is {_kind(value)}")
    if type(value) is float and not math.isfinite(value):
        if math.isnan(value):
            return None
        raise BadEntryError(f"the label {name!r} is infinite")
    return value


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    return _KINDS.get(type(value), "a number")
