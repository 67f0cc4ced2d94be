"""Whether what a model with one set of counts has learned is sound."""

from __future__ import annotations

import numpy as np

from river_kdb.learner import Learner
from river_kdb.persist.checks.coding import check_coder
from river_kdb.persist.checks.growing import check_cells, check_growing
from river_kdb.persist.checks.require import require
from river_kdb.persist.checks.store import check_store
from river_kdb.persist.checks.structure import check_program, check_structure


def check_learner(learner: Learner, clock: np.ndarray) -> None:
    """Raise unless what a model has learned is sound.

    Parameters
    ----------
    learner
        What it has learned.
    clock
        The clock of a new model with the same parameters.

    Raises
    ------
    ValueError, TypeError
        If it is not.
    """
    store, n = learner.store, len(learner.encoder.names)
    check_growing(learner, store.n_events)
    require(np.shape(store.layout.caps) == (n,), "room for slots: not one for each feature")
    check_store(store, len(learner.labels), clock)
    check_coder(learner.coder, learner.encoder.next_ids, store.layout.caps)
    check_cells(store.window.raw, learner.encoder)
    check_structure(learner.structure, n)
    check_program(learner.program, learner.structure, store.families)
