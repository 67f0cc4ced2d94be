"""The words of `debug_one` say the numbers that the kernels compute."""

from __future__ import annotations

import math
import pickle
import random
import re

import pytest

from river_kdb import AODEClassifier, KDBClassifier, TANClassifier

SINGLE = {
    "nb": lambda **p: KDBClassifier(k=0, **p),
    "kdb2": KDBClassifier,
    "kdb3": lambda **p: KDBClassifier(k=3, **p),
    "tan": TANClassifier,
}
SEVERAL = {
    "atan": lambda **p: TANClassifier(average="uniform", **p),
    "watan": lambda **p: TANClassifier(average="mi", **p),
    "aode": AODEClassifier,
    "waode": lambda **p: AODEClassifier(weights="mi", **p),
    "aode-sr": lambda **p: AODEClassifier(subsumption=True, **p),
}
PARAMETERS = {
    "back-off": {},
    "m-estimate": {"smoothing": "m-estimate"},
    "skip": {"missing": "skip"},
}
CLOSE = 2e-5  # numbers are printed to six places, and there are a dozen of them in a sum


def events(n=160, seed=4):
    rng = random.Random(seed)
    for _ in range(n):
        y = rng.choice(["yes", "no", 3])
        x = {
            "size": None if rng.random() < 0.1 else round(rng.gauss(len(str(y)), 1), 2),
            "colour": rng.choice(["red", "green", "blue"] if y == "yes" else ["red", "blue"]),
            7: rng.random() < 0.3,
            "shape": rng.choice("ab") if rng.random() < 0.8 else None,
        }
        x["hue"] = x["colour"][0]
        yield x, y


def learned(make, **params):
    model = make(grace_period=40, **params)
    for x, y in events():
        model.learn_one(x, y)
    return model


QUESTIONS = [
    *(x for x, _ in events(4, seed=9)),
    {},
    {"size": 1.0, "colour": "never"},
    {"size": math.nan, "colour": None, 7: True, "other": 1},
]
NUMBER = r"(-?[\d.]+(?:e[-+]?\d+)?)"


def classes_of(lines):
    """For every class in turn: the logarithms of its lines, and the total below them."""
    found = []
    for line in lines:
        if line.startswith("class "):
            found.append([])
        elif "log joint =" in line:
            found[-1] = (found[-1], float(line.split("= ")[-1]))
        elif line.startswith("  log P("):
            p, log_p = re.search(rf"= log {NUMBER} = {NUMBER}", line).groups()
            assert math.log(float(p)) == pytest.approx(float(log_p), abs=1e-4)
            found[-1].append(float(log_p))
    return found


def members_of(text):
    """The lines of each member, and its weight."""
    members = []
    for line in text.split("\nposterior\n")[0].splitlines():
        if line.startswith("member "):
            members.append((float(line.rsplit("weight ")[1]), []))
        elif members:
            members[-1][1].append(line)
    return members


def posterior_of(text):
    rows = re.findall(
        rf"^  (.+): log joint {NUMBER}, probability {NUMBER}$",
        text.split("posterior\n")[1],
        flags=re.MULTILINE,
    )
    return {label: (float(joint), float(probability)) for label, joint, probability in rows}


def assert_posterior(model, x, text):
    said = posterior_of(text)
    joints, posterior = model.joint_log_likelihood(x), model.predict_proba_one(x)
    assert list(said) == [repr(label) for label in joints]
    for label in joints:
        assert said[repr(label)] == (
            pytest.approx(joints[label], abs=1e-6),
            pytest.approx(posterior[label], abs=1e-6),
        )


@pytest.mark.parametrize("parameters", PARAMETERS)
@pytest.mark.parametrize("name", SINGLE)
def test_the_logarithms_of_one_network_add_up(name, parameters):
    model = learned(SINGLE[name], **PARAMETERS[parameters])
    for x in QUESTIONS:
        text = model.debug_one(x)
        assert_posterior(model, x, text)
        joints = list(model.joint_log_likelihood(x).values())
        classes = classes_of(text.splitlines())
        assert len(classes) == len(joints)
        for (logarithms, total), joint in zip(classes, joints, strict=True):
            assert sum(logarithms) == pytest.approx(total, abs=CLOSE)
            assert total == pytest.approx(joint, abs=CLOSE)


@pytest.mark.parametrize("parameters", PARAMETERS)
@pytest.mark.parametrize("name", SEVERAL)
def test_the_members_of_an_ensemble_add_up(name, parameters):
    model = learned(SEVERAL[name], **PARAMETERS[parameters])
    of_joints = isinstance(model, AODEClassifier)
    for x in QUESTIONS:
        text = model.debug_one(x)
        assert_posterior(model, x, text)
        posterior = list(model.predict_proba_one(x).values())
        sums = [0.0] * 3
        for weight, lines in members_of(text):
            classes = classes_of(lines)
            if not classes:
                assert lines == ["  has no say: the superparent's value was never seen"]
                continue
            for logarithms, total in classes:
                assert sum(logarithms) == pytest.approx(total, abs=CLOSE)
            joints = [math.exp(total) for _, total in classes]
            whole = 1.0 if of_joints else sum(joints)
            sums = [s + weight * joint / whole for s, joint in zip(sums, joints, strict=True)]
        if sum(sums) > 0:
            assert [s / sum(sums) for s in sums] == pytest.approx(posterior, abs=1e-4)


@pytest.mark.parametrize("name", SINGLE)
def test_counts_are_those_of_the_events(name):
    model = learned(SINGLE[name], missing="skip")
    pattern = r"log P\('colour' ('\w+')\) .*\(counts ([\d.]+) of ([\d.]+)\)"
    text = model.debug_one({"colour": "red"})
    found = re.findall(pattern, text)
    labels = [re.escape(repr(label)) for label in model.predict_proba_one({})]
    assert len(found) == len(labels) == 3
    for label, (value, count, whole) in zip(model.predict_proba_one({}), found, strict=True):
        of_class = [x for x, y in events() if y == label]
        assert value == "'red'"
        assert float(whole) == len(of_class)
        assert float(count) == sum(x["colour"] == "red" for x in of_class)


def test_factors_name_their_parents():
    model = learned(TANClassifier)
    x = QUESTIONS[0]
    text = model.debug_one(x)
    for parent, child in model.structure_edges():
        assert re.search(rf"log P\({child!r} \S.* \| {parent!r} ", text), (parent, child)


def test_what_is_left_out_is_named():
    model = learned(KDBClassifier)
    text = model.debug_one({"size": 1.0, "colour": "never", "other": [1, 2]})
    first = text.splitlines()[0]
    assert first == "left out, never learned or missing: 'colour' = 'never', 'other' = [1, 2]"
    assert "P('colour'" not in text
    assert "left out" not in model.debug_one(next(events(1))[0])


def test_nothing_learned_yet():
    assert KDBClassifier().debug_one({"a": 1}) == "nothing learned yet"


def test_looking_changes_nothing():
    for make in (*SINGLE.values(), *SEVERAL.values()):
        model = learned(make)
        before = pickle.dumps(model)
        model.debug_one({"size": 1.0, "colour": "never", "other": "x"})
        assert pickle.dumps(model) == before


def test_a_bad_value_is_named():
    with pytest.raises(TypeError, match=r"'colour'.*\[1\]"):
        learned(KDBClassifier).debug_one({"colour": [1]})
