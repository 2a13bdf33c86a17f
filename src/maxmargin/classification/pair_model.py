"""Clusters that are taught by pairs of samples.

The probabilities of the clusters of sample i are a softmax of linear functions of its
features, ``p_i = softmax(x_i W)``. Two samples are together with the probability
``s_ij = sum_h p_ih p_jh``. The functions maximise

    sum over must-links  log s_ij  +  sum over cannot-links  log(1 - s_ij)
        + c / n  sum_i w_i sum_h q_ih log p_ih  -  r / 2 ||W||^2,

where ``q_i`` are the shares of several clusterings without pairs that put sample i into
cluster h: where these agree, they count as much as c samples with a label; where they
differ, the pairs decide. The features are the smoothest vectors of the neighbour graph
and those of a radial kernel, so that a pair teaches the samples near its two.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax

from maxmargin.clustering.model import indicators
from maxmargin.graph.neighbors import NeighborIndex
from maxmargin.graph.spectral_smoother import NeighborGraph, scale_rows
from maxmargin.kernels.kernel import Kernel
from maxmargin.kernels.landmarks import span_basis
from maxmargin.metrics.matching import match_labels

# Features: vectors of the graph for each cluster, and landmarks of the radial kernel;
# the lengths of their rows, in the mean.
VECTORS_PER_CLUSTER = 8
N_LANDMARKS = 100
GRAPH_LENGTH, RADIAL_LENGTH = 3.0, 5.0
CLUSTERING_LABELS = 15.0  # c above
RIDGE = 0.3  # r above
MAX_ITER = 200
SMALLEST = 1e-9  # probability that two samples are together, or apart


class PairModel(NamedTuple):
    """Probabilities of the clusters of the samples."""

    probabilities: np.ndarray  # (n, k)
    objective: float
    n_features: int


def pair_features(
    X, weights: np.ndarray, kernel: Kernel, n_clusters: int
) -> tuple[np.ndarray, NeighborIndex]:
    """Return the features of samples (n x m), the first one constant."""
    n_samples = X.shape[0]
    n_vectors = min(VECTORS_PER_CLUSTER * n_clusters, max(n_samples // 2, 1))
    graph = NeighborGraph(X, weights, n_vectors)
    by_content = np.random.RandomState(0)
    size = min(N_LANDMARKS, max(n_samples // 2, 1))
    landmarks = np.sort(by_content.choice(n_samples, size, replace=False))
    radial = span_basis(kernel, X, kernel.take(X, landmarks))(X)
    radial -= weights @ radial / weights.sum()
    length = np.sqrt((radial**2).sum(axis=1).mean())
    radial *= RADIAL_LENGTH / max(length, np.finfo(float).tiny)
    on_graph = scale_rows(graph.vectors, GRAPH_LENGTH)
    features = np.concatenate([np.ones((n_samples, 1)), on_graph, radial], axis=1)
    return features, graph.index


def mean_clustering(
    clusterings: list[np.ndarray], n_clusters: int, weights: np.ndarray
) -> np.ndarray:
    """Return the shares of the clusterings with each sample in a cluster (n x k).

    The clusters are matched to those of the first one.
    """
    first = clusterings[0]
    shares = np.zeros((len(first), n_clusters))
    for labels in clusterings:
        names = match_labels(labels, first, n_clusters, weights)
        shares += indicators(names[labels], n_clusters)
    return shares / len(clusterings)


def fit_pairs(
    features: np.ndarray,
    shares: np.ndarray,
    weights: np.ndarray,
    must_link: np.ndarray,
    cannot_link: np.ndarray,
) -> PairModel:
    """Fit the probabilities of the clusters to pairs, as positions of samples.

    Parameters
    ----------
    features : ndarray of shape (n_samples, n_features)
    shares : ndarray of shape (n_samples, n_clusters)
        Of the clusterings without pairs.
    weights : ndarray of shape (n_samples,)
    must_link, cannot_link : ndarray of shape (n_pairs, 2)
    """
    shape = (features.shape[1], shares.shape[1])
    of_samples = (CLUSTERING_LABELS / weights.sum() * weights)[:, None]

    def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
        coefficients = flat.reshape(shape)
        logs = log_softmax(features @ coefficients, axis=1)
        probabilities = np.exp(logs)
        value, slopes = _pair_loss(probabilities, must_link, cannot_link)
        value -= float((of_samples * shares * logs).sum())
        slopes += of_samples * (probabilities - shares)
        value += RIDGE / 2 * float(flat @ flat)
        return value, (features.T @ slopes + RIDGE * coefficients).ravel()

    start = np.zeros(shape[0] * shape[1])
    options = {"maxiter": MAX_ITER}
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options=options)
    logs = log_softmax(features @ found.x.reshape(shape), axis=1)
    return PairModel(np.exp(logs), -float(found.fun), shape[0])


def _pair_loss(
    probabilities: np.ndarray, must_link: np.ndarray, cannot_link: np.ndarray
) -> tuple[float, np.ndarray]:
    """Return minus the log-probability of pairs, and its slopes by the scores.

    With ``g_i`` the slopes by ``p_i``, those by the scores of the softmax are
    ``p_ih (g_ih - sum_l g_il p_il)``.
    """
    value, by_probability = 0.0, np.zeros_like(probabilities)
    for pairs, together in ((must_link, True), (cannot_link, False)):
        first, second = pairs[:, 0], pairs[:, 1]
        joint = np.einsum("nk,nk->n", probabilities[first], probabilities[second])
        joint = np.clip(joint, SMALLEST, 1.0 - SMALLEST)
        right = joint if together else 1.0 - joint
        value -= float(np.log(right).sum())
        slopes = ((-1.0 if together else 1.0) / right)[:, None]
        np.add.at(by_probability, first, slopes * probabilities[second])
        np.add.at(by_probability, second, slopes * probabilities[first])
    inner = np.einsum("nk,nk->n", by_probability, probabilities)
    return value, probabilities * (by_probability - inner[:, None])
