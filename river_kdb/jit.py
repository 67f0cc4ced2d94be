"""How the kernels are compiled."""

from __future__ import annotations

from typing import Any

from numba import njit

kernel: Any = njit(cache=True, error_model="numpy")
"""A kernel: cached, and dividing as numpy does, without a check for every division."""

block_kernel: Any = njit(cache=True, error_model="numpy", nogil=True)
"""A kernel for many events, beside which other threads go on; for one event that costs too much."""

inlined: Any = njit(cache=True, error_model="numpy", inline="always")
"""A small step of a kernel, put in its place: a call with arrays costs more than such a step."""
