"""What has to be known to run an evaluation again."""

from __future__ import annotations

import platform
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version

__all__ = ["Origin", "versions"]

_PACKAGES = ("river-kdb", "river", "numpy", "numba", "narwhals")


def versions() -> dict[str, str]:
    """Return the versions of Python, the system and the packages that results hang on."""
    found = {"Python": platform.python_version(), "system": platform.platform(terse=True)}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "unknown"
    return found


@dataclass(frozen=True)
class Origin:
    """Where results come from.

    Attributes
    ----------
    command
        The command line that gives them; empty where there was none.
    seed
        The seed of generators, models and detectors; None if it is not known.
    versions
        Versions, by name.
    """

    command: str = ""
    seed: int | None = None
    versions: dict[str, str] = field(default_factory=versions)
