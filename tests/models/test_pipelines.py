"""Inside River's pipelines, unions and ensembles, and under its evaluation."""

from __future__ import annotations

import pickle

import pytest
from river import compose, datasets, drift, ensemble, evaluate, metrics, preprocessing, stream

from river_kdb import (
    AODEClassifier,
    BKDBClassifier,
    BNMixtureClassifier,
    CSBClassifier,
    KDBClassifier,
    KDFClassifier,
    SelectiveKDBClassifier,
    TANClassifier,
    UKDBClassifier,
)
from tests import datasets as own

CLASSES = [
    KDBClassifier,
    TANClassifier,
    AODEClassifier,
    KDFClassifier,
    SelectiveKDBClassifier,
    UKDBClassifier,
    CSBClassifier,
    BKDBClassifier,
    BNMixtureClassifier,
]


def play(model, events):
    """Test-then-train; returns the posteriors."""
    answers = []
    for x, y in events:
        answers.append(model.predict_proba_one(x))
        model.learn_one(x, y)
    return answers


@pytest.mark.parametrize("klass", CLASSES)
def test_select_sees_only_what_it_selects(klass):
    names = ("length", "colour", "flag")
    events = [({n: x.get(n) for n in (*names, "few")}, y) for x, y in own.mixed(200, seed=1)]
    piped = play(compose.Select(*names) | klass(), events)
    alone = play(klass(), [({n: x[n] for n in names}, y) for x, y in events])
    assert piped == alone


@pytest.mark.parametrize("klass", CLASSES)
def test_behind_a_scaler(klass):
    model = preprocessing.StandardScaler() | klass(grace_period=50)
    score = evaluate.progressive_val_score(
        datasets.ImageSegments().take(600), model, metrics.Accuracy()
    )
    assert score.get() > 0.6


@pytest.mark.parametrize("klass", CLASSES)
def test_behind_a_union(klass):
    union = compose.TransformerUnion(
        compose.SelectType(str), compose.SelectType(float, int) | preprocessing.MinMaxScaler()
    )
    model = union | klass()
    events = [
        ({"size": x.get("count") or 0, "colour": x.get("colour") or "none"}, y)
        for x, y in own.mixed(300, seed=2)
    ]
    answers = play(model, events)
    assert all(sum(p.values()) == pytest.approx(1.0) for p in answers[1:])
    lines = str(model[klass.__name__].summary).splitlines()
    kinds = dict(line.split()[:2] for line in lines if line.startswith(("colour", "size")))
    assert kinds == {"colour": "categorical", "size": "numeric"}


def test_union_by_operators():
    model = (compose.Select("count") | preprocessing.StandardScaler()) + compose.Select(
        "colour"
    ) | KDBClassifier()
    events = [
        ({"count": x.get("count") or 0, "colour": x.get("colour") or "none"}, y)
        for x, y in own.mixed(150, seed=3)
    ]
    assert set(play(model, events)[-1]) == {0, 1, 2}


@pytest.mark.parametrize("klass", CLASSES)
def test_bagging(klass):
    model = ensemble.BaggingClassifier(klass(grace_period=30), n_models=3, seed=1)
    score = evaluate.progressive_val_score(datasets.Phishing().take(400), model, metrics.Accuracy())
    assert score.get() > 0.75


@pytest.mark.parametrize("klass", CLASSES)
def test_bagged_members_share_nothing(klass):
    model = ensemble.BaggingClassifier(klass(), n_models=2, seed=1)
    first, second = model
    before = pickle.dumps(second)
    for x, y in datasets.Phishing().take(20):
        first.learn_one(x, y)
    assert pickle.dumps(second) == before


@pytest.mark.parametrize("klass", CLASSES)
def test_progressive_validation_with_several_metrics(klass):
    metric = metrics.Accuracy() + metrics.LogLoss()
    evaluate.progressive_val_score(datasets.Phishing().take(500), klass(), metric)
    accuracy, loss = metric.get()
    assert accuracy > 0.8
    assert loss < 0.6


def test_delayed_labels():
    """`progressive_val_score` with a delay keeps predictions and learns later."""
    score = evaluate.progressive_val_score(
        datasets.Phishing().take(400), KDBClassifier(), metrics.Accuracy(), delay=30
    )
    assert score.get() > 0.7


@pytest.mark.parametrize("klass", CLASSES)
def test_learn_many_through_a_pipeline(klass):
    pd = pytest.importorskip("pandas")
    events = list(datasets.Phishing().take(300))
    names = ["age_of_domain", "https", "is_popular", "long_url"]
    one = compose.Select(*names) | klass()
    many = compose.Select(*names) | klass()
    for x, y in events:
        one.learn_one(x, y)
    frame = pd.DataFrame([x for x, _ in events])
    labels = pd.Series([y for _, y in events])
    for start in range(0, 300, 75):
        many.learn_many(frame[start : start + 75], labels[start : start + 75])
    probabilities = many.predict_proba_many(frame)
    for t, (x, _) in enumerate(events):
        expected = one.predict_proba_one(x)
        assert probabilities.iloc[t].to_dict() == pytest.approx(expected, abs=1e-12)
    assert many.predict_many(frame).tolist() == [one.predict_one(x) for x, _ in events]


def test_learn_many_behind_a_scaler():
    pd = pytest.importorskip("pandas")
    events = list(datasets.Phishing().take(400))
    model = preprocessing.StandardScaler() | KDBClassifier()
    frame = pd.DataFrame([x for x, _ in events])
    labels = pd.Series([y for _, y in events])
    for start in range(0, 300, 50):
        model.learn_many(frame[start : start + 50], labels[start : start + 50])
    right = model.predict_many(frame[300:]).to_numpy() == labels[300:].to_numpy()
    assert right.mean() > 0.8


@pytest.mark.parametrize("klass", [KDBClassifier, AODEClassifier, UKDBClassifier])
def test_a_watched_model_behind_a_scaler(klass):
    model = preprocessing.StandardScaler() | klass(
        drift_detector=drift.ADWIN(), half_life=2000, forget="window", window_size=500
    )
    events = datasets.Phishing().take(600)
    assert evaluate.progressive_val_score(events, model, metrics.Accuracy()).get() > 0.8


def test_weights_through_a_pipeline():
    model = preprocessing.StandardScaler() | KDBClassifier()
    for x, y in datasets.Phishing().take(50):
        model.learn_one(x, y, w=2.0)
    assert sum(model.predict_proba_one({}).values()) == pytest.approx(1.0)


def test_iter_csv_gives_text(tmp_path):
    """A file read without converters is all text: every column is categorical."""
    path = tmp_path / "play.csv"
    lines = [f"{i % 3},{'yes' if i % 3 else 'no'},{i % 2}" for i in range(60)]
    path.write_text("a,b,y\n" + "\n".join(lines) + "\n")
    model = KDBClassifier(grace_period=20)
    play(model, stream.iter_csv(path, target="y"))
    assert {record.kind for record in model.summary.features} == {"categorical"}
