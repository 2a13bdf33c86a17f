"""The smoother of the neighbour graph from its smoothest eigenvectors.

Least squares with functions that change little along the edges of a graph,

    minimise over f   sum_i (z_i - f_i)^2 + b f' L f,

with the normalised Laplacian ``L`` in place of a kernel norm, has the smoother
``R = (I + b L)^-1``: a boundary may run where samples are sparse and not through a
dense region. The leading eigenvectors of ``R`` are kept as features, and the rows of
features are scaled to equal length, so that a sample at the border of a cluster counts
as much as one in the middle. The trace is the number of degrees of freedom.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import diags_array
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import LinearOperator, eigsh
from sklearn.neighbors import NearestNeighbors

from maxmargin.graph.neighbors import (
    N_NEIGHBORS,
    find_neighbors,
    inverse_distance_weights,
    mutual_graph,
)
from maxmargin.kernels.degrees_of_freedom import solve_penalty
from maxmargin.kernels.feature_map import FeatureMap
from maxmargin.kernels.low_rank_smoother import LowRankSmoother

DENSE_SIZE = 400  # up to this size a dense eigensolver is faster
DOUBLE_SIZE = 5000  # up to this size eigenvectors have double precision
# Degrees of freedom per cluster: one to separate it from the others, and a margin; and
# the number of eigenvectors per cluster.
DEGREES_PER_CLUSTER = 1.35
VECTORS_PER_CLUSTER = 3


@dataclass(frozen=True)
class NeighborFeatures(FeatureMap):
    """Features of a sample: the average of those of its nearest training samples.

    The weights are inverse squared distances, so that a training sample has its own.
    """

    index: NearestNeighbors
    features: np.ndarray
    length: float

    def __call__(self, X) -> np.ndarray:  # noqa: D102
        n_neighbors = min(N_NEIGHBORS, len(self.features))
        distances, positions = find_neighbors(self.index, X, n_neighbors)
        weights = inverse_distance_weights(distances)
        averages = np.einsum("nq,nqm->nm", weights, self.features[positions])
        return scale_rows(averages, self.length)


class NeighborGraph:
    """The smoothest eigenvectors of a neighbour graph, and smoothers made of them.

    Parameters
    ----------
    X : {ndarray, sparse matrix} of shape (n_samples, n_features)
    weights : ndarray of shape (n_samples,)
    n_vectors : int
        Number of eigenvectors.
    """

    def __init__(self, X, weights: np.ndarray, n_vectors: int):
        self.weights = weights
        self.index = NearestNeighbors().fit(X)
        graph = mutual_graph(self.index, X)
        self.values, self.vectors = _smoothest(graph, min(n_vectors, X.shape[0]))

    def soft_smoother(self, degrees: float) -> LowRankSmoother:
        """Return ``(I + b L)^-1`` with the given degrees of freedom.

        A graph with more components than degrees of freedom gets the largest penalty b.
        """
        if degrees >= len(self.values):
            raise ValueError(
                f"degrees_of_freedom={degrees:.4g} is not below the {len(self.values)} "
                "features of the graph: give less."
            )
        penalty = solve_penalty(degrees, self.values)
        shares = 1.0 / (1.0 + penalty * self.values)
        return self._smoother(self.vectors * np.sqrt(shares), penalty, degrees)

    def hard_smoother(self, degrees: int) -> LowRankSmoother:
        """Return the projection on that number of the smoothest vectors."""
        return self._smoother(self.vectors[:, -degrees:], np.inf, degrees)

    def _smoother(
        self, features: np.ndarray, penalty: float, degrees: float
    ) -> LowRankSmoother:
        length = float(np.sqrt(degrees / self.weights.sum()))
        features = scale_rows(features, length)
        return LowRankSmoother(
            NeighborFeatures(self.index, features, length),
            self.weights,
            penalty,
            features,
            np.eye(features.shape[1]),
        )


def _smoothest(graph, n_vectors: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the smallest eigenvalues of the normalised Laplacian and their vectors.

    They are in decreasing order of the eigenvalues, the smoothest last.
    """
    n_samples = graph.shape[0]
    roots = np.sqrt(graph.sum(axis=1))
    similarity = diags_array(1 / roots) @ graph @ diags_array(1 / roots)
    if n_samples <= DENSE_SIZE or n_vectors >= n_samples - 1:
        values, vectors = np.linalg.eigh(similarity.toarray())
        values, vectors = values[-n_vectors:], vectors[:, -n_vectors:]
        return np.maximum(1.0 - values, 0.0), vectors
    constant = _component_vectors(graph, roots)[:, -n_vectors:]
    n_rest = n_vectors - constant.shape[1]
    if n_rest == 0:
        return np.zeros(n_vectors), constant
    values, vectors = _leading(similarity.tocsr(), constant, n_rest)
    zeros = np.zeros(constant.shape[1])
    values = np.concatenate([np.maximum(1.0 - values, 0.0), zeros])
    return values, np.concatenate([vectors, constant], axis=1)


def _leading(similarity, constant: np.ndarray, n_vectors: int):
    """Return the largest eigenvalues and their vectors, orthogonal to known ones.

    An iterative solver may miss copies of an eigenvalue: the known ones are deflated.
    Single precision, for many samples, takes a third of the time.
    """
    n_samples = similarity.shape[0]
    dtype = np.float64 if n_samples <= DOUBLE_SIZE else np.float32
    similarity, constant = similarity.astype(dtype), constant.astype(dtype)
    rest = LinearOperator(
        similarity.shape,
        matvec=lambda v: similarity @ v - constant @ (constant.T @ v),
        dtype=dtype,
    )
    start = np.random.RandomState(0).randn(n_samples).astype(dtype)
    values, vectors = eigsh(
        rest, n_vectors, which="LA", tol=1e-4, v0=start, maxiter=10_000
    )
    return values.astype(np.float64), vectors.astype(np.float64)


def _component_vectors(graph, roots: np.ndarray) -> np.ndarray:
    """Return the eigenvectors to eigenvalue zero, one for each connected component.

    On its component each is the root of the degrees; the largest component is last.
    """
    n_components, components = connected_components(graph, directed=False)
    vectors = np.zeros((len(roots), n_components))
    vectors[np.arange(len(roots)), components] = roots
    vectors /= np.linalg.norm(vectors, axis=0)
    return vectors[:, np.argsort(np.bincount(components), kind="stable")]


def scale_rows(rows: np.ndarray, length: float) -> np.ndarray:
    """Return the rows scaled to the given length; zero rows stay zero."""
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows * (length / np.maximum(norms, np.finfo(float).tiny))
