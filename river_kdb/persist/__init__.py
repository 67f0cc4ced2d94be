"""Models in files, without pickle.

A file is a zip archive of JSON and .npy arrays. Reading one executes nothing from it, and it is
checked before a model is made of it.
"""

from __future__ import annotations

from river_kdb.persist.checkpoint import Checkpoint, Saved
from river_kdb.persist.errors import UnreadableModelError
from river_kdb.persist.reading import from_bytes, load
from river_kdb.persist.writing import save, to_bytes

__all__ = [
    "Checkpoint",
    "Saved",
    "UnreadableModelError",
    "from_bytes",
    "load",
    "save",
    "to_bytes",
]
