"""Tree-augmented naive Bayes."""

from __future__ import annotations

from collections.abc import Collection, Hashable

import numpy as np

from river_kdb.base import BNClassifier
from river_kdb.drift import Detector
from river_kdb.information import conditional_information_matrix
from river_kdb.learner import Learner
from river_kdb.parameters import check_choice
from river_kdb.structure.structure import Structure, no_arcs
from river_kdb.structure.tan import averaged_tan, tan

__all__ = ["TANClassifier"]


class TANClassifier(BNClassifier):
    r"""Tree-augmented naive Bayes.

    Every feature but the root depends on the class and on one other feature, so that the arcs
    form the maximum spanning tree of the conditional mutual information $I(X_i; X_j | C)$. The
    root is the feature of largest $I(X_i; C)$; with `average` every feature is the root of a
    tree in turn, and the posteriors are averaged.

    Parameters
    ----------
    average
        None: one tree. `"uniform"`: the mean over all roots (ATAN). `"mi"`: the mean weighted by
        $I(X_{root}; C)$ (WATAN).
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
    >>> from river_kdb import TANClassifier

    >>> model = TANClassifier()
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 9...%

    >>> len(model.structure_edges())
    8

    References
    ----------
    [^1]: Friedman, N., Geiger, D. and Goldszmidt, M. (1997). Bayesian network classifiers. Machine
    Learning 29, 131-163.

    [^2]: Jiang, L. et al. (2012). Improving tree augmented naive Bayes for class probability
    estimation. Knowledge-Based Systems 26, 239-245.

    """

    def __init__(
        self,
        average: str | None = None,
        *,
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
        check_choice("average", average, (None, "uniform", "mi"))
        self.average = average
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

    def _learn_structure(self, learner: Learner, information: np.ndarray) -> Structure:
        pairs = learner.store.pairs
        if pairs is None or not len(pairs.members):
            return no_arcs(len(information))
        conditional = learner.measure(conditional_information_matrix)
        if self.average is None:
            return tan(information, conditional, pairs.members)
        return averaged_tan(information, conditional, pairs.members, self.average == "mi")
