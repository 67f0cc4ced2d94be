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
    return mean_of_networks(np.asarray(parents)[None])


def mean_of_networks(parents: np.ndarray, weights: np.ndarray | None = None) -> Structure:
    """Return the structure of several networks whose posteriors are averaged.

    Parameters
    ----------
    parents
        int array of shape (n_members, n_features, k).
    weights
        float array of shape (n_members,), not all 0; None: all weigh the same.
    """
    weights = np.ones(len(parents)) if weights is None else weights
    return Structure(
        np.ascontiguousarray(parents, dtype=np.int16),
        weights / weights.sum(),
        np.full(len(parents), -1, dtype=np.int16),
        MEAN_OF_POSTERIORS,
    )


def among_features(chosen: np.ndarray, members: np.ndarray, n_features: int) -> np.ndarray:
    """Return parents that were chosen among some features as parents among all.

    Parameters
    ----------
    chosen
        int array of shape (..., n_members, k): parents as numbers of members, -1 for none.
    members
        int array of shape (n_members,): the features.
    n_features
        How many features there are; those that are no members get no parents.

    Returns
    -------
    int16 array of shape (..., n_features, k).

    Examples
    --------
    >>> import numpy as np
    >>> from river_kdb.structure.structure import among_features
    >>> among_features(np.array([[-1], [0]]), np.array([1, 3]), 4).ravel().tolist()
    [-1, -1, -1, 1]
    """
    *before, _, k = chosen.shape
    parents = np.full((*before, n_features, k), -1, dtype=np.int16)
    parents[..., members, :] = np.where(chosen >= 0, members[chosen], -1)
    return parents


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
