"""Bad input gets one clear sentence with the cure."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from maxmargin import MaxMarginClustering
from maxmargin.smoothers import smoother

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
        (X, {"max_iter": -1}, "max_iter=-1"),
        (X, {"search": "tabu"}, "search='tabu' is not known"),
        (X, {"init": "spectral"}, "init='spectral' is not known"),
        (X, {"init": [0, 1]}, "one integer for each of the 30 samples"),
        (X, {"init": np.full(30, 7)}, "between 0 and n_clusters - 1 = 1"),
        (X, {"alpha": -1.0}, "alpha=-1.0 must be a positive number"),
        (X, {"degrees_of_freedom": 0}, "degrees_of_freedom=0 must be a positive"),
        (X, {"degrees_of_freedom": "many"}, "'many' is not understood"),
        (X, {"degrees_of_freedom": 50}, "has rank 30"),
        (X, {"kernel": "linear", "degrees_of_freedom": 3}, "has rank 3"),
        (X, {"gamma": "wide"}, "gamma='wide' must be 'median', 'scale' or a positive"),
        (X, {"landmarks": 0}, "landmarks=0 is not understood"),
        (X, {"landmarks": "some"}, "landmarks='some' is not understood"),
        (X, {"landmark_selection": "some"}, "landmark_selection='some' is not known"),
        (X, {"landmarks": ()}, r"landmarks=\(\) is not understood"),
        (
            K,
            {"landmarks": 9, "landmark_selection": "leader", "kernel": "precomputed"},
            "use 'random'",
        ),
        (K, {"landmarks": K, "kernel": "precomputed"}, "give a number"),
        (X, {"power": 2}, "power=2 must be 'auto' or a number from 0 to 1"),
        (X, {"power": "high"}, "power='high' must be 'auto'"),
        (X, {"balance": None}, "balance=None is not understood"),
        (X, {"landmarks": np.ones((4, 2))}, "2 features and the samples 3"),
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


def test_kernel_that_does_not_fit_in_memory(monkeypatch):
    monkeypatch.setattr(smoother, "available_memory", lambda: 10_000)
    with pytest.raises(ValueError, match=r"21.6 kB and 10 kB are free: use landmarks"):
        MaxMarginClustering(2, landmarks=None).fit(X)


def test_fewer_distinct_samples_than_clusters():
    data = np.repeat(X[:3], 5, axis=0)
    with pytest.warns(ConvergenceWarning, match="Only 3 distinct samples"):
        model = MaxMarginClustering(5).fit(data)
    assert len(np.unique(model.labels_)) == 3


def test_equal_samples_that_no_balance_can_part():
    data = np.concatenate([np.repeat(X[:1], 20, axis=0), X[1:5]])
    with pytest.raises(ValueError, match="balance cannot be met"):
        MaxMarginClustering(2, balance=(10, 14)).fit(data)
