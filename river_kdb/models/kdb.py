"""k-dependence Bayesian classifiers."""

from __future__ import annotations

from collections.abc import Collection, Hashable

import numpy as np

from river_kdb.base import BNClassifier
from river_kdb.drift import Detector
from river_kdb.information import (
    class_information_matrix,
    conditional_information_matrix,
    pair_information_matrix,
)
from river_kdb.learner import Learner
from river_kdb.parameters import check_choice, check_count
from river_kdb.structure.kdb import (
    kdb_parents,
    order_by_conditional_sum,
    order_by_information,
    order_by_relevance,
)
from river_kdb.structure.structure import (
    Structure,
    among_features,
    no_arcs,
    single_network,
)

__all__ = ["KDBClassifier"]


class KDBClassifier(BNClassifier):
    r"""k-dependence Bayesian classifier.

    Every feature depends on the class and on at most `k` other features. The features are put
    in an order, by default of falling mutual information $I(X_i; C)$; each takes as parents the
    `k` features before it with the largest conditional mutual information $I(X_i; X_j | C)$.
    With `k=0` this is naive Bayes. The posterior is

    $$P(c | x) \propto P(c) \prod_i P(x_i | c, \pi_i)$$

    The counts are updated with every event, and the structure is learned again from them at
    `grace_period` events and at doubling gaps from there on. Numbers are cut into bins; missing
    values, texts, and features and classes that turn up late need no preparation.

    Parameters
    ----------
    k
        Parents of a feature besides the class, at most.
    order
        Order of the features: `"mi"` by $I(X_i; C)$; `"sum_cmi"` each time the feature with the
        largest sum of $I(C; X_j | X_i)$ over those taken (KDB^S of [^2]); `"least_sum_cmi"` the one
        with the smallest (what the losses printed there for KDB^S come from); `"mrmr"` the one with
        the largest $I(X_j; C)$ less its mean $I(X_i; X_j)$ with those taken (MKDB of [^3]).
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
        Latest events that are kept, in events. Cut points are chosen from them.
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
    >>> from river_kdb import KDBClassifier

    >>> model = KDBClassifier(k=2)
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 92...%

    >>> model = KDBClassifier(k=1)
    >>> model.learn_one({"weather": "sun", "wind": 3.5}, "play")
    >>> model.learn_one({"weather": "rain", "wind": None}, "stay")
    >>> model.predict_one({"weather": "rain"})
    'stay'

    References
    ----------
    [^1]: Sahami, M. (1996). Learning limited dependence Bayesian classifiers. KDD-96, 335-338.

    [^2]: Duan, Z. and Wang, L. (2017). K-dependence Bayesian classifier ensemble. Entropy 19, 651.

    [^3]: Liu, Y., Wang, L. and Sun, M. (2018). Efficient heuristics for structure learning of
    k-dependence Bayesian classifier. Entropy 20, 897.

    """

    def __init__(
        self,
        k: int = 2,
        *,
        order: str = "mi",
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
        check_count("k", k, 0)
        check_choice("order", order, ("mi", "sum_cmi", "least_sum_cmi", "mrmr"))
        self.k = k
        self.order = order
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
    def _wants_pairs(self) -> bool:
        return self.k > 0

    @property
    def _wants_triples(self) -> bool:
        return self.k > 1

    def _learn_structure(self, learner: Learner, information: np.ndarray) -> Structure:
        if learner.store.pairs is None:
            return no_arcs(len(information))
        _, parents = self._network(learner, learner.store.pairs.members, information)
        return single_network(parents)

    def _network(
        self, learner: Learner, members: np.ndarray, information: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the order of the features that have pairs, and the parents (n, k) of all."""
        square = np.ix_(members, members)
        conditional = learner.measure(conditional_information_matrix)[square]
        order = self._order(learner, members, information)
        chosen = kdb_parents(order, conditional, self.k)
        return members[order], among_features(chosen, members, len(information))

    def _order(self, learner: Learner, members: np.ndarray, information: np.ndarray) -> np.ndarray:
        relevance, square = information[members], np.ix_(members, members)
        if self.order in ("sum_cmi", "least_sum_cmi"):
            given = learner.measure(class_information_matrix)[square]
            sign = 1.0 if self.order == "sum_cmi" else -1.0
            return order_by_conditional_sum(relevance, sign * given)
        if self.order == "mrmr":
            return order_by_relevance(relevance, learner.measure(pair_information_matrix)[square])
        return order_by_information(relevance)
