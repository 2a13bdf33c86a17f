"""Features of further samples by their neighbours."""

import numpy as np
import scipy.sparse as sp

from maxmargin.neighbors.index import NeighborIndex
from maxmargin.smoothers.neighbor_features import NeighborFeatures


def test_a_training_sample_has_its_own_features():
    """Also if others are nearer than the rounding of distances."""
    random = np.random.RandomState(0)
    X = 5.0 * random.randn(60, 4)
    X[:5] = X[0] + 1e-9 * random.randn(5, 4)
    features = random.randn(60, 3)
    features /= np.linalg.norm(features, axis=1, keepdims=True)
    for rows in (X, sp.csr_array(X)):
        found = NeighborFeatures(NeighborIndex(rows), features, 1.0)(rows)
        np.testing.assert_allclose(found, features, atol=1e-12)
