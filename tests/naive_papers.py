"""Oracles of the five papers' classifiers: slow and obvious, as in `tests.naive`.

A network is a dict, child -> its parents, the strongest first; a feature it does not name has no
factor in it. `networks(x)` tells which networks are asked about the event x.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Hashable, Iterable, Sequence

from tests.naive import (
    EQUAL,
    TIE,
    Label,
    NaiveBN,
    Row,
    best,
    best_root,
    feature_key,
    log_sum,
    softmax,
    value_of,
)

Name = Hashable
Network = dict[Name, list[Name]]

SEEN = 1e-9
"""What is left of a count has to be more than this to be more than rounding."""


# -- Small tools ---------------------------------------------------------------------------------


def ranking(names: Iterable[Name], score: Callable[[Name], float]) -> list[Name]:
    """The names by falling score; of equal ones the earlier name first."""
    rest = sorted(names, key=feature_key)
    scores = {name: score(name) for name in rest}
    ranked = []
    while rest:
        ranked.append(best(rest, scores))
        rest.remove(ranked[-1])
    return ranked


def strongest_earlier(
    order: Sequence[Name], k: int, strength: Callable[[Name, Name], float]
) -> Network:
    """KDB's parents: the k earlier features with the largest strength(child, parent)."""
    return {
        child: ranking(order[:position], lambda parent, child=child: strength(child, parent))[:k]
        for position, child in enumerate(order)
    }


def grown_tree(
    names: Sequence[Name], root: Name, strength: Callable[[Name, Name], float]
) -> Network:
    """Prim's maximum spanning tree, directed away from the root."""
    inside, outside = [root], [name for name in names if name != root]
    network: Network = {root: []}
    while outside:
        inside.sort(key=feature_key)
        link = {
            name: best(inside, {other: strength(other, name) for other in inside})
            for name in outside
        }
        new = best(outside, {name: strength(link[name], name) for name in outside})
        network[new] = [link[new]]
        inside.append(new)
        outside.remove(new)
    return network


def ancestors(network: Network, name: Name) -> set[Name]:
    found = set(network[name])
    for parent in network[name]:
        found |= ancestors(network, parent)
    return found


# -- What they share -----------------------------------------------------------------------------


class NaiveEnsemble(NaiveBN):
    """The mean of the posteriors of some networks, all with ordinary estimates of all counts."""

    def fit(
        self, rows: Sequence[Row], labels: Sequence[Label], weights: Sequence[float] | None = None
    ) -> NaiveEnsemble:
        super().fit(rows, labels, weights)
        self.learn()
        return self

    def learn(self) -> None:
        """What is settled before anybody asks."""

    def networks(self, x: Row) -> dict[Hashable, Network]:
        raise NotImplementedError

    def posterior(self, x: Row) -> dict[Label, float]:
        if not self.classes:
            return {}
        # Without a feature there may be no network: the empty one is the prior.
        networks = list(self.networks(x).values()) or [{}]
        members = [self.posterior_of(x, network) for network in networks]
        return {c: sum(member[c] for member in members) / len(members) for c in self.classes}

    def posterior_of(self, x: Row, network: Network) -> dict[Label, float]:
        return softmax({c: self.log_joint_of(x, network, c) for c in self.classes})

    def log_joint(self, x: Row) -> dict[Label, float]:
        return {c: math.log(p) for c, p in self.posterior(x).items()}

    def log_joint_of(self, x: Row, parents: Network, c: Label) -> float:
        return math.log(self.prior(c)) + sum(
            math.log(self.conditional(x, child, above, c))
            for child, above in parents.items()
            if self.is_seen(child, x)
        )

    def seen(self, x: Row) -> list[Name]:
        """The features whose value was learned; under "skip" a missing one never is."""
        return [name for name in self.features if self.is_seen(name, x)]

    # One term of a measure: with the values and the class fixed

    def mi_term(self, i: Name, value: Hashable, c: Label) -> float:
        """P(x,c) ln P(x,c) / (P(x) P(c)), of the events that have the feature."""
        n, total = self.count((i,), (value,), c), self.count((i,), (None,), None)
        if n == 0:
            return 0.0
        n_value, n_class = self.count((i,), (value,), None), self.count((i,), (None,), c)
        return n / total * math.log(n * total / (n_value * n_class))

    def cmi_term(self, i: Name, j: Name, a: Hashable, b: Hashable, c: Label) -> float:
        """P(a,b,c) ln P(a,b|c) / (P(a|c) P(b|c)), of the events that have both features."""
        n, total = self.count((i, j), (a, b), c), self.count((i, j), (None, None), None)
        if n == 0:
            return 0.0
        n_class = self.count((i, j), (None, None), c)
        n_a, n_b = self.count((i, j), (a, None), c), self.count((i, j), (None, b), c)
        return n / total * math.log(n * n_class / (n_a * n_b))

    def class_mi(self, i: Name, c: Label) -> float:
        return sum(self.mi_term(i, value, c) for value in self.values_in_use(i))

    def class_cmi(self, i: Name, j: Name, c: Label) -> float:
        i, j = sorted((i, j), key=feature_key)
        pairs = itertools.product(self.values_in_use(i), self.values_in_use(j))
        return sum(self.cmi_term(i, j, a, b, c) for a, b in pairs)

    def micro_mi(self, x: Row, i: Name, c: Label) -> float:
        return self.mi_term(i, value_of(x, i), c)

    def micro_cmi(self, x: Row, i: Name, j: Name, c: Label) -> float:
        i, j = sorted((i, j), key=feature_key)
        return self.cmi_term(i, j, value_of(x, i), value_of(x, j), c)

    def local_mi(self, x: Row, i: Name) -> float:
        return sum(self.micro_mi(x, i, c) for c in self.classes)

    def local_cmi(self, x: Row, i: Name, j: Name) -> float:
        return sum(self.micro_cmi(x, i, j, c) for c in self.classes)


# -- KDF -----------------------------------------------------------------------------------------


class NaiveKDF(NaiveEnsemble):
    """A network from every root; further parents are ancestors of the first."""

    def __init__(
        self,
        k: int = 2,
        *,
        order: str = "given_next",
        smoothing: float | str = 5.0,
        missing: str = "value",
    ) -> None:
        super().__init__("kdb", k=k, smoothing=smoothing, missing=missing)
        self.next_by = order

    def learn(self) -> None:
        self.forest = {root: self.parents(root) for root in self.features}

    def networks(self, x: Row) -> dict[Hashable, Network]:
        return self.forest

    def order_from(self, root: Name) -> list[Name]:
        order = [root]
        while len(order) < len(self.features):
            rest = [name for name in self.features if name not in order]
            order.append(ranking(rest, lambda name: self.information_beside(order, name))[0])
        return order

    def information_beside(self, chosen: Sequence[Name], name: Name) -> float:
        if self.next_by == "sum_cmi":
            return sum(self.measure("cmi_with_class", i, name) for i in chosen)
        return sum(self.measure("cmi_with_class", name, i) for i in chosen)

    def parents(self, root: Name | None = None) -> Network:
        network: Network = {}
        order = self.order_from(best_root(self) if root is None else root)
        for position, child in enumerate(order):
            first = ranking(order[:position], lambda name, child=child: self.cmi(name, child))[:1]
            above = set().union(*(ancestors(network, name) for name in first))
            further = ranking(above, lambda name, child=child: self.cmi(name, child))
            network[child] = [*first, *further][: self.k]
        return network


# -- Selective KDB -------------------------------------------------------------------------------


class NaiveSelective(NaiveEnsemble):
    """KDB that keeps the arcs and features with the smallest leave-one-out error.

    `chosen` is the network that is left, `absent` the features that are not in it, `losses` the
    error of every prefix of the order.
    """

    def __init__(
        self,
        k: int = 3,
        *,
        order: str = "mi",
        select: str = "arcs",
        smoothing: float | str = 5.0,
        missing: str = "value",
    ) -> None:
        super().__init__("kdb", k=k, order=order, smoothing=smoothing, missing=missing)
        self.select = select

    def learn(self) -> None:
        self.chosen: Network = {}
        self.losses: list[float] = []
        events = range(len(self.rows))
        scores = [{c: math.log(self.prior_without(t, c)) for c in self.classes} for t in events]
        for child, above in self._kdb_parents().items():
            sizes = list(range(len(above) + 1)) if self.select == "arcs" else [len(above)]
            factors = [
                {c: self.conditionals_without(t, child, above, c) for c in self.classes}
                for t in events
            ]
            with_size = {
                q: [
                    {c: scores[t][c] + math.log(factors[t][c][q]) for c in self.classes}
                    for t in events
                ]
                for q in sizes
            }
            loss = {q: self.error(with_size[q]) for q in sizes}
            q = best(sizes, {q: -loss[q] for q in sizes})
            scores = with_size[q]
            self.chosen[child] = above[:q]
            self.losses.append(loss[q])
        self._keep_best_prefix()

    def _keep_best_prefix(self) -> None:
        order = list(self.chosen)
        if order:
            last = best(range(len(order)), {s: -loss for s, loss in enumerate(self.losses)})
            self.chosen = {name: self.chosen[name] for name in order[: last + 1]}
        self.absent = [name for name in self.features if name not in self.chosen]

    def networks(self, x: Row) -> dict[Hashable, Network]:
        return {"chosen": self.chosen}

    def parents(self, root: Name | None = None) -> Network:
        return self.chosen

    def error(self, scores: Sequence[dict[Label, float]]) -> float:
        """Root mean squared 1 - P(true class), an event as often as it weighs."""
        squares = [
            w * (1 - softmax(of_event)[c]) ** 2
            for of_event, c, w in zip(scores, self.labels, self.event_weights, strict=True)
        ]
        return math.sqrt(sum(squares) / sum(self.event_weights))

    def prior_without(self, t: int, c: Label) -> float:
        w, total = self.event_weights[t], sum(self.event_weights)
        of_class = sum(
            v for label, v in zip(self.labels, self.event_weights, strict=True) if label == c
        )
        own = w if self.labels[t] == c else 0.0
        return (of_class - own + 1 / len(self.classes)) / (total - w + 1)

    def conditionals_without(
        self, t: int, child: Name, above: Sequence[Name], c: Label
    ) -> list[float]:
        """P(x_child | strongest q parents, c) of the event t, counted without it; q = 0, 1, ..."""
        x, w = self.rows[t], self.event_weights[t]
        if not self.is_seen(child, x):
            return [1.0] * (len(above) + 1)
        own = w if self.labels[t] == c else 0.0
        v = len(self.values_in_use(child))
        n, n_class = self.count((child,), (x[child],), c), self.count((child,), (None,), c)
        estimates = [(n - own + 1 / v) / (n_class - own + 1)]
        for q in range(1, len(above) + 1):
            names = (child, *above[:q])
            context = tuple(x[parent] for parent in above[:q])
            if self.count(names, (None, *context), None) - w <= SEEN:
                break
            n_both = self.count(names, (x[child], *context), c) - own
            n_context = self.count(names, (None, *context), c) - own
            if self.smoothing == "m-estimate":
                estimates.append((n_both + 1 / v) / (n_context + 1))
            else:
                s = self.smoothing
                estimates.append((n_both + s * estimates[-1] + EQUAL / v) / (n_context + s + EQUAL))
        dropped = len(above) + 1 - len(estimates)
        return estimates + [estimates[-1]] * dropped


# -- Target learning -----------------------------------------------------------------------------


class NaiveTarget(NaiveEnsemble):
    """A network of the sample (T) beside one of the event alone (P)."""

    def __init__(
        self,
        k: int = 2,
        *,
        universal: bool = False,
        candidates: int | None = None,
        criterion: str = "posterior",
        parts: str = "TP",
        tree: bool = False,
        smoothing: float | str = 2.0,
        missing: str = "value",
    ) -> None:
        if tree and universal:
            raise ValueError("a tree has no candidates to choose among")
        super().__init__("tan" if tree else "kdb", k=k, smoothing=smoothing, missing=missing)
        self.universal = universal
        self.candidates = 2 * k if candidates is None else candidates
        self.criterion = criterion
        self.parts = parts

    def networks(self, x: Row) -> dict[Hashable, Network]:
        if not self.features:
            return {}
        build = {"T": self.network_of_sample, "P": self.network_of_event}
        return {part: build[part](x) for part in self.parts}

    def network_of_sample(self, x: Row) -> Network:
        if not self.universal:
            return self.parents()
        order = [name for name in self.kdb_order() if self.is_seen(name, x)]
        return self.best_subsets(x, strongest_earlier(order, self.candidates, self.cmi))

    def network_of_event(self, x: Row) -> Network:
        order = ranking(self.seen(x), lambda name: self.local_mi(x, name))

        def strength(a: Name, b: Name) -> float:
            return self.local_cmi(x, a, b)

        if self.kind == "tan":
            return grown_tree(self.seen(x), order[0], strength) if order else {}
        if not self.universal:
            return strongest_earlier(order, self.k, strength)
        return self.best_subsets(x, strongest_earlier(order, self.candidates, strength))

    # The choice among candidates

    def best_subsets(self, x: Row, candidates: Network) -> Network:
        return {child: self.best_subset(x, child, some) for child, some in candidates.items()}

    def best_subset(self, x: Row, child: Name, candidates: Sequence[Name]) -> list[Name]:
        subsets = [
            subset
            for size in range(1, self.k + 1)
            for subset in itertools.combinations(candidates, size)
            if self.count((child, *subset), (None, *values_of(x, subset)), None) > 0
        ]
        if not subsets:
            return []
        return list(best(subsets, {subset: self.value(x, child, subset) for subset in subsets}))

    def value(self, x: Row, child: Name, subset: Sequence[Name]) -> float:
        """How good these parents are for the child in this event: the larger, the better."""
        names, context = (child, *subset), values_of(x, subset)
        v = len(self.values_in_use(child))
        total = sum(self.event_weights)
        seen = self.count(names, values_of(x, names), None)
        posterior, expected, plain = 0.0, 0.0, 0.0
        for c in self.classes:
            n_both = self.count(names, (value_of(x, child), *context), c)
            n_context = self.count(names, (None, *context), c)
            log_p = math.log((n_both + 1 / v) / (n_context + 1))
            posterior += (n_both + 1 / len(self.classes)) / (seen + 1) * log_p
            expected += n_context / total * log_p
            plain += log_p
        return {"posterior": posterior, "expected": expected, "sum": plain, "min-sum": -plain}[
            self.criterion
        ]


def values_of(x: Row, names: Sequence[Name]) -> tuple:
    return tuple(value_of(x, name) for name in names)


# -- CSB -----------------------------------------------------------------------------------------


class NaiveCSB(NaiveEnsemble):
    """Networks of the classes that KDB finds most probable: of all events (G), of this one (L)."""

    def __init__(
        self,
        k: int = 2,
        *,
        confident: float = 0.75,
        parts: str = "GL",
        smoothing: float | str = 2.0,
        missing: str = "value",
    ) -> None:
        super().__init__("kdb", k=k, smoothing=smoothing, missing=missing)
        self.confident = confident
        self.parts = parts

    def learn(self) -> None:
        self.general = {c: self.general_network(c) for c in self.classes}

    def networks(self, x: Row) -> dict[Hashable, Network]:
        """(part, class) -> its network."""
        build = {"G": lambda c: self.general[c], "L": lambda c: self.local_network(x, c)}
        return {(part, c): build[part](c) for part in self.parts for c in self.confident_of(x)}

    def confident_of(self, x: Row) -> list[Label]:
        """The most probable classes, the most probable first."""
        probable = self.posterior_of(x, self.parents())
        rest, chosen = list(self.classes), []
        for _ in range(max(1, math.ceil(self.confident * len(self.classes) - SEEN))):
            chosen.append(best(rest, probable))
            rest.remove(chosen[-1])
        return chosen

    def general_network(self, c: Label) -> Network:
        order = ranking(self.features, lambda name: self.class_mi(name, c))
        return strongest_earlier(order, self.k, lambda a, b: self.class_cmi(a, b, c))

    def local_network(self, x: Row, c: Label) -> Network:
        order = ranking(self.seen(x), lambda name: self.micro_mi(x, name, c))
        return strongest_earlier(order, self.k, lambda a, b: self.micro_cmi(x, a, b, c))


# -- BKDB ----------------------------------------------------------------------------------------


class NaiveBKDB(NaiveEnsemble):
    """A network of every class's own events (G) and one of the event as if it were of it (L)."""

    def __init__(
        self,
        k: int = 2,
        *,
        parts: str = "GL",
        literal: bool = False,
        redundancy: float | None = None,
        smoothing: float | str = 5.0,
        missing: str = "value",
    ) -> None:
        super().__init__("kdb", k=k, smoothing=smoothing, missing=missing)
        self.parts = parts
        self.literal = literal
        self.redundancy = redundancy

    def learn(self) -> None:
        self.general = {c: self.general_network(c) for c in self.classes}

    def networks(self, x: Row) -> dict[Hashable, Network]:
        """(part, class) -> its network."""
        build = {"G": lambda c: self.general[c], "L": lambda c: self.local_network(x, c)}
        return {(part, c): build[part](c) for part in self.parts for c in self.classes}

    def general_network(self, c: Label) -> Network:
        return self._network(self.features, lambda j, above: self.entropy(j, above, c))

    def local_network(self, x: Row, c: Label) -> Network:
        return self._network(self.seen(x), lambda j, above: self.surprise(x, j, above, c))

    def _network(
        self, names: Sequence[Name], cost: Callable[[Name, Sequence[Name]], float]
    ) -> Network:
        order = ranking(names, lambda j: -cost(j, ()))
        network = strongest_earlier(order, self.k, lambda j, parent: -cost(j, (parent,)))
        if self.redundancy is None:
            return network
        costs = [cost(j, network[j]) for j in order]
        enough = self.redundancy * sum(costs)
        return {
            j: [] if sum(costs[:position]) >= enough - TIE else network[j]
            for position, j in enumerate(order)
        }

    def entropy(self, j: Name, above: Sequence[Name], c: Label) -> float:
        """H(X_j | X_above) within the class."""
        names = (j, *above)
        total = self.count(names, (None,) * len(names), c)
        return sum(
            n / total * math.log(self.count(names, (None, *values[1:]), c) / n)
            for (values, label), n in self.table(names).items()
            if label == c
        )

    def surprise(self, x: Row, j: Name, above: Sequence[Name], c: Label) -> float:
        """-ln P(x_j | x_above) within the class, this event counted among the others."""
        names, context = (j, *above), values_of(x, above)
        n = self.count(names, (value_of(x, j), *context), c)
        return math.log((self.count(names, (None, *context), c) + 1) / (n + 1))

    def posterior(self, x: Row) -> dict[Label, float]:
        if not self.literal or not self.classes:
            return super().posterior(x)
        networks = self.networks(x)
        logs = {}
        for c in self.classes:
            members = [self.literal_log(x, networks[part, c], c) for part in self.parts]
            logs[c] = math.log(self.prior(c)) + log_sum(members) - math.log(len(members))
        return softmax(logs)

    def literal_log(self, x: Row, network: Network, c: Label) -> float:
        """The log of P(x | c, network), of the event counted among the others.

        Values never seen end the chain of parents; values never seen together do not: (0+1)/(0+1).
        """
        return -sum(
            self.surprise(x, j, self.up_to_unseen(x, above), c)
            for j, above in network.items()
            if self.is_seen(j, x)
        )

    def up_to_unseen(self, x: Row, above: Sequence[Name]) -> list[Name]:
        return list(itertools.takewhile(lambda parent: self.is_seen(parent, x), above))
