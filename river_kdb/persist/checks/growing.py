"""Whether labels, features, schedule and history are sound."""

from __future__ import annotations

from typing import Any

import numpy as np

from river_kdb.features.boxes import unbox, unbox_array
from river_kdb.features.encoder import CATEGORICAL, UNKNOWN, Encoder, check_value, feature_key
from river_kdb.growing import Growing
from river_kdb.history import MOST_KEPT, StructureHistory
from river_kdb.parameters import check_label
from river_kdb.persist.checks.require import (
    require,
    require_array,
    require_whole,
    require_within,
)
from river_kdb.schedule import NEVER, Schedule

_MOST_FEATURES = 2**15
_MOST_IDS = 2**32 - 1


def check_growing(learner: Growing, n_events: int) -> None:
    """Raise unless what all learners share is sound.

    Parameters
    ----------
    learner
        The learner.
    n_events
        Events it has learned.

    Raises
    ------
    ValueError, TypeError
        If it is not.
    """
    require_whole("n_events", n_events)
    for label in learner.labels:
        check_label(label)
    require(learner.label_index == _numbered(learner.labels), "labels and their numbers differ")
    require(bool(learner.labels) or n_events == 0, "events without labels")
    require_whole("n_relearns", learner.n_relearns)
    require(all(type(v) is str for pair in learner.notes.items() for v in pair), "notes are none")
    check_encoder(learner.encoder)
    _check_schedule(learner.schedule, n_events)
    _check_history(learner.history, n_events)


def _numbered(names: list[Any]) -> dict[Any, int]:
    numbers = {name: i for i, name in enumerate(names)}
    require(len(numbers) == len(names), "a name is there twice")
    return numbers


def check_encoder(encoder: Encoder) -> None:
    """Raise unless features and vocabularies are sound.

    Parameters
    ----------
    encoder
        The encoder.

    Raises
    ------
    ValueError, TypeError
        If they are not.
    """
    n = len(encoder.names)
    require(n <= _MOST_FEATURES, "too many features")
    require(encoder.index == _numbered(encoder.names), "features and their numbers differ")
    require(encoder.names == sorted(encoder.names, key=feature_key), "features are not in order")
    for key in ("kinds", "vocabularies", "free_ids", "next_ids"):
        require(len(getattr(encoder, key)) == n, f"{key}: not one for each feature")
    for i, name in enumerate(encoder.names):
        require_whole("kind of a feature", encoder.kinds[i], UNKNOWN, CATEGORICAL)
        _check_vocabulary(name, encoder.vocabularies[i])
        _check_ids(encoder.vocabularies[i], encoder.free_ids[i], encoder.next_ids[i])


def _check_vocabulary(name: Any, vocabulary: Any) -> None:
    require(type(vocabulary) is dict, "a vocabulary is none")
    for value, cell in vocabulary.items():
        check_value(name, value)
        require(type(cell) is float, "a category without an id")


def _check_ids(vocabulary: dict[Any, float], free: Any, n_ids: Any) -> None:
    """Raise unless each id is that of one category, or free."""
    require_whole("number of ids", n_ids, 0, _MOST_IDS)
    require(type(free) is list and all(type(i) is int for i in free), "free ids are none")
    ids = [*map(unbox, vocabulary.values()), *free]
    # first the length: an id may be very large
    require(len(ids) == n_ids and set(ids) == set(range(n_ids)), "ids of categories are wrong")


def check_cells(raw: np.ndarray, encoder: Encoder) -> None:
    """Raise unless raw rows of the window hold ids that there are.

    Parameters
    ----------
    raw
        float64 array of shape (n_features, capacity).
    encoder
        The encoder.

    Raises
    ------
    ValueError
        If one has another.
    """
    for row, n_ids in zip(raw, encoder.next_ids, strict=True):
        largest = int(unbox_array(row).max(initial=-1))
        require(largest < n_ids, "the window has a category without a name")


def _check_schedule(schedule: Schedule, n_events: int) -> None:
    require_whole("origin", schedule.origin, 0, n_events)
    since = n_events - schedule.origin
    require_whole("next_recode", schedule.next_recode, since + 1, 2 * NEVER)
    require_whole("next_relearn", schedule.next_relearn, since + 1, 2 * NEVER)
    require_whole("gap", schedule.gap, 1)


def _check_history(history: StructureHistory, n_events: int) -> None:
    require(history.number == _numbered(history.names), "history: names and numbers differ")
    require(history.kept.maxlen == MOST_KEPT, "history: its length is wrong")
    for change in history.kept:
        require(type(change) is tuple and len(change) == 4, "history: no change")
        event, reason, *arcs = change
        require_whole("event of a change", event, 0, n_events)
        require(type(reason) is str, "history: no reason")
        for part in arcs:
            require(type(part) is np.ndarray and part.ndim == 2, "history: no arcs")
            require_array("history: arcs", part, np.int32, (len(part), 2))
            require_within("history: arcs", part, 0, len(history.names) - 1)
