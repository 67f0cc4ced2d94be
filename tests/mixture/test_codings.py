"""Coders side by side: every chain codes as its coder alone would."""

from __future__ import annotations

import numpy as np
import pytest

from river_kdb.features.boxes import MISSING, UNSEEN, box, unbox_array
from river_kdb.features.coder import Coder, code_block
from river_kdb.features.discretize import cut_points
from river_kdb.features.encoder import CATEGORICAL, NUMERIC
from river_kdb.mixture.codings import Codings
from river_kdb.mixture.experts import Chain

CHAINS = [Chain("kdb", 4, 1), Chain("tan", 9, 1), Chain("kdb", 2, 0)]
KINDS = [NUMERIC, CATEGORICAL, NUMERIC]


def rows(n_rows, seed=0):
    """A number, a category, and a number that is now and then missing or a word."""
    rng = np.random.default_rng(seed)
    raw = rng.normal(size=(3, n_rows))
    raw[1] = [box(int(i)) for i in rng.integers(0, 5, n_rows)]
    raw[2, ::7], raw[2, 3::7] = MISSING, box(0)
    return raw


def fitted(max_categories=32, skip_missing=False, n_rows=100):
    codings = Codings(CHAINS, max_categories, skip_missing, 3)
    labels, weights = np.zeros(n_rows, dtype=np.int32), np.ones(n_rows)
    codings.refit(rows(n_rows), labels, weights, KINDS)
    return codings


@pytest.mark.parametrize("skip_missing", [False, True])
@pytest.mark.parametrize("max_categories", [2, 32])
def test_every_chain_codes_as_its_coder_alone(max_categories, skip_missing):
    codings = fitted(max_categories, skip_missing)
    raw = np.concatenate([rows(40, seed=1), np.full((3, 2), UNSEEN)], axis=1)
    alone = []
    for chain in CHAINS:
        coder = Coder(max_categories, skip_missing)
        coder.insert(np.arange(3))
        discretizer = ("quantile", chain.n_bins)
        coder.refit(rows(100), np.zeros(100, dtype=np.int32), np.ones(100), KINDS, discretizer)
        alone.append(coder.code(raw))
    assert codings.code(raw).tolist() == np.concatenate(alone).tolist()
    n_bins = [codings.n_slots[0], codings.n_slots[3], codings.n_slots[6]]
    assert n_bins == [4, 9, 2]


@pytest.mark.kernel
def test_the_tables_of_all_code_as_the_chains_do():
    codings = fitted()
    raw = rows(30, seed=2)
    codes = np.empty((9, 30), dtype=np.int16)
    assert not code_block(np.ascontiguousarray(np.tile(raw, (3, 1))), codings.tables, codes)
    assert codes.tolist() == codings.code(raw).tolist()


def test_a_new_feature_takes_its_place_in_every_chain():
    codings = fitted()
    raw = rows(20, seed=3)
    before = codings.code(raw).reshape(3, 3, 20)
    slots = codings.insert(np.array([1]), missing_so_far=True)
    assert slots.tolist() == [[0], [0], [0]]
    wider = np.insert(raw, 1, MISSING, axis=0)
    after = codings.code(wider).reshape(3, 4, 20)
    assert after[:, [0, 2, 3]].tolist() == before.tolist()
    assert not after[:, 1].any()
    assert fitted(skip_missing=True).insert(np.array([0, 4]), True).max() < 0


def test_slots_are_opened_in_every_chain():
    codings = Codings(CHAINS, 2, False, 3)
    raw = rows(50)
    codings.open_slots(raw, KINDS)
    assert codings.code(raw).min() >= 0
    assert codings.n_slots.tolist() == [1, 3, 3] * 3  # two categories and OTHER; bin, word, gap


def test_slots_that_are_no_bins_by_what_they_are():
    codings = fitted(max_categories=2)
    number, category, both = codings.own_slots()
    assert number == {}
    assert set(both) == {0, "missing"}
    assert len(category) == 3
    assert "other" in category
    raw = rows(100)
    codes = codings.code(raw)
    for what, code in zip(unbox_array(raw)[1].tolist(), codes[1], strict=True):
        assert code == category.get(what, category["other"])
    assert set(codes[2, ::7].tolist()) == {both["missing"]}


def test_without_features_there_is_nothing_to_code():
    assert Codings(CHAINS, 32, False, 0).code(np.empty((0, 3))).shape == (0, 3)


def test_every_chain_cuts_its_own_way():
    rng = np.random.default_rng(4)
    raw = rng.normal(size=(1, 300))
    labels = (raw[0] > 0.7).astype(np.int64)
    chains = [Chain("kdb", 4, 1), Chain("kdb", 1, 1, "mdl"), Chain("kdb", 4, 1, "uniform")]
    codings = Codings(chains, 5, False, 1)
    codings.refit(raw, labels, np.ones(300), [NUMERIC])
    for chain, coder in zip(chains, codings.coders, strict=True):
        method = chain.discretizer
        cuts = cut_points(raw[0], labels, np.ones(300), method=method, n_bins=chain.n_bins)
        assert coder.cuts[0].tolist() == cuts.tolist()
    assert [len(coder.cuts[0]) for coder in codings.coders] == [3, 1, 3]
