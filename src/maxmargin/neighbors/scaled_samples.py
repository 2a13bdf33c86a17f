"""Samples in units in which squared distances do not overflow in single precision."""

from typing import NamedTuple

import numpy as np
from sklearn.utils.extmath import randomized_svd

from maxmargin.resources import for_blocks

N_COMPONENTS = 64  # principal components of the estimate of a distance
PCA_SAMPLES = 2000


class Samples(NamedTuple):
    """Centred samples in single precision, and their leading components."""

    X: np.ndarray  # (n, d)
    norms: np.ndarray  # (n,), squared
    components: np.ndarray  # (n, p)
    residuals: np.ndarray  # (n,), squared norms outside of the components


class Scaling(NamedTuple):
    """The change of units with which squares do not overflow in single precision."""

    mean: np.ndarray
    scale: float
    leading: np.ndarray | None  # (d, p), the principal directions; None for all

    def center(self, X: np.ndarray) -> np.ndarray:
        """Return samples in these units."""
        centred: np.ndarray = ((X - self.mean) / self.scale).astype(np.float32)
        return centred

    def components(self, X: np.ndarray) -> np.ndarray:
        """Return the leading components of samples X."""
        size = X.shape[1] if self.leading is None else self.leading.shape[1]
        components = np.empty((X.shape[0], size), np.float32)

        def fill(block: slice) -> None:
            rows = self.center(X[block])
            components[block] = rows if self.leading is None else rows @ self.leading

        for_blocks(fill, X.shape[0])
        return components

    def samples(
        self, X: np.ndarray, components: np.ndarray, order: np.ndarray | None = None
    ) -> Samples:
        """Return samples, given their components, in the given order."""
        if order is not None:
            components = components[order]
        norms = np.einsum("ij,ij->i", components, components)
        if self.leading is None:
            return Samples(components, norms, components, np.zeros_like(norms))
        centred = np.empty(X.shape, np.float32)

        def fill(block: slice) -> None:
            centred[block] = self.center(X[block if order is None else order[block]])

        for_blocks(fill, X.shape[0])
        lengths = np.einsum("ij,ij->i", centred, centred)
        residuals = np.maximum(lengths - norms, 0.0)
        return Samples(centred, lengths, components, residuals)


def find_scaling(X: np.ndarray, random: np.random.RandomState) -> Scaling:
    """Return the units of samples X, found from their mean and range."""
    n_samples, n_features = X.shape
    mean = X.mean(axis=0, dtype=np.float64)
    largest = max(X.max() - mean.min(), mean.max() - X.min())
    scale = float(max(largest, np.finfo(float).tiny))
    leading = None
    if n_features > N_COMPONENTS:
        size = min(n_samples, PCA_SAMPLES)
        drawn = X[np.sort(random.choice(n_samples, size, replace=False))]
        drawn = (drawn - mean) / scale
        _, _, vectors = randomized_svd(drawn, N_COMPONENTS, random_state=random)
        leading = np.ascontiguousarray(vectors.T, dtype=np.float32)
    return Scaling(mean, scale, leading)
