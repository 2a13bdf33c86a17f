"""Evolutionary spectral clustering."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import adjusted_rand_score

from maxmargin.evolving.snapshots import Matches
from maxmargin.published import EvolvingSpectralClustering
from maxmargin.published.evolving_baselines import (
    LANCZOS_SIZE,
    carried_over,
    leading_vectors,
    normalised,
)


@pytest.mark.parametrize("preserve", ["quality", "membership"])
def test_spectral_clusters_follow(preserve, random):
    X = np.concatenate([random.randn(20, 2), random.randn(20, 2) + 8])
    model = EvolvingSpectralClustering(2, preserve=preserve, random_state=0)
    model.partial_fit(X[:35], ids=np.arange(35))
    model.partial_fit(X[5:] + 0.1, ids=np.arange(5, 40))
    assert adjusted_rand_score(model.labels_, np.arange(5, 40) < 20) == 1.0
    record = model.history_[-1]
    assert (record.moved, record.came, record.left) == (0, 5, 5)


def test_objects_that_come_are_average():
    kept = np.array([[4.0, 2.0, 9.0], [2.0, 6.0, 9.0], [9.0, 9.0, 9.0]])
    carried = carried_over(kept, Matches(np.array([0, 2]), np.array([0, 1])), 3)
    assert_allclose(carried, [[4, 3, 2], [3, 3.5, 4], [2, 4, 6]])


def test_normalised_similarity_has_leading_eigenvalue_one(random):
    W = random.rand(8, 8)
    values = np.linalg.eigvalsh(normalised(W + W.T))
    assert_allclose(values[-1], 1.0)


def test_lanczos_finds_the_leading_vectors(random):
    X = random.randn(LANCZOS_SIZE + 20, 2)
    similarity = normalised(np.exp(-((X[:, None] - X) ** 2).sum(axis=2)))
    vectors = leading_vectors(similarity, 3)
    exact = np.linalg.eigh(similarity)[1][:, -3:]
    assert_allclose(vectors @ vectors.T, exact @ exact.T, atol=1e-8)
