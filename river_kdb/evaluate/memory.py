"""How much memory a model holds."""

from __future__ import annotations

import gc
import sys
import types
from typing import Any

import numpy as np

__all__ = ["memory_usage"]

_NOT_THE_MODELS = (type, types.ModuleType, types.FunctionType)


def memory_usage(model: Any) -> int:
    """Return the bytes of everything that `model` refers to.

    The walk is that of River's ``_memory_usage``, except that the data of NumPy arrays count
    once (in River 0.26 they count twice). What compiled extension types keep to themselves is
    not seen by either.

    Examples
    --------
    >>> import numpy as np
    >>> from river_kdb.evaluate.memory import memory_usage
    >>> 8_000 < memory_usage({"table": np.zeros(1_000)}) < 9_000
    True

    """
    seen: set[int] = set()
    size = 0
    pending = [model]
    while pending:
        reached = []
        for thing in pending:
            if id(thing) in seen or isinstance(thing, _NOT_THE_MODELS):
                continue
            seen.add(id(thing))
            size += sys.getsizeof(thing)
            reached.append(thing)
        # A view's size is that of its header: the data are its base's, to which the garbage
        # collector does not lead
        bases = [thing.base for thing in reached if isinstance(thing, np.ndarray)]
        pending = gc.get_referents(*reached) + [base for base in bases if base is not None]
    return size
