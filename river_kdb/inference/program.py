"""A structure made ready for the kernels: which family table serves which factor."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from river_kdb.counts.families import Key
from river_kdb.counts.layout import Layout
from river_kdb.jit import kernel
from river_kdb.structure.structure import ABSENT, Structure


class Program(NamedTuple):
    """What the kernels of the inference read of a structure.

    Attributes
    ----------
    levels
        int32 array of shape (n_members, n_features, k): number of the family with the strongest
        parent, with the two strongest, ...; -1 ends the list, `ABSENT` in the first place says
        that there is no factor.
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
    keys: list[Key] = []
    lost = False
    levels = np.where(parents == ABSENT, ABSENT, -1).astype(np.int32)
    for q in range(parents.shape[2]):
        chained = parents[:, :, q] >= 0
        if q:
            chained &= levels[:, :, q - 1] >= 0
        member, child = np.nonzero(chained)
        table = np.column_stack([child, np.sort(parents[member, child, : q + 1], axis=1)])
        distinct, order, which = _distinct(table, several=len(parents) > 1)
        sizes = 8 * layout.class_capacity * _family_rows(layout, distinct)
        number = np.full(len(distinct), -1)
        for d in order.tolist():
            if sizes[d] <= budget:
                budget -= sizes[d]
                number[d] = len(keys)
                keys.append((int(distinct[d, 0]), tuple(distinct[d, 1:].tolist())))
        lost |= bool((number < 0).any())
        levels[member, child, q] = number[which]
    return keys, levels, lost


def _distinct(table: np.ndarray, several: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return distinct rows, their order of appearance, and which of them every row is."""
    if not several:
        places = np.arange(len(table))
        return table, places, places
    distinct, first, which = np.unique(table, axis=0, return_index=True, return_inverse=True)
    return distinct, np.argsort(first), which.reshape(-1)  # numpy 2.0 gave it another shape


def _family_rows(layout: Layout, table: np.ndarray) -> np.ndarray:
    """Return the rows that families take, given as rows of a child and its parents."""
    return (layout.caps[table[:, 0]] + 1) * layout.caps[table[:, 1:]].astype(float).prod(axis=1)


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
