"""The kernels that every event of a mixture goes through: one to predict, one to learn.

They take bare arrays: the same in tuples cost a call from Python five times as much.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from river_kdb.counts.families import context_rows
from river_kdb.features.coder import CodeTables, code_block
from river_kdb.jit import block_kernel, kernel
from river_kdb.mixture.banks import Banks, add_event
from river_kdb.mixture.lags import Lags, learn_label, write_lag_posteriors
from river_kdb.mixture.linear import (
    Linear,
    learn_linear,
    learn_moments,
    write_linear_posteriors,
)
from river_kdb.mixture.mixing import Mixer, learn_weights, pool_experts
from river_kdb.mixture.networks import write_log_posteriors


class Parts(NamedTuple):
    """All that a mixture has learned, as the kernels take it.

    Attributes
    ----------
    tables
        The bins and slots of every feature, chain by chain.
    banks
        Counts of the networks.
    numbers
        int64 array of shape (n_chains, k + 1, n_half_lives): numbers of the experts.
    linear, lags, mixer
        The other experts, and what is known of all of them.
    strength
        Smoothing s.
    """

    tables: CodeTables
    banks: Banks
    numbers: np.ndarray
    linear: Linear
    lags: Lags
    mixer: Mixer
    strength: float


def bare_arrays(parts: Parts) -> tuple[Any, ...]:
    """Return what the kernels of an event take of the parts, in their order.

    Parameters
    ----------
    parts
        All that a mixture has learned.
    """
    return (
        *parts.tables,
        *parts.banks,
        parts.numbers,
        *parts.linear,
        *parts.lags,
        *parts.mixer,
        parts.strength,
    )


class Answer(NamedTuple):
    """What the mixture makes of one event; room that is used again for the next.

    Attributes
    ----------
    codes
        int16 array of shape (n_chains * n_features, 1).
    rows
        int64 array of shape (n_families, 1): contexts.
    standard
        float64 array of shape (n_features,): numbers, standardised.
    logs, shares
        float64 arrays of shape (n_experts, class capacity): the experts' (log) posteriors.
    pools
        float64 array of shape (n_pools, class capacity).
    posterior
        float64 array of shape (class capacity,).
    """

    codes: np.ndarray
    rows: np.ndarray
    standard: np.ndarray
    logs: np.ndarray
    shares: np.ndarray
    pools: np.ndarray
    posterior: np.ndarray


def new_answer(parts: Parts, n_experts: int, class_capacity: int) -> Answer:
    """Return room for an answer.

    Parameters
    ----------
    parts
        What the mixture has learned.
    n_experts
        How many experts there are.
    class_capacity
        Room for classes.
    """
    return Answer(
        np.empty((len(parts.tables.spec), 1), dtype=np.int16),
        np.empty((len(parts.banks.spec), 1), dtype=np.int64),
        np.empty(parts.linear.moments.shape[1]),
        np.zeros((n_experts, class_capacity)),
        np.zeros((n_experts, class_capacity)),
        np.zeros((len(parts.mixer.pool_losses), class_capacity)),
        np.zeros(class_capacity),
    )


@kernel
def code_chains(row, tables, codes):
    """Write the codes (V, 1) of a raw row (n,) in every chain.

    Returns whether any value has no slot yet.
    """
    n_chained = codes.shape[0]
    tiled = np.empty((n_chained, 1))
    for v in range(n_chained):
        tiled[v, 0] = row[v % row.shape[0]]
    return code_block(tiled, tables, codes)


@kernel
def predict_mixture(
    row, m,
    code_spec, cuts, slots,
    spec, cells, levels, depths, used, classes, clocks,
    numbers,
    linear_numbers, keeps, moments, slopes, slope_squares, start, slot_levels, level_squares,
    lag_numbers, orders, recent, followers,
    active, rates, losses, steps, exponents, last, pool_losses,
    strength,
    codes, rows, standard, logs, shares, pools, posterior,
):  # fmt: skip
    """Write all that follows from a raw row (n,) to an answer; the first `m` classes are known.

    The arrays are those of `Parts` and of `Answer`. Returns whether any value has no slot yet.
    """
    banks = Banks(spec, cells, levels, depths, used, classes, clocks)
    linear = Linear(
        linear_numbers, keeps, moments, slopes, slope_squares, start, slot_levels, level_squares
    )
    lags = Lags(lag_numbers, orders, recent, followers)
    mixer = Mixer(active, rates, losses, steps, exponents, last, pool_losses)
    unopened = code_chains(row, CodeTables(code_spec, cuts, slots), codes)
    found = context_rows(codes, spec)
    for f in range(rows.shape[0]):
        rows[f, 0] = found[f, 0]
    if m > 0:
        write_log_posteriors(codes, rows, m, banks, numbers, strength, logs)
        write_linear_posteriors(row, standard, codes, m, linear, logs)
        write_lag_posteriors(lags, m, logs)
        pool_experts(logs, shares, m, mixer, pools, posterior)
    return unopened


@kernel
def learn_mixture(
    row, label, weight, t, m, known,
    code_spec, cuts, slots,
    spec, cells, levels, depths, used, classes, clocks,
    numbers,
    linear_numbers, keeps, moments, slopes, slope_squares, start, slot_levels, level_squares,
    lag_numbers, orders, recent, followers,
    active, rates, losses, steps, exponents, last, pool_losses,
    strength,
    codes, rows, standard, logs, shares, pools, posterior,
    raw, labels, weights,
):  # fmt: skip
    """Learn event number `t`, which `predict_mixture` has answered.

    The arrays are those of `Parts`, `Answer` and `Past`. Every value has a slot. Before the event
    only `known` of the `m` classes were known.
    """
    banks = Banks(spec, cells, levels, depths, used, classes, clocks)
    linear = Linear(
        linear_numbers, keeps, moments, slopes, slope_squares, start, slot_levels, level_squares
    )
    if label < known:
        mixer = Mixer(active, rates, losses, steps, exponents, last, pool_losses)
        learn_weights(logs, pools, label, known, mixer)
    learn_linear(row, standard, codes, logs, label, m, linear)
    learn_moments(row, moments)
    learn_label(Lags(lag_numbers, orders, recent, followers), label, weight)
    add_event(codes, rows, label, weight, t, banks)
    place = t % labels.shape[0]
    labels[place], weights[place] = label, weight
    for i in range(row.shape[0]):
        raw[i, place] = row[i]


@block_kernel
def predict_rows(raw, m, arrays):
    """Return the posteriors (b, m) of the rows of `raw` (n, b).

    The arrays are those of `Parts`, and behind them those of an `Answer`.
    """
    row = np.empty(raw.shape[0])
    out = np.empty((raw.shape[1], m))
    posterior = arrays[-1]
    for r in range(raw.shape[1]):
        for i in range(raw.shape[0]):
            row[i] = raw[i, r]
        predict_mixture(row, m, *arrays)
        for c in range(m):
            out[r, c] = posterior[c]
    return out
