"""Options of a fit, and the number of samples to search."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from maxmargin import MaxMarginClustering
from maxmargin.engine import fit
from maxmargin.engine import options as options_module
from maxmargin.engine.options import (
    GRAPH_PART,
    LABELS_PER_SEARCH,
    MAX_GRAPH_SAMPLES,
    Options,
    part_sizes,
    search_size,
)
from maxmargin.rows.blocks import row_length

X = np.random.RandomState(0).randn(30, 3)
K = X @ X.T


def with_value(value):
    changed = X.copy()
    changed[3, 1] = value
    return changed


@pytest.mark.parametrize(
    ("data", "parameters", "message"),
    [
        (with_value(np.nan), {}, "contains NaN"),
        (with_value(np.inf), {}, "contains infinity"),
        (X[:5], {"n_clusters": 6}, "n_samples=5 should be >= n_clusters=6"),
        (np.ones((20, 3)), {}, "All samples are equal"),
        (K[:, :20], {"kernel": "precomputed"}, r"square .* \(30, 20\)"),
        (np.triu(K), {"kernel": "precomputed"}, "symmetric"),
        (K - 5 * np.eye(30), {"kernel": "precomputed"}, "smallest eigenvalue .* -5"),
        (X, {"balance": (20, None)}, "cannot be met"),
        (X, {"balance": "fair"}, "balance='fair' is not understood"),
        (X, {"n_clusters": 0}, "n_clusters=0 must be an int >= 1"),
        (X, {"n_clusters": 2.5}, "n_clusters=2.5 must be an int >= 1"),
        (X, {"n_init": 0}, "n_init=0"),
        (X, {"init": "spectral"}, "init must have one integer for each of the 30"),
        (X, {"init": np.ones((3, 3))}, r"init has shape \(3, 3\): give 2 centres of 3"),
        (X, {"init": np.full((2, 3), np.nan)}, "init contains NaN"),
        (K, {"init": K[:2], "kernel": "precomputed"}, "init must have one integer"),
        (X, {"init": np.zeros(30)}, "one integer for each of the 30 samples"),
        (X, {"init": [0, 1]}, "one integer for each of the 30 samples"),
        (X, {"init": np.full(30, 7)}, "between 0 and n_clusters - 1 = 1"),
        (X, {"degrees_of_freedom": 0}, "degrees_of_freedom=0 must be a positive"),
        (X, {"degrees_of_freedom": "many"}, "'many' is not understood"),
        (X, {"degrees_of_freedom": 50, "kernel": "rbf"}, "has rank 30"),
        (X, {"degrees_of_freedom": 50}, "is not below the 30 features of the graph"),
        (X, {"kernel": "linear", "degrees_of_freedom": 3}, "has rank 3"),
        (X, {"gamma": "wide"}, "gamma='wide' must be 'median', 'scale' or a positive"),
        (X, {"n_jobs": 0}, "n_jobs=0 must be None, a number of threads, or -1"),
        (X, {"n_jobs": 1.5}, "n_jobs=1.5 must be None, a number of threads, or -1"),
        (X, {"n_jobs": True}, "n_jobs=True must be None"),
        (X, {"memory_limit": "1.2.3 GB"}, "memory_limit='1.2.3 GB' is not understood"),
        (X, {"memory_limit": "0 GB"}, "memory_limit='0 GB' is not understood"),
        (
            X,
            {"kernel_params": {"degree": 2}},
            "kernel='rbf' does not know: it has none",
        ),
        (
            X,
            {"kernel": "poly", "kernel_params": {"degre": 2}},
            "'degre', which kernel='poly' does not know: it has coef0 and degree",
        ),
        (
            X,
            {"kernel": "sigmoid", "kernel_params": {"degree": 2}},
            "kernel='sigmoid' does not know: it has coef0",
        ),
        (
            X,
            {"kernel": "rbf", "kernel_params": {"gamma": 2}},
            "use the parameter gamma",
        ),
        (X, {"kernel": "neighbors", "kernel_params": {"p": 2}}, "'neighbors' does not"),
        (X, {"balance": True}, "balance=True is not understood"),
        (X, {"probability": "yes"}, "probability='yes' must be True or False"),
        (X, {"probability": 1}, "probability=1 must be True or False"),
        (X, {"verbose": "x"}, "verbose='x' must be 0, for silence, or 1"),
        (X, {"verbose": -1}, "verbose=-1 must be 0, for silence, or 1"),
        (X, {"balance": None}, "balance=None is not understood"),
    ],
)
def test_refused_with_the_cure(data, parameters, message):
    with pytest.raises(ValueError, match=message):
        MaxMarginClustering(**{"n_clusters": 2} | parameters).fit(data)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones(29), "one weight for each of the 30 samples"),
        (np.full(30, -1.0), "negative"),
        (np.zeros(30), "zero for every sample"),
    ],
)
def test_bad_weights(weights, message):
    with pytest.raises(ValueError, match=message):
        MaxMarginClustering(2).fit(X, sample_weight=weights)


def test_fewer_distinct_samples_than_clusters():
    data = np.repeat(X[:3], 5, axis=0)
    with pytest.warns(ConvergenceWarning, match="Only 3 distinct samples"):
        model = MaxMarginClustering(5).fit(data)
    assert len(np.unique(model.labels_)) == 3


def test_equal_samples_that_no_balance_can_part():
    data = np.concatenate([np.repeat(X[:1], 20, axis=0), X[1:5]])
    with pytest.raises(ValueError, match="balance cannot be met"):
        MaxMarginClustering(2, balance=(10, 14)).fit(data)


@pytest.mark.parametrize("kernel", ["auto", "neighbors", "rbf", "linear", "poly"])
@pytest.mark.parametrize("balance", ["free", "equal"])
def test_one_cluster_of_equal_samples(kernel, balance):
    model = MaxMarginClustering(1, kernel=kernel, balance=balance)
    assert model.fit(np.ones((20, 3))).labels_.tolist() == [0] * 20
    assert model.predict(X).tolist() == [0] * 30


def options(memory):
    return Options.of(MaxMarginClustering(5, memory_limit=memory))


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_sparse_samples_are_searched_as_dense_ones(kind):
    X = kind(np.eye(10))
    allowed = options("100 GB")
    for n_samples in (20_001, MAX_GRAPH_SAMPLES):
        assert search_size(n_samples, row_length(X), allowed) == n_samples
    more = MAX_GRAPH_SAMPLES + 10 * LABELS_PER_SEARCH
    assert search_size(more, row_length(X), allowed) == MAX_GRAPH_SAMPLES + 10


def test_the_part_grows_with_the_rows_without_a_jump():
    allowed = options("10 TB")
    numbers = np.unique(np.geomspace(1000, 10**8, 2000).astype(int))
    sizes = np.array([search_size(n, 20, allowed) for n in numbers])
    assert (sizes <= numbers).all()
    assert (np.diff(sizes) >= 0).all()
    assert (np.diff(sizes) <= np.diff(numbers)).all()
    assert search_size(10**8, 20, options(float("inf"))) == 10**8


def test_a_first_part_is_tried_only_if_not_all_are_searched():
    allowed = options("10 TB")
    assert part_sizes(10**5, 10**5, allowed) == [10**5]
    assert part_sizes(10**6, 200_000, allowed) == [GRAPH_PART, 200_000]
    assert part_sizes(10**6, 10_000, allowed) == [10_000]
    assert part_sizes(10**6, 10**6, options(float("inf"))) == [10**6]
    kernel = Options.of(MaxMarginClustering(5, kernel="rbf"))
    assert part_sizes(10**6, 4000, kernel) == [4000]


@pytest.mark.parametrize(("spread", "n_parts"), [(0.3, 1), (3.0, 2)])
def test_a_larger_part_is_searched_where_there_is_no_gap(monkeypatch, spread, n_parts):
    """The first part suffices for clusters apart, and not for those that overlap."""
    monkeypatch.setattr(options_module, "MAX_GRAPH_SAMPLES", 1500)
    monkeypatch.setattr(options_module, "GRAPH_PART", 600)
    sizes = []
    make_task = fit.make_task

    def record(source, drawn, preparation, X, sample, *others):
        sizes.append(len(sample.indices))
        return make_task(source, drawn, preparation, X, sample, *others)

    monkeypatch.setattr(fit, "make_task", record)
    X, y = make_blobs(3000, 5, centers=4, cluster_std=spread, random_state=0)
    labels = MaxMarginClustering(4, random_state=0).fit_predict(X)
    assert sizes == [600, 1500 + 1500 // LABELS_PER_SEARCH][:n_parts]
    assert adjusted_rand_score(y, labels) > 0.8


def test_memory_of_sparse_samples_is_that_of_their_entries():
    """Empty columns take no memory."""
    few = sp.csr_array(np.eye(10))
    wide = sp.csr_array((few.data, few.indices, few.indptr), shape=(10, 10**6))
    assert row_length(wide) == row_length(few)
    full = sp.csr_array(np.ones((10, 500)))
    sizes = [search_size(10**5, row_length(X), options("50 MB")) for X in (wide, full)]
    assert 10_000 < sizes[0] < 20_000
    assert sizes[1] < sizes[0] / 5
