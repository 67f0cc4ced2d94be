"""River's drift detectors by their names."""

from __future__ import annotations

import inspect

from river import drift

from river_kdb.drift import Detector
from river_kdb.evaluate.errors import EvaluationError, did_you_mean
from river_kdb.evaluate.settings import check_settings, parse_settings

__all__ = ["drift_detectors", "make_detector"]


def drift_detectors() -> dict[str, type[Detector]]:
    """Return River's drift detectors, for numbers and for bools, by their names."""
    found: dict[str, type[Detector]] = {}
    for module in (drift, drift.binary):
        for name in module.__all__:
            thing = getattr(module, name, None)
            if inspect.isclass(thing) and issubclass(thing, Detector):
                found[name] = thing
    return found


def make_detector(text: str, seed: int = 42) -> Detector:
    """Make a drift detector by its name.

    Parameters
    ----------
    text
        The name of a detector of River, in any case and with or without underscores (the papers
        write HDDM_W, River HDDMW). Parameters may follow after colons: ``ADWIN:delta=0.001``.
    seed
        For the detectors that have a parameter `seed`.

    Raises
    ------
    EvaluationError
        If there is no such detector, or it does not take the parameters.

    Examples
    --------
    >>> from river_kdb.evaluate import make_detector
    >>> type(make_detector("hddm_w")).__name__
    'HDDMW'
    >>> make_detector("ADWIN:delta=0.001").delta
    0.001
    >>> make_detector("ADWN")
    Traceback (most recent call last):
        ...
    river_kdb.evaluate.errors.EvaluationError: no drift detector 'ADWN'; did you mean ADWIN?

    """
    name, *settings = (part.strip() for part in text.split(":"))
    known = drift_detectors()
    cls = {_plain(key): cls for key, cls in known.items()}.get(_plain(name))
    if cls is None:
        hint = did_you_mean(_plain(name), known) or f" (there are {', '.join(known)})"
        raise EvaluationError(f"no drift detector {name!r}{hint}")
    given = parse_settings(text, settings)
    if "seed" in inspect.signature(cls).parameters:
        given = {"seed": seed, **given}
    detector: Detector = check_settings(text, cls, given)
    return detector


def _plain(name: str) -> str:
    return name.lower().replace("_", "")
