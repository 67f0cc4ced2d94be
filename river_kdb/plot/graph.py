"""The structure of a model as a graphviz graph."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any


def structure_graph(
    title: str, features: Sequence[Hashable], edges: Sequence[tuple[Hashable, Hashable]]
) -> Any:
    """Return a structure as a `graphviz.Digraph`.

    The class stands on top; it is a parent of every feature, which only the features without
    another parent show, so that the picture stays readable.

    Parameters
    ----------
    title
        Name of the graph.
    features
        Names of the features.
    edges
        Arcs, as pairs of a parent and a child.

    Raises
    ------
    ImportError
        If graphviz's Python package is not installed.
    """
    graph = _empty_graph(title)
    _add_network(graph, features, edges, "")
    return graph


def networks_graph(
    title: str,
    networks: Sequence[tuple[str, Sequence[Hashable], Sequence[tuple[Hashable, Hashable]]]],
) -> Any:
    """Return several networks side by side as a `graphviz.Digraph`.

    Parameters
    ----------
    title
        Name of the graph.
    networks
        Title, names of the features and arcs of each.

    Raises
    ------
    ImportError
        If graphviz's Python package is not installed.
    """
    graph = _empty_graph(title)
    import graphviz

    for t, (name, features, edges) in enumerate(networks):
        with graph.subgraph(
            name=f"cluster_{t}", graph_attr={"label": graphviz.escape(name)}
        ) as part:
            _add_network(part, features, edges, f"n{t}")
    return graph


def _empty_graph(title: str) -> Any:
    try:
        import graphviz
    except ImportError as error:
        raise ImportError('draw() needs graphviz: pip install "river-kdb[plot]"') from error
    return graphviz.Digraph(
        title,
        graph_attr={"rankdir": "TB", "nodesep": "0.3", "ranksep": "0.5"},
        node_attr={"shape": "box", "style": "rounded,filled", "fillcolor": "#eef3fa"},
        edge_attr={"color": "#44546a"},
    )


def _add_network(
    graph: Any,
    features: Sequence[Hashable],
    edges: Sequence[tuple[Hashable, Hashable]],
    prefix: str,
) -> None:
    """Add a network to a graph, whose names of nodes start with a prefix."""
    import graphviz

    graph.node(f"{prefix}class", "class", shape="ellipse", fillcolor="#ffe9b8")
    number = {name: f"{prefix}x{i}" for i, name in enumerate(features)}
    children = {child for _, child in edges}
    for name, node in number.items():
        graph.node(node, graphviz.escape(str(name)))
        if name not in children:
            graph.edge(f"{prefix}class", node, style="dashed")
    for parent, child in edges:
        graph.edge(number[parent], number[child])
