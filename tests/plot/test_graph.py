"""The graph has every feature and every arc."""

from __future__ import annotations

import builtins
import random
import re
from itertools import pairwise
from typing import Any

import pytest

from river_kdb import AODEClassifier, KDBClassifier, TANClassifier, UKDBClassifier
from river_kdb.plot.graph import networks_graph, structure_graph

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


def networks_of(source: str) -> dict[str, list[str]]:
    """The lines of every cluster, by its name."""
    found = re.findall(r"\tsubgraph (\w+) \{\n(.*?)\n\t\}", source, flags=re.DOTALL)
    return {name: lines.splitlines() for name, lines in found}


def assert_shows_networks(graph: Any, networks: list) -> None:
    """Each network is a graph of its own: its nodes have names that no other has."""
    parts = networks_of(graph.source)
    assert list(parts) == [f"cluster_{t}" for t in range(len(networks))]
    everything: list[str] = []
    for t, (lines, (title, features, edges)) in enumerate(
        zip(parts.values(), networks, strict=True)
    ):
        prefix = f"n{t}"
        label = lines[0].strip().removeprefix("graph [label=").removesuffix("]")
        assert re.sub(r"\\(.)", r"\1", label.removeprefix('"').removesuffix('"')) == title
        own = [re.sub(rf"\b{prefix}(class|x\d)", r"\1", line)[1:] for line in lines[1:]]
        assert_shows(_Source("\n".join(own)), features, edges)
        everything += parse("\n".join(line[1:] for line in lines[1:]))[0]
    assert len(set(everything)) == len(everything)


class _Source:
    def __init__(self, source: str) -> None:
        self.source = source


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


NETWORKS = [
    ("P, learned for this event", ["a", "b", 7], [("a", "b"), ("b", 7), ("a", 7)]),
    ("of one class", ["b", "a"], []),
    ("L of class 'yes'", [], []),
    (r"L of class 'a\nb\"c\\'", ["a"], []),
    ("L of class <b>", ["a"], []),
    ("plain", ['say "hi"', "back\\slash", "class", "x1"], [("class", "x1")]),
]


@pytest.mark.parametrize("count", range(len(NETWORKS) + 1))
def test_networks_side_by_side(count):
    graph = networks_graph("Nets", NETWORKS[:count])
    assert graph.name == "Nets"
    assert_shows_networks(graph, NETWORKS[:count])


def test_more_than_ten_networks():
    networks = [(f"net {t}", ["a", "b"], [("a", "b")][: t % 2]) for t in range(12)]
    assert_shows_networks(networks_graph("Nets", networks), networks)


def test_the_networks_of_an_event():
    model = UKDBClassifier(grace_period=30)
    rng = random.Random(1)
    for _ in range(60):
        x = {feature: rng.choice("pq") for feature in ["a", "class", "x0", 7]}
        model.learn_one(x, rng.choice("yn"))
    question = {"a": "p", "class": "q", "x0": None, 7: "p"}
    networks = [(n.title, n.order, list(n.arcs)) for n in model.networks_one(question)]
    assert len(networks) == 2
    assert all(edges for _, _, edges in networks)
    graph = model.draw(question)
    assert isinstance(graph, graphviz.Digraph)
    assert graph.name == "UKDBClassifier"
    assert_shows_networks(graph, networks)
    assert_shows(model.draw(), model.feature_names, model.structure_edges())


def test_without_graphviz_the_extra_is_named(monkeypatch):
    whole = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == "graphviz":
            raise ImportError(name)
        return whole(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r"river-kdb\[plot\]"):
        structure_graph("Net", [], [])
    with pytest.raises(ImportError, match=r"river-kdb\[plot\]"):
        networks_graph("Nets", [])
