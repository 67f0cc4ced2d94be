"""Parameters, weights and labels that pass, and those that don't."""

from __future__ import annotations

import datetime
import math
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from river_kdb import AODEClassifier, KDBClassifier, TANClassifier
from river_kdb.parameters import (
    check_choice,
    check_common,
    check_count,
    check_forgetting,
    check_label,
    check_share,
    check_weight,
    first_difference,
)


def test_choices():
    check_choice("average", None, (None, "mi"))
    check_choice("average", "mi", (None, "mi"))
    with pytest.raises(ValueError, match="average must be one of None, 'mi', got 'MI'"):
        check_choice("average", "MI", (None, "mi"))


@pytest.mark.parametrize("value", [0, 3, np.int64(3), np.uint8(0)])
def test_counts(value):
    check_count("k", value, 0)


@pytest.mark.parametrize("value", [-1, 2.0, "2", None, True, False, np.bool_(True), math.inf, [1]])
def test_no_counts(value):
    with pytest.raises(ValueError, match="k must be a whole number at least 0") as caught:
        check_count("k", value, 0)
    assert repr(value) in str(caught.value)


def test_bounds_of_counts():
    check_count("n_bins", 1, 1, 9)
    check_count("n_bins", 9, 1, 9)
    for value in (0, 10):
        with pytest.raises(
            ValueError, match=f"n_bins must be a whole number from 1 to 9, .*{value}"
        ):
            check_count("n_bins", value, 1, 9)


@pytest.mark.parametrize(
    "value", [1, 1.0, 0.75, 5e-324, np.float32(0.5), np.int64(1), Fraction(1, 3)]
)
def test_shares(value):
    check_share("confident", value)


@pytest.mark.parametrize(
    "value",
    [0, 0.0, -0.5, 1 + 1e-9, 2, math.nan, math.inf, -math.inf, True, np.bool_(True), None, "0.5"],
)
def test_no_shares(value):
    with pytest.raises(
        ValueError, match=r"^confident must be above 0 and at most 1, got"
    ) as caught:
        check_share("confident", value)
    assert repr(value) in str(caught.value)


@pytest.mark.parametrize("value", [[0.5], Decimal("0.5"), 0.5j, np.array([0.5])])
def test_what_is_no_real_number_is_no_share(value):
    with pytest.raises(ValueError, match=r"^confident must be above 0"):
        check_share("confident", value)


GOOD = {
    "n_bins": 10,
    "discretizer": "quantile",
    "max_categories": 32,
    "missing": "value",
    "window_size": 10_000,
    "grace_period": 100,
    "relearn_period": 1000,
    "max_size": 256,
    "counts": "auto",
    "n_jobs": 1,
    "nominal_attributes": None,
}
ALSO_GOOD = {
    "n_bins": [1, 15_000, np.int32(7)],
    "discretizer": ["mdl", "uniform"],
    "max_categories": [1, 15_000],
    "missing": ["skip"],
    "window_size": [1, 10**9],
    "grace_period": [1],
    "relearn_period": [1],
    "max_size": [0.5, 1e6, np.float64(3)],
    "counts": ["dense", "bitset"],
    "n_jobs": [-1, 2, np.int64(8)],
    "nominal_attributes": [[], ("a",), {"a", 1}, frozenset(), {"a": 1}.keys()],
}
BAD = {
    "n_bins": [0, -1, 15_001, 2.5, "10", True, None],
    "discretizer": ["MDL", None, 3],
    "max_categories": [0, 15_001, 1.0],
    "missing": ["Value", None, True],
    "window_size": [0, -5, 1e4, None],
    "grace_period": [0, 0.5, None],
    "relearn_period": [0, 0.5, None],
    "max_size": [0, -1, math.inf, math.nan, "1", None, True],
    "counts": ["sparse", None, True],
    "n_jobs": [0, -2, 1.0, None, True],
    "nominal_attributes": ["name", 3, iter(["a"])],
}


@pytest.mark.parametrize(("name", "value"), [(n, v) for n, vs in ALSO_GOOD.items() for v in vs])
def test_good_parameters(name, value):
    check_common(SimpleNamespace(**{**GOOD, name: value}))


@pytest.mark.parametrize(("name", "value"), [(n, v) for n, vs in BAD.items() for v in vs])
def test_bad_parameters_are_named(name, value):
    error = TypeError if name == "nominal_attributes" else ValueError
    with pytest.raises(error, match=f"^{name} must be") as caught:
        check_common(SimpleNamespace(**{**GOOD, name: value}))
    assert repr(value) in str(caught.value)


@pytest.mark.parametrize("model", [KDBClassifier, TANClassifier, AODEClassifier])
@pytest.mark.parametrize("name", BAD)
def test_every_model_checks_them(model, name):
    with pytest.raises((ValueError, TypeError), match=f"^{name} must be"):
        model(**{name: BAD[name][0]})


@pytest.mark.parametrize("half_life", [None, 1, 1.0, 1e9, np.float32(2.5), Fraction(7, 2)])
@pytest.mark.parametrize("forget", [None, "window"])
def test_good_ways_to_forget(half_life, forget):
    check_forgetting(SimpleNamespace(half_life=half_life, forget=forget))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("half_life", value) for value in (0, 0.99, -5, math.inf, math.nan, True, "9", [5])),
        *(("forget", value) for value in ("Window", False, True, 1, "half_life")),
    ],
)
@pytest.mark.parametrize("model", [KDBClassifier, TANClassifier, AODEClassifier])
def test_no_way_to_forget(model, name, value):
    with pytest.raises(ValueError, match=f"^{name} must be") as caught:
        model(**{name: value})
    assert repr(value) in str(caught.value)


@pytest.mark.parametrize("max_size", [np.int64(3), np.float32(0.5)])
def test_any_real_number_is_a_size(max_size):
    check_common(SimpleNamespace(**{**GOOD, "max_size": max_size}))


@pytest.mark.parametrize(
    ("w", "weight"),
    [(0, 0.0), (1, 1.0), (2.5, 2.5), (np.float32(0.5), 0.5), (np.int8(3), 3.0), (True, 1.0)],
)
def test_weights(w, weight):
    assert check_weight(w) == weight
    assert type(check_weight(w)) is float
    assert check_weight(Decimal("1.5")) == check_weight(Fraction(3, 2)) == 1.5


@pytest.mark.parametrize(
    "w", [-1, -1e-300, math.nan, math.inf, -math.inf, None, "much", [1], 1j, np.zeros(2), {}]
)
def test_no_weights(w):
    with pytest.raises(ValueError, match=r"^w must be") as caught:
        check_weight(w)
    assert repr(w) in str(caught.value)


def test_a_weight_too_large_for_a_float():
    with pytest.raises(ValueError, match=r"^w must be"):
        check_weight(10**400)


@pytest.mark.parametrize("w", ["2", b"2"])
def test_text_is_no_weight(w):
    with pytest.raises(ValueError, match=r"^w must be"):
        check_weight(w)


@pytest.mark.parametrize(
    "y", ["a", "", 0, False, 1.5, (1, "a"), np.int64(2), datetime.date(2020, 1, 1), frozenset()]
)
def test_labels(y):
    assert check_label(y) is y


def test_missing_labels():
    pd = pytest.importorskip("pandas")
    for y in (None, math.nan, np.float32("nan"), Decimal("NaN"), pd.NA, pd.NaT):
        with pytest.raises(ValueError, match=r"^y: the label is missing"):
            check_label(y)
    with pytest.raises(ValueError, match=r"^y: the label is missing"):
        check_label(np.datetime64("NaT", "s"))


@pytest.mark.parametrize("y", [[1], {}, {1}, np.zeros(2), ([],)], ids=repr)
def test_unhashable_labels(y):
    with pytest.raises(TypeError, match=r"^y: the label .* is unhashable") as caught:
        check_label(y)
    assert repr(y) in str(caught.value)


def test_the_first_parameter_that_differs_is_named():
    mine, theirs = SimpleNamespace(a=1, b="x", c=None), SimpleNamespace(a=1.0, b="x", c=2)
    assert first_difference(mine, theirs, ["a", "b"]) == ""
    expected = "c=None here, c=2 in the other model"
    assert first_difference(mine, theirs, ["a", "b", "c"]) == expected


@pytest.mark.parametrize(("here", "there"), [(["a", "b"], ("b", "a", "a")), (None, []), ({}, None)])
def test_collections_of_names_are_alike_if_they_name_the_same(here, there):
    models = [SimpleNamespace(nominal_attributes=names) for names in (here, there)]
    assert first_difference(*models, ["nominal_attributes"]) == ""
    models[0].nominal_attributes = ["c"]
    assert "nominal_attributes=['c'] here" in first_difference(*models, ["nominal_attributes"])
