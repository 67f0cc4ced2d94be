"""What the tests of the benchmarks share."""

from __future__ import annotations

import gc

import pytest


@pytest.fixture(scope="module", autouse=True)
def _what_is_frozen_stays_so():
    """After `gc.unfreeze` every collection looks through all that was ever imported, compiled."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gc, "unfreeze", lambda: None)
        yield
