"""The smoother of the graph of nearest neighbours.

Least squares with functions that change little along the edges of a graph,

    minimise over f   sum_i (z_i - f_i)^2 + b f' L f,

with the normalised Laplacian ``L`` in place of a kernel norm, has the smoother
``R = (I + b L)^-1``: a boundary may run where samples are sparse and not through a
dense region. Of ``R`` the leading eigenvectors are kept, and all rows of features are
brought to one length, so that a sample in the outskirts counts as much as one in the
middle; the length is such that the trace is the number of degrees of freedom.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.sparse import diags_array
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import LinearOperator, eigsh
from sklearn.neighbors import NearestNeighbors

from maxmargin.kernels.feature_map import FeatureMap
from maxmargin.kernels.low_rank_smoother import LowRankSmoother
from maxmargin.kernels.neighbors import (
    N_NEIGHBORS,
    find_neighbors,
    mutual_graph,
    nearness_shares,
)

DENSE_SIZE = 400  # up to here a dense eigensolver is the faster one


@dataclass(frozen=True)
class NeighborFeatures(FeatureMap):
    """Features of a sample: those of its nearest training samples, averaged.

    The weights are inverse squared distances, so that a training sample has its own.
    """

    index: NearestNeighbors
    features: np.ndarray
    length: float

    def __call__(self, X, n_threads: int = 1) -> np.ndarray:  # noqa: D102
        n_neighbors = min(N_NEIGHBORS, len(self.features))
        distances, positions = find_neighbors(self.index, X, n_neighbors, n_threads)
        shares = nearness_shares(distances)
        averages = np.einsum("nq,nqm->nm", shares, self.features[positions])
        return of_length(averages, self.length)


class NeighborGraph:
    """The neighbour graph of some samples, and the smoothers that it gives.

    Parameters
    ----------
    X : {ndarray, sparse matrix} of shape (n_samples, n_features)
    weights : ndarray of shape (n_samples,)
    n_vectors : int
        How many of the smoothest eigenvectors to keep.
    """

    def __init__(self, X, weights: np.ndarray, n_vectors: int, n_threads: int = 1):
        self.weights = weights
        self.index = NearestNeighbors().fit(X)
        graph = mutual_graph(self.index, X, n_threads)
        self.values, self.vectors = _smoothest(graph, min(n_vectors, X.shape[0]))

    def soft_smoother(self, degrees: float) -> LowRankSmoother:
        """Return ``(I + b L)^-1`` with the given degrees of freedom."""
        penalty, shares = _filter(self.values, degrees)
        return self._smoother(self.vectors * np.sqrt(shares), penalty, degrees)

    def hard_smoother(self, degrees: int) -> LowRankSmoother:
        """Return the projection on as many of the smoothest vectors."""
        return self._smoother(self.vectors[:, -degrees:], np.inf, degrees)

    def _smoother(
        self, features: np.ndarray, penalty: float, degrees: float
    ) -> LowRankSmoother:
        length = float(np.sqrt(degrees / self.weights.sum()))
        features = of_length(features, length)
        return LowRankSmoother(
            NeighborFeatures(self.index, features, length),
            self.weights,
            penalty,
            features,
            np.eye(features.shape[1]),
        )


def _smoothest(graph, n_vectors: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the smallest eigenvalues of the normalised Laplacian, and the vectors.

    They come in decreasing order of the eigenvalues, the smoothest last.
    """
    n_samples = graph.shape[0]
    roots = np.sqrt(graph.sum(axis=1))
    similarity = diags_array(1 / roots) @ graph @ diags_array(1 / roots)
    if n_samples <= DENSE_SIZE or n_vectors >= n_samples - 1:
        values, vectors = np.linalg.eigh(similarity.toarray())
        values, vectors = values[-n_vectors:], vectors[:, -n_vectors:]
        return np.maximum(1.0 - values, 0.0), vectors
    flat = _component_vectors(graph, roots)[:, -n_vectors:]
    n_rest = n_vectors - flat.shape[1]
    if n_rest == 0:
        return np.zeros(n_vectors), flat
    # An iterative solver may miss copies of an eigenvalue: take out what is known.
    rest = LinearOperator(
        similarity.shape,
        matvec=lambda v: similarity @ v - flat @ (flat.T @ v),
        dtype=np.float64,
    )
    start = np.random.RandomState(0).randn(n_samples)
    values, vectors = eigsh(
        rest, n_rest, which="LA", tol=1e-4, v0=start, maxiter=10_000
    )
    values = np.concatenate([np.maximum(1.0 - values, 0.0), np.zeros(flat.shape[1])])
    return values, np.concatenate([vectors, flat], axis=1)


def _component_vectors(graph, roots: np.ndarray) -> np.ndarray:
    """Return the eigenvectors to eigenvalue zero: one for each separate part.

    On its part each is the root of the degrees; the largest part comes last.
    """
    n_parts, parts = connected_components(graph, directed=False)
    vectors = np.zeros((len(roots), n_parts))
    vectors[np.arange(len(roots)), parts] = roots
    vectors /= np.linalg.norm(vectors, axis=0)
    return vectors[:, np.argsort(np.bincount(parts), kind="stable")]


def _filter(values: np.ndarray, degrees: float) -> tuple[float, np.ndarray]:
    """Return the penalty b for which ``sum_i 1 / (1 + b l_i)`` is as given."""

    def excess(log_penalty: float) -> float:
        return float(np.sum(1.0 / (1.0 + np.exp(log_penalty) * values)) - degrees)

    low, high = -20.0, 40.0
    if excess(low) < 0:
        raise ValueError(
            f"degrees_of_freedom={degrees:.4g} is more than the {len(values)} features "
            "of the graph: give less."
        )
    if excess(high) > 0:  # more separate parts than degrees of freedom
        penalty = np.exp(high)
    else:
        penalty = np.exp(brentq(excess, low, high))
    return float(penalty), 1.0 / (1.0 + penalty * values)


def of_length(rows: np.ndarray, length: float) -> np.ndarray:
    """Return the rows brought to one length; zero stays zero."""
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows * (length / np.maximum(norms, np.finfo(float).tiny))
