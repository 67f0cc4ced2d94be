"""What the network of one event looks like to people."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from river_kdb.explain.networks import EventNetwork, event_network

NAMES = ["size", 7, ("a", "pair"), "never"]
ORDER = np.array([2, 0, 1])
PARENTS = np.array([[2, -1], [0, 2], [-1, -1], [-1, -1]])
SINGLE = np.array([0.25, 0.125, 0.5, 0.0])
PAIR = np.arange(16).reshape(4, 4) / 10
POSTERIOR = {"yes": 0.75, 3: 0.25}


@pytest.fixture
def network():
    return event_network("P of the event", NAMES, ORDER, PARENTS, SINGLE, PAIR, POSTERIOR)


def test_names_for_numbers(network):
    assert network.title == "P of the event"
    assert network.order == [("a", "pair"), "size", 7]
    assert network.parents == {
        ("a", "pair"): [],
        "size": [("a", "pair")],
        7: ["size", ("a", "pair")],
    }
    assert list(network.parents) == network.order
    assert network.local == {("a", "pair"): 0.5, "size": 0.25, 7: 0.125}
    assert network.posterior == POSTERIOR


def test_the_measure_of_an_arc_is_that_of_the_child_given_the_parent(network):
    """The measures need not be symmetric."""
    assert network.arcs == {
        (("a", "pair"), "size"): PAIR[0, 2],
        ("size", 7): PAIR[1, 0],
        (("a", "pair"), 7): PAIR[1, 2],
    }


def test_numbers_are_those_of_python(network):
    assert all(type(value) is float for value in (*network.local.values(), *network.arcs.values()))


def test_in_print(network):
    assert str(network).splitlines() == [
        "P of the event: 'yes' 0.7500, 3 0.2500",
        "  ('a', 'pair') (0.5000)",
        "  size (0.2500) | ('a', 'pair') (0.2000)",
        "  7 (0.1250) | size (0.4000), ('a', 'pair') (0.6000)",
    ]


def test_without_a_posterior_of_its_own(network):
    alone = dataclasses.replace(network, posterior={})
    assert str(alone).splitlines() == ["P of the event", *str(network).splitlines()[1:]]


def test_nothing_seen():
    none = np.zeros(0, dtype=np.int64)
    network = event_network("P", NAMES, none, PARENTS, SINGLE, PAIR, POSTERIOR)
    assert (network.order, network.parents, network.local, network.arcs) == ([], {}, {}, {})
    assert str(network) == "P: 'yes' 0.7500, 3 0.2500"


def test_it_is_a_record(network):
    assert network == EventNetwork(
        network.title,
        network.order,
        network.parents,
        network.local,
        network.arcs,
        network.posterior,
    )
    with pytest.raises(dataclasses.FrozenInstanceError):
        network.title = "another"
