"""Networks of one event for each class, as the multinets of CSB and the bags of BKDB have."""

from __future__ import annotations

import math

import numpy as np

from river_kdb.counts.clock import UNIT
from river_kdb.counts.evidence import gather_evidence
from river_kdb.inference.event_network import (
    base_log_joint,
    event_order,
    family_counts,
    network_posterior,
)
from river_kdb.information.of_event import local_information, local_likelihood
from river_kdb.jit import block_kernel, kernel
from river_kdb.structure.kdb import TIE, kdb_parents

INFORMATION, LIKELIHOOD = range(2)
"""What ranks values and arcs: the terms of the mutual information, or the likelihood."""


@kernel
def class_parents(by, k, redundancy, evidence):
    """Return the parents (m, n, k) in the network that an event has for each class."""
    n, m = evidence.alone.shape
    if by == INFORMATION:
        single, pair = local_information(evidence, m)
    else:
        single, pair = local_likelihood(evidence, m)
    parents = np.empty((m, n, k), dtype=np.int64)
    for c in range(m):
        order = event_order(single[c], evidence.seen)
        of_class = kdb_parents(order, pair[c], k)
        if redundancy < 1.0:
            drop_redundant(order, of_class, c, redundancy, evidence)
        for a in range(n):
            for q in range(k):
                parents[c, a, q] = of_class[a, q]
    return parents


@kernel
def log_likelihood_in_class(a, parents, c, evidence, context, both):
    """Return ln (N(x, parents, c) + 1) / (N(parents, c) + 1): the event is counted once more.

    A parent whose value was never learned ends the list.
    """
    q = 0
    while q < parents.shape[0] and parents[q] >= 0 and evidence.seen[parents[q]]:
        q += 1
    family_counts(evidence, a, parents, q, context, both)
    unit = evidence.clock[UNIT]
    return math.log((both[c] + unit) / (context[c] + unit))


@kernel
def drop_redundant(order, parents, c, redundancy, evidence):
    """Take the parents from the values at the end of the order that add little surprise.

    Once the surprise of the values before has reached the share `redundancy` of the whole, the
    rest lose their parents.
    """
    m = evidence.alone.shape[1]
    context, both = np.empty(m), np.empty(m)
    surprise = np.empty(order.shape[0])
    total = 0.0
    for place in range(order.shape[0]):
        a = order[place]
        surprise[place] = -log_likelihood_in_class(a, parents[a], c, evidence, context, both)
        total += surprise[place]
    so_far = 0.0
    for place in range(order.shape[0]):
        if so_far >= redundancy * total - TIE:
            for q in range(parents.shape[1]):
                parents[order[place], q] = -1
        so_far += surprise[place]


@block_kernel
def class_networks_block(codes, m, counts, wanted, by, k, redundancy):
    """Return the sum of the posteriors (b, m) under the networks of the `wanted` classes (b, m).

    Every network gives a posterior of all classes.
    """
    out = np.zeros((codes.shape[1], m))
    for r in range(codes.shape[1]):
        evidence = gather_evidence(codes, r, m, counts)
        base = base_log_joint(codes, r, m, counts)
        parents = class_parents(by, k, redundancy, evidence)
        for net in range(m):
            if wanted[r, net]:
                out[r] += network_posterior(parents[net], base, evidence, counts.smoothing)
    return out


@kernel
def literal_log_likelihood(parents, c, evidence):
    """Return ln P(x | c) under one network, every count raised by one."""
    n, m = evidence.alone.shape
    context, both = np.empty(m), np.empty(m)
    total = 0.0
    for a in range(n):
        if evidence.seen[a]:
            total += log_likelihood_in_class(a, parents[a], c, evidence, context, both)
    return total


@block_kernel
def literal_block(codes, m, counts, learned, of_event, k, redundancy):
    """Return the log joints (b, m) where the networks of a class give its own likelihood only.

    `learned` (any, n, k) has the parents in the learned network of every class, or nothing;
    `of_event` says whether the event's own network has its half of the likelihood too.
    """
    out = np.empty((codes.shape[1], m))
    for r in range(codes.shape[1]):
        evidence = gather_evidence(codes, r, m, counts)
        base = base_log_joint(codes, r, m, counts)
        own = learned
        if of_event:
            own = class_parents(np.int64(LIKELIHOOD), k, redundancy, evidence)
        for c in range(m):
            top, share = -np.inf, 0.0
            if learned.shape[0]:
                top = literal_log_likelihood(learned[c], c, evidence)
                share = 1.0
            if of_event:
                local = literal_log_likelihood(own[c], c, evidence)
                higher = max(top, local)
                share = share * math.exp(top - higher) + math.exp(local - higher)
                top = higher
            out[r, c] = base[c] + top + math.log(share)
    return out
