"""Why a class is the most probable one, for people to read."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from river_kdb.explain.contributions import LogOdds
from river_kdb.explain.tables import ValueTables
from river_kdb.explain.values import slot_name

__all__ = ["ClassCounts", "Explanation", "explanation", "no_explanation"]


class ClassCounts(NamedTuple):
    """How often something was so among the events of two classes, in units of the newest event.

    Attributes
    ----------
    winner, of_winner
        In so many of so many events of the winner.
    runner_up, of_runner_up
        In so many of so many events of the runner-up.
    """

    winner: float
    of_winner: float
    runner_up: float
    of_runner_up: float

    def __str__(self) -> str:
        return (
            f"{self.winner:.6g} of {self.of_winner:.6g}, "
            f"{self.runner_up:.6g} of {self.of_runner_up:.6g}"
        )


@dataclass(frozen=True)
class Explanation:
    """Why a class is the most probable one: what each feature adds to its log odds.

    Attributes
    ----------
    winner
        The most probable label; None before the first event.
    runner_up
        The next one; None while there are fewer than two.
    log_odds
        ln P(winner | x) / P(runner_up | x), in nats: `math.fsum([prior, *contributions.values()])`,
        to the last bit. None without a runner-up.
    prior
        The log odds while no feature is known, in nats; a mixture knows the labels before all the
        same. None without a runner-up.
    contributions
        What each feature adds, in nats, the largest first, whatever its sign.
    values
        Value of each feature in the event, None where it is not there.
    read_as
        What each value is for the model: a bin, a category, missing or other; None where it is
        left out.
    counts
        N(x_i, c) and N(c) behind each value that is not left out. N(c) is without the events that
        lack the feature where these are skipped.
    parents
        For models of one network: the parents of each factor, as far as their values came together.
    family_counts
        For models of one network: N(x_i, parents, c) and N(parents, c) behind each factor.
    """

    winner: Hashable
    runner_up: Hashable
    log_odds: float | None
    prior: float | None
    contributions: dict[Hashable, float] = field(default_factory=dict)
    values: dict[Hashable, Any] = field(default_factory=dict)
    read_as: dict[Hashable, str | None] = field(default_factory=dict)
    counts: dict[Hashable, ClassCounts] = field(default_factory=dict)
    parents: dict[Hashable, tuple[Hashable, ...]] = field(default_factory=dict)
    family_counts: dict[Hashable, ClassCounts] = field(default_factory=dict)

    def __str__(self) -> str:
        if self.winner is None:
            return "nothing learned yet"
        if self.log_odds is None or self.prior is None:
            return f"{self.winner!r}: no other class was learned"
        lines = [f"{self.winner!r} over {self.runner_up!r}: log odds {self.log_odds:.4f}"]
        lines.append(
            f"     nats  value (in so many events of {self.winner!r}, of {self.runner_up!r})"
        )
        lines.append(f"  {self.prior:+.4f}  before any feature is known")
        lines += [
            f"  {nats:+.4f}  {self._of(name)}"
            for name, nats in self.contributions.items()
            if self.read_as[name] is not None
        ]
        left_out = [name for name in self.contributions if self.read_as[name] is None]
        if left_out:
            lines.append(f"left out: {', '.join(map(str, left_out))}")
        return "\n".join(lines)

    def _of(self, name: Hashable) -> str:
        value, read_as = self.values[name], self.read_as[name]
        as_read = "" if read_as == repr(value) else f", {read_as}"
        line = f"{name} = {value!r}{as_read} ({self.counts[name]}"
        if self.parents.get(name):
            given = ", ".join(map(str, self.parents[name]))
            line += f"; given {given}: {self.family_counts[name]}"
        return line + ")"


def no_explanation(labels: Sequence[Hashable]) -> Explanation:
    """Return what there is to say while fewer than two classes were learned.

    Parameters
    ----------
    labels
        The class, if there is one.
    """
    return Explanation(labels[0] if labels else None, None, None, None)


def explanation(
    x: Mapping[Hashable, Any],
    row: np.ndarray,
    labels: Sequence[Hashable],
    names: Sequence[Hashable],
    tables: ValueTables,
    odds: LogOdds,
) -> Explanation:
    """Return log odds and the counts behind them by names.

    Parameters
    ----------
    x
        The event.
    row
        float64 array of shape (n_features,): its raw row.
    labels
        The classes.
    names
        Names of the features.
    tables
        The counts.
    odds
        The log odds, in parts.
    """
    codes = tables.coder.code(row[:, None])[:, 0].tolist()
    order = np.argsort(-np.abs(odds.contributions), kind="stable").tolist()
    parts = odds.contributions.tolist()
    values = [x.get(name) for name in names]
    read_as = [slot_name(tables.coder, i, codes[i], values[i]) for i in range(len(names))]
    factors = {factor.feature: factor for factor in odds.factors}
    known = [i for i in order if codes[i] >= 0]
    both = odds.winner, odds.runner_up
    return Explanation(
        labels[odds.winner],
        labels[odds.runner_up],
        math.fsum([odds.prior, *parts]),
        odds.prior,
        {names[i]: parts[i] for i in order},
        {names[i]: values[i] for i in order},
        {names[i]: read_as[i] for i in order},
        {
            names[i]: _counts(tables.cells[tables.rows[i] + codes[i]], tables.sums[i], *both)
            for i in known
        },
        {names[i]: tuple(names[j] for j in factors[i].parents) for i in order if i in factors},
        {
            names[i]: _counts(factors[i].counts, factors[i].contexts, *both)
            for i in order
            if i in factors
        },
    )


def _counts(counts: np.ndarray, contexts: np.ndarray, winner: int, runner_up: int) -> ClassCounts:
    return ClassCounts(
        float(counts[winner]),
        float(contexts[winner]),
        float(counts[runner_up]),
        float(contexts[runner_up]),
    )
