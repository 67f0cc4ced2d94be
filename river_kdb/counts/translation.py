"""Counts and events of another model in the layout of this one.

Slots, classes and features may stand in another order there; no two of them stand for the same.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from river_kdb.counts.families import CAP, START, Families, Key
from river_kdb.counts.layout import Layout
from river_kdb.counts.pairs import Pairs
from river_kdb.counts.singles import Singles, recount_used
from river_kdb.counts.triples import Triples
from river_kdb.counts.window import Window, is_fading, new_window


class Translation(NamedTuple):
    """Where another model keeps what this one knows, and what its codes mean here.

    Attributes
    ----------
    features
        int64 array of shape (n_features,), rising: the index of every feature in the other model,
        which has all of them.
    slots
        For every feature an int64 array: the slot here for every slot of the other model.
    classes
        int64 array: the class here for every class of the other model.
    """

    features: np.ndarray
    slots: list[np.ndarray]
    classes: np.ndarray


def places_of(members: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return the number of every member (n,) among other members, -1 for none.

    Parameters
    ----------
    members
        int array of shape (n,): features, as the others are numbered.
    others
        int64 array of shape (m,), rising.
    """
    number = {feature: a for a, feature in enumerate(others.tolist())}
    return np.array([number.get(i, -1) for i in members.tolist()], dtype=np.int64)


def add_singles_of(into: Singles, other: Singles, translation: Translation) -> None:
    """Add the counts of another model's classes and features.

    Parameters
    ----------
    into
        The tables to add to.
    other
        The other tables, in the same unit.
    translation
        What the other model's codes mean here.
    """
    features, slots, classes = translation
    m = len(classes)
    into.classes[classes] += other.classes[:m]
    for i, j in enumerate(features.tolist()):
        here, there = into.start[i] + slots[i], other.start[j] + np.arange(len(slots[i]))
        into.cells[np.ix_(here, classes)] += other.cells[there, :m]
        into.totals[here] += other.totals[there]
        into.sums[i, classes] += other.sums[j, :m]
    recount_used(into)


class _Columns(NamedTuple):
    """Where the slots of all members stand side by side, here (cols,) and in the other tables."""

    here: np.ndarray
    there: np.ndarray
    bounds: np.ndarray

    @classmethod
    def of(
        cls, into: Pairs | Triples, other: Pairs | Triples, place: np.ndarray, slots: list
    ) -> _Columns:
        none = np.zeros(0, dtype=np.int64)
        here = [into.offset[b] + slots[b] for b in range(len(place))]
        there = [other.offset[p] + np.arange(len(slots[b])) for b, p in enumerate(place)]
        bounds = np.cumsum([0, *map(len, slots)])
        return cls(np.concatenate([none, *here]), np.concatenate([none, *there]), bounds)

    def after(self, b: int, into: Pairs | Triples, other: Pairs | Triples, p: int) -> tuple:
        """Return the columns of the members after number `b` (`p` there), counted from it."""
        first = self.bounds[b + 1]
        here = self.here[first:] - into.offset[b] - into.caps[b]
        return here, self.there[first:] - other.offset[p] - other.caps[p]


def add_pairs_of(into: Pairs, other: Pairs, translation: Translation) -> None:
    """Add the counts of another model's pairs, which has those of all members.

    Parameters
    ----------
    into, other, translation
        As for `add_singles_of`.
    """
    place = places_of(translation.features[into.members], other.members)
    slots = [translation.slots[i] for i in into.members.tolist()]
    columns, classes = _Columns.of(into, other, place, slots), translation.classes
    for a, p in enumerate(place.tolist()):
        here, there = columns.after(a, into, other, p)
        block, others = _pair_block(into, a), _pair_block(other, p)
        block[np.ix_(slots[a], here, classes)] += others[: len(slots[a]), there, : len(classes)]


def _pair_block(pairs: Pairs, a: int) -> np.ndarray:
    """Return the rows of member `a` with all later ones as a view (slots, columns, M)."""
    shape = pairs.caps[a], pairs.width[a], pairs.cells.shape[1]
    first = pairs.base[a] + pairs.offset[a] + pairs.caps[a]
    return pairs.cells[first : first + int(np.prod(shape[:-1]))].reshape(shape)


def add_triples_of(into: Triples, other: Triples, translation: Translation) -> None:
    """Add the counts of another model's triples, which has those of all members.

    Parameters
    ----------
    into, other, translation
        As for `add_singles_of`.
    """
    place = places_of(translation.features[into.members], other.members)
    slots = [translation.slots[i] for i in into.members.tolist()]
    columns, classes = _Columns.of(into, other, place, slots), translation.classes
    for a, p in enumerate(place.tolist()):
        for b in range(a + 1, len(place)):
            q = int(place[b])
            here, there = columns.after(b, into, other, q)
            block, others = _triple_block(into, a, b), _triple_block(other, p, q)
            block[np.ix_(slots[a], slots[b], here, classes)] += others[
                : len(slots[a]), : len(slots[b]), there, : len(classes)
            ]


def _triple_block(triples: Triples, a: int, b: int) -> np.ndarray:
    """Return the rows of members `a` and `b` with all later ones as a view."""
    shape = triples.caps[a], triples.caps[b], triples.width[b], triples.cells.shape[1]
    first = triples.base[a, b] + triples.offset[b] + triples.caps[b]
    return triples.cells[first : first + int(np.prod(shape[:-1]))].reshape(shape)


def add_families_of(
    into: Families,
    layout: Layout,
    other: Families,
    other_layout: Layout,
    keys: list[Key],
    translation: Translation,
) -> None:
    """Add the counts of the same families in another model.

    Parameters
    ----------
    into, other, translation
        As for `add_singles_of`.
    layout, other_layout
        Room of the tables.
    keys
        The families, by the features here.
    """
    features, slots, classes = translation
    m = len(classes)
    for f, (child, parents) in enumerate(keys):
        here = _family_block(into, f, [int(layout.caps[p]) for p in parents])
        caps = [int(other_layout.caps[features[p]]) for p in parents]
        contexts = [slots[p] for p in parents]
        known = tuple(slice(len(context)) for context in contexts)
        there = _family_block(other, f, caps)[known]
        own, whole = slots[child], there[..., int(other.spec[f, CAP]), :m]
        here[np.ix_(*contexts, own, classes)] += there[..., : len(own), :m]
        here[..., int(into.spec[f, CAP]), :][np.ix_(*contexts, classes)] += whole


def _family_block(families: Families, f: int, parent_caps: list[int]) -> np.ndarray:
    """Return the rows of a family as a view (parents' slots, child's slots and their sum, M)."""
    shape = (*parent_caps, int(families.spec[f, CAP]) + 1, families.cells.shape[1])
    first = int(families.spec[f, START])
    return families.cells[first : first + int(np.prod(shape[:-1]))].reshape(shape)


def translated(events: Window, translation: Translation, raw: np.ndarray) -> Window:
    """Return events of another model as this one would keep them.

    Parameters
    ----------
    events
        The events.
    translation
        What the other model's codes mean here.
    raw
        float64 array of shape (n_features, n_events): their raw rows, as they are here.
    """
    codes = np.ascontiguousarray(events.codes[translation.features])
    for own, slots in zip(codes, translation.slots, strict=True):
        known = own >= 0
        own[known] = slots[own[known]]
    labels = translation.classes[events.labels].astype(np.int32)
    return Window(raw, codes, labels, events.weights, events.counted)


def joined_window(first: Window, then: Window, n_events: int, capacity: int) -> Window:
    """Return a window of the latest of some events and those that followed them.

    Parameters
    ----------
    first, then
        The events, oldest first.
    n_events
        How many there ever were.
    capacity
        The capacity to have.
    """
    joined = new_window(len(first.raw), capacity, is_fading(first))
    n_held = min(capacity, len(first.labels) + len(then.labels))
    at = np.arange(n_events - n_held, n_events) % capacity
    for before, after, target in zip(first, then, joined, strict=True):
        both = np.concatenate([before, after], axis=-1)
        target[..., at] = both[..., both.shape[-1] - n_held :]
    return joined
