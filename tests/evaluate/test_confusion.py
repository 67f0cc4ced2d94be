"""The confusion matrix as it is shown."""

from __future__ import annotations

import random

import numpy as np
import pytest
from river.metrics import ConfusionMatrix

from river_kdb.evaluate.confusion import confusion_table


def matrix_of(pairs):
    matrix = ConfusionMatrix()
    for y_true, y_pred in pairs:
        matrix.update(y_true, y_pred)
    return matrix


@pytest.mark.parametrize(
    ("n", "shown", "grouped"), [(1, 1, 0), (20, 20, 0), (21, 21, 0), (30, 20, 10)]
)
def test_no_event_is_lost(n, shown, grouped):
    rng = random.Random(n)
    pairs = [(rng.randrange(n), rng.randrange(n)) for _ in range(500)]
    pairs += [(c, c) for c in range(n)]
    table = confusion_table(matrix_of(pairs))
    assert table.n_grouped == grouped
    assert len(table.labels) == len(table.counts) == shown + (grouped > 0)
    assert sum(table.totals) == len(pairs)
    for i, label in enumerate(table.labels[:shown]):
        for j, other in enumerate(table.labels[:shown]):
            assert table.counts[i][j] == pairs.count((int(label), int(other)))
    assert all(sum(row) == pytest.approx(1.0) for row in table.shares)


def test_the_most_frequent_are_shown():
    pairs = [(c, c) for c in range(30) for _ in range(c + 1)]
    assert confusion_table(matrix_of(pairs), most=3).labels == ["27", "28", "29", "27 others"]


def test_labels_in_order_whatever_they_are():
    labels = ["10", "9", "b10", "b9", np.int64(2), True, "True", float("inf"), ("a", 1)]
    table = confusion_table(matrix_of([(label, label) for label in labels]))
    assert table.labels == ["2", "9", "10", "('a', 1)", "True", "'True'", "b9", "b10", "inf"]


def test_a_class_that_was_predicted_only():
    table = confusion_table(matrix_of([("a", "b")]))
    assert table.labels == ["a", "b"]
    assert table.counts == [[0, 1], [0, 0]]
    assert table.shares == [[0.0, 1.0], [0.0, 0.0]]
