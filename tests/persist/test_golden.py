"""Files of format 1 that are there to stay: whoever changes the format must go on reading them.

They were made once, when format 1 was new, and are not to be made again. `events()` are the
events. `kdb-1.kdb` is

    KDBClassifier(k=1, window_size=64, n_bins=3, nominal_attributes=["few", 5], half_life=300)

after the first 300 of them, `mixture-1.kdb` likewise

    BNMixtureClassifier(
        [Expert("kdb", 1, 5, 100), Expert("tan", 1, 3), Expert("linear", 0, 1, 200)],
        label_lags=1, window_size=64, drift_detector=drift.ADWIN(clock=8),
    )

and `checkpoint-1.kdb` what `Checkpoint.write` wrote of

    UKDBClassifier(
        k=2, window_size=64, n_bins=3, counts="bitset", drift_detector=drift.binary.DDM()
    )

with the position {"next": 300, "id": b"7-0"}. `expected.json` has, for each, the probabilities of
events 300 to 302, and those of events 340 to 342 after 300 to 339 were learned.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import river_kdb
from tests.datasets import mixed

_DATA = Path(__file__).parent / "data"
_EXPECTED = json.loads((_DATA / "expected.json").read_text(encoding="utf-8"))

LABELS = ["zero", 1, (2, "two")]


def events():
    """Numbers, texts, truth values, and whole numbers as categories; odd names and labels."""
    found = []
    for x, y in mixed(400, seed=11):
        odd = {5: y if y != 2 else None, ("t", 1): b"x" if x.get("flag") else 2**70}
        found.append(({**x, **odd}, LABELS[y]))
    return found


def read(name):
    if name == "checkpoint":
        model, position = river_kdb.Checkpoint(_DATA / "checkpoint-1.kdb").load()
        assert position == {"next": 300, "id": b"7-0"}
        return model
    return river_kdb.load(_DATA / f"{name}-1.kdb")


@pytest.mark.parametrize("name", _EXPECTED)
def test_files_of_format_1_predict_and_learn_as_they_did(name):
    model, stream = read(name), events()
    assert sorted(model._learner.labels, key=str) == sorted(LABELS, key=str)
    assert model.feature_names[0] == 5
    assert model.feature_names[-1] == ("t", 1)
    for part, expected in zip((slice(300, 303), slice(340, 343)), _EXPECTED[name], strict=True):
        found = [list(model.predict_proba_one(x).values()) for x, _ in stream[part]]
        # logarithms may differ in the last digit from machine to machine
        for row, answer in zip(found, expected, strict=True):
            assert row == pytest.approx(answer, rel=1e-12)
        for x, y in stream[300:340]:
            model.learn_one(x, y)


def test_they_are_small():
    assert sum(path.stat().st_size for path in _DATA.iterdir()) < 300_000
