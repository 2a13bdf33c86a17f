"""The smoother from the whole kernel matrix."""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import get_lapack_funcs

from maxmargin.kernels.degrees_of_freedom import Spectrum, estimate_spectrum
from maxmargin.kernels.feature_map import KernelColumns
from maxmargin.kernels.kernel import Kernel
from maxmargin.kernels.memory import available_memory, format_bytes
from maxmargin.kernels.mirror import mirror_upper
from maxmargin.kernels.smoother import Ridge, WholeSmoother


@dataclass(frozen=True)
class ExactSmoother(WholeSmoother):
    """``S = W^1/2 (I - a (W^1/2 K W^1/2 + a I)^-1) W^1/2``, kept as it is.

    The coefficients need no second factorisation: ``C = (W Z - S Z) / a``.
    """

    def coefficients(self, targets: np.ndarray) -> np.ndarray:  # noqa: D102
        return (self.weights[:, None] * targets - self.dot(targets)) / self.alpha


def exact_smoother(
    kernel: Kernel,
    X,
    weights: np.ndarray,
    indices: np.ndarray,
    ridge: Ridge,
    n_threads: int = 1,
) -> ExactSmoother:
    """Build the smoother on the samples ``X[indices]`` from a Cholesky factor.

    One matrix of n x n is kept and worked on in place: kernel, factor, inverse, result.
    """
    n_samples = len(indices)
    check_memory(n_samples)
    basis = kernel.take(X, indices)
    root = np.sqrt(weights)
    values = kernel(X[indices], basis, n_threads)
    values *= root[:, None]
    values *= root
    spectrum = estimate_spectrum(values)
    if kernel.precomputed:
        _check_semidefinite(spectrum)
    alpha = ridge.solve(spectrum, n_samples)
    values.flat[:: n_samples + 1] += alpha
    invert_in_place(values)
    values *= -alpha
    values.flat[:: n_samples + 1] += 1.0
    values *= root[:, None]
    values *= root
    return ExactSmoother(KernelColumns(kernel, basis), weights, alpha, values)


def invert_in_place(values: np.ndarray) -> None:
    """Replace a symmetric positive definite matrix by its inverse."""
    factor, invert = get_lapack_funcs(("potrf", "potri"), (values,))
    # LAPACK counts columns first: the lower half of the transpose is our upper half.
    _, info = factor(values.T, lower=True, overwrite_a=True, clean=False)
    if info != 0:
        raise ValueError(
            "The kernel matrix is not positive semidefinite: its Cholesky factor broke "
            f"down at row {info}. Use a positive semidefinite kernel or raise alpha."
        )
    invert(values.T, lower=True, overwrite_c=True)
    mirror_upper(values)


def check_memory(n_samples: int, allowed: float | None = None) -> None:
    """Refuse an exact kernel that does not fit into what is allowed, or free."""
    allowed = available_memory() if allowed is None else allowed
    needed = 3 * 8 * n_samples**2
    if needed > allowed:
        raise ValueError(
            f"The exact kernel of {n_samples} samples needs about "
            f"{format_bytes(needed)} and {format_bytes(allowed)} are free: "
            "use landmarks='auto' or landmarks=1000."
        )


def _check_semidefinite(spectrum: Spectrum) -> None:
    smallest, largest = spectrum.values.min(), spectrum.values.max()
    if smallest < -1e-6 * max(largest, 0.0):
        raise ValueError(
            "A precomputed kernel must be positive semidefinite, and the smallest "
            f"eigenvalue of this one is {smallest:.3g}: add {-smallest:.3g} to its "
            "diagonal, or use another kernel."
        )
