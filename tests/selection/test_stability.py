import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

from maxmargin.selection.stability import (
    cluster_stability,
    estimator_stability,
    jaccard_table,
)


def naive_jaccard(old, new):
    return [
        [
            len(set(np.flatnonzero(old == a)) & set(np.flatnonzero(new == b)))
            / len(set(np.flatnonzero(old == a)) | set(np.flatnonzero(new == b)))
            for b in range(new.max() + 1)
        ]
        for a in range(old.max() + 1)
    ]


def test_jaccard(random):
    old, new = random.randint(-1, 3, 50), random.randint(-1, 4, 50)
    np.testing.assert_allclose(jaccard_table(old, new, 3), naive_jaccard(old, new))


def test_what_always_comes_back_is_stable_and_what_never_does_is_not(random):
    labels = np.repeat([0, 1, 2], 40)

    def cluster(part, seed):  # finds the first one; mixes the others by chance
        mixed = np.random.RandomState(seed).randint(1, 9, len(part))
        return np.where(labels[part] == 0, 0, mixed)

    stability = cluster_stability(cluster, labels, random)
    assert stability[0] == 1.0
    assert (stability[1:] < 0.5).all()


def test_a_cluster_that_no_part_holds():
    labels = np.array([0] * 99 + [1])
    random = np.random.RandomState(0)
    found = cluster_stability(
        lambda part, seed: np.zeros(len(part), int), labels, random, 1, share=0.05
    )
    assert found[0] > 0.9
    assert np.isnan(found[1]) or found[1] < 0.5


def test_stability_with_an_estimator(random):
    X, y = make_blobs(60, centers=[[0, 0], [9, 0], [0, 9]], random_state=0)
    found = estimator_stability(KMeans(2, n_init=1), X, y, 3, random)
    assert (found > 0.9).all()
    few = estimator_stability(KMeans(2, n_init=1), X[:9], y[:9], 3, random)
    assert np.isnan(few).all()
