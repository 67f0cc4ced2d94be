"""Oracles: slow and obvious, in plain Python, written from the formulas and from nothing else.

Nothing here knows how the package stores or updates anything; each number is counted out of the
list of events. Where the package and these disagree, one of them misreads the papers.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any

Row = dict[Hashable, Any]
Label = Hashable

MISSING = "<missing>"
TIE = 1e-12
EQUAL = 0.75  # how often equal shares count as seen in every context, beside the back-off


# -- Measures ------------------------------------------------------------------------------------


def mutual_information(
    xs: Sequence[Hashable], ys: Sequence[Hashable], weights: Sequence[float] | None = None
) -> float:
    """I(X;Y) in nats, of two columns."""
    return conditional_mutual_information(xs, ys, [0] * len(xs), weights)


def conditional_mutual_information(
    xs: Sequence[Hashable],
    ys: Sequence[Hashable],
    zs: Sequence[Hashable],
    weights: Sequence[float] | None = None,
) -> float:
    """I(X;Y|Z) = sum of P(x,y,z) ln P(x,y|z) / (P(x|z) P(y|z)), in nats.

    With Z the class it is KDB's and TAN's I(Xi;Xj|C); with X the class and Z an attribute it is
    the I(C;Xj|Xi) that `order="sum_cmi"` adds up.
    """
    weights = [1.0] * len(xs) if weights is None else weights
    n_xyz, n_xz, n_yz, n_z = Counter(), Counter(), Counter(), Counter()
    total = 0.0
    for x, y, z, w in zip(xs, ys, zs, weights, strict=True):
        n_xyz[x, y, z] += w
        n_xz[x, z] += w
        n_yz[y, z] += w
        n_z[z] += w
        total += w
    information = 0.0
    for (x, y, z), n in n_xyz.items():
        if n > 0:
            information += n / total * math.log(n * n_z[z] / (n_xz[x, z] * n_yz[y, z]))
    return information


# -- Small tools ---------------------------------------------------------------------------------


def is_missing(value: Any) -> bool:
    """None and NaN; an absent key is looked up as None."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def feature_key(name: Hashable) -> tuple:
    """Numbers first, by value; then text; then anything else, by its repr."""
    if isinstance(name, (int, float)):
        return (0, name, "")
    return (1, 0, name) if isinstance(name, str) else (2, 0, repr(name))


def best(candidates: Sequence[Hashable], score: dict[Hashable, float]) -> Hashable:
    """The candidate of the largest score; of equal ones the first."""
    winner = candidates[0]
    for candidate in candidates[1:]:
        if score[candidate] > score[winner] + TIE:
            winner = candidate
    return winner


def normalised(scores: dict[Label, float]) -> dict[Label, float]:
    total = sum(scores.values())
    return {c: score / total for c, score in scores.items()}


def softmax(logs: dict[Label, float]) -> dict[Label, float]:
    top = max(logs.values())
    return normalised({c: math.exp(value - top) for c, value in logs.items()})


def log_sum(values: Sequence[float]) -> float:
    top = max(values)
    return top + math.log(sum(math.exp(value - top) for value in values))


# -- The classifiers -----------------------------------------------------------------------------


class NaiveBN:
    """KDB, TAN (also averaged) and AODE over categorical columns.

    kind "kdb" takes `k` and `order`; "tan" takes `average` (None, "uniform", "mi"); "aode" takes
    `weights` (None, "mi") and `subsumption`. `parents`, where given, replaces the learned
    structure: child -> parents, the strongest first.
    """

    def __init__(
        self,
        kind: str = "kdb",
        *,
        k: int = 2,
        order: str = "mi",
        smoothing: float | str = 5.0,
        missing: str = "value",
        average: str | None = None,
        weights: str | None = None,
        subsumption: bool = False,
        parents: dict[Hashable, list[Hashable]] | None = None,
    ) -> None:
        self.kind = kind
        self.k = k
        self.order = order
        self.smoothing = smoothing
        self.missing = missing
        self.average = average
        self.superparent_weights = weights
        self.subsumption = subsumption
        self.given_parents = parents

    # Counting

    def fit(
        self, rows: Sequence[Row], labels: Sequence[Label], weights: Sequence[float] | None = None
    ) -> NaiveBN:
        weights = [1.0] * len(rows) if weights is None else weights
        kept = [t for t in range(len(rows)) if weights[t] > 0]
        self.features = sorted({name for t in kept for name in rows[t]}, key=feature_key)
        self.rows = [{name: value_of(rows[t], name) for name in self.features} for t in kept]
        self.labels = [labels[t] for t in kept]
        self.event_weights = [float(weights[t]) for t in kept]
        self.classes = list(dict.fromkeys(self.labels))
        self.tables: dict[tuple, Counter] = {}
        self.sums: dict[tuple, Counter] = {}
        self.measures: dict[tuple, float] = {}
        self.structures: dict[Hashable, dict[Hashable, list[Hashable]]] = {}
        self.priors = {c: self._prior(c) for c in self.classes}
        self.in_use = {name: self._values_in_use(name) for name in self.features}
        return self

    def table(self, names: tuple[Hashable, ...]) -> Counter:
        """Counts of (values of the named columns, class).

        Under "skip" an event in which one of them is missing is not there at all.
        """
        if names not in self.tables:
            counts: Counter = Counter()
            for row, label, weight in zip(self.rows, self.labels, self.event_weights, strict=True):
                values = tuple(row[name] for name in names)
                if self.missing == "value" or MISSING not in values:
                    counts[values, label] += weight
            self.tables[names] = counts
        return self.tables[names]

    def count(self, names: tuple[Hashable, ...], values: tuple, label: Label | None) -> float:
        """N(values, label); label None adds up the classes, a value None the column's values."""
        summed = tuple(key is None for key in (*values, label))
        if (names, summed) not in self.sums:
            counts: Counter = Counter()
            for (seen, c), n in self.table(names).items():
                kept = zip((*seen, c), summed, strict=True)
                counts[tuple(None if is_summed else key for key, is_summed in kept)] += n
            self.sums[names, summed] = counts
        return self.sums[names, summed][*values, label]

    def column(self, name: Hashable) -> list:
        return [row[name] for row in self.rows]

    def values_in_use(self, name: Hashable) -> set:
        return self.in_use[name]

    def _values_in_use(self, name: Hashable) -> set:
        return {values[0] for (values, _), n in self.table((name,)).items() if n > 0}

    def is_seen(self, name: Hashable, x: Row) -> bool:
        return name in self.features and value_of(x, name) in self.values_in_use(name)

    # Measures of this sample

    def measure(self, what: str, *names: Hashable) -> float:
        """One of "mi" I(X;C), "cmi" I(X;Y|C), "cmi_with_class" I(C;Y|X), "pair_mi" I(X;Y)."""
        if (what, *names) not in self.measures:
            columns = [self.column(name) for name in names]
            kept = [
                t
                for t in range(len(self.rows))
                if self.missing == "value" or all(column[t] != MISSING for column in columns)
            ]
            picked = [[column[t] for t in kept] for column in columns]
            c = [self.labels[t] for t in kept]
            w = [self.event_weights[t] for t in kept]
            self.measures[(what, *names)] = _measure(what, picked, c, w)
        return self.measures[(what, *names)]

    def mi(self, name: Hashable) -> float:
        return self.measure("mi", name)

    def cmi(self, a: Hashable, b: Hashable) -> float:
        return self.measure("cmi", *sorted((a, b), key=feature_key))

    # Structure

    def kdb_order(self) -> list[Hashable]:
        rest = list(self.features)
        ordered: list[Hashable] = []
        while rest:
            chosen = best(rest, {name: self._order_score(name, ordered) for name in rest})
            ordered.append(chosen)
            rest.remove(chosen)
        return ordered

    def _order_score(self, name: Hashable, chosen: list[Hashable]) -> float:
        if self.order == "mi" or not chosen:
            return self.mi(name)
        if self.order == "least_sum_cmi":
            return -sum(self.measure("cmi_with_class", earlier, name) for earlier in chosen)
        if self.order == "sum_cmi":
            return sum(self.measure("cmi_with_class", earlier, name) for earlier in chosen)
        redundancy = [self.measure("pair_mi", earlier, name) for earlier in chosen]
        return self.mi(name) - sum(redundancy) / len(redundancy)

    def parents(self, root: Hashable | None = None) -> dict[Hashable, list[Hashable]]:
        """Child -> its parents, the strongest first (TAN: of the tree hung up by `root`)."""
        if root not in self.structures:
            self.structures[root] = self._parents(root)
        return self.structures[root]

    def _parents(self, root: Hashable | None) -> dict[Hashable, list[Hashable]]:
        if self.given_parents is not None:
            return {name: self.given_parents.get(name, []) for name in self.features}
        if self.kind == "kdb":
            return self._kdb_parents()
        return self._tree(best_root(self) if root is None else root)

    def _kdb_parents(self) -> dict[Hashable, list[Hashable]]:
        ordered = self.kdb_order()
        result: dict[Hashable, list[Hashable]] = {}
        for position, child in enumerate(ordered):
            candidates = sorted(ordered[:position], key=feature_key)
            result[child] = []
            while candidates and len(result[child]) < self.k:
                strongest = best(candidates, {name: self.cmi(name, child) for name in candidates})
                result[child].append(strongest)
                candidates.remove(strongest)
        return result

    def _tree(self, root: Hashable) -> dict[Hashable, list[Hashable]]:
        tree = self.spanning_tree()
        result: dict[Hashable, list[Hashable]] = {root: []}
        waiting = [root]
        while waiting:
            parent = waiting.pop()
            for a, b in tree:
                child = b if parent == a else a
                if parent in (a, b) and child not in result:
                    result[child] = [parent]
                    waiting.append(child)
        return result

    def spanning_tree(self) -> list[tuple[Hashable, Hashable]]:
        """Prim's: always the largest CMI between a column inside and one outside."""
        root = best_root(self)
        inside, outside = [root], [name for name in self.features if name != root]
        edges = []
        while outside:
            inside.sort(key=feature_key)
            link = {
                name: best(inside, {other: self.cmi(other, name) for other in inside})
                for name in outside
            }
            new = best(outside, {name: self.cmi(link[name], name) for name in outside})
            edges.append((link[new], new))
            inside.append(new)
            outside.remove(new)
        return edges

    # Inference

    def prior(self, label: Label) -> float:
        return self.priors[label]

    def _prior(self, label: Label) -> float:
        of_class = sum(
            w for c, w in zip(self.labels, self.event_weights, strict=True) if c == label
        )
        return (of_class + 1 / len(self.classes)) / (sum(self.event_weights) + 1)

    def conditional(self, x: Row, child: Hashable, parents: Sequence[Hashable], c: Label) -> float:
        """P(x_child | x_parents, c); parents the strongest first."""
        v = len(self.values_in_use(child))
        value = value_of(x, child)
        p = (self.count((child,), (value,), c) + 1 / v) / (self.count((child,), (None,), c) + 1)
        for q in range(1, len(parents) + 1):
            names = (child, *parents[:q])
            context = tuple(value_of(x, parent) for parent in parents[:q])
            if self.count(names, (None, *context), None) == 0:
                break  # nobody ever saw this context: the parents from here on say nothing
            n_both = self.count(names, (value, *context), c)
            n_context = self.count(names, (None, *context), c)
            if self.smoothing == "m-estimate":
                p = (n_both + 1 / v) / (n_context + 1)
            else:
                p = (n_both + self.smoothing * p + EQUAL / v) / (n_context + self.smoothing + EQUAL)
        return p

    def log_joint_of(self, x: Row, parents: dict[Hashable, list[Hashable]], c: Label) -> float:
        seen = [name for name in self.features if self.is_seen(name, x)]
        return math.log(self.prior(c)) + sum(
            math.log(self.conditional(x, child, parents[child], c)) for child in seen
        )

    def log_joint(self, x: Row) -> dict[Label, float]:
        """Per class the log of the score that the posterior is proportional to."""
        if self.kind == "aode":
            return self._aode(x)
        if self.kind == "tan" and self.average is not None:
            return {c: math.log(p) for c, p in self._averaged_trees(x).items()}
        parents = self.parents()
        return {c: self.log_joint_of(x, parents, c) for c in self.classes}

    def posterior(self, x: Row) -> dict[Label, float]:
        return softmax(self.log_joint(x)) if self.classes else {}

    def _averaged_trees(self, x: Row) -> dict[Label, float]:
        mean = dict.fromkeys(self.classes, 0.0)
        weights = self._weights(self.average)
        for root in self.features:
            parents = self.parents(root)
            of_root = softmax({c: self.log_joint_of(x, parents, c) for c in self.classes})
            for c in self.classes:
                mean[c] += weights[root] * of_root[c]
        return normalised(mean)

    def _weights(self, how: str | None) -> dict[Hashable, float]:
        """Weights of roots or superparents; where none tells of the class all weigh the same."""
        weights = {name: self.mi(name) for name in self.features}
        if how != "mi" or max(weights.values(), default=0.0) <= TIE:
            return dict.fromkeys(self.features, 1.0)
        return {name: max(0.0, weight) for name, weight in weights.items()}

    def _aode(self, x: Row) -> dict[Label, float]:
        seen = [name for name in self.features if self.is_seen(name, x)]
        if self.subsumption:
            seen = self._without_generalisations(x, seen)
        weights = self._weights(self.superparent_weights)
        roots = [name for name in seen if weights[name] > 0]
        if not roots:
            no_arcs: dict[Hashable, list[Hashable]] = {name: [] for name in self.features}
            return {c: self.log_joint_of(x, no_arcs, c) for c in self.classes}
        return {
            c: log_sum([math.log(weights[i]) + self._superparent(x, i, seen, c) for i in roots])
            for c in self.classes
        }

    def _superparent(self, x: Row, parent: Hashable, seen: list[Hashable], c: Label) -> float:
        value = value_of(x, parent)
        v = len(self.values_in_use(parent))
        n, total = self.count((parent,), (value,), c), self.count((parent,), (None,), None)
        score = math.log((n + 1 / (len(self.classes) * v)) / (total + 1))
        for child in seen:
            if child != parent:
                score += math.log(self.conditional(x, child, [parent], c))
        return score

    def _without_generalisations(self, x: Row, seen: list[Hashable]) -> list[Hashable]:
        """Leave out x_j where an x_i implies it: N(x_i,x_j) = N(x_i) >= 100; of twins keep one."""
        return [
            j
            for b, j in enumerate(seen)
            if not any(
                self._implies(x, i, j) and not (b < a and self._implies(x, j, i))
                for a, i in enumerate(seen)
                if i != j
            )
        ]

    def _implies(self, x: Row, i: Hashable, j: Hashable) -> bool:
        n_i = self.count((i,), (value_of(x, i),), None)
        return n_i >= 100 and self.count((i, j), (value_of(x, i), value_of(x, j)), None) == n_i


def _measure(what: str, columns: list[list], c: list, weights: list[float]) -> float:
    if not c:
        return 0.0
    if what == "mi":
        return mutual_information(columns[0], c, weights)
    x, y = columns
    if what == "cmi":
        return conditional_mutual_information(x, y, c, weights)
    if what == "cmi_with_class":
        return conditional_mutual_information(c, y, x, weights)
    return mutual_information(x, y, weights)


def value_of(row: Row, name: Hashable) -> Any:
    value = row.get(name)
    return MISSING if is_missing(value) else value


def best_root(model: NaiveBN) -> Hashable:
    return best(model.features, {name: model.mi(name) for name in model.features})
