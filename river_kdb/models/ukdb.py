"""Target learning of k-dependence classifiers."""

from __future__ import annotations

from collections.abc import Collection, Hashable

import numpy as np

from river_kdb.counts.evidence import Evidence
from river_kdb.drift import Detector
from river_kdb.inference.choice import CRITERIA, Choice, choose_parents, weights_counted
from river_kdb.inference.event_network import Counts
from river_kdb.inference.target import (
    chosen_block,
    strongest_block,
    strongest_parents,
    tree_block,
    tree_parents,
    twice_chosen_block,
)
from river_kdb.information import conditional_information_matrix
from river_kdb.information.of_event import local_information
from river_kdb.learner import Learner
from river_kdb.parameters import check_choice, check_count
from river_kdb.structure.kdb import kdb_parents, order_by_information
from river_kdb.structure.structure import (
    Structure,
    among_features,
    no_arcs,
    single_network,
)
from river_kdb.structure.tan import tan
from river_kdb.target import Network, TargetClassifier

__all__ = ["UKDBClassifier"]


class UKDBClassifier(TargetClassifier):
    r"""Universal target learning of a k-dependence classifier.

    The answer is the mean of two networks' posteriors. Network T is learned from all events, as
    in `KDBClassifier`. Network P is learned for the event that is asked about: its values are
    ordered by their local mutual information with the class, and linked by their local
    conditional mutual information,

    $$\hat I(x_i; C) = \sum_c P(x_i, c) \ln \frac{P(x_i, c)}{P(x_i) P(c)}, \qquad
    \hat I(x_i; x_j | C) = \sum_c P(x_i, x_j, c)
    \ln \frac{P(x_i, x_j | c)}{P(x_i | c) P(x_j | c)}$$

    (eq. 6 of [^1]). With `universal` each value then chooses its parents in both networks: of its
    strongest `candidates` it takes the 1 to `k` that the event is explained best by, judged by
    `criterion`, and not simply the `k` strongest.

    Parameters
    ----------
    k
        Parents of a value besides the class, at most.
    universal
        Whether parents are chosen (UKDB). False: the `k` strongest (TL; with `parts="P"` KDB_P).
    candidates
        How many of its strongest earlier values each may choose from; None: `2 * k`.
    criterion
        What the chosen parents make best: a sum of $\ln P(x_j | c, \pi)$ over the classes (eq. 10
        of [^1]). `"posterior"` weights it by $P(c | x_j, \pi)$, which comes closest to the
        paper's table and is the most accurate; `"expected"` by $P(c, \pi)$; `"sum"` takes it as
        it stands, and `"min-sum"` the smallest such sum instead of the largest.
    parts
        `"TP"`: both networks. `"T"` or `"P"`: one of them.
    tree
        Whether both networks are trees instead, the maximum spanning trees of the conditional
        mutual information and of the local one (TAN^e). `k` and what concerns the choice have no
        say then.
    smoothing
        Strength s > 0 of the recursive back-off, in events: an estimate with q parents leans on
        the one with q - 1 as if that had been seen s times, and on equal shares as if those had
        been seen 3/4 times. `"m-estimate"` gives the estimates of the papers instead.
    n_bins
        Bins of a numeric feature. One that has no more distinct values in the window gets a bin
        for each value.
    discretizer
        How cut points are chosen: `"quantile"`, `"mdl"` (Fayyad and Irani) or `"uniform"`.
    nominal_attributes
        Names of features whose numbers are categories. Texts and bools always are.
    max_categories
        Categories of a feature that have a slot of their own; the rest share one.
    missing
        `"value"`: missing is a value like others. `"skip"`: a missing feature is left out.
    window_size
        Latest events that are kept, in events. Cut points are chosen from them, and contexts of
        two and more parents that an event asks for are counted in them.
    grace_period
        Events before the first structure; until then the model is naive Bayes.
    relearn_period
        Events between two structures, at most.
    half_life
        Events after which an event counts half, 1 or more. None: all count the same for ever.
    forget
        `"window"`: the counts are those of the latest `window_size` events. None: an event that
        leaves the window still counts.
    drift_detector
        One of River's, `drift.ADWIN()` for example. It watches the errors of the predictions of
        the events that are learned, each made just before. After a drift only the recent events
        count: those since the warning, if there was one, else those that the detector holds (its
        `width`; of ADWIN's the ones since the errors rose), else `grace_period`. From them the
        features are recoded and the structure is relearned; while they are fewer than
        `grace_period`, the model is naive Bayes. None: no drift is looked for.
    warning_detector
        Another one, more sensitive, whose signal is the warning. None: the warning is the drift
        detector's own, where it gives any.
    max_size
        Memory that the tables and the window may take, in MiB.
    counts
        Where the counts behind structures and contexts come from. `"dense"`: tables of all pairs
        of features (and triples, where they fit), over all events. `"bitset"`: the window, kept
        as one set of events a value; for many features, whose tables would not fit. `"auto"`:
        tables while those of all pairs fit in `max_size`, else sets; `summary` says which.
    n_jobs
        Threads that predict the rows of a frame; -1 for one a core. The answers are the same.

    Raises
    ------
    ValueError
        For a parameter out of its bounds.
    TypeError
        For a detector that is none of River's.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics
    >>> from river_kdb import UKDBClassifier

    >>> model = UKDBClassifier(k=2)
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 9...%

    The networks of one event, with the measures behind them:

    >>> x, y = next(iter(datasets.Phishing()))
    >>> [network.title for network in model.networks_one(x)]
    ['T, chosen for this event', 'P, learned for this event']

    References
    ----------
    [^1]: Gao, S., Lou, H., Wang, L., Liu, Y. and Fan, T. (2019). Universal target learning: an
    efficient and effective technique for semi-naive Bayesian learning. Entropy 21, 729.

    """

    def __init__(
        self,
        k: int = 2,
        *,
        universal: bool = True,
        candidates: int | None = None,
        criterion: str = "posterior",
        parts: str = "TP",
        tree: bool = False,
        smoothing: float | str = 2.0,
        n_bins: int = 10,
        discretizer: str = "quantile",
        nominal_attributes: Collection[Hashable] | None = None,
        max_categories: int = 32,
        missing: str = "value",
        window_size: int = 10_000,
        grace_period: int = 100,
        relearn_period: int = 1000,
        half_life: float | None = None,
        forget: str | None = None,
        drift_detector: Detector | None = None,
        warning_detector: Detector | None = None,
        max_size: float = 256,
        counts: str = "auto",
        n_jobs: int = 1,
    ) -> None:
        check_count("k", k, 1)
        check_choice("universal", universal, (False, True))
        if candidates is not None:
            check_count("candidates", candidates, 1)
        check_choice("criterion", criterion, CRITERIA)
        check_choice("parts", parts, ("TP", "T", "P"))
        check_choice("tree", tree, (False, True))
        self.k = k
        self.universal = universal
        self.candidates = candidates
        self.criterion = criterion
        self.parts = parts
        self.tree = tree
        super().__init__(
            smoothing=smoothing,
            n_bins=n_bins,
            discretizer=discretizer,
            nominal_attributes=nominal_attributes,
            max_categories=max_categories,
            missing=missing,
            window_size=window_size,
            grace_period=grace_period,
            relearn_period=relearn_period,
            half_life=half_life,
            forget=forget,
            drift_detector=drift_detector,
            warning_detector=warning_detector,
            max_size=max_size,
            counts=counts,
            n_jobs=n_jobs,
        )

    @property
    def _chooses(self) -> bool:
        return self.universal and not self.tree

    @property
    def _wants_triples(self) -> bool:
        return "T" in self.parts and self.k > 1 and not self.universal and not self.tree

    def _choice(self) -> Choice:
        candidates = 2 * self.k if self.candidates is None else self.candidates
        return Choice(self.k, candidates, CRITERIA.index(self.criterion))

    def _learn_structure(self, learner: Learner, information: np.ndarray) -> Structure:
        pairs, n = learner.store.pairs, len(information)
        if pairs is None or not len(pairs.members) or "T" not in self.parts:
            return no_arcs(n)
        members = pairs.members
        conditional = learner.measure(conditional_information_matrix)
        if self.tree:
            return tan(information, conditional, members)
        width = len(members) if self.universal else self.k
        order = order_by_information(information[members])
        chosen = kdb_parents(order, conditional[np.ix_(members, members)], width)
        parents = among_features(chosen, members, n)
        if self.universal:
            no_parents = single_network(np.full((n, self.k), -1))
            return no_parents._replace(candidates=parents)
        return single_network(parents)

    def _member_candidates(self, counts: Counts) -> np.ndarray:
        """Return the candidates (n, any) of network T, numbered as in the evidence."""
        return self._numbered(self._learner.structure.candidates[counts.pairs.members])

    def _event_posteriors(self, codes: np.ndarray, counts: Counts) -> np.ndarray:
        m, posteriors = len(self._learner.labels), self._learner.posteriors
        if not self._chooses:
            found = [posteriors(codes)] if "T" in self.parts else []
            found += [self._local_posteriors(codes, counts)] if "P" in self.parts else []
            return found[0] if len(found) == 1 else (found[0] + found[1]) / 2.0
        if self.parts == "P":
            return self._local_posteriors(codes, counts)
        block = twice_chosen_block if self.parts == "TP" else chosen_block
        return block(codes, m, counts, self._member_candidates(counts), self._choice())

    def _local_posteriors(self, codes: np.ndarray, counts: Counts) -> np.ndarray:
        """Return the posteriors (b, m) under network P."""
        m = len(self._learner.labels)
        if self.tree:
            return tree_block(codes, m, counts)
        if self.universal:
            nothing = np.empty((0, 0), dtype=np.int64)
            return chosen_block(codes, m, counts, nothing, self._choice())
        return strongest_block(codes, m, counts, self.k)

    def _event_networks(
        self, evidence: Evidence, counts: Counts, codes: np.ndarray
    ) -> list[Network]:
        found = []
        if "T" in self.parts:
            found.append(self._network_t(evidence, counts, codes))
        if "P" in self.parts:
            singles, pairs = local_information(evidence, 1)
            if self.tree:
                parents = tree_parents(evidence)
            elif self.universal:
                candidates = strongest_parents(evidence, self._choice().n_candidates)
                parents = self._chosen(candidates, evidence, counts)
            else:
                parents = strongest_parents(evidence, self.k)
            found.append(("P, learned for this event", parents, singles[0], pairs[0], None))
        return found

    def _network_t(self, evidence: Evidence, counts: Counts, codes: np.ndarray) -> Network:
        single, pair = self._plain_measures(counts.pairs)
        if self._chooses:
            parents = self._chosen(self._member_candidates(counts), evidence, counts)
            return "T, chosen for this event", parents, single, pair, None
        posterior = self._learner.posteriors(codes)[0]
        return "T, learned from all events", self._learned_parents()[0], single, pair, posterior

    def _chosen(self, candidates: np.ndarray, evidence: Evidence, counts: Counts) -> np.ndarray:
        totals = weights_counted(counts, len(self._learner.labels))
        parents: np.ndarray = choose_parents(candidates, self._choice(), evidence, totals)
        return parents
