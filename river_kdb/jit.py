"""How the kernels are compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from river_kdb.cache import kernels_kept_in, open_folder

FOLDER = open_folder()
"""Where compiled kernels are kept; None: nowhere."""

ZERO: Any = np.int64(0)
ONE: Any = np.int64(1)
"""What kernels give kernels: for a 0 or 1 written there numba would compile another copy."""


def _compiled(**options: Any) -> Callable[[Any], Any]:
    """Return a decorator: cached, and dividing as numpy does, without a check every time."""
    if FOLDER is None:
        return njit(error_model="numpy", **options)
    folder, decorate = FOLDER, njit(cache=True, error_model="numpy", **options)

    def keep(function: Any) -> Any:
        with kernels_kept_in(folder):
            return decorate(function)

    return keep


kernel: Any = _compiled()
"""A kernel."""

block_kernel: Any = _compiled(nogil=True)
"""A kernel for many events, beside which other threads go on; for one event that costs too much."""

inlined: Any = _compiled(inline="always")
"""A small step of a kernel, put in its place: a call with arrays costs more than such a step."""
