"""The number of clusters without labels: a score for each, and a table of them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_array, check_random_state

from maxmargin import progress
from maxmargin.rows.blocks import ArraySource
from maxmargin.rows.preparation import check_scale, choose_preparation
from maxmargin.rows.sample import Sample, draw_part, draw_sample
from maxmargin.rows.threads import single_threaded_libraries
from maxmargin.rows.validation import accepted_types
from maxmargin.selection.graph_clusters import (
    DENSE,
    FEW_SAMPLES,
    LEAST_SAMPLES,
    GraphClusters,
    spaced_numbers,
)
from maxmargin.selection.no_clusters import References, references_without_clusters
from maxmargin.smoothers.spectral_smoother import MAX_NEIGHBORS

MAX_SAMPLES = 100_000  # samples among which those to cluster are drawn
PART = 2000  # samples that are clustered; more for many clusters
# Numbers are tried as long as clusters have FEW_SAMPLES on average. If the best one
# leaves less than ENOUGH_SAMPLES, more are drawn; if there are no more, numbers down to
# LEAST_SAMPLES are tried.
ENOUGH_SAMPLES = 30
AHEAD = 3  # among more samples, numbers are tried up to this multiple of the best
NOISE = 0.1  # that a score may have above those of samples without clusters
REFERENCES = 0.65  # the share of the time that samples without clusters take
COPIES = MAX_NEIGHBORS + 1  # equal samples that have no other neighbour


class CountScore(NamedTuple):
    """The score of a number of clusters, and its parts."""

    n_clusters: int
    score: float  # pairs * (separation - reference) - that of no clusters
    pairs: float  # the probability that two samples are in different clusters
    reference: float  # the separation of samples without clusters
    separation: float  # log(inner / boundary), the mean
    boundary: float  # the share of edges that clusters lose at a boundary
    inner: float  # the share of edges that halves of a cluster lose


ONE_CLUSTER = CountScore(1, 0.0, 0.0, 0.0, 0.0, 0.0, inner=1.0)


@dataclass(frozen=True)
class ClusterCountTable:
    """Scores of numbers of clusters, the larger the better.

    Attributes
    ----------
    rows : tuple of CountScore
        For each number of clusters: the score, and the parts of it. One cluster has the
        score 0, and the others are negative if samples without clusters are separated
        as well.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin.selection import select_n_clusters
    >>> X, _ = load_iris(return_X_y=True)
    >>> table = select_n_clusters(X, [2, 3], random_state=0)
    >>> sorted(table.to_dict())
    ['boundary', 'inner', 'n_clusters', 'pairs', 'reference', 'score', 'separation']
    """

    rows: tuple[CountScore, ...]

    @property
    def best(self) -> int:
        """Return the number with the largest score, the smallest of several."""
        return best_count(self.rows)

    def best_within(self, least: int, most: float) -> int:
        """Return the best number between two, the nearer one if none was scored."""
        rows = [row for row in self.rows if least <= row.n_clusters <= most]
        return int(np.clip(best_count(rows) if rows else 1, least, most))

    @property
    def maxima(self) -> tuple[CountScore, ...]:
        """Return the numbers that are better than the next smaller and larger ones.

        Only those with a positive score, the best first.
        """
        scores = [-np.inf, *(row.score for row in self.rows), -np.inf]
        found = [
            row
            for i, row in enumerate(self.rows)
            if row.score > 0.0 and scores[i] <= row.score > scores[i + 2]
        ]
        return tuple(sorted(found, key=lambda row: (-row.score, row.n_clusters)))

    def to_dict(self) -> dict[str, np.ndarray]:
        """Return the columns by name, as ``pandas.DataFrame`` takes them."""
        return {
            name: np.array([getattr(row, name) for row in self.rows])
            for name in CountScore._fields
        }

    def __str__(self) -> str:
        lines = ["clusters   score   pairs  separation  reference  boundary   inner"]
        for row in self.rows:
            mark = "  <- best" if row.n_clusters == self.best else ""
            lines.append(
                f"{row.n_clusters:>8}{row.score:>8.3f}{row.pairs:>8.3f}"
                f"{row.separation:>12.3f}{row.reference:>11.3f}{row.boundary:>10.3f}"
                f"{row.inner:>8.3f}{mark}"
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
    cluster. With the shares ``p_h`` of the clusters, the share ``a_h`` of edges that
    cluster h and its closest neighbour lose at their boundary, and the share ``b_h``
    that its halves would lose if it were split, the separation is
    ``s = sum_h p_h log(b_h / a_h)``, and the score

        (1 - sum_h p_h^2) * (s - s_0) - c:

    the probability that two random samples are in different clusters, times how much
    better these are separated than as many clusters of normal and uniform samples with
    the same covariance, whose separation is ``s_0``; less c, the most that these
    samples without clusters reach, plus 0.1. One cluster has the score 0.

    2000 samples are used, and more if there are many clusters.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
    n_clusters : iterable of int, default=None
        The numbers to score. By default 1 to 10, and larger ones in steps of a fifth,
        as long as clusters have a dozen samples; then those near the best.
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
        X, accept_sparse="csr", dtype=accepted_types(X), ensure_min_samples=4
    )
    check_scale(scale)
    statistics = ArraySource(X, np.ones(X.shape[0])).column_statistics
    X = choose_preparation(X, statistics, scale=scale)(X)
    random = check_random_state(random_state)
    with single_threaded_libraries():
        sample = draw_sample(
            X, np.ones(X.shape[0]), merge=True, limit=MAX_SAMPLES, random=random
        )
        if n_clusters is None:
            return score_counts(X, sample)
        counts, n_distinct = list(n_clusters), len(sample.weights)
        if not counts or min(counts) < 1 or max(counts) > n_distinct // 2:
            raise ValueError(
                f"n_clusters={counts} must be numbers from 1 to half of the "
                f"{n_distinct} distinct samples."
            )
        size = max(PART, ENOUGH_SAMPLES * max(counts))
        rows, weights = clustered_rows(X, sample, size)
        references = references_without_clusters(rows)
        score_of = scores_of(GraphClusters(rows, weights), references)
        return ClusterCountTable(tuple(score_of(k) for k in counts))


def score_counts(X, sample: Sample) -> ClusterCountTable:
    """Return the scores of numbers of clusters on a sample of X.

    They do not depend on a seed: of many samples, some are drawn by their content, in
    whose order they are. Twice as many are drawn while the best number leaves few
    samples for each cluster; then numbers from half of it on are tried again.
    """
    size, found = PART, {1: ONE_CLUSTER}
    references = None
    while True:
        rows, weights = clustered_rows(X, sample, size)
        whole = size >= len(sample.indices)
        if rows.shape[0] >= 2 * LEAST_SAMPLES:
            if references is None:
                with progress.stage(0.0, REFERENCES):
                    references = references_without_clusters(rows)
            most = None if size == PART else AHEAD * table_of(found).best
            with progress.stage(REFERENCES, 1.0):
                score_of = scores_of(GraphClusters(rows, weights, most), references)
                found = try_numbers(score_of, rows.shape[0], found, whole, most)
        table = table_of(found)
        if whole or ENOUGH_SAMPLES * table.best <= size:
            return table
        size *= 2


def estimate_n_clusters(X, sample: Sample) -> int:
    """Return the number of clusters with the best score on a sample of X."""
    return score_counts(X, sample).best


def clustered_rows(X, sample: Sample, size: int) -> tuple[Any, np.ndarray]:
    """Return the rows to cluster, and their weights.

    If nearly all rows have many equal ones, these are not merged: they are clusters.
    """
    part = draw_part(sample, size, np.random.RandomState(0))
    n_distinct, n_rows = len(part.indices), len(part.rows)
    if n_rows < COPIES * n_distinct or n_distinct * COPIES > size:
        return X[part.indices], part.weights
    copies = np.minimum(np.bincount(part.groups, minlength=n_distinct), COPIES)
    rows = np.repeat(part.indices, copies)
    return X[rows], np.repeat(part.weights / copies, copies)


def scores_of(
    clusters: GraphClusters, references: References
) -> Callable[[int], CountScore]:
    """Return a function that scores numbers of clusters, given those without any."""

    def score_of(n_clusters: int) -> CountScore:
        found = clusters.separation(n_clusters)
        if n_clusters == 1:
            return CountScore(1, 0.0, found.pairs, 0.0, *found[1:])
        limit = references(n_clusters)
        value = found.pairs * (found.separation - limit) - references.excess - NOISE
        return CountScore(n_clusters, value, found.pairs, limit, *found[1:])

    return score_of


def best_count(scores: Sequence[CountScore]) -> int:
    """Return the number with the largest score, the smallest of several."""
    return max(scores, key=lambda row: (row.score, -row.n_clusters)).n_clusters


def try_numbers(
    score_of: Callable[[int], CountScore],
    n_samples: int,
    known: dict[int, CountScore],
    whole: bool,
    most: int | None = None,
) -> dict[int, CountScore]:
    """Score numbers until clusters have few samples, and then those near the best.

    Parameters
    ----------
    score_of : callable
        Returns the score of a number.
    n_samples : int
    known : dict of int to CountScore
        Scores on fewer samples; those above half of the best number are not kept.
    whole : bool
        Whether there are no more samples. Then larger numbers are tried, too, if the
        best one is among the last.
    most : int, default=None
        The largest number to try.
    """
    half = best_count([*known.values()]) // 2 if known else 0
    found = {k: row for k, row in known.items() if k <= max(half, 1)}
    last = n_samples // LEAST_SAMPLES
    for k in spaced_numbers(min(last, most or last)):
        if k > DENSE and k * FEW_SAMPLES > n_samples:
            if not whole or k > 2 * best_count([*found.values()]):
                break
        if k > half:
            found[k] = score_of(k)
    climb(found, score_of)
    return found


def climb(found: dict[int, CountScore], score_of: Callable[[int], CountScore]) -> None:
    """Score the numbers half way from the chosen to the next ones, until none is left.

    The scores are added to ``found``.
    """
    while True:
        numbers = sorted(found)
        place = numbers.index(table_of(found).best)
        around = numbers[max(place - 1, 0) : place + 2] if place else []
        middles = [(a + b) // 2 for a, b in pairwise(around)]
        new = [k for k in middles if k not in found]
        if not new:
            return
        found.update((k, score_of(k)) for k in new)


def table_of(found: dict[int, CountScore]) -> ClusterCountTable:
    """Return the table of some scores."""
    return ClusterCountTable(tuple(found[k] for k in sorted(found)))
