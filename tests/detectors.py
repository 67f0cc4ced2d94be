"""Drift detectors that signal when they are told to, and keep what they were given."""

from __future__ import annotations

from typing import Any

from river import base


class Signals(base.DriftDetector):
    """Signals a drift at its updates number `at`, from 0."""

    def __init__(self, at: tuple[int, ...] = (-1,)) -> None:
        super().__init__()
        self.at = at
        self.given: list[Any] = []

    def update(self, x: Any) -> None:
        self._drift_detected = len(self.given) in self.at
        self.given.append(x)


class Wide(Signals):
    """One that also says how many events it holds."""

    def __init__(self, at: tuple[int, ...] = (-1,), width: int = 0) -> None:
        super().__init__(at)
        self.width = width


class Warns(base.BinaryDriftAndWarningDetector):
    """One for bools that warns at its updates number `warn`."""

    def __init__(self, at: tuple[int, ...] = (-1,), warn: tuple[int, ...] = (-1,)) -> None:
        super().__init__()
        self.at = at
        self.warn = warn
        self.given: list[Any] = []

    def update(self, x: Any) -> None:
        self._drift_detected = len(self.given) in self.at
        self._warning_detected = len(self.given) in self.warn
        self.given.append(x)
