"""`SparkMaxMarginClustering`, an estimator of pyspark.ml."""

import io
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark import keyword_only
from pyspark.ml import Estimator, Model
from pyspark.ml.param import Param, Params, TypeConverters
from pyspark.ml.param.shared import HasPredictionCol, HasSeed, HasWeightCol
from pyspark.ml.util import (
    DefaultParamsReadable,
    DefaultParamsReader,
    DefaultParamsWritable,
    DefaultParamsWriter,
    MLReadable,
    MLReader,
    MLWritable,
    MLWriter,
)
from pyspark.sql import DataFrame
from pyspark.sql import types as T
from pyspark.storagelevel import StorageLevel

from maxmargin.clustering.base import check_n_samples
from maxmargin.clustering.max_margin import MaxMarginClustering
from maxmargin.distributed.arrow_rows import matrix_of
from maxmargin.distributed.block_functions import apply_model
from maxmargin.distributed.spark_blocks import SparkSource, feature_column, select_rows
from maxmargin.engine.options import Options
from maxmargin.model_file import load_model, save_model

_FEATURES = "__maxmargin_features"


def _to_columns(value: Any) -> str | list[str]:
    """Return the name of one column, or the names of several."""
    if isinstance(value, str):
        return value
    names: list[str] = TypeConverters.toListString(value)
    return names


def _to_number_of_clusters(value: Any) -> int | str:
    if isinstance(value, str) and value == "auto":
        return value
    number: int = TypeConverters.toInt(value)
    return number


class _ClusteringParams(HasPredictionCol, HasWeightCol, HasSeed):
    """The parameters that the estimator and its model have."""

    featuresCol: Param = Param(
        Params._dummy(),
        "featuresCol",
        "a column of vectors or arrays, or a list of numeric columns",
        typeConverter=_to_columns,
    )
    k: Param = Param(
        Params._dummy(),
        "k",
        "number of clusters, or 'auto'",
        typeConverter=_to_number_of_clusters,
    )

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._setDefault(
            featuresCol="features", k=8, predictionCol="prediction", seed=0
        )

    def getFeaturesCol(self) -> str | list[str]:
        """Return the column of the features, or their columns."""
        return self.getOrDefault(self.featuresCol)

    def getK(self) -> int | str:
        """Return the number of clusters, or ``"auto"``."""
        return self.getOrDefault(self.k)

    def setPredictionCol(self, value: str) -> Any:
        """Set the column that gets the clusters."""
        return self._set(predictionCol=value)

    def setFeaturesCol(self, value: str | list[str]) -> Any:
        """Set the column of the features, or their columns."""
        return self._set(featuresCol=value)


class SparkMaxMarginClustering(
    Estimator, _ClusteringParams, DefaultParamsReadable, DefaultParamsWritable
):
    """Maximum margin clustering of Spark data frames, in the manner of pyspark.ml.

    A random part of the rows is sent to the driver, which clusters it as
    :class:`~maxmargin.MaxMarginClustering` does. Everything that needs all rows runs
    where they are, on record batches of Arrow, and returns sums. For the same seed and
    the same order of the rows the clusters are those of a fit in memory, up to
    rounding. The executors need this package as well.

    Parameters
    ----------
    featuresCol : str or list of str, default="features"
        A column of vectors or arrays of numbers, or the names of numeric columns.
    predictionCol : str, default="prediction"
        The column that ``transform`` adds.
    weightCol : str, default=None
        A column with the weight of each row; equal weights by default.
    k : int or "auto", default=8
        The number of clusters.
    seed : int, default=0
        Seed of the rows that are drawn and of the search.

    See Also
    --------
    DaskMaxMarginClustering : The same on Dask arrays and data frames.
    """

    @keyword_only
    def __init__(
        self,
        *,
        featuresCol: str | list[str] = "features",
        predictionCol: str = "prediction",
        weightCol: str | None = None,
        k: int | str = 8,
        seed: int = 0,
    ) -> None:
        super().__init__()
        given: dict[str, Any] = self._input_kwargs  # type: ignore[attr-defined]
        self._set(**{name: value for name, value in given.items() if value is not None})

    def setK(self, value: int | str) -> "SparkMaxMarginClustering":
        """Set the number of clusters, or ``"auto"``."""
        return self._set(k=value)

    def setSeed(self, value: int) -> "SparkMaxMarginClustering":
        """Set the seed."""
        return self._set(seed=value)

    def setWeightCol(self, value: str) -> "SparkMaxMarginClustering":
        """Set the column of the weights."""
        return self._set(weightCol=value)

    def _fit(self, dataset: DataFrame) -> "SparkMaxMarginClusteringModel":
        columns = self.getFeaturesCol()
        weight = self.getWeightCol() if self.isDefined(self.weightCol) else None
        rows = select_rows(dataset, columns, weight)
        stored = dataset.storageLevel != StorageLevel.NONE
        if not stored:  # else it would be computed anew for each step
            rows = rows.persist(StorageLevel.MEMORY_AND_DISK)
        try:
            plain = self._fit_rows(rows)
        finally:
            if not stored:
                rows.unpersist()
        if not isinstance(columns, str):
            plain.feature_names_in_ = np.array(columns, dtype=object)
        model = SparkMaxMarginClusteringModel(plain)
        model._resetUid(self.uid)
        return self._copyValues(model)

    def _fit_rows(self, rows: DataFrame) -> MaxMarginClustering:
        """Return the plain estimator, fitted to rows where they are."""
        seed = self.getSeed() % 2**32  # those of pyspark may be negative
        plain = MaxMarginClustering(self.getK(), random_state=seed)
        options = Options.of(plain)
        source = SparkSource(rows)
        check_n_samples(source.n_samples, plain.n_clusters)
        try:
            plain._fit(source, options)
        finally:
            source.release()
        plain.n_features_in_ = source.n_features
        return plain


class SparkMaxMarginClusteringModel(Model, _ClusteringParams, MLWritable, MLReadable):
    """The clusters that :class:`SparkMaxMarginClustering` has found."""

    def __init__(self, plain: MaxMarginClustering | None = None) -> None:
        super().__init__()
        self._plain = plain

    def cpu(self) -> MaxMarginClustering:
        """Return the fitted estimator for rows in memory, without ``labels_``."""
        if self._plain is None:
            raise ValueError("The model is empty: fit it, or load one from a file.")
        return self._plain

    def _transform(self, dataset: DataFrame) -> DataFrame:
        """Return the data frame with the cluster of each row in a new column."""
        name = self.getPredictionCol()
        if name in dataset.columns:
            raise ValueError(
                f"The data frame has a column {name!r} already: choose another "
                "predictionCol."
            )
        features = feature_column(dataset, self.getFeaturesCol())
        schema = T.StructType(
            [*dataset.schema.fields, T.StructField(name, T.IntegerType())]
        )
        plain = self.cpu()
        task = partial(_label_batches, plain._model, plain.n_features_in_, name)
        return dataset.withColumn(_FEATURES, features).mapInArrow(task, schema)

    def write(self) -> "_ModelWriter":
        """Return a writer; ``save(path)`` uses it."""
        return _ModelWriter(self)

    @classmethod
    def read(cls) -> "_ModelReader":
        """Return a reader; ``load(path)`` uses it."""
        return _ModelReader()


def _label_batches(
    model: Any, n_features: int, name: str, batches: Iterator[Any]
) -> Iterator[Any]:
    """Yield record batches with a column of labels in place of the features."""
    for batch in batches:
        features = batch.column(_FEATURES)
        labels = np.empty(0, dtype=np.int32)
        if batch.num_rows:
            rows = matrix_of(features)
            if rows.shape[1] != n_features:
                raise ValueError(
                    f"X has {rows.shape[1]} features, but the model is expecting "
                    f"{n_features} features as input."
                )
            labels = apply_model(rows, model, "label").astype(np.int32)
        others = [other for other in batch.schema.names if other != _FEATURES]
        columns = [batch.column(other) for other in others]
        yield pa.RecordBatch.from_arrays(
            [*columns, pa.array(labels)], names=[*others, name]
        )


class _ModelWriter(MLWriter):
    """Writes the parameters as pyspark.ml does, and the model as one value."""

    def __init__(self, instance: SparkMaxMarginClusteringModel) -> None:
        super().__init__()
        self.instance = instance

    def saveImpl(self, path: str) -> None:
        """Write to a folder of any file system that Spark knows."""
        DefaultParamsWriter.saveMetadata(self.instance, path, self.sparkSession)
        file = io.BytesIO()
        save_model(file, self.instance.cpu())
        value = [(bytearray(file.getvalue()),)]
        frame = self.sparkSession.createDataFrame(value, "model binary")
        frame.coalesce(1).write.parquet(f"{path}/data")


class _ModelReader(MLReader):
    """Reads what `_ModelWriter` has written."""

    def load(self, path: str) -> SparkMaxMarginClusteringModel:
        """Read a model from a folder."""
        metadata = DefaultParamsReader.loadMetadata(path, self.sparkSession)
        row = self.sparkSession.read.parquet(f"{path}/data").first()
        assert row is not None
        plain = load_model(io.BytesIO(bytes(row["model"])))
        model = SparkMaxMarginClusteringModel(plain)
        model._resetUid(metadata["uid"])
        DefaultParamsReader.getAndSetParams(model, metadata)
        return model
