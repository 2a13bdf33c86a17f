"""Fit one method on generated or real rows and print the figures as JSON.

``OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python -m benchmarks.scale.methods all_rows
bent 1000000 0``: the method, the data, the number of rows and the seed.
"""

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
    folder = Path(os.environ["MAXMARGIN_DATA"])
    if name == "mnist":
        data = np.load(folder / "mnist.npz")
        return data["X"].astype(np.float32) / 255, data["y"]
    if name == "usps":
        data = np.load(folder / "usps.npz")
        return data["X"].astype(np.float64), data["y"]
    data = np.load(folder / "shapes" / f"{name}.npz")
    return data["X"].astype(np.float64), data["y0"]


def _load_compiled(X):
    """Fit few rows of the same kind, exact and approximate."""
    from maxmargin import MaxMarginClustering
    from maxmargin.smoothers import neighbor_index as neighbors

    exact = neighbors.EXACT_OPERATIONS
    for neighbors.EXACT_OPERATIONS in (0, exact):
        MaxMarginClustering(2).fit(X[:6000]).predict(X[:10])


def maxmargin(X, k, seed):
    """Cluster with the defaults of this package."""
    from maxmargin import MaxMarginClustering

    _load_compiled(X)
    return lambda: MaxMarginClustering(k, random_state=seed).fit_predict(X)


def all_rows(X, k, seed):
    """Search all rows, whatever memory that takes."""
    from maxmargin import MaxMarginClustering

    _load_compiled(X)
    model = MaxMarginClustering(k, memory_limit=np.inf, random_state=seed)
    return lambda: model.fit_predict(X)


def one_gigabyte(X, k, seed):
    """Search a part that fits into one gigabyte."""
    from maxmargin import MaxMarginClustering

    _load_compiled(X)
    model = MaxMarginClustering(k, memory_limit="1 GB", random_state=seed)
    return lambda: model.fit_predict(X)


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


def umap_kmeans(X, k, seed):
    """Embed in the plane with UMAP, then k-means with ten starts."""
    import umap
    from sklearn.cluster import KMeans

    umap.UMAP(n_epochs=5).fit(X[:500])  # compile

    def fit():
        plane = umap.UMAP(random_state=seed, n_jobs=1).fit_transform(X)
        return KMeans(k, n_init=10, random_state=seed).fit_predict(plane)

    return fit


def evoc(X, k, seed):
    """Cluster with EVoC, which finds the number of clusters itself."""
    import evoc

    rows = np.ascontiguousarray(X, dtype=np.float32)
    evoc.EVoC(random_state=seed).fit_predict(rows[:2000])  # compile
    return lambda: evoc.EVoC(random_state=seed).fit_predict(rows)


def ward(X, k, seed):
    """Merge 10,000 rows by Ward's criterion; the others have their nearest label."""
    from sklearn.cluster import AgglomerativeClustering
    from sklearn.neighbors import KNeighborsClassifier

    def fit():
        rows = np.random.RandomState(seed).permutation(len(X))[:10_000]
        labels = AgglomerativeClustering(k).fit_predict(X[rows])
        return KNeighborsClassifier(1).fit(X[rows], labels).predict(X)

    return fit


def hdbscan(X, k, seed):
    """Cluster by density, with scikit-learn's defaults; it finds the number itself."""
    from sklearn.cluster import HDBSCAN

    return lambda: HDBSCAN(copy=True).fit_predict(X)


def genie(X, k, seed):
    """Cluster with Genie, with its defaults."""
    import genieclust

    return lambda: genieclust.Genie(n_clusters=k).fit_predict(X)


METHODS = {
    function.__name__: function
    for function in (
        *(maxmargin, all_rows, one_gigabyte),
        *(kmeans, mini_batch, faiss_kmeans, mixture),
        *(umap_kmeans, evoc, ward, hdbscan, genie),
    )
}


if __name__ == "__main__":
    method, name, size, seed = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:5])
    X, y = load(name, size, seed)
    run = METHODS[method](X, len(np.unique(y)), seed)
    labels, figures = timed(run)
    print(json.dumps(figures | {"ari": adjusted_rand_score(y, labels)}))
