"""k-dependence Bayesian classifiers that keep only the arcs and features that help."""

from __future__ import annotations

from collections.abc import Collection, Hashable

import numpy as np

from river_kdb.drift import Detector
from river_kdb.inference.leave_one_out import selected_parents, whole_order
from river_kdb.learner import Learner
from river_kdb.models.kdb import KDBClassifier
from river_kdb.parameters import check_choice, check_count
from river_kdb.structure.structure import Structure, no_arcs, single_network

__all__ = ["SelectiveKDBClassifier"]


class SelectiveKDBClassifier(KDBClassifier):
    r"""Selective k-dependence Bayesian classifier.

    First a k-dependence classifier is learned: an order of the features, and up to `k` parents
    for each. Then it is cut back to what helps, judged on the events in the window by the
    leave-one-out error, in which an event's own weight is taken out of all counts:

    $$RMSE = \sqrt{\frac{\sum_e w_e (1 - P_{-e}(c_e | x_e))^2}{\sum_e w_e}}$$

    Going down the order, a feature takes those 0 to `k` of its strongest parents with which the
    network so far has the smallest error. In the end so many features from the front of the order
    are kept as have the smallest; the others have no say. One sweep over the window does both.
    An event of weight 2 counts twice in the error, and is left out as a whole.

    `summary` and `draw()` show the features and arcs that are left. A feature that turns up after
    that is a naive Bayes factor until the next structure.

    Parameters
    ----------
    k
        Parents of a feature besides the class, at most.
    order
        Order of the features: `"mrmr"` each time the one with the largest $I(X_j; C)$ less its
        mean $I(X_i; X_j)$ with those taken (MMKDB of [^1]); `"mi"` by $I(X_i; C)$ (MSKDB there).
    select
        `"arcs"`: parents and features are chosen; `"features"`: features only, which keep all
        their parents (SKDB of [^2]).
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
    >>> from river_kdb import SelectiveKDBClassifier

    >>> model = SelectiveKDBClassifier(k=3)
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 9...%

    A feature that is noise is left out:

    >>> import random
    >>> rng = random.Random(7)
    >>> model = SelectiveKDBClassifier()
    >>> for t in range(200):
    ...     model.learn_one({"signal": t % 3, "noise": rng.random()}, t % 3 == 0)
    >>> [(feature.name, feature.note) for feature in model.summary.features]
    [('noise', 'bins cut at ...; left out by the selection'), ('signal', 'bins cut at 0.5, 1.5')]

    References
    ----------
    [^1]: Liu, Y., Wang, L. and Sun, M. (2018). Efficient heuristics for structure learning of
    k-dependence Bayesian classifier. Entropy 20, 897.

    [^2]: Martinez, A. M., Webb, G. I., Chen, S. and Zaidi, N. A. (2016). Scalable learning of
    Bayesian network classifiers. Journal of Machine Learning Research 17, 1-35.

    """

    def __init__(
        self,
        k: int = 3,
        *,
        order: str = "mrmr",
        select: str = "arcs",
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
        check_choice("order", order, ("mrmr", "mi"))
        check_choice("select", select, ("arcs", "features"))
        self.select = select
        super().__init__(
            k,
            order=order,
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
        store, m = learner.store, len(learner.labels)
        if store.pairs is None:
            return no_arcs(len(information))
        order, parents = self._network(learner, store.pairs.members, information)
        learner.use(single_network(parents))
        left = selected_parents(
            whole_order(order, information),
            learner.structure.parents[0],
            learner.program.levels[0],
            store.held(),
            m,
            store.singles,
            store.families,
            learner.settings.strength,
            self.select == "features",
        )
        return single_network(left)
