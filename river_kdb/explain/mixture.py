"""How a mixture treats its features, and who has the say in it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import NamedTuple

from river_kdb.features.encoder import KIND_NAMES
from river_kdb.mixture.experts import Expert
from river_kdb.mixture.learner import MixtureLearner
from river_kdb.mixture.mixing import expert_weights
from river_kdb.mixture.past import past_bytes

_SHOWN = 8


class MixtureFeature(NamedTuple):
    """How one feature is treated.

    Attributes
    ----------
    name
        Its name.
    kind
        `"numeric"`, `"categorical"`, or `"unknown"` while it was always missing.
    slots
        How many values it has in the bins of each chain of networks.
    """

    name: Hashable
    kind: str
    slots: tuple[int, ...]


@dataclass(frozen=True)
class MixtureSummary:
    """How a mixture treats its features, and who has the say in it.

    Attributes
    ----------
    model
        Name of the class.
    n_events
        Events learned.
    classes
        Labels, in the order of their first event.
    features
        One record a feature.
    weights
        Share of every expert in the answer at present, the largest first.
    tables
        What window and tables take.
    notes
        What was left out for want of memory.
    """

    model: str
    n_events: int
    classes: list[Hashable]
    features: list[MixtureFeature]
    weights: dict[Expert, float]
    tables: str
    notes: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        classes = ", ".join(map(repr, self.classes)) or "none"
        lines = [f"{self.model}: {self.n_events} events, classes {classes}"]
        lines += [f"{len(self.weights)} experts; {self.tables}", *self.notes, "share  expert"]
        shown = list(self.weights.items())[:_SHOWN]
        lines += [f"{share:5.1%}  {expert}" for expert, share in shown]
        rest = sum(self.weights.values()) - sum(share for _, share in shown)
        lines.append(f"{rest:5.1%}  all others")
        width = max([len("feature"), *(len(str(name)) for name, _, _ in self.features)])
        lines.append(f"{'feature':{width}}  kind         slots, chain by chain")
        lines += [
            f"{name!s:{width}}  {kind:11}  {' '.join(map(str, slots))}"
            for name, kind, slots in self.features
        ]
        return "\n".join(lines)


def summarise_mixture(model: str, learner: MixtureLearner) -> MixtureSummary:
    """Return the summary of a mixture.

    Parameters
    ----------
    model
        Name of the class.
    learner
        What it has learned.
    """
    store = learner.store
    n_chains = len(learner.chains)
    used = store.banks.used.reshape(n_chains, store.n_features)
    features = [
        MixtureFeature(name, KIND_NAMES[learner.encoder.kinds[i]], tuple(used[:, i].tolist()))
        for i, name in enumerate(learner.encoder.names)
    ]
    shares = dict(zip(learner.experts, expert_weights(learner.mixer).tolist(), strict=True))
    window = past_bytes(store.n_features, store.capacity)
    tables = f"window {window / 2**20:.2f} MiB, families {store.banks.cells.nbytes / 2**20:.2f} MiB"
    return MixtureSummary(
        model,
        store.n_events,
        list(learner.labels),
        features,
        dict(sorted(shares.items(), key=lambda item: -item[1])),
        tables,
        list(learner.notes.values()),
    )
