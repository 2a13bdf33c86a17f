"""Samples in standard form against direct computation."""

import numpy as np
import pytest
import scipy.sparse as sp
from tests.published.hinge.standard_form import standard, two_groups

from maxmargin.published.hinge.standard_features import (
    principal_directions,
    standardise,
)


@pytest.mark.parametrize("sparse", [False, True])
def test_features_are_the_standard_form(random, sparse):
    X, weights = two_groups(random)
    X[np.abs(X) < 0.5] = 0.0
    features = standardise(sp.csr_array(X) if sparse else X, weights)
    features = features.with_functions(3)
    Z, shares = standard(X, weights)
    v = random.randn(features.n_coefficients)
    W, b = features.standard_units(v)
    np.testing.assert_allclose(features.decide(v), Z @ W + b, atol=1e-12)
    g = random.randn(len(X), 3)
    expected = np.concatenate([(Z.T @ g).ravel(), g.sum(axis=0)])
    np.testing.assert_allclose(features.transpose_dot(g), expected, atol=1e-11)
    coefficients, offsets = features.original_units(v)
    np.testing.assert_allclose(X @ coefficients + offsets, Z @ W + b, atol=1e-12)
    np.testing.assert_allclose(features.squared_norms(), (Z**2).sum(axis=1))
    assert shares @ features.squared_norms() == pytest.approx(1.0)


@pytest.mark.parametrize("d", [3, 60])
def test_principal_directions(random, d):
    X = random.randn(200, d) * np.linspace(3, 1, d)
    features = standardise(X, np.ones(200))
    found = principal_directions(features, 3, random)
    Z, _ = standard(X, np.ones(200))
    values, axes = np.linalg.eigh(Z.T @ Z / 200)
    np.testing.assert_allclose(found.variances, values[::-1][:3], rtol=1e-6)
    overlap = np.abs((found.axes * axes[:, ::-1][:, :3]).sum(axis=0))
    np.testing.assert_allclose(overlap, 1.0, atol=1e-4)
    assert ((Z @ found.axes) ** 3).mean(axis=0).min() >= 0


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
def test_constant_column_does_not_matter(random, convert):
    X, weights = two_groups(random)
    expected = standardise(X, weights)
    shifted = convert(np.column_stack([X, np.full(len(X), 1e14)]))
    features = standardise(shifted, weights)
    v = random.randn(X.shape[1] + 1)
    longer = np.insert(v, X.shape[1], 0.0)
    np.testing.assert_allclose(features.decide(longer), expected.decide(v))
    norms = expected.squared_norms()
    np.testing.assert_allclose(features.squared_norms(), norms)
    coefficients, offsets = features.original_units(longer)
    values = (shifted @ coefficients + offsets)[:, 0]
    np.testing.assert_allclose(values, expected.decide(v), atol=1e-12)


def test_equal_features_are_refused():
    noise = 1.0 + 1e-16 * np.arange(20.0).reshape(10, 2)
    with pytest.raises(ValueError, match="All samples are equal in the feature space"):
        standardise(noise, np.ones(10))
