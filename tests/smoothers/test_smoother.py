"""The smoothers against regularised least squares solved directly."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import rbf_kernel

from maxmargin.smoothers.cholesky import invert_in_place
from maxmargin.smoothers.degrees_of_freedom import Ridge
from maxmargin.smoothers.kernel import Kernel
from maxmargin.smoothers.smoother import exact_smoother, landmark_smoother

GAMMA = 0.3
KERNEL = Kernel("rbf", {"gamma": GAMMA})
ROWS = np.arange(40)


@pytest.fixture
def X(random):
    return random.randn(40, 3)


@pytest.fixture
def weights(random):
    return random.uniform(0.2, 3, size=40)


@pytest.fixture(params=["exact", "landmarks", "all landmarks"])
def build(request):
    def build(X, weights, ridge):
        if request.param == "exact":
            return exact_smoother(KERNEL, X, weights, ROWS, ridge)
        basis = X if request.param == "all landmarks" else X[::2]
        return landmark_smoother(KERNEL, X, weights, ROWS, basis, ridge)

    build.low_rank = request.param == "landmarks"
    return build


def solve_directly(X, basis, weights, alpha, Z):
    """Minimise sum w (z - K c)^2 + alpha c' K c over the span of the basis."""
    K, corner = rbf_kernel(X, basis, gamma=GAMMA), rbf_kernel(basis, gamma=GAMMA)
    normal = K.T @ (weights[:, None] * K) + alpha * corner
    return np.linalg.lstsq(normal, K.T @ (weights[:, None] * Z), rcond=1e-13)[0]


def test_coefficients_and_fitted_values(X, weights, build, random):
    Z = random.randn(40, 2)
    smoother = build(X, weights, Ridge(alpha=0.7))
    basis = X[::2] if build.low_rank else X
    coefficients = solve_directly(X, basis, weights, 0.7, Z)
    new = random.randn(15, 3)
    expected = rbf_kernel(new, basis, gamma=GAMMA) @ coefficients
    np.testing.assert_allclose(smoother.fitted(new, Z), expected, atol=1e-6)
    at_samples = smoother.dot(Z) / weights[:, None]
    np.testing.assert_allclose(smoother.fitted(X, Z), at_samples, atol=1e-6)


def test_best_value_of_the_least_squares_problem(X, weights, build, random):
    z = random.choice([-1.0, 1.0], size=40)
    smoother = build(X, weights, Ridge(alpha=0.7))
    basis = X[::2] if build.low_rank else X
    c = solve_directly(X, basis, weights, 0.7, z[:, None])[:, 0]
    residual = z - rbf_kernel(X, basis, gamma=GAMMA) @ c
    value = weights @ residual**2 + 0.7 * c @ rbf_kernel(basis, gamma=GAMMA) @ c
    predicted = weights @ z**2 - z @ smoother.matrix() @ z
    assert predicted == pytest.approx(value, abs=1e-6)


def test_one_interface(X, weights, build, random):
    smoother = build(X, weights, Ridge(alpha=0.2))
    S = smoother.matrix()
    np.testing.assert_allclose(S, S.T, atol=1e-12)
    assert np.linalg.eigvalsh(S).min() > -1e-10
    np.testing.assert_allclose(smoother.diagonal(), np.diag(S), atol=1e-12)
    Z = random.randn(40, 3)
    np.testing.assert_allclose(smoother.dot(Z), S @ Z, atol=1e-12)
    trace = np.trace(S / weights)
    assert smoother.degrees_of_freedom == pytest.approx(trace)


def test_without_weights_it_is_kernel_ridge_regression(X, random):
    Z = random.randn(40, 2)
    smoother = exact_smoother(KERNEL, X, np.ones(40), ROWS, Ridge(alpha=0.4))
    ridge = KernelRidge(alpha=0.4, kernel="rbf", gamma=GAMMA).fit(X, Z)
    new = random.randn(9, 3)
    np.testing.assert_allclose(smoother.fitted(new, Z), ridge.predict(new), atol=1e-10)


def test_weights_count_samples(X, random):
    """A sample of weight 3 is three equal samples."""
    counts = random.randint(1, 4, size=40)
    repeated = np.repeat(X, counts, axis=0)
    z = random.randn(40)
    weighted = exact_smoother(KERNEL, X, counts * 1.0, ROWS, Ridge(alpha=0.4))
    plain = exact_smoother(
        KERNEL, repeated, np.ones(len(repeated)), np.arange(len(repeated)), Ridge(0.4)
    )
    long = np.repeat(z, counts)
    assert z @ weighted.matrix() @ z == pytest.approx(long @ plain.matrix() @ long)


@pytest.mark.parametrize("share", [0.05, 0.1, 0.4, 7.0])
def test_degrees_of_freedom_are_reached(X, weights, build, share):
    smoother = build(X, weights, Ridge(degrees_of_freedom=share))
    target = share if share >= 1 else share * 40
    assert smoother.degrees_of_freedom == pytest.approx(target, rel=1e-4)


def test_sparse_samples(X, weights):
    X = np.where(np.abs(X) < 0.5, 0, X)
    dense = exact_smoother(KERNEL, X, weights, ROWS, Ridge(0.3)).matrix()
    sparse = exact_smoother(KERNEL, sp.csr_array(X), weights, ROWS, Ridge(0.3)).matrix()
    np.testing.assert_allclose(sparse, dense, atol=1e-10)


def test_inverse_by_cholesky(random):
    A = random.randn(700, 700)
    A = A @ A.T + 700 * np.eye(700)
    expected = np.linalg.inv(A)
    invert_in_place(A)
    np.testing.assert_allclose(A, expected, atol=1e-12)


def test_indefinite_kernels_are_refused_by_name(X):
    sigmoid = Kernel("sigmoid", {"gamma": 1.0, "coef0": -1.0})
    with pytest.raises(ValueError, match="not positive semidefinite"):
        exact_smoother(sigmoid, X, np.ones(40), ROWS, Ridge(alpha=1e-3))
    with pytest.raises(ValueError, match="not positive semidefinite"):
        landmark_smoother(sigmoid, X, np.ones(40), ROWS, X[:20], Ridge(alpha=1e-3))
