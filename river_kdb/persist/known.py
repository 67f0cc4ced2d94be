"""Which classes a file may hold: nothing else is ever made of one.

A file names classes of this package by their own names, River's with `river.` before. Where a
class is found is said here and never by a file, so classes can move.
"""

from __future__ import annotations

import importlib
from typing import Any

RECORDS = {
    "Banks": "river_kdb.mixture.banks",
    "BitSets": "river_kdb.counts.bitsets",
    "Chain": "river_kdb.mixture.experts",
    "CodeTables": "river_kdb.features.coder",
    "Expert": "river_kdb.mixture.experts",
    "Families": "river_kdb.counts.families",
    "Lags": "river_kdb.mixture.lags",
    "Layout": "river_kdb.counts.layout",
    "Linear": "river_kdb.mixture.linear",
    "Mixer": "river_kdb.mixture.mixing",
    "MixtureSettings": "river_kdb.mixture.learner",
    "Pairs": "river_kdb.counts.pairs",
    "Past": "river_kdb.mixture.past",
    "Program": "river_kdb.inference.program",
    "Settings": "river_kdb.learner",
    "Singles": "river_kdb.counts.singles",
    "Structure": "river_kdb.structure.structure",
    "Triples": "river_kdb.counts.triples",
    "Window": "river_kdb.counts.window",
}
"""Named tuples, and their modules."""

MODELS = {
    "AODEClassifier": "river_kdb.models.aode",
    "BKDBClassifier": "river_kdb.models.bkdb",
    "BNMixtureClassifier": "river_kdb.models.mixture",
    "CSBClassifier": "river_kdb.models.csb",
    "KDBClassifier": "river_kdb.models.kdb",
    "KDFClassifier": "river_kdb.models.kdf",
    "SelectiveKDBClassifier": "river_kdb.models.selective",
    "TANClassifier": "river_kdb.models.tan",
    "UKDBClassifier": "river_kdb.models.ukdb",
}
"""The classifiers, and their modules."""

PARTS = {
    "Codings": "river_kdb.mixture.codings",
    "Coder": "river_kdb.features.coder",
    "CountStore": "river_kdb.counts.store",
    "DriftWatch": "river_kdb.drift",
    "Encoder": "river_kdb.features.encoder",
    "Learner": "river_kdb.learner",
    "MixtureLearner": "river_kdb.mixture.learner",
    "MixtureStore": "river_kdb.mixture.store",
    "Schedule": "river_kdb.schedule",
    "StructureHistory": "river_kdb.history",
}
"""What the classifiers are made of, and its modules."""

DETECTORS = {
    "river.ADWIN": "river.drift",
    "river.DDM": "river.drift.binary",
    "river.DummyDriftDetector": "river.drift",
    "river.EDDM": "river.drift.binary",
    "river.FHDDM": "river.drift.binary",
    "river.HDDMA": "river.drift.binary",
    "river.HDDMW": "river.drift.binary",
    "river.KSWIN": "river.drift",
    "river.NoDrift": "river.drift",
    "river.PageHinkley": "river.drift",
}
"""River's drift detectors, and their modules."""

_PARTS_OF_DETECTORS = {
    "river.EWMean": "river.stats",
    "river.Mean": "river.stats",
    "river.SampleInfo": "river.drift.binary.hddm_w",
    "river.Var": "river.stats",
}

OBJECTS = {**MODELS, **PARTS, **DETECTORS, **_PARTS_OF_DETECTORS}
"""All classes whose objects have attributes, and their modules."""

METHODS = {
    ("river.DummyDriftDetector", "_trigger"): ("_fixed_trigger", "_random_trigger"),
    ("river.PageHinkley", "_test_drift"): ("_test_both", "_test_decrease", "_test_increase"),
}
"""Attributes that hold one of the object's own methods, and which."""

_OLDER_NAMES = {"river.HDDMA": "HDDM_A", "river.HDDMW": "HDDM_W"}
"""What River called them before version 0.25."""


def class_of(name: str) -> type:
    """Return a class by the name that it has in files.

    Parameters
    ----------
    name
        A name of `RECORDS` or `OBJECTS`.
    """
    module = importlib.import_module(RECORDS[name] if name in RECORDS else OBJECTS[name])
    found: type | None = getattr(module, name.rpartition(".")[2], None)
    return found if found is not None else getattr(module, _OLDER_NAMES[name])


def name_of(kind: type) -> str | None:
    """Return the name that a class has in files, or None if it may not be in one.

    Parameters
    ----------
    kind
        The class.
    """
    own = kind.__qualname__
    for name in (own, f"river.{own}", f"river.{own.replace('_', '')}"):
        if (name in RECORDS or name in OBJECTS) and class_of(name) is kind:
            return name
    return None


def state_of(thing: Any) -> dict[str, Any]:
    """Return the attributes of an object that are kept.

    Parameters
    ----------
    thing
        An object of one of `OBJECTS`.
    """
    own = "__getstate__" in vars(type(thing))
    return thing.__getstate__() if own else dict(vars(thing))
