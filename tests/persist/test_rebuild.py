"""Nodes are read only if they are as `graph` writes them; `damages` has many that are not."""

from __future__ import annotations

import pytest

from river_kdb.persist.rebuild import Rebuilder


def rebuild(*nodes):
    def read_array(*given):
        raise AssertionError

    return Rebuilder(read_array).add(list(nodes))


def test_parts_are_made_before_what_has_them():
    made = rebuild({"list": [1]}, {"tuple": [[0], [0]]}, {"dict": [["a"], [[1]]]})
    assert made == {"a": ([1], [1])}
    assert made["a"][0] is made["a"][1]


@pytest.mark.parametrize(
    ("nodes", "said"),
    [
        ([{"list": [[1]]}, {"list": []}], "no earlier node"),
        ([{"list": [[0]]}], "no earlier node"),
        ([{"list": []}, {"list": []}], "nobody needs"),
        ([{"object": ["os.system", {}]}], "unknown class"),
        ([{"record": ["KDBClassifier", {}]}], "unknown class"),
        ([{"dict": [[1, True], [2, 3]]}], "a key twice"),
        ([{"set": [1, 1.0]}], "a member twice"),
        ([{"eval": ["1"]}], "no node"),
    ],
)
def test_others_are_refused(nodes, said):
    with pytest.raises(ValueError, match=said):
        rebuild(*nodes)


def test_what_grows_without_bound_is_refused():
    for tag in ("tuple", "list"):
        with pytest.raises(ValueError, match="far larger"):
            rebuild({tag: [1]}, *({tag: [[i], [i]]} for i in range(70)))


@pytest.mark.parametrize("tag", ["tuple", "list", "frozenset"])
def test_what_is_too_deep_is_refused(tag):
    """The hash of a tuple that is deep enough ends the process."""
    nodes = [{tag: [1]}, *({tag: [[i]]} for i in range(200))]
    assert str(rebuild(*nodes[:90])).count("1") == 1
    with pytest.raises(ValueError, match="too deep"):
        rebuild(*nodes)
