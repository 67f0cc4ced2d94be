"""The models by short names: ours, and River's with what they need around them."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable
from numbers import Number
from typing import Any, NamedTuple

from river import compose, ensemble, naive_bayes, neighbors, preprocessing, tree

import river_kdb
from benchmarks.streaming.synthetic import SEED
from river_kdb.evaluate import ModelSpec, Stream, make_models

MIXTURE = "mixture"


class Contender(NamedTuple):
    """A model that takes part.

    Attributes
    ----------
    name
        Its short name.
    parameters
        What it is made with, as text.
    spec
        Returns it, made for a stream.
    own
        Whether it is one of ours.
    """

    name: str
    parameters: str
    spec: Callable[[Stream], ModelSpec]
    own: bool

    @property
    def version(self) -> str:
        """Version of the package that it is of."""
        if self.own:
            return f"river_kdb {river_kdb.__version__}"
        return f"river {importlib.metadata.version('river')}"


OWN = {
    MIXTURE: "BNMixtureClassifier",
    "kdb": "kdb",
    "nb": "nb",
    "tl": "tl",
    "kdb-halflife": "kdb:half_life=1000",
    "kdb-adwin": "kdb:drift_detector=ADWIN",
}
"""Ours that run unless told otherwise: their names for `make_models`."""

PEERS = {
    "NoChange": "river:NoChangeClassifier",
    "Majority": "river:PriorClassifier",
    "GaussianNB": "river:GaussianNB",
    "BernoulliNB": "",
    "Softmax": "river:SoftmaxRegression",
    "HT": "river:HoeffdingTreeClassifier",
    "HAT": "river:HoeffdingAdaptiveTreeClassifier",
    "EFDT": "river:ExtremelyFastDecisionTreeClassifier",
    "kNN": "",
    "AMF": "river:AMFClassifier:n_estimators=10",
    "ARF": "river:ARFClassifier:n_models=10",
    "SRP": "river:SRPClassifier:n_models=10",
    "LevBag": "",
}
"""River's: their names for `make_models`, or empty."""

DUMMIES = ("NoChange", "Majority")


class _ByHand(NamedTuple):
    """A model that `make_models` cannot make of a text, and what is said of it."""

    make: Callable[[], Any]
    parameters: str


def _numbers(model: Any) -> Any:
    """Put one-hot encoded texts and standardised numbers before a model."""
    text = compose.SelectType(str) | preprocessing.OneHotEncoder()
    return text + (compose.SelectType(Number) | preprocessing.StandardScaler()) | model


BY_HAND = {
    # Standardised, a number is true when it is above its mean
    "BernoulliNB": _ByHand(
        lambda: _numbers(naive_bayes.BernoulliNB()), "BernoulliNB() on signs of scaled numbers"
    ),
    "kNN": _ByHand(
        lambda: _numbers(neighbors.KNNClassifier(engine=neighbors.LazySearch(window_size=1000))),
        "KNNClassifier(engine=LazySearch(window_size=1000))",
    ),
    "LevBag": _ByHand(
        lambda: ensemble.LeveragingBaggingClassifier(
            tree.HoeffdingTreeClassifier(), n_models=10, seed=SEED
        ),
        "LeveragingBaggingClassifier(HoeffdingTreeClassifier(), n_models=10)",
    ),
}


def contender(name: str) -> Contender:
    """Return a model by its short name, or by any name that `make_models` knows.

    Examples
    --------
    >>> contender("ARF").parameters
    'river:ARFClassifier:n_models=10'
    >>> contender("kdf:k=1").own
    True
    """
    own = name not in PEERS and not name.startswith("river:")
    if name in BY_HAND:
        return Contender(name, BY_HAND[name].parameters, lambda s: _by_hand(name, s, own), own)
    text = {**OWN, **PEERS}.get(name, name)
    return Contender(name, text, lambda s: make_models([text], s, SEED)[0], own)


def _by_hand(name: str, stream: Stream, own: bool) -> ModelSpec:
    make = BY_HAND[name].make
    make()
    if own:
        return ModelSpec(name, make, own=True)
    (plain,) = make_models(["river:HoeffdingTreeClassifier"], stream, SEED)
    return ModelSpec(name, make, plain.adapt)
