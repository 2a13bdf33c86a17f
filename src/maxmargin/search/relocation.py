"""k-means in few dimensions, taken beyond a local optimum by relocating centres.

On a smoother of low rank, ``S = W Phi Phi' W``, the objective with power 1 is that of
k-means on the rows of ``Phi``: ``sum_h z_h' S z_h / n_h = sum_h n_h |c_h|^2`` with the
weighted means ``c_h``. Where ``Phi`` has few columns, a pass costs next to nothing, and
many can be made.
"""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from sklearn.cluster import KMeans

from maxmargin.search.state import OnIteration, SearchResult

# Starts, and consecutive trials without success that end the search: per cluster, and
# at most. A trial costs about samples x clusters x features, the trials MAX_COST.
STARTS = (2, 20)
TRIALS = (20, 200)
MAX_COST = 1e8
TRIAL_PASSES = 3  # passes after which a relocation must have improved the objective
# Of more samples a part is searched: its best centres are close to those of all.
PART_SIZE = 10_000


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
    step = -(-len(features) // PART_SIZE)
    part, part_weights = features[::step], weights[::step]
    if n_init is None:
        n_init = max(5, min(STARTS[0] * n_clusters, STARTS[1]))
    start = KMeans(n_clusters, n_init=n_init, random_state=random, max_iter=max_iter)
    start.fit(part, sample_weight=part_weights)
    first = _lloyd(part, part_weights, start.cluster_centers_, max_iter)
    rounds = [first]
    if relocate and n_clusters > 1:
        rounds = _relocate(part, part_weights, first, random, max_iter, on_iteration)
    if step > 1:
        before = _lloyd(features, weights, rounds[-1].centers, 1)
        all_ = KMeans(n_clusters, init=before.centers, n_init=1, max_iter=max_iter)
        all_.fit(features, sample_weight=weights)
        rounds = [before, _lloyd(features, weights, all_.cluster_centers_, 1)]
    history = [one.value for one in rounds]
    history.append(history[-1])  # the last round, without improvement
    labels = distances_to_centers(features, rounds[-1].centers).argmin(axis=1)
    at_start = distances_to_centers(features, start.cluster_centers_).argmin(axis=1)
    n_moves = int(np.sum(labels != at_start))
    return SearchResult(labels, history[-1], tuple(history), n_moves, True)


class _Centers(NamedTuple):
    """Centres, and ``sum_h n_h |c_h|^2``."""

    centers: np.ndarray
    value: float


def _relocate(
    features: np.ndarray,
    weights: np.ndarray,
    first: _Centers,
    random: np.random.RandomState,
    max_iter: int,
    on_iteration: OnIteration | None,
) -> list[_Centers]:
    """Return the centres at the start and after each successful relocation."""
    n_clusters = len(first.centers)
    cost = features.size * n_clusters
    patience = min(TRIALS[0] * n_clusters, TRIALS[1], MAX_COST / cost)
    removal, seeds = _probabilities(features, weights, first.centers)
    rounds = [first]
    failed = 0
    exact = seeds[-1] == 0.0  # every sample is at its centre
    while failed < patience and not exact:
        trial = rounds[-1].centers.copy()
        seed = np.searchsorted(seeds, random.random_sample())
        trial[random.choice(n_clusters, p=removal)] = features[seed]
        tried = _lloyd(features, weights, trial, TRIAL_PASSES)
        failed += 1
        if tried.value > rounds[-1].value * (1 + 1e-9):
            rounds.append(_lloyd(features, weights, tried.centers, max_iter))
            removal, seeds = _probabilities(features, weights, rounds[-1].centers)
            failed = 0
            if on_iteration is not None:
                on_iteration(len(rounds) - 1, rounds[-1].value)
    return rounds


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
) -> _Centers:
    """Alternate labels and centres until no label changes."""
    labels = None
    value = -np.inf
    for _ in range(max_iter):
        new = distances_to_centers(features, centers).argmin(axis=1)
        if labels is not None and np.array_equal(new, labels):
            break
        labels = new
        columns = np.arange(len(features))
        members = csr_array(
            (weights, (labels, columns)), shape=(len(centers), len(features))
        )
        sizes = np.bincount(labels, weights, len(centers))
        filled = sizes > 0
        means = (members @ features) / np.where(filled, sizes, 1.0)[:, None]
        centers = np.where(filled[:, None], means, centers)
        value = float(sizes @ np.einsum("hm,hm->h", centers, centers))
    return _Centers(centers, value)
