"""The graph has every feature and every arc."""

from __future__ import annotations

import builtins
import random
import re
from itertools import pairwise
from typing import Any

import pytest

from river_kdb import AODEClassifier, KDBClassifier, TANClassifier
from river_kdb.plot.graph import structure_graph

graphviz = pytest.importorskip("graphviz")


def parse(source: str) -> tuple[dict[str, str], set[tuple[str, str]], set[tuple[str, str]]]:
    """The labels of the nodes, the arcs between features, and the dashed ones from the class."""
    nodes, solid, dashed = {}, set(), set()
    for line in source.splitlines():
        if arc := re.match(r"\t(\w+) -> (\w+)( \[style=dashed\])?$", line):
            (dashed if arc[3] else solid).add((arc[1], arc[2]))
        elif node := re.match(r'\t(\w+) \[label=("(?:[^"\\]|\\.)*"|[^ \]]+)', line):
            nodes[node[1]] = node[2].removeprefix('"').removesuffix('"')
    return nodes, solid, dashed


def assert_shows(graph: Any, features: list, edges: list) -> None:
    nodes, solid, dashed = parse(graph.source)
    number = {f"x{i}": name for i, name in enumerate(features)}
    assert set(nodes) == {"class", *number}
    assert {(number[a], number[b]) for a, b in solid} == set(edges)
    children = {child for _, child in edges}
    assert {number[b] for _, b in dashed} == {name for name in features if name not in children}
    assert {a for a, _ in dashed} <= {"class"}
    for node, name in number.items():
        assert re.sub(r"\\(.)", r"\1", nodes[node]) == str(name)


MODELS = {
    "nb": KDBClassifier(k=0, grace_period=30),
    "kdb": KDBClassifier(grace_period=30),
    "tan": TANClassifier(grace_period=30),
    "aode": AODEClassifier(grace_period=30),
}


@pytest.mark.parametrize("name", MODELS)
def test_models(name):
    model = MODELS[name].clone()
    rng = random.Random(1)
    for _ in range(60):
        x = {feature: rng.choice("pq") for feature in ["a", "class", "x0", 7, ("t", 1)]}
        model.learn_one(x, rng.choice("yn"))
    graph = model.draw()
    assert isinstance(graph, graphviz.Digraph)
    assert graph.name == type(model).__name__
    assert_shows(graph, model.feature_names, model.structure_edges())
    assert bool(model.structure_edges()) == (name != "nb")


@pytest.mark.parametrize(
    "features", [[], ["a"], ['say "hi"', "back\\slash", "two words", "ü", "->"]]
)
def test_names_of_all_sorts(features):
    edges = list(pairwise(features))
    assert_shows(structure_graph("Net", features, edges), features, edges)


def test_a_name_is_text_and_no_markup():
    graph = structure_graph("Net", ["<b>bold</b>", "<>", "a\\nb"], [])
    assert "label=<" not in graph.source
    assert r"a\\nb" in graph.source


def test_before_the_first_event():
    assert_shows(KDBClassifier().draw(), [], [])


def test_without_graphviz_the_extra_is_named(monkeypatch):
    whole = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == "graphviz":
            raise ImportError(name)
        return whole(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r"river-kdb\[plot\]"):
        structure_graph("Net", [], [])
