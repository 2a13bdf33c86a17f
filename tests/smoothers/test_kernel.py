import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics.pairwise import laplacian_kernel, polynomial_kernel, rbf_kernel

from maxmargin.smoothers.kernel import make_kernel


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
    given = {"degree": 2, "coef0": 3}
    poly = make_kernel("poly", X, gamma=0.5, kernel_params=given, random=random)
    expected = polynomial_kernel(X, Y, degree=2, gamma=0.5, coef0=3)
    np.testing.assert_allclose(poly(X, Y), expected)
    laplacian = make_kernel("laplacian", X, gamma=0.2, random=random)
    np.testing.assert_allclose(laplacian(X, Y), laplacian_kernel(X, Y, gamma=0.2))
    own = make_kernel(
        lambda a, b, c: c * a @ b, X, kernel_params={"c": 2}, random=random
    )
    np.testing.assert_allclose(own(X, Y), 2 * X @ Y.T)


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("constant", [1e9, 1e12, 1e15])
def test_constant_column_does_not_matter(random, constant, convert):
    X = random.randn(50, 3)
    expected = make_kernel("rbf", X, random=random)
    shifted = convert(np.column_stack([X, np.full(50, constant)]))
    kernel = make_kernel("rbf", shifted, random=random)
    assert kernel.parameters["gamma"] == pytest.approx(expected.parameters["gamma"])
    np.testing.assert_allclose(kernel(shifted, shifted), expected(X, X))


def test_far_sample_does_not_change_the_median_distance(random):
    X = random.randn(200, 2)
    far = np.concatenate([X, [[1e8, 0.0]]])
    gamma = make_kernel("rbf", X, random=random).parameters["gamma"]
    kernel = make_kernel("rbf", far, random=random)
    assert kernel.parameters["gamma"] == pytest.approx(gamma, rel=0.05)
    expected = rbf_kernel(X, gamma=kernel.parameters["gamma"])
    np.testing.assert_allclose(kernel(far, far)[:-1, :-1], expected)


def test_pairs_of_equal_samples_are_left_out(random):
    X = random.randn(40, 30) + 1e3
    gamma = make_kernel("rbf", X, random=random).parameters["gamma"]
    twice = np.repeat(X, 5, axis=0)
    again = make_kernel("rbf", twice, random=random).parameters["gamma"]
    assert again == pytest.approx(gamma)


def test_scale_gamma_is_alike_for_sparse_single_precision(random):
    X = (random.randn(300, 4) * 0.5 + 1000).astype(np.float32)
    expected = 1 / (4 * X.astype(float).var())
    for samples in (X, sp.csr_array(X)):
        kernel = make_kernel("rbf", samples, gamma="scale", random=random)
        assert kernel.parameters["gamma"] == pytest.approx(expected)


@pytest.mark.parametrize("gamma", [-1, 0, np.nan, np.inf, True, "wide", [1.0]])
def test_bad_gamma(random, gamma):
    with pytest.raises(
        ValueError, match=r"gamma=.* must be 'median', 'scale' or a pos"
    ):
        make_kernel("rbf", random.randn(9, 2), gamma=gamma, random=random)


@pytest.mark.parametrize("name", ["foo", 1, None])
def test_unknown_kernel(random, name):
    with pytest.raises(ValueError, match=r"kernel=.* is not known: use one of"):
        make_kernel(name, random.randn(9, 2), random=random)


def test_infinite_kernel_values(random):
    X = 1e120 * random.randn(9, 2)
    kernel = make_kernel("poly", X, gamma=1.0, random=random)
    with (
        np.errstate(over="ignore", invalid="ignore"),
        pytest.raises(ValueError, match="kernel='poly' has infinite"),
    ):
        kernel(X, X)


@pytest.mark.parametrize("name", ["linear", "poly", "cosine"])
def test_single_precision_is_computed_in_double(name, random):
    X = (random.randn(12, 3) + 1e4).astype(np.float32)
    kernel = make_kernel(name, X, random=random)
    expected = kernel(X.astype(float), X.astype(float))
    np.testing.assert_array_equal(kernel(X, X), expected)
    found = kernel(sp.csr_array(X), X)
    np.testing.assert_allclose(found, expected, rtol=1e-13)


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        ("poly", "power", "kernel='poly' does not know: it has coef0 and degree"),
        ("sigmoid", "degree", "kernel='sigmoid' does not know: it has coef0"),
        ("linear", "degree", "kernel='linear' does not know: it has none"),
        ("cosine", "gamma", "kernel='cosine' does not know: it has none"),
        ("rbf", "gamma", "use the parameter gamma"),
        ("precomputed", "c", "kernel='precomputed' does not know: it has none"),
    ],
)
def test_parameters_that_a_kernel_does_not_have(random, name, given, message):
    with pytest.raises(ValueError, match=message):
        make_kernel(name, np.eye(4), kernel_params={given: 1}, random=random)


def test_one_sample_has_any_width(random):
    kernel = make_kernel("rbf", np.ones((1, 3)), random=random)
    assert kernel(np.ones((2, 3)), np.ones((1, 3))).tolist() == [[1.0], [1.0]]
