"""The separation that samples without clusters reach."""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from maxmargin import progress
from maxmargin.selection.graph_clusters import (
    GraphClusters,
    most_clusters,
    spaced_numbers,
)

# References have at most so many samples; with fewer there are more of them, as their
# separations vary more.
REFERENCE_SAMPLES = 2000
MAX_REFERENCES = 2
UNIFORM_FEATURES = 20
# Samples without clusters in hundreds of dimensions are separated by 0 to 0.2,
# depending on how they are distributed.
LEAST = 0.2


class References(NamedTuple):
    """The separations of samples without clusters."""

    numbers: np.ndarray  # of clusters, rising from 2 on
    separations: np.ndarray
    excess: float = 0.0  # the most that one of them has above these, times its pairs

    def __call__(self, n_clusters: int) -> float:
        """Return the separation for a number of clusters."""
        return float(
            np.interp(np.log(n_clusters), np.log(self.numbers), self.separations)
        )


def references_without_clusters(X) -> References:
    """Return the separations of samples like X without clusters.

    They are drawn with the covariance of X, because long samples have a cut of few
    edges without a gap [1]_: from a normal distribution, and with up to 20 features
    from a uniform one, whose border is sharp. For each number of clusters the larger of
    the two means counts, averaged over three neighbouring numbers. Single draws exceed
    that, the more the fewer samples there are. The references do not depend on a seed.

    References
    ----------
    .. [1] R. Tibshirani, G. Walther, T. Hastie. Estimating the number of clusters in a
       data set via the gap statistic. Journal of the Royal Statistical Society B 63(2),
       2001. doi:10.1111/1467-9868.00293
    """
    X = X[:: -(-X.shape[0] // REFERENCE_SAMPLES)]
    n_samples, deviations = X.shape[0], principal_deviations(X)
    random = np.random.RandomState(0)
    found: list[list[list[float]]] = []
    n_draws = min(MAX_REFERENCES, -(-REFERENCE_SAMPLES // n_samples))
    for number in range(n_draws):
        shape = (n_samples, len(deviations))
        drawn = [random.normal(size=shape)]
        if X.shape[1] <= UNIFORM_FEATURES:
            drawn.append(random.uniform(-np.sqrt(3.0), np.sqrt(3.0), size=shape))
        found.append([])
        for i, rows in enumerate(drawn):
            with progress.step(number * len(drawn) + i, n_draws * len(drawn)):
                found[-1].append(_separations(rows * deviations))
    larger = np.mean(found, axis=0).max(axis=0)
    padded = np.pad(larger, 1, mode="edge")
    smooth = np.convolve(padded, np.full(3, 1 / 3), mode="valid")
    numbers = _numbers(n_samples)
    excess = (1.0 - 1.0 / numbers) * (np.array(found) - smooth)
    return References(numbers, np.maximum(smooth, LEAST), float(excess.max()))


def _numbers(n_samples: int) -> np.ndarray:
    """Return the numbers of clusters of a reference."""
    numbers = spaced_numbers(max(most_clusters(n_samples), 2))
    return np.array([k for k in numbers if k > 1])


def _separations(rows: np.ndarray) -> list[float]:
    """Return the separations of a reference for all its numbers of clusters.

    Its path begins with as many clusters as that of X: separations rise along a path.
    """
    clusters = GraphClusters(rows, np.ones(len(rows)))
    return [clusters.separation(int(k)).separation for k in _numbers(len(rows))]


def principal_deviations(X) -> np.ndarray:
    """Return the standard deviations of samples along their principal axes."""
    n_samples, n_features = X.shape
    if sp.issparse(X) and n_features > n_samples:
        products = (X @ X.T).toarray().astype(np.float64)
        products = products - products.mean(axis=0)
        products = products - products.mean(axis=1, keepdims=True)
    else:
        # In double precision: single precision may lose all differences to a mean.
        rows = X.toarray() if sp.issparse(X) else np.asarray(X)
        rows = rows.astype(np.float64)
        rows -= rows.mean(axis=0)
        products = rows.T @ rows if n_features <= n_samples else rows @ rows.T
    variances = np.linalg.eigvalsh((products + products.T) / 2) / n_samples
    deviations: np.ndarray = np.sqrt(variances[variances > 1e-9 * variances.max()])
    return deviations
