"""What has to be known to run an evaluation again."""

from __future__ import annotations

import platform

import numpy as np

from river_kdb.evaluate import Origin


def test_versions_are_those_that_run():
    found = Origin("river-kdb demo", 1).versions
    assert found["Python"] == platform.python_version()
    assert found["numpy"] == np.__version__
    assert {"river-kdb", "river", "numba"} <= set(found)
