"""Bagged k-dependence Bayesian classifiers."""

from __future__ import annotations

from collections.abc import Collection, Hashable

import numpy as np

from river_kdb.counts.evidence import Evidence
from river_kdb.counts.pairs import Pairs
from river_kdb.drift import Detector
from river_kdb.inference.class_networks import (
    LIKELIHOOD,
    class_networks_block,
    class_parents,
    literal_block,
)
from river_kdb.inference.event_network import Counts
from river_kdb.information.by_class import conditional_entropy_in_class, entropy_in_class
from river_kdb.information.of_event import local_likelihood
from river_kdb.learner import Learner
from river_kdb.parameters import check_choice, check_count, check_share
from river_kdb.structure.by_class import parents_by_class, without_redundant
from river_kdb.structure.structure import (
    Structure,
    among_features,
    mean_of_networks,
    no_arcs,
)
from river_kdb.target import Network, TargetClassifier

__all__ = ["BKDBClassifier"]


class BKDBClassifier(TargetClassifier):
    r"""Bagged k-dependence classifiers.

    Each class has a network $B_c$ learned from its own events: the features by rising entropy
    $H(X_j | c)$, each with the `k` earlier ones of the smallest $H(X_j | X_i, c)$ as parents. For
    an event each class also has a network $b_c$ of the same kind, in which
    $-\ln P(x_j | c)$ and $-\ln P(x_j | x_i, c)$ stand for the entropies, the event counted once
    more in the class:

    $$P(x_j | c) = \frac{N(x_j, c) + 1}{N(c) + 1}, \qquad
    P(x_j | x_i, c) = \frac{N(x_j, x_i, c) + 1}{N(x_i, c) + 1}$$

    (eqs. 10 and 11 of [^1]). Each of the networks gives a posterior of every class from the counts
    of all events; the answer is their mean. This is the reading that comes out as the paper's
    table does.

    Parameters
    ----------
    k
        Parents of a feature besides the class, at most.
    parts
        `"GL"`: both networks of a class. `"G"`: those learned from all events. `"L"`: those of
        the event.
    literal
        Whether to take eqs. 12 and 13 as they are written: the networks of a class score that
        class only, by the mean of their likelihoods, estimated with every count raised by one.
        `smoothing` has no say then. Contexts that a class never had count in its favour so.
    redundancy
        None: every feature keeps its parents. A share, .95 in the paper: once the entropies
        $H(X_j | \Pi_j, c)$ down the order have reached this share of their sum, the rest of the
        features lose their parents.
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
    >>> from river_kdb import BKDBClassifier

    >>> model = BKDBClassifier(k=2)
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 9...%

    >>> x, y = next(iter(datasets.Phishing()))
    >>> [network.title for network in model.networks_one(x)]
    ['B of class True', 'B of class False', 'b of class True', 'b of class False']

    References
    ----------
    [^1]: Wang, L. et al. (2021). Bagging k-dependence Bayesian network classifiers. Intelligent
    Data Analysis. doi:10.3233/IDA-205125.

    """

    def __init__(
        self,
        k: int = 2,
        *,
        parts: str = "GL",
        literal: bool = False,
        redundancy: float | None = None,
        smoothing: float | str = 5.0,
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
        check_choice("parts", parts, ("GL", "G", "L"))
        check_choice("literal", literal, (False, True))
        if redundancy is not None:
            check_share("redundancy", redundancy)
        self.k = k
        self.parts = parts
        self.literal = literal
        self.redundancy = redundancy
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
    def _wants_triples(self) -> bool:
        return self.k > 1

    @property
    def _pairs_share(self) -> float:
        return 0.25

    @property
    def _kept(self) -> float:
        return 1.0 if self.redundancy is None else self.redundancy

    def _learn_structure(self, learner: Learner, information: np.ndarray) -> Structure:
        store, n, m = learner.store, len(information), len(learner.labels)
        pairs = store.pairs
        if pairs is None or not len(pairs.members) or "G" not in self.parts:
            return no_arcs(n)
        members = pairs.members
        single, pair = self._class_measures(pairs, m)
        chosen = parents_by_class(single, pair, self.k)
        if self._kept < 1.0:
            chosen = self._without_redundant(learner, chosen, single, members)
        return mean_of_networks(among_features(chosen, members, n))

    def _class_measures(self, pairs: Pairs, m: int) -> tuple[np.ndarray, np.ndarray]:
        """Return -H(X_j | c) (m, n) and -H(X_j | X_i, c) (m, n, n) at [c, j, i]."""
        store, members = self._learner.store, pairs.members
        single = -entropy_in_class(store.singles, store.layout.caps, m)[:, members]
        pair = -self._learner.measure(conditional_entropy_in_class)
        return single, pair[:, members[:, None], members]

    def _without_redundant(
        self, learner: Learner, chosen: np.ndarray, single: np.ndarray, members: np.ndarray
    ) -> np.ndarray:
        codes, labels, weights = learner.store.held()
        found = []
        for c, parents in enumerate(chosen):
            of_class = np.flatnonzero((labels == c) & (weights > 0.0))
            events = codes[members][:, of_class]
            found.append(
                without_redundant(parents, single[c], events, weights[of_class], self._kept)
            )
        return np.array(found)

    def _event_posteriors(self, codes: np.ndarray, counts: Counts) -> np.ndarray:
        m, b = len(self._learner.labels), codes.shape[1]
        if self.literal:
            return self._literal_posteriors(codes, counts)
        total, n_networks = np.zeros((b, m)), 0
        if "G" in self.parts:
            n_learned = len(self._learner.program.levels)
            total += self._learner.posteriors(codes) * n_learned
            n_networks += n_learned
        if "L" in self.parts:
            everyone = np.ones((b, m), dtype=np.bool_)
            total += class_networks_block(
                codes, m, counts, everyone, LIKELIHOOD, self.k, self._kept
            )
            n_networks += m
        return total / n_networks

    def _literal_posteriors(self, codes: np.ndarray, counts: Counts) -> np.ndarray:
        m, local = len(self._learner.labels), "L" in self.parts
        learned = np.empty((0, len(counts.pairs.members), self.k), dtype=np.int64)
        if "G" in self.parts:
            learned = self._learned_of_every_class()
        scores = literal_block(codes, m, counts, learned, local, self.k, self._kept)
        scores = np.exp(scores - scores.max(axis=1, keepdims=True))
        posteriors: np.ndarray = scores / scores.sum(axis=1, keepdims=True)
        return posteriors

    def _learned_of_every_class(self) -> np.ndarray:
        """Return the parents (m, members, k) in every B; a class met since then has no arcs."""
        known = self._learned_parents()
        learned = np.full((len(self._learner.labels), known.shape[1], self.k), -1)
        learned[: len(known), :, : known.shape[2]] = known
        return learned

    def _event_networks(
        self, evidence: Evidence, counts: Counts, codes: np.ndarray
    ) -> list[Network]:
        labels, m = self._learner.labels, len(self._learner.labels)
        nothing = np.empty(0)
        found: list[Network] = []
        if "G" in self.parts:
            posteriors = self._learner.member_posteriors(codes)[:, 0]
            learned = self._learned_of_every_class()
            if not self.literal:  # a class met since then is not asked
                learned = learned[: len(posteriors)]
            single, pair = self._class_measures(counts.pairs, m)
            found += [
                (
                    f"B of class {labels[c]!r}",
                    parents,
                    single[c],
                    pair[c],
                    nothing if self.literal else posteriors[c],
                )
                for c, parents in enumerate(learned)
            ]
        if "L" in self.parts:
            single, pair = local_likelihood(evidence, m)
            local = class_parents(LIKELIHOOD, self.k, self._kept, evidence)
            found += [
                (
                    f"b of class {label!r}",
                    local[c],
                    single[c],
                    pair[c],
                    nothing if self.literal else None,
                )
                for c, label in enumerate(labels)
            ]
        return found
