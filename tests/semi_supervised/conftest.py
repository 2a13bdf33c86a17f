"""Samples of which few have a label."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs, make_moons
from tests.semi_supervised.few_labels import hide


@pytest.fixture
def moons(random):
    X, y = make_moons(300, noise=0.05, random_state=random)
    return X, y, hide(y, 5, random)


@pytest.fixture
def blobs(random):
    centers = np.array([[0.0, 0], [8, 0], [0, 8], [8, 8]])
    return make_blobs(160, centers=centers, random_state=random)
