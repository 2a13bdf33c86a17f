"""The number of clusters without labels: a score for each, and a table of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score
from sklearn.utils import check_array, check_random_state

from maxmargin.graph.spectral_smoother import (
    DEGREES_PER_CLUSTER,
    VECTORS_PER_CLUSTER,
    NeighborGraph,
)
from maxmargin.kernels.low_rank_smoother import LowRankSmoother
from maxmargin.resources import single_threaded_libraries
from maxmargin.rows.blocks import ArraySource
from maxmargin.rows.counts import hellinger, is_count_data
from maxmargin.rows.sample import Sample, draw_part, draw_sample
from maxmargin.rows.scaling import (
    check_scale,
    choose_scale,
    divide_columns,
    is_automatic,
    is_forced,
)
from maxmargin.search.relocation import distances_to_centers, relocate_centers

MAX_SAMPLES = 1000  # samples that are clustered to score the numbers
MAX_CLUSTERS = 30
N_SPLITS = 2
AS_GOOD = 0.95  # scores vary by some hundredths with the halves of the samples


class CountScore(NamedTuple):
    """The score of a number of clusters, and its parts."""

    n_clusters: int
    score: float  # pairs * (silhouette * stability)^2
    pairs: float  # the probability that two samples are in different clusters
    silhouette: float
    stability: float


@dataclass(frozen=True)
class ClusterCountTable:
    """Scores of numbers of clusters, the larger the better.

    Attributes
    ----------
    rows : tuple of CountScore
        For each number of clusters: the score, and the three parts of it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin.selection import select_n_clusters
    >>> X, _ = load_iris(return_X_y=True)
    >>> table = select_n_clusters(X, [2, 3], random_state=0)
    >>> sorted(table.to_dict())
    ['n_clusters', 'pairs', 'score', 'silhouette', 'stability']
    """

    rows: tuple[CountScore, ...]

    @property
    def best(self) -> int:
        """Return the smallest number with a score within 5 % of the largest."""
        return best_count(self.rows)

    def to_dict(self) -> dict[str, np.ndarray]:
        """Return the columns by name, as ``pandas.DataFrame`` takes them."""
        return {
            name: np.array([getattr(row, name) for row in self.rows])
            for name in CountScore._fields
        }

    def __str__(self) -> str:
        lines = ["clusters   score   pairs  silhouette  stability"]
        for row in self.rows:
            mark = "  <- best" if row.n_clusters == self.best else ""
            lines.append(
                f"{row.n_clusters:>8}{row.score:>8.3f}{row.pairs:>8.3f}"
                f"{row.silhouette:>12.3f}{row.stability:>11.3f}{mark}"
            )
        return "\n".join(lines)


def select_n_clusters(
    X,
    n_clusters: Iterable[int] | None = None,
    *,
    scale: Any = "auto",
    random_state: Any = None,
) -> ClusterCountTable:
    """Score numbers of clusters without labels.

    The score of a number k is the probability that two random samples are in different
    clusters, times the square of silhouette and stability, which measure how well each
    of the two is placed. At most 1000 samples are used. One cluster is never the
    result: if no score stands out, or the best is below about 0.3, there may be no
    clusters.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
    n_clusters : iterable of int, default=None
        The numbers to score; by default from 2 to the square root of the number of
        samples, at most 30.
    scale : "auto", bool or array-like of shape (n_features,), default="auto"
        Whether to divide the columns by their standard deviations, as in
        :class:`maxmargin.MaxMarginClustering`.
    random_state : int, RandomState instance or None, default=None

    Returns
    -------
    table : ClusterCountTable

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from maxmargin.selection import select_n_clusters
    >>> X, _ = make_blobs(200, centers=4, cluster_std=0.5, random_state=4)
    >>> select_n_clusters(X, range(2, 8), random_state=0).best
    4
    """
    X = check_array(
        X, accept_sparse="csr", dtype=[np.float64, np.float32], ensure_min_samples=4
    )
    check_scale(scale)
    X = _prepare(X, scale)
    random = check_random_state(random_state)
    with single_threaded_libraries():
        sample = draw_sample(
            X, np.ones(X.shape[0]), merge=True, limit=MAX_SAMPLES, random=random
        )
        n_distinct = len(sample.indices)
        counts = list(default_counts(n_distinct) if n_clusters is None else n_clusters)
        if not counts or min(counts) < 2 or max(counts) > n_distinct // 2:
            raise ValueError(
                f"n_clusters={counts} must be numbers from 2 to half of the "
                f"{n_distinct} distinct samples."
            )
        scores = score_counts(X[sample.indices], sample.weights, counts, random)
    return ClusterCountTable(tuple(scores))


def _prepare(X, scale: Any) -> Any:
    """Return rows as they are compared: counts as proportions, columns divided."""
    if not is_forced(scale) and is_count_data(X):
        return hellinger(X)
    if is_automatic(scale) and sp.issparse(X):
        return X
    source = ArraySource(X, np.ones(X.shape[0]))
    divisors = choose_scale(scale, X.shape[1], source.column_statistics)
    return divide_columns(X, divisors)


def estimate_n_clusters(X, sample: Sample, random: np.random.RandomState) -> int:
    """Return the number of clusters with the best score on a sample of X."""
    part = draw_part(sample, MAX_SAMPLES, random)
    counts = default_counts(len(part.indices))
    if len(counts) == 1:
        return counts[0]
    return best_count(score_counts(X[part.indices], part.weights, counts, random))


def default_counts(n_samples: int) -> range:
    """Return the numbers from 2 to the square root of n, at most 30."""
    return range(2, max(2, min(MAX_CLUSTERS, int(np.sqrt(n_samples)))) + 1)


def best_count(scores: Sequence[CountScore]) -> int:
    """Return the smallest number with a score within 5 % of the largest."""
    best = max(row.score for row in scores)
    return min(row.n_clusters for row in scores if row.score >= AS_GOOD * best)


def score_counts(
    X,
    weights: np.ndarray,
    counts: Sequence[int],
    random: np.random.RandomState,
) -> list[CountScore]:
    """Score numbers of clusters on distinct samples X.

    For each number k the samples are clustered on their neighbour graph. With the
    shares ``p_h`` of the clusters, the score is

        (1 - sum_h p_h^2) * (silhouette * stability)^2:

    the probability that two random samples are in different clusters, times how well
    each of the two is placed. The silhouette, by distances to centres in the space of
    the k smoothest vectors, falls when k is too large for the gaps between clusters.
    The stability is the adjusted Rand index between these clusters and those found on
    half of the samples alone. Both prefer a single small group of outliers; the first
    factor prevents that.
    """
    n_samples = X.shape[0]
    n_vectors = VECTORS_PER_CLUSTER * max(counts)
    whole = NeighborGraph(X, weights, n_vectors)
    halves = []
    for _ in range(N_SPLITS):
        order = random.permutation(n_samples)
        for part in (order[: n_samples // 2], order[n_samples // 2 :]):
            part = np.sort(part)
            graph = NeighborGraph(X[part], weights[part], n_vectors)
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
    silhouette = silhouette_by_centers(hard, _cluster(hard, k, random), k)
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
    run = relocate_centers(smoother.features, smoother.weights, k, random, n_random=2)
    return run.labels


def silhouette_by_centers(
    smoother: LowRankSmoother, labels: np.ndarray, k: int
) -> float:
    """Return the mean silhouette by distances to the own and the next centre."""
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
    largest = np.maximum(np.maximum(own, other), np.finfo(float).tiny)
    return float(np.average((other - own) / largest, weights=weights))
