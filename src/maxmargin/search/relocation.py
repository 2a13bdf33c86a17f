"""k-means in few dimensions, taken beyond a local optimum by relocating centres.

On a smoother of low rank, ``S = W Phi Phi' W``, the objective with power 1 is that of
k-means on the rows of ``Phi``: ``sum_h z_h' S z_h / n_h = sum_h n_h |c_h|^2`` with the
weighted means ``c_h``. Where ``Phi`` has few columns, a pass costs next to nothing, and
many can be made.
"""

import numpy as np
from sklearn.cluster import KMeans

from maxmargin.search.state import OnIteration, SearchResult

# Starts, and consecutive trials without success that end the search: per cluster, and
# at most. A trial costs about samples x clusters x features, the trials MAX_COST.
STARTS = (2, 20)
TRIALS = (20, 200)
MAX_COST = 1e8
TRIAL_PASSES = 3  # passes after which a relocation must have improved the objective


def relocate_centers(
    features: np.ndarray,
    weights: np.ndarray,
    n_clusters: int,
    random: np.random.RandomState,
    *,
    n_init: int | None = None,
    relocate: bool = True,
    max_iter: int = 1000,
    on_iteration: OnIteration | None = None,
) -> SearchResult:
    """Return the labels of the best centres found.

    A typical error of a local optimum of k-means is one cluster split in two and two
    others merged. So from the best of some k-means runs, a centre is relocated to a
    sample, some passes follow, and the result is kept if it is better [1]_. Centres
    whose samples lose little by moving to the next nearest one, and samples far from
    their centre, are drawn more often. The search ends after a number of trials without
    success; without ``relocate`` there is none.

    References
    ----------
    .. [1] P. Franti. Efficiency of random swap clustering. Journal of Big Data 5(13),
       2018. doi:10.1186/s40537-018-0122-y
    """
    if len(features) <= n_clusters:
        return _one_sample_each(features, weights)
    if n_init is None:
        n_init = max(5, min(STARTS[0] * n_clusters, STARTS[1]))
    start = KMeans(n_clusters, n_init=n_init, random_state=random, max_iter=max_iter)
    start.fit(features, sample_weight=weights)
    centers, value = _lloyd(features, weights, start.cluster_centers_, max_iter)
    history = [value]
    relocate = relocate and n_clusters > 1
    if relocate:
        center_probabilities, cumulated = _probabilities(features, weights, centers)
    patience = min(
        TRIALS[0] * n_clusters, TRIALS[1], MAX_COST / (features.size * n_clusters)
    )
    failed = 0
    while relocate and failed < patience:
        trial = centers.copy()
        trial[random.choice(n_clusters, p=center_probabilities)] = features[
            np.searchsorted(cumulated, random.random_sample())
        ]
        trial, value = _lloyd(features, weights, trial, TRIAL_PASSES)
        failed += 1
        if value > history[-1] * (1 + 1e-9):
            centers, value = _lloyd(features, weights, trial, max_iter)
            center_probabilities, cumulated = _probabilities(features, weights, centers)
            history.append(value)
            failed = 0
            if on_iteration is not None:
                on_iteration(len(history) - 1, value)
    history.append(history[-1])  # the last round, without improvement
    labels = distances_to_centers(features, centers).argmin(axis=1)
    n_moves = int(np.sum(labels != start.labels_))
    return SearchResult(labels, history[-1], tuple(history), n_moves, True)


def _one_sample_each(features: np.ndarray, weights: np.ndarray) -> SearchResult:
    """Return the labelling with each sample in its own cluster."""
    value = float(weights @ np.einsum("nm,nm->n", features, features))
    return SearchResult(np.arange(len(features)), value, (value,), 0, True)


def _probabilities(
    features: np.ndarray, weights: np.ndarray, centers: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the probabilities of centres to be removed, and of samples to be seeds.

    The former are inversely proportional to the loss of the samples of the centre, the
    latter, returned cumulated, proportional to the squared distance to the centre.
    """
    distances = distances_to_centers(features, centers)
    labels = distances.argmin(axis=1)
    two = np.partition(distances, 1, axis=1)
    costs = np.bincount(labels, weights * (two[:, 1] - two[:, 0]), len(centers))
    inverse = 1.0 / (costs + 1e-3 * costs.mean() + np.finfo(float).tiny)
    own = two[:, 0] + np.einsum("nm,nm->n", features, features)
    mass = np.cumsum(weights * np.maximum(own, 0.0))
    return inverse / inverse.sum(), mass / max(mass[-1], np.finfo(float).tiny)


def distances_to_centers(features: np.ndarray, centers: np.ndarray) -> np.ndarray:
    """Return squared distances to the centres, up to a constant of each sample."""
    norms = np.einsum("hm,hm->h", centers, centers)
    result: np.ndarray = norms - 2.0 * features @ centers.T
    return result


def _lloyd(
    features: np.ndarray, weights: np.ndarray, centers: np.ndarray, max_iter: int
) -> tuple[np.ndarray, float]:
    """Alternate labels and centres; return the centres and ``sum_h n_h |c_h|^2``."""
    labels = None
    value = -np.inf
    rows = np.arange(len(features))
    for _ in range(max_iter):
        new = distances_to_centers(features, centers).argmin(axis=1)
        if labels is not None and np.array_equal(new, labels):
            break
        labels = new
        indicators = np.zeros((len(centers), len(features)))
        indicators[labels, rows] = weights
        sizes = indicators.sum(axis=1)
        filled = sizes > 0
        means = (indicators @ features) / np.where(filled, sizes, 1.0)[:, None]
        centers = np.where(filled[:, None], means, centers)
        value = float(sizes @ np.einsum("hm,hm->h", centers, centers))
    return centers, value
