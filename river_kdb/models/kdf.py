"""Forests of k-dependence Bayesian classifiers."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator
from typing import Any

import narwhals as nw
import numpy as np

from river_kdb.base import BNClassifier
from river_kdb.drift import Detector
from river_kdb.inference.diversity import vote_entropy
from river_kdb.information import class_information_matrix, conditional_information_matrix
from river_kdb.learner import Learner
from river_kdb.parameters import check_choice, check_count
from river_kdb.structure.kdf import forest
from river_kdb.structure.structure import Structure, no_arcs

__all__ = ["KDFClassifier"]

# its families take several times as much as the pairs that they are filled from
_PAIRS_SHARE = 0.25

_POSTERIORS_AT_ONCE = 2**18


class KDFClassifier(BNClassifier):
    r"""k-dependence forest.

    An ensemble of as many k-dependence classifiers as there are features. The member of a
    feature has that feature first; then comes each time the feature beside which those already
    taken tell the most about the class, the one with the largest

    $$\sum_{i \text{ taken}} I(C; X_i | X_j)$$

    A feature takes as first parent the earlier one with the largest $I(X_i; X_j | C)$, and as
    further parents, up to `k`, those among that parent's ancestors with the largest. So the
    parents of a feature hang together themselves. The posterior is the mean of the members':

    $$P(c | x) = \frac{1}{n} \sum_{r=1}^n P_r(c | x), \qquad
    P_r(c | x) \propto P(c) \prod_i P(x_i | c, \pi_{r,i})$$

    Parameters
    ----------
    k
        Parents of a feature besides the class, at most.
    order
        `"given_next"`: the order above. It gives the losses that the paper prints, and is the more
        accurate. `"sum_cmi"`: the order of the paper's eq. 6 as it is written, by the largest sum
        of $I(C; X_j | X_i)$.
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
        Memory that the tables and the window may take, in MiB. Where the members need more
        tables than that, they lose their weakest parents, and `summary` says so.
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
    >>> from river_kdb import KDFClassifier

    >>> model = KDFClassifier(k=2)
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 9...%
    >>> 0.0 < model.diversity(x for x, _ in datasets.Phishing()) < 0.1
    True

    References
    ----------
    [^1]: Duan, Z. and Wang, L. (2017). K-dependence Bayesian classifier ensemble. Entropy 19, 651.

    """

    def __init__(
        self,
        k: int = 2,
        *,
        order: str = "given_next",
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
        check_choice("order", order, ("given_next", "sum_cmi"))
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
    def _wants_triples(self) -> bool:
        return self.k > 1

    @property
    def _pairs_share(self) -> float:
        return _PAIRS_SHARE

    def _learn_structure(self, learner: Learner, information: np.ndarray) -> Structure:
        pairs, n = learner.store.pairs, len(information)
        if pairs is None:
            return no_arcs(n)
        square = np.ix_(pairs.members, pairs.members)
        given = learner.measure(class_information_matrix)[square]
        if self.order == "given_next":
            given = np.ascontiguousarray(given.T)
        conditional = learner.measure(conditional_information_matrix)[square]
        return forest(given, conditional, pairs.members, n, self.k)

    def diversity(self, X: Any) -> float:
        r"""Return how much the members disagree about some events: the mean entropy of their votes.

        Each member votes for its most probable class. With $q_e(c)$ the share of the votes about
        event e that class c gets, and M events, it is

        $$-\frac{1}{M} \sum_e \sum_c q_e(c) \ln q_e(c)$$

        and 0 where all members agree. The equation printed in the paper is a sum over the events;
        the figures there are such means. It is worked out anew for the events given, as asking
        never changes a model; there is no running value.

        Parameters
        ----------
        X
            A pandas, polars or pyarrow frame, or an iterable of events.

        Returns
        -------
        The mean, 0 if there is no event or nothing was learned yet.
        """
        total, n_events = 0.0, 0
        for posteriors in self._votes(X):
            total += float(vote_entropy(posteriors).sum())
            n_events += posteriors.shape[1]
        return total / n_events if n_events else 0.0

    def _votes(self, X: Any) -> Iterator[np.ndarray]:
        """Give the members' posteriors (T, b, m), some events at a time."""
        learner, m = self._learner, len(self._learner.labels)
        if isinstance(nw.from_native(X, eager_only=True, pass_through=True), nw.DataFrame):
            codes = self._frame_codes(X)
        else:
            blocks = [self._codes(x) for x in X]
            codes = np.concatenate(blocks, axis=1) if blocks else self._codes({})[:, :0]
        if not m:
            return
        step = max(1, _POSTERIORS_AT_ONCE // (m * len(learner.program.levels)))
        for r in range(0, codes.shape[1], step):
            part = np.ascontiguousarray(codes[:, r : r + step])
            yield learner.member_posteriors(part)
