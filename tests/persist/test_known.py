"""Which classes files may hold."""

from __future__ import annotations

import inspect
from types import ModuleType

import pytest
from river import base, drift
from river.drift import binary

import river_kdb
from river_kdb.face import StreamClassifier
from river_kdb.persist.known import DETECTORS, MODELS, OBJECTS, RECORDS, class_of, name_of


@pytest.mark.parametrize("name", [*RECORDS, *OBJECTS])
def test_every_class_is_found_and_known(name):
    assert name_of(class_of(name)) == name


def test_every_classifier_can_be_saved():
    public = [getattr(river_kdb, name) for name in river_kdb.__all__]
    models = {c for c in public if inspect.isclass(c) and issubclass(c, StreamClassifier)}
    assert models == set(map(class_of, MODELS))


def test_every_detector_of_river_can_be_saved():
    kinds = base.DriftDetector, base.BinaryDriftDetector
    found = [getattr(module, name) for module in (drift, binary) for name in dir(module)]
    detectors = {c for c in found if inspect.isclass(c) and issubclass(c, kinds)}
    assert detectors == set(map(class_of, DETECTORS))


def test_modules_are_where_they_are_said_to_be():
    for name, module in {**RECORDS, **OBJECTS}.items():
        if not name.startswith("river."):
            assert class_of(name).__module__ == module


class Coder:
    """Another class of the name."""


@pytest.mark.parametrize("kind", [Coder, int, dict, StreamClassifier, type, ModuleType, object])
def test_others_are_unknown(kind):
    assert name_of(kind) is None
