"""What the models tell of themselves that have one set of counts and one structure."""

from __future__ import annotations

import abc
import os
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from river_kdb.atomic import write_atomically
from river_kdb.explain.bif import bif_evidence, bif_text
from river_kdb.explain.contributions import LogOdds, log_odds_by_factors
from river_kdb.explain.graph import arc_shares, class_shares, structure_digraph
from river_kdb.explain.tables import ValueTables, tables_of
from river_kdb.face import StreamClassifier
from river_kdb.inference.factors import factors, prior
from river_kdb.inference.program import is_ensemble
from river_kdb.learner import Learner
from river_kdb.parameters import check_count


class Insight(StreamClassifier, abc.ABC):
    """What the factors of a network say of an event, and the network for other programs."""

    _learner: Learner

    @abc.abstractmethod
    def _refine(self, codes: np.ndarray) -> np.ndarray:
        """Return the codes (n, b) that the posterior is computed from."""

    @property
    def _is_one_network(self) -> bool:
        """Whether the answer is that of the one network that was learned."""
        return not is_ensemble(self._learner.program)

    def _value_tables(self) -> ValueTables:
        return tables_of(self._learner)

    def _latest(self, n_events: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        window, at = self._learner.store.window, self._learner.store.held_places()[-n_events:]
        return np.ascontiguousarray(window.raw[:, at]), window.labels[at], window.weights[at]

    def _log_odds(self, row: np.ndarray, winner: int, tables: ValueTables) -> LogOdds:
        if not self._is_one_network:
            return super()._log_odds(row, winner, tables)
        learner, store = self._learner, self._learner.store
        codes, m = self._refine(learner.coder.code(row[:, None]))[:, 0], len(learner.labels)
        counts, strength = (store.singles, store.families), learner.settings.strength
        found = factors(learner.program.levels[0], -1, codes, m, *counts, strength)
        start = prior(-1, codes, m, store.singles)
        assert start is not None
        return log_odds_by_factors(start, found, len(codes), winner)

    def to_networkx(self, class_node: Hashable = "class") -> Any:
        """Return the structure as a `networkx.DiGraph` (extra `explain`).

        Its nodes are the class and the features, with the attributes `kind`, `slots` (values with
        any count) and, of features, `information` (I(X; C) in nats). Arcs go from the class to
        every feature that has a factor, and from parents to children. Their `weight` is the share
        of the member networks that have the arc; `cmi`, between features, is I(X_i; X_j | C) in
        nats over the events in the window.

        Parameters
        ----------
        class_node
            The node of the class.

        Raises
        ------
        ImportError
            If networkx is not installed.
        ValueError
            If a feature has the name of the node of the class.

        Examples
        --------
        >>> from river import datasets
        >>> from river_kdb import TANClassifier
        >>> model = TANClassifier()
        >>> for x, y in datasets.Phishing():
        ...     model.learn_one(x, y)
        >>> graph = model.to_networkx()
        >>> graph.number_of_nodes(), graph.number_of_edges()
        (10, 17)
        >>> sorted(graph.edges["class", "https"]), sorted(graph.nodes["https"])
        (['weight'], ['information', 'kind', 'slots'])
        """
        structure, encoder = self._learner.structure, self._learner.encoder
        shares = class_shares(structure), arc_shares(structure)
        events = self._latest(self._learner.store.n_held)
        tables = self._value_tables()
        return structure_digraph(encoder.names, encoder.kinds, tables, *shares, events, class_node)

    def to_bif(self, path: str | os.PathLike[str] | None = None, member: int | None = None) -> str:
        """Return the network as the text of a BIF file, for other programs to read.

        The probabilities are those that predictions use. A variable has a state for each bin,
        category, missing or other value with any count; comments say what they stand for, and
        `bif_evidence` gives an event in these names. Features without a factor, or with only one
        value, are left out. A program that sums over an unknown parent answers otherwise than this
        model, which drops it.

        Parameters
        ----------
        path
            Where to write the text, too; a file there is replaced at once.
        member
            Number of the member network, from 0, where several answer.

        Raises
        ------
        ValueError
            If fewer than two classes were learned, there is no such network, several answer and
            none was chosen, or a table would have more than 4,000,000 entries.

        Examples
        --------
        >>> from river_kdb import KDBClassifier
        >>> model = KDBClassifier()
        >>> for t in range(20):
        ...     model.learn_one({"sky": "grey" if t % 4 else "blue"}, "wet" if t % 4 else "dry")
        >>> for line in model.to_bif().splitlines()[-7:]:
        ...     print(line)
        probability ( class ) {
          table 0.2619047619047619, 0.7380952380952381;
        }
        probability ( sky | class ) {
          (dry) 0.9166666666666666, 0.08333333333333333;
          (wet) 0.03125, 0.96875;
        }
        >>> model.bif_evidence({"sky": "grey"})
        {'sky': 'grey'}
        """
        text = bif_text(self._learner, type(self).__name__, self._member(member))
        if path is not None:
            write_atomically(path, [text.encode()])
        return text

    def bif_evidence(self, x: Mapping[Hashable, Any], member: int | None = None) -> dict[str, str]:
        """Return what is known of an event in the names of `to_bif`: variables and their states.

        Values that were never learned, and those that are skipped, are not there.

        Parameters
        ----------
        x
            The event.
        member
            Number of the member network, as for `to_bif`.

        Raises
        ------
        ValueError
            If there is no such network, or several answer and none was chosen.
        """
        t = self._member(member)
        learner = self._learner
        codes = learner.coder.code(learner.encoder.row(x)[:, None])
        return bif_evidence(learner, t, self._refine(codes)[:, 0])

    def _member(self, member: int | None) -> int:
        """Return the number of the network to export."""
        name, n_members = type(self).__name__, len(self._learner.program.levels)
        if member is None and not self._is_one_network:
            raise ValueError(
                f"the answer of this {name} comes from {n_members} networks: choose one of them, "
                f"member=0 to {n_members - 1}"
            )
        if member is not None:
            check_count("member", member, 0, n_members - 1)
        return member or 0
