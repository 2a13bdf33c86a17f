import numpy as np
import pytest
from sklearn.metrics.pairwise import laplacian_kernel, polynomial_kernel, rbf_kernel

from maxmargin.kernels.kernel import make_kernel


def test_median_gamma_is_that_of_the_pairs(random):
    X = random.randn(60, 4)
    kernel = make_kernel("rbf", X, random=random)
    pairs = [np.sum((a - b) ** 2) for i, a in enumerate(X) for b in X[:i]]
    assert kernel.parameters["gamma"] == pytest.approx(1 / (2 * np.median(pairs)))
    expected = rbf_kernel(X, gamma=kernel.parameters["gamma"])
    np.testing.assert_allclose(kernel(X, X), expected)


def test_median_gamma_of_many_samples_comes_from_some(random):
    X = random.randn(5000, 2)
    gamma = make_kernel("rbf", X, random=random).parameters["gamma"]
    assert gamma == pytest.approx(1 / (2 * 2 * 2 * np.log(2)), rel=0.1)


def test_kernel_parameters_are_those_of_scikit_learn(random):
    X, Y = random.randn(20, 3), random.randn(5, 3)
    poly = make_kernel("poly", X, gamma=0.5, degree=2, coef0=3, random=random)
    expected = polynomial_kernel(X, Y, degree=2, gamma=0.5, coef0=3)
    np.testing.assert_allclose(poly(X, Y), expected)
    laplacian = make_kernel("laplacian", X, gamma=0.2, random=random)
    np.testing.assert_allclose(laplacian(X, Y), laplacian_kernel(X, Y, gamma=0.2))
    own = make_kernel(
        lambda a, b, c: c * a @ b, X, kernel_params={"c": 2}, random=random
    )
    np.testing.assert_allclose(own(X, Y), 2 * X @ Y.T)
