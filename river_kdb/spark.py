"""Learn from and predict Spark DataFrames (extra `spark`).

Every partition is counted where it lies, by a model of its own that shares the coding of the
driver's; what travels to the driver are counts. river_kdb has to be installed wherever Spark runs
Python. `river-kdb warmup` beforehand spares its workers compiling the kernels.
"""

from __future__ import annotations

import os
import warnings
from copy import deepcopy
from functools import partial
from itertools import islice
from typing import Any

from river_kdb.base import BNClassifier
from river_kdb.face import StreamClassifier
from river_kdb.parameters import check_count
from river_kdb.partitions import (
    PARTIAL,
    check_columns,
    check_countable,
    count_part,
    label_type,
    learn_chunk,
    n_events,
    predict_part,
    read_part,
)
from river_kdb.persist import from_bytes
from river_kdb.persist.checkpoint import Checkpoint

_ROWS_AT_ONCE = 10_000


def learn_frame(
    model: BNClassifier,
    frame: Any,
    target: str,
    weight: str | None = None,
    *,
    n_sample: int = 10_000,
    relearn: bool = True,
) -> None:
    """Learn the rows of a Spark DataFrame, without shuffling them.

    The partitions are counted side by side, and their counts are merged on the driver, one after
    the other; beside the model it holds two more of its size. As long as sums of the weights are
    exact, as those of whole numbers are, the tables are exactly those of one process: of a model
    with the same frozen coding that has learned the same rows by `learn_many`.

    A model that is not frozen is frozen by this. If it has learned nothing, it takes the coding of
    the features and a first structure from the first rows of the frame, which are counted with all
    others. So where rows are sorted, `freeze()` a model that has learned rows from everywhere
    first, or begin `like` it. A frame without rows changes nothing.

    Parameters
    ----------
    model
        Any classifier of the package but the mixture; without `half_life` and detectors of drift,
        which go by the order of events.
    frame
        A Spark DataFrame. All columns but label and weight are features: texts, truth values,
        numbers or bytes, missing where null. Dates and the like have to be cast or dropped.
    target
        Name of the column of labels.
    weight
        Name of the column of weights, 1 if None.
    n_sample
        How many of the first rows give the coding to a model that has learned nothing.
    relearn
        Whether to learn the structure anew, from all counts, at the end.

    Raises
    ------
    TypeError, ValueError
        For a model, column, value, label or weight that can't be learned; the model is as it was
        before.
    ImportError
        If PySpark is not installed.

    Examples
    --------
    >>> from river_kdb import KDBClassifier
    >>> from river_kdb.spark import learn_frame
    >>> frame = spark.createDataFrame(
    ...     [("sun", 2.5, "beach"), ("sun", 8.0, "sail"), ("rain", None, "museum")] * 100,
    ...     "weather string, wind double, trip string",
    ... )  # doctest: +SKIP
    >>> model = KDBClassifier(k=1)
    >>> learn_frame(model, frame, target="trip")  # doctest: +SKIP
    >>> model.predict_one({"weather": "sun", "wind": 7.5})  # doctest: +SKIP
    'sail'
    """
    check_countable(model)
    check_count("n_sample", n_sample, 1)
    _check_frame(frame, target, weight)
    coding = _coding(model, frame, target, weight, n_sample)
    if coding is None:
        return
    total = _merged(_counted(frame, model.clone().like(coding), target, weight))
    if total is None:
        return
    if not model.is_frozen:
        model.freeze() if n_events(model) else model.like(coding)
    model.merge(total)
    if relearn:
        model.relearn()


class BatchLearner:
    """Learns the batches of a Spark stream, each exactly once: a function for `foreachBatch`.

    Model and number of the last batch are stored together, in one atomic write after each batch.
    A batch that comes again after a crash is learned if it was not stored, and skipped if it was.
    The structure is learned anew after a batch in which the number of events passes a multiple of
    the model's `relearn_period`.

    Parameters
    ----------
    checkpoint
        Where model and number are stored. What is there already is gone on with.
    model
        The model to begin with if nothing is stored; it stays as it is.
    target, weight
        As in `learn_frame`.
    n_sample
        Events that a model is frozen after. Till then whole batches are learned on the driver, as
        in one process; only if the first one has that many rows, they give the coding, as in
        `learn_frame`, and all batches are counted by partitions.

    Raises
    ------
    TypeError, ValueError
        For a model that can't be learned in parts.

    Notes
    -----
    Numbers of batches are kept by Spark, in the `checkpointLocation` of the query. Where that
    folder is lost, they begin at 0 again, and batches are skipped till the last number stored is
    passed; there is a warning for each.

    Examples
    --------
    >>> from river_kdb import Checkpoint, KDBClassifier
    >>> from river_kdb.spark import BatchLearner
    >>> learner = BatchLearner(Checkpoint(folder / "trips.model"), KDBClassifier(), "trip")
    ... # doctest: +SKIP
    >>> rows = spark.readStream.schema(schema).parquet(str(folder / "in"))  # doctest: +SKIP
    >>> query = (
    ...     rows.writeStream.foreachBatch(learner)
    ...     .option("checkpointLocation", str(folder / "position"))
    ...     .trigger(availableNow=True)
    ...     .start()
    ... )  # doctest: +SKIP
    >>> query.awaitTermination()  # doctest: +SKIP
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        model: BNClassifier,
        target: str,
        weight: str | None = None,
        *,
        n_sample: int = 10_000,
    ) -> None:
        check_countable(model)
        check_count("n_sample", n_sample, 1)
        self.checkpoint = checkpoint
        self.target = target
        self.weight = weight
        self.n_sample = n_sample
        self._start = model.to_bytes()

    def __call__(self, batch: Any, batch_id: int) -> None:
        """Learn a batch and store it, unless it is stored already.

        Parameters
        ----------
        batch
            A Spark DataFrame.
        batch_id
            Its number; later batches have larger ones.

        Raises
        ------
        TypeError, ValueError
            For something that can't be learned; what is stored stays as it is.
        """
        saved = self.checkpoint.load()
        if saved is not None and type(saved.position) is not int:
            raise ValueError(
                f"the checkpoint {os.fspath(self.checkpoint.path)} is not of batches: its position "
                f"is {saved.position!r}"
            )
        if saved is not None and batch_id <= saved.position:
            if batch_id < saved.position:
                warnings.warn(
                    f"batch {batch_id} is skipped: batch {saved.position} was learned before; has "
                    "the query lost its checkpointLocation?",
                    UserWarning,
                    stacklevel=2,
                )
            return
        model: Any = from_bytes(self._start) if saved is None else saved.model
        if self._is_for_driver(model, batch):
            self._learn_here(model, batch)
        else:
            self._spread(model, batch)
        self.checkpoint.write(model, batch_id)

    def _is_for_driver(self, model: BNClassifier, batch: Any) -> bool:
        """Say whether a model has to see a batch itself, since it knows too little to be frozen."""
        if model.is_frozen or n_events(model) >= self.n_sample:
            return False
        return n_events(model) > 0 or len(batch.head(self.n_sample)) < self.n_sample

    def _learn_here(self, model: BNClassifier, batch: Any) -> None:
        _check_frame(batch, self.target, self.weight)
        rows = batch.toLocalIterator()
        while chunk := list(islice(rows, _ROWS_AT_ONCE)):
            _learn_rows(model, chunk, batch.columns, self.target, self.weight)
        if n_events(model) >= self.n_sample:
            model.relearn()
            model.freeze()

    def _spread(self, model: BNClassifier, batch: Any) -> None:
        before = n_events(model)
        learn_frame(model, batch, self.target, self.weight, n_sample=self.n_sample, relearn=False)
        if n_events(model) // model.relearn_period > before // model.relearn_period:
            model.relearn()


def predict_frame(model: StreamClassifier, frame: Any) -> Any:
    """Return a Spark DataFrame with the predictions of its rows, in two more columns.

    Parameters
    ----------
    model
        Any classifier of the package that has learned something, from labels of one type.
    frame
        A Spark DataFrame. Columns that are no features of the model are passed through.

    Returns
    -------
    The frame with `prediction`, the most probable label, and `probabilities`, a map from each
    label to its probability. It is lazy; what the model learns later does not matter to it.

    Raises
    ------
    TypeError
        If the labels have no type in Spark, or several.
    ValueError
        If the model has learned nothing or knows no column, or a column has one of the new names.
    ImportError
        If PySpark is not installed.

    Examples
    --------
    >>> from river_kdb.spark import predict_frame
    >>> rows = spark.createDataFrame([("sun", 7.5)], "weather string, wind double")
    ... # doctest: +SKIP
    >>> predict_frame(model, rows).first().prediction  # doctest: +SKIP
    'sail'
    """
    _check_is_frame(frame)
    from pyspark.sql import types

    if not model._learner.labels:
        raise ValueError("the model has learned nothing yet")
    kind = label_type(model._learner.labels)
    names = set(model.feature_names)
    if not names.intersection(frame.columns):
        raise ValueError(f"the model knows none of the columns {', '.join(frame.columns)}")
    for name in ("prediction", "probabilities"):
        if name in frame.columns:
            raise ValueError(f"there is a column {name!r} already; rename it")
    added: Any = types.StructType.fromDDL(f"prediction {kind}, probabilities map<{kind}, double>")
    schema = types.StructType([*frame.schema.fields, *added.fields])
    return frame.mapInArrow(partial(predict_part, model=model.to_bytes()), schema)


# On the driver -------------------------------------------------------------------------------


def _coding(model: BNClassifier, frame: Any, target: str, weight: str | None, n_sample: int) -> Any:
    """Return a frozen model for all partitions to be like, or None without any rows."""
    if model.is_frozen:
        return model
    if n_events(model):
        return deepcopy(model).freeze()
    rows = frame.head(n_sample)
    if not rows:
        return None
    scratch: Any = model.clone()
    _learn_rows(scratch, rows, frame.columns, target, weight)
    if not n_events(scratch):
        raise ValueError(f"the first {len(rows)} rows weigh nothing; take a larger n_sample")
    scratch.relearn()
    return scratch.freeze()


def _learn_rows(
    model: BNClassifier, rows: list[Any], columns: list[str], target: str, weight: str | None
) -> None:
    """Learn rows of a Spark DataFrame that have come to the driver."""
    import pandas as pd

    learn_chunk(model, pd.DataFrame.from_records(rows, columns=columns), target, weight)


def _counted(frame: Any, blank: Any, target: str, weight: str | None) -> Any:
    """Return a Spark DataFrame with the counts of each partition that has rows."""
    count = partial(count_part, blank=blank.to_bytes(), target=target, weight=weight)
    return frame.mapInPandas(count, PARTIAL)


def _merged(parts: Any) -> Any:
    """Return a model with the counts of all partitions, or None if there are none."""
    from pyspark import StorageLevel

    total: Any = None
    # an iterator alone would run one partition after the other
    parts = parts.persist(StorageLevel.DISK_ONLY)
    try:
        parts.write.format("noop").mode("overwrite").save()
        for counts, error in parts.toLocalIterator():
            counted = read_part(counts, error)
            total = counted if total is None else total.merge(counted)
    finally:
        parts.unpersist()
    return total


def _check_is_frame(frame: Any) -> None:
    try:
        from pyspark.sql import DataFrame
    except ImportError as error:
        raise ImportError('PySpark is missing: pip install "river-kdb[spark]"') from error
    if not isinstance(frame, DataFrame):
        raise TypeError(f"frame must be a Spark DataFrame, got {type(frame).__name__}")
    if frame.isStreaming:
        raise ValueError("frame is a stream; use writeStream.foreachBatch")
    twice = {name for name in frame.columns if frame.columns.count(name) > 1}
    if twice:
        raise ValueError(f"two columns are called {sorted(twice)[0]!r}")


def _check_frame(frame: Any, target: str, weight: str | None) -> None:
    _check_is_frame(frame)
    kinds = {field.name: field.dataType.typeName() for field in frame.schema.fields}
    check_columns(kinds, target, weight)
