"""How a model treats its features, and the structure in use."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

import numpy as np

from river_kdb.counts.clock import UNIT
from river_kdb.counts.pairs import pairs_bytes
from river_kdb.counts.window import window_bytes
from river_kdb.features.encoder import KIND_NAMES, NUMERIC
from river_kdb.learner import Learner
from river_kdb.structure.structure import absent_features, arcs


@dataclass(frozen=True)
class FeatureSummary:
    """How one feature is treated.

    Attributes
    ----------
    name
        Its name.
    kind
        `"numeric"`, `"categorical"`, or `"unknown"` while it was always missing.
    slots
        How many values it has for the model: bins, categories, missing and other.
    missing
        Share of the events in which it was missing, by weight.
    information
        I(X; C) in nats.
    parents
        Names of its parents in the networks in use, but for the class.
    note
        What else there is to say: the bins, or the categories.
    """

    name: Hashable
    kind: str
    slots: int
    missing: float
    information: float
    parents: list[Hashable]
    note: str


@dataclass(frozen=True)
class Summary:
    """How a model treats its features, and the structure in use.

    Attributes
    ----------
    model
        Name of the class.
    n_events
        Events learned.
    classes
        Weight of the events of each label, as much as is left of it.
    features
        One record a feature.
    edges
        Arcs between features, as pairs of a parent and a child.
    n_members
        How many networks are combined.
    counts
        Where the counts of pairs come from, and why.
    tables
        Which counts are kept, and what they take.
    notes
        What was left out for want of memory.
    is_frozen
        Whether cut points, slots and structure stay as they are.
    """

    model: str
    n_events: int
    classes: dict[Hashable, float]
    features: list[FeatureSummary]
    edges: list[tuple[Hashable, Hashable]]
    n_members: int
    counts: str
    tables: str
    notes: list[str] = field(default_factory=list)
    is_frozen: bool = False

    def __str__(self) -> str:
        counts = ", ".join(f"{label!r} {weight:g}" for label, weight in self.classes.items())
        rows = [("feature", "kind", "slots", "missing", "I(X;C)", "parents", "values")]
        rows += [
            (
                str(f.name),
                f.kind,
                str(f.slots),
                f"{f.missing:.1%}",
                f"{f.information:.4f}",
                ", ".join(str(p) for p in f.parents) or "-",
                f.note,
            )
            for f in self.features
        ]
        widths = [max(len(row[j]) for row in rows) for j in range(6)]
        table = [
            "  ".join([*(cell.ljust(w) for cell, w in zip(row, widths, strict=False)), row[6]])
            for row in rows
        ]
        networks = f"{self.n_members} networks" if self.n_members > 1 else "1 network"
        head = f"{self.model}: {self.n_events} events, classes {counts or 'none'}"
        head += "; frozen" if self.is_frozen else ""
        return "\n".join(
            [
                head,
                f"{networks}, {len(self.edges)} arcs; {self.tables}",
                self.counts,
                *self.notes,
                *table,
            ]
        )


def summarise(model: str, learner: Learner) -> Summary:
    """Return the summary of a model.

    Parameters
    ----------
    model
        Name of the class.
    learner
        What the model has learned.
    """
    store, names = learner.store, learner.encoder.names
    edges = [(names[i], names[j]) for i, j in arcs(learner.structure)]
    information = learner.information()
    parents: dict[Hashable, list[Hashable]] = {}
    for parent, child in edges:
        parents.setdefault(child, []).append(parent)
    features = [
        FeatureSummary(
            name=name,
            kind=KIND_NAMES[learner.encoder.kinds[i]],
            slots=int(store.singles.used[i]),
            missing=_missing_share(learner, i),
            information=float(information[i]),
            parents=parents.get(name, []),
            note=_note(learner, i),
        )
        for i, name in enumerate(names)
    ]
    weights = store.singles.classes / store.clock[UNIT]
    classes = {label: float(weights[c]) for c, label in enumerate(learner.labels)}
    return Summary(
        model,
        store.n_events,
        classes,
        features,
        edges,
        len(learner.program.levels),
        _counts(learner),
        _tables(learner),
        list(learner.notes.values()),
        learner.is_frozen,
    )


def _missing_share(learner: Learner, i: int) -> float:
    singles = learner.store.singles
    total = float(singles.classes.sum())
    if not total:
        return 0.0
    slot = learner.coder.missing[i]
    if slot >= 0:
        return float(singles.totals[singles.start[i] + slot]) / total
    return 1.0 - float(singles.sums[i].sum()) / total


def _note(learner: Learner, i: int) -> str:
    coder = learner.coder
    parts = []
    if coder.is_shared(i):
        parts.append("all values share a slot")
    elif learner.encoder.kinds[i] == NUMERIC:
        cuts = ", ".join(f"{cut:.4g}" for cut in coder.cuts[i])
        parts.append(f"bins cut at {cuts}" if cuts else "1 bin")
    if coder.n_own[i]:
        parts.append(f"{coder.n_own[i]} categories")
    if coder.other[i] >= 0 and not coder.is_shared(i):
        parts.append("rare ones share OTHER")
    pairs = learner.store.pairs
    if pairs is not None and i not in pairs.members:
        parts.append("no pairs: naive Bayes factor (max_size)")
    if i in absent_features(learner.structure):
        parts.append("left out by the selection")
    return "; ".join(parts)


def _counts(learner: Learner) -> str:
    store, asked = learner.store, learner.settings.counts
    if store.pairs is None:
        return "counts: of single features" + (", so far" if store.wants_pairs else "")
    size = pairs_bytes(store.layout, np.arange(store.n_features)) / 2**20
    if store.windowed and asked == "bitset":
        return "counts: sets of the window, as asked for"
    if store.windowed:
        return f"counts: sets of the window, since tables of all pairs would take {size:.0f} MiB"
    if asked == "bitset":
        return "counts: tables of pairs, since the sets of the window don't fit"
    if asked == "dense":
        return "counts: tables of pairs, as asked for"
    if len(store.pairs.members) < store.n_features:
        return "counts: tables of some pairs, since neither all of them nor the sets fit"
    return f"counts: tables of pairs, since all fit ({size:.2f} MiB)"


def _tables(learner: Learner) -> str:
    store = learner.store
    sizes = {
        "window": window_bytes(store.n_features, store.capacity, store.fades),
        "singles": store.singles.cells.nbytes,
        "pairs": store.pairs.cells.nbytes if store.pairs is not None else 0,
        "triples": store.triples.cells.nbytes if store.triples is not None else 0,
        "families": store.families.cells.nbytes,
        "sets": sum(array.nbytes for array in store.bitsets[:6]) if store.keeps_sets else 0,
    }
    kept = [f"{name} {size / 2**20:.2f} MiB" for name, size in sizes.items() if size]
    return "tables: " + (", ".join(kept) or "none")
