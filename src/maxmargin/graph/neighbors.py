"""The graph of nearest neighbours."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.neighbors import NearestNeighbors

from maxmargin.graph.neighbor_search import approximate_neighbors
from maxmargin.resources import for_blocks

N_NEIGHBORS = 15
# The weight of an edge between neighbours that are not mutual: too small for a bridge
# between clusters, large enough to leave no sample isolated.
ONE_SIDED = 0.025
# Neighbours are exact with few samples, with few features, where a tree finds them, and
# if brute force, which takes about n^2 (d + 50) operations, takes a second or so.
EXACT_SAMPLES = 5000
EXACT_FEATURES = 10
EXACT_OPERATIONS = 3e10


def find_neighbors(
    index: NearestNeighbors, X, n_neighbors: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the distances to the nearest indexed samples, and their positions."""
    distances = np.empty((X.shape[0], n_neighbors))
    positions = np.empty((X.shape[0], n_neighbors), dtype=np.int64)

    def fill(block: slice) -> None:
        distances[block], positions[block] = index.kneighbors(X[block], n_neighbors)

    for_blocks(fill, X.shape[0])
    return distances, positions


def inverse_distance_weights(distances: np.ndarray) -> np.ndarray:
    """Return inverse squared distances, normalised to a sum of one in each row.

    They average what the neighbours of a sample have; a sample that equals a neighbour
    gets its values alone.
    """
    squares = distances**2
    # Rounding leaves a small distance between equal samples: distances far below that
    # of the last neighbour count as zero.
    floor = np.maximum(1e-12 * squares[:, -1:], np.finfo(float).tiny)
    shares = 1.0 / np.maximum(squares, floor)
    shares /= shares.sum(axis=1, keepdims=True)
    return shares


def mutual_graph(index: NearestNeighbors, X, n_neighbors: int = N_NEIGHBORS) -> Any:
    """Return the symmetric edge weights between samples and their nearest neighbours.

    With ``B_ij = 1`` if j is among the nearest neighbours of i, the weights are
    ``B_ij B_ji + ONE_SIDED (B_ij + B_ji)``. In a graph of mutual neighbours a dense
    cluster is not connected to the sparse samples around it [1]_. Of many dense samples
    the neighbours are approximate.

    References
    ----------
    .. [1] M. Maier, M. Hein, U. von Luxburg. Optimal construction of k-nearest-neighbor
       graphs for identifying noisy clusters. Theoretical Computer Science 410(19),
       2009. doi:10.1016/j.tcs.2009.01.009
    """
    n_samples, n_features = X.shape
    n_neighbors = min(n_neighbors, n_samples - 1)
    few = n_samples <= EXACT_SAMPLES or n_features <= EXACT_FEATURES
    cheap = n_samples**2 * (n_features + 50) <= EXACT_OPERATIONS
    if few or cheap or sp.issparse(X):
        _, positions = find_neighbors(index, X, n_neighbors + 1)
    else:
        positions = approximate_neighbors(X, n_neighbors)
    rows = np.repeat(np.arange(n_samples), positions.shape[1])
    columns = positions.ravel()
    other = (rows != columns) & (columns >= 0)  # a sample is not its own neighbour
    ones = np.ones(other.sum())
    shape = (n_samples, n_samples)
    directed = sp.csr_array((ones, (rows[other], columns[other])), shape=shape)
    both = directed.multiply(directed.T)
    return (both + ONE_SIDED * (directed + directed.T)).tocsr()
