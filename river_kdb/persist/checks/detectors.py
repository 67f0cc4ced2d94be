"""Whether drift detectors are sound."""

from __future__ import annotations

import copy
import inspect
from typing import Any

from river_kdb.drift import DriftWatch, feed
from river_kdb.persist.checks.require import require, require_whole
from river_kdb.persist.known import DETECTORS, name_of
from river_kdb.persist.values import is_scalar

_TRIALS = 4
_MOST_BUCKETS = 2**16


def check_detector(detector: Any) -> None:
    """Raise unless a drift detector is one of River's that can take errors.

    Parameters
    ----------
    detector
        The detector.

    Raises
    ------
    ValueError
        If it is none. What River raises, if it can't take an error, comes as it is.
    """
    require(name_of(type(detector)) in DETECTORS, "a drift detector is none")
    most = getattr(detector, "max_buckets", 1)
    require(type(most) is int and most <= _MOST_BUCKETS, "a drift detector is too large")
    names = inspect.signature(type(detector).__init__).parameters
    given = {name: value for name, value in vars(detector).items() if name in names}
    fresh = type(detector)(**copy.deepcopy(given))
    require(vars(detector).keys() == vars(fresh).keys(), "a drift detector has other attributes")
    for key, value in vars(fresh).items():
        found = vars(detector)[key]
        same = is_scalar(found) if is_scalar(value) else type(found) is type(value)
        require(same, f"a drift detector's {key} is of the wrong type")
    trial = copy.deepcopy(detector)
    for error in range(_TRIALS):
        feed(trial, error % 3 == 0)
        require(type(trial.drift_detected) is bool, "a drift detector gives no signal")


def check_watch(watch: DriftWatch) -> None:
    """Raise unless the watch of a model's errors is sound.

    Parameters
    ----------
    watch
        The watch.

    Raises
    ------
    ValueError
        If it is not.
    """
    check_detector(watch.drift_detector)
    if watch.warning_detector is not None:
        check_detector(watch.warning_detector)
    require(len(watch.errors) < 2 * watch.window_size + 1, "too many errors are kept")
    require(not watch.errors or max(watch.errors) <= 1, "an error is neither 0 nor 1")
    for key in ("n_drifts", "n_warnings"):
        require_whole(key, getattr(watch, key))
    for key in ("warned", "own_warning"):
        require_whole(key, getattr(watch, key), -1)
