"""The kernel function, and the default width of distance kernels."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.metrics.pairwise import (
    euclidean_distances,
    manhattan_distances,
    pairwise_kernels,
)

from maxmargin.resources import for_blocks

DISTANCE_KERNELS = ("rbf", "laplacian")
MEDIAN_SAMPLES = 1000  # samples whose pairs give the median distance


@dataclass(frozen=True)
class Kernel:
    """A kernel with parameters spelled as in scikit-learn.

    ``name`` is one of ``sklearn.metrics.pairwise.PAIRWISE_KERNEL_FUNCTIONS``, a
    function of two samples, or ``"precomputed"``; then "samples" are rows of a kernel
    matrix, whose columns are the training samples.
    """

    name: str | Callable[..., float]
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def precomputed(self) -> bool:
        """Return True if samples are rows of a kernel matrix."""
        return self.name == "precomputed"

    def __call__(self, X, Y) -> np.ndarray:
        """Return the kernel between samples X and basis samples Y, as float64.

        Y is returned by `take`; for a precomputed kernel it holds column numbers.
        """
        if self.precomputed:
            return np.ascontiguousarray(X[:, Y], dtype=np.float64)
        values = np.empty((X.shape[0], Y.shape[0]))

        if self.name == "rbf" and not sp.issparse(X) and not sp.issparse(Y):
            fill = self._radial(X, Y, values)
        else:
            fill = self._by_scikit_learn(X, Y, values)
        for_blocks(fill, X.shape[0])
        return values

    def _by_scikit_learn(self, X, Y, values: np.ndarray) -> Callable[[slice], None]:
        def fill(block: slice) -> None:
            values[block] = pairwise_kernels(
                X[block], Y, metric=self.name, filter_params=True, **self.parameters
            )

        return fill

    def _radial(self, X, Y, values: np.ndarray) -> Callable[[slice], None]:
        """Return a function that fills a block of ``exp(-g |x - y|^2)`` in place.

        ``-g |x - y|^2 = 2 g x y' - g |x|^2 - g |y|^2``, with the mean of Y as origin
        against cancellation: one product and few passes over values in the cache.
        """
        gamma = self.parameters.get("gamma") or 1.0 / Y.shape[1]
        origin = Y.mean(axis=0, dtype=np.float64)
        basis = np.ascontiguousarray((2.0 * gamma * (Y - origin)).T)
        norms = np.einsum("ij,ij->j", basis, basis) / (4.0 * gamma)

        def fill(block: slice) -> None:
            part, rows = values[block], X[block] - origin
            np.dot(rows, basis, out=part)
            part -= norms
            part -= gamma * np.einsum("ij,ij->i", rows, rows)[:, None]
            np.minimum(part, 0.0, out=part)
            np.exp(part, out=part)

        return fill

    def take(self, X, indices: np.ndarray) -> Any:
        """Return the given samples as a basis to compute kernel values with."""
        return np.asarray(indices) if self.precomputed else X[indices]


def make_kernel(
    name: str | Callable[..., float],
    X,
    *,
    gamma: float | str | None = "median",
    degree: float = 3,
    coef0: float = 1,
    kernel_params: Mapping[str, Any] | None = None,
    random: np.random.RandomState,
) -> Kernel:
    """Return the kernel with its parameters set from the training samples.

    ``gamma="median"`` is for distance kernels; others have scikit-learn's default.
    ``"scale"`` is that of support vector machines, ``1 / (n_features variance)``.
    """
    if name == "precomputed":
        return Kernel(name)
    if callable(name):
        return Kernel(name, dict(kernel_params or {}))
    if isinstance(gamma, str) and gamma not in ("median", "scale"):
        raise ValueError(
            f"gamma={gamma!r} is unknown: give 'median', 'scale' or a number."
        )
    if gamma == "scale":
        gamma = scale_gamma(X)
    if gamma == "median":
        distance = name in DISTANCE_KERNELS
        gamma = median_gamma(X, name, random) if distance else None
    parameters: dict[str, Any] = {"degree": degree, "coef0": coef0}
    if gamma is not None:
        parameters["gamma"] = gamma
    return Kernel(name, parameters)


def median_gamma(X, kernel: str, random: np.random.RandomState) -> float:
    """Return ``gamma`` from the median distance between samples.

    For ``"rbf"`` it is ``1 / (2 median squared distance)``, so that two samples at the
    median distance have similarity ``exp(-1/2)``; for ``"laplacian"`` it is
    ``1 / (2 median Manhattan distance)``. Pairs of equal samples are left out. Beyond
    1000 samples a random part is used.
    """
    n_samples = X.shape[0]
    if n_samples > MEDIAN_SAMPLES:
        X = X[np.sort(random.choice(n_samples, MEDIAN_SAMPLES, replace=False))]
    if kernel == "laplacian":
        distances = manhattan_distances(X)
    else:
        distances = euclidean_distances(X, squared=True)
    pairs = distances[np.triu_indices(len(distances), 1)]
    # Rounding leaves a small distance between equal samples.
    largest = pairs.max(initial=0.0)
    pairs = pairs[pairs > 1e-10 * largest]
    if len(pairs) == 0:
        raise ValueError("All samples are equal, or too close to be distinguished.")
    return float(1.0 / (2.0 * np.median(pairs)))


def scale_gamma(X) -> float:
    """Return ``1 / (n_features variance)``, with the variance of all values."""
    if sp.issparse(X):
        variance = X.multiply(X).mean() - X.mean() ** 2
    else:
        variance = X.var(dtype=np.float64)
    return float(1.0 / (X.shape[1] * variance)) if variance > 0 else 1.0


def check_kernel_matrix(K) -> None:
    """Raise an error if a precomputed kernel is not square or not symmetric."""
    if K.shape[0] != K.shape[1]:
        raise ValueError(
            f"A precomputed kernel must be square to fit, and this one has shape "
            f"{K.shape}: pass the kernel of the training samples with themselves."
        )
    asymmetry = np.abs(K - K.T).max()
    if asymmetry > 1e-6 * max(np.abs(K).max(), np.finfo(float).tiny):
        raise ValueError(
            f"A precomputed kernel must be symmetric, and this one differs from its "
            f"transpose by up to {asymmetry:.3g}: pass (K + K.T) / 2 if that is meant."
        )
