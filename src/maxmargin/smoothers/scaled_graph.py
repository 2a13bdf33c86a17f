"""The graph along whose edges labels spread, and its dense smoother.

`spectral_smoother` keeps the few smoothest eigenvectors, which separate clusters. Where
labels are given, the paths from a sample to the nearest labels count, and many vectors
are needed: here the inverse ``R = (I + b L)^-1`` is computed. As there, rows are scaled
to equal length: with ``D = diag(R)``,

    S = (tr(R) / sum_i w_i)  W D^-1/2 R D^-1/2 W.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import eigvalsh

from maxmargin.smoothers.cholesky import invert_in_place
from maxmargin.smoothers.degrees_of_freedom import (
    EXACT_SIZE,
    Spectrum,
    lanczos_quadrature,
    solve_penalty,
)
from maxmargin.smoothers.distances import paired_distances
from maxmargin.smoothers.feature_map import FeatureMap
from maxmargin.smoothers.neighbor_index import (
    ONE_SIDED,
    NeighborIndex,
    inverse_distance_weights,
    mutual_graph,
)
from maxmargin.smoothers.smoother import DenseSmoother, check_memory
from maxmargin.smoothers.spanning_tree import connected_parts, connecting_pairs

# Fewer neighbours than for clusters: no edge should join two classes, and paths may be
# long.
N_NEIGHBORS = 7
SCALE_NEIGHBOR = 3  # the neighbour whose distance is the local unit of length
SMALLEST_SCALE = 1e-150  # for equal samples; quotients by it are finite
MAX_EXPONENT = 14.0  # logarithm of the ratio of the strongest to the weakest edge
# Vectors and steps of the estimate of eigenvalues: products with a sparse matrix.
N_PROBES = 20
N_STEPS = 80


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
    components = connected_parts(scaled)
    n_components = int(components.max()) + 1
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


@dataclass(frozen=True)
class GraphInverse(DenseSmoother):
    """``S`` above; a new sample has the average of its neighbours' fitted values."""

    def coefficients(self, targets: np.ndarray) -> np.ndarray:  # noqa: D102
        return self.dot(targets) / self.weights[:, None]


def graph_inverse(X, weights: np.ndarray, degrees: float) -> GraphInverse:
    """Build the smoother of the graph of mutual neighbours among the samples.

    The penalty is found from estimated eigenvalues, so that the degrees of freedom are
    met approximately.
    """
    n_samples = X.shape[0]
    check_memory(n_samples)
    index = NeighborIndex(X)
    graph = scaled_graph(index)
    roots = sp.diags_array(1.0 / np.sqrt(graph.sum(axis=1)))
    similarity = (roots @ graph @ roots).tocsr()
    spectrum = _spectrum(similarity)
    laplacian = np.maximum(1.0 - spectrum.values, 0.0)
    penalty = solve_penalty(degrees, laplacian, spectrum.counts, (-20.0, 20.0))
    values = similarity.toarray()
    values *= -penalty  # I + b L = (1 + b) I - b (I - L)
    values.flat[:: n_samples + 1] += 1.0 + penalty
    invert_in_place(values)
    trace = np.trace(values)
    scales = weights / np.sqrt(np.diagonal(values))
    values *= scales[:, None]
    values *= scales * (trace / weights.sum())
    return GraphInverse(NeighborWeights(index), weights, penalty, values)


def _spectrum(similarity) -> Spectrum:
    """Estimate the eigenvalues of a sparse symmetric matrix by Lanczos quadrature.

    The eigenvalues crowd at the upper end, where many steps are needed and no few
    vectors lead; steps are cheap here.
    """
    n_samples = similarity.shape[0]
    if n_samples <= EXACT_SIZE:
        return Spectrum(eigvalsh(similarity.toarray()), np.ones(n_samples))
    random = np.random.RandomState(0)  # fixed seed: the penalty must be deterministic
    vectors = random.choice([-1.0, 1.0], size=(n_samples, N_PROBES))
    vectors /= np.sqrt(n_samples)
    mass = np.full(N_PROBES, float(n_samples))
    return lanczos_quadrature(similarity, vectors, mass, N_STEPS)
