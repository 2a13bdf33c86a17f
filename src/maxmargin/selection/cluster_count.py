"""The number of clusters without labels: a score for each, and a table of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_array, check_random_state

from maxmargin.resources import single_threaded_libraries
from maxmargin.rows.blocks import ArraySource
from maxmargin.rows.preparation import choose_preparation
from maxmargin.rows.sample import Sample, draw_part, draw_sample
from maxmargin.rows.scaling import check_scale
from maxmargin.selection.cluster_separation import (
    Separation,
    measure_separation,
    measure_separations,
)
from maxmargin.selection.no_clusters import MIN_SIZE, score_without_clusters
from maxmargin.smoothers.spectral_smoother import VECTORS_PER_CLUSTER, NeighborGraph

MAX_SAMPLES = 100_000  # samples that are clustered to score the numbers
# Numbers up to FIRST_CLUSTERS are scored; up to MAX_CLUSTERS if one of the last third
# is the best.
FIRST_CLUSTERS, MAX_CLUSTERS = 30, 60
# Two clusters have at least MIN_SCORE. Samples without clusters do not reach CLEAR.
MIN_SCORE, CLEAR = 0.06, 0.3


class CountScore(NamedTuple):
    """The score of a number of clusters, and its parts."""

    n_clusters: int
    score: float  # pairs * separation^2
    pairs: float  # the probability that two samples are in different clusters
    separation: float  # (inner - leaving) / max(inner, leaving), the mean
    leaving: float  # the share of edges of a cluster that leave it
    inner: float  # the share of edges that halves of a cluster lose


@dataclass(frozen=True)
class ClusterCountTable:
    """Scores of numbers of clusters, the larger the better.

    Attributes
    ----------
    rows : tuple of CountScore
        For each number of clusters: the score, and the parts of it. The score of one
        cluster is what samples without clusters reach with more than one.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin.selection import select_n_clusters
    >>> X, _ = load_iris(return_X_y=True)
    >>> table = select_n_clusters(X, [2, 3], random_state=0)
    >>> sorted(table.to_dict())
    ['inner', 'leaving', 'n_clusters', 'pairs', 'score', 'separation']
    """

    rows: tuple[CountScore, ...]

    @property
    def best(self) -> int:
        """Return the number with the largest score, the smallest of several."""
        return best_count(self.rows)

    def to_dict(self) -> dict[str, np.ndarray]:
        """Return the columns by name, as ``pandas.DataFrame`` takes them."""
        return {
            name: np.array([getattr(row, name) for row in self.rows])
            for name in CountScore._fields
        }

    def __str__(self) -> str:
        lines = ["clusters   score   pairs  separation  leaving   inner"]
        for row in self.rows:
            mark = "  <- best" if row.n_clusters == self.best else ""
            lines.append(
                f"{row.n_clusters:>8}{row.score:>8.3f}{row.pairs:>8.3f}"
                f"{row.separation:>12.3f}{row.leaving:>9.3f}{row.inner:>8.3f}{mark}"
            )
        return "\n".join(lines)


def select_n_clusters(
    X: Any,
    n_clusters: Iterable[int] | None = None,
    *,
    scale: Any = "auto",
    random_state: Any = None,
) -> ClusterCountTable:
    """Score numbers of clusters without labels.

    For each number k the samples are clustered on their neighbour graph. A boundary
    between two clusters should cross fewer edges than one through the middle of a
    cluster. The separation compares these, see `score_counts`. The score is the
    probability that two random samples are in different clusters, times the square of
    the separation. At most 100,000 samples are used.

    One cluster has no boundary. Its score is one that normally distributed samples with
    the same covariance rarely reach with more clusters, at least 0.06; so it is the
    best number if the other scores could be those of samples without clusters.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
    n_clusters : iterable of int, default=None
        The numbers to score; by default from 1 to a fourth of the number of samples, at
        most 30, or 60 if one of the last ten of these is the best.
    scale : "auto", bool or array-like of shape (n_features,), default="auto"
        Whether to divide the columns by their standard deviations, as in
        :class:`maxmargin.MaxMarginClustering`.
    random_state : int, RandomState instance or None, default=None
        Draws the samples if there are more than 100,000.

    Returns
    -------
    table : ClusterCountTable

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from maxmargin.selection import select_n_clusters
    >>> X, _ = make_blobs(200, centers=4, cluster_std=0.5, random_state=4)
    >>> select_n_clusters(X, random_state=0).best
    4
    """
    X = check_array(
        X, accept_sparse="csr", dtype=[np.float64, np.float32], ensure_min_samples=4
    )
    check_scale(scale)
    statistics = ArraySource(X, np.ones(X.shape[0])).column_statistics
    X = choose_preparation(X, statistics, scale=scale)(X)
    random = check_random_state(random_state)
    with single_threaded_libraries():
        sample = draw_sample(
            X, np.ones(X.shape[0]), merge=True, limit=MAX_SAMPLES, random=random
        )
        rows, weights = X[sample.indices], sample.weights
        if n_clusters is None:
            return ClusterCountTable(tuple(score_default_counts(rows, weights)))
        counts = list(n_clusters)
        if not counts or min(counts) < 1 or max(counts) > len(weights) // 2:
            raise ValueError(
                f"n_clusters={counts} must be numbers from 1 to half of the "
                f"{len(weights)} distinct samples."
            )
        return ClusterCountTable(tuple(score_counts(rows, weights, counts)))


def estimate_n_clusters(X, sample: Sample) -> int:
    """Return the number of clusters with the best score on a sample of X.

    It does not depend on a seed: of many samples, some are drawn by their content, in
    whose order they are.
    """
    part = draw_part(sample, MAX_SAMPLES, np.random.RandomState(0))
    return best_count(score_default_counts(X[part.indices], part.weights))


def best_count(scores: Sequence[CountScore]) -> int:
    """Return the number with the largest score, the smallest of several."""
    return max(scores, key=lambda row: (row.score, -row.n_clusters)).n_clusters


def score_default_counts(X, weights: np.ndarray) -> list[CountScore]:
    """Score numbers of clusters from 1, as many as distinct samples X allow."""
    largest = max(1, X.shape[0] // MIN_SIZE)
    first = min(largest, FIRST_CLUSTERS)
    scores = score_counts(X, weights, range(1, first + 1))
    if first < largest and best_count(scores) > 2 * first // 3:
        last = min(largest, MAX_CLUSTERS)
        known = max(row.score for row in scores)
        scores += score_counts(X, weights, range(first + 1, last + 1), known)
    return scores


def score_counts(
    X, weights: np.ndarray, counts: Sequence[int], known: float = 0.0
) -> list[CountScore]:
    """Score numbers of clusters on distinct samples X.

    With the shares ``p_h`` of the clusters, the share ``a_h`` of the edges of a cluster
    that leave it, and the share ``b_h`` that its halves would lose if it were split,
    the score is

        (1 - sum_h p_h^2) * s^2,  s = sum_h p_h (b_h - a_h) / max(a_h, b_h):

    the probability that two random samples are in different clusters, times how well
    each of the two is separated from other clusters. As in a silhouette, s is near 1
    if clusters are far apart and have no gaps, and negative if they are cut at random.
    A score ``known`` of another number spares thorough searches for much worse ones.
    """
    graph = NeighborGraph(X, weights, VECTORS_PER_CLUSTER * max(counts))
    found = measure_separations(graph, [k for k in counts if k > 1], known)
    scores = {k: _score(k, one, one.score) for k, one in found.items()}
    if 1 in counts:
        limit = MIN_SCORE
        best = max(found, key=lambda k: found[k].score, default=1)
        if best > 1 and MIN_SCORE < found[best].score < CLEAR:
            limit = max(limit, score_without_clusters(X, best))
        scores[1] = _score(1, measure_separation(graph, 1), limit)
    return [scores[k] for k in counts]


def _score(k: int, one: Separation, score: float) -> CountScore:
    return CountScore(k, score, one.pairs, one.separation, one.leaving, one.inner)
