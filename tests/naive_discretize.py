"""Slow, obvious cut points to hold the fast ones against: plain loops over lists and dicts."""

from __future__ import annotations

import itertools
import math

TIE = 1e-9


def between(low, high):
    middle = low / 2 + high / 2
    return middle if low <= middle < high else low


def weight_by_value(values, weights):
    """The distinct values, rising, each with the sum of its weights."""
    total = {}
    for value, weight in zip(values, weights, strict=True):
        total[value] = total.get(value, 0.0) + weight
    return dict(sorted(total.items()))


def every_value(values):
    points = sorted(set(values))
    return [between(low, high) for low, high in itertools.pairwise(points)]


def quantile(values, weights, n_bins):
    weight = weight_by_value(values, weights)
    points = list(weight)
    if len(points) < 2:
        return []
    whole = sum(weight.values())
    places = set()
    for j in range(1, n_bins):
        target = j * whole / n_bins
        best, best_distance, below = None, math.inf, 0.0
        for i in range(len(points) - 1):
            below += weight[points[i]]
            if abs(below - target) < best_distance:
                best, best_distance = i, abs(below - target)
        places.add(best)
    return [between(points[i], points[i + 1]) for i in sorted(places)]


def uniform(values, n_bins):
    finite = [value for value in values if math.isfinite(value)]
    if not finite:
        return []
    low, high = min(finite), max(finite)
    cuts = {low + j * (high - low) / n_bins for j in range(1, n_bins)}
    return sorted(cut for cut in cuts if low <= cut < high)


def class_weights(rows):
    total = {}
    for _, label, weight in rows:
        total[label] = total.get(label, 0.0) + weight
    return total


def entropy(rows):
    total = class_weights(rows)
    whole = sum(total.values())
    return -sum(w / whole * math.log2(w / whole) for w in total.values())


def weight_of(rows):
    return sum(weight for _, _, weight in rows)


def mdl(values, labels, weights):
    rows = sorted(zip(values, labels, weights, strict=True))
    return sorted(_mdl(rows))


def _mdl(rows):
    points = sorted({value for value, _, _ in rows})
    if len(points) < 2:
        return []
    whole = weight_of(rows)
    splits = []
    for low, high in itertools.pairwise(points):
        if len({label for value, label, _ in rows if value in (low, high)}) == 1:
            continue  # not a boundary point
        left = [row for row in rows if row[0] <= low]
        right = [row for row in rows if row[0] >= high]
        mean = (weight_of(left) * entropy(left) + weight_of(right) * entropy(right)) / whole
        splits.append((mean, between(low, high), left, right))
    if not splits:
        return []
    smallest = min(mean for mean, _, _, _ in splits)
    mean, cut, left, right = next(split for split in splits if split[0] <= smallest + TIE)
    k, k_left, k_right = (len(class_weights(part)) for part in (rows, left, right))
    delta = math.log2(3**k - 2) - (
        k * entropy(rows) - k_left * entropy(left) - k_right * entropy(right)
    )
    gain = entropy(rows) - mean
    if gain <= (math.log2(max(whole - 1, 1)) + delta) / whole:
        return []
    return [*_mdl(left), cut, *_mdl(right)]
