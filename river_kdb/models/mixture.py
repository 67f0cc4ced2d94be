"""A mixture of Bayesian network classifiers for streams that change."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from river_kdb.drift import Detector, DriftWatch, check_detectors
from river_kdb.explain.mixture import MixtureSummary, summarise_mixture
from river_kdb.face import StreamClassifier, read_rows
from river_kdb.mixture.experts import LAG, Expert, check_experts, default_experts
from river_kdb.mixture.learner import MixtureLearner, MixtureSettings
from river_kdb.mixture.mixing import check_rates, expert_weights
from river_kdb.parameters import (
    check_above_zero,
    check_count,
    check_label,
    check_upkeep,
    check_weight,
)

__all__ = ["BNMixtureClassifier"]

_LAST = (1.0, 0.99)
"""Eta and discount of the mixture of the pools."""


class BNMixtureClassifier(StreamClassifier):
    r"""Mixture of Bayesian network classifiers that remember for different times.

    No single half-life, number of bins or number of parents is right for all streams, nor for
    one stream at all times. Here many networks learn side by side: k-dependence classifiers with
    k from 0 to 3, over coarse bins and fine ones, with counts that fade fast, slowly or never;
    beside them three softmax regressions on the standardised numbers, and the label given the
    labels before it. What they say is mixed with weights that follow their log losses within
    some tens of events, so that nothing has to be tuned: this is the classifier to start with.

    Experts with the same bins share one table for every half-life, and the network with k parents
    is a by-product of that with k + 1. Each event is predicted by every expert before any of them
    learns it. The posteriors $p_e$ of the experts are mixed in pools:

    - linear ones, $\sum_e w_e p_e$ with $w_e \propto \exp(-\eta L_e)$, where the log loss is
      discounted: $L_e \leftarrow \delta L_e - \ln p_e(y)$;
    - log-linear ones, $p(c) \propto \prod_e p_e(c)^{\beta_e}$, whose exponents follow the
      gradient of the pool's own log loss.

    Both are there with several rates; the answer is the mean of the pools, weighted like a linear
    pool. After a drift the structures are relearned from the recent events, and the counts that
    never fade begin anew with them.

    Parameters
    ----------
    experts
        Members: `Expert(model, k, n_bins, half_life, discretizer)` or such tuples (what they leave
        out at the end has its default), with model `"kdb"`, `"tan"`, `"linear"` (softmax
        regression) or `"lag"` (the label given the `k` before it). None: 72 networks, with k from
        0 to 3, 3 to 20 bins or those of Fayyad and Irani, and half-lives of 100 and 1,000 events
        and for ever, and three regressions. Where no feature is numeric, bins do not matter, and of
        experts that differ in their bins only one has a say.
    label_lags
        Adds an expert for each number of past labels from 1 to this one. They earn their weight
        on streams whose labels come in runs or cycles; 0 leaves them out.
    pool_rates
        Pairs of $\eta > 0$ and $0 < \delta \le 1$ for the linear pools.
    pool_steps
        Steps of the gradient for the log-linear pools, divided by the number of experts.
    smoothing
        Strength s > 0 of the recursive back-off, in events, see `KDBClassifier`.
    nominal_attributes
        Names of features whose numbers are categories. Texts and bools always are.
    max_categories
        Categories of a feature that have a slot of their own; the rest share one.
    missing
        `"value"`: missing is a value like others. `"skip"`: a missing feature is left out.
    window_size
        Latest events that are kept, in events. Cut points are chosen from them, and families that
        a new structure needs are counted from them.
    grace_period
        Events before the first structure; until then all networks are naive Bayes.
    relearn_period
        Events between two structures, at most.
    drift_detector
        One of River's, which watches the errors of the mixture. None: `drift.ADWIN()`;
        `drift.NoDrift()` looks for none.
    warning_detector
        Another one, more sensitive: events since its signal are kept after a drift.
    max_size
        Memory that the tables and the window may take, in MiB.
    n_jobs
        Threads that predict the rows of a frame; -1 for one a core. The answers are the same.

    Raises
    ------
    ValueError
        For a parameter out of its bounds.
    TypeError
        For a detector that is none of River's, or experts that are none.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics
    >>> from river_kdb import BNMixtureClassifier

    >>> model = BNMixtureClassifier()
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 92...%

    The experts that have most of the say at present:

    >>> best = sorted(model.weights_, key=model.weights_.get, reverse=True)[:3]
    >>> len(best), round(sum(model.weights_.values()), 6)
    (3, 1.0)

    Fewer experts, chosen by hand:

    >>> model = BNMixtureClassifier(
    ...     experts=[("kdb", 0, 5, 100), ("kdb", 2, 5, None), ("tan", 1, 10, None)], label_lags=0
    ... )
    >>> model.learn_one({"weather": "sun", "wind": 3.5}, "play")
    >>> model.predict_one({"weather": "rain"})
    'play'

    References
    ----------
    [^1]: Vovk, V. (1990). Aggregating strategies. COLT 1990.

    [^2]: Genest, C. and Zidek, J. V. (1986). Combining probability distributions: a critique and
    an annotated bibliography. Statistical Science 1.

    [^3]: Mattern, C. (2013). Linear and geometric mixtures: analysis. Data Compression Conference
    2013.

    [^4]: Sahami, M. (1996). Learning limited dependence Bayesian classifiers. KDD-96, 335-338.

    """

    def __init__(
        self,
        experts: Collection[Expert] | Collection[tuple[Any, ...]] | None = None,
        *,
        label_lags: int = 2,
        pool_rates: Sequence[tuple[float, float]] = ((1.0, 0.9), (0.5, 0.98), (0.3, 0.99)),
        pool_steps: Sequence[float] = (0.02, 0.06, 0.2),
        smoothing: float = 1.0,
        nominal_attributes: Collection[Hashable] | None = None,
        max_categories: int = 32,
        missing: str = "value",
        window_size: int = 10_000,
        grace_period: int = 100,
        relearn_period: int = 1000,
        drift_detector: Detector | None = None,
        warning_detector: Detector | None = None,
        max_size: float = 256,
        n_jobs: int = 1,
    ) -> None:
        self.experts = experts
        self.label_lags = label_lags
        self.pool_rates = pool_rates
        self.pool_steps = pool_steps
        self.smoothing = smoothing
        self.nominal_attributes = nominal_attributes
        self.max_categories = max_categories
        self.missing = missing
        self.window_size = window_size
        self.grace_period = grace_period
        self.relearn_period = relearn_period
        self.drift_detector = drift_detector
        self.warning_detector = warning_detector
        self.max_size = max_size
        self.n_jobs = n_jobs
        check_upkeep(self)
        check_above_zero("smoothing", smoothing)
        check_count("label_lags", label_lags, 0)
        check_rates(pool_rates, pool_steps)
        if drift_detector is None:
            from river.drift import ADWIN  # to load it with the package doubles the start

            drift_detector = ADWIN()
        check_detectors(drift_detector, warning_detector)
        chosen = default_experts() if experts is None else check_experts(experts)
        lags = [Expert(LAG, k, 1) for k in range(1, label_lags + 1)]
        self._watch: DriftWatch = DriftWatch(
            drift_detector, warning_detector, grace_period, relearn_period, window_size
        )
        self._learner: MixtureLearner = MixtureLearner(
            MixtureSettings(
                experts=chosen + [lag for lag in lags if lag not in chosen],
                pool_rates=pool_rates,
                pool_steps=pool_steps,
                last=_LAST,
                strength=float(smoothing),
                nominal_attributes=nominal_attributes or (),
                max_categories=max_categories,
                window_size=window_size,
                grace_period=grace_period,
                relearn_period=relearn_period,
                max_size=max_size,
                skip_missing=missing == "skip",
            ),
            self._watch,
        )

    # Learning ------------------------------------------------------------------------------

    def learn_one(self, x: Mapping[Hashable, Any], y: Hashable, w: float = 1.0) -> None:
        """Learn from one event.

        Parameters
        ----------
        x
            The event: feature names and values. A key that is absent, None or NaN is missing.
        y
            Its label, any hashable but None and NaN.
        w
            Its weight in the counts, 0 for not learning it. For the weights of the experts, and
            the regressions, every event is alike.

        Raises
        ------
        TypeError, ValueError
            For a value, label or weight that can't be learned; the model is as it was before.
        """
        learner = self._learner
        try:
            known = y in learner.label_index
        except TypeError:
            known = False
        y = y if known else check_label(y)
        w = check_weight(w) if w != 1.0 else 1.0
        row, fresh = learner.encoder.prepare(x)
        if w == 0.0:
            return
        if fresh:
            row = learner.take_in(row, fresh)
        learner.learn_row(row, y, w)

    def learn_many(self, X: Any, y: Any, w: Any = None) -> None:
        """Learn from the rows of a frame, as if one after the other.

        Parameters
        ----------
        X
            A pandas, polars or pyarrow frame.
        y
            Their labels: a series, array or list.
        w
            Their weights, 1 if None.

        Raises
        ------
        TypeError, ValueError
            For a value, label or weight that can't be learned; the model is as it was before.
        """
        columns, labels, weights = read_rows(X, y, w)
        welcome = self._learner.welcome(columns)
        columns = {name: columns[name] for name in welcome}
        self._learner.learn_block(columns, labels.one_by_one(), weights)

    def relearn(self) -> None:
        """Recode the features and relearn the structures now.

        Cut points and slots are chosen anew while the window still holds every event that counts;
        afterwards they stay.
        """
        self._learner.relearn()

    def merge(self, model: Any) -> NoReturn:
        """Raise: mixtures can't be merged.

        Parameters
        ----------
        model
            Any model.

        Raises
        ------
        TypeError
            Always.
        """
        raise TypeError(
            "mixtures can't be merged: the weights of the experts and the regressions follow from "
            "the order of the events, and are no sums over them; merge classifiers such as "
            "KDBClassifier"
        )

    # Prediction --------------------------------------------------------------------------------

    def _answer(self, row: np.ndarray) -> np.ndarray:
        return self._learner.posterior(row)

    def _frame_posteriors(self, raw: np.ndarray) -> np.ndarray:
        return self._learner.posteriors(raw)

    # Insight -----------------------------------------------------------------------------------

    @property
    def weights_(self) -> dict[Expert, float]:
        """What share every expert has in the answer at present; they sum to 1.

        In a log-linear pool the share is that of its exponent among the positive ones.
        """
        shares = expert_weights(self._learner.mixer).tolist()
        return dict(zip(self._learner.experts, shares, strict=True))

    @property
    def winner_(self) -> Expert:
        """The network with the largest share at present; of equals the first."""
        weights = self.weights_
        return max(self._learner.networks(), key=weights.__getitem__)

    def structure_edges(self, expert: Expert | None = None) -> list[tuple[Hashable, Hashable]]:
        """Return the arcs between features of one expert, as pairs of a parent and a child.

        Parameters
        ----------
        expert
            One of the experts, of which only networks have arcs; None for the present winner.

        Raises
        ------
        ValueError
            If there is no such expert, or it has no say.
        """
        learner = self._learner
        names = learner.encoder.names
        found = learner.arcs_of(self.winner_ if expert is None else Expert(*expert))
        return [(names[i], names[j]) for i, j in found]

    @property
    def summary(self) -> MixtureSummary:
        """How each feature is treated, and who has the say; `print` it."""
        return summarise_mixture(type(self).__name__, self._learner)

    def draw(self, expert: Expert | None = None) -> Any:
        """Return a network as a `graphviz.Digraph` (extra `plot`), by default the present winner.

        Parameters
        ----------
        expert
            One of the networks; None for the winner.

        Raises
        ------
        ImportError
            If graphviz's Python package is not installed.
        ValueError
            If it is none of the networks that have a say.
        """
        from river_kdb.plot.graph import structure_graph

        shown = self.winner_ if expert is None else Expert(*expert)
        edges = self.structure_edges(shown)
        title = f"{shown}, {self.weights_[shown]:.0%} of the say"
        return structure_graph(title, self.feature_names, edges)
