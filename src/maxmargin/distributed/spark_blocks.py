"""Rows of a Spark data frame: their checks, and blocks that are reduced where they are.

The rows are a column of arrays and a column of weights. A function is applied to the
record batches of a partition with ``mapInArrow``. What it returns, sums over the rows
of a batch, is pickled and collected in the order of the partitions and batches.
"""

import pickle
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from pyarrow import compute
from pyspark import TaskContext
from pyspark.ml.functions import vector_to_array
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from maxmargin.distributed.arrow_rows import NOT_FINITE, check_lengths, matrix_of
from maxmargin.distributed.block_functions import (
    Block,
    RemoteSource,
    check_weight_range,
    every_row,
    merge_blocks,
    reduce_block,
    replace_rows,
    take_all,
    take_weighted_rows,
)
from maxmargin.rows.blocks import Blocks, Reduction
from maxmargin.rows.sample import draw_positions

FEATURES, WEIGHT = "features", "weight"
_PARTS = "part int, batch long, value binary"
_NUMBERS = (T.NumericType, T.BooleanType)


def feature_column(frame: DataFrame, columns: str | list[str]) -> Any:
    """Return the features of a data frame as one column of arrays.

    ``columns`` is the name of a column of vectors or arrays, or the names of numeric
    columns.
    """
    if not isinstance(columns, str):
        for name in columns:
            _check_number(frame, name)
        return F.array(*(F.col(_quoted(name)).cast("double") for name in columns))
    kind = frame.schema[columns].dataType
    if isinstance(kind, T.ArrayType) and isinstance(kind.elementType, _NUMBERS):
        return F.col(_quoted(columns)).cast("array<double>")
    if isinstance(kind, T.UserDefinedType):
        return vector_to_array(F.col(_quoted(columns)))
    raise ValueError(
        f"Column {columns!r} is of type {kind.simpleString()}: give a column of "
        "vectors or arrays of numbers, or a list of numeric columns, as featuresCol."
    )


def _check_number(frame: DataFrame, name: str) -> None:
    kind = frame.schema[name].dataType
    if not isinstance(kind, _NUMBERS):
        raise ValueError(
            f"Column {name!r} is of type {kind.simpleString()}: encode it as numbers, "
            "or leave it out."
        )


def _quoted(name: str) -> str:
    """Return a name that may have dots as Spark wants it."""
    return "`" + name.replace("`", "``") + "`"


def select_rows(
    frame: DataFrame, columns: str | list[str], weight: str | None
) -> DataFrame:
    """Return a data frame of features and weights alone."""
    own = F.lit(1.0)
    if weight is not None:
        _check_number(frame, weight)
        own = F.col(_quoted(weight)).cast("double")
    features = feature_column(frame, columns)
    return frame.select(features.alias(FEATURES), own.alias(WEIGHT))


class Survey(NamedTuple):
    """What is known of the rows of a partition."""

    n_rows: int
    lengths: frozenset[int]  # of the arrays
    n_invalid: int  # rows with missing or infinite values
    smallest_weight: float
    weight: float


def _survey_task(part: int, batches: Iterator[Any]) -> Iterator[Survey]:
    for batch in batches:
        if batch.num_rows == 0:
            continue
        features, weights = batch.column(FEATURES), batch.column(WEIGHT)
        lengths = set(compute.list_value_length(features).to_pylist())
        values = features.flatten().to_numpy(zero_copy_only=False)
        n_invalid = int((~np.isfinite(values)).sum()) + features.null_count
        own = weights.to_numpy(zero_copy_only=False)
        yield Survey(
            len(own), frozenset(lengths - {None}), n_invalid, own.min(), own.sum()
        )


def _in_partition(
    task: Callable[[int, Iterator[Any]], Iterator[Any]], batches: Iterator[Any]
) -> Iterator[Any]:
    """Return the pickled results of a task, with the numbers of partition and batch."""
    context = TaskContext.get()
    assert context is not None
    part = context.partitionId()
    for number, value in enumerate(task(part, batches)):
        yield pa.RecordBatch.from_pydict(
            {
                "part": pa.array([part], pa.int32()),
                "batch": pa.array([number], pa.int64()),
                "value": pa.array([pickle.dumps(value)], pa.binary()),
            }
        )


def _run(frame: DataFrame, task: Callable[[int, Iterator[Any]], Iterator[Any]]) -> Any:
    """Return the data frame of the results of a task on each partition."""
    return frame.mapInArrow(partial(_in_partition, task), _PARTS)


def _collect(frame: DataFrame) -> list[tuple[int, Any]]:
    """Return the partition and the value of each result, in order."""
    rows = sorted(frame.collect(), key=lambda row: (row["part"], row["batch"]))
    return [(row["part"], pickle.loads(bytes(row["value"]))) for row in rows]


class SparkBlocks(Blocks):
    """Blocks as pickled values of a data frame."""

    def __init__(self, frame: DataFrame, held: list[DataFrame]):
        self.frame = frame
        self.held = held  # data frames to release when the fit has ended

    def map(self, function: Reduction) -> list:  # noqa: D102
        task = partial(_for_values, partial(reduce_block, function))
        return [value for _, value in _collect(_run(self.frame, task))]

    def transform(self, function: Callable[[Any], Any]) -> "SparkBlocks":  # noqa: D102
        task = partial(_for_values, partial(replace_rows, function))
        kept = _run(self.frame, task).persist()
        self.held.append(kept)
        return SparkBlocks(kept, self.held)

    def every(self, step: int) -> "SparkBlocks":  # noqa: D102
        task = partial(_for_values, partial(every_row, step))
        return SparkBlocks(_run(self.frame, task), self.held)


class SparkSource(RemoteSource):
    """The rows of a data frame made by `select_rows`.

    A row is found by its partition and its position there, so the partitions must have
    the same rows in the same order whenever they are computed.
    """

    def __init__(self, frame: DataFrame):
        self.frame = frame
        self.held: list[DataFrame] = []
        self.prepare: Callable[[Any], Any] | None = None
        found = _collect(_run(frame, _survey_task))
        _check_survey([survey for _, survey in found])
        sizes: dict[int, int] = {}
        for part, survey in found:
            sizes[part] = sizes.get(part, 0) + survey.n_rows
        self.parts = sorted(sizes)
        self.starts = np.cumsum([0, *(sizes[part] for part in self.parts)])
        self.n_samples = self.n_seen = int(self.starts[-1])
        self.n_features = self.row_length = next(iter(found[0][1].lengths))
        self.total_weight = float(sum(survey.weight for _, survey in found))

    def draw(  # noqa: D102
        self, limit: int, random: np.random.RandomState
    ) -> SparkBlocks:
        positions = draw_positions(self.n_samples, limit, random)
        cuts = np.searchsorted(positions, self.starts)
        chosen = {
            part: positions[cuts[j] : cuts[j + 1]] - self.starts[j]
            for j, part in enumerate(self.parts)
        }
        task = partial(_take_task, chosen, self.prepare)
        return SparkBlocks(_run(self.frame, task), self.held)

    def map(self, function: Reduction) -> list:  # noqa: D102
        task = partial(_map_task, function, self.prepare)
        return [value for _, value in _collect(_run(self.frame, task))]

    def transform(self, function: Callable[[Any], Any]) -> "SparkSource":  # noqa: D102
        source = SparkSource.__new__(SparkSource)
        source.__dict__.update(self.__dict__, prepare=function)
        return source

    def release(self) -> None:
        """Release what executors keep in memory for this source."""
        for frame in self.held:
            frame.unpersist()


def _check_survey(found: list[Survey]) -> None:
    """Raise an error if there are no rows, or rows that cannot be used."""
    if not found:
        raise ValueError("The data frame has no rows: there is nothing to cluster.")
    lengths = frozenset[int]().union(*(survey.lengths for survey in found))
    check_lengths(lengths)
    if any(survey.n_invalid for survey in found):
        raise ValueError(NOT_FINITE)
    smallest = min(survey.smallest_weight for survey in found)
    check_weight_range("The weights", smallest, sum(one.weight for one in found))


def _blocks(
    batches: Iterator[Any], prepare: Callable[[Any], Any] | None
) -> Iterator[Block]:
    """Yield the rows of each batch, prepared for comparison, and their weights."""
    for batch in batches:
        if batch.num_rows == 0:
            continue
        rows = matrix_of(batch.column(FEATURES))
        weights = batch.column(WEIGHT).to_numpy(zero_copy_only=False)
        yield rows if prepare is None else prepare(rows), weights


def _map_task(
    function: Reduction, prepare: Any, part: int, batches: Iterator[Any]
) -> Iterator[Any]:
    for rows, weights in _blocks(batches, prepare):
        yield reduce_block(function, take_all(rows, weights))


def _take_task(
    chosen: dict[int, np.ndarray], prepare: Any, part: int, batches: Iterator[Any]
) -> Iterator[Block]:
    """Yield the chosen rows of a partition as one block."""
    positions = chosen.get(part, np.empty(0, dtype=np.int64))
    taken, start = [], 0
    for rows, weights in _blocks(batches, prepare):
        first, last = np.searchsorted(positions, [start, start + len(rows)])
        if first < last:
            taken.append(
                take_weighted_rows(rows, weights, positions[first:last] - start)
            )
        start += len(rows)
    if taken:
        yield merge_blocks(taken)


def _for_values(
    function: Callable[[Block], Any], part: int, batches: Iterator[Any]
) -> Iterator[Any]:
    """Yield ``function`` of each pickled block of a partition."""
    for batch in batches:
        for value in batch.column("value"):
            yield function(pickle.loads(value.as_py()))
