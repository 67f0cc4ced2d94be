"""Learn Parquet files with Spark, at once and as a stream: python examples/spark_train.py.

Needs `pip install "river-kdb[spark]"` and Java 17 or later.
"""

from __future__ import annotations

import tempfile
from itertools import islice
from pathlib import Path

import pandas as pd
from pyspark.sql import SparkSession
from river import datasets

from river_kdb import Checkpoint, KDBClassifier
from river_kdb.spark import BatchLearner, learn_frame, predict_frame

N_FILES, ROWS_A_FILE = 8, 2_500


def write_files(folder: Path) -> pd.DataFrame:
    """Write Parquet files of loans, and return as many rows as one of them to test with."""
    events = islice(datasets.synth.Agrawal(seed=42), (N_FILES + 1) * ROWS_A_FILE)
    rows = pd.DataFrame([{**x, "approved": bool(y)} for x, y in events])
    for i in range(N_FILES):
        part = rows[i * ROWS_A_FILE : (i + 1) * ROWS_A_FILE]
        part.to_parquet(folder / f"loans-{i}.parquet", index=False)
    return rows[-ROWS_A_FILE:]


def learn_stream(spark: SparkSession, files: Path, work: Path, model: KDBClassifier) -> object:
    """Learn the files as a stream, two at a time, and return the model that was stored."""
    checkpoint = Checkpoint(work / "loans.model")
    rows = spark.readStream.schema(spark.read.parquet(str(files)).schema)
    query = (
        rows.option("maxFilesPerTrigger", 2)
        .parquet(str(files))
        .writeStream.foreachBatch(BatchLearner(checkpoint, model, "approved"))
        .option("checkpointLocation", str(work / "position"))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    return checkpoint.load().model


def main() -> None:
    """Compare what Spark has learned with what one process has."""
    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    with tempfile.TemporaryDirectory() as work:
        files = Path(work) / "loans"
        files.mkdir()
        test = write_files(files)
        rows = pd.read_parquet(files)
        x, y = rows.drop(columns="approved"), rows["approved"]

        coding = KDBClassifier()
        coding.learn_many(x[::4], y[::4])
        coding.relearn()
        coding.freeze()

        alone = KDBClassifier().like(coding)
        alone.learn_many(x, y)
        alone.relearn()
        whole = KDBClassifier().like(coding)
        learn_frame(whole, spark.read.parquet(str(files)), "approved")
        streamed = learn_stream(spark, files, Path(work), KDBClassifier().like(coding))

        answers = alone.predict_proba_many(test)
        print("learned                     accuracy  largest difference of a probability")
        for name, model in (
            ("in one process", alone),
            ("by partitions", whole),
            ("by partitions, as a stream", streamed),
        ):
            difference = (model.predict_proba_many(test) - answers).abs().max().max()
            accuracy = (model.predict_many(test) == test["approved"]).mean()
            print(f"{name:26} {accuracy:9.4f}  {difference:g}")
        print()
        predict_frame(whole, spark.createDataFrame(test)).select(
            "salary", "age", "elevel", "prediction", "probabilities"
        ).show(3, truncate=False)
    spark.stop()


if __name__ == "__main__":
    main()
