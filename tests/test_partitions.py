from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from river import drift

from river_kdb import BNMixtureClassifier, KDBClassifier
from river_kdb.partitions import (
    check_columns,
    check_countable,
    count_part,
    label_type,
    predict_part,
    read_part,
)
from tests.named_counts import tables_of

KINDS = {"wind": "double", "sun": "boolean", "trip": "string", "n": "integer"}


def rows_of(n, seed=3):
    random = np.random.default_rng(seed)
    wind, sun = random.integers(0, 10, n).astype(float), random.random(n) < 0.5
    trip = np.where(wind > 6, "sail", np.where(sun, "beach", "museum"))
    wind[random.random(n) < 0.1] = math.nan
    return pd.DataFrame({"wind": wind, "sun": sun, "trip": trip})


def taught(rows, **parameters):
    model = KDBClassifier(k=1, **parameters)
    model.learn_many(rows.drop(columns="trip"), rows["trip"])
    model.relearn()
    return model


def counted(chunks, blank, target="trip", weight=None):
    return [
        (part["counts"][0], part["error"][0])
        for part in count_part(iter(chunks), blank.to_bytes(), target, weight)
    ]


@pytest.fixture(scope="module")
def blank():
    return KDBClassifier(k=1).like(taught(rows_of(200)).freeze())


def test_parts_of_several_chunks_add_up_to_one_process(blank):
    rows = rows_of(500, seed=4)
    alone = KDBClassifier(k=1).like(blank)
    alone.learn_many(rows.drop(columns="trip"), rows["trip"])
    first = counted([rows[:7], rows[7:200]], blank)
    second = counted([rows[200:]], blank)
    assert [error for _, error in first + second] == [None, None]
    total = read_part(*first[0]).merge(read_part(*second[0]))
    assert total.predict_proba_many(rows).equals(alone.predict_proba_many(rows))
    total.relearn()
    alone.relearn()
    assert total.predict_proba_many(rows).equals(alone.predict_proba_many(rows))


def test_a_column_may_be_empty_in_the_sample_and_in_a_part():
    sample, rows = rows_of(100), rows_of(400, seed=5)
    model = KDBClassifier(k=1).like(taught(sample.assign(wind=math.nan, rain=None)).freeze())
    rows["rain"] = [None, "some", "much", None] * 100
    rows.loc[:199, "wind"] = math.nan
    rows.loc[200:, "rain"] = None
    parts = [counted([chunk], model)[0] for chunk in (rows[:200], rows[200:])]
    total = read_part(*parts[0]).merge(read_part(*parts[1]))
    model.learn_many(rows.drop(columns="trip"), rows["trip"])
    assert tables_of(total) == tables_of(model)
    assert total.predict_proba_many(rows).equals(model.predict_proba_many(rows))


def test_a_part_without_rows_gives_nothing(blank):
    assert counted([], blank) == []
    assert counted([rows_of(3)[:0]], blank) == []


def test_weights_count(blank):
    rows = rows_of(50)
    [(doubled, _)] = counted([rows.assign(w=2)], blank, weight="w")
    [(twice, _)] = counted([rows, rows], blank)
    answers = [read_part(part, None).predict_proba_many(rows) for part in (doubled, twice)]
    assert answers[0].equals(answers[1])


@pytest.mark.parametrize(
    ("change", "weight", "kind", "words"),
    [
        ({"trip": None}, None, ValueError, "column 'trip' holds nulls"),
        ({"w": -1.0}, "w", ValueError, "column 'w': w must be .*not negative, got -1.0"),
        ({"w": math.nan}, "w", ValueError, "column 'w': w must be .*, got nan"),
        ({"wind": [1, 2]}, None, TypeError, "wind"),
    ],
)
def test_what_is_wrong_in_a_row_is_told_and_raised_by_who_reads(blank, change, weight, kind, words):
    rows = rows_of(5).astype(object).assign(w=1.0)
    for name, value in change.items():
        rows.at[3, name] = value
    [(counts, error)] = counted([rows], blank, weight=weight)
    assert counts is None
    with pytest.raises(kind, match=words):
        read_part(counts, error)


def test_a_classifier_without_one_set_of_counts_is_refused():
    with pytest.raises(TypeError, match="BNMixtureClassifier can't be learned in parts"):
        check_countable(BNMixtureClassifier())
    with pytest.raises(TypeError, match="str can't be learned in parts"):
        check_countable("model")


@pytest.mark.parametrize(("name", "value"), [("half_life", 100), ("drift_detector", drift.ADWIN())])
def test_a_model_that_goes_by_the_order_of_events_is_refused(name, value):
    with pytest.raises(ValueError, match=f"{name} must be None: it goes by the order"):
        check_countable(KDBClassifier(**{name: value}))


@pytest.mark.parametrize(
    ("kinds", "target", "weight", "kind", "words"),
    [
        ({}, "y", None, ValueError, "no column 'y', only wind, sun, trip, n"),
        ({}, "trip", "w", ValueError, "no column 'w'"),
        ({}, "trip", "trip", ValueError, "'trip' can't be both"),
        ({"trip": "date"}, "trip", None, TypeError, "'trip' of type date can't be a label"),
        ({}, "trip", "sun", TypeError, "'sun' of type boolean can't be a weight"),
        ({"at": "timestamp"}, "trip", None, TypeError, "'at' of type timestamp is no feature"),
        ({"list": "array"}, "trip", None, TypeError, "'list' of type array is no feature"),
    ],
)
def test_columns_that_cannot_be_learned_are_named(kinds, target, weight, kind, words):
    with pytest.raises(kind, match=words):
        check_columns({**KINDS, **kinds}, target, weight)


def test_columns_that_can_be_learned_pass():
    check_columns({**KINDS, "price": "decimal", "empty": "void"}, "sun", "n")


@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        (["a", np.str_("b")], "string"),
        ([True, np.bool_(False)], "boolean"),
        ([1, np.int64(2)], "bigint"),
        ([0.5], "double"),
    ],
)
def test_labels_of_one_type_have_one_in_spark(labels, kind):
    assert label_type(labels) == kind


@pytest.mark.parametrize("labels", [[1, True], ["a", 1], [("a", 1)]])
def test_other_labels_are_refused(labels):
    with pytest.raises(TypeError, match="labels must be all"):
        label_type(labels)


@pytest.mark.parametrize("as_label", [str, lambda trip: trip == "sail", len, lambda t: len(t) / 2])
def test_predictions_are_those_of_the_model_beside_all_columns(as_label):
    rows = rows_of(60).assign(at=pd.Timestamp("2026-01-02"))
    model = taught(rows.drop(columns="at").assign(trip=rows["trip"].map(as_label)))
    batches = pa.Table.from_pandas(rows, preserve_index=False).to_batches(max_chunksize=25)
    answers = pa.Table.from_batches(list(predict_part(iter(batches), model.to_bytes())))
    assert answers.select(rows.columns.tolist()).equals(pa.Table.from_batches(batches))
    assert answers["prediction"].to_pylist() == model.predict_many(rows).tolist()
    chunks = [model.predict_proba_many(rows[start : start + 25]) for start in (0, 25, 50)]
    shares = pd.concat(chunks)
    assert answers["probabilities"].to_pylist() == [
        list(zip(shares.columns, row, strict=True)) for row in shares.to_numpy().tolist()
    ]


def test_a_batch_without_rows_keeps_its_columns(blank):
    rows = pa.Table.from_pandas(rows_of(4), preserve_index=False)
    model = taught(rows_of(40)).to_bytes()
    [some] = predict_part(rows.to_batches(), model)
    none = list(predict_part([rows.to_batches()[0].slice(0, 0)], model))
    assert all(batch.num_rows == 0 and batch.schema.equals(some.schema) for batch in none)
