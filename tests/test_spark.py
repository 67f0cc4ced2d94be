"""Learning by partitions equals one process. Needs PySpark and Java; pytest -m slow."""

from __future__ import annotations

import doctest
import os
import shutil
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import river_kdb.spark
from river_kdb import AODEClassifier, Checkpoint, KDBClassifier, TANClassifier, from_bytes
from river_kdb.counts.merging import held_events
from river_kdb.partitions import n_events
from river_kdb.spark import BatchLearner, learn_frame, predict_frame
from tests.named_counts import tables_of

pytestmark = pytest.mark.slow

SCHEMA = "wind double, gusts int, sky string, warm boolean, trip string"
FEATURES = ["wind", "gusts", "sky", "warm"]
SAMPLE = 600


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    sql = pytest.importorskip("pyspark.sql")
    if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
        pytest.skip("there is no Java")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        session = (
            sql.SparkSession.builder.master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.ui.showConsoleProgress", "false")
            .config("spark.ui.liveUpdate.period", "0")
            .config("spark.sql.execution.arrow.maxRecordsPerBatch", "250")
            .config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("warehouse")))
            .getOrCreate()
        )
        session.sparkContext.setLogLevel("OFF")
        yield session
        session.stop()


def test_pyspark_is_imported_by_who_uses_it_only(monkeypatch):
    code = "import sys, river_kdb, river_kdb.spark; sys.exit('pyspark' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    for use in (lambda: learn_frame(KDBClassifier(), None, "y"), lambda: predict_frame(None, None)):
        with pytest.raises(ImportError, match=r"river-kdb\[spark\]"):
            use()


def make_rows(n, seed=0, with_late=True):
    """Return trips; the last tenth brings a category and a label that were not there before."""
    random = np.random.default_rng(seed)
    wind, gusts = random.normal(6, 3, n).round(2), random.integers(0, 12, n)
    sky, warm = random.choice(["sun", "rain", "cloud"], n), random.random(n) < 0.6
    trip = np.where(
        wind + gusts / 4 > 8, "sail", np.where(warm & (sky != "rain"), "beach", "museum")
    )
    rows = pd.DataFrame(
        {"wind": wind, "gusts": gusts, "sky": sky, "warm": warm, "trip": trip}
    ).astype(object)
    if with_late:
        late = np.arange(n) >= n - n // 10
        rows.loc[late & (random.random(n) < 0.4), ["sky", "trip"]] = ["snow", "ski"]
    for name in FEATURES:
        rows.loc[random.random(n) < 0.08, name] = None
    return rows


def spread(spark, rows, n_partitions):
    cells = spark.sparkContext.parallelize(rows.values.tolist(), n_partitions)
    return spark.createDataFrame(cells, SCHEMA)


def coded(make, rows):
    """Return a model without events, its coding that of some rows."""
    coding = make()
    coding.learn_many(rows[FEATURES], rows["trip"])
    coding.relearn()
    return make().like(coding.freeze())


def window_of(model):
    return held_events(model._learner.store)


def assert_same(model, other, rows):
    assert n_events(model) == n_events(other)
    assert model.structure_edges() == other.structure_edges()
    assert tables_of(model) == tables_of(other)
    for events in (0, 3, 4):  # raw rows, weights and what counts of them, oldest first
        np.testing.assert_array_equal(window_of(model)[events], window_of(other)[events])
    answers = model.predict_proba_many(rows[FEATURES])
    pd.testing.assert_frame_equal(
        answers, other.predict_proba_many(rows[FEATURES]), check_exact=True
    )
    assert answers.shape == (len(rows), 4)


@pytest.mark.parametrize(
    "make",
    [
        KDBClassifier,
        AODEClassifier,
        TANClassifier,
        lambda: KDBClassifier(k=0),
        lambda: KDBClassifier(window_size=700, missing="skip"),
    ],
    ids=["KDB", "AODE", "TAN", "NB", "small-window"],
)
def test_partitions_equal_one_process(spark, make):
    rows = make_rows(2_000)
    alone = coded(make, rows[:SAMPLE])
    alone.learn_many(rows[FEATURES], rows["trip"])
    alone.relearn()
    for n_partitions in (2, 5):
        model = make()
        learn_frame(model, spread(spark, rows, n_partitions), "trip", n_sample=SAMPLE)
        assert model.is_frozen
        assert_same(model, alone, rows)


def test_a_model_that_has_learned_goes_on(spark):
    rows = make_rows(1_500, seed=1)
    model, alone = KDBClassifier(), KDBClassifier()
    for one in (model, alone):
        one.learn_many(rows[FEATURES][:500], rows["trip"][:500])
    alone.freeze().learn_many(rows[FEATURES][500:], rows["trip"][500:])
    learn_frame(model, spread(spark, rows[500:], 3), "trip", relearn=False)
    assert_same(model, alone, rows)


def test_more_partitions_than_rows_and_no_rows(spark):
    rows = make_rows(5, seed=2, with_late=False)
    sample = make_rows(100)
    model, alone = coded(KDBClassifier, sample), coded(KDBClassifier, sample)
    alone.learn_many(rows[FEATURES], rows["trip"])
    learn_frame(model, spread(spark, rows, 8), "trip", relearn=False)
    assert_same(model, alone, sample)
    before = model.to_bytes()
    learn_frame(model, spread(spark, rows[:0], 2), "trip")
    assert model.to_bytes() == before
    empty = KDBClassifier()
    learn_frame(empty, spread(spark, rows[:0], 2), "trip")
    assert empty.to_bytes() == KDBClassifier().to_bytes()


def test_weights_and_columns_of_numbers(spark):
    """Decimals are numbers; whole numbers stay exact beside nulls."""
    big = 2**53 + 1
    cells = [(big + k % 3, k % 4 or None, k % 3, float(k % 3)) for k in range(300)]
    frame = spark.createDataFrame(cells, "big long, part int, y int, w double")
    frame = frame.withColumn("price", frame.part.cast("decimal(9,2)"))
    model = KDBClassifier(nominal_attributes=["big"])
    learn_frame(model, frame, "y", "w")
    assert model._learner.labels == [1, 2]
    assert n_events(model) == 200
    assert model.p_class(2) > 0.6
    assert model.feature_names == ["big", "part", "price"]
    assert model.predict_proba_one({"big": big + 1})[1] > 0.9
    by_price = [model.predict_proba_one({"price": price}) for price in (1, 1.0)]
    assert by_price[0] == by_price[1]


def test_what_cannot_be_learned_changes_nothing(spark):
    rows = make_rows(400, seed=3)
    learned, empty = coded(KDBClassifier, rows), KDBClassifier()
    learned.learn_many(rows[FEATURES], rows["trip"])
    rows.loc[390, "trip"] = None
    frame = spread(spark, rows, 4)
    for model, n_sample in ((learned, 100), (empty, 100), (empty, 1_000)):
        before = model.to_bytes()
        with pytest.raises(ValueError, match="column 'trip' holds nulls"):
            learn_frame(model, frame, "trip", n_sample=n_sample)
        assert model.to_bytes() == before
    with pytest.raises(ValueError, match="n_sample must be"):
        learn_frame(empty, frame, "trip", n_sample=0)
    with pytest.raises(ValueError, match="no column 'w'"):
        learn_frame(empty, frame, "trip", "w")
    with pytest.raises(ValueError, match="two columns are called 'sky'"):
        learn_frame(empty, frame.select("sky", "sky", "trip"), "trip")
    with pytest.raises(TypeError, match="Spark DataFrame, got DataFrame"):
        learn_frame(empty, rows, "trip")
    with pytest.raises(ValueError, match="foreachBatch"):
        learn_frame(empty, spark.readStream.format("rate").load(), "value")


def shuffled(spark):
    """Return how many bytes all stages so far have written for others to read."""
    context = spark.sparkContext._jsc.sc()
    context.listenerBus().waitUntilEmpty()
    return context.statusStore().executorSummary("driver").totalShuffleWrite()


def test_rows_are_never_shuffled(spark):
    frame = spread(spark, make_rows(1_000, seed=4), 4)
    before = shuffled(spark)
    model = KDBClassifier()
    learn_frame(model, frame, "trip", n_sample=700)
    assert predict_frame(model, frame).toPandas()["prediction"].notna().all()
    assert shuffled(spark) == before
    counted = river_kdb.spark._counted(frame, KDBClassifier().like(model), "trip", None)
    for lazy in (counted, predict_frame(model, frame)):
        assert "Exchange" not in lazy._jdf.queryExecution().toString()
    frame.groupBy("sky").count().collect()
    assert shuffled(spark) > before


def test_predictions_are_those_of_the_model(spark):
    rows = make_rows(300, seed=5).reset_index()
    model = KDBClassifier()
    model.learn_many(rows[FEATURES], rows["trip"])
    cells = spark.sparkContext.parallelize(rows.values.tolist(), 3)
    frame = spark.createDataFrame(cells, f"index long, {SCHEMA}")
    answers = predict_frame(model, frame)
    assert answers.columns == [*frame.columns, "prediction", "probabilities"]
    found = answers.collect()
    assert [tuple(row)[:-2] for row in found] == [tuple(row) for row in frame.collect()]
    assert [row.prediction for row in found] == model.predict_many(rows[FEATURES]).tolist()
    shares = model.predict_proba_many(rows[FEATURES])
    # by blocks of other sizes logarithms are rounded otherwise
    given = [[row.probabilities[label] for label in shares.columns] for row in found]
    np.testing.assert_allclose(given, shares.to_numpy(), rtol=1e-12)
    with pytest.raises(ValueError, match="'prediction' already"):
        predict_frame(model, answers)
    with pytest.raises(ValueError, match="none of the columns index"):
        predict_frame(model, frame.select("index"))
    with pytest.raises(ValueError, match="has learned nothing"):
        predict_frame(KDBClassifier(), frame)


# Streams -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trips")
    types = {"wind": float, "gusts": "Int32", "sky": "str", "warm": "boolean", "trip": "str"}
    for i in range(6):
        rows = make_rows(400, seed=10 + i, with_late=i == 4)
        rows.astype(types).to_parquet(folder / f"{i}.parquet", index=False)
    return folder


def stream(spark, files, learner, position):
    query = (
        spark.readStream.schema(SCHEMA)
        .option("maxFilesPerTrigger", 2)
        .parquet(str(files))
        .writeStream.foreachBatch(learner)
        .option("checkpointLocation", str(position))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()


def test_a_stream_equals_one_process(spark, files, tmp_path):
    checkpoint, batches = Checkpoint(tmp_path / "model"), []
    learner = BatchLearner(checkpoint, KDBClassifier(), "trip", n_sample=500)

    def learn(batch, batch_id):
        batches.append(batch.toPandas())
        learner(batch, batch_id)

    stream(spark, files, learn, tmp_path / "position")
    assert [len(batch) for batch in batches] == [800, 800, 800]
    alone = coded(KDBClassifier, batches[0][:500])
    for batch in batches:
        alone.learn_many(batch[FEATURES], batch["trip"])
        if n_events(alone) > 800:  # 1,000 and 2,000 are passed
            alone.relearn()
    assert checkpoint.load().position == 2
    assert_same(checkpoint.load().model, alone, pd.concat(batches))


def test_a_batch_that_was_stored_changes_nothing(spark, tmp_path):
    checkpoint, frame = Checkpoint(tmp_path / "model"), spread(spark, make_rows(300), 2)
    start = KDBClassifier()
    learner = BatchLearner(checkpoint, start, "trip", n_sample=300)
    learner(frame, 0)
    learner(frame, 1)
    stored = (tmp_path / "model").read_bytes()
    learner(frame, 1)
    BatchLearner(checkpoint, start, "trip")(frame, 1)
    with pytest.warns(UserWarning, match="batch 0 is skipped: batch 1 was learned before"):
        learner(frame, 0)
    assert (tmp_path / "model").read_bytes() == stored
    assert n_events(checkpoint.load().model) == 600
    assert not n_events(start)
    checkpoint.write(start, {"id": 2})
    with pytest.raises(ValueError, match="is not of batches"):
        learner(frame, 2)


def test_a_crash_between_learning_and_storing_is_made_good(spark, files, tmp_path):
    class Crashing(Checkpoint):
        def write(self, model, position):
            if position == 1 and not (tmp_path / "crashed").exists():
                (tmp_path / "crashed").touch()
                raise OSError("the disk is full")
            super().write(model, position)

    for name, kind in (("whole", Checkpoint), ("crashed-model", Crashing)):
        learner = BatchLearner(kind(tmp_path / name), KDBClassifier(), "trip", n_sample=500)
        if kind is Crashing:
            with pytest.raises(Exception, match="the disk is full"):
                stream(spark, files, learner, tmp_path / f"{name}-position")
            assert Checkpoint(tmp_path / name).load().position == 0
        stream(spark, files, learner, tmp_path / f"{name}-position")
    assert (tmp_path / "crashed-model").read_bytes() == (tmp_path / "whole").read_bytes()


def test_a_batch_that_cannot_be_learned_leaves_what_is_stored(spark, tmp_path):
    checkpoint, rows = Checkpoint(tmp_path / "model"), make_rows(300)
    learner = BatchLearner(checkpoint, KDBClassifier(), "trip", n_sample=300)
    learner(spread(spark, rows, 2), 0)
    stored = (tmp_path / "model").read_bytes()
    rows.loc[299, "trip"] = None
    with pytest.raises(ValueError, match="column 'trip' holds nulls"):
        learner(spread(spark, rows, 2), 1)
    assert (tmp_path / "model").read_bytes() == stored


def test_small_batches_are_learned_on_the_driver_till_the_coding_is_known(spark, tmp_path):
    checkpoint, rows = Checkpoint(tmp_path / "model"), make_rows(900, seed=6)
    learner, alone = (
        BatchLearner(checkpoint, KDBClassifier(), "trip", n_sample=300),
        KDBClassifier(),
    )
    parts = [rows[:0], rows[:20], rows[20:140], rows[140:600], rows[600:]]
    for batch_id, part in enumerate(parts):
        learner(spread(spark, part, 3), batch_id)
        alone.learn_many(part[FEATURES], part["trip"])
        assert checkpoint.load().position == batch_id
        assert checkpoint.load().model.is_frozen == (batch_id > 2)
        if batch_id == 3:
            alone.relearn()
            alone.freeze()
    assert_same(checkpoint.load().model, alone, rows)


def test_the_examples_of_the_docstrings(spark, tmp_path):
    """They are skipped where there is no session, and run here."""
    rows = make_rows(200)
    (tmp_path / "in").mkdir()
    rows.astype({"wind": float, "gusts": "Int32", "warm": "boolean"}).to_parquet(
        tmp_path / "in" / "rows.parquet", index=False
    )
    names = {"spark": spark, "folder": tmp_path, "schema": SCHEMA}
    for found in doctest.DocTestFinder().find(river_kdb.spark, extraglobs=names):
        for example in found.examples:
            example.options.clear()
        if found.name.endswith("predict_frame"):
            found.globs["model"] = names["model"]
        runner = doctest.DocTestRunner()
        runner.run(found, clear_globs=False)
        assert not runner.summarize(verbose=False).failed
        names.update({k: v for k, v in found.globs.items() if k == "model"})
    assert from_bytes(names["model"].to_bytes()).n_relearns
