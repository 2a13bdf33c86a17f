"""The result of clustering a table, and the facts that a report shows about it."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.metrics import adjusted_rand_score, silhouette_samples

from maxmargin.plots.style import margins, principal_plane
from maxmargin.report.descriptions import (
    FeatureDifference,
    feature_differences,
)
from maxmargin.report.pictures import cluster_pictures
from maxmargin.selection import ClusterCountTable, estimator_stability
from maxmargin.tables.samples import TableSamples
from maxmargin.texts.keywords import typical_texts

MAX_ROWS = 2000  # for silhouettes and stability
MAX_MAP_ROWS = 1500
MAX_BOUNDARY_ROWS = 20_000  # among which those closest to the boundary are searched
N_BOUNDARY_ROWS = 10  # rows shown
N_TEXTS = 3  # typical ones, shown for each cluster


class OtherLabels(NamedTuple):
    """Another labelling of the samples."""

    labels: np.ndarray
    description: str
    agreement: float  # adjusted Rand index with the labels of the result

    @property
    def n_clusters(self) -> int:
        """Return the number of clusters."""
        return len(np.unique(self.labels))


def agreement_with_classes(samples: TableSamples, labels: np.ndarray) -> float | None:
    """Return the adjusted Rand index with the known classes, None without them."""
    if samples.labels is None:
        return None
    return float(adjusted_rand_score(samples.labels.astype(str), labels))


class TableResult(NamedTuple):
    """A clusterer, or a classifier of corrected clusters, fitted to a table."""

    samples: TableSamples
    estimator: BaseEstimator
    labels: np.ndarray  # of all samples
    seconds: float  # of the fit
    notes: tuple[str, ...] = ()  # messages for the user
    adjusted_rand_index: float | None = None  # None without given labels
    options: Mapping[str, Sequence[str]] = {}  # to continue with, by command
    clusterer: BaseEstimator | None = None  # for the stability, else the estimator
    names: Sequence[str] | None = None  # of the clusters, by default their numbers
    counts: ClusterCountTable | None = None  # scores of numbers, else the estimator's
    alternatives: Sequence[OtherLabels] | None = None  # else those of the estimator

    @property
    def n_clusters(self) -> int:
        """Return the number of clusters."""
        classes = getattr(self.estimator, "classes_", None)
        return int(self.estimator.n_clusters_ if classes is None else len(classes))

    @property
    def count_table(self) -> ClusterCountTable | None:
        """Return the scores of numbers of clusters, None if there are none."""
        return self.counts or getattr(self.estimator, "count_table_", None)

    def decide(self, X: np.ndarray) -> np.ndarray:
        """Return decision values with a column for each cluster."""
        decisions = self.estimator.decision_function(X)
        if decisions.ndim == 1:  # of two classes, the difference
            return np.column_stack([-decisions / 2, decisions / 2])
        return np.asarray(decisions)

    def with_notes(self, *notes: str) -> "TableResult":
        """Return the result with further notes."""
        return self._replace(notes=(*self.notes, *notes))


class BoundaryRow(NamedTuple):
    """A row close to the boundary between two clusters."""

    name: str
    cluster: int
    other: int  # the cluster on the other side
    margin: float  # divided by the median margin


class ClusterFacts(NamedTuple):
    """The numbers that the report shows."""

    names: Sequence[str]  # of the clusters
    sizes: np.ndarray
    positions: np.ndarray  # (m, 2), of the rows on the map
    position_rows: np.ndarray
    position_labels: np.ndarray
    position_margins: np.ndarray  # divided by the median margin
    position_names: list[str]
    variance: np.ndarray  # shares of the two axes
    silhouettes: list[np.ndarray]  # for each cluster, in descending order
    stability: np.ndarray
    differences: list[list[FeatureDifference]]  # for each cluster
    boundary: list[BoundaryRow]
    texts: list[list[str]]  # the typical ones of each cluster
    pictures: list[list[str]]  # of rows that are pictures, for each cluster


def cluster_facts(result: TableResult, random: np.random.RandomState) -> ClusterFacts:
    """Compute the numbers of the report, from random rows if there are many."""
    X, ids = result.samples.X, result.samples.ids
    labels, n_clusters = result.labels, result.n_clusters
    clusterer = result.clusterer or result.estimator
    drawn = _draw(X.shape[0], MAX_ROWS, random)
    gaps = margins(result.decide(X[drawn]))
    median = max(float(np.median(gaps)), np.finfo(float).tiny)
    shown = _draw(len(drawn), MAX_MAP_ROWS, random)
    positions, variance = principal_plane(X[drawn])
    return ClusterFacts(
        result.names or [str(h) for h in range(n_clusters)],
        np.bincount(labels, minlength=n_clusters),
        positions[shown],
        drawn[shown],
        labels[drawn][shown],
        (gaps / median)[shown],
        [str(name) for name in ids[drawn][shown]],
        variance,
        _silhouettes(X[drawn], labels[drawn], n_clusters),
        estimator_stability(clusterer, X[drawn], labels[drawn], n_clusters, random),
        [feature_differences(result.samples, labels == h) for h in range(n_clusters)],
        _boundary_rows(result, median, random),
        _typical(result),
        [cluster_pictures(result.samples, labels == h) for h in range(n_clusters)],
    )


def _draw(n_rows: int, limit: int, random: np.random.RandomState) -> np.ndarray:
    if n_rows <= limit:
        return np.arange(n_rows)
    return np.sort(random.choice(n_rows, limit, replace=False))


def _silhouettes(
    X: np.ndarray, labels: np.ndarray, n_clusters: int
) -> list[np.ndarray]:
    if not 2 <= len(np.unique(labels)) < len(labels):
        return [np.empty(0)] * n_clusters
    values = silhouette_samples(X, labels)
    return [np.sort(values[labels == h])[::-1] for h in range(n_clusters)]


def _typical(result: TableResult) -> list[list[str]]:
    """Return the typical texts of each cluster, none if the rows are no texts."""
    texts, clusters = result.samples.texts, range(result.n_clusters)
    if texts is None:
        return [[] for _ in clusters]
    found = typical_texts(texts, result.labels, n_texts=N_TEXTS)
    return [found.get(h, []) for h in clusters]


def _boundary_rows(
    result: TableResult, median: float, random: np.random.RandomState
) -> list[BoundaryRow]:
    """Return the rows with the smallest margins."""
    samples = result.samples
    drawn = _draw(samples.n_rows, MAX_BOUNDARY_ROWS, random)
    decisions = result.decide(samples.X[drawn])
    if decisions.shape[1] < 2:
        return []
    gaps = margins(decisions)
    rows = []
    for i in np.argsort(gaps, kind="stable")[:N_BOUNDARY_ROWS]:
        first, second = np.argsort(-decisions[i], kind="stable")[:2]
        own = int(result.labels[drawn[i]])
        other = int(second if own == first else first)
        name, margin = str(samples.ids[drawn[i]]), float(gaps[i] / median)
        rows.append(BoundaryRow(name, own, other, margin))
    return rows
