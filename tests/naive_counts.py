"""Slow, obvious counts, structures and posteriors over codes: dicts and plain loops.

An event is a list of codes, one a feature; a code below 0 stands for a value that is left out.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence

Row = Sequence[int]


# -- Counts --------------------------------------------------------------------------------------


def count_groups(
    rows: Sequence[Row],
    labels: Sequence[int],
    weights: Sequence[float],
    features: Sequence[int],
) -> Counter:
    """N(values, c) as (values, c) -> weight; events with a gap in the features don't count."""
    counts: Counter = Counter()
    for row, label, weight in zip(rows, labels, weights, strict=True):
        values = tuple(int(row[i]) for i in features)
        if min(values, default=0) >= 0:
            counts[values, int(label)] += float(weight)
    return counts


def rows_of(codes) -> list[list[int]]:
    """The events of an array of codes (n, b)."""
    return [[int(code) for code in event] for event in codes.T]


def nonzero(counts: Counter) -> dict:
    return {key: n for key, n in counts.items() if n != 0}


# -- Trees ---------------------------------------------------------------------------------------


def spanning_trees(n: int) -> Iterator[list[tuple[int, int]]]:
    """Every tree over n features, by trying all sets of n - 1 edges."""
    edges = list(itertools.combinations(range(n), 2))
    for chosen in itertools.combinations(edges, n - 1):
        if is_connected(n, chosen):
            yield list(chosen)


def is_connected(n: int, edges: Sequence[tuple[int, int]]) -> bool:
    reached, waiting = {0}, [0]
    while waiting:
        here = waiting.pop()
        for a, b in edges:
            there = b if a == here else a
            if here in (a, b) and there not in reached:
                reached.add(there)
                waiting.append(there)
    return len(reached) == n


def has_circle(parents: Sequence[Sequence[int]]) -> bool:
    """Whether following parents (a list for each feature, -1 for none) can lead back."""
    left = {i: {p for p in row if p >= 0} for i, row in enumerate(parents)}
    while left:
        free = [i for i, above in left.items() if not above & left.keys()]
        if not free:
            return True
        for i in free:
            del left[i]
    return False


# -- Posteriors ----------------------------------------------------------------------------------


class Sample:
    """Weighted events of codes, and the estimates made from them."""

    def __init__(self, rows, labels, weights, m: int) -> None:
        self.rows, self.labels, self.weights, self.m = rows, labels, weights, m

    def count(self, wanted: dict[int, int], among: Sequence[int], c: int | None = None) -> float:
        """N(wanted, c) over the events in which no feature of `among` is left out."""
        return sum(
            float(weight)
            for row, label, weight in zip(self.rows, self.labels, self.weights, strict=True)
            if (c is None or c == label)
            and all(row[i] >= 0 for i in among)
            and all(row[i] == value for i, value in wanted.items())
        )

    def values(self, i: int) -> set[int]:
        return {row[i] for row in self.rows if row[i] >= 0}

    def seen(self, i: int, code: int) -> bool:
        return code in self.values(i)

    def prior(self, x: Row, root: int, c: int) -> float:
        """P(c), or P(c, x_root)."""
        if root < 0:
            return (self.count({}, [], c) + 1 / self.m) / (self.count({}, []) + 1)
        cells = self.m * len(self.values(root))
        return (self.count({root: x[root]}, [root], c) + 1 / cells) / (self.count({}, [root]) + 1)

    def conditional(self, x: Row, i: int, parents: Sequence[int], c: int, smoothing) -> float:
        """P(x_i | parents, c), the parents strongest first; an unseen context ends their list."""
        v = len(self.values(i))
        p = (self.count({i: x[i]}, [i], c) + 1 / v) / (self.count({}, [i], c) + 1)
        for q in range(1, len(parents) + 1):
            used = list(parents[:q])
            context = {j: x[j] for j in used}
            if min(context.values()) < 0 or self.count(context, [i, *used]) == 0:
                break
            whole = self.count(context, [i, *used], c)
            both = self.count({**context, i: x[i]}, [i, *used], c)
            if smoothing == "m-estimate":
                p = (both + 1 / v) / (whole + 1)
            else:
                p = (both + smoothing * p + 0.75 / v) / (whole + smoothing + 0.75)
        return p

    def joint(
        self, x: Row, parents: Sequence[Sequence[int]], root: int, c: int, smoothing
    ) -> float:
        """P(c, x) of one network; `root` is its superparent or -1.

        A feature whose first parent is -2 has no factor.
        """
        p = self.prior(x, root, c)
        for i, code in enumerate(x):
            if i != root and -2 not in parents[i] and self.seen(i, code):
                above = [j for j in parents[i] if j >= 0]
                p *= self.conditional(x, i, above, c, smoothing)
        return p

    def joints(self, x: Row, parents, root: int, smoothing) -> list[float] | None:
        """P(c, x) of every class; None where the superparent's value was never seen."""
        if root >= 0 and not self.seen(root, x[root]):
            return None
        return [self.joint(x, parents, root, c, smoothing) for c in range(self.m)]

    def scores(self, x: Row, members, sum_of_joints: bool, smoothing) -> list[float]:
        """What the posterior is proportional to; members are (parents, root, weight)."""
        total = [0.0] * self.m
        for parents, root, weight in members:
            joints = self.joints(x, parents, root, smoothing) if weight > 0 else None
            if joints is None:
                continue
            whole = 1.0 if sum_of_joints else sum(joints)
            total = [s + weight * p / whole for s, p in zip(total, joints, strict=True)]
        if max(total) > 0:
            return total
        return [self.joint(x, [()] * len(x), -1, c, smoothing) for c in range(self.m)]


def normalised(scores: Sequence[float]) -> list[float]:
    return [score / sum(scores) for score in scores]


def logs(scores: Sequence[float]) -> list[float]:
    return [math.log(score) for score in scores]
