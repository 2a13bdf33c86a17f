"""Features of a sample by its nearest training samples."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from maxmargin.distances import paired_distances, same_kind
from maxmargin.neighbors.index import (
    NeighborIndex,
    average_rows,
    inverse_distance_weights,
)
from maxmargin.neighbors.scaled_graph import N_NEIGHBORS
from maxmargin.smoothers.feature_map import FeatureMap

N_AVERAGED = 10  # neighbours of a further sample
NEARLY_EQUAL = 1e-6  # of the farthest distance, as in `inverse_distance_weights`


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
        index = NeighborIndex(self.index.X[rows])
        return NeighborFeatures(index, self.features[rows], self.length)

    def __call__(self, X) -> np.ndarray:  # noqa: D102
        n_neighbors = min(N_AVERAGED, len(self.features))
        distances, positions = self.index.query(X, n_neighbors)
        weights = inverse_distance_weights(distances)
        single_out_equal(weights, distances, positions, X, self.index.X)
        averages = average_rows(weights, positions, self.features)
        return scale_rows(averages, self.length)


@dataclass(frozen=True)
class NeighborWeights(FeatureMap):
    """The weights of the nearest training samples in the average for a sample."""

    index: NeighborIndex

    def __call__(self, X) -> Any:  # noqa: D102
        n_training = self.index.n_samples
        n_neighbors = min(N_NEIGHBORS, n_training)
        distances, positions = self.index.query(X, n_neighbors)
        starts = np.arange(0, positions.size + 1, n_neighbors)
        weights = inverse_distance_weights(distances)
        entries = (weights.ravel(), positions.ravel(), starts)
        return sp.csr_array(entries, shape=(X.shape[0], n_training))


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
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    smallest = max(length, 1.0) * np.finfo(float).tiny  # the quotient is finite
    return rows * (length / np.maximum(norms, smallest))
