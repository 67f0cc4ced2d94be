"""Whether structures and their programs are sound."""

from __future__ import annotations

from typing import Any

import numpy as np

from river_kdb.counts.families import CHILD, FIRST_PARENT, Families, Key, family_spec
from river_kdb.counts.layout import Layout
from river_kdb.inference.program import Program
from river_kdb.persist.checks.require import (
    require,
    require_array,
    require_counts,
    require_equal,
    require_within,
)
from river_kdb.structure.structure import (
    ABSENT,
    MEAN_OF_POSTERIORS,
    SUM_OF_JOINTS,
    Structure,
)

_MOST_ROWS = 2**40


def check_structure(structure: Structure, n: int) -> None:
    """Raise unless a structure names only features that there are.

    Parameters
    ----------
    structure
        The structure.
    n
        How many features there are.

    Raises
    ------
    ValueError
        If it names others.
    """
    parents, candidates = structure.parents, structure.candidates
    require(type(parents) is np.ndarray and parents.ndim == 3, "parents are none")
    n_members, _, k = parents.shape
    require(n_members > 0, "a structure without a network")
    require_array("parents", parents, np.int16, (n_members, n, k))
    require_within("parents", parents[:, :, :1], ABSENT, n - 1)
    require_within("parents", parents[:, :, 1:], -1, n - 1)
    require((parents != np.arange(n)[:, None]).all(), "a feature is its own parent")
    require_array("weights", structure.weights, np.float64, (n_members,))
    require_array("roots", structure.roots, np.int16, (n_members,))
    require_within("roots", structure.roots, -1, n - 1)
    known = type(structure.rule) is int and structure.rule in (MEAN_OF_POSTERIORS, SUM_OF_JOINTS)
    require(known, "unknown rule of an ensemble")
    require(type(candidates) is np.ndarray and candidates.ndim == 2, "candidates are none")
    require(len(candidates) in (0, n), "candidates: not one row for each feature")
    require_array("candidates", candidates, np.int16, candidates.shape)
    require_within("candidates", candidates, -1, n - 1)


def check_program(program: Program, structure: Structure, families: Families) -> None:
    """Raise unless a program is that of a structure, with families of its features.

    Parameters
    ----------
    program
        The program.
    structure
        The structure, checked.
    families
        The families, checked.

    Raises
    ------
    ValueError
        If it is not.
    """
    levels = program.levels
    require_array("levels", levels, np.int32, structure.parents.shape)
    require_within("levels", levels[:, :, :1], ABSENT, len(families.spec) - 1)
    require_within("levels", levels[:, :, 1:], -1, len(families.spec) - 1)
    member, child, place = np.nonzero(levels >= 0)
    own = families.spec[levels[member, child, place], CHILD] == child
    require(own.all(), "a level is the family of another feature")
    for key in ("roots", "weights", "rule"):
        same = getattr(program, key) is getattr(structure, key)
        require(same, f"{key}: not those of the structure")


def check_families(families: Any, keys: Any, layout: Layout) -> None:
    """Raise unless tables of families have the places and sizes that their keys ask for.

    Parameters
    ----------
    families
        The tables.
    keys
        The families.
    layout
        Room for slots and classes, checked.

    Raises
    ------
    ValueError
        If they have others.
    """
    n = len(layout.caps)
    for key in keys:
        require(_is_key(key, n), "a family is none")
    require(len(set(keys)) == len(keys), "a family is there twice")
    k = max((len(parents) for _, parents in keys), default=0)
    require_array("families", families.spec, np.int64, (len(keys), FIRST_PARENT + 2 * k))
    spec, rows = family_spec(layout, keys)
    require(rows < _MOST_ROWS, "families are too large")
    require_equal("families", families.spec, spec)
    require_counts("families", families.cells, (rows, layout.class_capacity))


def _is_key(key: Key | Any, n: int) -> bool:
    """Say whether something is a family of `n` features."""
    if type(key) is not tuple or len(key) != 2 or type(key[1]) is not tuple:
        return False
    child, parents = key
    if not all(type(i) is int and 0 <= i < n for i in (child, *parents)):
        return False
    return child not in parents and list(parents) == sorted(set(parents))
