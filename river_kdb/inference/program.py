"""A structure made ready for the kernels: which family table serves which factor."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from river_kdb.counts.families import Key, families_bytes
from river_kdb.counts.layout import Layout
from river_kdb.jit import kernel
from river_kdb.structure.structure import Structure


class Program(NamedTuple):
    """What the kernels of the inference read of a structure.

    Attributes
    ----------
    levels
        int32 array of shape (n_members, n_features, k): number of the family with the strongest
        parent, with the two strongest, ...; -1 ends the list.
    roots
        int16 array of shape (n_members,), see `Structure`.
    weights
        float64 array of shape (n_members,).
    rule
        How the members are combined.
    """

    levels: np.ndarray
    roots: np.ndarray
    weights: np.ndarray
    rule: int


def family_key(child: int, parents: np.ndarray) -> Key:
    """Return the key of a family.

    Parameters
    ----------
    child
        The child.
    parents
        Its parents in any order.
    """
    return child, tuple(sorted(parents.tolist()))


def plan_families(
    structure: Structure, layout: Layout, budget: float
) -> tuple[list[Key], np.ndarray, bool]:
    """Number the families that a structure needs, as far as their tables fit.

    The families with one parent come first, then those with the two strongest parents, and so
    on, so that weak parents are what is left out.

    Parameters
    ----------
    structure
        The structure.
    layout
        Room for slots and classes.
    budget
        Bytes that the tables may take.

    Returns
    -------
    The families, their numbers as in `Program.levels`, and whether any was left out.
    """
    parents = structure.parents
    number: dict[Key, int] = {}
    lost = False
    levels = np.full(parents.shape, -1, dtype=np.int32)
    for q in range(parents.shape[2]):
        for t, child in np.argwhere(parents[:, :, q] >= 0).tolist():
            if q and levels[t, child, q - 1] < 0:
                continue
            key = family_key(child, parents[t, child, : q + 1])
            if key not in number:
                size = families_bytes(layout, [key])
                if size > budget:
                    lost = True
                    continue
                budget -= size
                number[key] = len(number)
            levels[t, child, q] = number[key]
    return list(number), levels, lost


def make_program(structure: Structure, levels: np.ndarray) -> Program:
    """Return the program of a structure.

    Parameters
    ----------
    structure
        The structure.
    levels
        Numbers of its families, from `plan_families`.
    """
    return Program(levels, structure.roots, structure.weights, structure.rule)


@kernel
def is_ensemble(program):
    """Say whether there is more to it than one network."""
    return program.levels.shape[0] > 1 or program.roots[0] >= 0
