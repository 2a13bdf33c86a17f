"""How well each number of clusters fits, without labels."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from sklearn.metrics import adjusted_rand_score

from maxmargin.clustering.candidates import DEGREES_PER_CLUSTER, VECTORS_PER_CLUSTER
from maxmargin.kernels.graph_smoother import NeighborGraph
from maxmargin.kernels.low_rank_smoother import LowRankSmoother
from maxmargin.search.relocation import distances_to_centers, relocate_centers

COUNT_SAMPLES = 1000  # so many samples tell the number of clusters
MOST_CLUSTERS = 30
N_SPLITS = 2
AS_GOOD = 0.95  # other halves of the samples move a score by some hundredths


class CountScore(NamedTuple):
    """The score of a number of clusters, and what it is made of."""

    n_clusters: int
    score: float  # pairs * (silhouette * stability)^2
    pairs: float  # the chance that two samples are in different clusters
    silhouette: float
    stability: float


def default_counts(n_samples: int) -> range:
    """Return the numbers of clusters to try: from 2 to the root of n, at most 30."""
    return range(2, max(2, min(MOST_CLUSTERS, int(np.sqrt(n_samples)))) + 1)


def best_count(scores: Sequence[CountScore]) -> int:
    """Return the smallest number whose score is as good as the best, up to chance."""
    best = max(row.score for row in scores)
    return min(row.n_clusters for row in scores if row.score >= AS_GOOD * best)


def score_counts(
    X,
    weights: np.ndarray,
    counts: Sequence[int],
    random: np.random.RandomState,
    n_threads: int = 1,
) -> list[CountScore]:
    """Score numbers of clusters on distinct samples X.

    For each number k the samples are clustered on their neighbour graph. With the
    shares ``p_h`` of the clusters, the score is

        (1 - sum_h p_h^2) * (silhouette * stability)^2:

    the chance that two samples drawn at random are told apart, times how well each of
    the two is placed. The silhouette, by distances to centres in the space of the k
    smoothest vectors, falls when k is too large for the gaps between clusters. The
    stability is the adjusted Rand index between these clusters and those found on half
    of the samples alone. Either of them prefers the one small group that lies apart;
    the first factor asks for more.
    """
    n_samples = X.shape[0]
    n_vectors = VECTORS_PER_CLUSTER * max(counts)
    whole = NeighborGraph(X, weights, n_vectors, n_threads)
    halves = []
    for _ in range(N_SPLITS):
        order = random.permutation(n_samples)
        for part in (order[: n_samples // 2], order[n_samples // 2 :]):
            part = np.sort(part)
            graph = NeighborGraph(X[part], weights[part], n_vectors, n_threads)
            halves.append((part, graph))
    return [_score(k, whole, halves, weights, random) for k in counts]


def _score(
    k: int,
    whole: NeighborGraph,
    halves: list[tuple[np.ndarray, NeighborGraph]],
    weights: np.ndarray,
    random: np.random.RandomState,
) -> CountScore:
    hard = whole.hard_smoother(k)
    silhouette = _silhouette(hard, _cluster(hard, k, random), k)
    labels = _cluster(_soft(whole, k), k, random)
    stability = np.mean(
        [
            adjusted_rand_score(labels[part], _cluster(_soft(half, k), k, random))
            for part, half in halves
        ]
    )
    shares = np.bincount(labels, weights, minlength=k) / weights.sum()
    pairs = 1.0 - float(shares @ shares)
    placed = max(silhouette, 0.0) * max(float(stability), 0.0)
    return CountScore(k, pairs * placed**2, pairs, silhouette, float(stability))


def _soft(graph: NeighborGraph, k: int) -> LowRankSmoother:
    return graph.soft_smoother(min(DEGREES_PER_CLUSTER * k, 0.9 * len(graph.values)))


def _cluster(
    smoother: LowRankSmoother, k: int, random: np.random.RandomState
) -> np.ndarray:
    run = relocate_centers(
        smoother.features, smoother.weights, k, random, n_init=5, relocate=False
    )
    return run.labels


def _silhouette(smoother: LowRankSmoother, labels: np.ndarray, k: int) -> float:
    """Return the mean silhouette, by distances to the own and the next centre."""
    features, weights = smoother.features, smoother.weights
    members = np.zeros((k, len(labels)))
    members[labels, np.arange(len(labels))] = weights
    sizes = members.sum(axis=1)
    centers = (members @ features) / np.where(sizes > 0, sizes, 1.0)[:, None]
    squares = distances_to_centers(features, centers)
    squares += np.einsum("nm,nm->n", features, features)[:, None]
    distances = np.sqrt(np.maximum(squares, 0.0))
    distances[:, sizes == 0] = np.inf
    rows = np.arange(len(labels))
    own = distances[rows, labels]
    distances[rows, labels] = np.inf
    other = distances.min(axis=1)
    if not np.isfinite(other).all():
        return 0.0
    larger = np.maximum(np.maximum(own, other), np.finfo(float).tiny)
    return float(np.average((other - own) / larger, weights=weights))
