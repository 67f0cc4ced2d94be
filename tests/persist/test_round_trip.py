"""A model that was saved and loaded is the same to the last bit, and goes on as it would have."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from river import drift
from river.drift import binary

import river_kdb
from river_kdb import Expert
from river_kdb.methods import methods
from tests.datasets import growing, mixed

_EXPERTS = [Expert("kdb", 2, 5, 100), Expert("tan", 1, 9), Expert("linear", 0, 1, 200)]

_NEWER_NAMES = {"HDDM_A": "HDDMA", "HDDM_W": "HDDMW"}

BINARY = {_NEWER_NAMES.get(name, name): getattr(binary, name) for name in binary.__all__}

SETTINGS = {
    "plain": {},
    "fading": {"half_life": 40, "window_size": 64},
    "windowed": {"forget": "window", "window_size": 64, "n_bins": 3},
    "sets": {"counts": "bitset", "missing": "skip", "nominal_attributes": {"few", "count"}},
    "tables": {"counts": "dense", "max_categories": 2, "discretizer": "mdl"},
    "little memory": {"max_size": 0.03},
}

CLASSES = {
    "KDBClassifier": {},
    "TANClassifier": {"average": "mi"},
    "AODEClassifier": {"subsumption": True},
    "KDFClassifier": {},
    "SelectiveKDBClassifier": {},
    "UKDBClassifier": {},
    "CSBClassifier": {},
    "BKDBClassifier": {"redundancy": 0.9},
}


def learned(name, events, **parameters):
    """A model that has learned some events."""
    model = getattr(river_kdb, name)(**{"grace_period": 40, **parameters})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of little memory
        for x, y in events:
            model.learn_one(x, y)
    return model


def check_round_trip(model, later):
    """Hold a model that was saved and loaded against the one that was not."""
    data = model.to_bytes()
    assert data == model.to_bytes()
    twin = type(model).from_bytes(data)
    assert twin.to_bytes() == data
    assert repr(twin) == repr(model)
    for x, y in later:
        assert twin.predict_proba_one(x) == model.predict_proba_one(x)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            model.learn_one(x, y)
            twin.learn_one(x, y)
    assert twin.to_bytes() == model.to_bytes()
    assert twin.structure_history == model.structure_history


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("setting", SETTINGS)
def test_models_with_one_set_of_counts(name, setting):
    events = mixed(160, seed=1)
    model = learned(name, events[:110], **CLASSES[name], **SETTINGS[setting])
    check_round_trip(model, [*events[110:], *growing(40)])


@pytest.mark.parametrize("setting", ["value", "skip"])
def test_mixtures(setting):
    events = mixed(160, seed=2)
    watched = {"drift_detector": drift.ADWIN(clock=4), "warning_detector": binary.DDM()}
    parameters = {"experts": _EXPERTS, "missing": setting, "window_size": 64, **watched}
    check_round_trip(
        learned("BNMixtureClassifier", events[:110], **parameters), [*events[110:], *growing(40)]
    )


def test_a_mixture_by_default():
    events = mixed(60)
    check_round_trip(learned("BNMixtureClassifier", events[:40]), events[40:])


@pytest.mark.slow
@pytest.mark.parametrize("name", methods())
@pytest.mark.parametrize("events", [mixed(700, seed=5), growing(700)])
def test_every_method_with_every_setting(name, events):
    method = methods()[name]
    settings = SETTINGS.values() if method.class_name != "BNMixtureClassifier" else [{}]
    for setting in settings:
        parameters = {**method.parameters, **setting, "drift_detector": drift.ADWIN(clock=8)}
        for cut in (130, 500):
            check_round_trip(
                learned(method.class_name, events[:cut], **parameters), events[cut : cut + 60]
            )


DETECTORS = {
    "ADWIN": lambda: drift.ADWIN(clock=8, max_buckets=3),
    "KSWIN": lambda: drift.KSWIN(seed=3, window_size=30, stat_size=10),
    "PageHinkley up": lambda: drift.PageHinkley(min_instances=10, threshold=3, mode="up"),
    "PageHinkley": lambda: drift.PageHinkley(min_instances=10, threshold=3),
    "fixed": lambda: drift.DummyDriftDetector(t_0=50, w=20, seed=1, dynamic_cloning=True),
    "random": lambda: drift.DummyDriftDetector("random", t_0=50, w=9, seed=1),
    "NoDrift": drift.NoDrift,
    "DDM": lambda: binary.DDM(warm_start=10),
    "EDDM": lambda: binary.EDDM(warm_start=10),
    "FHDDM": lambda: binary.FHDDM(sliding_window_size=30),
    "FHDDM short": lambda: binary.FHDDM(sliding_window_size=40, short_window_size=10),
    "HDDMA": BINARY["HDDMA"],
    "HDDMW": lambda: BINARY["HDDMW"](two_sided_test=True),
}


@pytest.mark.parametrize("name", DETECTORS)
def test_every_detector(name):
    events = [*mixed(70, seed=1), *mixed(90, seed=2, n_classes=2)]
    model = learned("KDBClassifier", events[:90], k=0, drift_detector=DETECTORS[name]())
    check_round_trip(model, events[90:])


@pytest.mark.parametrize("name", ["KDBClassifier", "CSBClassifier"])
def test_frozen_models(name):
    events = mixed(240, seed=9)
    model = learned(name, events[:100]).freeze()
    shard = type(model)(**model._get_params()).like(model)
    for x, y in events[100:200]:
        shard.learn_one(x, y)
    check_round_trip(model.merge(type(model).from_bytes(shard.to_bytes())), events[200:])
    assert river_kdb.from_bytes(shard.to_bytes()).is_frozen


def test_a_new_model():
    for name in CLASSES:
        check_round_trip(learned(name, []), mixed(3))
    check_round_trip(learned("BNMixtureClassifier", []), mixed(3))


def test_a_clone_has_the_same_parameters():
    detector = drift.ADWIN(delta=0.01)
    model = learned(
        "KDFClassifier", mixed(60), nominal_attributes=("few",), drift_detector=detector
    )
    twin = river_kdb.from_bytes(model.to_bytes())
    assert twin.clone().to_bytes() == model.clone().to_bytes()
    assert twin.drift_detector.delta == detector.delta


@pytest.mark.parametrize("nominal", [list(range(200)), tuple("abc"), {"few", "x"}, ()])
def test_parameters_of_every_kind(nominal):
    model = learned("KDBClassifier", mixed(5), nominal_attributes=nominal, half_life=np.float32(9))
    check_round_trip(model, mixed(5))
    assert type(river_kdb.from_bytes(model.to_bytes()).nominal_attributes) is type(nominal)


def test_rates_of_every_kind():
    for rates in (np.ones((2, 2)), [[0.5, 1]], ((0.5, 0.9),), np.ones((50, 2))):
        model = learned("BNMixtureClassifier", mixed(5), experts=_EXPERTS, pool_rates=rates)
        check_round_trip(model, mixed(5))


def test_frames_are_learned_as_before():
    events = mixed(300)
    frame, labels = pd.DataFrame([x for x, _ in events]), [y for _, y in events]
    model = river_kdb.UKDBClassifier(window_size=64)
    model.learn_many(frame[:200], labels[:200])
    twin = river_kdb.from_bytes(model.to_bytes())
    for one in (model, twin):
        one.learn_many(frame[200:], labels[200:])
        one.relearn()
    assert twin.to_bytes() == model.to_bytes()
    pd.testing.assert_frame_equal(
        twin.predict_proba_many(frame), model.predict_proba_many(frame), check_exact=True
    )


def test_what_is_shared_stays_shared():
    store = learned("UKDBClassifier", mixed(120))._learner.store
    twin = river_kdb.from_bytes(learned("UKDBClassifier", mixed(120)).to_bytes())._learner.store
    assert store.window.counted is store.window.weights
    assert twin.window.counted is twin.window.weights
    assert twin.bitsets.labels is twin.window.labels
    fading = river_kdb.from_bytes(learned("KDBClassifier", mixed(9), half_life=9).to_bytes())
    assert fading._learner.store.window.counted is not fading._learner.store.window.weights


def test_labels_categories_and_names_keep_their_types():
    odd = ["a", 7, -(2**80), True, 2.5, float("inf"), -0.0, b"b", ("t", (1, None)), "\ud800"]
    odd += [np.str_("n"), np.int8(3), np.float32(0.1), np.datetime64("2026-01-01")]
    model = river_kdb.KDBClassifier(nominal_attributes=[1, "colour"])
    for i, value in enumerate(odd):
        model.learn_one({"colour": value, 1: i, ("a", b"b"): 0.5}, value)
    twin = river_kdb.from_bytes(model.to_bytes())
    labels = twin._learner.labels
    assert [(type(v), repr(v)) for v in labels] == [(type(v), repr(v)) for v in odd]
    assert [(type(v), v) for v in twin.feature_names] == [(type(v), v) for v in model.feature_names]
    for mine, other in zip(
        model._learner.encoder.vocabularies, twin._learner.encoder.vocabularies, strict=True
    ):
        assert [(type(v), repr(v)) for v in mine] == [(type(v), repr(v)) for v in other]
    assert twin.nominal_attributes == [1, "colour"]


def test_a_pickled_model_is_the_same_file():
    model = learned("TANClassifier", mixed(120), drift_detector=drift.ADWIN())
    assert pickle.loads(pickle.dumps(model)).to_bytes() == model.to_bytes()
