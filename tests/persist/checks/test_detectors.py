"""Drift detectors that were forged are refused."""

from __future__ import annotations

import pytest
from river import drift
from river.drift import binary

import river_kdb
from river_kdb.persist import UnreadableModelError
from tests.persist.files import small_model


def refuse(detector, change, said):
    """Change the watch of a model, and let it be refused although its checksum is right."""
    forged = river_kdb.from_bytes(small_model(30, drift_detector=detector).to_bytes())
    change(forged._watch)
    with pytest.raises(UnreadableModelError, match=said):
        river_kdb.from_bytes(forged.to_bytes())


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda w: w.errors.append(2), "an error is neither 0 nor 1"),
        (lambda w: w.errors.extend(bytes(1000)), "too many errors"),
        (lambda w: setattr(w, "n_drifts", -1), "n_drifts"),
        (lambda w: setattr(w, "warned", -2), "warned"),
        (lambda w: setattr(w, "window_size", 10**9), "window_size is not that of"),
        (lambda w: setattr(w, "drift_detector", drift.NoDrift()), "drift_detector is of the wrong"),
        (lambda w: setattr(w, "warning_detector", drift.ADWIN()), "warning_detector is of the"),
        (lambda w: setattr(w.drift_detector, "more", 1), "other attributes"),
        (lambda w: setattr(w.drift_detector, "_helper", 1), "_helper"),
    ],
)
def test_the_watch(change, said):
    refuse(drift.ADWIN(), change, said)


def test_a_detector_that_would_take_much_memory():
    forged = small_model(30)
    forged.drift_detector.max_buckets = 2**31
    with pytest.raises(UnreadableModelError, match="a drift detector is too large"):
        river_kdb.from_bytes(forged.to_bytes())


@pytest.mark.parametrize(
    ("detector", "change", "said"),
    [
        (drift.KSWIN(), lambda d: setattr(d, "window", [1]), "window"),
        (drift.KSWIN(), lambda d: setattr(d, "_rng", None), "_rng"),
        (drift.PageHinkley(), lambda d: setattr(d, "_x_mean", 3), "_x_mean"),
        (drift.PageHinkley(), lambda d: setattr(d, "_sum_increase", "x"), "TypeError"),
        (drift.PageHinkley(), lambda d: setattr(d, "mode", "x"), "mode"),
        (drift.PageHinkley(), lambda d: setattr(d, "_test_drift", 3), "_test_drift"),
        (binary.DDM(), lambda d: setattr(d, "_p", None), "_p"),
        (binary.FHDDM(), lambda d: setattr(d, "_sliding_window", None), "_sliding_window"),
    ],
)
def test_the_detector(detector, change, said):
    refuse(detector, lambda watch: change(watch.drift_detector), said)
