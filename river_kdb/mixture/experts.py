"""Which experts a mixture has, and which of them share counts."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np

from river_kdb.parameters import MAX_BINS, check_choice, check_count, check_half_life

KDB, TAN, LINEAR, LAG = "kdb", "tan", "linear", "lag"
QUANTILE, MDL, UNIFORM = "quantile", "mdl", "uniform"


class Expert(NamedTuple):
    """One member of a mixture.

    Attributes
    ----------
    model
        `"kdb"`; `"tan"`; `"linear"`, softmax regression on the standardised numbers and the
        categories; or `"lag"`, the label given the `k` labels before it.
    k
        Parents of a feature besides the class, at most: 0 is naive Bayes; of `"tan"` always 1.
        For `"lag"` how many labels it looks back.
    n_bins
        Bins of a numeric feature; only networks have them.
    half_life
        Events after which an event counts half; None keeps everything.
    discretizer
        How cut points are chosen: `"quantile"`, `"mdl"` (which has `n_bins` for features with no
        more distinct values only) or `"uniform"`.

    Examples
    --------
    >>> from river_kdb.mixture.experts import Expert
    >>> print(Expert("kdb", k=2, n_bins=9, half_life=1000))
    kdb(k=2, n_bins=9, half_life=1000)
    >>> print(Expert("kdb", k=2, n_bins=1, discretizer="mdl"))
    kdb(k=2, n_bins=1, half_life=None, mdl)
    >>> print(Expert("linear"), Expert("lag", k=1))
    linear(half_life=None) lag(k=1)
    """

    model: str = KDB
    k: int = 2
    n_bins: int = 10
    half_life: float | None = None
    discretizer: str = QUANTILE

    def __str__(self) -> str:
        if self.model == LAG:
            return f"lag(k={self.k})"
        if self.model == LINEAR:
            return f"linear(half_life={self.half_life})"
        bins = "" if self.discretizer == QUANTILE else f", {self.discretizer}"
        return f"{self.model}(k={self.k}, n_bins={self.n_bins}, half_life={self.half_life}{bins})"


_BINS_AND_K = ((3, 3), (4, 3), (6, 3), (9, 2), (14, 2), (20, 1))
_K_OF_MDL = 3
_HALF_LIVES = (100, 1000, None)
_LINEAR_HALF_LIVES = (200, 2000, None)


def default_experts() -> list[Expert]:
    """Return the experts of a mixture that was given none.

    Coarse bins have deep networks, fine bins shallow ones; bins cut where the classes change have
    deep ones too. Each network is there with every half-life.

    Examples
    --------
    >>> from river_kdb.mixture.experts import default_experts
    >>> len(default_experts())
    75
    """
    bins = [*((n_bins, most, QUANTILE) for n_bins, most in _BINS_AND_K), (1, _K_OF_MDL, MDL)]
    networks = [
        Expert(KDB, k, n_bins, half_life, discretizer)
        for n_bins, most, discretizer in bins
        for k in range(most + 1)
        for half_life in _HALF_LIVES
    ]
    return networks + [Expert(LINEAR, 0, 1, half_life) for half_life in _LINEAR_HALF_LIVES]


def check_experts(experts: Any) -> list[Expert]:
    """Return experts as a list of `Expert`.

    Parameters
    ----------
    experts
        Experts, or tuples of their attributes.

    Raises
    ------
    TypeError
        If one is no tuple, or there is no collection of them.
    ValueError
        If there is no network, one occurs twice, or an attribute is out of bounds.
    """
    if isinstance(experts, (str, Expert)) or not isinstance(experts, Collection):
        raise TypeError(f"experts must be a collection of Expert, got {experts!r}")
    checked = [_check_expert(expert) for expert in experts]
    if not any(expert.model in (KDB, TAN) for expert in checked):
        raise ValueError(f"experts must have a network among them, got {experts!r}")
    for e, expert in enumerate(checked):
        if expert in checked[:e]:
            raise ValueError(f"experts: {expert} occurs twice")
    return checked


def _check_expert(given: Any) -> Expert:
    if not isinstance(given, tuple) or not 1 <= len(given) <= len(Expert._fields):
        raise TypeError(f"experts: {given!r} is no Expert")
    expert = Expert(*given)
    check_choice("experts: model", expert.model, (KDB, TAN, LINEAR, LAG))
    check_count("experts: k", expert.k, 1 if expert.model == LAG else 0)
    check_count("experts: n_bins", expert.n_bins, 1, MAX_BINS)
    check_half_life("experts: half_life", expert.half_life)
    check_choice("experts: discretizer", expert.discretizer, (QUANTILE, MDL, UNIFORM))
    if expert.model == TAN:
        return expert._replace(k=1)
    if expert.model == LINEAR:
        return Expert(LINEAR, 0, 1, expert.half_life)
    if expert.model == LAG:
        return Expert(LAG, expert.k, 1, None)
    return expert


class Chain(NamedTuple):
    """Networks over the same bins whose parents extend each other: k = 0, 1, 2, ...

    Attributes
    ----------
    model
        `"kdb"` or `"tan"`.
    n_bins
        Bins of a numeric feature.
    k
        The largest k.
    discretizer
        How cut points are chosen.
    """

    model: str
    n_bins: int
    k: int
    discretizer: str = QUANTILE


def chains_of(experts: Sequence[Expert]) -> list[Chain]:
    """Return the chains that experts need, in the order in which they first occur.

    Parameters
    ----------
    experts
        The experts.

    Examples
    --------
    >>> from river_kdb.mixture.experts import Expert, chains_of
    >>> chains = chains_of([Expert("kdb", 1, 5), Expert("kdb", 0, 9), Expert("kdb", 2, 5, 100)])
    >>> [(chain.n_bins, chain.k) for chain in chains]
    [(5, 2), (9, 0)]
    """
    deepest: dict[tuple[str, int, str], int] = {}
    for expert in experts:
        if expert.model in (KDB, TAN):
            key = expert.model, expert.n_bins, expert.discretizer
            deepest[key] = max(expert.k, deepest.get(key, 0))
    return [Chain(model, n_bins, k, cuts) for (model, n_bins, cuts), k in deepest.items()]


def one_bin_chains(chains: Sequence[Chain]) -> list[Chain]:
    """Return the chains that differ where no feature has bins: the deepest of each model.

    Parameters
    ----------
    chains
        The chains.
    """
    best: dict[str, Chain] = {}
    for chain in chains:
        if chain.model not in best or chain.k > best[chain.model].k:
            best[chain.model] = chain
    return list(best.values())


def half_lives_of(experts: Sequence[Expert]) -> list[float | None]:
    """Return the half-lives that the networks among experts have, the shortest first.

    Parameters
    ----------
    experts
        The experts.
    """
    found = {expert.half_life for expert in experts if expert.model in (KDB, TAN)}
    return sorted(found, key=lambda half_life: float("inf") if half_life is None else half_life)


def expert_numbers(
    experts: Sequence[Expert], chains: Sequence[Chain], half_lives: Sequence[float | None]
) -> np.ndarray:
    """Return which expert is the network of a chain with so many parents and a half-life.

    Parameters
    ----------
    experts
        The experts.
    chains
        Chains; where they don't tell bins apart, the first expert with the same k stands for all.
    half_lives
        Half-lives.

    Returns
    -------
    int64 array of shape (n_chains, k + 1, n_half_lives), -1 where there is none.
    """
    depth = max((chain.k for chain in chains), default=0) + 1
    numbers_of = np.full((len(chains), depth, len(half_lives)), -1, dtype=np.int64)
    networks = [expert for expert in experts if expert.model in (KDB, TAN)]
    apart = {_bins(expert) for expert in networks} <= {_bins(chain) for chain in chains}
    for e, expert in enumerate(experts):
        for b, chain in enumerate(chains):
            same_bins = _bins(chain) == _bins(expert) or not apart
            if chain.model == expert.model and same_bins:
                h = half_lives.index(expert.half_life)
                if numbers_of[b, expert.k, h] < 0:
                    numbers_of[b, expert.k, h] = e
    return numbers_of


def _bins(one: Expert | Chain) -> tuple[str, int, str]:
    return one.model, one.n_bins, one.discretizer
