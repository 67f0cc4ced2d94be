"""Frames: pandas and polars, every kind of column, equal to the loop over dicts."""

from __future__ import annotations

import dataclasses
import math
import pickle
from typing import Any

import numpy as np
import pytest
from river import drift

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
from tests import datasets

VARIANTS: dict[str, Any] = {
    "kdb": KDBClassifier,
    "kdb3": lambda **p: KDBClassifier(k=3, **p),
    "watan": lambda **p: TANClassifier(average="mi", **p),
    "aode": AODEClassifier,
    "kdf": KDFClassifier,
    "mmkdb": SelectiveKDBClassifier,
    "ukdb": UKDBClassifier,
    "csb": CSBClassifier,
    "bkdb": BKDBClassifier,
    "kdb-fades": lambda **p: KDBClassifier(half_life=20, **p),
    "aode-window": lambda **p: AODEClassifier(**{"window_size": 50, "forget": "window", **p}),
    "ukdb-watched": lambda **p: UKDBClassifier(drift_detector=drift.ADWIN(), **p),
}
# It has no joint probabilities, and to its regressions a late feature was not missing so far.
EVERY = VARIANTS | {
    "mixture": lambda **p: BNMixtureClassifier(
        [("kdb", 2, 4, None), ("kdb", 0, 6, 20), ("linear",)], **p
    )
}
CLOSE = 1e-12

# One row of plain values a line; None is missing.
ROWS: list[dict[str, Any]] = [
    {
        "text": None if t % 11 == 0 else "pqr"[t % 3],
        "kind": "xyz"[t * t % 3],
        "flag": t % 4 == 0,
        "maybe": None if t % 7 == 0 else t % 2 == 0,
        "count": None if t % 5 == 0 else t * t % 31,
        "whole": t * 7 % 45,
        "real": None if t % 6 == 0 else math.sin(t) * 3,
    }
    for t in range(160)
]
LABELS = [("a", "b", "c")[t * t % 7 % 3] for t in range(160)]


@pytest.fixture(params=EVERY)
def make(request):
    return EVERY[request.param]


@pytest.fixture(params=VARIANTS)
def make_network(request):
    return VARIANTS[request.param]


def looped(model: Any, rows: list = ROWS, labels: list = LABELS, weights: Any = None) -> Any:
    for t, (x, y) in enumerate(zip(rows, labels, strict=True)):
        model.learn_one(x, y, 1.0 if weights is None else weights[t])
    return model


def assert_same(a: Any, b: Any, rows: list = ROWS) -> None:
    for x in rows:
        assert a.predict_proba_one(x) == pytest.approx(b.predict_proba_one(x), abs=CLOSE)
    assert a.structure_edges() == b.structure_edges()
    # Not the whole summary: how much room the tables have depends on how they grew.
    assert list(map(rounded, a.summary.features)) == list(map(rounded, b.summary.features))


def rounded(feature: Any) -> Any:
    """A feature that comes late is counted at once: what has faded adds up in another order."""
    if isinstance(feature, tuple):  # a mixture tells nothing that has to be added up
        return feature
    missing, information = round(feature.missing, 12), round(feature.information, 12)
    return dataclasses.replace(feature, missing=missing, information=information)


# -- pandas --------------------------------------------------------------------------------------


def pandas_frames() -> dict[str, Any]:
    pd = pytest.importorskip("pandas")
    plain = pd.DataFrame(
        {name: pd.Series([x[name] for x in ROWS], dtype=object) for name in ROWS[0]}
    )
    natural = pd.DataFrame(ROWS).assign(
        text=plain["text"].astype("str" if pd.__version__ >= "3" else object)
    )
    nullable = plain.astype(
        {
            "text": "string",
            "kind": "category",
            "flag": "boolean",
            "maybe": "boolean",
            "count": "Int64",
            "whole": "int32",
            "real": "Float64",
        }
    )
    floats = plain.astype(
        {"kind": "category", "flag": bool, "count": float, "whole": "uint8", "real": float}
    )
    floats["text"] = plain["text"].astype("category")
    return {"object": plain, "natural": natural, "nullable": nullable, "floats": floats}


@pytest.fixture(params=["object", "natural", "nullable", "floats"])
def frame(request):
    return pandas_frames()[request.param]


def test_pandas_learns_as_the_loop_does(make, frame):
    pd = pytest.importorskip("pandas")
    model = make()
    model.learn_many(frame, pd.Series(LABELS))
    assert_same(model, looped(make()))


def test_pandas_in_pieces(make, frame):
    pd = pytest.importorskip("pandas")
    model, labels = make(), pd.Series(LABELS)
    for start, stop in ((0, 1), (1, 40), (40, 40), (40, 103), (103, 160)):
        model.learn_many(frame[start:stop], labels[start:stop])
    assert_same(model, looped(make()))


def test_pandas_predicts_as_the_loop_does(make, frame):
    model = looped(make())
    before = pickle.dumps(model)
    frame = frame.set_axis([f"row {t}" for t in range(160)])
    probabilities = model.predict_proba_many(frame)
    answers = model.predict_many(frame)
    for result in (probabilities, answers):
        assert type(result).__module__.startswith("pandas")
        assert list(result.index) == list(frame.index)
    assert list(probabilities.columns) == list(model.predict_proba_one(ROWS[0]))
    for t, x in enumerate(ROWS):
        row = probabilities.iloc[t].to_dict()
        assert row == pytest.approx(model.predict_proba_one(x), abs=CLOSE)
    assert answers.tolist() == [model.predict_one(x) for x in ROWS]
    assert pickle.dumps(model) == before


def test_pandas_joints_as_the_loop_has_them(make_network, frame):
    model = looped(make_network())
    frame = frame.set_axis([f"row {t}" for t in range(160)])
    joints = model.joint_log_likelihood_many(frame)
    assert type(joints).__module__.startswith("pandas")
    assert list(joints.index) == list(frame.index)
    for t, x in enumerate(ROWS):
        assert joints.iloc[t].to_dict() == pytest.approx(model.joint_log_likelihood(x), abs=1e-9)


def test_pandas_labels_stay_as_given():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(ROWS)
    for values in ([True, False], [3, 1], ["a", 7], [("x", 1), ("x", 2)]):
        labels = pd.Series([values[t % 2] for t in range(160)])
        model = KDBClassifier()
        model.learn_many(frame, labels)
        assert list(model.predict_proba_many(frame[:3]).columns) == values
        assert set(model.predict_many(frame).tolist()) <= set(values)
        assert set(model.predict_proba_one(ROWS[0])) == set(values)


@pytest.mark.parametrize("dtype", ["category", "string", "object"])
def test_pandas_kinds_of_labels(make, dtype):
    pd = pytest.importorskip("pandas")
    model = make()
    model.learn_many(pd.DataFrame(ROWS), pd.Series(LABELS, dtype=dtype))
    assert_same(model, looped(make()))
    assert set(map(type, model.predict_proba_one({}))) == {str}


def test_pandas_numbers_for_names(make):
    pd = pytest.importorskip("pandas")
    rows = [dict(enumerate(x.values())) for x in ROWS]
    model = make()
    model.learn_many(pd.DataFrame(rows), pd.Series(LABELS))
    reference = looped(make(), rows)
    assert_same(model, reference, rows)
    assert list(model.feature_names) == list(range(7))


def test_pandas_columns_that_come_and_go(make):
    pd = pytest.importorskip("pandas")
    names = list(ROWS[0])
    batches = [names[:3], names, names[3:], names[:1], [], names]
    many, one = make(grace_period=30), make(grace_period=30)
    for number, kept in enumerate(batches):
        rows = [{name: x[name] for name in kept} for x in ROWS[number * 25 : number * 25 + 25]]
        labels = LABELS[number * 25 : number * 25 + 25]
        frame = pd.DataFrame(rows, columns=kept, index=range(len(rows)))
        many.learn_many(frame, pd.Series(labels))
        looped(one, rows, labels)
    assert_same(many, one)


def test_pandas_order_of_columns_does_not_matter(make):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(ROWS)
    model = make()
    model.learn_many(frame[sorted(frame.columns, reverse=True)], pd.Series(LABELS))
    assert_same(model, looped(make()))


def test_pandas_index_of_the_labels_does_not_matter(make):
    """Rows and labels belong together by position, as in a loop."""
    pd = pytest.importorskip("pandas")
    model = make()
    model.learn_many(pd.DataFrame(ROWS), pd.Series(LABELS, index=range(159, -1, -1)))
    assert_same(model, looped(make()))


def test_pandas_nominal_attributes(make):
    pd = pytest.importorskip("pandas")
    names = ["count", "whole"]
    model = make(nominal_attributes=names, max_categories=64)
    model.learn_many(pd.DataFrame(ROWS), pd.Series(LABELS))
    assert_same(model, looped(make(nominal_attributes=names, max_categories=64)))


def test_pandas_text_among_numbers(make):
    pd = pytest.importorskip("pandas")
    rows = [
        {"a": "n/a" if t % 5 == 2 else t % 13, "b": [1.5, "x", None][t % 3]} for t in range(160)
    ]
    model = make()
    model.learn_many(pd.DataFrame(rows, dtype=object), pd.Series(LABELS))
    assert_same(model, looped(make(), rows), rows)


def test_frame_and_events_in_turn(make):
    pd = pytest.importorskip("pandas")
    model = looped(make(), ROWS[:50], LABELS[:50])
    model.learn_many(pd.DataFrame(ROWS[50:120]), pd.Series(LABELS[50:120]))
    looped(model, ROWS[120:], LABELS[120:])
    assert_same(model, looped(make()))


# -- polars --------------------------------------------------------------------------------------


def polars_frames() -> dict[str, Any]:
    pl = pytest.importorskip("polars")
    plain = pl.DataFrame(ROWS, schema_overrides={"real": pl.Float64}, infer_schema_length=None)
    kinds = pl.Enum(["z", "y", "x", "never"])
    typed = plain.with_columns(
        pl.col("text").cast(pl.Categorical),
        pl.col("kind").cast(kinds),
        pl.col("count").cast(pl.Int16),
        pl.col("whole").cast(pl.UInt8),
    )
    nans = plain.with_columns(
        pl.col("real").fill_null(float("nan")), pl.col("count").cast(pl.Float64)
    )
    return {"plain": plain, "typed": typed, "nans": nans}


@pytest.fixture(params=["plain", "typed", "nans"])
def polars_frame(request):
    return polars_frames()[request.param]


def test_polars_learns_as_the_loop_does(make, polars_frame):
    import polars as pl

    model = make()
    for start, stop in ((0, 1), (1, 40), (40, 40), (40, 103), (103, 160)):
        model.learn_many(polars_frame[start:stop], pl.Series(LABELS[start:stop], dtype=pl.String))
    assert_same(model, looped(make()))


def test_polars_predicts_as_the_loop_does(make, polars_frame):
    import polars as pl

    model = looped(make(), labels=[ord(y) for y in LABELS])
    probabilities = model.predict_proba_many(polars_frame)
    assert isinstance(probabilities, pl.DataFrame)
    answers = model.predict_many(polars_frame)
    assert isinstance(answers, pl.Series)
    for t, x in enumerate(ROWS):
        expected = {str(c): p for c, p in model.predict_proba_one(x).items()}
        assert probabilities.row(t, named=True) == pytest.approx(expected, abs=CLOSE)
    assert answers.to_list() == [model.predict_one(x) for x in ROWS]


def test_polars_joints_are_polars(make_network, polars_frame):
    import polars as pl

    joints = looped(make_network()).joint_log_likelihood_many(polars_frame)
    assert isinstance(joints, pl.DataFrame)
    assert joints.columns == ["a", "b", "c"]


@pytest.mark.parametrize("kind", ["Categorical", "String", "Enum"])
def test_polars_kinds_of_labels(make, kind):
    import polars as pl

    frame = polars_frames()["plain"]
    dtype = pl.Enum(["a", "b", "c"]) if kind == "Enum" else getattr(pl, kind)
    model = make()
    model.learn_many(frame, pl.Series(LABELS, dtype=dtype))
    assert_same(model, looped(make()))
    assert set(map(type, model.predict_proba_one({}))) == {str}


def test_polars_truth_values_for_labels(make):
    import polars as pl

    truths = [y == "a" for y in LABELS]
    model = make()
    model.learn_many(polars_frames()["plain"], pl.Series(truths))
    assert_same(model, looped(make(), labels=truths))
    assert set(model.predict_many(polars_frames()["plain"]).to_list()) <= {True, False}


def test_pandas_and_polars_in_turn(make):
    pd = pytest.importorskip("pandas")
    pl = pytest.importorskip("polars")
    model = make()
    model.learn_many(pd.DataFrame(ROWS[:80]), pd.Series(LABELS[:80]))
    model.learn_many(polars_frames()["typed"][80:], pl.Series(LABELS[80:]))
    assert_same(model, looped(make()))


# -- Every library's columns -----------------------------------------------------------------------


KINDS = [
    "arrow",
    "arrow dictionaries",
    "arrow in pandas",
    "arrow dictionaries in pandas",
    "categories",
    "strings",
    "polars",
]


def frames_of_all_kinds() -> dict[str, Any]:
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    pa = pytest.importorskip("pyarrow")
    table = pa.table({name: [x[name] for x in ROWS] for name in ROWS[0]})
    coded = [
        array.dictionary_encode() if name in ("text", "kind", "flag", "maybe") else array
        for name, array in zip(table.column_names, table.columns, strict=True)
    ]
    dictionaries = pa.table(coded, names=table.column_names)
    return {
        "arrow": table,
        "arrow dictionaries": dictionaries,
        "arrow in pandas": table.to_pandas(types_mapper=pd.ArrowDtype),
        "arrow dictionaries in pandas": dictionaries.to_pandas(types_mapper=pd.ArrowDtype),
        "categories": pd.DataFrame(ROWS).astype(dict.fromkeys(["text", "kind"], "category")),
        "strings": pd.DataFrame(ROWS).astype({"text": "string", "kind": "string[python]"}),
        "polars": pl.DataFrame(ROWS, infer_schema_length=None).with_columns(
            pl.col("real").cast(pl.Float32).cast(pl.Float64), pl.col("text").cast(pl.Categorical)
        ),
    }


def rows_in(frame: Any) -> list[dict[str, Any]]:
    """The rows of a frame, whose reals may be rounded."""
    table = frame.to_arrow() if hasattr(frame, "to_arrow") else frame
    if hasattr(table, "to_pylist"):
        return table.to_pylist()
    return ROWS


def piece(frame: Any, start: int, stop: int) -> Any:
    return frame.slice(start, stop - start) if hasattr(frame, "slice") else frame[start:stop]


@pytest.mark.parametrize("name", ["kdb", "ukdb", "mixture"])
@pytest.mark.parametrize("kind", KINDS)
def test_columns_of_every_kind_are_as_the_loop(name, kind):
    frame, many = frames_of_all_kinds()[kind], EVERY[name]()
    rows = rows_in(frame)
    for start, stop in ((0, 1), (1, 40), (40, 40), (40, 160)):
        many.learn_many(piece(frame, start, stop), LABELS[start:stop])
    one = looped(EVERY[name](), rows)
    assert_same(many, one, rows[::7])
    answers = many.predict_many(frame)
    answers = answers.to_pylist() if hasattr(answers, "to_pylist") else list(answers)
    assert answers == [one.predict_one(x) for x in rows]


def test_categories_that_come_late_and_go(make_network):
    """Rows are read ahead of what is due, but nothing of them is known before they come."""
    pd = pytest.importorskip("pandas")
    params = {"window_size": 40, "grace_period": 20, "relearn_period": 30, "max_categories": 3}
    rows = [{"a": f"{t // 25}", "b": "xy"[t * t % 5 % 2], "c": t % 7} for t in range(160)]
    rows = [x | {"d": None if t < 70 else "pq"[t % 2]} for t, x in enumerate(rows)]
    many, one = make_network(**params), make_network(**params)
    looped(one, rows)
    for start, stop in ((0, 10), (10, 130), (130, 160)):
        many.learn_many(pd.DataFrame(rows[start:stop], dtype="object"), LABELS[start:stop])
    assert_same(many, one, rows[::5])


def test_unused_categories_are_not_learned(make_network):
    pd = pytest.importorskip("pandas")
    dtype = pd.CategoricalDtype(["never", "z", "y", "x"])
    frame = pd.DataFrame({"kind": pd.Series([x["kind"] for x in ROWS], dtype=dtype)})
    model = make_network()
    model.learn_many(frame, LABELS)
    rows = [{"kind": x["kind"]} for x in ROWS]
    assert_same(model, looped(make_network(), rows), rows[::9])
    assert "never" not in model._learner.encoder.vocabularies[0]


# -- Threads ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_rows", [0, 1, 31, 150, 160])
def test_any_number_of_threads_gives_the_same_bits(make, n_rows, monkeypatch):
    pd = pytest.importorskip("pandas")
    monkeypatch.setattr("river_kdb.base._MEMBERS_WORTH_A_THREAD", 1)
    model = make()
    model.learn_many(pd.DataFrame(ROWS), LABELS)
    frame = pd.concat([pd.DataFrame(ROWS)] * 3)[: 3 * n_rows]
    before = pickle.dumps(model)
    expected = model.predict_proba_many(frame).to_numpy()
    assert len(expected) == 3 * n_rows
    for n_jobs in (2, 3, -1):
        model.n_jobs = n_jobs
        assert np.array_equal(model.predict_proba_many(frame).to_numpy(), expected)
    model.n_jobs = 1
    assert pickle.dumps(model) == before


def test_joints_in_threads(make_network, monkeypatch):
    pd = pytest.importorskip("pandas")
    monkeypatch.setattr("river_kdb.base._MEMBERS_WORTH_A_THREAD", 1)
    model = make_network()
    model.learn_many(pd.DataFrame(ROWS), LABELS)
    expected = model.joint_log_likelihood_many(pd.DataFrame(ROWS)).to_numpy()
    model.n_jobs = 2
    assert np.array_equal(model.joint_log_likelihood_many(pd.DataFrame(ROWS)).to_numpy(), expected)


def test_small_frames_start_no_threads(make, monkeypatch):
    pd = pytest.importorskip("pandas")
    model = make(n_jobs=4)
    model.learn_many(pd.DataFrame(ROWS), LABELS)
    monkeypatch.setattr("river_kdb.slices.ThreadPoolExecutor", None)
    assert len(model.predict_many(pd.DataFrame(ROWS[:100]))) == 100


@pytest.mark.parametrize("n_rows", [127, 128, 500])
def test_blocks_of_a_target_classifier_do_not_matter(n_rows, monkeypatch):
    pd = pytest.importorskip("pandas")
    model = UKDBClassifier()
    model.learn_many(pd.DataFrame(ROWS), LABELS)
    frame = pd.concat([pd.DataFrame(ROWS)] * 4)[:n_rows]
    expected = model.predict_proba_many(frame).to_numpy()
    monkeypatch.setattr("river_kdb.target._POSTERIORS_AT_ONCE", 3 * 64)
    assert np.array_equal(model.predict_proba_many(frame).to_numpy(), expected)


# -- Labels and weights in other forms -----------------------------------------------------------


@pytest.mark.parametrize("form", [list, tuple, np.array], ids=["list", "tuple", "array"])
def test_labels_and_weights_without_a_series(make, form):
    pd = pytest.importorskip("pandas")
    weights = [float(t % 3) for t in range(160)]
    model = make()
    model.learn_many(pd.DataFrame(ROWS), form(LABELS), form(weights))
    assert_same(model, looped(make(), weights=weights))


def test_weights_as_a_series(make):
    pd = pytest.importorskip("pandas")
    weights = [0.5 + t % 4 for t in range(160)]
    model = make()
    model.learn_many(pd.DataFrame(ROWS), pd.Series(LABELS), w=pd.Series(weights))
    assert_same(model, looped(make(), weights=weights))


def test_weights_nought_are_as_if_the_rows_were_not_there(make):
    pd = pytest.importorskip("pandas")
    weights = [float(t % 4 > 0) for t in range(160)]
    kept = [t for t in range(160) if weights[t]]
    model = make()
    model.learn_many(pd.DataFrame(ROWS), pd.Series(LABELS), weights)
    reference = looped(make(), [ROWS[t] for t in kept], [LABELS[t] for t in kept])
    assert_same(model, reference)


# -- Empty, fresh, impossible --------------------------------------------------------------------


def test_a_frame_without_rows_changes_nothing(make):
    pd = pytest.importorskip("pandas")
    model = looped(make())
    before = pickle.dumps(model)
    model.learn_many(pd.DataFrame(ROWS)[:0], pd.Series(LABELS)[:0])
    assert pickle.dumps(model) == before
    assert len(model.predict_proba_many(pd.DataFrame(ROWS)[:0])) == 0
    assert len(model.predict_many(pd.DataFrame(ROWS)[:0])) == 0


def test_a_fresh_model_answers_nothing(make):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(ROWS[:5], index=list("vwxyz"))
    model = make()
    probabilities = model.predict_proba_many(frame)
    assert list(probabilities.columns) == []
    assert list(probabilities.index) == list("vwxyz")
    answers = model.predict_many(frame)
    assert list(answers.index) == list("vwxyz")
    assert all(answer is None or answer != answer for answer in answers.tolist())


def test_a_fresh_model_answers_nothing_in_polars(make):
    frame = polars_frames()["plain"][:5]
    model = make()
    assert model.predict_proba_many(frame).columns == []
    assert model.predict_many(frame).to_list() == [None] * 5


def test_one_class(make):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(ROWS)
    model = make()
    model.learn_many(frame, ["only"] * 160)
    assert model.predict_proba_many(frame)["only"].tolist() == [1.0] * 160
    assert set(model.predict_many(frame).tolist()) == {"only"}


BAD_CELLS = {"a list": ["q"], "a dict": {}, "complex": 3 + 1j}


@pytest.mark.parametrize("value", BAD_CELLS.values(), ids=BAD_CELLS)
@pytest.mark.parametrize("column", ["text", "whole", "brand new"])
def test_a_bad_cell_in_a_late_row_leaves_no_trace(make, column, value):
    pd = pytest.importorskip("pandas")
    model = looped(make(), ROWS[:60], LABELS[:60])
    before = pickle.dumps(model)
    frame = pd.DataFrame(ROWS[60:], dtype=object).reset_index(drop=True)
    cells = list(frame[column]) if column in frame else ["fine"] * 100
    cells[97] = value
    frame[column] = pd.Series(cells, dtype=object)
    frame["kind"] = "a new category"
    with pytest.raises((TypeError, ValueError)) as caught:
        model.learn_many(frame, pd.Series(["a new class"] * 100))
    assert column in str(caught.value)
    assert repr(value) in str(caught.value)
    assert pickle.dumps(model) == before


@pytest.mark.parametrize("bad", [None, math.nan, [1]], ids=repr)
def test_a_bad_label_in_a_late_row_leaves_no_trace(make, bad):
    pd = pytest.importorskip("pandas")
    model = looped(make(), ROWS[:60], LABELS[:60])
    before = pickle.dumps(model)
    labels = pd.Series([*["a new class"] * 98, bad, "a"], dtype=object)
    with pytest.raises((TypeError, ValueError)):
        model.learn_many(pd.DataFrame(ROWS[60:]), labels)
    assert pickle.dumps(model) == before


@pytest.mark.parametrize("bad", [-1.0, math.nan, math.inf], ids=repr)
def test_a_bad_weight_in_a_late_row_leaves_no_trace(make, bad):
    pd = pytest.importorskip("pandas")
    model = looped(make(), ROWS[:60], LABELS[:60])
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match="w"):
        model.learn_many(pd.DataFrame(ROWS[60:]), LABELS[60:], [1.0] * 98 + [bad, 1.0])
    assert pickle.dumps(model) == before


def test_lengths_that_differ_are_refused(make):
    pd = pytest.importorskip("pandas")
    model = looped(make(), ROWS[:60], LABELS[:60])
    before = pickle.dumps(model)
    frame = pd.DataFrame(ROWS[60:])
    for labels, weights in ((LABELS[:99], None), ([*LABELS[60:], "a"], None)):
        with pytest.raises(ValueError, match=r"\d"):
            model.learn_many(frame, labels, weights)
    with pytest.raises(ValueError, match=r"\d"):
        model.learn_many(frame, LABELS[60:], [1.0] * 99)
    assert pickle.dumps(model) == before


def test_what_is_no_frame_is_refused(make):
    model = make()
    for not_a_frame in ([1, 2, 3], np.zeros((3, 2)), "text", None):
        with pytest.raises((TypeError, ValueError)):
            model.learn_many(not_a_frame, ["a", "b", "c"])
        with pytest.raises((TypeError, ValueError)):
            model.predict_proba_many(not_a_frame)


@pytest.mark.dense_only  # a feature that a frame has all the time may have been a parent earlier
def test_a_longer_stream_with_a_small_window(make_network):
    pd = pytest.importorskip("pandas")
    events = datasets.growing(400, seed=21)
    params = {"window_size": 50, "grace_period": 40, "relearn_period": 70, "max_categories": 3}
    many, one = make_network(**params), make_network(**params)
    looped(one, [x for x, _ in events], [y for _, y in events])
    names = sorted({name for x, _ in events for name in x})
    frame = pd.DataFrame([{name: x.get(name) for name in names} for x, _ in events], dtype=object)
    labels = pd.Series([y for _, y in events])
    for start in range(0, 400, 130):
        many.learn_many(frame[start : start + 130], labels[start : start + 130])
    assert_same(many, one, [x for x, _ in events[::5]])
