"""Normalised cuts (Shi and Malik, 2000), with all points in the neighbourhood.

With similarities W and degrees ``d = W 1`` the second eigenvector u of ``D^-1/2 W
D^-1/2`` orders the samples by ``d^-1/2 u``. Of all places to cut this order, the one
with the least ``cut / d(A) + cut / d(B)`` is taken, or zero, which they also name.
"""

import numpy as np
from scipy.linalg import eigh
from sklearn.metrics.pairwise import rbf_kernel


def normalised_cut(X, gamma, at_zero=False):
    """Return labels 0 and 1, with ``exp(-gamma |x - y|^2)`` as similarity."""
    W = rbf_kernel(X, gamma=gamma)
    degrees = W.sum(axis=1)
    scale = 1 / np.sqrt(degrees)
    n = len(X)
    scaled = scale[:, None] * W * scale
    _, vectors = eigh(scaled, subset_by_index=[n - 2, n - 1])
    if vectors.shape[1] < 2:  # lost among equal eigenvalues: hardly any similarity
        vectors = np.linalg.eigh(scaled)[1][:, -2:]
    values = scale * vectors[:, 0]
    if at_zero:
        return (values > 0).astype(np.int64)
    order = np.argsort(values, kind="stable")
    volume = np.cumsum(degrees[order])[:-1]
    # Inside the first p samples: what row p adds, twice, and its own entry.
    rows = np.tril(W[np.ix_(order, order)]).sum(axis=1)
    inside = np.cumsum(2 * rows - np.diag(W)[order])[:-1]
    cut = volume - inside
    costs = cut / volume + cut / (degrees.sum() - volume)
    labels = np.ones(n, dtype=np.int64)
    labels[order[: np.argmin(costs) + 1]] = 0
    return labels
