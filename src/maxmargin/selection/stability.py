"""The stability of each cluster when parts of the samples are clustered again."""

from collections.abc import Callable

import numpy as np
from sklearn.base import BaseEstimator, clone

from maxmargin import progress

# Called with the positions of some samples and a seed; returns their labels.
Cluster = Callable[[np.ndarray, int], np.ndarray]
MAX_ROWS = 2000  # that are clustered again by an estimator
MIN_ROWS_PER_CLUSTER = 4


def estimator_stability(
    estimator: BaseEstimator,
    X: np.ndarray,
    labels: np.ndarray,
    n_clusters: int,
    random: np.random.RandomState,
) -> np.ndarray:
    """Return the stability of clusters when an estimator clusters parts of samples X.

    Of many samples 2000 are used. ``labels`` need not be those of the estimator, of
    which copies with ``n_clusters`` clusters are fitted. All values are NaN if there
    are fewer than four samples per cluster. See `cluster_stability`.
    """
    result = np.full(n_clusters, np.nan)
    if len(labels) > MAX_ROWS:
        drawn = np.sort(random.choice(len(labels), MAX_ROWS, replace=False))
        X, labels = X[drawn], labels[drawn]
    if len(labels) < MIN_ROWS_PER_CLUSTER * n_clusters:
        return result

    def refit(part: np.ndarray, seed: int) -> np.ndarray:
        model = clone(estimator).set_params(n_clusters=n_clusters, random_state=seed)
        return np.asarray(model.fit(X[part]).labels_)

    values = cluster_stability(refit, labels, random)
    result[: len(values)] = values
    return result


def cluster_stability(
    cluster: Cluster,
    labels: np.ndarray,
    random: np.random.RandomState,
    n_refits: int = 5,
    share: float = 0.5,
) -> np.ndarray:
    """Return the stability of each cluster under resampling.

    A random part of the samples is clustered again. The similarity of an old cluster,
    restricted to that part, and a new one is the Jaccard index, the number of common
    samples over that of their union; the most similar new cluster counts. The mean over
    the parts is 1 for a cluster that is always found again; below 0.5 a cluster is said
    to dissolve [1]_.

    Parameters
    ----------
    cluster : callable
        Takes positions of samples and a seed, and returns labels for them.
    labels : ndarray of shape (n_samples,)
        The clusters, numbered from 0; -1 is no cluster.
    random : RandomState
    n_refits : int
    share : float
        The share of samples in a part.

    Returns
    -------
    stability : ndarray of shape (n_clusters,)
        NaN for a cluster without a sample in any part.

    References
    ----------
    .. [1] C. Hennig. Cluster-wise assessment of cluster stability. Computational
       Statistics and Data Analysis 52(1), 2007. doi:10.1016/j.csda.2006.11.025
    """
    n_samples, n_clusters = len(labels), int(labels.max()) + 1
    size = max(int(share * n_samples), min(2 * n_clusters, n_samples))
    total, seen = np.zeros(n_clusters), np.zeros(n_clusters)
    for number in range(n_refits):
        part = np.sort(random.choice(n_samples, size, replace=False))
        with progress.step(number, n_refits):
            found = cluster(part, random.randint(2**31 - 1))
        similarity = jaccard_table(labels[part], found, n_clusters)
        there = np.bincount(labels[part][labels[part] >= 0], minlength=n_clusters) > 0
        total += np.where(there, similarity.max(axis=1, initial=0.0), 0.0)
        seen += there
    return np.where(seen > 0, total / np.maximum(seen, 1), np.nan)


def jaccard_table(old: np.ndarray, new: np.ndarray, n_old: int) -> np.ndarray:
    """Return the Jaccard index of each old and each new cluster."""
    n_new = int(new.max(initial=-1)) + 1
    common = np.zeros((n_old, n_new))
    both = (old >= 0) & (new >= 0)
    np.add.at(common, (old[both], new[both]), 1.0)
    old_sizes = np.bincount(old[old >= 0], minlength=n_old)
    new_sizes = np.bincount(new[new >= 0], minlength=n_new)
    either = old_sizes[:, None] + new_sizes[None, :] - common
    return common / np.maximum(either, 1.0)
