"""Cut points for numeric features.

Pure functions of a sample: sorted cuts come back, nothing is kept. A value falls into the bin
numbered by how many cuts lie below it, `np.searchsorted(cuts, x, side="left")`, so a value equal
to a cut belongs to the bin on the left, and minus and plus infinity to the outermost bins.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from river_kdb.jit import kernel

__all__ = ["METHODS", "cut_points", "mdl", "quantile", "quantile_of_rows", "uniform"]

METHODS = ("quantile", "mdl", "uniform")

# Splits whose gains differ by less than this (in bits) count as equally good. Without it the
# choice between two splits that mirror each other would hang on the last bit of a sum.
_TIE = 1e-9


def cut_points(
    values: np.ndarray,
    labels: np.ndarray,
    weights: np.ndarray,
    *,
    method: str,
    n_bins: int,
) -> np.ndarray:
    """Cut points of one numeric feature.

    A sample with at most `n_bins` distinct values gets one bin for each of them, whatever the
    method, with the cuts halfway between neighbours. The bins of small integers and of ratings
    are thus the values themselves. `method="mdl"` chooses the number of bins by itself and uses
    `n_bins` for this rule only: with `n_bins=1` it is `mdl` and nothing else.

    Parameters
    ----------
    values
        Numbers, float64 of shape `(m,)`. Infinities are allowed, NaN is not.
    labels
        Indices of the classes, int64 of shape `(m,)`. Only `"mdl"` looks at them.
    weights
        Positive weights, float64 of shape `(m,)`. A weight of 2 is the same as the value twice.
    method
        `"quantile"`, `"mdl"` or `"uniform"`.
    n_bins
        The largest number of bins for `"quantile"` and `"uniform"`, at least 1.

    Returns
    -------
    The cuts, float64, strictly increasing. Empty where all values are equal or there are none.

    Raises
    ------
    ValueError
        If the method is not one of the three, or `n_bins` is below 1.

    Examples
    --------
    >>> import numpy as np
    >>> from river_kdb.features import discretize

    >>> values = np.array([1.0, 2.0, 3.0, 4.0, 10.0, 11.0, 12.0, 13.0])
    >>> labels = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    >>> weights = np.ones(8)

    >>> discretize.cut_points(values, labels, weights, method="quantile", n_bins=4)
    array([ 2.5,  7. , 11.5])
    >>> discretize.cut_points(values, labels, weights, method="uniform", n_bins=4)
    array([ 4.,  7., 10.])
    >>> discretize.cut_points(values, labels, weights, method="mdl", n_bins=4)
    array([7.])

    Few distinct values keep a bin each:

    >>> discretize.cut_points(values[:3], labels[:3], weights[:3], method="mdl", n_bins=4)
    array([1.5, 2.5])

    """
    if method not in METHODS:
        names = ", ".join(repr(name) for name in METHODS)
        raise ValueError(f"unknown discretizer {method!r}, expected one of {names}")
    _check_n_bins(n_bins)

    sample = _distinct(values)
    if sample.points.size <= n_bins:
        return _between(sample.points[:-1], sample.points[1:])
    if method == "quantile":
        return _quantile(sample, weights, n_bins)
    if method == "uniform":
        return _uniform(sample.points, n_bins)
    return _mdl(sample, labels, weights)


def quantile(values: np.ndarray, weights: np.ndarray, n_bins: int) -> np.ndarray:
    """Cut points of bins that hold about the same weight.

    The cut number j of `n_bins - 1` is the place between two neighbouring distinct values where
    the weight below comes closest to j/n_bins of the whole (of two equally close, the lower).
    Equal values therefore share a bin and no bin is empty; where one value outweighs several
    bins their cuts coincide and there are fewer bins.

    Parameters
    ----------
    values
        Numbers, float64 of shape `(m,)`. Infinities are allowed, NaN is not.
    weights
        Positive weights, float64 of shape `(m,)`. A weight of 2 is the same as the value twice.
    n_bins
        The largest number of bins, at least 1.

    Returns
    -------
    The cuts, float64, strictly increasing, at most `n_bins - 1` of them.

    Raises
    ------
    ValueError
        If `n_bins` is below 1.

    Examples
    --------
    >>> import numpy as np
    >>> from river_kdb.features import discretize

    >>> discretize.quantile(np.array([0.0, 1.0, 5.0, 6.0, 7.0, 9.0]), np.ones(6), n_bins=3)
    array([3. , 6.5])

    Half of the values are zero, so two of the three cuts coincide:

    >>> discretize.quantile(np.array([0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 4.0]), np.ones(8), 4)
    array([0.5, 2.5])

    """
    _check_n_bins(n_bins)
    return _quantile(_distinct(values), weights, n_bins)


def quantile_of_rows(rows: np.ndarray, n_bins: int) -> list[np.ndarray]:
    """Cut points of many numeric features at once, whose values all weigh 1.

    They are those of `cut_points` with the method `"quantile"`.

    Parameters
    ----------
    rows
        Numbers, float64 of shape `(n, m)`, a row a feature. NaN is left aside.
    n_bins
        The largest number of bins, at least 1.

    Returns
    -------
    The cuts of every feature, as `cut_points` returns them.

    Examples
    --------
    >>> import numpy as np
    >>> from river_kdb.features import discretize

    >>> rows = np.array([[0.0, 1.0, 5.0, 6.0, 7.0, 9.0], [2.0, 1.0, 1.0, 2.0, np.nan, 1.0]])
    >>> discretize.quantile_of_rows(rows, n_bins=3)
    [array([3. , 6.5]), array([1.5])]

    """
    cuts, n_cuts = _cuts_of_rising(np.sort(rows, axis=1), n_bins)
    return [own[:size].copy() for own, size in zip(cuts, n_cuts.tolist(), strict=True)]


def uniform(values: np.ndarray, n_bins: int) -> np.ndarray:
    """Cut points of bins of equal width.

    The range from the smallest to the largest finite value is divided into `n_bins` bins. Bins
    without any value in them are kept.

    Parameters
    ----------
    values
        Numbers, float64 of shape `(m,)`. Infinities are left aside, NaN is not allowed.
    n_bins
        The number of bins, at least 1.

    Returns
    -------
    The cuts, float64, strictly increasing: `n_bins - 1` of them, fewer only where the range holds
    too few floating point numbers, none where it is a single number or there are none.

    Raises
    ------
    ValueError
        If `n_bins` is below 1.

    Examples
    --------
    >>> import numpy as np
    >>> from river_kdb.features import discretize

    >>> discretize.uniform(np.array([0.0, 1.0, 1.5, 10.0, np.inf]), n_bins=5)
    array([2., 4., 6., 8.])

    """
    _check_n_bins(n_bins)
    return _uniform(values, n_bins)


def mdl(values: np.ndarray, labels: np.ndarray, weights: np.ndarray) -> np.ndarray:
    r"""Cut points by recursive minimal entropy partitioning.

    A sample $S$ of weight $N$ with $k$ classes is cut in two where the class entropy of the parts
    $S_1$ and $S_2$ is smallest (of equally good cuts, at the lowest), and the parts in turn, as
    long as the cut pays for its own description:

    $$Ent(S) - \frac{N_1}{N} Ent(S_1) - \frac{N_2}{N} Ent(S_2) > \frac{\log_2(N - 1) + \Delta}{N}$$

    $$\Delta = \log_2(3^k - 2) - [k \, Ent(S) - k_1 Ent(S_1) - k_2 Ent(S_2)]$$

    Only boundary points are tried: places between two neighbouring distinct values that do not
    both belong to one and the same class alone. The best cut always is one of them. Where the
    weight $N$ is below 2 (only fractional weights come to that), $\log_2(N - 1)$ counts as 0.

    Parameters
    ----------
    values
        Numbers, float64 of shape `(m,)`. Infinities are allowed, NaN is not.
    labels
        Indices of the classes, int64 of shape `(m,)`.
    weights
        Positive weights, float64 of shape `(m,)`. A weight of 2 is the same as the value twice.

    Returns
    -------
    The cuts, float64, strictly increasing. Empty where no cut is worth its description.

    Examples
    --------
    >>> import numpy as np
    >>> from river_kdb.features import discretize

    >>> values = np.arange(60.0)
    >>> labels = np.repeat([0, 1, 0], 20)
    >>> discretize.mdl(values, labels, np.ones(60))
    array([19.5, 39.5])

    Labels without any order in them give no cut:

    >>> discretize.mdl(values, np.arange(60) % 2, np.ones(60))
    array([], dtype=float64)

    References
    ----------
    [^1]: Fayyad, U.M. and Irani, K.B., 1993. Multi-interval discretization of continuous-valued
        attributes for classification learning. In Proceedings of the 13th International Joint
        Conference on Artificial Intelligence (pp. 1022-1027).

    """
    return _mdl(_distinct(values), labels, weights)


class _Distinct(NamedTuple):
    """The distinct values of a sample, and how to find the rows of each."""

    points: np.ndarray  # float64[d], strictly increasing
    order: np.ndarray  # int64[m], the rows by rising value
    starts: np.ndarray  # int64[d], where in `order` the rows of a point begin


def _check_n_bins(n_bins: int) -> None:
    if n_bins < 1:
        raise ValueError(f"n_bins must be at least 1, got {n_bins!r}")


def _distinct(values: np.ndarray) -> _Distinct:
    order = np.argsort(values, kind="stable")
    rising = values[order]
    first = np.ones(rising.size, dtype=np.bool_)
    np.not_equal(rising[1:], rising[:-1], out=first[1:])
    starts = np.flatnonzero(first)
    return _Distinct(rising[starts].astype(np.float64, copy=False), order, starts)


def _between(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The midpoints of neighbours, or the lower one where the midpoint does not part them."""
    with np.errstate(invalid="ignore"):
        middle = low / 2.0 + high / 2.0
        return np.where((low <= middle) & (middle < high), middle, low)


def _quantile(sample: _Distinct, weights: np.ndarray, n_bins: int) -> np.ndarray:
    points, order, starts = sample
    if points.size < 2:
        return np.empty(0)
    below = np.cumsum(np.add.reduceat(weights[order], starts))
    targets = np.arange(1, n_bins) * below[-1] / n_bins
    below = below[:-1]
    above = np.minimum(np.searchsorted(below, targets), below.size - 1)
    under = np.maximum(above - 1, 0)
    nearest = np.where(targets - below[under] <= below[above] - targets, under, above)
    # Rising already, as the targets rise.
    kept = np.unique(nearest)
    return _between(points[kept], points[kept + 1])


@kernel
def _cuts_of_rising(rising, n_bins):
    """Return the cuts (n, n_bins) of rising rows (n, m) and how many there are of each (n,)."""
    n, m = rising.shape
    cuts, n_cuts = np.empty((n, n_bins)), np.zeros(n, dtype=np.int64)
    points, below = np.empty(m), np.empty(m)
    for i in range(n):
        size = 0
        for r in range(m):
            if math.isnan(rising[i, r]):
                break
            if size == 0 or rising[i, r] != points[size - 1]:
                points[size] = rising[i, r]
                size += 1
            below[size - 1] = r + 1
        few, place, latest = size <= n_bins, 0, -1
        for j in range(1, min(n_bins, size)):
            nearest = j - 1
            if not few:
                target = j * below[size - 1] / n_bins
                while place < size - 2 and below[place] < target:
                    place += 1
                under = max(place - 1, 0)
                nearest = under if target - below[under] <= below[place] - target else place
            if nearest > latest:
                low, high = points[nearest], points[nearest + 1]
                middle = low / 2.0 + high / 2.0
                cuts[i, n_cuts[i]] = middle if low <= middle < high else low
                n_cuts[i] += 1
                latest = nearest
    return cuts, n_cuts


def _uniform(values: np.ndarray, n_bins: int) -> np.ndarray:
    finite = values[np.isfinite(values)]
    if finite.size == 0:
        return np.empty(0)
    low, high = float(finite.min()), float(finite.max())
    steps = np.arange(1, n_bins)
    span = high - low
    if np.isfinite(span * n_bins):
        cuts = low + steps * span / n_bins
    else:
        cuts = low * (1.0 - steps / n_bins) + high * (steps / n_bins)
    cuts = np.unique(cuts)
    return cuts[(low <= cuts) & (cuts < high)]


def _mdl(sample: _Distinct, labels: np.ndarray, weights: np.ndarray) -> np.ndarray:
    points, order, starts = sample
    if points.size < 2:
        return np.empty(0)
    classes, codes = np.unique(labels, return_inverse=True)
    n_classes = classes.size
    if n_classes < 2:
        return np.empty(0)
    codes = codes[order]

    # Neighbouring points that belong to one class alone are never parted: one block.
    lowest = np.minimum.reduceat(codes, starts)
    highest = np.maximum.reduceat(codes, starts)
    boundary = (lowest[:-1] != highest[1:]) | (highest[:-1] != lowest[1:])
    ends = np.flatnonzero(boundary)
    cuts = _between(points[ends], points[ends + 1])

    n_blocks = ends.size + 1
    firsts = np.zeros(n_blocks, dtype=np.int64)
    firsts[1:] = starts[ends + 1]
    block = np.repeat(np.arange(n_blocks), np.diff(firsts, append=order.size))
    counts = np.bincount(
        codes * n_blocks + block, weights=weights[order], minlength=n_classes * n_blocks
    ).reshape(n_classes, n_blocks)
    below = np.zeros((n_classes, n_blocks + 1))
    np.cumsum(counts, axis=1, out=below[:, 1:])

    kept = []
    todo = [(0, n_blocks)]
    while todo:
        begin, end = todo.pop()
        split = _best_split(counts, below, begin, end)
        if split >= 0:
            kept.append(split - 1)
            todo += [(begin, split), (split, end)]
    return cuts[np.sort(np.array(kept, dtype=np.int64))]


def _best_split(counts: np.ndarray, below: np.ndarray, begin: int, end: int) -> int:
    """The block that the right part of blocks `begin..end` starts with; -1 for no split."""
    if end - begin < 2:
        return -1
    # Which classes occur is read from the counts: differences of sums of fractional weights
    # need not be exactly zero where a class is absent.
    present = counts[:, begin:end] > 0.0
    here = np.flatnonzero(present.any(axis=1))
    k = here.size
    if k < 2:
        return -1
    start = below[here, begin]
    left = below[here, begin + 1 : end] - start[:, None]
    whole = below[here, end] - start
    right = whole[:, None] - left
    n_left, n_right, n = left.sum(axis=0), right.sum(axis=0), whole.sum()
    # Entropies times weights.
    bits_left = _xlog2(n_left) - _xlog2(left).sum(axis=0)
    bits_right = _xlog2(n_right) - _xlog2(right).sum(axis=0)
    bits = bits_left + bits_right
    best = int(np.argmax(bits <= bits.min() + _TIE * n))
    split = begin + 1 + best

    k_left = np.count_nonzero(present[:, : best + 1].any(axis=1))
    k_right = np.count_nonzero(present[:, best + 1 :].any(axis=1))
    entropy = (_xlog2(n) - _xlog2(whole).sum()) / n
    entropy_left = bits_left[best] / n_left[best]
    entropy_right = bits_right[best] / n_right[best]
    gain = entropy - bits[best] / n
    # log2(3^k - 2), written so that many classes do not overflow.
    description = k * np.log2(3.0) + np.log2(1.0 - 2.0 * 3.0**-k)
    delta = description - (k * entropy - k_left * entropy_left - k_right * entropy_right)
    worth = gain > (np.log2(max(n - 1.0, 1.0)) + delta) / n
    return split if worth else -1


def _xlog2(x: np.ndarray) -> np.ndarray:
    positive = np.maximum(x, np.finfo(np.float64).tiny)
    return x * np.log2(positive)
