"""The same clusters on a cluster of machines."""

import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

da = pytest.importorskip("dask.array", reason="needs the extra dask")
from maxmargin import MaxMarginClustering  # noqa: E402
from maxmargin.distributed import DaskMaxMarginClustering  # noqa: E402
from maxmargin.distributed.dask_blocks import DaskSource  # noqa: E402
from maxmargin.engine import options as options_module  # noqa: E402

# What the libraries themselves warn of is not ours.
pytestmark = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore::ResourceWarning"
)


@pytest.fixture(autouse=True)
def few_samples_to_search(monkeypatch):
    for name in ("SEARCH_SAMPLES", "MAX_GRAPH_SAMPLES", "GRAPH_PART"):
        monkeypatch.setattr(options_module, name, 600)
    monkeypatch.setattr(options_module, "LABELS_PER_SEARCH", 10**9)


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(3000, n_features=4, centers=5, cluster_std=1.6, random_state=3)


@pytest.fixture
def cluster():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None
        ) as workers,
        distributed.Client(workers) as client,
    ):
        yield client


def test_threads_agree_with_memory(blobs):
    X, _ = blobs
    inside = MaxMarginClustering(5, random_state=0).fit(X)
    lazy = da.from_array(X, chunks=(700, 4))
    outside = DaskMaxMarginClustering(5, random_state=0).fit(lazy)
    assert isinstance(outside.labels_, da.Array)
    labels = outside.labels_.compute()
    assert adjusted_rand_score(inside.labels_, labels) > 0.99
    assert outside.labels_.chunks == ((700, 700, 700, 700, 200),)
    decisions = outside.decision_function(lazy)
    assert decisions.shape == (3000, 5)
    assert np.array_equal(decisions.compute().argmax(axis=1), labels)
    assert np.array_equal(outside.predict(X), labels)  # plain input, plain output


@pytest.mark.parametrize(
    ("rows_in_memory", "n_sent"), [(550, 550), (10**6, 600), (np.inf, 3000)]
)
def test_part_follows_the_memory_of_the_client(
    blobs, monkeypatch, rows_in_memory, n_sent
):
    """As many rows are sent to it as the documented bytes a row allow."""
    sent = []

    def draw(source, limit, random, draw=DaskSource.draw):
        sent.append(limit)
        return draw(source, limit, random)

    monkeypatch.setattr(DaskSource, "draw", draw)
    X, y = blobs
    limit = rows_in_memory * (16 * 4 + 100 * 5 + 2000)
    model = DaskMaxMarginClustering(5, memory_limit=limit, random_state=0)
    labels = model.fit_predict(da.from_array(X, chunks=(700, 4))).compute()
    assert sent == [n_sent]
    assert adjusted_rand_score(y, labels) > 0.8


def test_few_samples_are_all_searched(blobs):
    X = blobs[0][:400]
    inside = MaxMarginClustering(5, random_state=0).fit(X)
    lazy = da.from_array(X, chunks=(150, 4))
    labels = DaskMaxMarginClustering(5, random_state=0).fit_predict(lazy)
    assert np.array_equal(labels.compute(), inside.labels_)


def test_defaults_in_two_threads_and_again(blobs):
    """The default number of clusters, two fits at once, and a fit after a fit."""
    lazy = da.from_array(blobs[0], chunks=(700, 4))
    first = DaskMaxMarginClustering(random_state=0).fit(lazy)
    expected = first.labels_.compute()
    used = DaskMaxMarginClustering(random_state=0).fit(blobs[0][:300])
    models = [DaskMaxMarginClustering(random_state=0), used]
    with ThreadPoolExecutor(2) as threads:
        for found in threads.map(lambda model: model.fit(lazy).labels_, models):
            assert np.array_equal(found.compute(), expected)
    assert set(expected) == set(range(first.n_clusters_))


@pytest.mark.parametrize("n_rows", [400, 3000])
@pytest.mark.parametrize("kernel", ["auto", "rbf"])
def test_columns_on_different_scales(blobs, n_rows, kernel):
    X = blobs[0][:n_rows] * [1e-3, 1.0, 1e-2, 1e3] + [0, 50, 0, 1e4]
    weights = np.ones(n_rows)
    weights[::7] = 3.0
    given = {"kernel": kernel, "random_state": 0}
    inside = MaxMarginClustering(5, **given).fit(X, sample_weight=weights)
    lazy = da.from_array(X, chunks=(190, 4))
    model = DaskMaxMarginClustering(5, **given)
    labels = model.fit(lazy, sample_weight=weights).labels_.compute()
    assert np.array_equal(model.scale_, inside.scale_)
    assert adjusted_rand_score(labels, inside.labels_) > 0.99
    assert np.array_equal(model.predict(X), labels)
    assert adjusted_rand_score(labels, blobs[1][:n_rows]) > 0.9
    off = DaskMaxMarginClustering(5, scale=False, **given).fit(lazy)
    assert off.scale_ is None


def test_missing_values_in_any_chunk_are_found(blobs):
    """Rows that are not drawn have a part in the standard deviations."""
    X = blobs[0].copy()
    X[2999, 0] = np.nan
    with pytest.raises(ValueError, match="X contains NaN"):
        DaskMaxMarginClustering(5, random_state=1).fit(da.from_array(X, (700, 4)))


def test_data_frames(blobs):
    dd = pytest.importorskip("dask.dataframe")
    pandas = pytest.importorskip("pandas")
    X, y = blobs
    frame = dd.from_pandas(pandas.DataFrame(X, columns=list("abcd")), npartitions=4)
    labels = DaskMaxMarginClustering(5, random_state=0).fit_predict(frame).compute()
    assert adjusted_rand_score(labels, y) > 0.8


def test_columns_of_data_frames(blobs):
    """The columns of the fit, in its order, under their names."""
    dd = pytest.importorskip("dask.dataframe")
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(blobs[0][:300], columns=list("abcd"))
    lazy = dd.from_pandas(frame, npartitions=2)
    model = DaskMaxMarginClustering(5, random_state=0).fit(lazy)
    assert model.feature_names_in_.tolist() == list("abcd")
    assert np.array_equal(model.predict(lazy).compute(), model.predict(frame))
    for other in (lazy[list("bacd")], lazy.rename(columns={"a": "z"})):
        for method in (model.predict, model.decision_function):
            with pytest.raises(ValueError, match="feature names should match"):
                method(other)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(lazy[list("abc")])


def test_bool_and_nullable_columns(blobs):
    dd = pytest.importorskip("dask.dataframe")
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(blobs[0][:300], columns=list("abcd"))
    frame["b"] = frame["b"] > 0
    frame["c"] = frame["c"].round().astype("Int64")
    frame["d"] = (frame["d"] > 0).astype("boolean")
    model = DaskMaxMarginClustering(5, random_state=0)
    weights = pandas.Series(np.ones(300, dtype=int)).astype("Int64")
    labels = model.fit(
        dd.from_pandas(frame, npartitions=2),
        sample_weight=dd.from_pandas(weights, npartitions=2),
    ).labels_
    # Booleans are numbers here, and categories in a data frame of pandas.
    inside = MaxMarginClustering(5, random_state=0).fit(frame.astype(float))
    assert np.array_equal(labels.compute(), inside.labels_)
    bools = da.from_array(blobs[0][:300] > 0, chunks=(100, 4))
    labels = DaskMaxMarginClustering(2, random_state=0).fit_predict(bools)
    assert set(labels.compute()) == {0, 1}
    frame["c"] = "text"
    with pytest.raises(ValueError, match=r"Columns are not numbers: c \("):
        model.fit(dd.from_pandas(frame, npartitions=2))


def test_missing_values_are_refused(blobs):
    X = blobs[0][:300].copy()
    model = DaskMaxMarginClustering(5, random_state=0)
    model.fit(da.from_array(X, chunks=(100, 4)))
    X[299, 0] = np.nan
    with pytest.raises(ValueError, match="X contains NaN"):
        model.predict(da.from_array(X, chunks=(100, 4))).compute()
    weights = np.ones(300)
    weights[3] = np.nan
    with pytest.raises(ValueError, match="sample_weight must be finite"):
        model.fit(da.from_array(X, chunks=(100, 4)), sample_weight=weights)


def test_weights(blobs):
    X, y = blobs
    moved = X.copy()
    moved[1500:] = 1e3  # what has no weight must not be seen
    weights = np.ones(len(X))
    weights[1500:] = 0
    lazy = da.from_array(moved, chunks=(700, 4))
    model = DaskMaxMarginClustering(5, random_state=0).fit(lazy, sample_weight=weights)
    inside = MaxMarginClustering(5, random_state=0).fit(X[:1500])
    found = adjusted_rand_score(y, model.predict(X))
    assert found > adjusted_rand_score(y, inside.predict(X)) - 0.05


def test_no_array_of_all_rows_in_what_is_sent(monkeypatch):
    sizes = []
    compute = DaskSource.draw

    def spy(self, limit, random):
        blocks = compute(self, limit, random)
        reduce = blocks.map
        blocks.map = lambda function: sizes.extend(found := reduce(function)) or found
        return blocks

    monkeypatch.setattr(DaskSource, "draw", spy)
    lazy = da.random.RandomState(0).normal(size=(3000, 4), chunks=(500, 4))
    model = DaskMaxMarginClustering(3, random_state=0).fit(lazy)
    arrays = [a for part in sizes for a in part if isinstance(a, np.ndarray)]
    assert max(a.shape[0] for a in arrays) <= 600
    for layer in model.labels_.dask.layers.values():
        for task in dict(layer).values():
            held = getattr(task, "args", ()) or ()
            assert not any(getattr(a, "shape", (0,))[:1] == (3000,) for a in held)


@pytest.mark.parametrize(
    ("X", "parameters", "message"),
    [
        (lambda X: X.rechunk((700, 2)), {}, r"use X.rechunk\({1: -1}\)"),
        (lambda X: X[:, 0], {}, r"X.reshape\(-1, 1\)"),
        (lambda X: X.astype(str), {}, "samples are numbers"),
        (lambda X: X, {"balance": "equal"}, "need all samples in one place"),
        (lambda X: X, {"probability": True}, "on one machine"),
        (lambda X: X[:3], {}, "n_samples=3 should be >= n_clusters=5"),
    ],
)
def test_refused_with_the_cure(blobs, X, parameters, message):
    lazy = X(da.from_array(blobs[0], chunks=(700, 4)))
    with pytest.raises(ValueError, match=message):
        DaskMaxMarginClustering(5, **parameters).fit(lazy)


def test_other_number_of_features(blobs):
    lazy = da.from_array(blobs[0], chunks=(700, 4))
    model = DaskMaxMarginClustering(5, random_state=0).fit(lazy)
    with pytest.raises(ValueError, match=r"3 features, but .* is expecting 4"):
        model.predict(lazy[:, :3])


@pytest.mark.parametrize("n_columns", [1, 3, 5])
def test_chunks_of_other_columns_than_declared(blobs, n_columns):
    """One column in place of four would be taken for each of them."""
    lazy = da.from_array(blobs[0], chunks=(700, 4))
    model = DaskMaxMarginClustering(5, random_state=0).fit(lazy)
    other = lazy.map_blocks(
        lambda chunk: np.resize(chunk, (len(chunk), n_columns)), meta=lazy._meta
    )
    for method in (model.predict, model.decision_function):
        with pytest.raises(ValueError, match="and 4 columns were declared: correct"):
            method(other).compute()
    for method in (model.score, DaskMaxMarginClustering(5).fit):
        with pytest.raises(ValueError, match="and 4 columns were declared: correct"):
            method(other)


def test_sparse_rows_in_memory_still_work(blobs):
    X = sp.csr_array(blobs[0][:300])
    model = DaskMaxMarginClustering(5, random_state=0).fit(X)
    assert isinstance(model.labels_, np.ndarray)


@pytest.mark.timeout(240)
def test_a_worker_that_dies_changes_nothing(blobs, cluster):
    X, _ = blobs

    def slowly(block):
        time.sleep(0.05)
        return block

    lazy = da.from_array(X, chunks=(200, 4)).map_blocks(slowly, dtype=X.dtype)
    quiet = DaskMaxMarginClustering(5, random_state=0).fit(lazy).labels_.compute()
    inside = MaxMarginClustering(5, random_state=0).fit(X).labels_
    assert adjusted_rand_score(inside, quiet) > 0.99
    victim = next(iter(cluster.run(os.getpid).values()))
    killer = threading.Timer(0.5, os.kill, (victim, signal.SIGKILL))
    killer.start()
    disturbed = DaskMaxMarginClustering(5, random_state=0).fit(lazy).labels_.compute()
    killer.join()
    assert victim not in cluster.run(os.getpid).values()
    assert np.array_equal(quiet, disturbed)


def test_score_and_representatives(blobs):
    X, _ = blobs
    lazy = da.from_array(X, chunks=(700, 4))
    model = DaskMaxMarginClustering(5, random_state=0).fit(lazy)
    assert model.score(lazy) == pytest.approx(model.score(X), abs=0.02)
    weights = np.ones(3000)
    weights[1500:] = 0.0
    heavy = model.score(lazy, sample_weight=da.from_array(weights, chunks=700))
    assert heavy == pytest.approx(model.score(X[:1500]), abs=0.02)
    with pytest.raises(TypeError, match="give rows in memory"):
        model.representatives(lazy)
    rows = model.representatives(X)
    assert model.predict(X[rows]).tolist() == [0, 1, 2, 3, 4]
