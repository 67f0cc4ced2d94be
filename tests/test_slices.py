"""Rows in slices: the same answers, and no more threads than are worth it."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from river_kdb.slices import bounds_of, in_slices, n_threads

RAW = np.arange(40.0).reshape(2, 20)


def answer(raw):
    return (raw[0] + raw[1])[:, None]


@pytest.mark.parametrize("n_jobs", [1, 2, 3, 100, -1])
@pytest.mark.parametrize("least", [1, 7, 20, 21])
def test_the_answers_stand_in_their_order(n_jobs, least):
    assert np.array_equal(in_slices(answer, RAW, n_jobs, least), answer(RAW))


@pytest.mark.parametrize(("n_jobs", "least", "n_slices"), [(1, 1, 1), (3, 1, 3), (9, 8, 2)])
def test_as_many_slices_as_are_worth_a_thread(n_jobs, least, n_slices):
    seen = []

    def note(raw):
        assert raw.flags.c_contiguous
        seen.append((raw.shape[1], threading.current_thread()))
        return answer(raw)

    in_slices(note, RAW, n_jobs, least)
    assert len(seen) == n_slices
    assert min(length for length, _ in seen) >= least
    assert any(thread is threading.current_thread() for _, thread in seen)
    assert threading.active_count() == 1 or not any(
        thread.is_alive() and thread is not threading.current_thread() for _, thread in seen
    )


def test_no_rows():
    assert in_slices(answer, RAW[:, :0], 4, 1).shape == (0, 1)


def test_what_goes_wrong_in_a_thread_is_heard_of():
    def fail(raw):
        if raw[0, 0] > 0:
            raise ArithmeticError("in a thread")
        return answer(raw)

    with pytest.raises(ArithmeticError, match="in a thread"):
        in_slices(fail, RAW, 2, 1)


def test_bounds():
    for n_rows in (0, 1, 5, 20):
        for n_slices in (1, 2, 3, 7):
            bounds = bounds_of(n_rows, n_slices)
            assert [a for a, _ in bounds] + [n_rows] == [0] + [b for _, b in bounds]
            lengths = [b - a for a, b in bounds]
            assert max(lengths) - min(lengths) <= 1
    assert bounds_of(0, 0) == []


def test_threads():
    assert (n_threads(1), n_threads(5)) == (1, 5)
    assert n_threads(-1) >= 1
