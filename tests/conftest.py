"""How the tests run: hypothesis tries the same examples every time, however long one takes."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("same", derandomize=True, deadline=None, database=None)
settings.load_profile("same")
