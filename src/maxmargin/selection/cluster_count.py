"""A table of scores, one for each number of clusters."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_array, check_random_state

from maxmargin.clustering.cluster_count import (
    COUNT_SAMPLES,
    CountScore,
    best_count,
    default_counts,
    score_counts,
)
from maxmargin.kernels.counts import hellinger, looks_like_counts
from maxmargin.kernels.sample import draw_sample
from maxmargin.kernels.threads import single_threaded_libraries


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
    X, n_clusters: Iterable[int] | None = None, *, random_state: Any = None
) -> ClusterCountTable:
    """Score numbers of clusters without labels.

    The score of a number k is the chance that two samples drawn at random are told
    apart, times the square of silhouette and stability, which say how well each of the
    two is placed (see ``clustering/cluster_count.py``). At most 1000 samples are looked
    at. That there is but one cluster is not found out: where no score stands out, or
    the best is below about 0.3, doubt that there are clusters.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
    n_clusters : iterable of int, default=None
        The numbers to try; from 2 to the root of the number of samples, at most 30, by
        default.
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
    X = hellinger(X) if looks_like_counts(X) else X
    random = check_random_state(random_state)
    with single_threaded_libraries() as n_threads:
        sample = draw_sample(
            X, np.ones(X.shape[0]), merge=True, limit=COUNT_SAMPLES, random=random
        )
        n_distinct = len(sample.indices)
        counts = list(default_counts(n_distinct) if n_clusters is None else n_clusters)
        if not counts or min(counts) < 2 or max(counts) > n_distinct // 2:
            raise ValueError(
                f"n_clusters={counts} must hold numbers from 2 to half of the "
                f"{n_distinct} distinct samples."
            )
        scores = score_counts(
            X[sample.indices], sample.weights, counts, random, n_threads
        )
    return ClusterCountTable(tuple(scores))
