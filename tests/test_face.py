"""What all classifiers show to River."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import river_kdb
from river_kdb.face import StreamClassifier, read_rows

CLASSES = [getattr(river_kdb, name) for name in river_kdb.__all__ if name.endswith("Classifier")]


def test_rows_without_weight_are_left_out():
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": ["x", "y", "z"]})
    columns, labels, weights = read_rows(frame, [True, False, True], [1.0, 0.0, 2.5])
    assert columns["a"].numbers.tolist() == [1.0, 3.0]
    assert [columns["b"].values[c] for c in columns["b"].codes] == ["x", "z"]
    assert labels.one_by_one() == [True, True]
    assert weights.tolist() == [1.0, 2.5]


@pytest.mark.parametrize("weights", [[1.0, -1.0], [1.0], [1.0, np.nan]])
def test_bad_weights_are_refused(weights):
    with pytest.raises(ValueError, match="w "):
        read_rows(pd.DataFrame({"a": [1.0, 2.0]}), ["p", "q"], weights)


@pytest.mark.parametrize("klass", CLASSES)
def test_every_classifier_has_the_same_face(klass):
    model = klass()
    assert isinstance(model, StreamClassifier)
    assert model.predict_proba_one({"a": 1}) == {}
    assert model.predict_one({"a": 1}) is None
    assert model.predict_many(pd.DataFrame({"a": [1, 2]})).tolist() == [None, None]
    model.learn_one({"a": 1, "b": "x"}, "p")
    assert model.predict_proba_one({}) == {"p": 1.0}
    assert model.feature_names == ["a", "b"]
    assert (model.n_relearns, model.structure_history) == (0, [])
    assert (model.n_drifts_detected(), model.n_warnings_detected()) == (0, 0)
