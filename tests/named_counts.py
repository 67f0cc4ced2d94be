"""The counts of a model by name, read from its tables, and as plain dicts count them."""

from __future__ import annotations

import copy
import itertools
import math
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any

from river_kdb.features.boxes import unbox
from tests.counts.blocks import read_family, read_pair, read_triple

MISSING, OTHER, ANY = "<missing>", "<other>", "<any value>"

Tables = dict[tuple, dict]
"""For the names of some features: weight by values and label; ("family", child, parents) likewise,
("parents", ...) for the contexts alone."""


# -- Tables of a model ---------------------------------------------------------------------------


def slot_names(model: Any, i: int) -> dict[int, Hashable]:
    """What each slot of feature number i stands for."""
    encoder, coder = model._learner.encoder, model._learner.coder
    found: dict[int, Hashable] = {}
    if coder.bin_start[i] >= 0:
        found = {coder.bin_start[i] + b: ("bin", b) for b in range(len(coder.cuts[i]) + 1)}
    found |= {slot: value for value, slot in slotted(encoder, coder, i).items()}
    found[coder.missing[i]] = MISSING
    found[coder.other[i]] = ANY if coder.other[i] == coder.bin_start[i] else OTHER
    return found


def slotted(encoder: Any, coder: Any, i: int) -> dict[Hashable, int]:
    """The categories of feature number i that have a slot of their own."""
    ids = {value: unbox(cell) for value, cell in encoder.vocabularies[i].items()}
    slots = coder.slot_of_id[i].tolist()
    return {v: slots[k] for v, k in ids.items() if k < len(slots) and slots[k] >= 0}


def tables_of(model: Any) -> Tables:
    """All tables of a model, up to date, without zeros."""
    model = copy.deepcopy(model)
    learner = model._learner
    store, names, labels = learner.store, learner.encoder.names, learner.labels
    store.sync_pairs()
    store.sync_triples()
    slots = [slot_names(model, i) for i in range(len(names))]

    def named(features: Sequence[int], counts: dict) -> dict:
        return {
            (tuple(slots[i][s] for i, s in zip(features, values, strict=True)), labels[c]): n
            for (values, c), n in counts.items()
        }

    found: Tables = {(): {((), labels[c]): n for c, n in _cells(store.singles.classes).items()}}
    for i, name in enumerate(names):
        first, cap = int(store.singles.start[i]), int(store.layout.caps[i])
        rows = {s: _cells(store.singles.cells[first + s]) for s in range(cap)}
        found[name,] = named([i], {((s,), c): n for s, row in rows.items() for c, n in row.items()})
    if store.pairs is not None and not store.windowed:
        members = store.pairs.members.tolist()
        for a, b in itertools.combinations(range(len(members)), 2):
            features = [members[a], members[b]]
            found[tuple(names[i] for i in features)] = named(features, read_pair(store.pairs, a, b))
    if store.triples is not None:
        members = store.triples.members.tolist()
        for three in itertools.combinations(range(len(members)), 3):
            features = [members[a] for a in three]
            found[tuple(names[i] for i in features)] = named(
                features, read_triple(store.triples, *three)
            )
    for f, (child, parents) in enumerate(store.keys):
        caps = [int(store.layout.caps[p]) for p in parents]
        both, whole = read_family(store.families, f, caps)
        above = tuple(names[p] for p in parents)
        found["family", names[child], above] = named([child, *parents], both)
        found["parents", names[child], above] = named(parents, whole)
    return found


def _cells(row: Any) -> dict[int, float]:
    return {c: n for c, n in enumerate(row.tolist()) if n}


# -- What they should be -------------------------------------------------------------------------


class FrozenCoding:
    """Which value stands for what, by the cut points and categories of a frozen model."""

    def __init__(self, model: Any) -> None:
        learner = model._learner
        self.skips = model.missing == "skip"
        self.features = {
            name: (
                learner.coder.cuts[i].tolist(),
                set(slotted(learner.encoder, learner.coder, i)),
                learner.encoder.kinds[i],
            )
            for i, name in enumerate(learner.encoder.names)
            if learner.coder.other[i] < 0 or learner.coder.bin_start[i] != learner.coder.other[i]
        }

    def value(self, name: Hashable, value: Any) -> Hashable:
        """What a value stands for; None where it is left out."""
        if value is None or value != value:
            return None if self.skips else MISSING
        if name not in self.features:
            return ANY
        cuts, own, kind = self.features[name]
        if kind == 1 and isinstance(value, (int, float)) and not isinstance(value, bool):
            return ("bin", sum(cut < value for cut in cuts))
        return value if value in own else OTHER


def count_by_name(events: list, weights: Sequence[float], coding: Any, wanted: Tables) -> Tables:
    """The tables that are wanted, counted one event after the other."""
    rows = [({name: x.get(name) for name in _names(events)}, y) for x, y in events]
    found: Tables = {}
    for key in wanted:
        features = key
        if key[:1] == ("family",) and len(key) == 3:
            features = (key[1], *key[2])
        elif key[:1] == ("parents",) and len(key) == 3:
            features = (*key[2], key[1])
        counts: Counter = Counter()
        for (x, y), w in zip(rows, weights, strict=True):
            values = tuple(coding.value(name, x.get(name)) for name in features)
            if None in values:
                continue
            if key[:1] == ("parents",) and len(key) == 3:
                values = values[:-1]
            counts[values, y] += w
        found[key] = {k: n for k, n in counts.items() if n}
    return found


def _names(events: list) -> set:
    return {name for x, _ in events for name in x}


def is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))
