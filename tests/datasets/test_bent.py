"""Bent clusters."""

import numpy as np

from maxmargin.datasets import make_bent_clusters


def test_every_other_cluster_lies_along_an_arc(seed):
    X, y = make_bent_clusters(4000, 6, 4, random_state=seed)
    assert set(y) == {0, 1, 2, 3}
    for h in range(4):
        spread = np.linalg.eigvalsh(np.cov(X[y == h].T))
        bent = h % 2 == 1
        assert (spread[-2] > 3) == bent  # two directions beyond the noise of one
        assert np.all(spread[:-2] < 1.5)


def test_seeded():
    first = make_bent_clusters(50, random_state=1)[0]
    assert np.array_equal(first, make_bent_clusters(50, random_state=1)[0])
