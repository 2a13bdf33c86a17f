"""The methods that are compared, with the number of clusters given."""

import math

from sklearn.cluster import (
    HDBSCAN,
    AgglomerativeClustering,
    BisectingKMeans,
    KMeans,
    SpectralClustering,
)
from sklearn.mixture import GaussianMixture

from maxmargin import MaxMarginClustering

OURS = "MaxMarginClustering"
# The four methods of "best of four", the best of which is chosen with the labels.
CLASSICS = ("KMeans", "GaussianMixture", "Spectral", "Ward")


def equal_kmeans(X, n_clusters, seed):
    """Cluster with k-means under equal sizes."""
    from k_means_constrained import KMeansConstrained

    n_samples = len(X)
    model = KMeansConstrained(
        n_clusters,
        size_min=n_samples // n_clusters,
        size_max=math.ceil(n_samples / n_clusters),
        random_state=seed,
        n_init=1,
    )
    return model.fit_predict(X)


def gemclus(X, n_clusters, seed):
    """Cluster with the closest living competitor, at its defaults."""
    from gemclus.mlp import MLPMMD

    return MLPMMD(n_clusters, random_state=seed).fit_predict(X)


def mixture(X, n_clusters, seed):
    """Fit a Gaussian mixture; a day would not do for thousands of features."""
    if X.shape[1] > 2000:
        raise ValueError("full covariances of more than 2000 features are not tried")
    model = GaussianMixture(n_clusters, reg_covar=1e-3, random_state=seed)
    return model.fit_predict(X)


def _fit(make):
    return lambda X, n_clusters, seed: make(n_clusters, seed).fit_predict(X)


# name: (function of X, n_clusters, seed; whether the seed matters)
METHODS = {
    OURS: (_fit(lambda k, s: MaxMarginClustering(k, random_state=s)), True),
    "KMeans": (_fit(lambda k, s: KMeans(k, n_init=10, random_state=s)), True),
    "GaussianMixture": (mixture, True),
    "Spectral": (
        _fit(
            lambda k, s: SpectralClustering(
                k, affinity="nearest_neighbors", random_state=s
            )
        ),
        True,
    ),
    "Ward": (_fit(lambda k, s: AgglomerativeClustering(k)), False),
    "HDBSCAN": (_fit(lambda k, s: HDBSCAN(copy=False)), False),
    "BisectingKMeans": (_fit(lambda k, s: BisectingKMeans(k, random_state=s)), True),
    "KMeansConstrained": (equal_kmeans, False),
    "gemclus": (gemclus, False),
}
