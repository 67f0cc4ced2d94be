"""Models and metrics by their names."""

from __future__ import annotations

import math

import pytest
from river import base, compose, linear_model, multiclass, naive_bayes, tree

from river_kdb.evaluate import (
    EvaluationError,
    LogLoss,
    Stream,
    make_metrics,
    make_models,
    open_stream,
)
from river_kdb.evaluate.registry import river_classifiers


def stream_of(*events):
    return Stream.look_at("events", lambda: events)


NUMBERS = stream_of(({"a": 1.0}, "p"), ({"a": 2.0}, "q"), ({"a": 3.0}, "r"))
MIXED = stream_of(({"a": 1.0, "b": "x"}, "p"), ({"a": None, "b": "y"}, "q"))
BINARY = stream_of(({"a": 1.0}, True), ({"a": 2.0}, False))


def make(name, stream, **options):
    (spec,) = make_models([name], stream, **options)
    return spec


def test_river_model_as_it_is_where_it_takes_the_stream():
    assert type(make("river:GaussianNB", NUMBERS).make()) is naive_bayes.GaussianNB
    spec = make("river:hoeffdingtreeclassifier", MIXED)
    assert type(spec.make()) is tree.HoeffdingTreeClassifier
    assert spec.note == ""


def test_river_model_that_takes_no_text_gets_it_one_hot():
    spec = make("river:GaussianNB", MIXED)
    model = spec.make()
    assert isinstance(model, compose.Pipeline)
    assert spec.note == "OneHotEncoder"
    for x, y in MIXED:
        model.learn_one(spec.adapt(x), y)
    assert set(model.predict_proba_one({"a": 1.0, "b": "z"})) == {"p", "q"}


def test_binary_models_are_wrapped_unless_the_labels_are_true_and_false():
    model = make("river:LogisticRegression", NUMBERS).make()
    assert isinstance(model["OneVsRestClassifier"], multiclass.OneVsRestClassifier)
    model = make("river:LogisticRegression", BINARY).make()
    assert isinstance(model["LogisticRegression"], linear_model.LogisticRegression)


def test_what_river_models_are_given():
    adapt = make("river:HoeffdingTreeClassifier", MIXED).adapt
    assert adapt({"a": None, "b": "x"}) == {"b": "x"}
    assert adapt({"a": math.nan, "b": "x"}) == {"b": "x"}
    # Text in a numeric feature counts as missing; River has no mixed features
    assert adapt({"a": "high", "b": "x", "new": "y"}) == {"b": "x", "new": "y"}


def test_parameters_and_seed():
    spec = make("river:HoeffdingTreeClassifier:grace_period=33:split_criterion=gini", NUMBERS)
    assert spec.make().grace_period == 33
    assert spec.make().split_criterion == "gini"
    assert make("river:ARFClassifier", NUMBERS, seed=5).make().seed == 5
    assert make("river:ARFClassifier:seed=6", NUMBERS, seed=5).make().seed == 6


def test_each_call_makes_a_new_model():
    spec = make("river:GaussianNB", NUMBERS)
    assert spec.make() is not spec.make()


def test_twice_the_same_is_once():
    assert len(make_models(["river:GaussianNB", "river:GaussianNB"], NUMBERS)) == 1


def test_own_models():
    kdb, tan, aode, nb, one, named = make_models(
        ["kdb", "TAN", "aode", "nb", "kdb:k=1:smoothing=m-estimate", "tanclassifier"], MIXED
    )
    assert [type(s.make()).__name__ for s in (kdb, tan, aode, nb, one, named)] == [
        "KDBClassifier",
        "TANClassifier",
        "AODEClassifier",
        "KDBClassifier",
        "KDBClassifier",
        "TANClassifier",
    ]
    assert [spec.make().k for spec in (kdb, nb, one)] == [2, 0, 1]
    assert one.make().smoothing == "m-estimate"
    assert all(spec.own and spec.adapt is None for spec in (kdb, tan, aode, nb, one, named))


def test_own_models_are_told_what_is_nominal():
    stream = open_stream("synth:LED", nominal=["2"], limit=10)
    assert list(make("kdb", stream).make().nominal_attributes) == [2]
    assert make("kdb", NUMBERS).make().nominal_attributes is None


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("kdb:k=-1", "kdb:k=-1: .*k"),
        ("kdb:depth=1", "kdb:depth=1: no parameter 'depth'"),
        ("kbd", "did you mean kdb"),
        ("river:GausianNB", "no model river:GausianNB; did you mean GaussianNB"),
        ("river", "no model river:"),
        ("GaussianNB", "no model 'GaussianNB'; did you mean river:GaussianNB"),
        ("zzz", "no model 'zzz'"),
        ("river:GaussianNB:k=1", "river:GaussianNB:k=1: no parameter 'k'"),
        ("river:HoeffdingTreeClassifier:grace=1", "no parameter 'grace'"),
        ("river:HoeffdingTreeClassifier:grace_period", "not of the form parameter=value"),
        ("river:BaggingClassifier", "missing 1 required positional argument: 'model'"),
    ],
)
def test_unknown_models(name, message):
    with pytest.raises(EvaluationError, match=message):
        make_models([name], NUMBERS)


def test_no_models():
    with pytest.raises(EvaluationError, match="no model was given"):
        make_models([], NUMBERS)


def test_river_classifiers_are_classifiers():
    found = river_classifiers()
    assert {"GaussianNB", "KNNClassifier", "ARFClassifier", "PriorClassifier"} <= set(found)
    assert all(issubclass(cls, base.Classifier) for cls in found.values())


def test_metrics():
    made = make_metrics(["Accuracy", "kappa", "logloss", "MacroF1", "CrossEntropy"], NUMBERS)
    assert [type(metric).__name__ for metric in made.values()] == [
        "Accuracy",
        "CohenKappa",
        "LogLoss",
        "MacroF1",
        "CrossEntropy",
    ]
    assert isinstance(made["logloss"], LogLoss)
    assert make_metrics(["f1", "ROCAUC"], BINARY)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("acuracy", "no metric 'acuracy'; did you mean Accuracy"),
        ("confusionmatrix", "no metric"),
        ("f1", "for labels True and False; try MacroF1"),
        ("rocauc", "for labels True and False"),
    ],
)
def test_unknown_metrics(name, message):
    with pytest.raises(EvaluationError, match=message):
        make_metrics([name], NUMBERS)


def test_log_loss_counts_a_class_left_out_as_improbable():
    metric = LogLoss()
    metric.update("a", {})
    assert metric.get() == 0
    metric.update("a", {"a": 0.25, "b": 0.75})
    metric.update("b", {"a": 1.0})
    assert metric.get() == pytest.approx(math.log(4))
    metric.update("b", {"a": 1.0})
    assert metric.get() == pytest.approx((math.log(4) - math.log(1e-15)) / 2)
    assert not metric.bigger_is_better
