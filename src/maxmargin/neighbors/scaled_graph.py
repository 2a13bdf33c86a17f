"""The graph along whose edges labels spread."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from maxmargin.distances import paired_distances
from maxmargin.neighbors.components import connecting_pairs
from maxmargin.neighbors.index import (
    ONE_SIDED,
    NeighborIndex,
    mutual_graph,
)

# Fewer neighbours than for clusters: no edge should join two classes, and paths may be
# long.
N_NEIGHBORS = 7
SCALE_NEIGHBOR = 3  # the neighbour whose distance is the local unit of length
SMALLEST_SCALE = 1e-150  # for equal samples; quotients by it are finite
MAX_EXPONENT = 14.0  # logarithm of the ratio of the strongest to the weakest edge


def scaled_graph(index: NeighborIndex) -> Any:
    """Return the graph of mutual neighbours, with more weight on near ones.

    The weights of `mutual_graph` are multiplied by ``exp(-d_ij^2 / (s_i s_j))`` with
    the distance ``s_i`` of a sample to its third neighbour as its own scale [1]_. The
    connected components are joined by edges between near samples that are not mutual:
    else labels could not reach a component that has none.

    References
    ----------
    .. [1] L. Zelnik-Manor, P. Perona. Self-tuning spectral clustering. Advances in
       Neural Information Processing Systems 17, 2004.
    """
    X = index.X
    neighbors = index.neighbors(N_NEIGHBORS)
    scales = _scales(X, neighbors)
    graph = mutual_graph(neighbors).tocoo()
    rows, columns = graph.row, graph.col
    values = graph.data * _closeness(X, rows, columns, scales)
    scaled = sp.csr_array((values, (rows, columns)), shape=graph.shape)
    n_components, components = connected_components(scaled, directed=False)
    if n_components == 1:
        return scaled
    rows, columns = connecting_pairs(X, components, n_components)
    values = ONE_SIDED * _closeness(X, rows, columns, scales)
    edges = sp.csr_array((values, (rows, columns)), shape=graph.shape)
    return scaled.maximum(edges.maximum(edges.T)).tocsr()


def _scales(X, neighbors: np.ndarray) -> np.ndarray:
    """Return the distance of each sample to its third neighbour."""
    column = min(SCALE_NEIGHBOR, neighbors.shape[1]) - 1
    rows, found = np.arange(len(neighbors)), neighbors[:, column]
    distances = np.sqrt(paired_distances(X, rows, X, np.maximum(found, 0)))
    known = distances[found >= 0]
    distances[found < 0] = np.median(known) if len(known) else 1.0
    return np.maximum(distances, SMALLEST_SCALE)


def _closeness(
    X, rows: np.ndarray, columns: np.ndarray, scales: np.ndarray
) -> np.ndarray:
    lengths = np.sqrt(paired_distances(X, rows, X, columns))
    ratios = lengths / np.sqrt(scales[rows]) / np.sqrt(scales[columns])
    closeness: np.ndarray = np.exp(-(np.minimum(ratios, np.sqrt(MAX_EXPONENT)) ** 2))
    return closeness
