import pytest


@pytest.fixture
def problem(random, smoother_matrix):
    n_clusters = random.randint(2, 5)
    R, _ = smoother_matrix(random, 24, alpha=0.2)
    return R, random.randint(n_clusters, size=24), n_clusters
