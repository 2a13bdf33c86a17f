import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics.pairwise import laplacian_kernel, polynomial_kernel, rbf_kernel

from maxmargin.kernels.distinct import group_equal_rows
from maxmargin.kernels.kernel import make_kernel
from maxmargin.kernels.memory import available_memory, format_bytes
from maxmargin.kernels.sample import draw_sample
from maxmargin.kernels.threads import for_blocks


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


def test_threads_do_not_change_a_bit(random):
    X = random.randn(1500, 7)
    kernel = make_kernel("rbf", X, random=random)
    np.testing.assert_array_equal(kernel(X, X[:100]), kernel(X, X[:100], n_threads=3))


def test_an_error_in_a_block_comes_up():
    def fail(block):
        if block.start == 512:
            raise RuntimeError("block two")

    with pytest.raises(RuntimeError, match="block two"):
        for_blocks(fail, 2000, n_threads=2)


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_equal_rows_are_grouped_in_an_order_of_their_own(random, container):
    kinds = random.randint(3, size=(10, 4)).astype(float)
    rows = random.randint(10, size=50)
    X = kinds[rows]
    X[X == 0] = -0.0
    first, groups = group_equal_rows(container(X))
    np.testing.assert_array_equal(X[first][groups], X)
    assert len(np.unique(X, axis=0)) == len(first)
    order = random.permutation(50)
    again, _ = group_equal_rows(container(X[order]))
    np.testing.assert_array_equal(X[order][again], X[first])


def test_sample_adds_weights_and_leaves_out_what_has_none(random):
    X = np.array([[1.0], [2.0], [1.0], [3.0]])
    weights = np.array([1.0, 0.0, 2.5, 1.0])
    sample = draw_sample(X, weights, merge=True, limit=None, random=random)
    found = dict(zip(X[sample.indices, 0], sample.weights, strict=True))
    assert found == {1.0: 3.5, 3.0: 1.0}
    assert sample.inverse[1] == -1
    np.testing.assert_array_equal(
        X[sample.indices][sample.inverse[[0, 2, 3]]], X[[0, 2, 3]]
    )
    assert sample.complete


def test_sample_is_limited(random):
    X = random.randn(100, 2)
    sample = draw_sample(X, np.ones(100), merge=True, limit=30, random=random)
    assert len(sample.indices) == 30
    assert np.sum(sample.inverse >= 0) == 30
    assert not sample.complete


def test_memory_is_told_in_units_of_people():
    assert available_memory() > 0
    assert format_bytes(1536) == "1.54 kB"
    assert format_bytes(3.2e9) == "3.2 GB"
