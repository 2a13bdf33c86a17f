"""The graph that a user gives as sparse affinities, and what rows of it must be.

No distance is known, so that the features of a further sample come from its affinities
alone. With the affinities ``W`` of the samples, their degrees ``D``, an eigenvector
``v`` of the normalised Laplacian and its eigenvalue ``e``,

    (1 - e) v_i = sum_j W_ij v_j / sqrt(D_i D_j).

A further sample with affinities ``a_j`` gets the value that this equation has for it
[1]_, up to a factor for the whole row, as rows are scaled to the same length. A
training sample gets its own features.

References
----------
.. [1] Y. Bengio, J.-F. Paiement, P. Vincent, O. Delalleau, N. Le Roux, M. Ouimet.
   Out-of-sample extensions for LLE, Isomap, MDS, Eigenmaps, and spectral clustering.
   Advances in Neural Information Processing Systems 16, 2003.
"""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.stats import spearmanr

from maxmargin.rows.sample import take_square
from maxmargin.smoothers.feature_map import FeatureMap
from maxmargin.smoothers.spanning_tree import connected_parts
from maxmargin.smoothers.spectral_smoother import SpectralGraph, scale_rows

# Vectors that change from edge to edge have 1 - e near zero. Dividing by less than this
# would make noise of them.
LEAST_FACTOR = 0.1
SYMMETRIC = 1e-6  # the largest difference from the transpose, of the largest affinity
# A correlation below zero by three standard errors is no chance. So many edges are
# looked at, and so many of them for triangles.
STANDARD_ERRORS = 3.0
LOOKED_AT, IN_TRIANGLES = 20_000, 2000


@dataclass(frozen=True)
class AffinityFeatures(FeatureMap):
    """Features of samples from their affinities to the training samples."""

    columns: np.ndarray  # (n_training, m), of the equation above
    length: float
    samples: np.ndarray  # (n_training,), their positions among all samples

    def __call__(self, X) -> np.ndarray:  # noqa: D102
        if X.shape[1] != len(self.samples):  # some had no weight
            X = X[:, self.samples]
        return scale_rows(np.asarray(X @ self.columns), self.length)


class AffinityGraph(SpectralGraph):
    """The smoothest eigenvectors of a given graph, and smoothers made of them.

    Parameters
    ----------
    affinities : sparse array of shape (n_all, n_all)
        Symmetric and not negative. Those of samples with themselves do not count.
    weights : ndarray of shape (n_samples,)
    n_vectors : int
        Number of eigenvectors.
    samples : ndarray of shape (n_samples,), default=None
        The positions of the samples, if they are not all.
    """

    def __init__(
        self,
        affinities: Any,
        weights: np.ndarray,
        n_vectors: int,
        samples: np.ndarray | None = None,
    ):
        self.samples = np.arange(len(weights)) if samples is None else samples
        graph = edges_of(take_square(affinities, self.samples))
        super().__init__(graph, weights, n_vectors)

    def feature_map(
        self, features: np.ndarray, rows: np.ndarray, length: float
    ) -> FeatureMap:
        """Return the features from affinities to the samples."""
        degrees = np.asarray(self.graph.sum(axis=1)).reshape(-1)
        roots = np.sqrt(np.maximum(degrees, np.finfo(np.float32).tiny))
        factors = np.maximum(1.0 - self.values[-features.shape[1] :], LEAST_FACTOR)
        columns = features / roots[:, None] / factors
        return AffinityFeatures(columns, length, self.samples)


def edges_of(affinities: Any) -> Any:
    """Return affinities as edges: symmetric to the last bit, and none of a sample."""
    graph = sp.csr_array(affinities, dtype=np.float64)
    graph = (graph + graph.T) / 2
    graph = (graph - sp.diags_array(graph.diagonal())).tocsr()
    graph.eliminate_zeros()
    graph.sort_indices()
    return graph


def check_affinities(X: Any) -> None:
    """Raise an error if a sparse matrix is no symmetric affinity of samples."""
    if X.shape[0] != X.shape[1]:
        raise ValueError(
            f"Precomputed affinities must be square to fit, and these have shape "
            f"{X.shape}: give those of the training samples with each other."
        )
    check_affinity_rows(X)
    if looks_like_distances(edges_of(X.maximum(X.T))):
        raise ValueError(
            "The sparse matrix has distances, which are large between far samples: "
            "give affinities, for example exp(-d^2 / s^2), or in scanpy "
            "obsp['connectivities']."
        )
    difference = abs(X - X.T)
    asymmetry = difference.max() if difference.nnz else 0.0
    if asymmetry > SYMMETRIC * X.max():
        raise ValueError(
            f"Precomputed affinities must be symmetric, and these differ from their "
            f"transpose by up to {asymmetry:.3g}: give (W + W.T) / 2 if that is meant."
        )


def check_affinity_rows(X: Any) -> None:
    """Raise an error if rows of affinities have negative values, or nothing at all."""
    if X.nnz and X.data.min() < 0:
        raise ValueError(
            f"Precomputed affinities must not be negative, and the smallest is "
            f"{X.data.min():.3g}: leave out such edges."
        )
    own = X.diagonal() if X.shape[0] == X.shape[1] else 0.0
    empty = np.flatnonzero(np.asarray(X.sum(axis=1)).reshape(-1) - own <= 0)
    if len(empty):
        raise ValueError(
            f"{len(empty)} samples, the first in row {empty[0]}, have no affinity to "
            "any other: leave them out, or give them an edge."
        )


def looks_like_distances(graph: Any) -> bool:
    """Return True if edges look like distances of near samples.

    The longer a distance is, the less alike are the rows of its ends, which have few
    neighbours in common, and it is never above the sum of the two other sides of a
    triangle. Affinities rise with the likeness of rows.
    """
    edges = sp.triu(graph, format="coo")
    if edges.nnz < 3 or np.ptp(edges.data) <= SYMMETRIC * edges.data.max():
        return False
    chosen = np.arange(0, edges.nnz, -(-edges.nnz // LOOKED_AT))
    rows, columns, values = edges.row[chosen], edges.col[chosen], edges.data[chosen]
    means = graph.sum(axis=1) / np.maximum(np.diff(graph.indptr), 1)
    relative = values / np.sqrt(means[rows] * means[columns])
    cosines = _cosines(graph, rows, columns, values)
    if np.ptp(cosines) == 0.0 or np.ptp(relative) == 0.0:
        return False
    if spearmanr(cosines, relative).statistic * len(chosen) ** 0.5 > -STANDARD_ERRORS:
        return False
    some = range(0, len(chosen), -(-len(chosen) // IN_TRIANGLES))
    return all(
        _shortest_way(graph, rows[e], columns[e]) >= (1 - SYMMETRIC) * values[e]
        for e in some
    )


def _cosines(graph: Any, rows: np.ndarray, columns: np.ndarray, values: np.ndarray):
    """Return the cosines between rows, without the entries of the edge itself."""
    squares = np.asarray(graph.multiply(graph).sum(axis=1)).reshape(-1)
    others = [np.maximum(squares[ends] - values**2, 0.0) for ends in (rows, columns)]
    products = graph[rows].multiply(graph[columns]).sum(axis=1)
    norms = np.sqrt(others[0] * others[1])
    return np.asarray(products).reshape(-1) / np.maximum(norms, np.finfo(float).tiny)


def _shortest_way(graph: Any, i: int, j: int) -> float:
    """Return the smallest sum of two edges from one sample to another."""
    first = slice(graph.indptr[i], graph.indptr[i + 1])
    second = slice(graph.indptr[j], graph.indptr[j + 1])
    _, a, b = np.intersect1d(
        graph.indices[first], graph.indices[second], True, return_indices=True
    )
    sums = graph.data[first][a] + graph.data[second][b]
    return float(sums.min(initial=np.inf))


def warn_if_scattered(graph: SpectralGraph, n_clusters: int) -> None:
    """Warn if samples are in components that have no eigenvector of their own."""
    sizes = np.sort(np.bincount(connected_parts(graph.graph)))[::-1]
    n_components, n_vectors = len(sizes), len(graph.values)
    if n_components <= n_vectors:
        return
    warnings.warn(
        f"The graph has {n_components} connected components and {n_clusters} clusters: "
        f"the {sizes[n_vectors:].sum()} samples of the smallest components are in the "
        "largest cluster. Connect them, or ask for more clusters.",
        UserWarning,
        stacklevel=2,
    )
