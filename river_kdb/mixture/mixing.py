"""How experts are mixed: pools of different rates, and a mixture of the pools.

A linear pool averages the posteriors with weights exp(-eta L), where L is the discounted log
loss of an expert (exponential weights). A log-linear pool multiplies powers of the posteriors;
the exponents follow the gradient of its own log loss. The pools in turn are averaged with
exponential weights, so that no rate has to be tuned.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from river_kdb.jit import kernel

_LEAST = 1e-4
"""Share of one class by chance below which an expert's word is not taken."""

_LEAST_OF_POOL = 1e-6


def check_rates(pool_rates: Any, pool_steps: Any) -> None:
    """Raise unless there is a pool, and all rates are in order.

    Parameters
    ----------
    pool_rates
        Pairs of eta > 0 and a discount above 0 and at most 1.
    pool_steps
        Steps above 0.

    Raises
    ------
    ValueError
        If one is out of bounds, or there is no pool.
    """
    try:
        rates = np.array(list(pool_rates), dtype=np.float64).reshape(len(pool_rates), 2)
    except (TypeError, ValueError):
        raise ValueError(f"pool_rates must be pairs of numbers, got {pool_rates!r}") from None
    try:
        steps = np.array(list(pool_steps), dtype=np.float64).reshape(len(pool_steps))
    except (TypeError, ValueError):
        raise ValueError(f"pool_steps must be numbers, got {pool_steps!r}") from None
    if not (np.isfinite(rates).all() and (rates > 0.0).all() and (rates[:, 1] <= 1.0).all()):
        raise ValueError(f"pool_rates must be above 0, the discounts at most 1, got {pool_rates!r}")
    if not (np.isfinite(steps).all() and (steps > 0.0).all()):
        raise ValueError(f"pool_steps must be above 0, got {pool_steps!r}")
    if not len(rates) + len(steps):
        raise ValueError("pool_rates and pool_steps must not both be empty")


class Mixer(NamedTuple):
    """What is known of experts and pools.

    Attributes
    ----------
    active
        int64 array of shape (any,): numbers of the experts that have a say.
    rates
        float64 array of shape (n_linear, 2): eta and discount of the linear pools.
    losses
        float64 array of shape (n_linear, n_experts): discounted log losses.
    steps
        float64 array of shape (n_loglinear,): steps of the gradient, for all experts together.
    exponents
        float64 array of shape (n_loglinear, n_experts).
    last
        float64 array of shape (2,): eta and discount of the mixture of the pools.
    pool_losses
        float64 array of shape (n_linear + n_loglinear,): discounted log losses of the pools.
    """

    active: np.ndarray
    rates: np.ndarray
    losses: np.ndarray
    steps: np.ndarray
    exponents: np.ndarray
    last: np.ndarray
    pool_losses: np.ndarray


def new_mixer(
    active: Sequence[int],
    n_experts: int,
    rates: Sequence[tuple[float, float]],
    steps: Sequence[float],
    last: tuple[float, float],
) -> Mixer:
    """Return a mixer that trusts all experts alike.

    Parameters
    ----------
    active
        Numbers of the experts that have a say.
    n_experts
        How many there are.
    rates
        Eta and discount of the linear pools.
    steps
        Steps of the log-linear pools.
    last
        Eta and discount of the mixture of the pools.
    """
    return Mixer(
        np.array(active, dtype=np.int64),
        np.array(rates, dtype=np.float64).reshape(-1, 2),
        np.zeros((len(rates), n_experts)),
        np.array(steps, dtype=np.float64),
        np.full((len(steps), n_experts), 1.0 / max(1, len(active))),
        np.array(last, dtype=np.float64),
        np.zeros(len(rates) + len(steps)),
    )


@kernel
def pool_experts(logs, shares, m, mixer, pools, answer):
    """Write the posteriors of the pools (P, capacity) and their mixture (capacity,).

    `logs` (E, capacity) are the experts' log posteriors, which are raised to what chance leaves;
    `shares` (E, capacity) is room for what they are without the logarithm.
    """
    active, rates, losses, steps, exponents, last, pool_losses = mixer
    floor = math.log(_LEAST / m)
    for e in active:
        for c in range(m):
            logs[e, c] = max(logs[e, c], floor)
            shares[e, c] = math.exp(logs[e, c])
    n_linear = rates.shape[0]
    for a in range(n_linear):
        least = np.inf
        for e in active:
            least = min(least, losses[a, e])
        for c in range(m):
            pools[a, c] = 0.0
        total = 0.0
        for e in active:
            weight = math.exp(-rates[a, 0] * (losses[a, e] - least))
            for c in range(m):
                pools[a, c] += weight * shares[e, c]
                total += weight * shares[e, c]
        for c in range(m):
            pools[a, c] /= total
    for a in range(steps.shape[0]):
        top = -np.inf
        for c in range(m):
            score = 0.0
            for e in active:
                score += exponents[a, e] * logs[e, c]
            pools[n_linear + a, c] = score
            top = max(top, score)
        total = 0.0
        for c in range(m):
            pools[n_linear + a, c] = math.exp(pools[n_linear + a, c] - top)
            total += pools[n_linear + a, c]
        for c in range(m):
            pools[n_linear + a, c] /= total
    least = np.inf
    for a in range(pool_losses.shape[0]):
        least = min(least, pool_losses[a])
    total = 0.0
    for c in range(m):
        answer[c] = 0.0
    for a in range(pool_losses.shape[0]):
        weight = math.exp(-last[0] * (pool_losses[a] - least))
        total += weight
        for c in range(m):
            answer[c] += weight * pools[a, c]
    for c in range(m):
        answer[c] /= total


@kernel
def learn_weights(logs, pools, label, m, mixer):
    """Learn from the label of the event that `pool_experts` was about."""
    active, rates, losses, steps, exponents, last, pool_losses = mixer
    for a in range(pool_losses.shape[0]):
        loss = -math.log(max(pools[a, label], _LEAST_OF_POOL))
        pool_losses[a] = last[1] * pool_losses[a] + loss
    for a in range(rates.shape[0]):
        for e in active:
            losses[a, e] = rates[a, 1] * losses[a, e] - logs[e, label]
    for a in range(steps.shape[0]):
        pool, step = rates.shape[0] + a, steps[a] / active.shape[0]
        for e in active:
            slope = logs[e, label]
            for c in range(m):
                slope -= pools[pool, c] * logs[e, c]
            exponents[a, e] += step * slope


def expert_weights(mixer: Mixer) -> np.ndarray:
    """Return the shares (n_experts,) that the experts have in the answer at present.

    In a log-linear pool an expert's share is that of its exponent among the positive ones; where
    there are none, all have the same.

    Parameters
    ----------
    mixer
        The mixer.
    """
    active = mixer.active
    exponents = np.maximum(mixer.exponents[:, active], 0.0)
    pools = [_softmin(eta * mixer.losses[a, active]) for a, (eta, _) in enumerate(mixer.rates)]
    pools += [
        row / row.sum() if row.any() else np.full(len(row), 1 / len(row)) for row in exponents
    ]
    shares = np.zeros(mixer.losses.shape[1] if len(mixer.losses) else mixer.exponents.shape[1])
    shares[active] = _softmin(mixer.last[0] * mixer.pool_losses) @ np.array(pools)
    return shares


def _softmin(losses: np.ndarray) -> np.ndarray:
    weights = np.exp(losses.min(initial=np.inf) - losses)
    shares: np.ndarray = weights / weights.sum()
    return shares
