"""The compiled parts of detectors come back as they were."""

from __future__ import annotations

import random

import numpy as np
import pytest
from river import drift, stats

from river_kdb.persist.adwin import adwin_of, adwin_state
from river_kdb.persist.native import mean_of, mean_state, random_of, random_state


@pytest.mark.parametrize("n_values", [0, 1, 7, 33, 400])
def test_adwin_goes_on_as_before(n_values):
    rng = random.Random(n_values)
    detector = drift.ADWIN(delta=0.05, clock=3, max_buckets=4, min_window_length=6)
    for _ in range(n_values):
        detector.update(rng.random() < 0.2)
    twin = adwin_of(adwin_state(detector._helper))
    for _ in range(300):
        value = float(rng.random() < 0.7)
        assert twin.update(value) == detector._helper.update(value)
        assert twin.get_variance() == detector._helper.get_variance()
    ours, theirs = adwin_state(twin), adwin_state(detector._helper)
    assert ours[:-1] == theirs[:-1]
    assert all(map(np.array_equal, ours[-1], theirs[-1]))


def adwin():
    detector = drift.ADWIN()
    for t in range(50):
        detector.update(t % 3 == 0)
    return adwin_state(detector._helper)


@pytest.mark.parametrize(
    ("place", "value"),
    [(0, np.nan), (1, 0), (1, -1), (2, 0), (2, 1), (2, 2**20), (7, 49.0), (7, "x"), (9, -1),
     (11, 2**40), (13, []), (13, None), (13, [np.zeros((2, 3))]), (13, [np.zeros((3, 2))])],
)  # fmt: skip
def test_a_state_of_adwin_that_is_none_is_refused(place, value):
    state = adwin()
    state[place] = value
    with pytest.raises(ValueError, match="no state of ADWIN"):
        adwin_of(state)


class Other:
    """A helper as no release of River has it."""

    def __init__(self, state):
        self.state = state

    def __reduce_ex__(self, protocol):
        return Other, (self.state,), self.state


def test_other_releases_of_river_are_refused():
    for state in (b"", b"\0" * 300, adwin_bytes() + b"\0", (1, 2), None):
        with pytest.raises(TypeError, match="ADWIN of this release"):
            adwin_state(Other(state))
    for state in (b"", b"\1" * 33):
        with pytest.raises(TypeError, match="mean of this release"):
            mean_state(Other(state))


def adwin_bytes():
    state = drift.ADWIN()._helper.__reduce_ex__(4)[2]
    return state if isinstance(state, bytes) else b""


def test_generators_of_random_numbers():
    rng = random.Random(3)
    rng.gauss(0, 1)
    twin = random_of(random_state(rng))
    assert [twin.gauss(0, 1) for _ in range(5)] == [rng.gauss(0, 1) for _ in range(5)]
    version, words, _ = random_state(rng)
    wrong = [[version, words[1:], None], [version, words, "x"], [9, words, None]]
    wrong.append([version, np.full(625, 2**32 - 1, dtype=np.uint32), None])
    for state in wrong:
        with pytest.raises(ValueError):  # noqa: PT011, whatever Python says
            random_of(state)


def test_means_that_forget():
    for values in ([], [1.0], [1.0, 0.0, 1.0]):
        mean = stats.EWMean(0.3)
        for value in values:
            mean.update(value)
        twin = mean_of(mean_state(mean._ewmean))
        twin.update(0.5)
        mean.update(0.5)
        assert twin.get() == mean.get()
    with pytest.raises(ValueError, match="no state of a mean"):
        mean_of([1, 0.5, True])
