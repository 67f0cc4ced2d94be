"""Where the nodes and arcs of a network go: layers from top to bottom (after Sugiyama).

Pure functions of names, arcs and sizes; nothing here knows matplotlib. Lengths are in inches.

"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

__all__ = ["Layout", "arrange", "layers_of"]

Arc = tuple[str, str]


class Bend(NamedTuple):
    """The place where a long arc passes through a layer."""

    parent: str
    child: str
    layer: int


Node = str | Bend


@dataclass(frozen=True)
class Layout:
    """Where everything is.

    `places` has the centre of every feature and of every bend, `layers` the features by layer,
    `routes` the bends of every arc from its parent down to its child.

    """

    places: dict[Node, tuple[float, float]]
    layers: list[list[Node]]
    routes: dict[Arc, list[Bend]]


def layers_of(features: Sequence[str], arcs: Sequence[Arc], width: int) -> list[list[str]] | None:
    """Put every feature into a layer below all its parents, at most `width` to a layer.

    Returns None if the arcs go in circles.

    Examples
    --------
    >>> from river_kdb.plot.layout import layers_of
    >>> layers_of(["a", "b", "c", "d"], [("a", "b"), ("b", "c"), ("a", "c")], width=3)
    [['a', 'd'], ['b'], ['c']]
    >>> layers_of(["a", "b"], [("a", "b"), ("b", "a")], width=3) is None
    True

    """
    parents: dict[str, set[str]] = {feature: set() for feature in features}
    children: dict[str, set[str]] = {feature: set() for feature in features}
    for parent, child in arcs:
        parents[child].add(parent)
        children[parent].add(child)
    waiting = {feature: len(parents[feature]) for feature in features}
    ready = [feature for feature in features if not waiting[feature]]
    layer: dict[str, int] = {}
    filled: dict[int, int] = defaultdict(int)
    while ready:
        # Features with many children first: what hangs on them should not have to wait
        ready.sort(key=lambda f: (_above(f, parents, layer), -len(children[f])))
        feature = ready.pop(0)
        at = _above(feature, parents, layer)
        while filled[at] >= width:
            at += 1
        layer[feature] = at
        filled[at] += 1
        for child in sorted(children[feature]):
            waiting[child] -= 1
            if not waiting[child]:
                ready.append(child)
    if len(layer) < len(features):
        return None
    found: list[list[str]] = [[] for _ in range(max(layer.values(), default=-1) + 1)]
    for feature in features:
        found[layer[feature]].append(feature)
    return found


def _above(feature: str, parents: Mapping[str, set[str]], layer: Mapping[str, int]) -> int:
    return max((layer[parent] + 1 for parent in parents[feature]), default=0)


def arrange(
    layers: Sequence[Sequence[str]],
    arcs: Sequence[Arc],
    widths: Mapping[str, float],
    gap: float = 0.3,
    bend_width: float = 0.16,
    layer_height: float = 0.9,
) -> Layout:
    """Order every layer so that few arcs cross, and place it so that they are short."""
    level = {feature: i for i, layer in enumerate(layers) for feature in layer}
    nodes: list[list[Node]] = [list(layer) for layer in layers]
    routes: dict[Arc, list[Bend]] = {}
    above: dict[Node, list[Node]] = defaultdict(list)
    below: dict[Node, list[Node]] = defaultdict(list)
    for parent, child in arcs:
        bends = [Bend(parent, child, i) for i in range(level[parent] + 1, level[child])]
        routes[parent, child] = bends
        chain: list[Node] = [parent, *bends, child]
        for upper, lower in pairwise(chain):
            below[upper].append(lower)
            above[lower].append(upper)
        for bend in bends:
            nodes[bend.layer].append(bend)
    # Long arcs start out above where they lead to
    share = {f: (p + 0.5) / len(layer) for layer in layers for p, f in enumerate(layer)}
    for at in nodes:
        at.sort(key=lambda node: share[node.child if isinstance(node, Bend) else node])
    nodes = _least_crossings(nodes, above, below)

    def room(node: Node) -> float:
        return bend_width if isinstance(node, Bend) else widths[node] + gap

    xs = _place(nodes, above, below, room)
    places = {
        node: (xs[node], -i * layer_height) for i, layer in enumerate(nodes) for node in layer
    }
    return Layout(places, nodes, routes)


def _least_crossings(
    nodes: list[list[Node]],
    above: Mapping[Node, list[Node]],
    below: Mapping[Node, list[Node]],
    sweeps: int = 24,
) -> list[list[Node]]:
    """Order the layers by the means of their neighbours' positions, down and up in turn."""
    best, fewest = [list(layer) for layer in nodes], _crossings(nodes, below)
    for sweep in range(sweeps):
        down = sweep % 2 == 0
        neighbours = above if down else below
        for i in range(1, len(nodes)) if down else range(len(nodes) - 2, -1, -1):
            fixed = {node: p for p, node in enumerate(nodes[i - 1 if down else i + 1])}
            mean: dict[Hashable, float] = {}
            for p, node in enumerate(nodes[i]):
                near = [fixed[other] for other in neighbours.get(node, ())]
                # A node without neighbours stays about where it is
                share = p / max(1, len(nodes[i]) - 1) * max(1, len(fixed) - 1)
                mean[node] = sum(near) / len(near) if near else share
            nodes[i] = sorted(nodes[i], key=lambda node: mean[node])
        crossings = _crossings(nodes, below)
        if crossings < fewest:
            best, fewest = [list(layer) for layer in nodes], crossings
    return best


def _crossings(nodes: Sequence[Sequence[Node]], below: Mapping[Node, list[Node]]) -> int:
    total = 0
    for upper, lower in pairwise(nodes):
        position = {node: p for p, node in enumerate(lower)}
        ends = [
            end
            for node in upper
            for end in sorted(position[other] for other in below.get(node, ()))
        ]
        total += sum(earlier > later for i, later in enumerate(ends) for earlier in ends[:i])
    return total


def _place(
    nodes: Sequence[Sequence[Node]],
    above: Mapping[Node, list[Node]],
    below: Mapping[Node, list[Node]],
    room: object,
    rounds: int = 30,
) -> dict[Node, float]:
    """Move every node towards its neighbours, as far as its layer leaves it room."""
    assert callable(room)
    xs: dict[Node, float] = {}
    for layer in nodes:
        offsets = _offsets([room(node) for node in layer])
        middle = (offsets[0] + offsets[-1]) / 2
        xs.update({node: offset - middle for node, offset in zip(layer, offsets, strict=True)})
    for turn in range(rounds):
        for layer in nodes if turn % 2 == 0 else reversed(nodes):
            wishes, weights = [], []
            for node in layer:
                near = [*above.get(node, ()), *below.get(node, ())]
                wishes.append(sum(xs[other] for other in near) / len(near) if near else xs[node])
                # Long arcs are to run straight
                weights.append(4.0 if isinstance(node, Bend) else 1.0)
            offsets = _offsets([room(node) for node in layer])
            placed = _closest(wishes, weights, offsets)
            xs.update(zip(layer, placed, strict=True))
    return xs


def _offsets(rooms: Sequence[float]) -> list[float]:
    """Return the centres of boxes set side by side."""
    offsets, edge = [], 0.0
    for room in rooms:
        offsets.append(edge + room / 2)
        edge += room
    return offsets


def _closest(
    wishes: Sequence[float], weights: Sequence[float], offsets: Sequence[float]
) -> list[float]:
    """Return the places nearest to the wishes (least squares) at the distances of the offsets.

    That is an isotonic regression of wish minus offset, by pooling adjacent violators.

    """
    pools: list[list[float]] = []  # weighted mean, weight, members
    for wish, weight, offset in zip(wishes, weights, offsets, strict=True):
        pools.append([wish - offset, weight, 1])
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            mean, heavy, members = pools.pop()
            last = pools[-1]
            last[0] = (last[0] * last[1] + mean * heavy) / (last[1] + heavy)
            last[1] += heavy
            last[2] += members
    means = [mean for mean, _, members in pools for _ in range(math.floor(members))]
    return [mean + offset for mean, offset in zip(means, offsets, strict=True)]
