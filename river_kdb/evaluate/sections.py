"""What the page shows of one model."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from river_kdb.evaluate.confusion import ConfusionTable, confusion_table
from river_kdb.evaluate.figures import Picture, reliability_picture, structure_picture
from river_kdb.evaluate.result import ModelResult

__all__ = ["ChangeRow", "FeatureRow", "ModelSection", "model_section"]

MOST_CHANGES = 60
"""Changes of a structure that are listed, the latest ones."""
MOST_ARCS = 40
"""Arcs that came or went that are listed of a change."""
_MOST_EXPERTS = 10
_MOST_PARENTS = 3

_T = TypeVar("_T")


class FeatureRow(NamedTuple):
    """How a feature is treated, as text; None for what a model does not say."""

    name: str
    kind: str
    slots: str
    missing: float | None
    information: float | None
    parents: str
    note: str


class ChangeRow(NamedTuple):
    """A change of a structure: arcs as text, at most 40 each, and how many there were."""

    event: int
    reason: str
    added: list[str]
    n_added: int
    removed: list[str]
    n_removed: int


@dataclass
class ModelSection:
    """What the page shows of one model; None or empty for what it does not have.

    Attributes
    ----------
    key
        A word that no other model of the page has, for ids.
    result
        What became of it.
    confusion
        The confusion matrix.
    reliability, structure
        Pictures.
    network
        What to call the network that is shown.
    n_arcs
        Arcs of that network, None for a model without one.
    changes, n_changes
        Changes of the structure, the latest first, and how many the model has kept.
    features
        One row a feature, those that say most about the class first.
    experts
        Members with the most say, and their shares.
    notes
        Lines of the summary about counts, tables and what was left out.
    settings
        The model with its parameters.
    unread
        What could not be read from a model that stopped half-way.
    """

    key: str
    result: ModelResult
    confusion: ConfusionTable | None = None
    reliability: Picture | None = None
    structure: Picture | None = None
    network: str = ""
    n_arcs: int | None = None
    changes: list[ChangeRow] = field(default_factory=list)
    n_changes: int = 0
    features: list[FeatureRow] = field(default_factory=list)
    experts: list[tuple[str, float]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    settings: str = ""
    unread: list[str] = field(default_factory=list)


def model_section(result: ModelResult, key: str) -> ModelSection:
    """Gather what the page shows of a model.

    Parameters
    ----------
    result
        What became of it.
    key
        A word that no other model of the page has.
    """
    section = ModelSection(key, result)
    if result.confusion.n_samples:
        section.confusion = confusion_table(result.confusion)
    if result.calibration.n_events and not result.labels_only:
        section.reliability = reliability_picture(result.calibration, result.name, f"{key}-r")
    if result.model is not None:
        section.settings = _read(section, "settings", lambda: repr(result.model)) or ""
    if result.rows and hasattr(result.model, "structure_edges"):
        _read(section, "structure", lambda: _add_structure(section))
    if result.rows and result.own:
        _read(section, "history", lambda: _add_history(section))
        _read(section, "summary", lambda: _add_summary(section))
    return section


def _read(section: ModelSection, what: str, read: Callable[[], _T]) -> _T | None:
    """Call `read`; a model that stopped within an event may not be whole."""
    try:
        return read()
    except Exception as error:
        if section.result.state == "finished":
            raise
        section.unread.append(f"{what}: {type(error).__name__}: {error}")
        return None


def _add_structure(section: ModelSection) -> None:
    model = section.result.model
    edges = model.structure_edges()
    names = list(getattr(model, "feature_names", ()))
    if not names and not edges:
        return
    section.n_arcs = len(edges)
    winner = getattr(model, "winner_", None)
    section.network = "" if winner is None else str(winner)
    section.structure = structure_picture(edges, names, section.result.name, f"{section.key}-s")


def _add_history(section: ModelSection) -> None:
    changes = getattr(section.result.model, "structure_history", [])
    section.n_changes = len(changes)
    section.changes = [
        ChangeRow(
            change.event,
            change.reason,
            _arc_texts(change.added),
            len(change.added),
            _arc_texts(change.removed),
            len(change.removed),
        )
        for change in reversed(changes[-MOST_CHANGES:])
    ]


def _arc_texts(arcs: Sequence[tuple[Hashable, Hashable]]) -> list[str]:
    return [f"{parent} → {child}" for parent, child in arcs[:MOST_ARCS]]


def _add_summary(section: ModelSection) -> None:
    summary = getattr(section.result.model, "summary", None)
    if summary is None:
        return
    rows = [_feature_row(feature) for feature in summary.features]
    section.features = sorted(rows, key=lambda row: -(row.information or 0.0))
    counts = getattr(summary, "counts", "")
    section.notes = [line for line in (counts, summary.tables, *summary.notes) if line]
    shares = list(getattr(summary, "weights", {}).items())
    section.experts = [(str(expert), share) for expert, share in shares[:_MOST_EXPERTS]]
    if len(shares) > _MOST_EXPERTS:
        rest = sum(share for _, share in shares[_MOST_EXPERTS:])
        section.experts.append((f"{len(shares) - _MOST_EXPERTS} others", rest))


def _feature_row(feature: Any) -> FeatureRow:
    slots = feature.slots
    if isinstance(slots, tuple):  # of a mixture, chain by chain
        slots = f"{min(slots)} to {max(slots)}" if min(slots) < max(slots) else str(slots[0])
    return FeatureRow(
        str(feature.name),
        feature.kind,
        str(slots),
        getattr(feature, "missing", None),
        getattr(feature, "information", None),
        _parents_text(getattr(feature, "parents", ())),
        getattr(feature, "note", ""),
    )


def _parents_text(parents: Sequence[Hashable]) -> str:
    names = [str(parent) for parent in parents]
    if len(names) <= _MOST_PARENTS + 1:
        return ", ".join(names)
    return f"{', '.join(names[:_MOST_PARENTS])} and {len(names) - _MOST_PARENTS} more"
