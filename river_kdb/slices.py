"""The rows of a frame in slices, a thread for each."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

LEAST_ROWS = 64
"""Rows that are worth a thread where each takes long.

Not fewer than those from which on a kernel remembers factors: it rounds otherwise then, and a row's
answer must not depend on the slice that it is in."""


def bounds_of(n_rows: int, n_slices: int) -> list[tuple[int, int]]:
    """Return where each of so many slices begins and ends, all of them as long, but for a row.

    Parameters
    ----------
    n_rows
        How many rows there are.
    n_slices
        How many slices.

    Examples
    --------
    >>> from river_kdb.slices import bounds_of
    >>> bounds_of(10, 3)
    [(0, 3), (3, 6), (6, 10)]
    """
    ends = [n_rows * s // max(n_slices, 1) for s in range(n_slices + 1)]
    return list(itertools.pairwise(ends))


def n_threads(n_jobs: int) -> int:
    """Return how many threads a parameter `n_jobs` stands for.

    Parameters
    ----------
    n_jobs
        A number of threads, or -1 for one a core that the process may use.
    """
    if n_jobs > 0:
        return n_jobs
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def in_slices(
    answer: Callable[[np.ndarray], np.ndarray], raw: np.ndarray, n_jobs: int, least: int
) -> np.ndarray:
    """Return the answers (b, m) to raw rows (n, b), each slice of them from a thread of its own.

    The threads are gone afterwards: what is copied or pickled never holds any.

    Parameters
    ----------
    answer
        Gives the answers to some rows; a row's must not depend on what other rows come with it.
    raw
        float64 array of shape (n_features, n_rows).
    n_jobs
        Threads at most, or -1 for one a core.
    least
        Rows that are worth a thread.
    """
    n_rows = raw.shape[1]
    n_slices = min(n_rows // least, n_threads(n_jobs))
    if n_slices < 2:
        return answer(raw)
    first, *others = [raw[:, a:b] for a, b in bounds_of(n_rows, n_slices)]
    with ThreadPoolExecutor(len(others)) as pool:
        running = [pool.submit(answer, np.ascontiguousarray(part)) for part in others]
        here = answer(np.ascontiguousarray(first))
        return np.concatenate([here, *(part.result() for part in running)])
