"""Models with something wrong in them, as a forged file would bring them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

import river_kdb
from river_kdb.persist import UnreadableModelError


def refuse(model: Any, change: Callable[[Any], Any], said: str) -> None:
    """Change a model, and let it be refused although its checksum is right."""
    data = model.to_bytes()
    forged = river_kdb.from_bytes(data)
    change(forged._learner)
    with pytest.raises(UnreadableModelError, match=f"forged .*{re.escape(said)}"):
        river_kdb.from_bytes(forged.to_bytes())


def put(array: Any, at: Any, value: Any) -> None:
    """Put a value in an array."""
    array[at] = value
