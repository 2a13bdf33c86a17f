"""Bad input gets one clear sentence with the cure."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from maxmargin import MaxMarginClustering

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
