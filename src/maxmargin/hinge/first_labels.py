"""Labels to alternate from: k-means, or normalised cuts."""

import numpy as np
from sklearn.cluster import KMeans


def k_means_labels(
    features,
    weights: np.ndarray,
    n_clusters: int,
    n_starts: int,
    random: np.random.RandomState,
) -> np.ndarray:
    """Return the labels of k-means, the best of some starts from k-means++ seeds."""
    machine = KMeans(n_clusters, n_init=n_starts, random_state=random)
    labels = machine.fit(features, sample_weight=weights).labels_
    return labels.astype(np.int64)


def normalised_cut_features(
    features: np.ndarray, weights: np.ndarray, n_clusters: int
) -> np.ndarray:
    """Return the coordinates that normalised cuts are found in (n x k).

    With similarities ``K = Z Z'`` and degrees ``d = K w``, they are the leading
    eigenvectors of ``D^-1/2 W^1/2 K W^1/2 D^-1/2``, each sample's brought to length 1
    (Shi and Malik, 2000; Ng, Jordan and Weiss, 2002). They come from the small matrix
    of the features.
    """
    degrees = features @ (features.T @ weights)
    if degrees.min() <= 0:
        raise ValueError(
            "init='spectral' needs a kernel without negative values, which are no "
            "similarities: use 'rbf', or init='k-means'."
        )
    scaled = features / np.sqrt(degrees)[:, None]
    _, vectors = np.linalg.eigh((scaled * weights[:, None]).T @ scaled)
    coordinates = scaled @ vectors[:, ::-1][:, :n_clusters]
    lengths = np.linalg.norm(coordinates, axis=1, keepdims=True)
    result: np.ndarray = coordinates / np.maximum(lengths, np.finfo(float).tiny)
    return result
