"""Parents of every chain, against structures learned by counting in dicts."""

from __future__ import annotations

import numpy as np
import pytest

from river_kdb.counts.layout import Layout
from river_kdb.counts.pairs import pairs_bytes
from river_kdb.mixture.experts import Chain
from river_kdb.mixture.relations import chained_parents
from tests import naive

CHAINS = [Chain("kdb", 3, 2), Chain("tan", 4, 1), Chain("kdb", 5, 0), Chain("kdb", 4, 3)]


def sample(seed, n, n_events, n_slots):
    """Codes (n, b) that lean on the class and on each other, with gaps; labels and weights."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, n_events).astype(np.int32)
    codes = rng.integers(0, n_slots, (n, n_events)).astype(np.int16)
    for i in range(n):
        lean = rng.random(n_events) < 0.3 + 0.1 * (i % 3)
        codes[i, lean] = ((labels if i < 2 else labels + codes[i - 1]) % n_slots)[lean]
    codes[n - 1, rng.random(n_events) < 0.1] = 0
    return codes, labels, rng.uniform(0.5, 2.0, n_events)


def arcs_of_oracle(kind, k, codes, labels, weights):
    rows = [{i: int(code) for i, code in enumerate(event)} for event in codes.T]
    oracle = naive.NaiveBN(kind, k=k).fit(rows, labels.tolist(), weights.tolist())
    return {child: list(above) for child, above in oracle.parents().items()}


@pytest.mark.parametrize("seed", range(4))
def test_every_chain_has_the_parents_of_its_own_bins(seed):
    n, n_slots = 5, [3, 4, 2, 4]
    samples = [sample(seed, n, 150, s) for s in n_slots]
    labels, weights = samples[0][1:]
    codes = np.concatenate([part[0] for part in samples])
    slots = np.repeat(n_slots, n)
    parents = chained_parents(CHAINS, slots, codes, labels, weights, 1e9)
    assert parents.shape == (4 * n, 3)
    for b, (model, _, k, _) in enumerate(CHAINS):
        own = parents[b * n : (b + 1) * n].tolist()
        expected = arcs_of_oracle(model, k, codes[b * n : (b + 1) * n], labels, weights)
        for i in range(n):
            assert [p - b * n for p in own[i] if p >= 0] == expected.get(i, [])


def test_one_feature_has_no_parents():
    codes, labels, weights = sample(1, 1, 20, 3)
    parents = chained_parents([CHAINS[0]], np.array([3]), codes, labels, weights, 1e9)
    assert parents.tolist() == [[-1, -1]]


def test_no_events_and_no_chains():
    none = np.zeros(0, dtype=np.int32)
    empty = np.zeros((2, 0), dtype=np.int16)
    parents = chained_parents([CHAINS[0]], np.array([1, 1]), empty, none, np.zeros(0), 1e9)
    assert parents.shape == (2, 2)
    assert chained_parents([], np.zeros(0), empty[:0], none, np.zeros(0), 1e9).shape == (0, 0)


def test_short_memory_leaves_the_features_that_say_least_without_parents():
    codes, labels, weights = sample(2, 6, 200, 4)
    room = pairs_bytes(Layout(np.full(6, 4), 4), np.arange(3))
    parents = chained_parents([CHAINS[0]], np.full(6, 4), codes, labels, weights, room)
    touched = {i for i in range(6) if parents[i, 0] >= 0} | set(parents[parents >= 0].tolist())
    assert len(touched) == 3
