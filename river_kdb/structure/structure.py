"""What a learner of structures hands to the inference."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

MEAN_OF_POSTERIORS, SUM_OF_JOINTS = 0, 1
"""How the members of an ensemble are combined."""

ABSENT = -2
"""In place of the first parent: the member has no factor of this feature."""


class Structure(NamedTuple):
    """One or several networks over the features; the class is a parent of every feature.

    Attributes
    ----------
    parents
        int16 array of shape (n_members, n_features, k): parents, the strongest first, -1 for none;
        `ABSENT` in the first place for a feature that the member leaves out.
    weights
        float64 array of shape (n_members,).
    roots
        int16 array of shape (n_members,): the feature whose joint probability with the class is
        the member's prior (the superparent of AODE), or -1.
    rule
        `MEAN_OF_POSTERIORS` or `SUM_OF_JOINTS`.
    candidates
        int16 array of shape (n_features, any): parents that each event chooses from, the
        strongest first, -1 for none. The first k of them count as arcs.
    """

    parents: np.ndarray
    weights: np.ndarray
    roots: np.ndarray
    rule: int
    candidates: np.ndarray = np.empty((0, 0), dtype=np.int16)


def single_network(parents: np.ndarray) -> Structure:
    """Return the structure of one network.

    Parameters
    ----------
    parents
        int array of shape (n_features, k).
    """
    return Structure(
        np.ascontiguousarray(parents, dtype=np.int16)[None],
        np.ones(1),
        np.full(1, -1, dtype=np.int16),
        MEAN_OF_POSTERIORS,
    )


def no_arcs(n_features: int) -> Structure:
    """Return naive Bayes: no feature has a parent but the class.

    Parameters
    ----------
    n_features
        How many features there are.
    """
    return single_network(np.full((n_features, 0), -1))


def arcs(structure: Structure) -> list[tuple[int, int]]:
    """Return the distinct arcs of all members, as pairs of a parent and a child.

    Parameters
    ----------
    structure
        The structure.
    """
    found: set[tuple[int, int]] = set()
    for parents in (*structure.parents, structure.candidates[:, : structure.parents.shape[2]]):
        child, place = np.nonzero(parents >= 0)
        found.update(zip(parents[child, place].tolist(), child.tolist(), strict=True))
    return sorted(found)


def absent_features(structure: Structure) -> np.ndarray:
    """Return the indices of the features that no member has a factor of.

    Parameters
    ----------
    structure
        The structure.
    """
    if not structure.parents.shape[2]:
        return np.empty(0, dtype=np.int64)
    return np.flatnonzero((structure.parents[:, :, 0] == ABSENT).all(axis=0))


def moved_features(structure: Structure, where: np.ndarray, n_features: int) -> Structure:
    """Return the structure over more features; the new ones have no parent but the class.

    Parameters
    ----------
    structure
        The structure.
    where
        int array: the new index of every old feature, rising.
    n_features
        How many features there are now.
    """
    n_members, _, k = structure.parents.shape
    parents = np.full((n_members, n_features, k), -1, dtype=np.int16)
    moved = np.append(where, (ABSENT, -1)).astype(np.int16)  # the last two places serve these
    parents[:, where] = moved[structure.parents]
    candidates = np.full((n_features, structure.candidates.shape[1]), -1, dtype=np.int16)
    if len(structure.candidates):
        candidates[where] = moved[structure.candidates]
    return structure._replace(parents=parents, roots=moved[structure.roots], candidates=candidates)
