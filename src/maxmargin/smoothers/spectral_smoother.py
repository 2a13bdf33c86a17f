"""The smoother of the neighbour graph from its smoothest eigenvectors.

Least squares with functions that change little along the edges of a graph,

    minimise over f   sum_i (z_i - f_i)^2 + b f' L f,

with the normalised Laplacian ``L`` in place of a kernel norm, has the smoother
``R = (I + b L)^-1``: a boundary may run where samples are sparse and not through a
dense region. The leading eigenvectors of ``R`` are kept as features, and the rows of
features are scaled to equal length, so that a sample at the border of a cluster counts
as much as one in the middle. The trace is the number of degrees of freedom.
"""

from abc import ABC, abstractmethod
from copy import copy
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from maxmargin import progress
from maxmargin.compiled import compiled
from maxmargin.rows.sample import indicators, take_rows
from maxmargin.rows.threads import for_blocks, map_blocks
from maxmargin.smoothers.degrees_of_freedom import solve_penalty
from maxmargin.smoothers.distances import paired_distances, same_kind
from maxmargin.smoothers.eigenvectors import ROWS_PER_BLOCK, smoothest_vectors
from maxmargin.smoothers.feature_map import FeatureMap
from maxmargin.smoothers.neighbor_index import (
    N_NEIGHBORS,
    NeighborIndex,
    average_rows,
    inverse_distance_weights,
    mutual_graph,
)
from maxmargin.smoothers.smoother import LowRankSmoother
from maxmargin.smoothers.spanning_tree import connected_parts

N_AVERAGED = 10  # neighbours of a further sample
NEARLY_EQUAL = 1e-6  # of the farthest distance, as in `inverse_distance_weights`
# Degrees of freedom per cluster: one to separate it from the others, and a margin; and
# the number of eigenvectors per cluster.
DEGREES_PER_CLUSTER = 1.35
VECTORS_PER_CLUSTER = 3
# Neighbours of a sample in the graph: a multiple of log2 n, at most MAX_NEIGHBORS. Of
# many samples N_NEIGHBORS are enough, and their search costs most.
LOG_FACTOR = 2.5
MAX_NEIGHBORS, MANY_SAMPLES = 25, 5000
MAX_DOUBLINGS = 3


@dataclass(frozen=True)
class NeighborFeatures(FeatureMap):
    """The average of the features of the nearest training samples.

    The weights fall with the distance, so that a training sample has its own.
    """

    index: NeighborIndex
    features: np.ndarray
    length: float

    def take(self, rows: np.ndarray) -> "NeighborFeatures":
        """Return the map with some of the training samples."""
        index = NeighborIndex(take_rows(self.index.X, rows))
        return NeighborFeatures(index, self.features[rows], self.length)

    def __call__(self, X) -> np.ndarray:  # noqa: D102
        n_neighbors = min(N_AVERAGED, len(self.features))
        distances, positions = self.index.query(X, n_neighbors)
        weights = inverse_distance_weights(distances)
        single_out_equal(weights, distances, positions, X, self.index.X)
        averages = average_rows(weights, positions, self.features)
        return scale_rows(averages, self.length)


def single_out_equal(
    weights: np.ndarray, distances: np.ndarray, positions: np.ndarray, X, training
) -> None:
    """Give all the weight to the training sample that a sample equals, in place.

    Distances are rounded, so that samples which differ by less than a millionth of the
    distance to their farthest neighbour have the weights of equal ones.
    """
    near = distances <= NEARLY_EQUAL * distances[:, -1:]
    near &= near.sum(axis=1, keepdims=True) > 1
    rows, ranks = np.nonzero(near)
    if not len(rows):
        return
    places = positions[rows, ranks]
    equal = paired_distances(same_kind(X, training), rows, training, places) == 0.0
    rows, first = np.unique(rows[equal], return_index=True)
    weights[rows] = 0.0
    weights[rows, ranks[equal][first]] = 1.0


def scale_rows(rows: np.ndarray, length: float) -> np.ndarray:
    """Return the rows scaled to the given length; zero rows stay zero."""
    smallest = max(length, 1.0) * np.finfo(float).tiny  # the quotient is finite
    result = np.empty(rows.shape)

    def fill(block: slice) -> None:
        norms = np.linalg.norm(rows[block], axis=1, keepdims=True)
        result[block] = rows[block] * (length / np.maximum(norms, smallest))

    for_blocks(fill, len(rows), ROWS_PER_BLOCK)
    return result


class SpectralGraph(ABC):
    """The smoothest eigenvectors of a graph, and smoothers made of them.

    Parameters
    ----------
    graph : sparse array of shape (n_samples, n_samples)
        Symmetric weights of the edges.
    weights : ndarray of shape (n_samples,)
        Those of the samples.
    n_vectors : int
        Number of eigenvectors.
    """

    def __init__(self, graph: Any, weights: np.ndarray, n_vectors: int):
        self.graph = graph
        self.weights = weights
        n_vectors = min(n_vectors, len(weights))
        self.values, self.vectors = smoothest_vectors(graph, n_vectors)

    @abstractmethod
    def feature_map(
        self, features: np.ndarray, rows: np.ndarray, length: float
    ) -> FeatureMap:
        """Return the map that extends features of the samples to further ones.

        ``rows`` are the features scaled to the given length.
        """

    def with_vectors(self, n_vectors: int) -> Self:
        """Return the graph with at most so many of the smoothest vectors."""
        result = copy(self)
        result.values = self.values[-n_vectors:]
        result.vectors = self.vectors[:, -n_vectors:]
        return result

    def soft_smoother(self, degrees: float) -> LowRankSmoother:
        """Return ``(I + b L)^-1`` with the given degrees of freedom.

        A graph with more components than degrees of freedom gets the largest penalty b.
        """
        if degrees >= len(self.values):
            raise ValueError(
                f"degrees_of_freedom={degrees:.4g} is not below the {len(self.values)} "
                "features of the graph: give less."
            )
        penalty = solve_penalty(degrees, self.values)
        shares = 1.0 / (1.0 + penalty * self.values)
        return self._smoother(self.vectors * np.sqrt(shares), penalty, degrees)

    def hard_smoother(self, degrees: int) -> LowRankSmoother:
        """Return the projection on that number of the smoothest vectors."""
        return self._smoother(self.vectors[:, -degrees:], np.inf, degrees)

    def leaving_shares(self, labels: np.ndarray, n_clusters: int) -> np.ndarray:
        """Return the share of the weights of a cluster's edges that leave it.

        Their sum over the clusters is the normalised cut.
        """
        entries = (self.graph.indptr, self.graph.indices, self.graph.data)

        def add(rows: slice) -> np.ndarray:
            return np.asarray(
                leaving_weights(entries, labels, n_clusters, rows.start, rows.stop)
            )

        size = max(ROWS_PER_BLOCK, n_clusters)
        cuts, volumes = np.sum(map_blocks(add, len(labels), size), axis=0)
        shares: np.ndarray = cuts / np.maximum(volumes, np.finfo(float).tiny)
        return shares

    def least_share(self, n_clusters: int) -> float:
        """Return a lower bound of the mean of `leaving_shares` over any clusters.

        The indicators of clusters, scaled by the roots of the degrees, are orthogonal
        vectors: the sum of the shares is at least that of the smallest eigenvalues.
        """
        return float(self.values[-n_clusters:].mean())

    def _smoother(
        self, features: np.ndarray, penalty: float, degrees: float
    ) -> LowRankSmoother:
        length = float(np.sqrt(degrees / self.weights.sum()))
        rows = scale_rows(features, length)
        return LowRankSmoother(
            self.feature_map(features, rows, length),
            self.weights,
            penalty,
            rows,
            np.eye(rows.shape[1]),
        )


@compiled
def leaving_weights(entries, labels, n_clusters, first, last):
    """Return the weights of edges of some samples that leave a cluster, and of all."""
    starts, columns, values = entries
    sums = np.zeros((2, n_clusters))
    for i in range(first, last):
        for e in range(starts[i], starts[i + 1]):
            sums[1, labels[i]] += values[e]
            if labels[columns[e]] != labels[i]:
                sums[0, labels[i]] += values[e]
    return sums


class NeighborGraph(SpectralGraph):
    """The graph of the nearest neighbours of samples.

    Parameters
    ----------
    X : {ndarray, sparse matrix} of shape (n_samples, n_features)
    weights : ndarray of shape (n_samples,)
    n_vectors : int
        Number of eigenvectors.
    n_clusters : int, default=None
        If the graph has more components than this, the number of neighbours is doubled,
        up to three times: groups of few samples, nearer to each other than to all
        others, are no clusters.
    """

    def __init__(
        self, X, weights: np.ndarray, n_vectors: int, n_clusters: int | None = None
    ):
        self.index = NeighborIndex(X)
        with progress.stage(0.0, 0.35, "neighbors"):
            self.neighbors = self.index.neighbors(count_neighbors(X.shape[0]))
        with progress.stage(0.35, 1.0, "eigenvectors"):
            graph = mutual_graph(self.neighbors)
            for _ in range(MAX_DOUBLINGS if n_clusters is not None else 0):
                if connected_parts(graph).max() < n_clusters:
                    break
                n_neighbors = 2 * self.neighbors.shape[1]
                self.neighbors = self.index.neighbors(n_neighbors)
                graph = mutual_graph(self.neighbors)
            super().__init__(graph, weights, n_vectors)

    def feature_map(
        self, features: np.ndarray, rows: np.ndarray, length: float
    ) -> FeatureMap:
        """Return the average of the features of the nearest samples."""
        return NeighborFeatures(self.index, rows, length)

    def with_neighbors(self, n_neighbors: int, n_vectors: int) -> "NeighborGraph":
        """Return the graph of fewer neighbours of each sample."""
        if n_neighbors >= self.neighbors.shape[1]:
            return self
        result = copy(self)
        result.neighbors = self.neighbors[:, :n_neighbors]
        SpectralGraph.__init__(
            result, mutual_graph(result.neighbors), self.weights, n_vectors
        )
        return result

    def label_smoother(self, labels: np.ndarray, n_clusters: int) -> LowRankSmoother:
        """Return the projection on the indicators of some clusters."""
        return self._smoother(indicators(labels, n_clusters), np.inf, n_clusters)


def count_neighbors(n_samples: int) -> int:
    """Return the number of neighbours of a sample in the graph."""
    if n_samples > MANY_SAMPLES:
        return N_NEIGHBORS
    return min(MAX_NEIGHBORS, int(np.ceil(LOG_FACTOR * np.log2(max(n_samples, 2)))))
