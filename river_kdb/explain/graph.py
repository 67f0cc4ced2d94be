"""The structure of a model as a networkx graph."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from river_kdb.explain.tables import ValueTables, information_of
from river_kdb.features.encoder import KIND_NAMES
from river_kdb.information import conditional_information
from river_kdb.structure.structure import ABSENT, Structure, arcs

__all__ = ["arc_shares", "class_shares", "information_of_arc", "structure_digraph"]


def structure_digraph(
    names: Sequence[Hashable],
    kinds: Sequence[int],
    tables: ValueTables,
    shares: np.ndarray,
    arc_shares: Mapping[tuple[int, int], float],
    events: tuple[np.ndarray, np.ndarray, np.ndarray],
    class_node: Hashable,
) -> Any:
    """Return a structure as a `networkx.DiGraph`.

    Parameters
    ----------
    names, kinds
        Names and kinds of the features.
    tables
        How often each value came with each class.
    shares
        float array of shape (n_features,): weight of the arc from the class to each feature, 0
        for no arc.
    arc_shares
        Weights of the arcs between features, given as a parent and a child.
    events
        Raw rows (n, b), labels (b,) and weights (b,) to measure the arcs between features on.
    class_node
        The node of the class.

    Raises
    ------
    ImportError
        If networkx is not installed.
    ValueError
        If a feature has the name of the node of the class.
    """
    try:
        import networkx as nx
    except ImportError as error:
        needed = 'to_networkx() needs networkx: pip install "river-kdb[explain]"'
        raise ImportError(needed) from error
    if class_node in names:
        raise ValueError(f"class_node={class_node!r} is the name of a feature: choose another")
    graph = nx.DiGraph()
    graph.add_node(class_node, kind="class", slots=tables.cells.shape[1])
    information = information_of(tables).tolist()
    totals = tables.cells.sum(axis=1) > 0.0
    for i, name in enumerate(names):
        slots = int(np.count_nonzero(totals[tables.rows[i] : tables.rows[i + 1]]))
        kind = KIND_NAMES[kinds[i]]
        graph.add_node(name, kind=kind, slots=slots, information=information[i])
        if shares[i] > 0.0:
            graph.add_edge(class_node, name, weight=float(shares[i]))
    raw, labels, weights = events
    codes = tables.coder.code(raw)
    for (i, j), share in arc_shares.items():
        cmi = information_of_arc(codes[i], codes[j], labels, weights)
        graph.add_edge(names[i], names[j], weight=share, cmi=cmi)
    return graph


def information_of_arc(
    a: np.ndarray, b: np.ndarray, labels: np.ndarray, weights: np.ndarray
) -> float:
    """Return I(A; B | C) over the events in which neither is left out, in nats.

    Parameters
    ----------
    a, b, labels
        int arrays of shape (n_events,): codes, negative where left out, and classes.
    weights
        float array of shape (n_events,).

    Examples
    --------
    >>> import numpy as np
    >>> from river_kdb.explain.graph import information_of_arc
    >>> x, c = np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1])
    >>> round(information_of_arc(x, x, c, np.ones(4)), 6)
    0.693147
    """
    there = (a >= 0) & (b >= 0)
    if not there.any():
        return 0.0
    shape = int(a.max()) + 1, int(b.max()) + 1, int(labels.max()) + 1
    cell = np.ravel_multi_index((a[there], b[there], labels[there]), shape)
    counts = np.bincount(cell, weights[there], math.prod(shape)).reshape(shape)
    return float(conditional_information(counts))


def class_shares(structure: Structure) -> np.ndarray:
    """Return the share of the member networks that have a factor of each feature (n,).

    Parameters
    ----------
    structure
        The structure.
    """
    if not structure.parents.shape[2]:
        return np.ones(structure.parents.shape[1])
    shares = _member_shares(structure)
    return shares @ (structure.parents[:, :, 0] != ABSENT)


def arc_shares(structure: Structure) -> dict[tuple[int, int], float]:
    """Return the share of the member networks that have each arc, by parent and child.

    An arc that each event may choose counts as one that the network has.

    Parameters
    ----------
    structure
        The structure.
    """
    shares = _member_shares(structure)
    has_arc = {
        (i, j): (structure.parents[:, j] == i).any(axis=1).astype(float) for i, j in arcs(structure)
    }
    chosen = structure.candidates[:, : structure.parents.shape[2]]
    return {
        (i, j): 1.0 if len(chosen) and i in chosen[j] else float(shares @ has)
        for (i, j), has in has_arc.items()
    }


def _member_shares(structure: Structure) -> np.ndarray:
    return structure.weights / structure.weights.sum()
