"""The graph of nearest neighbours."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.neighbors import NearestNeighbors

from maxmargin.kernels.threads import for_blocks

N_NEIGHBORS = 15
# A neighbour that does not return the favour counts so much less than one that does:
# too little to carry a bridge between clusters, enough to leave no sample alone.
ONE_SIDED = 0.025


def find_neighbors(
    index: NearestNeighbors, X, n_neighbors: int, n_threads: int = 1
) -> tuple[np.ndarray, np.ndarray]:
    """Return the distances to the nearest indexed samples, and their positions."""
    distances = np.empty((X.shape[0], n_neighbors))
    positions = np.empty((X.shape[0], n_neighbors), dtype=np.int64)

    def fill(block: slice) -> None:
        distances[block], positions[block] = index.kneighbors(X[block], n_neighbors)

    for_blocks(fill, X.shape[0], n_threads)
    return distances, positions


def nearness_shares(distances: np.ndarray) -> np.ndarray:
    """Return inverse squared distances, brought to a sum of one in each row.

    The weights with which a sample takes on what its neighbours have; one that equals
    a neighbour takes it from there alone.
    """
    squares = distances**2
    # Rounding leaves some distance between equal samples; against it, what is far
    # below the distance to the last neighbour is nothing.
    floor = np.maximum(1e-12 * squares[:, -1:], np.finfo(float).tiny)
    shares = 1.0 / np.maximum(squares, floor)
    shares /= shares.sum(axis=1, keepdims=True)
    return shares


def mutual_graph(
    index: NearestNeighbors, X, n_threads: int = 1, n_neighbors: int = N_NEIGHBORS
) -> Any:
    """Return the symmetric weights between samples and their nearest neighbours.

    With ``B_ij = 1`` if j is among the nearest neighbours of i, the weights are
    ``B_ij B_ji + ONE_SIDED (B_ij + B_ji)``. Mutual neighbours keep a dense cluster
    from being tied to the sparse samples around it [1]_.

    References
    ----------
    .. [1] M. Maier, M. Hein, U. von Luxburg. Optimal construction of k-nearest-neighbor
       graphs for identifying noisy clusters. Theoretical Computer Science 410(19),
       2009. doi:10.1016/j.tcs.2009.01.009
    """
    n_samples = X.shape[0]
    n_neighbors = min(n_neighbors, n_samples - 1)
    _, positions = find_neighbors(index, X, n_neighbors + 1, n_threads)
    rows = np.repeat(np.arange(n_samples), n_neighbors + 1)
    columns = positions.ravel()
    other = rows != columns  # a sample is not its own neighbour
    ones = np.ones(other.sum())
    shape = (n_samples, n_samples)
    directed = sp.csr_array((ones, (rows[other], columns[other])), shape=shape)
    both = directed.multiply(directed.T)
    return (both + ONE_SIDED * (directed + directed.T)).tocsr()
