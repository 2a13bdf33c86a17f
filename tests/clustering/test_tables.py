"""Samples in tables of other libraries: the labels of the same rows as an array."""

import builtins
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import dataset, parquet
from sklearn.datasets import make_blobs

from maxmargin import MaxMarginClustering
from maxmargin.clustering import samples as samples_module
from maxmargin.engine import options as options_module
from maxmargin.published import LeaderClustering
from maxmargin.tables import TableError, objects, read_blocks

duckdb = pytest.importorskip("duckdb", reason="needs duckdb")

NAMES = ["a", "b", "c", "d"]


class Exporter:
    """Any object that exports an Arrow stream."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


CONNECTIONS = []  # that are open: old relations end with them


def make_relation(path):
    CONNECTIONS.append(duckdb.connect())
    return CONNECTIONS[-1].sql(f"SELECT * FROM '{path}'")


TABLES = {
    "pandas": lambda path: pd.read_parquet(path),
    "polars": lambda path: pl.read_parquet(path),
    "lazy": lambda path: pl.scan_parquet(path),
    "table": lambda path: parquet.read_table(path),
    "reader": lambda path: parquet.read_table(path).to_reader(500),
    "dataset": lambda path: dataset.dataset(path),
    "relation": make_relation,
    "exporter": lambda path: Exporter(parquet.read_table(path)),
}
every_table = pytest.mark.parametrize("make", TABLES.values(), ids=TABLES)


@pytest.fixture(autouse=True)
def few_rows_at_once(monkeypatch):
    monkeypatch.setattr(samples_module, "TABLE_ROWS", 256)
    for name in ("SEARCH_SAMPLES", "MAX_GRAPH_SAMPLES", "GRAPH_PART"):
        monkeypatch.setattr(options_module, name, 400)


@pytest.fixture(scope="module")
def X():
    rows, _ = make_blobs(1500, 4, centers=4, cluster_std=1.6, random_state=3)
    return rows * [1.0, 1.0, 100.0, 1000.0]


@pytest.fixture(scope="module")
def path(X, tmp_path_factory):
    path = tmp_path_factory.mktemp("tables") / "rows.parquet"
    table = pa.table({name: X[:, j] for j, name in enumerate(NAMES)})
    parquet.write_table(table, path, row_group_size=700)
    return str(path)


@every_table
@pytest.mark.parametrize("kernel", ["neighbors", "rbf"])
def test_labels_are_those_of_an_array(make, kernel, X, path):
    inside = MaxMarginClustering(4, kernel=kernel, random_state=0).fit(X)
    model = MaxMarginClustering(4, kernel=kernel, random_state=0).fit(make(path))
    assert np.array_equal(model.labels_, inside.labels_)
    assert np.array_equal(model.scale_, inside.scale_)
    assert np.array_equal(model.predict(make(path)), inside.predict(X))
    assert np.array_equal(
        model.decision_function(make(path)), inside.decision_function(X)
    )
    assert model.feature_names_in_.tolist() == NAMES


@every_table
def test_blocks(make, X, path):
    blocks = list(read_blocks(make(path), block_rows=400))
    assert [len(block) for block in blocks] == [400, 400, 400, 300]
    assert np.array_equal(np.concatenate(blocks), X)
    some = np.concatenate(list(read_blocks(make(path), ["d", "a"])))
    assert np.array_equal(some, X[:, [3, 0]])
    with pytest.raises(TableError, match="has no column 'z'"):
        list(read_blocks(make(path), ["z"]))


@every_table
def test_partial_fit(make, X, path):
    model = MaxMarginClustering(4, random_state=0).partial_fit(make(path))
    inside = MaxMarginClustering(4, random_state=0).partial_fit(X)
    assert model.n_samples_seen_ == 1500
    assert np.array_equal(model.labels_, inside.labels_)
    assert np.array_equal(model.predict(make(path)), inside.predict(X))
    weighted = MaxMarginClustering(4, random_state=0)
    weighted.partial_fit(make(path), sample_weight=np.ones(1500))
    assert np.array_equal(weighted.predict(make(path)), inside.predict(X))


@every_table
def test_features_are_compared_by_name(make, path, tmp_path):
    model = MaxMarginClustering(4, random_state=0).fit(make(path))
    other = str(tmp_path / "other.parquet")
    columns = ["b", "a", "c", "d"]
    parquet.write_table(parquet.read_table(path).select(columns), other)
    for method in (model.predict, model.decision_function):
        with pytest.raises(ValueError, match="feature names should match"):
            method(make(other))
    parquet.write_table(parquet.read_table(path).select(["a"]), other)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(make(other))


@every_table
def test_weights_of_a_large_table(make, X, path):
    weights = np.ones(1500)
    weights[::3] = 0.0
    weights[1::3] = 2.0
    inside = MaxMarginClustering(4, random_state=0).fit(X, sample_weight=weights)
    model = MaxMarginClustering(4, random_state=0).fit(
        make(path), sample_weight=weights
    )
    assert np.array_equal(model.labels_, inside.labels_)
    with pytest.raises(ValueError, match="one weight for each of the 1500"):
        MaxMarginClustering(4).fit(make(path), sample_weight=weights[:7])


@every_table
def test_no_array_of_all_rows(make, path, monkeypatch):
    """A table that can be read again is never in memory as a whole."""
    if make in (TABLES["reader"], TABLES["exporter"]):
        pytest.skip("is written to a file")
    monkeypatch.setattr(samples_module.TableRows, "to_array", None)
    model = MaxMarginClustering(4, random_state=0).fit(make(path))
    assert model.labels_.shape == (1500,)


def test_a_stream_is_written_to_a_file(X, path, monkeypatch):
    written = []
    to_file = samples_module._to_file

    def spy(first, others):
        written.append(to_file(first, others))
        return written[-1]

    monkeypatch.setattr(samples_module, "_to_file", spy)
    MaxMarginClustering(4, random_state=0).fit(TABLES["reader"](path))
    assert np.array_equal(written[0], X)
    assert not written[0].flags.owndata


@every_table
@pytest.mark.parametrize("balance", ["equal", "free"])
def test_few_rows_and_size_limits(make, balance, X, tmp_path):
    path = str(tmp_path / "few.parquet")
    table = pa.table({name: X[:90, j] for j, name in enumerate(NAMES)})
    parquet.write_table(table, path)
    inside = MaxMarginClustering(3, balance=balance, random_state=0).fit(X[:90])
    model = MaxMarginClustering(3, balance=balance, random_state=0).fit(make(path))
    assert np.array_equal(model.labels_, inside.labels_)


@every_table
def test_missing_values_of_a_table_of_numbers(make, X, tmp_path):
    path = str(tmp_path / "gaps.parquet")
    columns = {name: X[:, j].tolist() for j, name in enumerate(NAMES)}
    columns["b"][-1] = None
    parquet.write_table(pa.table(columns), path)
    model = MaxMarginClustering(4, random_state=0)
    if make in (TABLES["reader"], TABLES["exporter"]):
        with pytest.raises(ValueError, match="X contains NaN"):
            model.fit(make(path))
        return
    model.fit(make(path))
    assert [column.n_missing for column in model.columns_.values()] == [0, 1, 0, 0]
    assert {column.role for column in model.columns_.values()} == {"number"}
    inside = MaxMarginClustering(4, random_state=0).fit(X)
    assert np.mean(model.labels_[:-1] == inside.labels_[:-1]) > 0.99
    assert np.array_equal(model.predict(make(path)), model.labels_)


@pytest.mark.parametrize("begin", [False, True])
def test_a_later_block_that_is_not_valid_adds_nothing(X, begin):
    def table(rows):
        return pa.table(dict(zip(NAMES, rows.T, strict=True)))

    bad = X.copy()
    bad[1400, 2] = np.inf
    model, other = (MaxMarginClustering(4, random_state=0) for _ in range(2))
    if begin:
        model.partial_fit(table(X[:500]))
        other.partial_fit(table(X[:500]))
    with pytest.raises(ValueError, match="infinity"):
        model.partial_fit(table(bad))
    assert hasattr(model, "n_features_in_") == begin
    assert getattr(model, "n_samples_seen_", 0) == 500 * begin
    further = table(X[500:])
    expected = other.partial_fit(further).predict(table(X))
    found = model.partial_fit(further).predict(table(X))
    np.testing.assert_array_equal(found, expected)


@every_table
def test_text_is_refused_with_the_cure(make, X, tmp_path):
    """By the estimators that do not encode it."""
    path = str(tmp_path / "text.parquet")
    parquet.write_table(pa.table({"a": X[:, 0], "name": ["x"] * len(X)}), path)
    message = r"Column 'name' of the \w+ holds text: encode it as numbers, or leave"
    with pytest.raises(ValueError, match=message):
        LeaderClustering(radius=1.0).fit(make(path))


@every_table
def test_no_rows(make, tmp_path):
    path = str(tmp_path / "empty.parquet")
    parquet.write_table(pa.table({"a": pa.array([], pa.float64())}), path)
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        MaxMarginClustering(4).fit(make(path))
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        MaxMarginClustering(4).partial_fit(make(path))


def test_columns_of_pandas(X):
    """Nullable, time and object columns that hold numbers."""
    few = np.round(X[:60])
    days = np.arange(60) * 0.5
    frame = pd.DataFrame(
        {
            "nullable": pd.array(few[:, 0].astype(int), dtype="Int64"),
            "category": pd.Categorical(few[:, 1]),
            "flag": pd.array(few[:, 0] > 0, dtype="boolean"),
            "object": pd.Series(few[:, 3].tolist(), dtype=object),
            "time": pd.Timestamp("1970-01-01", tz="UTC") + pd.to_timedelta(days, "D"),
            "arrow": pd.Series(few[:, 2], dtype=pd.ArrowDtype(pa.float64())),
        }
    )
    columns = [few[:, 0], few[:, 1], few[:, 0] > 0, few[:, 3], days, few[:, 2]]
    plain = np.column_stack(columns)
    assert np.array_equal(np.concatenate(list(read_blocks(frame))), plain)
    frame = frame.drop(columns=["category", "flag"])
    model = MaxMarginClustering(3, random_state=0).fit(frame)
    inside = MaxMarginClustering(3, random_state=0).fit(plain[:, [0, 3, 4, 5]])
    assert np.array_equal(model.labels_, inside.labels_)
    assert model.columns_ is None
    frame.loc[5, "nullable"] = pd.NA
    with pytest.raises(ValueError, match="X contains NaN"):
        model.predict(frame)


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (pd.Series([{}, {}]), "'s' of the DataFrame holds no numbers"),
        (np.array([1j, 2j]), "'s' of the DataFrame holds no numbers"),
    ],
)
def test_other_columns_of_pandas_are_refused(column, message):
    with pytest.raises(TableError, match=message):
        MaxMarginClustering(2).fit(pd.DataFrame({"a": [1, 2], "s": column}))


def test_dates_that_are_objects(X):
    """As databases return them; the types of columns are not needed for that."""
    days = pd.date_range("2026-01-01", periods=60)
    frame = pd.DataFrame(X[:60]).add_prefix("x").assign(day=days)
    expected = MaxMarginClustering(3, random_state=0).fit(frame)
    for moments in (days.date, days.to_pydatetime()):
        other = frame.assign(day=pd.Series(moments, dtype=object))
        model = MaxMarginClustering(3, random_state=0).fit(other)
        assert np.array_equal(model.labels_, expected.labels_)
        assert np.array_equal(expected.predict(other), expected.labels_)


def test_intervals_are_categories(X):
    frame = pd.DataFrame({"x": X[:60, 0], "cut": pd.cut(X[:60, 1], 4)})
    model = MaxMarginClustering(3, random_state=0).fit(frame)
    assert model.columns_["cut"].role == "category"
    assert np.array_equal(model.predict(frame), model.labels_)


def test_two_columns_of_one_name():
    frame = pd.DataFrame(np.eye(4), columns=["a", "b", "c", "a"])
    with pytest.raises(TableError, match="two columns named 'a'"):
        MaxMarginClustering(2).fit(frame)


def test_single_precision_is_kept(X):
    frame = pl.DataFrame(X.astype(np.float32), schema=NAMES)
    assert next(read_blocks(frame)).dtype == np.float32
    inside = MaxMarginClustering(4, random_state=0).fit(X.astype(np.float32))
    model = MaxMarginClustering(4, random_state=0).fit(frame)
    assert np.array_equal(model.labels_, inside.labels_)


def test_columns_alone_are_no_tables():
    assert not objects.is_table(pl.Series([1.0, 2.0]))
    assert not objects.is_table(pd.Series([1.0, 2.0]))
    assert not objects.is_table(pd.DataFrame({"a": pd.arrays.SparseArray([1.0, 0.0])}))
    with pytest.raises(TableError, match="not a table of columns with names"):
        MaxMarginClustering(2).fit(pa.chunked_array([[1.0, 2.0]]))


def test_older_polars_is_read_in_slices(X, path, monkeypatch):
    monkeypatch.delattr(pl.LazyFrame, "collect_batches", raising=False)
    blocks = list(read_blocks(pl.scan_parquet(path), block_rows=600))
    assert np.array_equal(np.concatenate(blocks), X)


def test_a_query_with_another_order_is_refused(X):
    """Labels belong to rows: those of a query must come in the same order again."""

    class Shuffled(samples_module.TableRows):
        seed = 0

        def blocks(self):
            Shuffled.seed += 1
            rows = np.random.RandomState(Shuffled.seed).permutation(X)
            return iter(np.array_split(rows, 5))

    source = Shuffled(MaxMarginClustering(), pl.DataFrame(X, schema=NAMES), reset=True)
    with pytest.MonkeyPatch.context() as patch:
        module = sys.modules["maxmargin.clustering.samples"]
        patch.setattr(module, "TableRows", lambda *_, **__: source)
        with pytest.raises(ValueError, match="rows in another order"):
            MaxMarginClustering(4, random_state=0).fit(pl.LazyFrame())


def test_an_unfinished_query_does_not_block_its_connection(path):
    relation = make_relation(path)
    blocks = read_blocks(relation, block_rows=100)
    next(blocks)
    blocks.close()
    assert relation.shape == (1500, 4)


def test_needs_pyarrow(path, monkeypatch):
    monkeypatch.setattr(objects, "find_spec", lambda name: None)
    cure = r"A LazyFrame needs pyarrow: pip install 'maxmargin\[tables\]'"
    with pytest.raises(ImportError, match=cure):
        MaxMarginClustering(4).fit(pl.scan_parquet(path))
    frame = pl.read_parquet(path).head(50)  # scikit-learn converts it
    assert len(MaxMarginClustering(4, random_state=0).fit(frame).labels_) == 50


def test_pandas_needs_no_pyarrow(X, monkeypatch):
    frame = pd.DataFrame(X[:60], columns=NAMES)
    load = builtins.__import__

    def refuse(name, *rest):
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return load(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refuse)
    assert np.array_equal(np.concatenate(list(read_blocks(frame))), X[:60])
