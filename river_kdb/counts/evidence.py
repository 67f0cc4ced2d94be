"""The counts that bear on one event: how often its values occur, alone and in pairs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from river_kdb.counts.event_sets import (
    EventSets,
    gather_sets,
    given_in_window,
    pairs_in_window,
)
from river_kdb.jit import kernel


class Evidence(NamedTuple):
    """Counts of the values of one event, by class, over the features that keep pairs.

    Attributes
    ----------
    seen
        bool array of shape (n_members,): whether the value was ever learned.
    n_values
        int64 array of shape (n_members,): slots with any count.
    own
        int64 array of shape (n_members,): where a feature stands in `given` and `together`; at 0
        like all others where no value is ever left out, so that it is the same for all.
    alone
        float64 array of shape (n_members, m): N(x_i, c).
    sums
        float64 array of shape (n_members, m): N(X_i present, c).
    joint
        float64 array of shape (n_members, n_members, m): N(x_i, x_j, c).
    given
        float64 array of shape (n_members or 1, n_members, m): N(X_i present, x_j, c) at
        [own[i], j].
    together
        float64 array of shape (n_members or 1, n_members or 1, m): N(X_i and X_j present, c) at
        [own[i], own[j]].
    clock
        float64 array of shape (5,): in which unit these are.
    logarithms
        float64 array of shape (any,): those of the first whole numbers.
    sets
        The events of the window that have the values.
    """

    seen: np.ndarray
    n_values: np.ndarray
    own: np.ndarray
    alone: np.ndarray
    sums: np.ndarray
    joint: np.ndarray
    given: np.ndarray
    together: np.ndarray
    clock: np.ndarray
    logarithms: np.ndarray
    sets: EventSets


@kernel
def present_together(pairs, singles, m, some_missing):
    """Return N(X_i and X_j present, c) of all pairs of members (n_members, n_members, m).

    Its shape is (1, 1, m) where no value is ever left out, as `some_missing` says.
    """
    members, base, width, offset, caps, _, cells = pairs
    n = members.shape[0] if some_missing else min(members.shape[0], 1)
    together = np.zeros((n, n, m))
    for a in range(n):
        for c in range(m):
            together[a, a, c] = singles.sums[members[a], c]
        for b in range(a + 1, n):
            for s in range(caps[a]):
                first = base[a] + s * width[a] + offset[b]
                for row in range(first, first + caps[b]):
                    for c in range(m):
                        together[a, b, c] += cells[row, c]
            for c in range(m):
                together[b, a, c] = together[a, b, c]
    return together


@kernel
def gather_singles(codes, r, members, singles, seen, n_values, alone, sums):
    """Write what concerns single values of event `r`."""
    for a in range(members.shape[0]):
        i, code = members[a], codes[members[a], r]
        seen[a] = code >= 0 and singles.totals[singles.start[i] + code] > 0.0
        n_values[a] = singles.used[i]
        for c in range(alone.shape[1]):
            sums[a, c] = singles.sums[i, c]
            alone[a, c] = singles.cells[singles.start[i] + code, c] if seen[a] else 0.0


@kernel
def gather_pairs(codes, r, pairs, seen, joint):
    """Write N(x_i, x_j, c) of event `r`."""
    members, base, width, offset, _, _, cells = pairs
    for a in range(seen.shape[0]):
        if not seen[a]:
            continue
        first = base[a] + codes[members[a], r] * width[a]
        for b in range(a + 1, seen.shape[0]):
            if not seen[b]:
                continue
            row = first + offset[b] + codes[members[b], r]
            for c in range(joint.shape[2]):
                joint[a, b, c] = joint[b, a, c] = cells[row, c]


@kernel
def gather_given(codes, r, pairs, seen, alone, given):
    """Write N(X_i present, x_j, c) of event `r`; `given` has one row where none is left out."""
    members, base, width, offset, caps, _, cells = pairs
    for a in range(given.shape[0]):
        for b in range(seen.shape[0]):
            if a == b or given.shape[0] == 1:
                for c in range(given.shape[2]):
                    given[a, b, c] = alone[b, c]
                continue
            if not seen[b]:
                continue
            code = codes[members[b], r]
            for s in range(caps[a]):
                if a < b:
                    row = base[a] + s * width[a] + offset[b] + code
                else:
                    row = base[b] + code * width[b] + offset[a] + s
                for c in range(given.shape[2]):
                    given[a, b, c] += cells[row, c]


@kernel
def gather_evidence(codes, r, m, counts):
    """Return the evidence that event `r` of a block of codes (n, b) meets.

    `counts` are all that there are, see `Counts`.
    """
    singles, pairs, some_missing = counts.singles, counts.pairs, counts.some_missing
    n = pairs.members.shape[0]
    n_own = n if some_missing else min(n, 1)
    seen, n_values = np.zeros(n, dtype=np.bool_), np.zeros(n, dtype=np.int64)
    own = np.zeros(n, dtype=np.int64)
    for a in range(n_own):
        own[a] = a
    alone, sums = np.zeros((n, m)), np.zeros((n, m))
    joint, given = np.zeros((n, n, m)), np.zeros((n_own, n, m))
    gather_singles(codes, r, pairs.members, singles, seen, n_values, alone, sums)
    sets = gather_sets(codes, r, pairs.members, seen, counts.bitsets, m, some_missing)
    if counts.windowed:
        pairs_in_window(sets, joint)
        given_in_window(sets, given)
    else:
        gather_pairs(codes, r, pairs, seen, joint)
        gather_given(codes, r, pairs, seen, alone, given)
    return Evidence(
        seen, n_values, own, alone, sums, joint, given, counts.together, singles.clock,
        counts.logarithms, sets,
    )  # fmt: skip
