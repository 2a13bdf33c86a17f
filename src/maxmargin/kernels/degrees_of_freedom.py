"""Degrees of freedom and ridge: one follows from the other.

The smoother ``R = K (K + a I)^-1`` has the effective number of parameters
``tr(R) = sum_i l_i / (l_i + a)`` with the eigenvalues ``l_i`` of ``K``. It falls from
the rank of ``K`` to zero as the ridge ``a`` grows, so that each value has one ridge.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh_tridiagonal, eigvalsh
from scipy.optimize import brentq

AUTO_SHARE = 0.2
EXACT_SIZE = 400  # up to here all eigenvalues cost nothing
N_PROBES = 6
N_STEPS = 40


class Spectrum(NamedTuple):
    """Eigenvalues, each with the number of times that it counts."""

    values: np.ndarray
    counts: np.ndarray

    def rank(self) -> float:
        """Return how many eigenvalues differ from zero by more than rounding."""
        floor = 1e-10 * max(self.values.max(initial=0.0), 0.0)
        return float(self.counts[self.values > floor].sum())

    def trace_of_smoother(self, alpha: float) -> float:
        """Return ``sum_i l_i / (l_i + alpha)``."""
        values = np.maximum(self.values, 0.0)
        return float(self.counts @ (values / (values + alpha)))


def estimate_spectrum(K: np.ndarray) -> Spectrum:
    """Estimate the eigenvalues of a symmetric matrix from some products with it.

    Small matrices are diagonalised. For others, Lanczos quadrature: from a random sign
    vector ``v`` the Lanczos process builds a small tridiagonal matrix, whose
    eigenvalues and first components give ``v' f(K) v`` for every smooth ``f``, and
    ``E v' f(K) v = tr f(K)`` [1]_. This takes ``N_PROBES * N_STEPS`` products, little
    beside the ``n / 3`` of a Cholesky factor.

    References
    ----------
    .. [1] Ubaru, Chen, Saad. Fast estimation of tr(f(A)) via stochastic Lanczos
       quadrature. SIAM J. Matrix Anal. Appl. 38(4), 2017. doi:10.1137/16M1104974
    """
    n = len(K)
    if n <= EXACT_SIZE:
        values = eigvalsh(K)
        return Spectrum(values, np.ones(n))
    diagonals, off_diagonals = _lanczos(K)
    nodes, counts = [], []
    for diagonal, off_diagonal in zip(diagonals.T, off_diagonals.T, strict=True):
        values, vectors = eigh_tridiagonal(diagonal, off_diagonal[:-1])
        nodes.append(values)
        counts.append(vectors[0] ** 2 * (n / N_PROBES))
    return Spectrum(np.concatenate(nodes), np.concatenate(counts))


def _lanczos(K: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Run Lanczos with full reorthogonalisation, all probes side by side."""
    n = len(K)
    random = np.random.RandomState(0)  # the ridge is no place for chance
    vectors = random.choice([-1.0, 1.0], size=(n, N_PROBES)) / np.sqrt(n)
    basis = np.empty((N_STEPS, n, N_PROBES))
    diagonals = np.zeros((N_STEPS, N_PROBES))
    off_diagonals = np.zeros((N_STEPS, N_PROBES))
    for step in range(N_STEPS):
        basis[step] = vectors
        product = K @ vectors
        diagonals[step] = np.einsum("ns,ns->s", vectors, product)
        for _ in range(2):  # twice is enough
            for s in range(N_PROBES):
                past = basis[: step + 1, :, s]
                product[:, s] -= past.T @ (past @ product[:, s])
        norms = np.linalg.norm(product, axis=0)
        off_diagonals[step] = norms
        vectors = product / np.maximum(norms, np.finfo(float).tiny)
    return diagonals, off_diagonals


def choose_degrees(wish: float | str, spectrum: Spectrum, n_samples: int) -> float:
    """Return the trace to reach, from a share of the samples, a number, or "auto".

    ``"auto"`` is a tenth of the samples, and at most half of the rank of the kernel,
    so that with few features, too, the ridge has something to do.
    """
    rank = spectrum.rank()
    if isinstance(wish, str):
        return min(AUTO_SHARE * n_samples, rank / 2)
    target = wish * n_samples if wish < 1 else float(wish)
    if target >= rank:
        raise ValueError(
            f"degrees_of_freedom={wish!r} asks for {target:.4g}, but the kernel matrix "
            f"has rank {rank:.4g}: give less, or a kernel with more features."
        )
    return target


def solve_alpha(target: float, spectrum: Spectrum) -> float:
    """Return the ridge at which the smoother has the target trace."""
    largest = spectrum.values.max(initial=0.0)
    if largest <= 0 or target <= 0:
        raise ValueError(
            "The kernel matrix is zero: all samples look alike to this kernel."
        )
    low, high = np.log(largest * 1e-14), np.log(largest * spectrum.counts.sum() * 1e4)

    def excess(log_alpha: float) -> float:
        return spectrum.trace_of_smoother(np.exp(log_alpha)) - target

    if excess(low) < 0:
        return float(np.exp(low))
    if excess(high) > 0:
        return float(np.exp(high))
    return float(np.exp(brentq(excess, low, high, xtol=1e-6)))
