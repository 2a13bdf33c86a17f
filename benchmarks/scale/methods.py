"""Fit one method on generated or MNIST rows and print the figures as JSON."""

import json
import os
import sys
from pathlib import Path

import numpy as np
from sklearn.metrics import adjusted_rand_score

from benchmarks.scale.measure import timed
from maxmargin.datasets import make_bent_clusters


def load(name, size, seed):
    """Return samples and classes."""
    if name == "bent":
        return make_bent_clusters(size, random_state=seed)
    data = np.load(Path(os.environ["MAXMARGIN_DATA"]) / "mnist.npz")
    return data["X"].astype(np.float32) / 255, data["y"]


def maxmargin(X, k, seed):
    """Cluster with the defaults of this package."""
    from maxmargin import MaxMarginClustering

    MaxMarginClustering(2).fit(X[:200])  # load the compiled code
    return lambda: MaxMarginClustering(k, random_state=seed).fit_predict(X)


def exact(X, k, seed):
    """Cluster 5000 of the samples, with no landmark."""
    from maxmargin import MaxMarginClustering

    part = X[np.random.RandomState(seed).choice(len(X), 5000, replace=False)]
    model = MaxMarginClustering(k, landmarks=None, random_state=seed)
    return lambda: model.fit(part).predict(X)


def kmeans(X, k, seed):
    """Cluster by k-means with ten starts."""
    from sklearn.cluster import KMeans

    return lambda: KMeans(k, n_init=10, random_state=seed).fit_predict(X)


def mini_batch(X, k, seed):
    """Cluster by k-means on batches, with its defaults."""
    from sklearn.cluster import MiniBatchKMeans

    return lambda: MiniBatchKMeans(k, random_state=seed).fit_predict(X)


def faiss_kmeans(X, k, seed):
    """Cluster by k-means of faiss with ten starts on all samples."""
    import faiss

    faiss.omp_set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    rows = np.ascontiguousarray(X, dtype=np.float32)

    def fit():
        model = faiss.Kmeans(
            rows.shape[1],
            k,
            niter=50,
            nredo=10,
            seed=seed + 1,
            max_points_per_centroid=len(rows),
        )
        model.train(rows)
        return model.index.search(rows, 1)[1][:, 0]

    return fit


def mixture(X, k, seed):
    """Fit a Gaussian mixture with full covariances."""
    from sklearn.mixture import GaussianMixture

    return lambda: GaussianMixture(k, random_state=seed).fit_predict(X)


METHODS = {
    function.__name__: function
    for function in (maxmargin, exact, kmeans, mini_batch, faiss_kmeans, mixture)
}


if __name__ == "__main__":
    method, name, size, seed = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:5])
    X, y = load(name, size, seed)
    run = METHODS[method](X, len(np.unique(y)), seed)
    labels, figures = timed(run)
    print(json.dumps(figures | {"ari": adjusted_rand_score(y, labels)}))
