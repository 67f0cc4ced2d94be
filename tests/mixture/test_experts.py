"""Which experts there are, and what they share."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_kdb.mixture.experts import (
    Chain,
    Expert,
    chains_of,
    check_experts,
    default_experts,
    expert_numbers,
    half_lives_of,
    one_bin_chains,
)

NETWORKS = st.builds(
    Expert,
    st.sampled_from(["kdb", "tan"]),
    st.integers(0, 3),
    st.integers(1, 4),
    st.sampled_from([None, 5, 9.5]),
    st.sampled_from(["quantile", "mdl"]),
)


def bins_of(one):
    return one.model, one.n_bins, one.discretizer


@st.composite
def some_experts(draw):
    others = [Expert("linear"), Expert("lag", 1), Expert("linear", 0, 1, 20), Expert("lag", 2)]
    given = draw(st.lists(NETWORKS, min_size=1, max_size=8))
    given += draw(st.lists(st.sampled_from(others), max_size=3))
    return list(
        dict.fromkeys(check_experts([expert])[0] for expert in given if expert[0] in ("kdb", "tan"))
    ) + list(dict.fromkeys(e for e in given if e[0] not in ("kdb", "tan")))


@given(some_experts())
def test_every_network_has_a_place_of_its_own_where_bins_are_told_apart(experts):
    chains, half_lives = chains_of(experts), half_lives_of(experts)
    numbers = expert_numbers(experts, chains, half_lives)
    assert numbers.shape == (len(chains), max(c.k for c in chains) + 1, len(half_lives))
    expected = {}
    for e, expert in enumerate(experts):
        if expert.model in ("kdb", "tan"):
            (b,) = [b for b, c in enumerate(chains) if bins_of(c) == bins_of(expert)]
            expected[b, expert.k, half_lives.index(expert.half_life)] = e
    found = {
        (b, q, h): e
        for b, row in enumerate(numbers.tolist())
        for q, run in enumerate(row)
        for h, e in enumerate(run)
        if e >= 0
    }
    assert found == expected


@given(some_experts())
def test_chains_are_the_deepest_of_their_bins(experts):
    chains = chains_of(experts)
    networks = [e for e in experts if e.model in ("kdb", "tan")]
    assert [bins_of(c) for c in chains] == list(dict.fromkeys(bins_of(e) for e in networks))
    for chain in chains:
        assert chain.k == max(e.k for e in networks if bins_of(e) == bins_of(chain))


@given(some_experts())
def test_without_bins_the_first_of_its_kind_stands_for_all(experts):
    chains, half_lives = one_bin_chains(chains_of(experts)), half_lives_of(experts)
    assert len({c.model for c in chains}) == len(chains)
    numbers = expert_numbers(experts, chains, half_lives)
    kinds = {}
    told_apart = len(chains) == len(chains_of(experts))
    for e, expert in enumerate(experts):
        if expert.model in ("kdb", "tan"):
            alike = expert if told_apart else expert._replace(n_bins=0, discretizer="")
            kinds.setdefault(alike, e)
    assert sorted(numbers[numbers >= 0].tolist()) == sorted(kinds.values())


def test_half_lives_rise_and_for_ever_comes_last():
    given = [("kdb", 0, 5, None), ("tan", 1, 5, 300), ("kdb", 1, 5, 20), ("linear", 0, 1, 7)]
    assert half_lives_of(check_experts(given)) == [20, 300, None]


def test_what_does_not_matter_is_left_out():
    given = [("tan", 3, 5), ("linear", 2, 9, 30), ("lag", 2, 9, 40), ("kdb",)]
    assert check_experts(given) == [
        Expert("tan", 1, 5, None),
        Expert("linear", 0, 1, 30),
        Expert("lag", 2, 1, None),
        Expert("kdb", 2, 10, None, "quantile"),
    ]


def test_the_default_ones_are_in_order():
    assert check_experts(default_experts()) == default_experts()


def test_chains_of_one_bin_are_the_deepest():
    chains = [Chain("kdb", 9, 1), Chain("kdb", 4, 3), Chain("tan", 4, 1), Chain("kdb", 2, 3)]
    assert one_bin_chains(chains) == [Chain("kdb", 4, 3), Chain("tan", 4, 1)]


@pytest.mark.parametrize(
    "experts",
    [
        [],
        [("linear",)],
        [("lag", 1), ("linear",)],
        [("kdb", 1), ("kdb", 1)],
        [("tan", 1, 5), ("tan", 0, 5)],
        [("nb", 1)],
        [("kdb", -1)],
        [("kdb", 1.0)],
        [("kdb", True)],
        [("lag", 0), ("kdb",)],
        [("kdb", 1, 0)],
        [("kdb", 1, 20_000)],
        [("kdb", 1, 5, 0)],
        [("kdb", 1, 5, 9, "entropy")],
        [("kdb", 1, 5, 0.5)],
        [("kdb", 1, 5, float("inf"))],
        [("kdb", 1, 5, float("nan"))],
        [("kdb", 1, 5, "10")],
    ],
    ids=repr,
)
def test_experts_out_of_bounds_are_refused(experts):
    with pytest.raises(ValueError, match="experts"):
        check_experts(experts)


@pytest.mark.parametrize(
    "experts",
    ["kdb", Expert(), 3, ["kdb"], [()], [("kdb", 1, 5, 9, "mdl", 9)], [["kdb", 1]]],
    ids=repr,
)
def test_what_is_no_expert_is_refused(experts):
    with pytest.raises(TypeError, match="experts"):
        check_experts(experts)
