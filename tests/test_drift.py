"""What is fed to drift detectors, which drifts count, and which events are kept after one."""

from __future__ import annotations

import copy
import itertools
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from river import datasets, drift
from river.datasets import synth

from river_kdb import (
    AODEClassifier,
    BKDBClassifier,
    CSBClassifier,
    KDBClassifier,
    KDFClassifier,
    SelectiveKDBClassifier,
    TANClassifier,
    UKDBClassifier,
)
from river_kdb.drift import NO_DRIFT, DriftWatch, check_detectors, where_errors_rise
from tests.detectors import Signals, Warns, Wide

CLASSES = [
    KDBClassifier,
    TANClassifier,
    AODEClassifier,
    KDFClassifier,
    SelectiveKDBClassifier,
    UKDBClassifier,
    CSBClassifier,
    BKDBClassifier,
]
BINARY = {name.replace("_", ""): getattr(drift.binary, name) for name in drift.binary.__all__}
DETECTORS = {
    "ADWIN": drift.ADWIN,
    "KSWIN": lambda: drift.KSWIN(seed=1),
    "PageHinkley": lambda: drift.PageHinkley(threshold=10),
    "NoDrift": drift.NoDrift,
    "DummyDriftDetector": lambda: drift.DummyDriftDetector(t_0=150),
    **{name: BINARY[name] for name in ("DDM", "EDDM", "HDDMA", "HDDMW", "FHDDM")},
}
PHISHING = [(x, y) for x, y in datasets.Phishing().take(700)]


def stagger(n_before, n_after, seed=1):
    before = synth.STAGGER(classification_function=0, seed=seed).take(n_before)
    after = synth.STAGGER(classification_function=1, seed=seed + 1).take(n_after)
    return [*before, *after]


def learn(model, events):
    for x, y in events:
        model.learn_one(x, y)
    return model


def watch_of(detector, warning=None, **other):
    sizes = {"grace_period": 30, "relearn_period": 200, "window_size": 1000} | other
    return DriftWatch(detector, warning, **sizes)


def played(watch, n_events, errors=None):
    """The events at which there is a drift, and the first that is kept each time."""
    errors = itertools.repeat(True) if errors is None else errors
    found = {t: watch.update(e, t) for t, e in zip(range(n_events), errors, strict=False)}
    return {t: first for t, first in found.items() if first != NO_DRIFT}


# -- Parameters ----------------------------------------------------------------------------------


@pytest.mark.parametrize("klass", CLASSES)
@pytest.mark.parametrize("name", ["drift_detector", "warning_detector"])
@pytest.mark.parametrize("value", [drift.ADWIN, "adwin", 3, True, KDBClassifier()], ids=str)
def test_what_is_no_detector(klass, name, value):
    with pytest.raises(TypeError, match=f"^{name} must be a drift detector"):
        klass(**{"drift_detector": drift.ADWIN(), name: value})


@pytest.mark.parametrize("klass", CLASSES)
def test_a_warning_detector_alone(klass):
    with pytest.raises(ValueError, match=r"^warning_detector must be None without"):
        klass(warning_detector=drift.ADWIN())


def test_detectors_that_pass():
    check_detectors(None, None)
    for make, other in itertools.product(DETECTORS.values(), repeat=2):
        check_detectors(make(), None)
        check_detectors(make(), other())


def test_the_detectors_given_stay_untouched():
    detector, warning = Signals(at=(5,)), Signals(at=(3,))
    model = learn(KDBClassifier(drift_detector=detector, warning_detector=warning), PHISHING[:9])
    assert (model.n_drifts_detected(), model.n_warnings_detected()) == (1, 1)
    assert model.drift_detector is detector
    assert not detector.given
    assert not warning.given
    fresh = model.clone()
    assert fresh.n_drifts_detected() == 0
    assert learn(fresh, PHISHING[:9]).n_drifts_detected() == 1


# -- Which events are kept -----------------------------------------------------------------------


def test_the_last_grace_period_where_nothing_else_is_known():
    assert played(watch_of(Signals(at=(4, 100))), 200) == {4: 0, 100: 71}


@pytest.mark.parametrize(("width", "first"), [(0, 100), (1, 100), (40, 61), (1e9, 0), (7.0, 94)])
def test_the_width_of_the_detector(width, first):
    assert played(watch_of(Wide(at=(100,), width=width)), 200) == {100: first}


def test_the_first_warning_goes_before_the_width():
    watch = watch_of(Wide(at=(100, 150), width=3), Signals(at=(60, 80)))
    assert played(watch, 200) == {100: 60, 150: 148}
    assert watch.n_warnings == 2


def test_a_warning_that_nothing_follows_ends():
    assert played(watch_of(Signals(at=(250,)), Signals(at=(40,))), 300) == {250: 221}
    assert played(watch_of(Signals(at=(240,)), Signals(at=(40,))), 300) == {240: 40}


def test_a_warning_with_the_very_drift():
    assert played(watch_of(Signals(at=(100,)), Signals(at=(100,))), 200) == {100: 100}


def test_the_own_warning_counts_from_its_beginning_until_it_is_taken_back():
    warn = (10, 11, 12, *range(90, 100))
    watch = watch_of(Warns(at=(100,), warn=warn))
    assert played(watch, 200) == {100: 90}
    assert watch.n_warnings == 2
    assert played(watch_of(Warns(at=(100,), warn=(10, 11))), 200) == {100: 71}


def test_a_signal_that_lasts_counts_once():
    watch = watch_of(Signals(at=(50, 51, 52, 60)))
    assert list(played(watch, 100)) == [50, 60]
    assert watch.n_drifts == 2


@pytest.mark.parametrize("name", sorted(DETECTORS.keys() - {"DummyDriftDetector"}))
def test_no_detector_signals_one_change_twice(name):
    """They forget all they know with the first error after their signal."""
    rng = np.random.default_rng(3)
    errors = [*(rng.random(1500) < 0.1), *(rng.random(100) < 0.9)]
    found = played(watch_of(DETECTORS[name]()), 1600, map(bool, errors))
    after = [t for t in found if t >= 1500]
    assert len(after) == (name != "NoDrift")


def test_fhddm_waits_for_fewer_ones():
    """Should River ever turn it round, it is to be given the errors."""
    detector = drift.binary.FHDDM()
    signals = []
    for t in range(400):
        detector.update(t < 200)
        signals.append(detector.drift_detected)
    assert any(signals[200:])
    assert not any(signals[:200])


@pytest.mark.parametrize("rates", [(0.5, 0.1), (0.3, 0.02)])
def test_fewer_errors_are_no_drift_for_adwin(rates):
    rng = np.random.default_rng(5)
    errors = [bool(rng.random() < rates[t >= 1000]) for t in range(3000)]
    adwin = drift.ADWIN()
    signals = 0
    for error in errors:
        adwin.update(error)
        signals += adwin.drift_detected
    assert signals
    assert played(watch_of(drift.ADWIN()), 3000, errors) == {}
    assert played(watch_of(drift.ADWIN()), 3000, errors[::-1])


def test_of_adwins_events_those_before_the_rise_are_dropped():
    errors = [t >= 500 or t % 10 == 0 for t in range(600)]
    adwin, t = drift.ADWIN(), -1
    while not adwin.drift_detected:
        t += 1
        adwin.update(errors[t])
    assert t + 1 - adwin.width < 490
    assert played(watch_of(drift.ADWIN()), 600, errors) == {t: 500}


def test_errors_are_kept_for_the_window_only():
    watch = watch_of(drift.ADWIN(), window_size=50)
    assert played(watch, 5000, itertools.repeat(False)) == {}
    assert len(watch.errors) < 100
    errors = itertools.chain(itertools.repeat(False, 300), itertools.repeat(True))
    assert all(first == 300 for first in played(watch_of(drift.ADWIN()), 400, errors).values())


def split_likelihood(errors, at):
    """Log likelihood of the errors with one rate before a place and one from it on."""
    total = 0.0
    for part in (errors[:at], errors[at:]):
        rate = sum(part) / len(part)
        total += sum(math.log(rate if error else 1 - rate) for error in part)
    return total


@given(st.lists(st.integers(0, 1), max_size=40))
@examples(max_examples=80)
def test_where_errors_rise(errors):
    found = where_errors_rise(np.array(errors, dtype=np.uint8))
    rises = {
        at: split_likelihood(errors, at)
        for at in range(1, len(errors))
        if sum(errors[at:]) / (len(errors) - at) > sum(errors[:at]) / at + 1e-12
    }
    if not rises:
        assert found == 0
    else:
        assert rises[found] == pytest.approx(max(rises.values()), abs=1e-9)


# -- What the models do --------------------------------------------------------------------------


@pytest.mark.parametrize("name", DETECTORS)
def test_every_detector_runs_through(name):
    model = KDBClassifier(drift_detector=DETECTORS[name](), warning_detector=DETECTORS[name]())
    for x, y in stagger(400, 400):
        model.predict_one(x)
        model.learn_one(x, y)
    assert math.isclose(sum(model.predict_proba_one(x).values()), 1.0)
    assert (model.n_drifts_detected() > 0) == (name != "NoDrift")
    assert isinstance(model.n_warnings_detected(), int)
    pickle.loads(pickle.dumps(model)).learn_one(x, y)


@pytest.mark.parametrize(("detector", "kind"), [(Signals(), int), (Warns(), bool)])
@pytest.mark.parametrize("klass", [KDBClassifier, AODEClassifier, UKDBClassifier])
def test_the_detector_gets_the_errors_of_the_model_itself(klass, detector, kind):
    model, plain = klass(drift_detector=detector), klass()
    expected = []
    for t, (x, y) in enumerate(PHISHING[:250]):
        if t:
            expected.append(plain.predict_one(x) != y)
        w = 0.0 if t % 50 == 20 else 1.0
        if w == 0.0:
            expected.pop()
        model.learn_one(x, y, w)
        plain.learn_one(x, y, w)
    given = model._watch.drift_detector.given
    assert given == expected
    assert {type(value) for value in given} == {kind}


@pytest.mark.parametrize("klass", CLASSES)
@pytest.mark.parametrize(("at", "width"), [(400, 150), (400, 40), (120, 90)])
def test_after_a_drift_it_is_as_a_model_of_the_recent_events(klass, at, width):
    """Also when the window, of 200, overflows later, and when structures are learned."""
    params = {"window_size": 200, "grace_period": 60, "relearn_period": 150}
    # the detector has no error of the first event, as there was no label to predict
    detector = Wide(at=(at - 1,), width=width)
    model = learn(klass(drift_detector=detector, **params), PHISHING[: at + 1])
    recent = PHISHING[at + 1 - width : at + 1]
    fresh = learn(klass(**params), recent)
    if width >= 60:
        fresh.relearn()
    else:
        fresh._learner._recode()
        fresh._learner.bind()
    assert model.n_drifts_detected() == 1
    assert model._learner.has_structure == fresh._learner.has_structure == (width >= 60)
    for x, y in PHISHING[at + 1 : at + 260]:
        expected = fresh.predict_proba_one(x)
        assert model.predict_proba_one(x) == pytest.approx(expected, abs=1e-9)
        model.learn_one(x, y)
        fresh.learn_one(x, y)
    assert model.structure_edges() == fresh.structure_edges()


def test_a_drift_with_one_event_left():
    model = learn(KDBClassifier(drift_detector=Wide(at=(200,), width=0)), PHISHING[:202])
    assert model.n_drifts_detected() == 1
    assert model._learner.store.singles.classes.sum() == 1.0
    assert not model._learner.has_structure
    assert not model.structure_edges()
    learn(model, PHISHING[202:300])
    assert not model._learner.has_structure
    learn(model, PHISHING[300:301])
    assert model._learner.has_structure


@pytest.mark.parametrize("forgetting", [{}, {"forget": "window"}, {"half_life": 80.0}])
@pytest.mark.parametrize("klass", [KDBClassifier, AODEClassifier, UKDBClassifier])
def test_learn_many_equals_the_loop_through_drifts(klass, forgetting):
    pd = pytest.importorskip("pandas")
    params = {"window_size": 150, "grace_period": 40, **forgetting}
    detector = Wide(at=(180, 330, 333), width=60)
    loop, many = (klass(drift_detector=detector, **params) for _ in range(2))
    events = stagger(250, 200)
    frame, labels = pd.DataFrame([x for x, _ in events]), pd.Series([y for _, y in events])
    weights = [0.0 if t % 40 == 7 else 1.0 + t % 2 for t in range(450)]
    for start, stop in ((0, 1), (1, 200), (200, 450)):
        many.learn_many(frame[start:stop], labels[start:stop], weights[start:stop])
        for t in range(start, stop):
            loop.learn_one(*events[t], weights[t])
        for x, _ in events[::20]:
            assert many.predict_proba_one(x) == loop.predict_proba_one(x)
    assert many.n_drifts_detected() == loop.n_drifts_detected() == 3
    assert many.structure_history == loop.structure_history
    one, other = many._learner.store, loop._learner.store
    for a, b in zip((*one.singles, *one.families), (*other.singles, *other.families), strict=True):
        np.testing.assert_array_equal(a, b)
    assert many._watch.drift_detector.given == loop._watch.drift_detector.given


def test_a_bad_frame_changes_nothing():
    pd = pytest.importorskip("pandas")
    model = learn(KDBClassifier(drift_detector=drift.ADWIN()), PHISHING[:50])
    before = pickle.dumps(model)
    frame = pd.DataFrame([x for x, _ in PHISHING[:3]])
    with pytest.raises(ValueError, match=r"label is missing"):
        model.learn_many(frame, [True, False, None])
    with pytest.raises(ValueError, match=r"^w must be"):
        model.learn_one(*PHISHING[0], w=-1.0)
    assert pickle.dumps(model) == before


@pytest.mark.parametrize("klass", [KDBClassifier, UKDBClassifier])
def test_copies_and_pickles_go_on_alike(klass):
    model = learn(klass(drift_detector=drift.ADWIN()), stagger(400, 20))
    others = [pickle.loads(pickle.dumps(model)), copy.deepcopy(model)]
    rest = stagger(400, 320)[420:]
    learn(model, rest)
    for other in others:
        learn(other, rest)
        assert other.structure_history == model.structure_history
        assert other.n_drifts_detected() == model.n_drifts_detected() == 1
        assert other.predict_proba_one(rest[0][0]) == model.predict_proba_one(rest[0][0])


def test_forgetting_by_the_window_recodes_whenever_it_has_turned(monkeypatch):
    model = KDBClassifier(window_size=100, forget="window", grace_period=30)
    learner, recoded = model._learner, []
    recode = type(learner)._recode
    monkeypatch.setattr(
        type(learner), "_recode", lambda self: (recoded.append(self.store.n_events), recode(self))
    )
    learn(model, PHISHING[:350])
    assert recoded == [12, 25, 50, 100, 200, 300]


# -- Accuracy ------------------------------------------------------------------------------------


def errors_of(model, events):
    wrong = []
    for x, y in events:
        wrong.append(model.predict_one(x) != y)
        model.learn_one(x, y)
    return np.array(wrong)


def concepts(name, functions, n, seed):
    """Streams of `n` events of each concept, one after the other."""
    make = {
        "STAGGER": lambda f, s: synth.STAGGER(classification_function=f, seed=s),
        "SEA": lambda f, s: synth.SEA(variant=f, seed=s),
        "Agrawal": lambda f, s: synth.Agrawal(classification_function=f, seed=s),
    }[name]
    return [event for i, f in enumerate(functions) for event in make(f, seed + 100 * i).take(n)]


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(
    ("name", "functions"), [("STAGGER", (0, 1)), ("STAGGER", (0, 2)), ("SEA", (0, 3))]
)
def test_accuracy_comes_back_within_a_thousand_events(name, functions, seed):
    events = concepts(name, functions, 2500, seed)
    model = KDBClassifier(drift_detector=drift.ADWIN())
    wrong = errors_of(model, events)
    assert model.n_drifts_detected() == 1
    assert wrong[3000:].mean() <= wrong[2000:2500].mean() + 0.02


@pytest.mark.parametrize("functions", [(0, 3), (1, 4)])
def test_after_a_drift_to_a_harder_concept_it_is_as_good_as_a_new_model(functions):
    events = concepts("Agrawal", functions, 2000, 1)
    wrong = errors_of(KDBClassifier(drift_detector=drift.ADWIN()), events)
    new = errors_of(KDBClassifier(), events[2000:])
    assert wrong[2500:].mean() <= new[500:].mean() + 0.02


@pytest.mark.parametrize("name", ["STAGGER", "SEA", "Agrawal", "Phishing", "ImageSegments"])
def test_nothing_is_lost_where_nothing_drifts(name):
    events = (
        list(getattr(datasets, name)())
        if hasattr(datasets, name)
        else concepts(name, (0,), 2500, seed=7)
    )
    watched = errors_of(KDBClassifier(drift_detector=drift.ADWIN()), events)
    plain = errors_of(KDBClassifier(), events)
    assert watched.mean() <= plain.mean() + 0.005
