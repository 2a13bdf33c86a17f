"""Degrees of freedom and ridge: one follows from the other.

The smoother ``R = K (K + a I)^-1`` has the effective number of parameters
``tr(R) = sum_i l_i / (l_i + a)`` with the eigenvalues ``l_i`` of ``K``. It falls from
the rank of ``K`` to zero as the ridge ``a`` grows, so that each value has one ridge.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh_tridiagonal, eigvalsh, qr
from scipy.optimize import brentq

AUTO_SHARE = 0.2
AUTO_MOST = 400
EXACT_SIZE = 400  # up to here all eigenvalues cost nothing
N_LEADING = 50
N_PROBES = 6
N_STEPS = 20


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

    Small matrices are diagonalised. For others, two parts. The leading eigenvalues are
    those on a subspace that two products with random vectors have found. The rest come
    from Lanczos quadrature: from a random sign vector ``v`` orthogonal to the subspace,
    the Lanczos process builds a small tridiagonal matrix, whose eigenvalues and first
    components give ``v' f(K) v`` for every smooth ``f``, and ``E v' f(K) v`` is the
    trace of ``f(K)`` on the complement [1]_. To take the leading part out first keeps
    the variance small [2]_. All this is some hundred products with vectors, little
    beside the ``n / 2`` of a Cholesky factor and its inverse.

    References
    ----------
    .. [1] Ubaru, Chen, Saad. Fast estimation of tr(f(A)) via stochastic Lanczos
       quadrature. SIAM J. Matrix Anal. Appl. 38(4), 2017. doi:10.1137/16M1104974
    .. [2] Meyer, Musco, Musco, Woodruff. Hutch++: optimal stochastic trace estimation.
       SOSA 2021. doi:10.1137/1.9781611976496.16
    """
    n = len(K)
    if n <= EXACT_SIZE:
        return Spectrum(eigvalsh(K), np.ones(n))
    random = np.random.RandomState(0)  # the ridge is no place for chance
    signs = random.choice([-1.0, 1.0], size=(n, N_LEADING + N_PROBES))
    subspace = qr(K @ (K @ signs[:, :N_LEADING]), mode="economic")[0]
    leading = eigvalsh(subspace.T @ (K @ subspace))
    probes = signs[:, N_LEADING:]
    probes = probes - subspace @ (subspace.T @ probes)
    mass = np.einsum("ns,ns->s", probes, probes)
    diagonals, off_diagonals = _lanczos(K, probes / np.sqrt(mass), subspace)
    nodes, counts = [leading], [np.ones(N_LEADING)]
    for s in range(N_PROBES):
        values, vectors = eigh_tridiagonal(diagonals[:, s], off_diagonals[:-1, s])
        nodes.append(values)
        counts.append(vectors[0] ** 2 * mass[s] / N_PROBES)
    return Spectrum(np.concatenate(nodes), np.concatenate(counts))


def _lanczos(
    K: np.ndarray, vectors: np.ndarray, subspace: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Run Lanczos from several vectors side by side, orthogonally to a subspace."""
    n, n_probes = vectors.shape
    basis = np.empty((N_STEPS, n, n_probes))
    diagonals = np.zeros((N_STEPS, n_probes))
    off_diagonals = np.zeros((N_STEPS, n_probes))
    for step in range(N_STEPS):
        basis[step] = vectors
        product = K @ vectors
        diagonals[step] = np.einsum("ns,ns->s", vectors, product)
        for _ in range(2):  # orthogonalised twice is enough
            product -= subspace @ (subspace.T @ product)
            for s in range(n_probes):
                past = basis[: step + 1, :, s]
                product[:, s] -= past.T @ (past @ product[:, s])
        off_diagonals[step] = np.linalg.norm(product, axis=0)
        vectors = product / np.maximum(off_diagonals[step], np.finfo(float).tiny)
    return diagonals, off_diagonals


def count_degrees(wish: float, n_samples: int) -> float:
    """Return degrees of freedom as a number, from a share below 1 or a number."""
    return wish * n_samples if wish < 1 else float(wish)


def auto_degrees(n_samples: int) -> float:
    """Return a fifth of the samples, but no more than are of use however many come."""
    return min(AUTO_SHARE * n_samples, AUTO_MOST)


def choose_degrees(wish: float | str, spectrum: Spectrum, n_samples: int) -> float:
    """Return the trace to reach, from a share of the samples, a number, or "auto".

    ``"auto"`` is `auto_degrees`, and at most half of the rank of the kernel, so that
    with few features, too, the ridge has something to do.
    """
    rank = spectrum.rank()
    if isinstance(wish, str):
        return min(auto_degrees(n_samples), rank / 2)
    target = count_degrees(wish, n_samples)
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
