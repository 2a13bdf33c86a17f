"""The clusters of a neighbour graph for any number of them, and their separation."""

from copy import copy

import numpy as np

from maxmargin.neighbors.eigenvectors import smoothest_vectors
from maxmargin.search.features import Problem, make_passes
from maxmargin.search.objective import DIRECTIONS
from maxmargin.search.relocation import relocate_centers
from maxmargin.search.starts import fixed_starts
from maxmargin.selection.separation import Separation, measure_separation
from maxmargin.smoothers.spectral_smoother import (
    DEGREES_PER_CLUSTER,
    VECTORS_PER_CLUSTER,
    NeighborGraph,
)

# Up to RELOCATED clusters are relocated. Of more, each one counts little: passes from
# the fixed starts are enough.
RELOCATED = 14
PASSES = 30
# In few samples a neighbour is one of the nearest fourth, or no graph has a gap.
NEIGHBOR_SHARE = 4


class GraphClusters:
    """The neighbour graph of samples, clustered in any number of clusters.

    Nothing depends on a seed.

    Parameters
    ----------
    X : {ndarray, sparse matrix} of shape (n_samples, n_features)
    weights : ndarray of shape (n_samples,)
    """

    def __init__(self, X, weights: np.ndarray) -> None:
        n_samples = X.shape[0]
        n_vectors = min(VECTORS_PER_CLUSTER * RELOCATED, n_samples)
        self.graph = NeighborGraph(X, weights, n_vectors).with_neighbors(
            max(2, n_samples // NEIGHBOR_SHARE), n_vectors
        )
        self.weights = weights
        self._known: dict[int, Separation] = {}

    @property
    def n_samples(self) -> int:
        """Return the number of samples."""
        return len(self.weights)

    def separation(self, n_clusters: int) -> Separation:
        """Return the separation of so many clusters."""
        if n_clusters not in self._known:
            features = self._features(n_clusters)
            labels = cluster_features(features, self.weights, n_clusters)
            self._known[n_clusters] = measure_separation(
                self.graph.graph, self.weights, labels, features
            )
        return self._known[n_clusters]

    def _features(self, n_clusters: int) -> np.ndarray:
        """Return the features of the soft smoother for a number of clusters."""
        n_vectors = min(VECTORS_PER_CLUSTER * n_clusters, self.n_samples)
        if n_vectors > len(self.graph.values):
            self.graph = copy(self.graph)
            # Twice as many serve for larger numbers, too.
            more = min(2 * n_vectors, max(n_vectors, self.n_samples // 4))
            found = smoothest_vectors(self.graph.graph, more)
            self.graph.values, self.graph.vectors = found
        part = self.graph.with_vectors(n_vectors)
        degrees = min(DEGREES_PER_CLUSTER * n_clusters, 0.9 * len(part.values))
        return part.soft_smoother(degrees).features


def cluster_features(
    features: np.ndarray, weights: np.ndarray, n_clusters: int
) -> np.ndarray:
    """Return the labels of clusters on the features of a graph, none of them empty."""
    if n_clusters == 1:
        return np.zeros(len(features), dtype=np.int64)
    if n_clusters <= RELOCATED:
        random = np.random.RandomState(0)  # no start is random
        labels = relocate_centers(
            features, weights, n_clusters, random, objective=DIRECTIONS, n_random=0
        ).labels
    else:
        problem = Problem(features, weights, n_clusters, DIRECTIONS)
        runs = [make_passes(problem, one, PASSES) for one in fixed_starts(problem)]
        labels = max(runs, key=lambda run: run.value).labels
    return np.unique(labels, return_inverse=True)[1].reshape(-1)
