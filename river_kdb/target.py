"""What the models share that learn a network for each event."""

from __future__ import annotations

import abc
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from river_kdb.base import BNClassifier
from river_kdb.counts.event_sets import together_in_window
from river_kdb.counts.evidence import Evidence, gather_evidence, present_together
from river_kdb.counts.pairs import Pairs
from river_kdb.explain.debug import left_out
from river_kdb.explain.networks import EventNetwork, event_network
from river_kdb.inference.event_network import (
    Counts,
    base_log_joint,
    event_order,
    network_posterior,
)
from river_kdb.information import conditional_information_matrix
from river_kdb.information.of_event import LOGARITHMS
from river_kdb.slices import LEAST_ROWS, bounds_of

_POSTERIORS_AT_ONCE = 2**18

Network = tuple[str, np.ndarray, np.ndarray, np.ndarray, np.ndarray | None]
"""Title, parents (n, k), measures (n,) and (n, n), and the posterior (m,) of a network.

The features are numbered as in the evidence. The posterior is None where it follows from the
parents, and empty where the network has none of its own."""


class TargetClassifier(BNClassifier, abc.ABC):
    """What the models share that learn a network for each event they are asked about.

    The counts of pairs, and the window as sets of events, are up to date at any time. Before the
    first structure is learned the answer is naive Bayes'.
    """

    @property
    def _at_once(self) -> bool:
        return True

    @property
    def _ready(self) -> bool:
        store = self._learner.store
        if not self._learner.has_structure or not store.n_events:
            return False
        return store.pairs is not None and len(store.pairs.members) > 0

    @property
    def _rows_worth_a_thread(self) -> int:
        return LEAST_ROWS

    @abc.abstractmethod
    def _event_posteriors(self, codes: np.ndarray, counts: Counts) -> np.ndarray:
        """Return the posteriors (b, m) of a block of codes (n, b)."""

    @abc.abstractmethod
    def _event_networks(
        self, evidence: Evidence, counts: Counts, codes: np.ndarray
    ) -> list[Network]:
        """Return the networks that are asked about an event, whose codes are a block of one."""

    def _learned_parents(self) -> np.ndarray:
        """Return the parents (T, n, k) of the members, numbered as in the evidence."""
        learner = self._learner
        assert learner.store.pairs is not None
        return self._numbered(learner.structure.parents[:, learner.store.pairs.members])

    def _numbered(self, features: np.ndarray) -> np.ndarray:
        """Return features, or -1 for none, as they are numbered in the evidence."""
        store = self._learner.store
        assert store.pairs is not None
        place = np.full(store.n_features + 1, -1)  # the last place serves -1
        place[store.pairs.members] = np.arange(len(store.pairs.members))
        numbered: np.ndarray = place[features]
        return numbered

    def _plain_measures(self, pairs: Pairs) -> tuple[np.ndarray, np.ndarray]:
        """Return I(X_i; C) (n,) and I(X_i; X_j | C) (n, n) of the features that keep pairs."""
        learner, members = self._learner, pairs.members
        every = learner.measure(conditional_information_matrix)
        return learner.information()[members], every[np.ix_(members, members)]

    def _counts(self) -> Counts:
        learner, store = self._learner, self._learner.store
        assert store.pairs is not None
        some_missing, m = learner.settings.skip_missing, len(learner.labels)
        pairs, sets, strength = store.pairs, store.bitsets, learner.settings.strength
        if store.windowed:
            together = together_in_window(sets, pairs.members, m, some_missing)
        else:
            together = present_together(pairs, store.singles, m, some_missing)
        how = store.windowed, together, some_missing, strength
        return Counts(store.singles, pairs, sets, *how, LOGARITHMS)

    def _posterior(self, row: np.ndarray) -> np.ndarray:
        if not self._ready:
            return super()._posterior(row)
        return self._posteriors(self._learner.coder.code(row[:, None]))[0]

    def _posteriors(self, codes: np.ndarray) -> np.ndarray:
        learner = self._learner
        if not self._ready or not learner.labels:
            return learner.posteriors(codes)
        counts, m = self._counts(), len(learner.labels)
        members = len(learner.program.levels)
        step = max(1, _POSTERIORS_AT_ONCE // (m * members))
        # blocks as large as each other: in a small rest logarithms would be rounded otherwise
        n_blocks = -(-codes.shape[1] // step)
        blocks = [
            self._event_posteriors(np.ascontiguousarray(codes[:, a:b]), counts)
            for a, b in bounds_of(codes.shape[1], n_blocks)
        ]
        return np.concatenate(blocks) if blocks else np.empty((0, m))

    def _log_joints(self, codes: np.ndarray) -> np.ndarray:
        if not self._ready or not self._learner.labels:
            return self._learner.log_joints(codes)
        with np.errstate(divide="ignore"):
            return np.log(self._posteriors(codes))

    # Insight -----------------------------------------------------------------------------------

    def explain_one(self, x: Mapping[Hashable, Any]) -> list[EventNetwork]:
        """Return the networks that are asked about an event; print one to read it.

        Parameters
        ----------
        x
            The event.

        Returns
        -------
        A record for each network: order, parents, local measures, and its own posterior; none
        before the first structure is learned.
        """
        learner = self._learner
        codes = self._codes(x)
        if not self._ready or not learner.labels:
            return []
        counts, m = self._counts(), len(learner.labels)
        members = counts.pairs.members
        names = [learner.encoder.names[i] for i in members]
        evidence = gather_evidence(codes, 0, m, counts)
        base = base_log_joint(codes, 0, m, counts)
        found = []
        for title, parents, single, pair, scores in self._event_networks(evidence, counts, codes):
            if scores is None:
                scores = network_posterior(parents, base, evidence, counts.smoothing)
            shares = zip(learner.labels, scores.tolist(), strict=True) if len(scores) else ()
            posterior = dict(shares)
            order = event_order(single, evidence.seen)
            found.append(event_network(title, names, order, parents, single, pair, posterior))
        return found

    def debug_one(self, x: Mapping[Hashable, Any]) -> str:
        """Return in words how the posterior of an event comes about.

        Parameters
        ----------
        x
            The event.
        """
        networks = self.explain_one(x)
        if not networks:
            return super().debug_one(x)
        learner, codes = self._learner, self._codes(x)
        lines = [*left_out(learner, x, codes[:, 0]), *map(str, networks)]
        posterior = self._posteriors(codes)[0].tolist()
        lines.append("posterior")
        lines += [
            f"  {label!r}: probability {p:.6f}"
            for label, p in zip(learner.labels, posterior, strict=True)
        ]
        return "\n".join(lines)

    def draw(self, x: Mapping[Hashable, Any] | None = None) -> Any:
        """Return the structure as a `graphviz.Digraph` (extra `plot`).

        Parameters
        ----------
        x
            An event: the networks that are asked about it are drawn, none before the first
            structure is learned. None: what is learned from all events.

        Raises
        ------
        ImportError
            If graphviz's Python package is not installed.
        """
        if x is None:
            return super().draw()
        from river_kdb.plot.graph import networks_graph

        networks = [
            (network.title, network.order, list(network.arcs)) for network in self.explain_one(x)
        ]
        return networks_graph(type(self).__name__, networks)
