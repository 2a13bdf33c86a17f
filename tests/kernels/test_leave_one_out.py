import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from maxmargin.kernels.exact_smoother import exact_smoother
from maxmargin.kernels.kernel import Kernel
from maxmargin.kernels.leave_one_out import leave_one_out_error
from maxmargin.kernels.smoother import Ridge


def test_equals_leaving_samples_out_one_by_one(random):
    X = random.randn(25, 2)
    weights = random.uniform(0.5, 2, 25)
    Z = np.eye(3)[random.randint(3, size=25)]
    K = rbf_kernel(X, gamma=0.4)
    squares = 0.0
    for j in range(25):
        rest = np.arange(25) != j
        inner = K[np.ix_(rest, rest)] + 0.3 * np.diag(1 / weights[rest])
        predicted = K[j, rest] @ np.linalg.solve(inner, Z[rest])
        squares += weights[j] * np.sum((Z[j] - predicted) ** 2)
    shares = weights @ Z / weights.sum()
    expected = squares / (weights.sum() * np.sum(shares * (1 - shares)))
    kernel = Kernel("rbf", {"gamma": 0.4})
    smoother = exact_smoother(kernel, X, weights, np.arange(25), Ridge(alpha=0.3))
    assert leave_one_out_error(smoother, Z) == pytest.approx(expected)


def test_small_for_clusters_and_large_for_noise(random):
    X = np.concatenate([random.randn(30, 2), random.randn(30, 2) + 8])
    kernel = Kernel("rbf", {"gamma": 0.1})
    smoother = exact_smoother(kernel, X, np.ones(60), np.arange(60), Ridge(alpha=0.1))
    apart = np.eye(2)[np.repeat([0, 1], 30)]
    noise = np.eye(2)[random.permutation(60) % 2]
    assert leave_one_out_error(smoother, apart) < 0.05
    assert leave_one_out_error(smoother, noise) > 0.8
    assert leave_one_out_error(smoother, np.eye(2)[np.zeros(60, int)]) == 1
