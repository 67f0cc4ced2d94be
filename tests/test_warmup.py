"""After a warm-up no process compiles anything, whatever it does with the models."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import river_kdb
from river_kdb import warmup as module
from river_kdb.warmup import Warmth, kernels, warmup

pytest.importorskip("pandas")
pytest.importorskip("polars")

REPORT = """
import json
from river_kdb.warmup import kernels
found = {
    f"{kernel.py_func.__module__}.{kernel.py_func.__qualname__}{signature}"
    for kernel in kernels()
    for signature in kernel.signatures
}
misses = [k.py_func.__qualname__ for k in kernels() if sum(k.stats.cache_misses.values())]
print(json.dumps([sorted(found), misses]))
"""

# Streams, sizes and parameters that the warm-up knows nothing of
OTHERS = """
import itertools, pickle, warnings
import pandas as pd, polars as pl
from river import datasets, drift
import river_kdb

warnings.simplefilter("ignore")
segments = [
    ({k: v for k, v in x.items() if k[-1] != "t" or i % 7}, y)
    for i, (x, y) in enumerate(itertools.islice(datasets.ImageSegments(), 0, 2000, 20))
]
phishing = [
    ({k: str(v) for k, v in x.items()}, y) for x, y in itertools.islice(datasets.Phishing(), 330)
]
names = [name for name in river_kdb.__all__ if name.endswith("Classifier")]
own = (
    {"half_life": 20},
    {"forget": "window"},
    {"counts": "bitset"},
    {"smoothing": "m-estimate", "discretizer": "mdl"},
)
for name in names:
    make = getattr(river_kdb, name)
    some = ({"label_lags": 3, "smoothing": 2},) if name == "BNMixtureClassifier" else own
    for given in ({"missing": "skip"}, {"drift_detector": drift.ADWIN(clock=1)}, *some):
        model = make(grace_period=17, relearn_period=25, window_size=61, **given)
        for x, y in segments:
            model.learn_one(x, y, w=2)
            model.predict_proba_one(x)
        model = pickle.loads(pickle.dumps(model))
        model.relearn()
        model.predict_one({})
        model.explain_one(x)
        model.feature_importance(n_events=40)
        if name in ("KDBClassifier", "SelectiveKDBClassifier", "TANClassifier"):
            model.to_bif()
        str(model.summary)
    for frame in (pd.DataFrame, pl.DataFrame):
        model = make(grace_period=300)
        x, y = frame([x for x, _ in phishing]), [y for _, y in phishing]
        model.learn_many(x[:310], y[:310], [1 + i % 2 for i in range(310)])
        model.learn_many(x[310:], y[310:])
        model.predict_proba_many(x)
"""


def in_new_process(script):
    done = subprocess.run(
        [sys.executable, "-c", script + REPORT], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.skipif(not kernels(), reason="nothing is compiled")
def test_nothing_is_left_to_compile():
    warmed, _ = in_new_process("from river_kdb.warmup import warmup; warmup()")
    called, misses = in_new_process(OTHERS)
    assert misses == []
    # The cache may have been filled by others: what was called was called in the warm-up, too
    assert set(called) - set(warmed) == set()


def test_every_classifier_and_setting_takes_part():
    variants = list(module._variants())
    classes = {name for name in river_kdb.__all__ if name.endswith("Classifier")}
    assert {name for name, _ in variants} == classes
    for setting in module._SETTINGS:
        assert ("KDBClassifier", setting) in variants


def test_report_and_result(monkeypatch):
    variants = [("KDBClassifier", {"k": 0}), ("KDBClassifier", {})]
    monkeypatch.setattr(module, "_variants", lambda: iter(variants))
    monkeypatch.setattr(module, "_go_through", lambda make, given: None)
    steps = []
    warmth = warmup(lambda *step: steps.append(step))
    assert steps == [("KDBClassifier(k=0)", 0, 2), ("KDBClassifier()", 1, 2), ("", 2, 2)]
    assert isinstance(warmth, Warmth)
    if warmth.folder is not None:
        assert warmth.folder.is_dir()
        files = [path for path in warmth.folder.rglob("*") if path.is_file()]
        assert warmth.n_bytes == sum(path.stat().st_size for path in files)
        assert warmth.n_kernels <= len(files)
