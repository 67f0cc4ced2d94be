"""Averaged one-dependence estimators."""

from __future__ import annotations

from collections.abc import Collection, Hashable

import numpy as np

from river_kdb.base import BNClassifier
from river_kdb.drift import Detector
from river_kdb.inference.subsumption import drop_generalisations
from river_kdb.learner import Learner
from river_kdb.parameters import check_choice
from river_kdb.structure.aode import aode
from river_kdb.structure.structure import Structure

__all__ = ["AODEClassifier"]

_LEAST_IMPLICATIONS = 100.0

# its families take up to three times as much as the pairs that they are filled from
_PAIRS_SHARE = 0.25


class AODEClassifier(BNClassifier):
    r"""Averaged one-dependence estimators.

    Every feature in turn is the superparent that all others depend on besides the class. The
    joint probabilities of these networks are summed:

    $$P(c | x) \propto \sum_i w_i P(c, x_i) \prod_{j \ne i} P(x_j | c, x_i)$$

    over the superparents whose value was seen; where none was, the answer is naive Bayes'.

    Parameters
    ----------
    weights
        None: all superparents weigh the same. `"mi"`: weighted by $I(X_i; C)$ (WAODE).
    subsumption
        Whether to leave out a value that another value of the event implies, judged on at least
        100 events (subsumption resolution).
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
    >>> from river_kdb import AODEClassifier

    >>> model = AODEClassifier()
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 9...%

    References
    ----------
    [^1]: Webb, G. I., Boughton, J. R. and Wang, Z. (2005). Not so naive Bayes: aggregating
    one-dependence estimators. Machine Learning 58, 5-24.

    [^2]: Jiang, L. and Zhang, H. (2006). Weightily averaged one-dependence estimators.
    PRICAI 2006, 970-974.

    [^3]: Zheng, F. and Webb, G. I. (2006). Efficient lazy elimination for averaged one-dependence
    estimators. ICML 2006, 1113-1120.

    """

    def __init__(
        self,
        weights: str | None = None,
        *,
        subsumption: bool = False,
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
        check_choice("weights", weights, (None, "mi"))
        check_choice("subsumption", subsumption, (False, True))
        self.weights = weights
        self.subsumption = subsumption
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
    def _pairs_share(self) -> float:
        return _PAIRS_SHARE

    def _learn_structure(self, learner: Learner, information: np.ndarray) -> Structure:
        pairs = learner.store.pairs
        superparents = pairs.members if pairs is not None else np.empty(0, dtype=np.int64)
        if learner.store.windowed:
            superparents = self._affordable(learner, information)
        weights = information if self.weights == "mi" else np.ones(len(information))
        return aode(weights, superparents)

    def _affordable(self, learner: Learner, information: np.ndarray) -> np.ndarray:
        """Return the features of the largest information whose tables as superparents fit."""
        caps, m = learner.store.layout
        sizes = 8 * m * caps * (caps.sum() - caps + len(caps) - 1)
        order = np.argsort(-information, kind="stable")
        fits = np.cumsum(sizes[order]) <= learner.store.families_budget()
        return np.sort(order[fits])

    def _posterior(self, row: np.ndarray) -> np.ndarray:
        if not self.subsumption:
            return super()._posterior(row)
        codes = self._refine(self._learner.coder.code(row[:, None]))
        return self._learner.posteriors(codes)[0]

    def _refine(self, codes: np.ndarray) -> np.ndarray:
        if not self.subsumption:
            return codes
        learner, store = self._learner, self._learner.store
        return drop_generalisations(
            codes, len(learner.labels), store.singles, store.families, _LEAST_IMPLICATIONS
        )
