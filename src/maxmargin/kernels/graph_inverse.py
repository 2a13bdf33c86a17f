"""The whole smoother of a neighbour graph, for labels that spread along its edges.

`graph_smoother` keeps the few smoothest eigenvectors, which tell clusters apart. Where
labels are given, what counts is the way from a sample to the nearest labels, and that
takes many vectors: here ``R = (I + b L)^-1`` is computed as it is. As there, rows are
brought to one length: with ``D = diag(R)``,

    S = (tr(R) / sum_i w_i)  W D^-1/2 R D^-1/2 W.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import eigh_tridiagonal, eigvalsh
from scipy.optimize import brentq
from scipy.sparse.csgraph import connected_components
from sklearn.metrics import pairwise_distances_argmin_min
from sklearn.neighbors import NearestNeighbors

from maxmargin.kernels.degrees_of_freedom import EXACT_SIZE, Spectrum
from maxmargin.kernels.exact_smoother import check_memory, invert_in_place
from maxmargin.kernels.feature_map import FeatureMap
from maxmargin.kernels.neighbors import (
    ONE_SIDED,
    find_neighbors,
    mutual_graph,
    nearness_shares,
)
from maxmargin.kernels.smoother import WholeSmoother

# Fewer neighbours than for clusters: what matters is that no edge joins two classes,
# and paths may be long.
NEAREST = 7
SCALE = 3  # the neighbour whose distance is the unit of length around a sample
FAINTEST = 14.0  # logarithm of the ratio of the strongest to the weakest edge
# Vectors and steps of the estimate of eigenvalues: products with a sparse matrix.
N_PROBES = 20
N_STEPS = 80


@dataclass(frozen=True)
class NeighborShares(FeatureMap):
    """What a sample takes on from each training sample: shares of its neighbours."""

    index: NearestNeighbors

    def __call__(self, X, n_threads: int = 1) -> Any:  # noqa: D102
        n_training = self.index.n_samples_fit_
        n_neighbors = min(NEAREST, n_training)
        distances, positions = find_neighbors(self.index, X, n_neighbors, n_threads)
        starts = np.arange(0, positions.size + 1, n_neighbors)
        entries = (nearness_shares(distances).ravel(), positions.ravel(), starts)
        return sp.csr_array(entries, shape=(X.shape[0], n_training))


@dataclass(frozen=True)
class GraphInverse(WholeSmoother):
    """``S`` as it is; a new sample has the average of its neighbours' fitted values."""

    def coefficients(self, targets: np.ndarray) -> np.ndarray:  # noqa: D102
        return self.dot(targets) / self.weights[:, None]


def graph_inverse(
    X, weights: np.ndarray, degrees: float, n_threads: int = 1
) -> GraphInverse:
    """Build the smoother of the graph of mutual neighbours among the samples.

    The penalty is found from estimated eigenvalues: there are about as many degrees of
    freedom as asked for.
    """
    n_samples = X.shape[0]
    check_memory(n_samples)
    index = NearestNeighbors().fit(X)
    graph = scaled_graph(index, X, n_threads)
    roots = sp.diags_array(1.0 / np.sqrt(graph.sum(axis=1)))
    similarity = (roots @ graph @ roots).tocsr()
    penalty = _penalty(_spectrum(similarity), degrees)
    values = similarity.toarray()
    values *= -penalty  # I + b L = (1 + b) I - b (I - L)
    values.flat[:: n_samples + 1] += 1.0 + penalty
    invert_in_place(values)
    trace = np.trace(values)
    scales = weights / np.sqrt(np.diagonal(values))
    values *= scales[:, None]
    values *= scales * (trace / weights.sum())
    return GraphInverse(NeighborShares(index), weights, penalty, values)


def scaled_graph(index: NearestNeighbors, X, n_threads: int = 1) -> Any:
    """Return the mutual neighbours, the near ones among them with more weight.

    The weights of `mutual_graph` are multiplied by ``exp(-d_ij^2 / (s_i s_j))`` with
    the distance ``s_i`` of a sample to its third neighbour as its own scale [1]_. Each
    separate part of the graph is joined to the sample nearest to it by an edge that is
    not mutual: else labels could not reach a part that has none.

    References
    ----------
    .. [1] L. Zelnik-Manor, P. Perona. Self-tuning spectral clustering. Advances in
       Neural Information Processing Systems 17, 2004.
    """
    n_samples = X.shape[0]
    graph = mutual_graph(index, X, n_threads, NEAREST).tocoo()
    n_neighbors = min(NEAREST, n_samples - 1)
    distances, positions = find_neighbors(index, X, n_neighbors + 1, n_threads)
    starts = np.arange(0, positions.size + 1, n_neighbors + 1)
    entries = (distances.ravel(), positions.ravel(), starts)
    lengths = sp.csr_array(entries, shape=(n_samples, n_samples))
    lengths = lengths.maximum(lengths.T).tocsr()
    scales = np.maximum(distances[:, min(SCALE, n_neighbors)], np.finfo(float).tiny)
    rows, columns = graph.coords
    weights = graph.data * _nearness(lengths[rows, columns], scales, rows, columns)
    scaled = sp.csr_array((weights, (rows, columns)), shape=graph.shape)
    return _join_parts(scaled, X, scales)


def _nearness(lengths, scales, rows, columns) -> np.ndarray:
    ratios = lengths**2 / scales[rows] / scales[columns]
    nearness: np.ndarray = np.exp(-np.minimum(ratios, FAINTEST))
    return nearness


def _join_parts(graph, X, scales: np.ndarray) -> Any:
    """Join each separate part to the sample nearest to it, until there is but one."""
    while True:
        n_parts, parts = connected_components(graph, directed=False)
        if n_parts == 1:
            return graph
        largest = np.bincount(parts).argmax()
        rows, columns, lengths = [], [], []
        for part in np.setdiff1d(np.arange(n_parts), largest):
            inside = np.flatnonzero(parts == part)
            outside = np.flatnonzero(parts != part)
            nearest, distances = pairwise_distances_argmin_min(X[inside], X[outside])
            at = distances.argmin()
            rows.append(inside[at])
            columns.append(outside[nearest[at]])
            lengths.append(distances[at])
        weights = ONE_SIDED * _nearness(np.array(lengths), scales, rows, columns)
        edges = sp.csr_array((weights, (rows, columns)), shape=graph.shape)
        graph = graph.maximum(edges.maximum(edges.T)).tocsr()


def _spectrum(similarity) -> Spectrum:
    """Estimate the eigenvalues of a sparse symmetric matrix by Lanczos quadrature.

    As in `degrees_of_freedom.estimate_spectrum`, but for a matrix whose eigenvalues
    crowd at the upper end, where many steps are needed and no few vectors lead; steps
    are cheap here. Orthogonality that rounding loses does quadrature no harm.
    """
    n_samples = similarity.shape[0]
    if n_samples <= EXACT_SIZE:
        return Spectrum(eigvalsh(similarity.toarray()), np.ones(n_samples))
    random = np.random.RandomState(0)  # the penalty is no place for chance
    vectors = random.choice([-1.0, 1.0], size=(n_samples, N_PROBES))
    vectors /= np.sqrt(n_samples)
    previous = np.zeros_like(vectors)
    diagonals, off_diagonals = np.zeros((2, N_STEPS, N_PROBES))
    for step in range(N_STEPS):
        product = similarity @ vectors - previous * off_diagonals[step - 1]
        diagonals[step] = np.einsum("ns,ns->s", vectors, product)
        product -= vectors * diagonals[step]
        off_diagonals[step] = np.linalg.norm(product, axis=0)
        previous = vectors
        vectors = product / np.maximum(off_diagonals[step], np.finfo(float).tiny)
    nodes, counts = [], []
    for s in range(N_PROBES):
        values, rotation = eigh_tridiagonal(diagonals[:, s], off_diagonals[:-1, s])
        nodes.append(values)
        counts.append(rotation[0] ** 2 * n_samples / N_PROBES)
    return Spectrum(np.concatenate(nodes), np.concatenate(counts))


def _penalty(similarity: Spectrum, degrees: float) -> float:
    """Return b for which ``sum_i 1 / (1 + b (1 - a_i))`` is as given."""
    laplacian = np.maximum(1.0 - similarity.values, 0.0)

    def excess(log_penalty: float) -> float:
        shares = 1.0 / (1.0 + np.exp(log_penalty) * laplacian)
        return float(similarity.counts @ shares - degrees)

    low, high = -20.0, 20.0
    if excess(low) <= 0:
        return float(np.exp(low))
    if excess(high) >= 0:  # as many separate parts as degrees of freedom
        return float(np.exp(high))
    return float(np.exp(brentq(excess, low, high)))
