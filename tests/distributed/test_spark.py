"""The same clusters on Spark, and an estimator like those of pyspark.ml."""

import os
import re
import signal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

pytest.importorskip("pyspark", reason="needs the extra spark")
from pyspark.errors import PythonException
from pyspark.ml import Pipeline
from pyspark.ml.feature import VectorAssembler
from pyspark.sql import functions as F

from maxmargin import MaxMarginClustering
from maxmargin.distributed import (
    SparkMaxMarginClustering,
    SparkMaxMarginClusteringModel,
    spark_blocks,
)
from maxmargin.engine import options as options_module

# What Spark itself warns of is not ours.
pytestmark = [
    pytest.mark.filterwarnings(
        "ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::FutureWarning"
    ),
    pytest.mark.xdist_group("spark"),
]

NAMES = ["a", "b", "c", "d"]
GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "spark.md"


@pytest.fixture(autouse=True)
def few_samples_to_search(monkeypatch):
    for name in ("SEARCH_SAMPLES", "MAX_GRAPH_SAMPLES", "GRAPH_PART"):
        monkeypatch.setattr(options_module, name, 600)
    monkeypatch.setattr(options_module, "LABELS_PER_SEARCH", 10**9)


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(2000, n_features=4, centers=5, cluster_std=1.6, random_state=3)


@pytest.fixture(scope="module")
def frame(spark, blobs):
    columns = {name: blobs[0][:, j] for j, name in enumerate(NAMES)}
    table = pa.table(columns | {"row": np.arange(2000), "w": 1.0 + np.arange(2000) % 3})
    frame = spark.createDataFrame(table).coalesce(2)
    assert frame.rdd.getNumPartitions() == 2
    return frame.cache()


def labels_of(model, frame):
    rows = model.transform(frame).select("row", "prediction").collect()
    return np.array([label for _, label in sorted(map(tuple, rows))])


@pytest.fixture(scope="module")
def fitted(frame):
    with pytest.MonkeyPatch.context() as patch:
        for name in ("SEARCH_SAMPLES", "MAX_GRAPH_SAMPLES", "GRAPH_PART"):
            patch.setattr(options_module, name, 600)
        patch.setattr(options_module, "LABELS_PER_SEARCH", 10**9)
        return SparkMaxMarginClustering(featuresCol=NAMES, k=5).fit(frame)


def test_agrees_with_memory(fitted, frame, blobs):
    inside = MaxMarginClustering(5, random_state=0).fit(blobs[0])
    labels = labels_of(fitted, frame)
    assert adjusted_rand_score(inside.labels_, labels) > 0.99
    plain = fitted.cpu()
    assert type(plain) is MaxMarginClustering
    assert plain.feature_names_in_.tolist() == NAMES
    assert plain.n_features_in_ == 4
    assert np.array_equal(plain._model.label(blobs[0]), labels)


def test_columns_are_kept(fitted, frame):
    found = fitted.transform(frame)
    assert found.columns == [*frame.columns, "prediction"]
    assert dict(found.dtypes)["prediction"] == "int"
    assert found.drop("prediction").exceptAll(frame).count() == 0
    assert fitted.setPredictionCol("cluster").transform(frame).columns[-1] == "cluster"
    fitted.setPredictionCol("prediction")
    with pytest.raises(ValueError, match="has a column 'prediction' already"):
        fitted.transform(found)


def test_kernel_passes_and_scales(frame, blobs, monkeypatch):
    """The classifier of a kernel is trained where the rows are, on divided columns."""
    X = blobs[0] * [1e-3, 1.0, 1e-2, 1e3]
    options = {"kernel": "rbf", "random_state": 0}
    inside = MaxMarginClustering(5, **options).fit(X, sample_weight=None)
    monkeypatch.setattr(
        "maxmargin.distributed.spark_clustering.MaxMarginClustering",
        lambda k, random_state: MaxMarginClustering(k, **options),
    )
    factors = zip(NAMES, [1e-3, 1.0, 1e-2, 1e3], strict=True)
    scaled = frame.select("row", *((F.col(n) * f).alias(n) for n, f in factors))
    model = SparkMaxMarginClustering(featuresCol=NAMES, k=5).fit(scaled)
    assert np.array_equal(model.cpu().scale_, inside.scale_)
    assert adjusted_rand_score(labels_of(model, scaled), inside.labels_) > 0.99


def test_vectors_and_arrays_in_a_pipeline(fitted, frame, tmp_path):
    labels = labels_of(fitted, frame)
    assembler = VectorAssembler(inputCols=NAMES, outputCol="features")
    pipeline = Pipeline(stages=[assembler, SparkMaxMarginClustering(k=5)])
    assert np.array_equal(labels_of(pipeline.fit(frame), frame), labels)
    arrays = frame.select("row", F.array(*NAMES).alias("x y"))
    model = SparkMaxMarginClustering(featuresCol="x y", k=5).fit(arrays)
    assert np.array_equal(labels_of(model, arrays), labels)
    assert not hasattr(model.cpu(), "feature_names_in_")


def test_save_and_load(fitted, frame, tmp_path):
    path = str(tmp_path / "model")
    fitted.save(path)
    loaded = SparkMaxMarginClusteringModel.load(path)
    assert loaded.uid == fitted.uid
    assert loaded.getFeaturesCol() == NAMES
    assert loaded.getK() == 5
    assert np.array_equal(labels_of(loaded, frame), labels_of(fitted, frame))
    fitted.write().overwrite().save(path)
    estimator = SparkMaxMarginClustering(featuresCol=NAMES, k="auto", seed=7)
    estimator.save(str(tmp_path / "estimator"))
    again = SparkMaxMarginClustering.load(str(tmp_path / "estimator"))
    assert again.extractParamMap() == estimator.extractParamMap()
    with pytest.raises(ValueError, match="The model is empty"):
        SparkMaxMarginClusteringModel().cpu()


def test_weights(frame, blobs):
    """Rows without weight are not seen."""
    weights = F.when(F.col("row") < 1000, F.col("w")).otherwise(0.0)
    moved = frame.withColumn("v", weights)
    for name in NAMES:
        value = F.when(F.col("v") > 0, F.col(name)).otherwise(1e3)
        moved = moved.withColumn(name, value)
    estimator = SparkMaxMarginClustering(featuresCol=NAMES, k=5).setWeightCol("v")
    model = estimator.fit(moved)
    inside = MaxMarginClustering(5, random_state=0).fit(blobs[0][:1000])
    found = adjusted_rand_score(blobs[1], labels_of(model, frame))
    assert found > adjusted_rand_score(blobs[1], inside.predict(blobs[0])) - 0.05


def test_no_array_of_all_rows_on_the_driver(frame, monkeypatch):
    """Results that reach the driver have far fewer values than n x k."""
    sizes = []
    collect = spark_blocks._collect

    def spy(results):
        found = collect(results)
        sizes.extend(arrays_in(value) for _, value in found)
        return found

    def arrays_in(value):
        if isinstance(value, np.ndarray):
            return value.size
        parts = value if isinstance(value, tuple | list) else ()
        return max(map(arrays_in, parts), default=0)

    monkeypatch.setattr(spark_blocks, "_collect", spy)
    monkeypatch.setattr(
        "maxmargin.distributed.spark_clustering.MaxMarginClustering",
        lambda k, random_state: MaxMarginClustering(
            k, kernel="rbf", degrees_of_freedom=20, random_state=random_state
        ),
    )
    SparkMaxMarginClustering(featuresCol=NAMES, k=5).fit(frame)
    assert 600 * 4 / 2 - 300 < max(sizes) <= 600 * 4  # the rows that are searched
    assert max(sizes) < 2000 * 5


def test_a_worker_that_is_killed_changes_nothing(fitted, frame, tmp_path):
    """The task of a killed process is done again, with the same result."""
    killed = tmp_path / "killed"

    def die_once(batches):
        for batch in batches:
            if not killed.exists():
                killed.touch()
                os.kill(os.getpid(), signal.SIGKILL)
            yield batch

    fragile = frame.mapInArrow(die_once, frame.schema)
    model = SparkMaxMarginClustering(featuresCol=NAMES, k=5).fit(fragile)
    assert killed.exists()
    assert np.array_equal(labels_of(model, frame), labels_of(fitted, frame))
    killed.unlink()
    assert np.array_equal(labels_of(model, fragile), labels_of(fitted, frame))
    assert killed.exists()


@pytest.mark.parametrize(
    ("change", "columns", "message"),
    [
        (lambda f: f.limit(3), NAMES, "n_samples=3 should be >= n_clusters=5"),
        (lambda f: f.limit(0), NAMES, "has no rows"),
        (lambda f: f.withColumn("a", F.lit("x")), NAMES, "'a' is of type string"),
        (lambda f: f.withColumn("a", F.lit(None).cast("int")), NAMES, "contains NaN"),
        (lambda f: f, "a", "'a' is of type double: give a column of vectors"),
        (lambda f: f.withColumn("w", F.lit(-1)), NAMES, "not negative"),
    ],
)
def test_refused_with_the_cure(frame, change, columns, message):
    estimator = SparkMaxMarginClustering(featuresCol=columns, k=5, weightCol="w")
    with pytest.raises(ValueError, match=message):
        estimator.fit(change(frame))


def test_arrays_of_different_lengths(frame):
    ragged = F.when(F.col("row") > 5, F.array("a", "b")).otherwise(F.array("a"))
    with pytest.raises(ValueError, match="1 to 2 features"):
        SparkMaxMarginClustering(k=5).fit(frame.select(ragged.alias("features")))


@pytest.fixture(scope="module")
def arrays_model(fitted):
    """The fitted model, for a column of arrays."""
    return fitted.copy().setFeaturesCol("features")


@pytest.mark.parametrize(
    ("row", "other_row", "message"),
    [
        ("array(a, b, c)", "array(a, b, c, d, a)", "Rows have 3 to 5 features: give"),
        ("null", "array(a, b, c, d)", "contains NaN, null or infinity: fill"),
        ("array(a, b, c, null)", "features", "contains NaN, null or infinity: fill"),
    ],
)
def test_rows_that_cannot_be_labelled(frame, arrays_model, row, other_row, message):
    """A short and a long row have as many values as two whole ones."""
    arrays = frame.withColumn("features", F.array(*NAMES))
    changed = F.when(F.col("row") == 7, F.expr(row))
    changed = changed.when(F.col("row") == 11, F.expr(other_row))
    broken = arrays.withColumn("features", changed.otherwise(F.col("features")))
    with pytest.raises(PythonException, match=message):
        arrays_model.transform(broken).collect()
    with pytest.raises(ValueError, match=message):
        SparkMaxMarginClustering(k=5).fit(broken)


def test_other_number_of_features(frame, arrays_model):
    other = frame.select(F.array("a", "b", "c").alias("features"))
    with pytest.raises(PythonException, match=r"X has 3 features, but .* expecting 4"):
        arrays_model.transform(other).collect()


def test_missing_values_in_vectors(arrays_model, frame):
    hole = frame.withColumn("a", F.when(F.col("row") != 7, F.col("a")))
    assembler = VectorAssembler(
        inputCols=NAMES, outputCol="features", handleInvalid="keep"
    )
    with pytest.raises(PythonException, match="contains NaN, null or infinity"):
        arrays_model.transform(assembler.transform(hole)).collect()


@pytest.mark.skipif(not GUIDE.exists(), reason="needs the source tree")
def test_the_code_of_the_guide_runs(spark, tmp_path, capfd):
    pytest.importorskip("pandas", reason="needs pandas")
    code = re.search(r"^```py\n(.*?)^```", GUIDE.read_text(), re.MULTILINE | re.DOTALL)
    saved = tmp_path / "clusters"  # Java has the folder in which it was started
    names = {}
    exec(code[1].replace('"clusters"', repr(str(saved))), names)
    assert saved.is_dir()
    found = names["model"].transform(names["frame"]).groupBy("prediction").count()
    counts = [number for _, number in sorted(map(tuple, found.collect()))]
    assert np.bincount(names["labels"]).tolist() == counts
    _, truth = make_blobs(2_000, n_features=3, centers=4, random_state=0)
    assert adjusted_rand_score(truth, names["labels"]) > 0.9
