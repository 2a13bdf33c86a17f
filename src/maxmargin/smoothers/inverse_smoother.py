"""The dense smoother of a neighbour graph, for labels that spread along its edges.

`spectral_smoother` keeps the few smoothest eigenvectors, which separate clusters. Where
labels are given, the paths from a sample to the nearest labels count, and many vectors
are needed: here the inverse ``R = (I + b L)^-1`` is computed. As there, rows are scaled
to equal length: with ``D = diag(R)``,

    S = (tr(R) / sum_i w_i)  W D^-1/2 R D^-1/2 W.
"""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.linalg import eigvalsh

from maxmargin.neighbors.index import NeighborIndex
from maxmargin.neighbors.scaled_graph import scaled_graph
from maxmargin.smoothers.cholesky import invert_in_place
from maxmargin.smoothers.degrees_of_freedom import (
    EXACT_SIZE,
    Spectrum,
    lanczos_quadrature,
    solve_penalty,
)
from maxmargin.smoothers.neighbor_features import NeighborWeights
from maxmargin.smoothers.smoother import DenseSmoother, check_memory

# Vectors and steps of the estimate of eigenvalues: products with a sparse matrix.
N_PROBES = 20
N_STEPS = 80


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
