"""Methods for texts, by words and by embeddings, with the number of clusters given.

The other methods get the words with the same weights as ours: with an English list of
stop words they have a lower mean here.
"""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.decomposition import NMF, TruncatedSVD
from sklearn.preprocessing import normalize

from maxmargin import MaxMarginClustering
from maxmargin.texts import TextEncoder

N_TOPICS = 100  # dimensions of latent semantic analysis
Method = Callable[[Any, int], np.ndarray]


def maxmargin(X: Any, n_clusters: int) -> np.ndarray:
    """Return our labels, of texts or of embeddings."""
    return MaxMarginClustering(n_clusters, random_state=0).fit_predict(X)


def k_means(X: Any, n_clusters: int) -> np.ndarray:
    """Return the labels of k-means."""
    return KMeans(n_clusters, n_init=10, random_state=0).fit_predict(X)


def words_k_means(texts: list[str], n_clusters: int) -> np.ndarray:
    """Return the labels of k-means on words."""
    return k_means(TextEncoder().fit_transform(texts), n_clusters)


def words_nmf(texts: list[str], n_clusters: int) -> np.ndarray:
    """Return the largest factor of each text in a non-negative factorisation."""
    model = NMF(n_clusters, init="nndsvd", max_iter=300, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit_transform(TextEncoder().fit_transform(texts)).argmax(axis=1)


def words_lsa(texts: list[str], n_clusters: int) -> np.ndarray:
    """Return the labels of k-means on latent semantic analysis."""
    X = TextEncoder().fit_transform(texts)
    model = TruncatedSVD(min(N_TOPICS, min(X.shape) - 1), random_state=0)
    return k_means(normalize(model.fit_transform(X)), n_clusters)


def _umap(X: np.ndarray) -> np.ndarray:
    """Return five dimensions of UMAP, with the settings of BERTopic."""
    import umap

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = umap.UMAP(
            n_neighbors=15,
            n_components=5,
            min_dist=0.0,
            metric="cosine",
            random_state=0,
        )
        return np.asarray(model.fit_transform(X))


def umap_k_means(X: np.ndarray, n_clusters: int) -> np.ndarray:
    """Return the labels of k-means on UMAP."""
    return k_means(_umap(X), n_clusters)


def umap_hdbscan(X: np.ndarray, n_clusters: int) -> np.ndarray:
    """Return the labels of HDBSCAN on UMAP, noise as a cluster of its own.

    It finds the number of clusters by itself.
    """
    return HDBSCAN(min_cluster_size=10, copy=True).fit_predict(_umap(X))


def maxmargin_auto(X: Any, n_clusters: int) -> np.ndarray:
    """Return our labels if the number of clusters is not given."""
    return MaxMarginClustering("auto", random_state=0).fit_predict(X)


WORDS: dict[str, Method] = {
    "maxmargin": maxmargin,
    "k-means": words_k_means,
    "NMF": words_nmf,
    "LSA + k-means": words_lsa,
}
EMBEDDINGS: dict[str, Method] = {
    "maxmargin": maxmargin,
    "k-means": k_means,
    "UMAP + k-means": umap_k_means,
    "UMAP + HDBSCAN": umap_hdbscan,
}
UNKNOWN: dict[str, Method] = {
    "maxmargin": maxmargin_auto,
    "UMAP + HDBSCAN": umap_hdbscan,
}
