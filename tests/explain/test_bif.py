"""Files of networks, read back by hand, and by pyAgrum, which reads numbers in single precision."""

from __future__ import annotations

import functools
import itertools
import math
import pickle
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_kdb import (
    AODEClassifier,
    BNMixtureClassifier,
    KDBClassifier,
    KDFClassifier,
    SelectiveKDBClassifier,
    TANClassifier,
    UKDBClassifier,
)
from river_kdb.explain import cpt
from river_kdb.explain.bif import safe_names
from river_kdb.structure.structure import single_network
from tests import datasets

SINGLE = {
    "nb": lambda **p: KDBClassifier(k=0, **p),
    "kdb1": lambda **p: KDBClassifier(k=1, **p),
    "kdb2": KDBClassifier,
    "tan": TANClassifier,
    "mmkdb": SelectiveKDBClassifier,
}
PARAMETERS = {
    "back-off": {},
    "m-estimate": {"smoothing": "m-estimate"},
    "fades": {"half_life": 25.0},
}
# Fewer events than combinations, so that many contexts were never seen
EVENTS = datasets.categorical(70, seed=8, n_features=4, n_values=3, odd_columns=True)
EVERYTHING = [
    dict(zip(("f0", "f1", "f2", "f3", "always", "twin", "single"), values, strict=True))
    for values in itertools.product(
        *([["v0", "v1", "v2"]] * 4), ["here"], ["v0", "v1"], [None, "only"]
    )
]


def learned(make, events=EVENTS, **params):
    model = make(**{"grace_period": 1000, **params})
    for x, y in events:
        model.learn_one(x, y)
    model.relearn()
    return model


class ByHand:
    """The network in a file, over events that lack no parent."""

    def __init__(self, text):
        self.tables = {}
        for head, body in re.findall(r"^probability \( ([^)]+) \) \{\n(.*?)^\}", text, re.M | re.S):
            child, _, given_ = head.partition(" | ")
            rows = re.findall(r"^  (?:\((.*)\)|table) (.*);$", body, re.M)
            states = re.search(rf"^variable {child} \{{\n  .*\{{ (.*) \}};$", text, re.M)[1]
            self.tables[child] = (
                given_.split(", ") if given_ else [],
                states.split(", "),
                {context: list(map(float, row.split(", "))) for context, row in rows},
            )

    def posterior(self, evidence):
        found = []
        for label in self.tables["class"][1]:
            known, joint = {**evidence, "class": label}, 1.0
            for child in known:
                parents, states, rows = self.tables[child]
                row = rows[", ".join(known[parent] for parent in parents)]
                joint *= row[states.index(known[child])]
            found.append(joint)
        return [joint / sum(found) for joint in found]


class ByAgrum:
    def __init__(self, path):
        gum = pytest.importorskip("pyagrum")
        self.network = gum.loadBN(str(path))
        self.inference = gum.LazyPropagation(self.network)

    def posterior(self, evidence):
        self.inference.setEvidence(evidence)
        found = self.inference.posterior("class")
        return [float(found[{"class": c}]) for c in self.network.variable("class").labels()]


def read(model, folder, **which):
    path = folder / "network.bif"
    text = model.to_bif(path, **which)
    assert path.read_text(encoding="utf-8") == text
    assert [file.name for file in folder.iterdir()] == ["network.bif"]
    return ByHand(text), ByAgrum(path)


def assert_answers(readers, evidence, expected):
    by_hand, by_agrum = readers
    assert by_hand.posterior(evidence) == pytest.approx(expected, abs=1e-12)
    assert by_agrum.posterior(evidence) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("parameters", PARAMETERS)
@pytest.mark.parametrize("name", SINGLE)
def test_another_program_answers_the_same(name, parameters, tmp_path):
    model = learned(SINGLE[name], **PARAMETERS[parameters])
    before = pickle.dumps(model)
    readers = read(model, tmp_path)
    for x in EVERYTHING[:: 1 if (name, parameters) == ("kdb2", "back-off") else 5]:
        evidence = model.bif_evidence(x)
        assert set(evidence) == set(readers[0].tables) - {"class"}
        assert_answers(readers, evidence, list(model.predict_proba_one(x).values()))
    assert pickle.dumps(model) == before


def test_contexts_that_were_never_seen_are_among_them():
    model = learned(KDBClassifier)
    parents = {}
    for parent, child in model.structure_edges():
        parents.setdefault(child, []).append(parent)
    seen = {
        child: {tuple(x[p] for p in above) for x, _ in EVENTS} for child, above in parents.items()
    }
    possible = {
        child: math.prod(len({x[p] for x, _ in EVENTS}) for p in above)
        for child, above in parents.items()
    }
    assert any(len(seen[child]) < possible[child] for child in parents)


@pytest.mark.parametrize("smoothing", [5.0, "m-estimate"])
def test_numbers_missing_values_and_odd_names(smoothing, tmp_path):
    rename = {"length": ("a", "b"), "count": "class", "few": 7, "colour": "x-1", "flag": "x 1"}
    events = [
        ({rename.get(name, name): value for name, value in x.items()}, ["a b", "a-b", True][y])
        for x, y in datasets.mixed(150, seed=2)
    ]
    model = learned(KDBClassifier, events, smoothing=smoothing, n_bins=4)
    readers = read(model, tmp_path)
    assert len(readers[0].tables) == 7
    for x, _ in [*events, ({}, None)]:
        expected = list(model.predict_proba_one(x).values())
        assert_answers(readers, model.bif_evidence(x), expected)


@pytest.mark.parametrize("name", ["nb", "tan"])
def test_skipped_values_are_not_known(name, tmp_path):
    """Where what is not known has no children the answers are the same."""
    events = datasets.categorical(120, seed=3, n_features=4, missing=0.2)
    model = learned(SINGLE[name], events, missing="skip")
    readers = read(model, tmp_path)
    have_children = {parent for parent, _ in model.structure_edges()}
    n_gaps = 0
    for x, _ in events:
        gaps = {feature for feature, value in x.items() if value is None}
        evidence = model.bif_evidence({**x, "f0": x["f0"] or "never learned"})
        assert set(evidence) == set(x) - gaps
        if not gaps & have_children:
            n_gaps += bool(gaps)
            assert_answers(readers, evidence, list(model.predict_proba_one(x).values()))
    assert n_gaps > 5


ENSEMBLES = {
    "aode": AODEClassifier,
    "aode-m": lambda **p: AODEClassifier(smoothing="m-estimate", **p),
    "atan": lambda **p: TANClassifier(average="uniform", **p),
    "kdf": KDFClassifier,
}


@pytest.mark.parametrize("name", ENSEMBLES)
def test_one_member_of_several(name, tmp_path):
    events = datasets.categorical(60, seed=4, n_features=3, n_values=3)
    model = learned(ENSEMBLES[name], events)
    with pytest.raises(ValueError, match="3 networks: choose one of them, member=0 to 2"):
        model.to_bif()
    with pytest.raises(ValueError, match="member"):
        model.to_bif(member=3)
    for member in range(3):
        readers = read(model, tmp_path, member=member)
        for values in itertools.product(["v0", "v1", "v2"], repeat=3):
            x = dict(zip(("f0", "f1", "f2"), values, strict=True))
            alone = model._learner.member_posteriors(model._codes(x))[member, 0]
            assert_answers(readers, model.bif_evidence(x, member=member), alone.tolist())


def test_probabilities_are_written_to_the_last_digit():
    model = learned(KDBClassifier)
    network = cpt.network_tables(model._learner, 0)
    rows = re.findall(r"^  (?:\([^)]*\)|table) ([^;]+);$", model.to_bif(), flags=re.MULTILINE)
    written = [[float(p) for p in row.split(", ")] for row in rows]
    expected = [network.prior.tolist()]
    for table in network.tables:
        last = np.moveaxis(table.probabilities, -1, 0)
        expected += last.reshape(-1, last.shape[-1]).tolist()
    assert written == expected
    assert [math.fsum(row) for row in written] == pytest.approx([1.0] * len(rows), abs=1e-14)


def test_features_without_a_factor_are_left_out():
    events = [({"signal": t % 3, "noise": t * 7919 % 101}, t % 3 == 0) for t in range(200)]
    model = learned(SelectiveKDBClassifier, events)
    assert "noise" not in model.to_bif()
    assert list(model.bif_evidence(events[0][0])) == ["signal"]


def test_comments_say_what_the_states_are():
    model = learned(
        KDBClassifier,
        [({"n": t % 4, "s": ["a b", "c"][t % 3 > 0]}, t % 2) for t in range(40)],
        n_bins=2,
    )
    text = model.to_bif()
    assert "// n: the feature 'n'\n" in text
    assert "//   v_minus_inf_1p5: (-inf, 1.5]\n" in text
    assert "//   a_b: 'a b'\n" in text
    assert "//   c_0: 0\n" in text


def test_fewer_than_two_classes(tmp_path):
    with pytest.raises(ValueError, match="two classes, learned so far: none"):
        KDBClassifier().to_bif(tmp_path / "none.bif")
    with pytest.raises(ValueError, match="two classes, learned so far: 'only'"):
        learned(KDBClassifier, [({"a": "x"}, "only")] * 3).to_bif(tmp_path / "none.bif")
    assert list(tmp_path.iterdir()) == []


def test_a_feature_of_one_value_is_left_out_of_every_context():
    model = learned(KDBClassifier, [({"a": "x", "b": "pq"[t % 2]}, t % 2) for t in range(9)])
    model._learner.use(single_network(np.array([[-1], [0]])))
    model._learner.bind()
    assert model.structure_edges() == [("a", "b")]
    by_hand = ByHand(model.to_bif())
    assert set(by_hand.tables) == {"class", "b"}
    for b in "pq":
        x = {"a": "x", "b": b}
        expected = list(model.predict_proba_one(x).values())
        assert by_hand.posterior(model.bif_evidence(x)) == pytest.approx(expected, abs=1e-12)


def test_a_table_too_large(monkeypatch):
    monkeypatch.setattr(cpt, "_MOST_ENTRIES", 50)
    with pytest.raises(ValueError, match=r"the table of '\w+' given the class and .*: learn with"):
        learned(KDBClassifier).to_bif()


def test_models_that_no_file_can_hold():
    model = UKDBClassifier(grace_period=50)
    for x, y in EVENTS[:49]:
        model.learn_one(x, y)
    assert "probability" in model.to_bif()  # still naive Bayes
    model.learn_one(*EVENTS[49])
    with pytest.raises(ValueError, match="UKDBClassifier learns networks for each event"):
        model.to_bif()
    with pytest.raises(ValueError, match="mixture"):
        BNMixtureClassifier().to_bif()


@given(texts=st.lists(st.text(alphabet="ab-_ .1(,é", max_size=4), max_size=12))
def test_names_are_safe_and_differ(texts):
    names = safe_names(texts, "v")
    assert len(set(names)) == len(texts)
    assert all(re.fullmatch("[A-Za-z][A-Za-z0-9_]*", name) for name in names)


def test_a_file_stays_whole_where_writing_fails(tmp_path, monkeypatch):
    path = tmp_path / "network.bif"
    path.write_text("before")

    def fail(*_):
        raise OSError("no room")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(OSError, match="no room"):
        learned(functools.partial(KDBClassifier, k=0)).to_bif(path)
    assert path.read_text() == "before"
    assert [file.name for file in tmp_path.iterdir()] == ["network.bif"]
