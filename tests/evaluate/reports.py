"""Evaluations to make pages of."""

from __future__ import annotations

from river_kdb import BNMixtureClassifier, KDBClassifier
from river_kdb.evaluate import Evaluation, ModelSpec, Stream, make_detector

SCRIPT = "<script>alert('&')</script>"


def stream(n=400, n_classes=2, name="s", feature="weight", label="class {}"):
    """A stream whose label can be read off a number, and off another one after half of it."""

    def rows():
        for i in range(n):
            kind = i * 7 % n_classes
            other = (kind + 1) % n_classes if i > n / 2 else kind
            text = None if i % 11 == 0 else f"v{i % 3}"
            yield {feature: float(other), "text": text, "noise": i % 5}, label.format(kind)

    return Stream.look_at(name, rows, n)


class Majority:
    """A model of no package: always sure of the class it has seen last."""

    def __init__(self, fails_at=None):
        self.last = None
        self.n = 0
        self.fails_at = fails_at

    def predict_proba_one(self, x):
        return {} if self.last is None else {self.last: 0.9, "other": 0.1}

    def learn_one(self, x, y):
        self.n += 1
        if self.n == self.fails_at:
            raise RuntimeError("<b>no more</b>")
        self.last = y


class LabelsOnly(Majority):
    """A model without probabilities."""

    def predict_proba_one(self, x):
        raise NotImplementedError

    def predict_one(self, x):
        return self.last


class Broken(Majority):
    """A model that fails, and then cannot be read either."""

    def structure_edges(self):
        raise IndexError("half a structure")


def kdb():
    """Return a network that watches for drifts."""
    return KDBClassifier(drift_detector=make_detector("ADWIN:delta=0.1"), max_categories=4)


def mixture():
    """Return a mixture of few experts."""
    return BNMixtureClassifier([("kdb", 1, 5, 100), ("kdb", 2, 5, None)], label_lags=0)


def run(events, *specs, metrics=("accuracy", "logloss")):
    """Return the results of models: pairs of a name and a function that makes one, or names."""
    made = [s if isinstance(s, str) else ModelSpec(s[0], s[1], own=s[1] in OWN) for s in specs]
    return Evaluation(events, made, metrics).run()


OWN = (kdb, mixture)


def everything():
    """Return the name of a stream, and results with all that a page can show."""
    events = stream(name=SCRIPT, feature=SCRIPT, label=SCRIPT + "{}")
    results = run(
        events,
        (f"kdb:{SCRIPT}", kdb),
        (f"mixture:{SCRIPT}", mixture),
        "river:GaussianNB",
        ("labels", LabelsOnly),
        ("fragile", lambda: Broken(fails_at=30)),
        ("at once", lambda: Majority(fails_at=1)),
    )
    return events.name, results
