"""Slow, obvious oracle of the mixture: lists of events, dicts and plain loops.

An event is a tuple of its codes, one a feature of every chain, its label and its weight; a code
below 0 stands for a value that is left out.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Sequence
from typing import Any

Event = tuple[Sequence[int], int, float]
Purge = tuple[int, float]

FADED = 2.0**-64
FLOOR = 1e-4
POOL_FLOOR = 1e-6
TINY = 1e-18


def softmax(scores: Sequence[float]) -> list[float]:
    top = max(scores)
    total = sum(math.exp(score - top) for score in scores)
    return [math.exp(score - top) / total for score in scores]


def log_softmax(scores: Sequence[float]) -> list[float]:
    top = max(scores)
    total = top + math.log(sum(math.exp(score - top) for score in scores))
    return [score - total for score in scores]


# -- Counts under a half-life --------------------------------------------------------------------


def family_counts(
    events: Sequence[Event],
    child: int | None,
    parents: Sequence[int],
    half_life: float | None,
    since: int = 0,
    purges: Sequence[Purge] = (),
) -> Counter:
    """N(x_child, x_parents, c) as (x_child, x_parents, c), and with None for x_child their sums.

    They are in units of the newest event; event number t has lost 2^(age / half_life). Those
    before number `since` don't count. A purge (n, epoch) dropped, when n events were there, the
    counts that were below 2^-64 in units of event number `epoch`. A child of None: the classes.
    """
    rate = 0.0 if half_life is None else 1.0 / half_life
    newest = len(events) - 1
    counts: Counter = Counter()
    for t in range(len(events) + 1):
        for n_events, epoch in purges:
            if n_events == t:
                least = FADED * 2.0 ** ((epoch - newest) * rate)
                counts = Counter({key: n for key, n in counts.items() if n >= least})
        if t == len(events) or t < since:
            continue
        codes, label, weight = events[t]
        context = tuple(codes[p] for p in parents)
        value = None if child is None else codes[child]
        if min(context, default=0) < 0 or (value is not None and value < 0):
            continue
        more = weight * 2.0 ** ((t - newest) * rate)
        counts[None, context, label] += more
        if value is not None:
            counts[value, context, label] += more
    return counts


class NaiveNetworks:
    """Networks over the same events, under several half-lives, the slowest last.

    `since` and `purges` say for a family, a child and its rising parents, and the number of a
    half-life from where on it counts, and what it has dropped.
    """

    def __init__(
        self,
        events: Sequence[Event],
        half_lives: Sequence[float | None],
        m: int,
        strength: float,
        since: Callable[[Any, int], int] = lambda key, h: 0,
        purges: Callable[[Any, int], Sequence[Purge]] = lambda key, h: (),
    ) -> None:
        self.events, self.half_lives, self.m, self.strength = events, half_lives, m, strength
        self.since, self.purges = since, purges
        self.tables: dict = {}

    def counts(self, child: int | None, parents: Sequence[int], h: int) -> Counter:
        key = (child, tuple(sorted(parents)), h)
        if key not in self.tables:
            since, purges = self.since(key[:2], h), self.purges(key[:2], h)
            half_life = self.half_lives[h]
            self.tables[key] = family_counts(self.events, key[0], key[1], half_life, since, purges)
        return self.tables[key]

    def ever(self, child: int, parents: Sequence[int], value: int | None, context: tuple) -> bool:
        """Whether it counts at all under the slowest half-life."""
        counts = self.counts(child, parents, len(self.half_lives) - 1)
        return sum(counts[value, context, c] for c in range(self.m)) > 0.0

    def n_used(self, child: int) -> int:
        counts = self.counts(child, (), len(self.half_lives) - 1)
        return len({value for (value, _, _), n in counts.items() if value is not None and n > 0.0})

    def prior(self, c: int, h: int) -> float:
        classes = self.counts(None, (), h)
        total = sum(classes[None, (), k] for k in range(self.m))
        return (classes[None, (), c] + 1.0 / self.m) / (total + 1.0)

    def factor(self, x: Sequence[int], i: int, parents: Sequence[int], c: int, h: int) -> float:
        """P(x_i | parents, c), the strongest parent first; an unseen context ends their list."""
        share = 1.0 / self.n_used(i)
        single = self.counts(i, (), h)
        p = (single[x[i], (), c] + share) / (single[None, (), c] + 1.0)
        for q in range(1, len(parents) + 1):
            used = sorted(parents[:q])
            context = tuple(x[j] for j in used)
            if min(context) < 0 or not self.ever(i, used, None, context):
                break
            counts = self.counts(i, used, h)
            lean = self.strength * p + 0.75 * share
            p = (counts[x[i], context, c] + lean) / (
                counts[None, context, c] + self.strength + 0.75
            )
        return max(p, TINY)

    def log_posterior(
        self,
        x: Sequence[int],
        features: Sequence[int],
        parents: dict[int, Sequence[int]],
        k: int,
        h: int,
    ) -> list[float]:
        """Of the network in which every feature has its k strongest parents."""
        scores = []
        for c in range(self.m):
            score = math.log(self.prior(c, h))
            for i in features:
                if x[i] >= 0 and self.ever(i, (), x[i], ()):
                    score += math.log(self.factor(x, i, parents[i][:k], c, h))
            scores.append(score)
        return log_softmax(scores)


# -- The label given the labels before it --------------------------------------------------------


class NaiveLag:
    def __init__(self, k: int) -> None:
        self.k = k
        self.labels: list[int] = []
        self.followers: dict[tuple, dict[int, float]] = defaultdict(lambda: defaultdict(float))

    def context(self) -> tuple:
        return (*[-1] * self.k, *self.labels)[-self.k :]

    def log_posterior(self, m: int) -> list[float]:
        counts = self.followers[self.context()]
        total = 1.0 + sum(counts.values())
        return [math.log((counts[c] + 1.0 / m) / total) for c in range(m)]

    def learn(self, label: int, weight: float) -> None:
        counts = self.followers[self.context()]
        for c in counts:
            counts[c] *= 0.5 ** (1.0 / (35.0 * 4.0 ** (self.k - 1)))
        counts[label] += weight
        self.labels.append(label)


# -- Softmax regression --------------------------------------------------------------------------


class NaiveStandards:
    """What the regressions know of the numbers: all of them."""

    def __init__(self) -> None:
        self.numbers: dict[Hashable, list[float]] = defaultdict(list)

    def inputs(self, numbers: dict, slots: dict) -> dict:
        """The values of an event: a standardised number, and 1 for the slot of what is none."""
        found: dict = {"intercept": 1.0}
        for name, number in numbers.items():
            before = self.numbers[name]
            spread = statistics.pstdev(before) if len(before) > 1 else 0.0
            if spread > 0.0:
                far = (number - statistics.fmean(before)) / spread
                found[name, "number"] = min(max(far, -4.0), 4.0)
        for name, slot in slots.items():
            found[name, slot] = 1.0
        return found

    def learn(self, numbers: dict) -> None:
        for name, number in numbers.items():
            if abs(number) < 1e150:
                self.numbers[name].append(number)


class NaiveRegression:
    """Softmax regression by Adagrad; a half-life lets squared gradients fade."""

    def __init__(self, half_life: float | None) -> None:
        self.keep = 1.0 if half_life is None else 0.5 ** (1.0 / half_life)
        self.weights: dict = defaultdict(float)
        self.squares: dict = defaultdict(float)

    def log_posterior(self, inputs: dict, m: int) -> list[float]:
        return log_softmax(
            [sum(self.weights[name, c] * value for name, value in inputs.items()) for c in range(m)]
        )

    def learn(self, inputs: dict, posterior: Sequence[float], label: int) -> None:
        for c, p in enumerate(posterior):
            for name, value in inputs.items():
                slope = (p - (c == label)) * value
                self.squares[name, c] = self.keep * self.squares[name, c] + slope * slope
                self.weights[name, c] -= 0.2 * slope / math.sqrt(1.0 + self.squares[name, c])

    def forget(self, lost: Callable[[Any], bool]) -> None:
        """Start anew with the inputs that are lost."""
        for table in (self.weights, self.squares):
            for key in [key for key in table if lost(key[0])]:
                del table[key]


# -- Pools ---------------------------------------------------------------------------------------


class NaiveMixer:
    """Pools of experts' log posteriors, and their mixture."""

    def __init__(self, experts: Sequence, rates: Sequence, steps: Sequence, last: tuple) -> None:
        self.experts = list(experts)
        self.rates, self.steps, self.last = rates, steps, last
        self.losses = [dict.fromkeys(experts, 0.0) for _ in rates]
        self.exponents = [dict.fromkeys(experts, 1.0 / len(experts)) for _ in steps]
        self.pool_losses = [0.0] * (len(rates) + len(steps))

    def floored(self, logs: dict, m: int) -> dict:
        floor = math.log(FLOOR / m)
        return {e: [max(value, floor) for value in logs[e]] for e in self.experts}

    def pools(self, logs: dict, m: int) -> list[list[float]]:
        logs = self.floored(logs, m)
        found = []
        for (eta, _), losses in zip(self.rates, self.losses, strict=True):
            weights = softmax([-eta * losses[e] for e in self.experts])
            mean = [
                sum(w * math.exp(logs[e][c]) for w, e in zip(weights, self.experts, strict=True))
                for c in range(m)
            ]
            found.append([p / sum(mean) for p in mean])
        for exponents in self.exponents:
            found.append(
                softmax([sum(exponents[e] * logs[e][c] for e in self.experts) for c in range(m)])
            )
        return found

    def answer(self, pools: list[list[float]]) -> list[float]:
        weights = softmax([-self.last[0] * loss for loss in self.pool_losses])
        return [
            sum(w * pool[c] for w, pool in zip(weights, pools, strict=True))
            for c in range(len(pools[0]))
        ]

    def learn(self, logs: dict, pools: list[list[float]], label: int, m: int) -> None:
        logs = self.floored(logs, m)
        for (_, discount), losses in zip(self.rates, self.losses, strict=True):
            for e in self.experts:
                losses[e] = discount * losses[e] - logs[e][label]
        of_exponents = pools[len(self.rates) :]
        for step, exponents, pool in zip(self.steps, self.exponents, of_exponents, strict=True):
            for e in self.experts:
                slope = logs[e][label] - sum(
                    p * value for p, value in zip(pool, logs[e], strict=True)
                )
                exponents[e] += step / len(self.experts) * slope
        self.pool_losses = [
            self.last[1] * loss - math.log(max(pool[label], POOL_FLOOR))
            for loss, pool in zip(self.pool_losses, pools, strict=True)
        ]

    def shares(self) -> dict:
        """What share every expert has in the answer."""
        weights = softmax([-self.last[0] * loss for loss in self.pool_losses])
        found = [
            softmax([-eta * losses[e] for e in self.experts])
            for (eta, _), losses in zip(self.rates, self.losses, strict=True)
        ]
        for exponents in self.exponents:
            positive = [max(exponents[e], 0.0) for e in self.experts]
            if not sum(positive):
                positive = [1.0] * len(positive)
            found.append([value / sum(positive) for value in positive])
        return {
            e: sum(w * pool[j] for w, pool in zip(weights, found, strict=True))
            for j, e in enumerate(self.experts)
        }


# -- The mixture ---------------------------------------------------------------------------------


class NaiveMixture:
    """The whole of it, given how events are coded and which parents the features have.

    `experts` are tuples (model, k, n_bins, half_life), `chains` pairs of a model and a number of
    bins, in the order of the codes; every expert has a say.
    """

    def __init__(
        self, experts: Sequence, chains: Sequence, strength: float, rates, steps, last
    ) -> None:
        self.experts, self.chains, self.strength = list(experts), list(chains), strength
        networks = {e[3] for e in experts if e[0] in ("kdb", "tan")}
        self.half_lives = sorted(networks, key=lambda h: math.inf if h is None else h)
        self.lags = {e: NaiveLag(e[1]) for e in experts if e[0] == "lag"}
        self.regressions = {e: NaiveRegression(e[3]) for e in experts if e[0] == "linear"}
        self.standards = NaiveStandards()
        self.mixer = NaiveMixer(experts, rates, steps, last)
        self.labels: list[int] = []
        self.weights: list[float] = []
        self.first = 0  # event from which what never fades counts

    def logs(self, x, past, parents, inputs, m) -> dict:
        """Log posteriors of all experts; `past` are the codes of the events learned."""
        events = list(zip(past, self.labels, self.weights, strict=True))

        def since(key, h):
            return self.first if self.half_lives[h] is None else 0

        networks = NaiveNetworks(events, self.half_lives, m, self.strength, since)
        n = len(x) // len(self.chains)
        found = {}
        for e in self.experts:
            model, k, n_bins, half_life, _ = e
            if model == "lag":
                found[e] = self.lags[e].log_posterior(m)
            elif model == "linear":
                found[e] = self.regressions[e].log_posterior(inputs, m)
            else:
                b, h = self.chains.index((model, n_bins)), self.half_lives.index(half_life)
                features = range(b * n, b * n + n)
                found[e] = networks.log_posterior(x, features, parents, k, h)
        return found

    def answer(self, logs: dict, m: int) -> list[float]:
        return self.mixer.answer(self.mixer.pools(logs, m))

    def learn(self, logs, logs_of_all, inputs, numbers, label, weight, known) -> None:
        """Learn an event; `logs` know the first `known` classes, `logs_of_all` its own as well."""
        if label < known:
            self.mixer.learn(logs, self.mixer.pools(logs, known), label, known)
        m = max(known, label + 1)
        for e, regression in self.regressions.items():
            posterior = [math.exp(v) for v in self.mixer.floored(logs_of_all, m)[e]]
            regression.learn(inputs, posterior, label)
        self.standards.learn(numbers)
        for lag in self.lags.values():
            lag.learn(label, weight)
        self.labels.append(label)
        self.weights.append(weight)
