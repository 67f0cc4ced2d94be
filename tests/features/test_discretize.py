"""Cut points against slow oracles, and the laws they obey."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_kdb.features import discretize
from tests import naive_discretize as naive

INF = math.inf
TINY = 5e-324

few = st.integers(-6, 6).map(lambda i: i / 2)
wild = st.one_of(
    few,
    st.sampled_from([INF, -INF, 1e308, -1e308, sys.float_info.max, -sys.float_info.max]),
    st.sampled_from([0.0, -0.0, TINY, -TINY, 2 * TINY, 3 * TINY, 1.0, math.nextafter(1.0, 2.0)]),
    st.floats(allow_nan=False),
)
# Sums of these are exact in any order, so the results must agree to the last bit.
exact_weights = st.integers(1, 12).map(lambda i: i / 4)


@st.composite
def samples(draw, value=wild, weight=exact_weights, n_classes=4, max_size=40):
    rows = draw(
        st.lists(st.tuples(value, st.integers(0, n_classes - 1), weight), max_size=max_size)
    )
    values = np.array([row[0] for row in rows], dtype=np.float64)
    labels = np.array([row[1] for row in rows], dtype=np.int64)
    weights = np.array([row[2] for row in rows], dtype=np.float64)
    return values, labels, weights


methods = st.sampled_from(discretize.METHODS)
bins = st.integers(1, 8)


def bins_of(cuts, values):
    return np.searchsorted(cuts, values, side="left")


def check_form(cuts):
    assert isinstance(cuts, np.ndarray)
    assert cuts.dtype == np.float64
    assert cuts.ndim == 1
    assert (cuts[1:] > cuts[:-1]).all()


@given(samples(), bins)
def test_quantile_is_the_oracle(sample, n_bins):
    values, _, weights = sample
    cuts = discretize.quantile(values, weights, n_bins)
    check_form(cuts)
    assert cuts.tolist() == naive.quantile(values.tolist(), weights.tolist(), n_bins)


@given(st.lists(st.lists(st.one_of(wild, st.just(math.nan)), min_size=9, max_size=9)), bins)
def test_quantile_of_rows_is_cut_points_of_each(rows, n_bins):
    rows = np.array(rows, dtype=np.float64).reshape((len(rows), 9))
    before = rows.tobytes()
    found = discretize.quantile_of_rows(rows, n_bins)
    assert len(found) == len(rows)
    for row, cuts in zip(rows, found, strict=True):
        there = row[~np.isnan(row)]
        ones = np.ones(len(there))
        check_form(cuts)
        right = discretize.cut_points(there, ones, ones, method="quantile", n_bins=n_bins)
        assert cuts.tolist() == right.tolist()
    assert rows.tobytes() == before


@pytest.mark.parametrize("size", [1, 11, 300])
def test_quantile_of_long_rows(size):
    rng = np.random.default_rng(size)
    rows = np.stack([rng.normal(size=size), rng.geometric(0.2, size), rng.integers(0, 8, size)])
    for row, cuts in zip(rows, discretize.quantile_of_rows(rows, 10), strict=True):
        right = discretize.cut_points(
            row, np.zeros(size), np.ones(size), method="quantile", n_bins=10
        )
        assert cuts.tolist() == right.tolist()


@given(samples(value=st.one_of(few, st.just(INF), st.floats(-1e300, 1e300))), bins)
def test_uniform_is_the_oracle(sample, n_bins):
    values, _, _ = sample
    cuts = discretize.uniform(values, n_bins)
    check_form(cuts)
    assert cuts.tolist() == naive.uniform(values.tolist(), n_bins)


@given(samples())
def test_mdl_is_the_oracle(sample):
    values, labels, weights = sample
    cuts = discretize.mdl(values, labels, weights)
    check_form(cuts)
    assert cuts.tolist() == naive.mdl(values.tolist(), labels.tolist(), weights.tolist())


@pytest.mark.parametrize("seed", range(12))
def test_mdl_is_the_oracle_on_structured_samples(seed):
    """Random labels seldom earn a cut; these earn several."""
    rng = np.random.default_rng(seed)
    n_classes = int(rng.integers(2, 6))
    values = np.round(rng.normal(size=250), int(rng.integers(1, 4)))
    noise = rng.integers(0, n_classes, 250)
    labels = np.where(rng.random(250) < 0.1, noise, np.floor(values * 2).astype(int) % n_classes)
    weights = rng.uniform(0.1, 3.0, 250) if seed % 2 else np.ones(250)
    cuts = discretize.mdl(values, labels, weights)
    assert cuts.size > 1
    assert cuts.tolist() == naive.mdl(values.tolist(), labels.tolist(), weights.tolist())


@given(samples(), methods, bins)
def test_cut_points_chooses_the_method(sample, method, n_bins):
    values, labels, weights = sample
    cuts = discretize.cut_points(values, labels, weights, method=method, n_bins=n_bins)
    check_form(cuts)
    if len(set(values.tolist())) <= n_bins:
        expected = np.array(naive.every_value(values.tolist()))
    elif method == "quantile":
        expected = discretize.quantile(values, weights, n_bins)
    elif method == "uniform":
        expected = discretize.uniform(values, n_bins)
    else:
        expected = discretize.mdl(values, labels, weights)
    assert cuts.tolist() == expected.tolist()


@given(samples(), methods, bins)
def test_few_values_have_a_bin_each(sample, method, n_bins):
    values, labels, weights = sample
    n_values = len(set(values.tolist()))
    cuts = discretize.cut_points(values, labels, weights, method=method, n_bins=n_values + n_bins)
    assert cuts.size == max(n_values - 1, 0)
    assert len(set(bins_of(cuts, values).tolist())) == n_values


@given(samples(), bins)
def test_no_quantile_bin_is_empty(sample, n_bins):
    values, _, weights = sample
    cuts = discretize.quantile(values, weights, n_bins)
    assert cuts.size <= n_bins - 1
    if values.size:
        assert set(bins_of(cuts, values).tolist()) == set(range(cuts.size + 1))


@given(st.integers(1, 8), st.integers(1, 12))
def test_quantile_bins_of_distinct_values_hold_the_same(n_bins, size):
    values = np.random.default_rng(size).permutation(n_bins * size).astype(float)
    cuts = discretize.quantile(values, np.ones(values.size), n_bins)
    assert np.bincount(bins_of(cuts, values)).tolist() == [size] * n_bins


@given(samples(), methods, bins)
def test_a_weight_of_two_is_the_value_twice(sample, method, n_bins):
    values, labels, weights = sample
    times = np.arange(values.size) % 3 + 1
    weighted = discretize.cut_points(values, labels, weights * times, method=method, n_bins=n_bins)
    repeated = discretize.cut_points(
        np.repeat(values, times),
        np.repeat(labels, times),
        np.repeat(weights, times),
        method=method,
        n_bins=n_bins,
    )
    assert weighted.tolist() == repeated.tolist()


@given(samples(), methods, bins, st.randoms(use_true_random=False))
def test_order_of_rows_and_names_of_classes_do_not_matter(sample, method, n_bins, random):
    values, labels, weights = sample
    cuts = discretize.cut_points(values, labels, weights, method=method, n_bins=n_bins)
    rows = list(range(values.size))
    random.shuffle(rows)
    names = np.array(random.sample(range(1000), 4))
    again = discretize.cut_points(
        values[rows], names[labels[rows]], weights[rows], method=method, n_bins=n_bins
    )
    assert cuts.tolist() == again.tolist()


@given(samples(weight=st.floats(1e-3, 1e3)), methods, bins)
def test_any_weights_give_cuts_inside_the_sample(sample, method, n_bins):
    values, labels, weights = sample
    before = [array.copy() for array in sample]
    cuts = discretize.cut_points(values, labels, weights, method=method, n_bins=n_bins)
    check_form(cuts)
    assert not np.isnan(cuts).any()
    if cuts.size:
        assert values.min() <= cuts[0]
        assert cuts[-1] < values.max()
    for array, copy in zip(sample, before, strict=True):
        assert (array == copy).all()


@given(samples(value=few), st.integers(-20, 20))
def test_scaling_by_powers_of_two_scales_the_cuts(sample, power):
    values, labels, weights = sample
    scale = 2.0**power
    for method in discretize.METHODS:
        cuts = discretize.cut_points(values, labels, weights, method=method, n_bins=3)
        scaled = discretize.cut_points(values * scale, labels, weights, method=method, n_bins=3)
        assert (cuts * scale).tolist() == scaled.tolist()


@given(samples(n_classes=1))
def test_mdl_never_cuts_a_single_class(sample):
    assert discretize.mdl(*sample).size == 0


def test_mdl_by_hand():
    """Four and four, parted cleanly: gain 1 bit, price (log2(7) + log2(7) - 2) / 8 = .45 bits."""
    values = np.arange(8.0)
    labels = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    assert discretize.mdl(values, labels, np.ones(8)).tolist() == [3.5]
    # Two and two: price (log2(3) + log2(7) - 2) / 4 = .60 bits; of weight 1/4 each it is not
    # worth it, (0 + log2(7) - 2) / 1 = .81 < 1 still is, and at 1/8 each 1.6 > 1 is not.
    assert discretize.mdl(values[:4], labels[2:6], np.ones(4)).tolist() == [1.5]
    assert discretize.mdl(values[:4], labels[2:6], np.full(4, 1 / 4)).tolist() == [1.5]
    assert discretize.mdl(values[:4], labels[2:6], np.full(4, 1 / 8)).tolist() == []


def test_mdl_finds_both_of_two_equally_good_cuts():
    """The classes 0 1 0 in equal shares: the two cuts mirror each other, and each pays."""
    values = np.repeat([0.0, 1.0, 2.0], 50)
    labels = np.repeat([0, 1, 0], 50)
    assert discretize.mdl(values, labels, np.ones(150)).tolist() == [0.5, 1.5]


def test_mdl_of_very_many_classes():
    """3^k overflows beyond k = 646."""
    labels = np.repeat(np.arange(1500), 4)
    values = np.arange(6000.0) // 3000
    cuts = discretize.mdl(values, labels, np.ones(6000))
    assert cuts.tolist() == [0.5]


@pytest.mark.parametrize(
    ("low", "high", "cut"),
    [
        (1.0, 3.0, 2.0),
        (-INF, INF, -INF),
        (-INF, 0.0, -INF),
        (0.0, INF, 0.0),
        (-1e308, 1.2e308, 1e307),
        (1.0, math.nextafter(1.0, 2.0), 1.0),
        (0.0, TINY, 0.0),
        (-TINY, 0.0, -TINY),
    ],
)
def test_a_cut_parts_its_neighbours(low, high, cut):
    values, labels, weights = np.array([high, low]), np.zeros(2, dtype=np.int64), np.ones(2)
    for method in discretize.METHODS:
        cuts = discretize.cut_points(values, labels, weights, method=method, n_bins=2)
        assert cuts.tolist() == [pytest.approx(cut, rel=1e-12)]
        assert bins_of(cuts, values).tolist() == [1, 0]


def test_uniform_over_the_whole_range_of_floats():
    largest = sys.float_info.max
    values = np.array([-largest, 1.0, largest, INF, -INF])
    cuts = discretize.uniform(values, 4)
    assert cuts.tolist() == [pytest.approx(-largest / 2), 0.0, pytest.approx(largest / 2)]


def test_uniform_keeps_empty_bins_and_integers_exact():
    values = np.array([0.0, 100.0])
    assert discretize.uniform(values, 10).tolist() == list(range(10, 100, 10))


@pytest.mark.parametrize("values", [[], [3.0], [3.0, 3.0, 3.0], [INF], [0.0, -0.0]])
def test_nothing_to_cut(values):
    values = np.array(values)
    labels, weights = np.arange(values.size), np.ones(values.size)
    for method in discretize.METHODS:
        for n_bins in (1, 5):
            cuts = discretize.cut_points(values, labels, weights, method=method, n_bins=n_bins)
            check_form(cuts)
            assert cuts.size == 0
    for cuts in (
        discretize.quantile(values, weights, 5),
        discretize.uniform(values, 5),
        discretize.mdl(values, labels, weights),
    ):
        check_form(cuts)
        assert cuts.size == 0


def test_unknown_method_and_impossible_bins():
    sample = np.array([1.0, 2.0]), np.array([0, 1]), np.ones(2)
    with pytest.raises(ValueError, match=r"'chimerge'.*'quantile', 'mdl', 'uniform'"):
        discretize.cut_points(*sample, method="chimerge", n_bins=5)
    for call in (
        lambda: discretize.cut_points(*sample, method="mdl", n_bins=0),
        lambda: discretize.quantile(sample[0], sample[2], 0),
        lambda: discretize.uniform(sample[0], -1),
    ):
        with pytest.raises(ValueError, match="n_bins must be at least 1"):
            call()


@settings(max_examples=25)
@given(st.integers(2, 5), st.integers(0, 2**32 - 1))
def test_mdl_cuts_only_at_boundary_points(n_classes, seed):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 30, 200).astype(float)
    labels = (values // rng.integers(3, 12)).astype(np.int64) % n_classes
    for cut in discretize.mdl(values, labels, np.ones(200)):
        low, high = values[values <= cut].max(), values[values > cut].min()
        assert len(set(labels[(values == low) | (values == high)].tolist())) > 1
