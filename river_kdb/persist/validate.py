"""A model that was read, made ready once all of it is known to be sound."""

from __future__ import annotations

from typing import Any

from river_kdb.persist.checks.attributes import check_attributes, new_one_like
from river_kdb.persist.checks.detectors import check_detector, check_watch
from river_kdb.persist.checks.learner import check_learner
from river_kdb.persist.checks.mixture import check_mixture, check_size
from river_kdb.persist.checks.require import require
from river_kdb.persist.known import MODELS, name_of


def validate(model: Any) -> Any:
    """Return a model that was read from a file, ready for use.

    Even a file that somebody forged must not make a kernel read beyond an array: kernels check no
    bounds. So everything that they index with is checked here.

    Parameters
    ----------
    model
        The model, whose parts are as they were read.

    Raises
    ------
    ValueError, TypeError
        If it is not sound. Other errors of broken parts may come as they are.
    """
    from river_kdb.mixture.learner import MixtureLearner

    require(name_of(type(model)) in MODELS, "it is no model")
    # before a new one is made, whose size they say
    for key in ("drift_detector", "warning_detector"):
        if getattr(model, key) is not None:
            check_detector(getattr(model, key))
    learner = model._learner
    if type(learner) is MixtureLearner:
        check_size(model)
    fresh = new_one_like(model)
    check_attributes(model, fresh)
    if model._watch is not None:
        check_watch(model._watch)
    if isinstance(learner, MixtureLearner):
        require(learner.watch is model._watch, "a mixture has two watches")
        check_mixture(learner, fresh._learner)
    else:
        check_learner(learner, fresh._learner.store.clock)
    for part in (learner.encoder, learner):
        part.__setstate__(dict(vars(part)))
    return model
