"""Class-specific Bayesian multinets."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable

import numpy as np

from river_kdb.counts.evidence import Evidence
from river_kdb.counts.pairs import Pairs
from river_kdb.drift import Detector
from river_kdb.inference.class_networks import INFORMATION, class_networks_block, class_parents
from river_kdb.inference.event_network import Counts
from river_kdb.information import conditional_information_matrix
from river_kdb.information.by_class import (
    conditional_information_of_class,
    information_of_class,
)
from river_kdb.information.of_event import local_information
from river_kdb.learner import Learner
from river_kdb.parameters import check_choice, check_count, check_share
from river_kdb.structure.by_class import parents_by_class
from river_kdb.structure.structure import (
    Structure,
    among_features,
    mean_of_networks,
    no_arcs,
)
from river_kdb.target import Network, TargetClassifier

__all__ = ["CSBClassifier"]

_NAMER = "plain, as the classes asked have no network yet"


class CSBClassifier(TargetClassifier):
    r"""Class-specific Bayesian multinet.

    Each class has a k-dependence network of its own, $G_c$, whose features are ordered and linked
    by the parts of the mutual information that the class has,

    $$I(X_i; c) = \sum_{x_i} P(x_i, c) \ln \frac{P(x_i, c)}{P(x_i) P(c)}, \qquad
    I(X_i; X_j | c) = \sum_{x_i, x_j} P(x_i, x_j, c)
    \ln \frac{P(x_i, x_j | c)}{P(x_i | c) P(x_j | c)}$$

    For an event each class also has a local network $L_c$, ordered and linked by the terms of
    these sums that the event's own values have. A plain k-dependence classifier names the classes
    that are the most probable, a share `confident` of all, and the networks of those are asked.
    Each of them gives a posterior of every class; the answer is their mean.

    Parameters
    ----------
    k
        Parents of a feature besides the class, at most.
    confident
        Share of the classes whose networks are asked, above 0 and at most 1; rounded up.
    parts
        `"GL"`: both networks of a class. `"G"`: those learned from all events (CSB^G). `"L"`:
        those of the event (CSB^L).
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
    >>> from river_kdb import CSBClassifier

    >>> model = CSBClassifier(k=2)
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 9...%

    >>> x, y = next(iter(datasets.Phishing()))
    >>> [network.title for network in model.networks_one(x)]
    ['G of class True', 'G of class False', 'L of class True', 'L of class False']

    References
    ----------
    [^1]: Pang, M., Wang, L., Li, Q., Lu, G. and Li, K. (2023). Learning Bayesian multinets from
    labeled and unlabeled data for knowledge representation. Intelligent Data Analysis.
    doi:10.3233/IDA-227068.

    """

    def __init__(
        self,
        k: int = 2,
        *,
        confident: float = 0.75,
        parts: str = "GL",
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
        check_share("confident", confident)
        check_choice("parts", parts, ("GL", "G", "L"))
        self.k = k
        self.confident = confident
        self.parts = parts
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

    def _learn_structure(self, learner: Learner, information: np.ndarray) -> Structure:
        """Return the classifier that names the classes, of weight 0, and the G of every class."""
        pairs, n = learner.store.pairs, len(information)
        if pairs is None or not len(pairs.members):
            return no_arcs(n)
        members = pairs.members
        square = np.ix_(members, members)
        single = information[members][None]
        pair = learner.measure(conditional_information_matrix)[square][None]
        if "G" in self.parts:
            of_class, links = self._class_measures(pairs, len(learner.labels))
            single, pair = np.concatenate([single, of_class]), np.concatenate([pair, links])
        chosen = parents_by_class(single, pair, self.k)
        weights = np.ones(len(chosen))
        if len(chosen) > 1:
            weights[0] = 0.0
        return mean_of_networks(among_features(chosen, members, n), weights)

    def _class_measures(self, pairs: Pairs, m: int) -> tuple[np.ndarray, np.ndarray]:
        """Return I(X_i; c) (m, n) and I(X_i; X_j | c) (m, n, n) of the features that keep pairs."""
        store, members = self._learner.store, pairs.members
        of_class = information_of_class(store.singles, store.layout.caps, m)[:, members]
        links = self._learner.measure(conditional_information_of_class)
        return of_class, links[:, members[:, None], members]

    def _asked(self, posteriors: np.ndarray) -> np.ndarray:
        """Say which classes are asked, given the posteriors (b, m) of the plain classifier."""
        m = posteriors.shape[1]
        n_asked = max(1, math.ceil(self.confident * m - 1e-9))
        ranked = np.argsort(-posteriors.round(12), axis=1, kind="stable")
        asked = np.zeros(posteriors.shape, dtype=np.bool_)
        np.put_along_axis(asked, ranked[:, :n_asked], True, axis=1)
        return asked

    def _event_posteriors(self, codes: np.ndarray, counts: Counts) -> np.ndarray:
        m = len(self._learner.labels)
        members = self._learner.member_posteriors(codes)
        asked = self._asked(members[0])
        total, n_networks = np.zeros(asked.shape), np.zeros(len(asked))
        if "G" in self.parts:
            learned = asked[:, : len(members) - 1]  # a class met since then has none
            total += np.einsum("bt,tbm->bm", learned, members[1:])
            n_networks += learned.sum(axis=1)
        if "L" in self.parts:
            total += class_networks_block(codes, m, counts, asked, INFORMATION, self.k, 1.0)
            n_networks += asked.sum(axis=1)
        nobody = n_networks == 0.0
        total[nobody], n_networks[nobody] = members[0][nobody], 1.0
        return total / n_networks[:, None]

    def _event_networks(
        self, evidence: Evidence, counts: Counts, codes: np.ndarray
    ) -> list[Network]:
        labels, m = self._learner.labels, len(self._learner.labels)
        posteriors = self._learner.member_posteriors(codes)[:, 0]
        asked = self._asked(posteriors[:1])[0]
        found: list[Network] = []
        if "G" in self.parts:
            learned = self._learned_parents()[1:]
            single, pair = self._class_measures(counts.pairs, m)
            found += [
                (f"G of class {labels[c]!r}", parents, single[c], pair[c], posteriors[c + 1])
                for c, parents in enumerate(learned)
                if asked[c]
            ]
        if "L" in self.parts:
            single, pair = local_information(evidence, m)
            local = class_parents(INFORMATION, self.k, 1.0, evidence)
            found += [
                (f"L of class {labels[c]!r}", local[c], single[c], pair[c], None)
                for c in np.flatnonzero(asked).tolist()
            ]
        if not found:
            single, pair = self._plain_measures(counts.pairs)
            found.append((_NAMER, self._learned_parents()[0], single, pair, posteriors[0]))
        return found
