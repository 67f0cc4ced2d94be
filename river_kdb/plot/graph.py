"""The structure of a model as a graphviz graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from river_kdb.base import BNClassifier


def structure_graph(model: BNClassifier) -> Any:
    """Return the structure in use as a `graphviz.Digraph`.

    The class stands on top; it is a parent of every feature, which only the features without
    another parent show, so that the picture stays readable.

    Parameters
    ----------
    model
        The model.

    Raises
    ------
    ImportError
        If graphviz's Python package is not installed.
    """
    try:
        import graphviz
    except ImportError as error:
        raise ImportError('draw() needs graphviz: pip install "river-kdb[plot]"') from error
    graph = graphviz.Digraph(
        type(model).__name__,
        graph_attr={"rankdir": "TB", "nodesep": "0.3", "ranksep": "0.5"},
        node_attr={"shape": "box", "style": "rounded,filled", "fillcolor": "#eef3fa"},
        edge_attr={"color": "#44546a"},
    )
    graph.node("class", "class", shape="ellipse", fillcolor="#ffe9b8")
    edges = model.structure_edges()
    number = {name: f"x{i}" for i, name in enumerate(model.feature_names)}
    children = {child for _, child in edges}
    for name, node in number.items():
        graph.node(node, graphviz.escape(str(name)))
        if name not in children:
            graph.edge("class", node, style="dashed")
    for parent, child in edges:
        graph.edge(number[parent], number[child])
    return graph
