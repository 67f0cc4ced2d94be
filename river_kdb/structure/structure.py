"""What a learner of structures hands to the inference."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

MEAN_OF_POSTERIORS, SUM_OF_JOINTS = 0, 1
"""How the members of an ensemble are combined."""


class Structure(NamedTuple):
    """One or several networks over the features; the class is a parent of every feature.

    Attributes
    ----------
    parents
        int16 array of shape (n_members, n_features, k): parents, the strongest first, -1 for none.
    weights
        float64 array of shape (n_members,).
    roots
        int16 array of shape (n_members,): the feature whose joint probability with the class is
        the member's prior (the superparent of AODE), or -1.
    rule
        `MEAN_OF_POSTERIORS` or `SUM_OF_JOINTS`.
    """

    parents: np.ndarray
    weights: np.ndarray
    roots: np.ndarray
    rule: int


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
    _, child, _ = np.nonzero(structure.parents >= 0)
    parent = structure.parents[structure.parents >= 0]
    return sorted(set(zip(parent.tolist(), child.tolist(), strict=True)))


def moved_features(structure: Structure, where: np.ndarray, n_features: int) -> Structure:
    """Return the structure over more features; the new ones have no arcs.

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
    moved = np.append(where, -1).astype(np.int16)  # the last place serves -1
    parents[:, where] = moved[structure.parents]
    return structure._replace(parents=parents, roots=moved[structure.roots])
