"""Model and position in one file."""

from __future__ import annotations

import numpy as np
import pytest

from river_kdb import Checkpoint, KDBClassifier
from tests.datasets import mixed


def test_model_and_position_come_back_together(tmp_path):
    checkpoint = Checkpoint(tmp_path / "stream.kdb", every=50)
    assert checkpoint.load() is None
    model = KDBClassifier(k=1)
    written = []
    for n, (x, y) in enumerate(mixed(120), start=1):
        model.learn_one(x, y)
        if checkpoint.update(model, {"id": f"{n}-0", "pending": [(x, y)]}):
            written.append(n)
            data = model.to_bytes()
    assert written == [50, 100]
    saved = Checkpoint(tmp_path / "stream.kdb").load()
    assert saved.position["id"] == "100-0"
    assert saved.model.to_bytes() == data


@pytest.mark.parametrize(
    "position",
    [
        None, True, 7, -(10**40), 1.5, float("inf"), "id", b"\0\1", ("a", 1), [1, [2.0, None]],
        {1: "one", ("a", b"b"): {"deep": [True]}}, np.int8(3), np.str_("x"),
    ],
)  # fmt: skip
def test_positions_keep_their_types(tmp_path, position):
    checkpoint = Checkpoint(tmp_path / "stream.kdb")
    checkpoint.write(KDBClassifier(), position)
    found = checkpoint.load().position
    assert found == position
    assert repr(found) == repr(position)
