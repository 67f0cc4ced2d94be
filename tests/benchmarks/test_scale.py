"""What grows is measured and written as it should be; what the times are is not for a test."""

from __future__ import annotations

import csv
import doctest
import math
from itertools import pairwise

import numpy as np
import pytest

pytest.importorskip("pandas")

from benchmarks import scale
from benchmarks.scaling import cases, measure, report, rows
from benchmarks.scaling.cases import MODELS, STORES, Case, Series
from benchmarks.scaling.measure import Cost, Limits, SkippedError

SMALL = Case(n=3, slots=2, classes=2, k=2, window=200)
TIMES = ("predict_us", "predict_mean_us", "learn_us", "learn_mean_us", "learn_max_us")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("scale")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cases, "RELEARN_PERIOD", 250)
        patch.setattr(measure, "RELEARN_PERIOD", 250)
        patch.setattr(scale, "BASE", SMALL)
        patch.setattr(scale, "QUICK", {"n": (3, 100), "k": (0, 2)})
        arguments = ["--quick", "--only", "n,k", "--memory", "1", "--out", str(path / "found")]
        scale.main(arguments)
    return path / "found"


def read(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("module", [cases, measure, report, rows])
def test_the_examples(module):
    assert doctest.testmod(module).failed == 0


@pytest.mark.slow
def test_every_case_has_a_line(folder):
    lines = read(folder / "scale.csv")
    found = {(r["factor"], r["model"], r["store"], int(r[r["factor"]])) for r in lines}
    assert len(found) == len(lines)
    assert found == {
        *(("n", model, store, n) for model in MODELS for store in STORES for n in (3, 100)),
        *(("k", model, store, 2) for model in MODELS for store in STORES),
        *(("k", "KDB", store, 0) for store in STORES),
    }
    assert {"python", "river", "numpy", "numba", "river_kdb", "cpu"} <= set(lines[0])
    assert all(int(r["window"]) == 200 for r in lines)


@pytest.mark.slow
def test_costs_are_above_zero_or_there_is_a_reason(folder):
    for line in read(folder / "scale.csv"):
        values = [line[name] for name in (*TIMES, "tables_bytes", "river_bytes")]
        if line["skipped"]:
            assert not any(values)
            assert line["n"] == "100"
        else:
            assert min(map(float, values)) > 0
            assert float(line["learn_us"]) <= float(line["learn_max_us"])
            assert sum(int(line[f"{part}_bytes"]) for part in measure.PARTS) == int(
                line["tables_bytes"]
            )


@pytest.mark.slow
def test_tables_that_do_not_fit_are_skipped_and_sets_are_not(folder):
    big = {(r["model"], r["store"]): r for r in read(folder / "scale.csv") if r["n"] == "100"}
    assert "tables of pairs" in big["KDB", "dense"]["skipped"]
    assert big["KDB", "bitset"]["skipped"] == ""
    assert int(big["KDB", "bitset"]["pairs_bytes"]) < 100 * 50


@pytest.mark.slow
def test_files(folder):
    lines = read(folder / "exponents.csv")
    assert len(lines) == 12
    assert list(lines[0]) == ["factor", "model", "store", *report.COSTS]
    sets = next(r for r in lines if r["model"] == "TL" and r["store"] == "bitset")
    assert math.isfinite(float(sets["learn"]))
    for name in ("n.png", "k.png"):
        assert (folder / name).read_bytes().startswith(b"\x89PNG")


def test_a_shared_case_is_measured_once_and_larger_ones_are_skipped(monkeypatch):
    asked = []

    def fake(model, store, case, limits):
        asked.append(case.n)
        if case.n > 2:
            raise SkippedError("too slow")
        return Cost(1.0, 1.0, 1.0, 1.0, 1.0, {}, 1, "")

    monkeypatch.setattr(scale, "measure", fake)
    row = Series("n", "KDB", "dense", tuple(Case(n=n) for n in (1, 2, 3, 4, 5)))
    done = {}
    found = [list(scale.run(row, Limits(), done)) for _ in range(2)]
    assert asked == [1, 2, 3]
    assert found[0] == found[1]
    assert [r.skipped for r in found[0]] == ["", "", "too slow", "as n=3", "as n=3"]


@pytest.mark.filterwarnings("ignore:max_size:UserWarning")
@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (Limits(event_ms=1e-6), "predict takes"),
        (Limits(seconds=1e-9), "more than 1e-09 s"),
        (Limits(memory=1e-3), "no memory for 3 features"),
    ],
)
def test_a_case_over_a_limit_says_which(limits, reason):
    with pytest.raises(SkippedError, match=reason):
        measure.measure("TL", "dense", SMALL, limits)


def test_the_arrays_of_the_counts_count_once():
    made = cases.make_model("TL", "bitset", SMALL, 64)
    drawn = rows.Rows(SMALL, 200)
    made.learn_many(*drawn.frame(0, 200))
    found, store = measure.table_bytes(made), made._learner.store
    assert found["window"] == sum(a.nbytes for a in store.window[:-1])
    assert found["bitsets"] == sum(a.nbytes for a in store.bitsets[:6])
    assert sum(found.values()) < made._raw_memory_usage


def test_rows_depend_on_the_class_and_on_their_neighbours():
    case = Case(n=5, slots=4, classes=3)
    drawn = rows.Rows(case, 4000)
    np.testing.assert_array_equal(drawn.codes, rows.Rows(case, 4000).codes)
    assert set(np.unique(drawn.codes)) == {0, 1, 2, 3}
    for a, b in pairwise(drawn.codes.T):
        assert np.mean(a == b) > 0.4
    shares = [np.bincount(drawn.codes[drawn.labels == c, 0], minlength=4).max() for c in range(3)]
    assert min(shares) > 0.4 * 4000 / 3
    X, y = drawn.frame(10, 13)
    assert list(drawn.events(10, 13)) == list(zip(X.to_dict("records"), y, strict=True))


@pytest.mark.parametrize(
    ("sizes", "costs", "slope"),
    [
        ((1, 2, 4, 8, 16, 32), (5, 5, 5, 8, 16, 32), 1.0),
        ((0, 1, 2, 4), (7, 1, 4, 16), 2.0),
        ((2, 4), (3, 3), 0.0),
        ((2,), (3,), math.nan),
    ],
)
def test_the_exponent_is_that_of_the_upper_half(sizes, costs, slope):
    assert report.exponent(sizes, costs) == pytest.approx(slope, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("arguments", [["--only", "m"], ["--limit", "0"], ["--memory", "-1"]])
def test_bad_options_say_so(arguments, capsys):
    with pytest.raises(SystemExit) as error:
        scale.main(arguments)
    assert error.value.code == 2
    assert "error: " in capsys.readouterr().err
