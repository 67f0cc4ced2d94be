"""How the tests run: hypothesis tries the same examples every time, however long one takes.

`--counts` lets all models count pairs in that way, where a test asks for none.
"""

from __future__ import annotations

import gc

import pytest
from hypothesis import settings

settings.register_profile("same", derandomize=True, deadline=None, database=None)
settings.load_profile("same")

_MODELS = ("AODE", "BKDB", "CSB", "KDB", "KDF", "SelectiveKDB", "TAN", "UKDB")


@pytest.fixture(scope="module", autouse=True)
def _what_there_is_is_no_garbage():
    """Let collections leave out what importing and compiling made: they cost half a second else."""
    gc.collect()
    gc.freeze()


def pytest_addoption(parser):
    parser.addoption(
        "--counts",
        choices=("auto", "dense", "bitset"),
        help="where the models get the counts of pairs, unless a test says so",
    )


def pytest_configure(config):
    counts = config.getoption("--counts")
    if counts is None:
        return
    import river_kdb

    for name in _MODELS:
        model = getattr(river_kdb, f"{name}Classifier")
        model.__init__.__kwdefaults__["counts"] = counts


def pytest_collection_modifyitems(config, items):
    if config.getoption("--counts") != "bitset":
        return
    skip = pytest.mark.skip(reason="about tables of pairs, or events that the window has lost")
    for item in items:
        if item.get_closest_marker("dense_only"):
            item.add_marker(skip)
