"""Log odds in parts, against answers that can be worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from river_kdb.explain.contributions import (
    log_odds_by_factors,
    log_odds_by_steps,
    logarithms,
    partial_events,
)
from river_kdb.features.boxes import UNSEEN_ID, unbox_array
from river_kdb.inference.factors import Factor

ROW = np.array([1.0, 2.0, 3.0])


def known(block):
    """Which features are known in each column."""
    unseen = unbox_array(np.ascontiguousarray(block)) == UNSEEN_ID
    return [np.flatnonzero(~column).tolist() for column in unseen.T]


def test_partial_events_go_down_the_order_and_up():
    block = partial_events(ROW, np.array([2, 0, 1]))
    down, up = [[], [2], [0, 2], [0, 1, 2]], [[], [1], [0, 1], [0, 1, 2]]
    assert known(block) == down + up
    assert block[:, 3].tolist() == block[:, 7].tolist() == ROW.tolist()


def test_an_event_without_features():
    assert partial_events(np.empty(0), np.empty(0, dtype=np.int64)).shape == (0, 2)
    odds = log_odds_by_steps(
        lambda raw: np.array([[0.2, 0.8]] * raw.shape[1]), np.empty(0), np.empty(0, dtype=int), 1
    )
    assert (odds.winner, odds.runner_up, len(odds.contributions)) == (1, 0, 0)
    assert odds.prior == pytest.approx(math.log(4))


def answers(scores):
    """Posteriors of two classes, given the log odds of the second by what is known."""

    def answer(raw):
        odds = np.array([scores[tuple(k)] for k in known(raw)])
        p = 1.0 / (1.0 + np.exp(-odds))
        return np.column_stack([1.0 - p, p])

    return answer


def test_what_two_features_share_is_halved():
    """Either alone is worth 2, both together no more."""
    scores = {(): 0.5, (0,): 2.5, (1,): 2.5, (0, 1): 2.5}
    odds = log_odds_by_steps(answers(scores), ROW[:2], np.array([1, 0]), 1)
    assert odds.prior == pytest.approx(0.5)
    assert odds.contributions == pytest.approx([1.0, 1.0])


def test_steps_where_features_only_tell_together():
    scores = {(): 0.0, (0,): 0.0, (1,): 0.25, (0, 1): 3.0}
    odds = log_odds_by_steps(answers(scores), ROW[:2], np.array([0, 1]), 1)
    assert odds.contributions == pytest.approx([(0.0 + 2.75) / 2, (3.0 + 0.25) / 2])


def test_the_runner_up_is_the_next_class_of_the_whole_event():
    def answer(raw):
        return np.array([[0.6, 0.1, 0.3] if k else [0.1, 0.8, 0.1] for k in known(raw)])

    odds = log_odds_by_steps(answer, ROW, np.arange(3), 0)
    assert (odds.winner, odds.runner_up) == (0, 2)
    assert odds.prior == pytest.approx(0.0)
    assert odds.contributions == pytest.approx([math.log(2) / 2, 0.0, math.log(2) / 2])


def test_probabilities_of_0_keep_the_sum_finite():
    def answer(raw):
        return np.array([[1.0, 0.0] if k else [0.5, 0.5] for k in known(raw)])

    odds = log_odds_by_steps(answer, ROW[:1], np.array([0]), 0)
    assert odds.contributions[0] == pytest.approx(744.44, abs=0.01)


def test_logarithms_of_what_is_there_are_exact():
    p = np.array([[1.0, 0.25], [5e-324, 1e-310]])
    assert logarithms(p).tolist() == np.log(p).tolist()
    assert logarithms(np.array([0.0])) == logarithms(np.array([5e-324]))


def test_factors_are_log_ratios():
    def factor(i, p):
        return Factor(i, (), np.zeros(3), np.zeros(3), np.array(p))

    prior, found = np.array([0.5, 0.25, 0.25]), [factor(2, [0.5, 0.1, 0.2]), factor(0, [0.1] * 3)]
    odds = log_odds_by_factors(prior, found, 3, 0)
    assert (odds.winner, odds.runner_up) == (0, 2)
    assert odds.prior == pytest.approx(math.log(2))
    assert odds.contributions == pytest.approx([0.0, 0.0, math.log(2.5)])
    assert odds.factors is found
