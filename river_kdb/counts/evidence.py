"""The counts that bear on one event: how often its values occur, alone and in pairs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from river_kdb.jit import kernel


class Evidence(NamedTuple):
    """Counts of the values of one event, by class, over the features that keep pairs.

    Attributes
    ----------
    seen
        bool array of shape (n_members,): whether the value was ever learned.
    n_values
        int64 array of shape (n_members,): slots with any count.
    rows
        int64 array of shape (n_members,): the row of the value among the sets of the window.
    present
        int64 array of shape (n_members,): the row there of the events that have any value.
    alone
        float64 array of shape (n_members, m): N(x_i, c).
    sums
        float64 array of shape (n_members, m): N(X_i present, c).
    joint
        float64 array of shape (n_members, n_members, m): N(x_i, x_j, c).
    given
        float64 array of shape (n_members, n_members, m): N(X_i present, x_j, c) at [i, j].
    together
        float64 array of shape (n_members, n_members, m): N(X_i and X_j present, c).
    clock
        float64 array of shape (5,): in which unit these are.
    """

    seen: np.ndarray
    n_values: np.ndarray
    rows: np.ndarray
    present: np.ndarray
    alone: np.ndarray
    sums: np.ndarray
    joint: np.ndarray
    given: np.ndarray
    together: np.ndarray
    clock: np.ndarray


@kernel
def present_together(pairs, sums, m, some_missing):
    """Return N(X_i and X_j present, c) of all pairs of members (n_members, n_members, m).

    `sums` are those of the singles; `some_missing` says whether values are ever left out.
    """
    members, base, width, offset, caps, cells = pairs
    n = members.shape[0]
    together = np.zeros((n, n, m))
    for a in range(n):
        for b in range(n):
            if not some_missing or a == b:
                for c in range(m):
                    together[a, b, c] = sums[members[a], c]
            elif a < b:
                for s in range(caps[a]):
                    first = base[a] + s * width[a] + offset[b]
                    for row in range(first, first + caps[b]):
                        for c in range(m):
                            together[a, b, c] += cells[row, c]
                for c in range(m):
                    together[b, a, c] = together[a, b, c]
    return together


@kernel
def gather_singles(codes, r, members, singles, set_start, seen, n_values, rows, present, counts):
    """Write what concerns single values of event `r`; `counts` are `alone` and `sums`."""
    alone, sums = counts
    for a in range(members.shape[0]):
        i, code = members[a], codes[members[a], r]
        seen[a] = code >= 0 and singles.totals[singles.start[i] + code] > 0.0
        n_values[a] = singles.used[i]
        present[a] = set_start[i + 1] - 1
        rows[a] = set_start[i] + code
        for c in range(alone.shape[1]):
            sums[a, c] = singles.sums[i, c]
            alone[a, c] = singles.cells[singles.start[i] + code, c] if seen[a] else 0.0


@kernel
def gather_pairs(codes, r, pairs, seen, joint):
    """Write N(x_i, x_j, c) of event `r`."""
    members, base, width, offset, _, cells = pairs
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
def gather_given(codes, r, pairs, seen, alone, some_missing, given):
    """Write N(X_i present, x_j, c) of event `r`."""
    members, base, width, offset, caps, cells = pairs
    for a in range(seen.shape[0]):
        for b in range(seen.shape[0]):
            if a == b or not some_missing:
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
def gather_evidence(codes, r, m, singles, pairs, set_start, together, some_missing):
    """Return the evidence that event `r` of a block of codes (n, b) meets.

    `together` is what `present_together` returned.
    """
    n = pairs.members.shape[0]
    seen = np.zeros(n, dtype=np.bool_)
    n_values, rows = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    present = np.zeros(n, dtype=np.int64)
    alone, sums = np.zeros((n, m)), np.zeros((n, m))
    joint, given = np.zeros((n, n, m)), np.zeros((n, n, m))
    gather_singles(
        codes, r, pairs.members, singles, set_start, seen, n_values, rows, present, (alone, sums)
    )
    gather_pairs(codes, r, pairs, seen, joint)
    gather_given(codes, r, pairs, seen, alone, some_missing, given)
    clock = singles.clock
    return Evidence(seen, n_values, rows, present, alone, sums, joint, given, together, clock)
