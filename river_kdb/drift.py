"""What River's drift detectors make of a model's errors."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from river import base

Detector = base.DriftDetector | base.BinaryDriftDetector
"""A drift detector of River, for numbers or for bools."""

NO_DRIFT = -1


def check_detectors(drift_detector: Any, warning_detector: Any) -> None:
    """Raise unless these are drift detectors, or None.

    Parameters
    ----------
    drift_detector
        Detector of drifts.
    warning_detector
        Detector of their first signs.

    Raises
    ------
    TypeError
        For anything else, such as the class of a detector.
    ValueError
        If there is a detector of warnings only.
    """
    for name, detector in (
        ("drift_detector", drift_detector),
        ("warning_detector", warning_detector),
    ):
        if detector is not None and not isinstance(detector, Detector):
            hint = ", not its class" if isinstance(detector, type) else ""
            raise TypeError(f"{name} must be a drift detector of River{hint}, got {detector!r}")
    if warning_detector is not None and drift_detector is None:
        raise ValueError("warning_detector must be None without a drift_detector")


class DriftWatch:
    """Feeds a model's errors to clones of detectors, and says from where on to keep events.

    After a drift these are the events since the warning of the warning detector; else since the
    detector's own warning; else as many as the detector itself still holds (`width`); else the
    last `grace_period`. A warning of the warning detector that no drift follows within
    `relearn_period` events has ended, the detector's own ends when it takes it back.

    A detector that knows the error rate (`estimation`) may signal that it has fallen: the model
    has become better, which is no drift. What such a detector still holds begins well before the
    change, so that only the events since the errors rose are kept of it. A signal that lasts
    counts once.

    Parameters
    ----------
    drift_detector
        Detector of drifts.
    warning_detector
        Detector of their first signs, or None.
    grace_period, relearn_period, window_size
        As in the models.

    Examples
    --------
    >>> from river import drift
    >>> from river_kdb.drift import DriftWatch
    >>> watch = DriftWatch(drift.ADWIN(), None, 100, 1000, 10_000)
    >>> for t in range(1000):
    ...     first = watch.update(error=t > 500 or t % 5 == 0, event=t)
    ...     if first >= 0:
    ...         print(f"after event {t}: keep events from number {first}")
    after event 543: keep events from number 500
    """

    def __init__(
        self,
        drift_detector: Detector,
        warning_detector: Detector | None,
        grace_period: int,
        relearn_period: int,
        window_size: int,
    ) -> None:
        self.drift_detector = drift_detector.clone()
        self.warning_detector = warning_detector.clone() if warning_detector is not None else None
        self.grace_period = grace_period
        self.relearn_period = relearn_period
        self.window_size = window_size
        self.errors = bytearray()
        self.n_drifts = 0
        self.n_warnings = 0
        self.drifting = False
        self.warned = NO_DRIFT
        self.own_warning = NO_DRIFT

    def update(self, error: bool, event: int) -> int:
        """Take one error; return the number of the first event to keep, or `NO_DRIFT`.

        Parameters
        ----------
        error
            Whether the model was wrong.
        event
            Number of the event, from 0.
        """
        self._take_warning(error, event)
        before = self._rate()
        feed(self.drift_detector, error)
        after = self._rate()
        lasting, self.drifting = self.drifting, self.drift_detector.drift_detected
        self._take_own_warning(event)
        if after is not None:
            self._keep(error)
        if not self.drifting or lasting:
            return NO_DRIFT
        if before is not None and after is not None and after < before:
            return NO_DRIFT
        first = self._first_to_keep(event)
        self.n_drifts += 1
        self.warned = self.own_warning = NO_DRIFT
        self.errors.clear()
        if self.warning_detector is not None:
            self.warning_detector = self.warning_detector.clone()
        return first

    def _rate(self) -> float | None:
        return getattr(self.drift_detector, "estimation", None)

    def _keep(self, error: bool) -> None:
        self.errors.append(error)
        if len(self.errors) >= 2 * self.window_size:
            del self.errors[: -self.window_size]

    def _take_warning(self, error: bool, event: int) -> None:
        if self.warning_detector is None:
            return
        if self.warned < event - self.relearn_period:
            self.warned = NO_DRIFT
        feed(self.warning_detector, error)
        if self.warning_detector.drift_detected:
            self.n_warnings += 1
            if self.warned == NO_DRIFT:
                self.warned = event

    def _take_own_warning(self, event: int) -> None:
        if not getattr(self.drift_detector, "warning_detected", False):
            # some take their warning back with the very update that signals the drift
            if not self.drifting:
                self.own_warning = NO_DRIFT
        elif self.own_warning == NO_DRIFT:
            self.own_warning = event
            self.n_warnings += 1

    def _first_to_keep(self, event: int) -> int:
        if self.warned != NO_DRIFT:
            return self.warned
        if self.own_warning != NO_DRIFT:
            return self.own_warning
        width = getattr(self.drift_detector, "width", None)
        n_recent = self.grace_period if width is None else max(1, int(width))
        if width is not None and self.errors:
            latest = np.frombuffer(self.errors[-n_recent:], dtype=np.uint8)
            n_recent = len(latest) - where_errors_rise(latest)
        return max(0, event + 1 - n_recent)


def where_errors_rise(errors: np.ndarray) -> int:
    """Return the most likely place of a rise in the share of errors; 0 if there is none.

    Before it and from it on the errors are taken to come at one rate each.

    Parameters
    ----------
    errors
        uint8 array of shape (n_events,): 1 for an error, 0 for none.

    Examples
    --------
    >>> import numpy as np
    >>> from river_kdb.drift import where_errors_rise
    >>> where_errors_rise(np.array([0, 0, 1, 0, 0, 0, 1, 1, 0, 1], dtype=np.uint8))
    6
    """
    n = len(errors)
    if n < 2:
        return 0
    n_before = np.arange(1, n)
    wrong_before = np.cumsum(errors, dtype=np.int64)
    wrong_after = wrong_before[-1] - wrong_before[:-1]
    wrong_before = wrong_before[:-1]
    n_after = n - n_before
    rises = wrong_after * n_before > wrong_before * n_after
    if not rises.any():
        return 0
    likelihood = _log_likelihood(wrong_before, n_before) + _log_likelihood(wrong_after, n_after)
    return int(np.argmax(np.where(rises, likelihood, -np.inf))) + 1


def _log_likelihood(wrong: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Return the largest log likelihood of so many errors under one rate."""
    right = n - wrong
    found: np.ndarray = wrong * np.log(np.maximum(wrong, 1) / n)
    found += right * np.log(np.maximum(right, 1) / n)
    return found


def feed(detector: Any, error: bool) -> None:
    """Update a detector with an error, as a bool or as 0 or 1, whichever it takes.

    FHDDM is given the hits, as in the paper it comes from.

    Parameters
    ----------
    detector
        The detector.
    error
        Whether the model was wrong.
    """
    if _takes_hits(type(detector)):  # type: ignore[arg-type]
        # whatever its docstring says, it signals that the share of ones has fallen
        detector.update(not error)
    else:
        detector.update(error if isinstance(detector, base.BinaryDriftDetector) else int(error))


@functools.cache
def _takes_hits(kind: type) -> bool:
    from river.drift.binary import FHDDM  # to load it with this module doubles the start

    return issubclass(kind, FHDDM)
