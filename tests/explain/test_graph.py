"""The structure of a model as a networkx graph."""

from __future__ import annotations

import pickle
import sys

import numpy as np
import pytest

from river_kdb import (
    AODEClassifier,
    BNMixtureClassifier,
    KDBClassifier,
    KDFClassifier,
    SelectiveKDBClassifier,
    TANClassifier,
    UKDBClassifier,
)
from river_kdb.explain.graph import arc_shares, class_shares, information_of_arc
from river_kdb.structure.structure import ABSENT, mean_of_networks, no_arcs, single_network
from tests import datasets
from tests.models.test_laws import EVERY
from tests.naive import NaiveBN

nx = pytest.importorskip("networkx")

EVENTS = datasets.mixed(150, seed=1)


def learned(make, events=EVENTS, **params):
    model = make(**{"grace_period": 40, "relearn_period": 80, **params})
    for x, y in events:
        model.learn_one(x, y)
    return model


def between_features(graph, node="class"):
    return {(a, b): data for a, b, data in graph.edges(data=True) if a != node}


@pytest.mark.parametrize("name", EVERY)
def test_arcs_are_those_of_the_structure(name):
    model = learned(EVERY[name])
    before = pickle.dumps(model)
    graph = model.to_networkx()
    assert pickle.dumps(model) == before
    assert set(graph.nodes) == {"class", *model.feature_names}
    assert set(between_features(graph)) == set(model.structure_edges())
    assert all(0.0 <= data["weight"] <= 1.0 + 1e-12 for *_, data in graph.edges(data=True))
    features = {name: data for name, data in graph.nodes(data=True) if name != "class"}
    assert graph.nodes["class"] == {"kind": "class", "slots": 3}
    assert features["length"]["kind"] == "numeric"
    assert features["colour"]["kind"] == "categorical"
    assert all(data["information"] >= 0.0 for data in features.values())


def test_attributes_are_those_of_the_summary():
    model = learned(TANClassifier)
    graph = model.to_networkx()
    for feature in model.summary.features:
        found = graph.nodes[feature.name]
        assert (found["kind"], found["slots"]) == (feature.kind, feature.slots)
        assert found["information"] == pytest.approx(feature.information)
        assert graph.edges["class", feature.name] == {"weight": 1.0}
    assert nx.is_directed_acyclic_graph(graph)
    for data in between_features(graph).values():
        assert data["weight"] == 1.0
        assert data["cmi"] > 0.0


def test_the_strongest_arc_has_the_largest_cmi_of_a_tree():
    events = [({"a": t % 2, "b": t % 2, "c": t // 2 % 2}, t // 4 % 2) for t in range(200)]
    graph = learned(TANClassifier, events, nominal_attributes=["a", "b", "c"]).to_networkx()
    arcs = between_features(graph)
    twins = next(data for arc, data in arcs.items() if set(arc) == {"a", "b"})
    assert twins["cmi"] == pytest.approx(np.log(2))
    others = [data["cmi"] for arc, data in arcs.items() if set(arc) != {"a", "b"}]
    assert others == pytest.approx([0.0] * len(others), abs=1e-9)


@pytest.mark.parametrize("make", [AODEClassifier, KDFClassifier])
def test_weights_of_an_ensemble_are_shares_of_its_members(make):
    model = learned(make)
    structure, names = model._learner.structure, model.feature_names
    for (parent, child), data in between_features(model.to_networkx()).items():
        i, j = names.index(parent), names.index(child)
        has = [i in parents[j] for parents in structure.parents.tolist()]
        assert data["weight"] == pytest.approx(sum(has) / len(has))


def test_shares_count_members_by_their_weight():
    parents = np.array([[[-1], [0]], [[1], [-1]], [[-1], [ABSENT]]])
    structure = mean_of_networks(parents, np.array([1.0, 2.0, 1.0]))
    assert arc_shares(structure) == pytest.approx({(0, 1): 0.25, (1, 0): 0.5})
    assert class_shares(structure).tolist() == [1.0, 0.75]
    assert class_shares(no_arcs(2)).tolist() == [1.0, 1.0]
    assert arc_shares(no_arcs(2)) == {}


def test_arcs_that_events_choose_count_whole():
    structure = single_network(np.array([[-1], [-1], [-1]]))
    chosen = structure._replace(candidates=np.array([[-1, -1], [0, -1], [1, 0]], dtype=np.int16))
    assert arc_shares(chosen) == {(0, 1): 1.0, (1, 2): 1.0}
    model = learned(UKDBClassifier)
    assert {data["weight"] for data in between_features(model.to_networkx()).values()} == {1.0}


def test_a_feature_that_is_left_out_stands_alone():
    events = [({"signal": t % 3, "noise": t * 7919 % 101}, t % 3 == 0) for t in range(200)]
    graph = learned(SelectiveKDBClassifier, events).to_networkx()
    assert list(nx.isolates(graph)) == ["noise"]


@pytest.mark.parametrize("missing", ["value", "skip"])
def test_information_against_the_oracle(missing):
    events = datasets.categorical(80, seed=5, n_features=2, missing=0.2)
    reference = NaiveBN(missing=missing).fit(*zip(*events, strict=True))
    gap = -1 if missing == "skip" else 9
    codes = [[int(x[f][1]) if x[f] else gap for x, _ in events] for f in ("f0", "f1")]
    labels = [int(y[1]) for _, y in events]
    found = information_of_arc(*map(np.array, codes), np.array(labels), np.ones(80))
    assert found == pytest.approx(reference.cmi("f0", "f1"), abs=1e-12)
    nothing = np.full(80, -1)
    assert information_of_arc(nothing, np.array(codes[1]), np.array(labels), np.ones(80)) == 0


def test_nothing_learned():
    graph = KDBClassifier().to_networkx()
    assert dict(graph.nodes(data=True)) == {"class": {"kind": "class", "slots": 0}}
    assert list(BNMixtureClassifier().to_networkx()) == ["class"]


def test_networks_of_a_mixture():
    experts = [("kdb", 0, 5), ("kdb", 2, 5), ("tan", 1, 4), ("linear", 0, 1)]
    model = learned(lambda **p: BNMixtureClassifier(experts, **p))
    for expert in experts[:3]:
        graph = model.to_networkx(expert)
        assert set(between_features(graph)) == set(model.structure_edges(expert))
        assert all(data["cmi"] > 0.0 for data in between_features(graph).values())
    assert set(graph.nodes) == {"class", *model.feature_names}
    with pytest.raises(ValueError, match="linear"):
        model.to_networkx(("linear", 0, 1))


def test_another_node_for_the_class():
    model = learned(KDBClassifier, [({"class": "x", "b": "y"}, t % 2) for t in range(60)])
    with pytest.raises(ValueError, match="'class' is the name of a feature"):
        model.to_networkx()
    assert set(model.to_networkx(class_node="label")) == {"label", "class", "b"}


def test_without_networkx(monkeypatch):
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(ImportError, match=r"river-kdb\[explain\]"):
        KDBClassifier().to_networkx()
