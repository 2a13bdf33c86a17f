"""The separation that samples without clusters reach."""

import numpy as np
import scipy.sparse as sp

from maxmargin.selection.graph_clusters import GraphClusters

# References have at most so many samples; with fewer there are more of them, as their
# separations vary more.
REFERENCE_SAMPLES = 2000
MAX_REFERENCES = 5
# Numbers of clusters of a reference. Its separation falls with more.
NUMBERS = (2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 18, 23, 30)
UNIFORM_FEATURES = 20
# Samples without clusters in hundreds of dimensions have a separation of 0 to 0.3,
# depending on how they are distributed. It varies from draw to draw with a standard
# deviation of about 0.05, of which MARGIN is twice.
LEAST, MARGIN = 0.2, 0.1


def separation_without_clusters(X) -> float:
    """Return a separation that samples like X without clusters rarely exceed.

    The references are normal samples with the covariance of X: long samples, which have
    a cut of few edges without a gap, are compared with others that are as long [1]_. Up
    to 20 features there are uniform ones as well, whose border is sharp. The largest
    separation counts, of any reference and any number of clusters. The references do
    not depend on a seed.

    References
    ----------
    .. [1] R. Tibshirani, G. Walther, T. Hastie. Estimating the number of clusters in a
       data set via the gap statistic. Journal of the Royal Statistical Society B 63(2),
       2001. doi:10.1111/1467-9868.00293
    """
    X = X[:: -(-X.shape[0] // REFERENCE_SAMPLES)]
    n_samples, deviations = X.shape[0], principal_deviations(X)
    numbers = [k for k in NUMBERS if k <= max(2, n_samples // 4)]
    found = [LEAST]
    random = np.random.RandomState(0)
    for _ in range(min(MAX_REFERENCES, -(-REFERENCE_SAMPLES // n_samples))):
        for rows in _draw(n_samples, deviations, X.shape[1], random):
            clusters = GraphClusters(rows, np.ones(n_samples))
            found += [clusters.separation(k).separation for k in numbers]
    return max(found) + MARGIN


def _draw(
    n_samples: int,
    deviations: np.ndarray,
    n_features: int,
    random: np.random.RandomState,
) -> list[np.ndarray]:
    """Draw references: normal samples, and of few features uniform ones."""
    shape = (n_samples, len(deviations))
    drawn = [random.normal(size=shape) * deviations]
    if n_features <= UNIFORM_FEATURES:
        drawn.append(random.uniform(-1.0, 1.0, size=shape) * np.sqrt(3.0) * deviations)
    return drawn


def principal_deviations(X) -> np.ndarray:
    """Return the standard deviations of samples along their principal axes."""
    n_samples, n_features = X.shape
    mean = np.asarray(X.mean(axis=0)).reshape(-1)
    if n_features <= n_samples:
        centered = (X.toarray() if sp.issparse(X) else np.asarray(X)) - mean
        products = centered.T @ centered
    else:
        products = X @ X.T
        products = products.toarray() if sp.issparse(products) else products
        products = products - products.mean(axis=0)
        products = products - products.mean(axis=1, keepdims=True)
    variances = np.linalg.eigvalsh((products + products.T) / 2) / n_samples
    deviations: np.ndarray = np.sqrt(variances[variances > 1e-9 * variances.max()])
    return deviations
