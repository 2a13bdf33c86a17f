"""The clusters of a neighbour graph for any number of them, and their separation.

The path of clusterings leads from many clusters to few: clusters are merged, and passes
over the samples follow. So the numbers share one eigendecomposition, no number needs
starts of its own, and the separations of neighbouring numbers differ by what the
numbers change, not by the optimum that a search happened to find.
"""

from copy import copy
from typing import Any

import numpy as np

from maxmargin import progress
from maxmargin.search.features import Problem, make_passes
from maxmargin.search.objective import DIRECTIONS
from maxmargin.search.relocation import relocate_centers
from maxmargin.search.starts import fixed_starts
from maxmargin.selection.agglomeration import merge_clusters
from maxmargin.selection.separation import Separation, measure_separation
from maxmargin.smoothers.affinity_graph import AffinityGraph
from maxmargin.smoothers.eigenvectors import smoothest_vectors
from maxmargin.smoothers.spectral_smoother import (
    DEGREES_PER_CLUSTER,
    VECTORS_PER_CLUSTER,
    NeighborGraph,
    SpectralGraph,
)

# Up to RELOCATED clusters are relocated. Of more, each one counts little: passes are
# enough.
RELOCATED = 14
PASSES = 30
# In few samples a neighbour is one of the nearest fourth, or no graph has a gap.
NEIGHBOR_SHARE = 4
# The numbers on the path: all up to DENSE, and beyond it each that is larger than the
# last one by a fifth, as long as clusters have FEW_SAMPLES on average; of few samples,
# as long as they have LEAST_SAMPLES.
DENSE, FACTOR = 10, 1.2
FEW_SAMPLES, LEAST_SAMPLES = 12, 4


GRAPH_SHARE = 0.6  # of the time, until the graph and its vectors are known


class GraphClusters:
    """The neighbour graph of samples, clustered in any number of clusters.

    Nothing depends on a seed, or on the numbers that were asked before.

    Parameters
    ----------
    X : {ndarray, sparse matrix} of shape (n_samples, n_features)
    weights : ndarray of shape (n_samples,)
    most : int, default=None
        The largest number on the path, if less than there could be.
    """

    def __init__(self, X, weights: np.ndarray, most: int | None = None) -> None:
        n_samples = X.shape[0]
        last = most_clusters(n_samples)
        self.numbers = spaced_numbers(min(last, most or last))
        n_vectors = min(VECTORS_PER_CLUSTER * self.numbers[-1], n_samples)
        with progress.stage(0.0, GRAPH_SHARE):
            graph = NeighborGraph(X, weights, n_vectors)
        self.graph: SpectralGraph = graph.with_neighbors(
            max(2, n_samples // NEIGHBOR_SHARE), n_vectors
        )
        self.weights = weights
        self._labels: dict[int, np.ndarray] = {}
        self._known: dict[int, Separation] = {}

    @classmethod
    def of_graph(
        cls, affinities: Any, weights: np.ndarray, most: int
    ) -> "GraphClusters":
        """Return the clusters of a given graph, whose neighbours are not searched."""
        result = cls.__new__(cls)
        result.numbers = spaced_numbers(most)
        n_vectors = min(VECTORS_PER_CLUSTER * result.numbers[-1], len(weights))
        result.graph = AffinityGraph(affinities, weights, n_vectors)
        result.weights = weights
        result._labels, result._known = {}, {}
        return result

    def separation(self, n_clusters: int) -> Separation:
        """Return the separation of so many clusters."""
        if n_clusters not in self._known:
            self._known[n_clusters] = measure_separation(
                self.graph.graph,
                self.weights,
                self.labels(n_clusters),
                self._features(n_clusters),
            )
        return self._known[n_clusters]

    def labels(self, n_clusters: int) -> np.ndarray:
        """Return the labels of so many clusters, or of fewer, none of them empty."""
        if n_clusters not in self._labels:
            found = self._find(n_clusters)
            names = np.unique(found, return_inverse=True)[1]
            self._labels[n_clusters] = names.reshape(-1)
            done = len(self._labels) / len(self.numbers)
            progress.update(GRAPH_SHARE + (1.0 - GRAPH_SHARE) * min(done, 1.0))
        return self._labels[n_clusters]

    def _find(self, k: int) -> np.ndarray:
        """Return labels that begin at those of the next larger number on the path."""
        features, weights = self._features(k), self.weights
        if k == 1:
            return np.zeros(len(weights), dtype=np.int64)
        problem = Problem(np.ascontiguousarray(features), weights, k, DIRECTIONS)
        above = [number for number in self.numbers if number > k]
        if not above:
            runs = [make_passes(problem, one, PASSES) for one in fixed_starts(problem)]
            return max(runs, key=lambda run: run.value).labels
        start = merge_clusters(self.graph.graph, self.labels(above[0]), k)
        if k > RELOCATED:
            return make_passes(problem, start, PASSES).labels
        random = np.random.RandomState(0)  # no start is random
        return relocate_centers(
            features, weights, k, random, objective=DIRECTIONS, init=start
        ).labels

    def _features(self, n_clusters: int) -> np.ndarray:
        """Return the features of the soft smoother for a number of clusters."""
        n_vectors = min(VECTORS_PER_CLUSTER * n_clusters, len(self.weights))
        if n_vectors > len(self.graph.values):
            self.graph = copy(self.graph)
            found = smoothest_vectors(self.graph.graph, n_vectors)
            self.graph.values, self.graph.vectors = found
        part = self.graph.with_vectors(n_vectors)
        degrees = min(DEGREES_PER_CLUSTER * n_clusters, 0.9 * len(part.values))
        return part.soft_smoother(degrees).features


def most_clusters(n_samples: int) -> int:
    """Return the largest number of clusters on the path of so many samples."""
    return max(n_samples // FEW_SAMPLES, min(DENSE, n_samples // LEAST_SAMPLES), 1)


def spaced_numbers(last: int) -> list[int]:
    """Return the numbers from 1 to DENSE, and larger ones by a factor."""
    numbers = list(range(1, min(last, DENSE) + 1))
    while numbers and (following := int(np.ceil(numbers[-1] * FACTOR))) <= last:
        numbers.append(following)
    return numbers
