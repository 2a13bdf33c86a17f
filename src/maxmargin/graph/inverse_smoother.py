"""The dense smoother of a neighbour graph, for labels that spread along its edges.

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
from scipy.sparse.csgraph import connected_components

from maxmargin.distances import squared_distances
from maxmargin.graph.neighbors import (
    ONE_SIDED,
    NeighborIndex,
    inverse_distance_weights,
    mutual_graph,
)
from maxmargin.kernels.cholesky import invert_in_place
from maxmargin.kernels.degrees_of_freedom import (
    EXACT_SIZE,
    Spectrum,
    lanczos_quadrature,
    solve_penalty,
)
from maxmargin.kernels.feature_map import FeatureMap
from maxmargin.kernels.smoother import DenseSmoother, check_memory

# Fewer neighbours than for clusters: no edge should join two classes, and paths may be
# long.
N_NEIGHBORS = 7
SCALE_NEIGHBOR = 3  # the neighbour whose distance is the local unit of length
SMALLEST_SCALE = 1e-150  # for equal samples; quotients by it are finite
MAX_EXPONENT = 14.0  # logarithm of the ratio of the strongest to the weakest edge
# Vectors and steps of the estimate of eigenvalues: products with a sparse matrix.
N_PROBES = 20
N_STEPS = 80


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
    graph = scaled_graph(index, X)
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


def scaled_graph(index: NeighborIndex, X) -> Any:
    """Return the graph of mutual neighbours, with more weight on near ones.

    The weights of `mutual_graph` are multiplied by ``exp(-d_ij^2 / (s_i s_j))`` with
    the distance ``s_i`` of a sample to its third neighbour as its own scale [1]_. Each
    connected component is joined to the sample nearest to it by an edge that is not
    mutual: else labels could not reach a component that has none.

    References
    ----------
    .. [1] L. Zelnik-Manor, P. Perona. Self-tuning spectral clustering. Advances in
       Neural Information Processing Systems 17, 2004.
    """
    n_samples = X.shape[0]
    graph = mutual_graph(index.neighbors(N_NEIGHBORS)).tocoo()
    n_neighbors = min(N_NEIGHBORS, n_samples - 1)
    distances, positions = index.query(X, n_neighbors + 1)
    starts = np.arange(0, positions.size + 1, n_neighbors + 1)
    entries = (distances.ravel(), positions.ravel(), starts)
    lengths = sp.csr_array(entries, shape=(n_samples, n_samples))
    lengths = lengths.maximum(lengths.T).tocsr()
    scales = np.maximum(distances[:, min(SCALE_NEIGHBOR, n_neighbors)], SMALLEST_SCALE)
    rows, columns = graph.coords
    weights = graph.data * _closeness(lengths[rows, columns], scales, rows, columns)
    scaled = sp.csr_array((weights, (rows, columns)), shape=graph.shape)
    return _join_components(scaled, X, scales)


def _closeness(lengths, scales, rows, columns) -> np.ndarray:
    ratios = lengths / np.sqrt(scales[rows]) / np.sqrt(scales[columns])
    closeness: np.ndarray = np.exp(-(np.minimum(ratios, np.sqrt(MAX_EXPONENT)) ** 2))
    return closeness


def _join_components(graph, X, scales: np.ndarray) -> Any:
    """Join each component to the sample nearest to it until there is only one."""
    while True:
        n_components, components = connected_components(graph, directed=False)
        if n_components == 1:
            return graph
        largest = np.bincount(components).argmax()
        rows, columns, lengths = [], [], []
        for component in np.setdiff1d(np.arange(n_components), largest):
            inside = np.flatnonzero(components == component)
            outside = np.flatnonzero(components != component)
            distances = squared_distances(X[inside], X[outside])
            at, nearest = np.unravel_index(distances.argmin(), distances.shape)
            rows.append(inside[at])
            columns.append(outside[nearest])
            lengths.append(np.sqrt(distances[at, nearest]))
        weights = ONE_SIDED * _closeness(np.array(lengths), scales, rows, columns)
        edges = sp.csr_array((weights, (rows, columns)), shape=graph.shape)
        graph = graph.maximum(edges.maximum(edges.T)).tocsr()


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
