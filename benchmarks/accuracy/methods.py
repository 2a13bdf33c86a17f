"""The methods that are compared. Each is imported in the process that runs it only."""

import importlib.util
from collections.abc import Callable
from typing import NamedTuple


class Method(NamedTuple):
    """A function of X, the number of clusters and a seed that returns labels."""

    title: str
    fit: Callable
    seeds: int | None = None  # the largest number of seeds; None: as many as asked for
    finds_number: bool = False  # then the number of clusters is not used
    package: str | None = None  # that must be installed, beside the dependencies

    @property
    def installed(self):
        """Whether the package of the method is there."""
        return not self.package or importlib.util.find_spec(self.package) is not None


def _ours(**parameters):
    def fit(X, n_clusters, seed):
        from maxmargin import MaxMarginClustering

        return MaxMarginClustering(
            n_clusters, random_state=seed, **parameters
        ).fit_predict(X)

    return fit


def kmeans(X, n_clusters, seed):
    """Cluster by k-means with ten starts."""
    from sklearn.cluster import KMeans

    return KMeans(n_clusters, n_init=10, random_state=seed).fit_predict(X)


def mixture(X, n_clusters, seed):
    """Fit a Gaussian mixture; thousands of features would take a day."""
    from sklearn.mixture import GaussianMixture

    if X.shape[1] > 2000:
        raise ValueError("full covariances of more than 2000 features are not tried")
    model = GaussianMixture(n_clusters, reg_covar=1e-3, random_state=seed)
    return model.fit_predict(X)


def ward(X, n_clusters, seed):
    """Merge clusters by Ward's criterion."""
    from sklearn.cluster import AgglomerativeClustering

    return AgglomerativeClustering(n_clusters).fit_predict(X)


def spectral(X, n_clusters, seed):
    """Cluster the graph of nearest neighbours by its eigenvectors."""
    from sklearn.cluster import SpectralClustering

    model = SpectralClustering(
        n_clusters, affinity="nearest_neighbors", random_state=seed
    )
    return model.fit_predict(X)


def umap_kmeans(X, n_clusters, seed):
    """Embed in the plane with UMAP, then k-means with ten starts."""
    import umap

    plane = umap.UMAP(random_state=seed, n_jobs=1).fit_transform(X)
    return kmeans(plane, n_clusters, seed)


def genie(X, n_clusters, seed):
    """Cluster with Genie, with its defaults."""
    import genieclust

    return genieclust.Genie(n_clusters=n_clusters).fit_predict(X)


WITH_NUMBER = {
    "maxmargin": Method("MaxMarginClustering", _ours()),
    "neighbors": Method('kernel="neighbors"', _ours(kernel="neighbors")),
    "kmeans": Method("KMeans", kmeans),
    "mixture": Method("GaussianMixture", mixture),
    "ward": Method("Ward", ward, seeds=1),
    "spectral": Method("Spectral", spectral),
    "umap": Method("UMAP, k-means", umap_kmeans, seeds=2, package="umap"),
    "genie": Method("Genie", genie, seeds=1, package="genieclust"),
}
