"""Features whose inner products are the kernel."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics.pairwise import pairwise_kernels

from maxmargin.rows.sample import draw_sample
from maxmargin.smoothers.kernel import Kernel
from maxmargin.smoothers.landmarks import Landmarks, make_basis
from maxmargin.smoothers.spectral_smoother import scale_rows


def basis_of(X, kernel, random, landmarks=None):
    sample = draw_sample(X, np.ones(len(X)), merge=False, limit=None, random=random)
    return make_basis(kernel, X, sample, Landmarks(landmarks), random)


@pytest.mark.parametrize("name", ["rbf", "poly", "linear", "laplacian"])
def test_inner_products_are_the_kernel(random, name):
    X, new = random.randn(60, 4), random.randn(9, 4)
    parameters = {"degree": 2, "coef0": 1}
    basis = basis_of(X, Kernel(name, parameters), random)
    K = pairwise_kernels(new, X, metric=name, filter_params=True, **parameters)
    assert np.allclose(basis(new) @ basis(X).T, K, atol=1e-5 * np.abs(K).max())


def test_as_many_features_as_the_rank(random):
    X = random.randn(80, 3)
    X = np.concatenate([X, X])  # every sample twice
    basis = basis_of(X, Kernel("poly", {"degree": 2, "coef0": 1, "gamma": 1}), random)
    assert basis(X).shape[1] == 10  # monomials of degree up to two of three features


def test_precomputed_takes_columns(random):
    X = random.randn(30, 3)
    K = pairwise_kernels(X, metric="rbf")
    basis = basis_of(K, Kernel("precomputed"), random)
    assert np.allclose(basis(K) @ basis(K).T, K, atol=1e-6)


def test_linear_leaves_sparse_samples_sparse(random):
    X = sp.random_array((20, 50), density=0.1, random_state=0, format="csr")
    sample = draw_sample(X, np.ones(20), merge=False, limit=None, random=random)
    basis = make_basis(Kernel("linear"), X, sample, Landmarks(), random)
    assert sp.issparse(basis(X))


def test_landmarks_are_exact_at_themselves(random):
    X = random.randn(50, 2)
    basis = basis_of(X, Kernel("rbf", {"gamma": 0.5}), random, landmarks=X[:12])
    Z = basis(X)
    assert Z.shape[1] <= 12
    K = pairwise_kernels(X[:12], X, metric="rbf", gamma=0.5)
    assert np.allclose(Z[:12] @ Z.T, K, atol=1e-5)


def test_rows_without_length_stay_zero():
    rows = np.array([[0.0, 0.0], [3.0, 4.0], [1e-310, 0.0]])
    found = scale_rows(rows, 50.0)
    np.testing.assert_array_equal(found[:2], [[0.0, 0.0], [30.0, 40.0]])
    assert np.isfinite(found).all()
