"""Whether what a mixture has learned is sound."""

from __future__ import annotations

from typing import Any

import numpy as np

from river_kdb.counts.families import CHILD, Families
from river_kdb.counts.layout import class_room
from river_kdb.mixture.codings import stacked
from river_kdb.mixture.experts import (
    KDB,
    LAG,
    Expert,
    chains_of,
    expert_numbers,
    one_bin_chains,
)
from river_kdb.mixture.learner import MixtureLearner
from river_kdb.mixture.linear import slot_starts
from river_kdb.persist.checks.coding import check_coder, check_tables
from river_kdb.persist.checks.growing import check_cells, check_growing
from river_kdb.persist.checks.require import (
    require,
    require_array,
    require_counts,
    require_equal,
    require_within,
)
from river_kdb.persist.checks.store import check_clock, check_layout
from river_kdb.persist.checks.structure import check_families

_MOST_EXPERTS = 2**13


def check_size(model: Any) -> None:
    """Raise unless a new mixture with the same parameters is about as large as what was read.

    Parameters
    ----------
    model
        The mixture.

    Raises
    ------
    ValueError, TypeError
        If it is larger, or the parameters are none.
    """
    learner = model._learner
    numbers, recent = learner.numbers, learner.lags.recent
    require(len(learner.experts) <= _MOST_EXPERTS, "too many experts")
    require(model.label_lags <= len(learner.experts), "lags that are no experts")
    for given in model.experts or ():
        expert = Expert(*given)
        if expert.model in (KDB, LAG):
            require(expert.k <= numbers.shape[1] + len(recent), "an expert looks too far")
    pools = len(model.pool_rates) * len(learner.experts)
    require(pools == learner.mixer.losses.size, "pools that are none")
    pools = len(model.pool_steps) * len(learner.experts)
    require(pools == learner.mixer.exponents.size, "pools that are none")


def check_mixture(learner: MixtureLearner, fresh: MixtureLearner) -> None:
    """Raise unless what a mixture has learned is sound.

    Parameters
    ----------
    learner
        What it has learned.
    fresh
        The same of a new mixture with the same parameters.

    Raises
    ------
    ValueError, TypeError
        If it is not.
    """
    store, n, m = learner.store, len(learner.encoder.names), len(learner.labels)
    check_growing(learner, store.n_events)
    require(store.n_features == n, "features are not those of the counts")
    _check_chains(learner)
    check_layout(store.layout, len(learner.chains) * n, m, max(1, store.n_half_lives))
    _check_codings(learner, n)
    _check_past(learner, n, m)
    _check_banks(learner, n, fresh.store.banks.clocks)
    _check_linear(learner, n, fresh)
    _check_lags(learner, m, fresh)
    _check_mixer(learner, fresh)


def _check_chains(learner: MixtureLearner) -> None:
    every = chains_of(learner.experts)
    require(learner.chains in (every, one_bin_chains(every)), "chains are not those of the experts")
    numbers = expert_numbers(learner.experts, learner.chains, learner.half_lives)
    require_equal("numbers of experts", learner.numbers, numbers)


def _check_codings(learner: MixtureLearner, n: int) -> None:
    codings, caps = learner.codings, learner.store.layout.caps
    settings = learner.settings
    require(codings.chains == learner.chains, "codings of other chains")
    require(type(codings.coders) is list, "coders are none")
    require(len(codings.coders) == len(learner.chains), "coders: not one for each chain")
    for b, coder in enumerate(codings.coders):
        fixed = coder.max_categories, coder.skip_missing
        require(fixed == (settings.max_categories, settings.skip_missing), "coders are others")
        check_coder(coder, learner.encoder.next_ids, caps[b * n : (b + 1) * n])
    expected = stacked([coder.tables for coder in codings.coders])
    check_tables(codings.tables, codings.n_slots)
    require_equal("code tables", codings.tables.spec, expected.spec)


def _check_past(learner: MixtureLearner, n: int, m: int) -> None:
    past, capacity = learner.store.past, np.size(learner.store.past.labels)
    require(1 <= capacity <= learner.store.window_size, "the window is too large, or empty")
    require_array("window", past.raw, np.float64, (n, capacity))
    require_array("labels", past.labels, np.int32, (capacity,))
    require_counts("weights", past.weights, (capacity,))
    require_within("labels", past.labels, 0, max(0, m - 1))
    check_cells(past.raw, learner.encoder)


def _check_banks(learner: MixtureLearner, n: int, clocks: np.ndarray) -> None:
    store = learner.store
    banks, parents, columns = store.banks, store.parents, store.layout.class_capacity
    n_chained = len(store.layout.caps)
    require(store.keys[:n_chained] == [(v, ()) for v in range(n_chained)], "families are missing")
    check_families(Families(banks.spec, banks.cells), store.keys, store.layout)
    depths = np.array([chain.k for chain in learner.chains], dtype=np.int64)
    require_equal("depths of chains", banks.depths, depths)
    depth = int(depths.max(initial=0)) if n_chained else np.shape(parents)[-1]
    require_array("parents", parents, np.int16, (n_chained, depth))
    require_within("parents", parents, -1, n_chained - 1)
    chain = np.arange(n_chained) // max(1, n)
    own = (parents < 0) | (parents // max(1, n) == chain[:, None])
    require(own.all(), "a parent is in another chain")
    _check_levels(learner, n_chained, depth)
    require_array("slots in use", banks.used, np.int64, (n_chained,))
    require_within("slots in use", banks.used, 0, store.layout.caps)
    require_counts("classes", banks.classes, (columns,))
    require_array("clocks", banks.clocks, np.float64, clocks.shape)
    for clock, expected in zip(banks.clocks, clocks, strict=True):
        check_clock(clock, expected, store.n_events)


def _check_levels(learner: MixtureLearner, n_chained: int, depth: int) -> None:
    banks = learner.store.banks
    require_array("levels", banks.levels, np.int32, (n_chained, depth + 1))
    require((banks.levels[:, 0] == np.arange(n_chained)).all(), "levels without a beginning")
    require_within("levels", banks.levels, -1, len(banks.spec) - 1)
    child, place = np.nonzero(banks.levels >= 0)
    own = banks.spec[banks.levels[child, place], CHILD] == child
    require(own.all(), "a level is the family of another feature")


def _check_linear(learner: MixtureLearner, n: int, fresh: MixtureLearner) -> None:
    linear, room = learner.linear, learner.store.class_capacity
    start = slot_starts(learner.store.layout.caps[:n])
    require_equal("numbers of regressions", linear.numbers, fresh.linear.numbers)
    require_equal("memory of regressions", linear.keeps, fresh.linear.keeps)
    require_equal("start of levels", linear.start, start)
    n_linear, rows = len(linear.numbers), int(start[-1]) + 1
    require_array("moments", linear.moments, np.float64, (3, n))
    for table in (linear.slopes, linear.slope_squares):
        require_array("slopes", table, np.float64, (n_linear, n, room))
    for table in (linear.levels, linear.level_squares):
        require_array("levels", table, np.float64, (n_linear, rows, room))


def _check_lags(learner: MixtureLearner, m: int, fresh: MixtureLearner) -> None:
    lags, room = learner.lags, learner.store.class_capacity
    require_equal("numbers of lags", lags.numbers, fresh.lags.numbers)
    require_equal("orders of lags", lags.orders, fresh.lags.orders)
    require_array("latest labels", lags.recent, np.int64, fresh.lags.recent.shape)
    require_within("latest labels", lags.recent, -1, m - 1)
    require(room == class_room(room), "room for classes is odd")
    require_counts("counts of lags", lags.counts, (*fresh.lags.counts.shape[:2], room))


def _check_mixer(learner: MixtureLearner, fresh: MixtureLearner) -> None:
    mixer, new = learner.mixer, fresh.mixer
    networks = learner.numbers[learner.numbers >= 0].tolist()
    others = [*new_numbers(fresh)]
    expected = np.array(sorted(networks + others), dtype=np.int64)
    require_equal("experts with a say", mixer.active, expected)
    for key in ("rates", "steps", "last"):
        require_equal(key, getattr(mixer, key), getattr(new, key))
    for key in ("losses", "exponents", "pool_losses"):
        require_array(key, getattr(mixer, key), np.float64, getattr(new, key).shape)


def new_numbers(fresh: MixtureLearner) -> list[int]:
    """Return the numbers of the experts that are no networks.

    Parameters
    ----------
    fresh
        What a new mixture has learned.
    """
    return [*fresh.linear.numbers.tolist(), *fresh.lags.numbers.tolist()]
