"""The models by their names."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Number
from typing import Any

import river
from river import base, compose, multiclass, preprocessing

from river_kdb.evaluate.detectors import make_detector
from river_kdb.evaluate.errors import EvaluationError, did_you_mean
from river_kdb.evaluate.settings import check_settings, parse_settings
from river_kdb.evaluate.streams import Stream
from river_kdb.methods import methods

__all__ = ["ModelSpec", "make_models", "river_classifiers"]

# Models of River that compute with every value they are given, so text has to become numbers
_NUMBERS_ONLY = (
    "river.naive_bayes",
    "river.linear_model",
    "river.neighbors",
    "river.forest.aggregated_mondrian_forest",
)
# and those whose result hangs on the scales of the features
_SCALE_MATTERS = ("river.linear_model", "river.neighbors")
_TAKES_TEXT = {"AdPredictor"}
# Parameters of this package's models that are drift detectors
_DETECTORS = ("drift_detector", "warning_detector")
# Parts of River without models to choose from
_NO_MODELS = {"base", "checks", "compat", "conftest", "datasets", "metrics"}


@dataclass(frozen=True)
class ModelSpec:
    """A model to evaluate.

    Parameters
    ----------
    name
        What it was asked for by.
    make
        Returns the model, new.
    adapt
        Turns the features of an event into what the model takes; outside of what is timed.
    note
        What was put around the model so that it takes the stream, empty if nothing was.
    own
        Whether it is a model of this package.
    lacks
        Parameters set for all models of this package that this one of them does not have.

    """

    name: str
    make: Callable[[], Any]
    adapt: Callable[[dict[Any, Any]], dict[Any, Any]] | None = None
    note: str = ""
    own: bool = False
    lacks: tuple[str, ...] = ()


def make_models(
    names: Sequence[str],
    stream: Stream,
    seed: int = 42,
    common: Mapping[str, Any] | None = None,
) -> list[ModelSpec]:
    """Look models up by their names.

    Parameters
    ----------
    names
        The short name of a method of the papers, as ``kdb``, ``nb`` (naive Bayes), ``kdf`` or
        ``ukdb`` (all are in ``methods.csv``), the name of any classifier of this package, or
        ``river:NAME`` for a classifier of River's. Parameters may follow after colons:
        ``kdb:k=1:smoothing=2``. A drift detector goes by its name: ``kdb:drift_detector=ADWIN``.
    stream
        The stream they are for.
    seed
        For the models that have a parameter `seed`.
    common
        Parameters for every model of this package that has them and whose name does not set them.

    Notes
    -----
    River's models get their default parameters, and what they need to take the stream:

    - a missing value is left out of the features, and so is text in an otherwise numeric feature;
    - for models that take no text (naive Bayes, linear models, nearest neighbours, AMF) it is
      one-hot encoded, and for linear models and nearest neighbours numbers are standardised;
    - models for two classes are wrapped into ``OneVsRestClassifier``, unless the labels are
      True and False.

    Examples
    --------
    >>> from river_kdb.evaluate import make_models, open_stream
    >>> stream = open_stream("synth:LED", limit=100)
    >>> spec, = make_models(["river:LogisticRegression"], stream)
    >>> spec.note
    'StandardScaler, OneVsRestClassifier'
    >>> make_models(["river:HoefdingTreeClassifier"], stream)
    Traceback (most recent call last):
        ...
    river_kdb.evaluate.errors.EvaluationError: no model river:HoefdingTreeClassifier; \
did you mean HoeffdingTreeClassifier or HoeffdingAdaptiveTreeClassifier?

    """
    specs = [_make_spec(name, stream, seed, common or {}) for name in dict.fromkeys(names)]
    if not specs:
        raise EvaluationError("no model was given")
    return specs


def river_classifiers() -> dict[str, type[base.Classifier]]:
    """Return River's classifiers by their names."""
    found: dict[str, type[base.Classifier]] = {}
    for module_info in pkgutil.iter_modules(river.__path__):
        if module_info.name.startswith(("_", "test_")) or module_info.name in _NO_MODELS:
            continue
        try:
            module = importlib.import_module(f"river.{module_info.name}")
        except ImportError:  # an optional dependency of River's is not there
            continue
        for name in getattr(module, "__all__", ()):
            thing = getattr(module, name, None)
            if (
                inspect.isclass(thing)
                and issubclass(thing, base.Classifier)
                and not inspect.isabstract(thing)
            ):
                found.setdefault(name, thing)
    return found


def _make_spec(text: str, stream: Stream, seed: int, common: Mapping[str, Any]) -> ModelSpec:
    head, *rest = text.split(":")
    if head.lower() == "river":
        name, settings = (rest[0] if rest else ""), rest[1:]
        return _river_spec(text, name, parse_settings(text, settings), stream, seed)
    return _own_spec(text, head, parse_settings(text, rest), stream, seed, common)


def _own_spec(
    text: str,
    name: str,
    settings: dict[str, Any],
    stream: Stream,
    seed: int,
    common: Mapping[str, Any],
) -> ModelSpec:
    package = importlib.import_module(__package__.partition(".")[0])
    public = {
        other: getattr(package, other)
        for other in getattr(package, "__all__", ())
        if inspect.isclass(getattr(package, other, None))
        and issubclass(getattr(package, other), base.Classifier)
    }
    short = methods()
    if name.lower() in short:
        method = short[name.lower()]
        cls, defaults = getattr(package, method.class_name), method.parameters
    else:
        found = {key.lower(): key for key in public}.get(name.lower())
        if found is None:
            raise EvaluationError(f"no model {name!r}{_hint(name, [*short, *public])}")
        cls, defaults = public[found], {}
    parameters = inspect.signature(cls).parameters
    taken = {key: value for key, value in common.items() if key in parameters}
    lacks = tuple(key for key in common if key not in parameters)
    for key in _DETECTORS:
        if isinstance(settings.get(key), str):
            settings[key] = make_detector(settings[key], seed)
    settings = {**defaults, **taken, **settings}
    if stream.nominal and "nominal_attributes" in parameters:
        settings.setdefault("nominal_attributes", list(stream.nominal))
    return ModelSpec(text, _maker(text, cls, settings, seed), own=True, lacks=lacks)


def _hint(name: str, own: Sequence[str]) -> str:
    for known in river_classifiers():
        if known.lower() == name.lower():
            return f"; did you mean river:{known}?"
    return did_you_mean(name, own) or f" (there are {', '.join([*own, 'river:NAME'])})"


def _river_spec(
    text: str, name: str, settings: dict[str, Any], stream: Stream, seed: int
) -> ModelSpec:
    known = river_classifiers()
    found = {key.lower(): key for key in known}.get(name.lower())
    if found is None:
        raise EvaluationError(f"no model river:{name}{did_you_mean(name, known)}")
    cls = known[found]
    make_plain = _maker(text, cls, settings, seed)
    one_vs_rest = not make_plain()._multiclass and not stream.has_true_false_labels
    takes_text = not cls.__module__.startswith(_NUMBERS_ONLY) or found in _TAKES_TEXT
    one_hot = bool(stream.text) and not takes_text
    scale = cls.__module__.startswith(_SCALE_MATTERS) and not takes_text

    def make() -> Any:
        model: Any = make_plain()
        if one_vs_rest:
            model = multiclass.OneVsRestClassifier(model)
        numeric: Any = compose.SelectType(Number)
        if scale:
            numeric = numeric | preprocessing.StandardScaler()
        if one_hot:
            return (compose.SelectType(str) | preprocessing.OneHotEncoder()) + numeric | model
        return preprocessing.StandardScaler() | model if scale else model

    around = [
        *(["OneHotEncoder"] if one_hot else []),
        *(["StandardScaler"] if scale else []),
        *(["OneVsRestClassifier"] if one_vs_rest else []),
    ]
    numeric_features = frozenset(stream.features) - stream.text
    return ModelSpec(text, make, _RiverFeatures(numeric_features), ", ".join(around))


def _maker(
    text: str, cls: type[Any], settings: dict[str, Any], seed: int
) -> Callable[[], base.Classifier]:
    """Return a function that makes the model, having made one to see that it can be made."""
    if "seed" in inspect.signature(cls).parameters:
        settings = {"seed": seed, **settings}
    check_settings(text, cls, settings)

    def make() -> base.Classifier:
        model: base.Classifier = cls(**settings)
        return model

    return make


@dataclass(frozen=True)
class _RiverFeatures:
    """Features as River's models take them: nothing missing, no text among a feature's numbers."""

    numeric: frozenset[Hashable]

    def __call__(self, x: dict[Any, Any]) -> dict[Any, Any]:
        return {
            feature: value
            for feature, value in x.items()
            if value is not None
            and value == value
            and not (feature in self.numeric and isinstance(value, str))
        }
