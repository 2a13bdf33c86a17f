"""The kernel function, and the default width of distance kernels."""

import numbers
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.metrics.pairwise import (
    KERNEL_PARAMS,
    manhattan_distances,
    pairwise_kernels,
)

from maxmargin.rows.threads import for_blocks
from maxmargin.similarities import KERNELS
from maxmargin.smoothers.distances import SquaredDistances, squared_distances

DEFAULTS = {"degree": 3, "coef0": 1}  # of polynomial and sigmoid kernels
DISTANCE_KERNELS = ("rbf", "laplacian")
MEDIAN_SAMPLES = 1000  # samples whose pairs give the median distance
EXPONENT_ERROR = 1e-10  # of the radial kernel, and so its largest relative error


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

        radial = self.name == "rbf"
        fill = (self._radial if radial else self._by_scikit_learn)(X, Y, values)
        for_blocks(fill, X.shape[0])
        return values

    def _by_scikit_learn(self, X, Y, values: np.ndarray) -> Callable[[slice], None]:
        Y = Y.astype(np.float64, copy=False)  # products of single precision lose digits

        def fill(block: slice) -> None:
            rows = X[block].astype(np.float64, copy=False)
            values[block] = pairwise_kernels(
                rows, Y, metric=self.name, filter_params=True, **self.parameters
            )
            if not np.isfinite(values[block]).all():
                raise ValueError(
                    f"kernel={self.name!r} has infinite or undefined values on these "
                    "samples: scale the features or change the kernel's parameters."
                )

        return fill

    def _radial(self, X, Y, values: np.ndarray) -> Callable[[slice], None]:
        """Return a function that fills a block of ``exp(-g |x - y|^2)``."""
        gamma = self.parameters.get("gamma") or 1.0 / Y.shape[1]
        exponents = SquaredDistances(Y, factor=gamma, tolerance=EXPONENT_ERROR)

        def fill(block: slice) -> None:
            part = exponents(X[block])
            np.negative(part, out=part)
            np.exp(part, out=values[block])

        return fill

    def take(self, X, indices: np.ndarray) -> Any:
        """Return the given samples as a basis to compute kernel values with."""
        return np.asarray(indices) if self.precomputed else X[indices]


def make_kernel(
    name: str | Callable[..., float],
    X,
    *,
    gamma: float | str | None = "median",
    kernel_params: Mapping[str, Any] | None = None,
    random: np.random.RandomState,
) -> Kernel:
    """Return the kernel with its parameters set from the training samples.

    ``gamma="median"`` is for distance kernels; others have scikit-learn's default.
    ``"scale"`` is that of support vector machines, ``1 / (n_features variance)``.
    """
    check_kernel(name)
    check_gamma(gamma)
    check_kernel_params(name, kernel_params)
    if name == "precomputed":
        return Kernel(name)
    if callable(name):
        return Kernel(name, dict(kernel_params or {}))
    if gamma == "scale":
        gamma = scale_gamma(X)
    if gamma == "median":
        distance = name in DISTANCE_KERNELS
        gamma = median_gamma(X, name, random) if distance else None
    parameters = DEFAULTS | dict(kernel_params or {})
    if gamma is not None:
        parameters["gamma"] = gamma
    return Kernel(name, parameters)


def check_kernel(name: object) -> None:
    """Raise an error for an unknown kernel."""
    if not callable(name) and not (isinstance(name, str) and name in KERNELS):
        raise ValueError(
            f"kernel={name!r} is not known: use one of {KERNELS} or a function of two "
            "samples."
        )


def check_kernel_params(name: object, kernel_params: Any) -> None:
    """Raise an error if a kernel of scikit-learn is given a parameter it has not.

    Its width is a parameter of the estimators, and not among these.
    """
    if not kernel_params or callable(name):
        return
    known = sorted(set(KERNEL_PARAMS.get(name, ())) - {"gamma"})
    for given in kernel_params:
        if given == "gamma" and "gamma" in KERNEL_PARAMS.get(name, ()):
            raise ValueError("kernel_params has gamma: use the parameter gamma.")
        if given not in known:
            cure = f"it has {' and '.join(known)}" if known else "it has none"
            raise ValueError(
                f"kernel_params has {given!r}, which kernel={name!r} does not know: "
                f"{cure}."
            )


def check_gamma(gamma: object) -> None:
    """Raise an error for an invalid ``gamma``."""
    if gamma is None or (isinstance(gamma, str) and gamma in ("median", "scale")):
        return
    number = isinstance(gamma, numbers.Real) and not isinstance(gamma, bool)
    if not number or not 0 < float(gamma) < np.inf:  # type: ignore[arg-type]
        raise ValueError(
            f"gamma={gamma!r} must be 'median', 'scale' or a positive number."
        )


def median_gamma(X, kernel: str, random: np.random.RandomState) -> float:
    """Return ``gamma`` from the median distance between samples.

    For ``"rbf"`` it is ``1 / (2 median squared distance)``, so that two samples at the
    median distance have similarity ``exp(-1/2)``; for ``"laplacian"`` it is
    ``1 / (2 median Manhattan distance)``. Pairs of equal samples are left out. Beyond
    1000 samples a random part is used. A single sample has no distance, and any width.
    """
    n_samples = X.shape[0]
    if n_samples == 1:
        return 1.0
    if n_samples > MEDIAN_SAMPLES:
        X = X[np.sort(random.choice(n_samples, MEDIAN_SAMPLES, replace=False))]
    if kernel == "laplacian":
        distances = manhattan_distances(X)
    else:
        distances = squared_distances(X, X)
    pairs = distances[np.triu_indices(len(distances), 1)]
    pairs = pairs[pairs > np.finfo(float).tiny]
    if len(pairs) == 0:
        raise ValueError("All samples are equal, or too close to be distinguished.")
    return float(1.0 / (2.0 * np.median(pairs)))


def scale_gamma(X) -> float:
    """Return ``1 / (n_features variance)``, with the variance of all values."""
    if sp.issparse(X):
        size, stored = X.shape[0] * X.shape[1], X.data.astype(np.float64)
        mean = stored.sum() / size
        squares = np.sum((stored - mean) ** 2) + (size - len(stored)) * mean**2
        variance = squares / size
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
