"""The networks that a model learned for one event, for people to read."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

__all__ = ["EventNetwork", "event_network"]


@dataclass(frozen=True)
class EventNetwork:
    """A network that holds for one event.

    Attributes
    ----------
    title
        Which of the model's networks it is.
    order
        Names of the features whose value was learned, in the order of the network.
    parents
        Names of the parents of each, the strongest first.
    local
        What orders the features: their local measure, in nats.
    arcs
        The local measure of each arc, given as a parent and a child, in nats.
    posterior
        Probability of each label under this network alone; empty where it has none of its own.
    """

    title: str
    order: list[Hashable]
    parents: dict[Hashable, list[Hashable]]
    local: dict[Hashable, float]
    arcs: dict[tuple[Hashable, Hashable], float]
    posterior: dict[Hashable, float]

    def __str__(self) -> str:
        shares = ", ".join(f"{label!r} {p:.4f}" for label, p in self.posterior.items())
        lines = [f"{self.title}: {shares}" if shares else self.title]
        for name in self.order:
            given = ", ".join(
                f"{parent} ({self.arcs[parent, name]:.4f})" for parent in self.parents[name]
            )
            lines.append(f"  {name} ({self.local[name]:.4f})" + (f" | {given}" if given else ""))
        return "\n".join(lines)


def event_network(
    title: str,
    names: Sequence[Hashable],
    order: np.ndarray,
    parents: np.ndarray,
    single: np.ndarray,
    pair: np.ndarray,
    posterior: dict[Hashable, float],
) -> EventNetwork:
    """Return the network of one event by names.

    Parameters
    ----------
    title
        Which of the model's networks it is.
    names
        Names of the features.
    order
        int array: the features in the order of the network.
    parents
        int array of shape (n_features, k): parents, the strongest first, -1 for none.
    single
        float array of shape (n_features,): what orders the features.
    pair
        float array of shape (n_features, n_features): at [j, i] the measure of X_i as a parent
        of X_j.
    posterior
        Probability of each label.
    """
    found = {int(j): [int(i) for i in parents[j] if i >= 0] for j in order}
    return EventNetwork(
        title,
        [names[j] for j in found],
        {names[j]: [names[i] for i in chosen] for j, chosen in found.items()},
        {names[j]: float(single[j]) for j in found},
        {(names[i], names[j]): float(pair[j, i]) for j, chosen in found.items() for i in chosen},
        posterior,
    )
