"""What several test files share."""

import os
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel


@pytest.fixture(params=range(3))
def seed(request):
    """Run a stochastic test for several seeds: it must pass for any."""
    return request.param


@pytest.fixture
def random(seed):
    return np.random.RandomState(seed)


@pytest.fixture
def data_folder():
    """Return the folder with the public data, or skip the test by name."""
    folder = Path(os.environ.get("MAXMARGIN_DATA", ""))
    if not (folder / "mnist.npz").exists():
        pytest.skip("needs the data folder: set MAXMARGIN_DATA")
    return folder


@pytest.fixture
def smoother_matrix():
    """Return a function that makes the smoother of random samples."""

    def make(random, n_samples, alpha=0.5, n_features=2):
        K = rbf_kernel(random.randn(n_samples, n_features), gamma=0.5)
        return K @ np.linalg.inv(K + alpha * np.eye(n_samples)), K

    return make
