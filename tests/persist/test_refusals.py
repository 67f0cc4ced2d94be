"""What can't be saved is named."""

from __future__ import annotations

import datetime
import enum
from decimal import Decimal
from typing import NamedTuple

import numpy as np
import pytest

from river_kdb import Checkpoint, KDBClassifier
from river_kdb.persist import save
from tests.detectors import Signals


class Colour(enum.Enum):
    RED = 1


class Pair(NamedTuple):
    first: int
    second: int


def learned(x, y="a", **parameters):
    model = KDBClassifier(**parameters)
    model.learn_one(x, y)
    return model


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (learned({}, Colour.RED), r"the label <Colour.RED: 1> can't be saved, .*Colour is not"),
        (learned({}, ("a", Pair(1, 2))), r"the label \('a', Pair"),
        (learned({"day": datetime.date(2026, 1, 2)}), r"feature 'day': the category datetime.date"),
        (learned({Decimal(1): 3}), r"the feature's name Decimal\('1'\) can't be saved"),
        (learned({}, drift_detector=Signals()), r"(?s)drift_detector: .*tests.detectors.Signals"),
        (learned({}, nominal_attributes={"a": 1}.keys()), r"^nominal_attributes: dict_keys"),
        (learned({}, nominal_attributes={Colour.RED}), r"^nominal_attributes\[0\]: <Colour"),
        (object(), r"only classifiers of river_kdb can be saved, got <class 'object'>"),
    ],
)
def test_what_is_in_a_model(tmp_path, model, said):
    with pytest.raises(TypeError, match=said):
        save(model, tmp_path / "model.kdb")
    assert list(tmp_path.iterdir()) == []


class Own(KDBClassifier):
    pass


def test_own_classes_are_refused():
    with pytest.raises(TypeError, match="only classifiers of river_kdb"):
        Own().to_bytes()


@pytest.mark.parametrize(
    ("position", "said"),
    [
        ({"a": [1, Colour.RED]}, "position: <Colour.RED: 1> can't be saved"),
        ([learned({})], "position: KDBClassifier"),
        (Pair(1, 2), "position: Pair"),
        (np.array(["x"]), "position: an array can't be saved, numpy's type <U1"),
        ({1j: 2}, "position: 1j"),
    ],
)
def test_what_is_in_a_position(tmp_path, position, said):
    with pytest.raises(TypeError, match=said):
        Checkpoint(tmp_path / "stream.kdb").write(learned({}), position)
    assert list(tmp_path.iterdir()) == []
