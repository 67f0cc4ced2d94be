"""Target learning: the posterior under a network learned for each event."""

from __future__ import annotations

import numpy as np

from river_kdb.counts.evidence import gather_evidence
from river_kdb.inference.choice import EXPECTED, choose_parents, weights_counted
from river_kdb.inference.event_network import (
    base_log_joint,
    event_order,
    event_tree,
    network_posterior,
)
from river_kdb.information.of_event import local_information
from river_kdb.jit import ONE, block_kernel, kernel
from river_kdb.structure.kdb import kdb_parents


@kernel
def strongest_parents(evidence, k):
    """Return the parents (n, k) by local mutual information, the strongest first."""
    single, pair = local_information(evidence, ONE)
    return kdb_parents(event_order(single[0], evidence.seen), pair[0], k)


@kernel
def tree_parents(evidence):
    """Return the parents (n, 1) in the tree of the local mutual information."""
    single, pair = local_information(evidence, ONE)
    return event_tree(single[0], pair[0], evidence.seen)


@kernel
def posterior_of(parents, codes, r, m, evidence, counts):
    """Return the posterior (m,) of event `r` under the network with `parents` (n, k)."""
    base = base_log_joint(codes, r, m, counts)
    return network_posterior(parents, base, evidence, counts.smoothing)


@block_kernel
def strongest_block(codes, m, counts, k):
    """Return the posteriors (b, m), each under a k-dependence network of its own."""
    out = np.empty((codes.shape[1], m))
    for r in range(codes.shape[1]):
        evidence = gather_evidence(codes, r, m, counts)
        parents = strongest_parents(evidence, k)
        out[r] = posterior_of(parents, codes, r, m, evidence, counts)
    return out


@block_kernel
def tree_block(codes, m, counts):
    """Return the posteriors (b, m), each under a tree of its own."""
    out = np.empty((codes.shape[1], m))
    for r in range(codes.shape[1]):
        evidence = gather_evidence(codes, r, m, counts)
        parents = tree_parents(evidence)
        out[r] = posterior_of(parents, codes, r, m, evidence, counts)
    return out


@kernel
def chosen_posterior(candidates, codes, r, m, evidence, counts, choice, totals):
    """Return the posterior (m,) of event `r` where its values choose among candidates (n, any)."""
    parents = choose_parents(candidates, choice, evidence, totals)
    return posterior_of(parents, codes, r, m, evidence, counts)


@kernel
def totals_for(choice, counts, m):
    """Return the totals that a choice asks for: most don't, and it goes through the window."""
    return weights_counted(counts, m) if choice.criterion == EXPECTED else (1.0, 1.0)


@block_kernel
def chosen_block(codes, m, counts, learned, choice):
    """Return the posteriors (b, m) where every event chooses its parents among candidates.

    `learned` (n, any) has the candidates of every feature, the strongest first; where it is empty
    each event has its own, by local mutual information. The features are numbered as those that
    keep pairs.
    """
    out, totals = np.empty((codes.shape[1], m)), totals_for(choice, counts, m)
    candidates = learned
    for r in range(codes.shape[1]):
        evidence = gather_evidence(codes, r, m, counts)
        if learned.shape[0] == 0:
            candidates = strongest_parents(evidence, choice.n_candidates)
        out[r] = chosen_posterior(candidates, codes, r, m, evidence, counts, choice, totals)
    return out


@block_kernel
def twice_chosen_block(codes, m, counts, learned, choice):
    """Return the means (b, m) of the two posteriors that `chosen_block` has for every event.

    One is that with the candidates `learned`, the other that with the event's own.
    """
    out, totals = np.empty((codes.shape[1], m)), totals_for(choice, counts, m)
    for r in range(codes.shape[1]):
        evidence = gather_evidence(codes, r, m, counts)
        own = strongest_parents(evidence, choice.n_candidates)
        first = chosen_posterior(learned, codes, r, m, evidence, counts, choice, totals)
        second = chosen_posterior(own, codes, r, m, evidence, counts, choice, totals)
        for c in range(m):
            out[r, c] = (first[c] + second[c]) / 2.0
    return out
