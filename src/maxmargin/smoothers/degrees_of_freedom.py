"""The ridge parameter from the degrees of freedom.

The smoother ``R = K (K + a I)^-1`` has the effective number of parameters
``tr(R) = sum_i l_i / (l_i + a)`` with the eigenvalues ``l_i`` of ``K``. It falls from
the rank of ``K`` to zero as the ridge parameter ``a`` grows, so that one determines the
other.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import eigh_tridiagonal, eigvalsh, qr
from scipy.optimize import brentq

AUTO_SHARE = 0.2
AUTO_MAX = 400
EXACT_SIZE = 400  # up to this size all eigenvalues are computed
N_LEADING = 50
N_PROBES = 6
N_STEPS = 20


class Spectrum(NamedTuple):
    """Eigenvalues with their multiplicities."""

    values: np.ndarray
    counts: np.ndarray

    def rank(self) -> float:
        """Return the number of eigenvalues that are not zero up to rounding.

        Negative ones show how large rounding is, of single precision for example.
        """
        largest = max(self.values.max(initial=0.0), 0.0)
        floor = max(1e-10 * largest, -float(self.values.min(initial=0.0)))
        return float(self.counts[self.values > floor].sum())

    def trace_of_smoother(self, alpha: float) -> float:
        """Return ``sum_i l_i / (l_i + alpha)``."""
        values = np.maximum(self.values, 0.0)
        return float(self.counts @ (values / (values + alpha)))


@dataclass(frozen=True)
class Ridge:
    """The regularisation: a ridge parameter, or the degrees of freedom.

    ``degrees_of_freedom`` is a share of the samples below 1, a number >= 1, or
    ``"auto"``, then limited to ``max_auto``. It is ignored if ``alpha`` is given.
    """

    alpha: float | None = None
    degrees_of_freedom: float | str = "auto"
    max_auto: float = np.inf

    def solve(self, spectrum: Spectrum, n_samples: int) -> float:
        """Return the ridge parameter for a kernel matrix with these eigenvalues."""
        if self.alpha is not None:
            return self.alpha
        target = choose_degrees(self.degrees_of_freedom, spectrum, n_samples)
        if isinstance(self.degrees_of_freedom, str):
            target = min(target, self.max_auto)
        return solve_alpha(target, spectrum)

    def expected_degrees(self, n_samples: int) -> float:
        """Return the degrees of freedom expected before the eigenvalues are known."""
        degrees = self.degrees_of_freedom
        if self.alpha is not None or isinstance(degrees, str):
            return min(auto_degrees(n_samples), self.max_auto)
        return count_degrees(degrees, n_samples)


def count_degrees(degrees: float, n_samples: int) -> float:
    """Return degrees of freedom as a number, from a share below 1 or a number."""
    return degrees * n_samples if degrees < 1 else float(degrees)


def auto_degrees(n_samples: int) -> float:
    """Return a fifth of the number of samples, at most 400."""
    return min(AUTO_SHARE * n_samples, AUTO_MAX)


def choose_degrees(degrees: float | str, spectrum: Spectrum, n_samples: int) -> float:
    """Return the trace of the smoother, from a share, a number or "auto".

    ``"auto"`` is `auto_degrees`, at most half of the rank of the kernel, so that the
    ridge regularises with few features, too.
    """
    rank = spectrum.rank()
    if isinstance(degrees, str):
        return min(auto_degrees(n_samples), rank / 2)
    target = count_degrees(degrees, n_samples)
    if target >= rank:
        raise ValueError(
            f"degrees_of_freedom={degrees!r} is {target:.4g}, but the kernel matrix "
            f"has rank {rank:.4g}: give less, or a kernel with more features."
        )
    return target


def solve_alpha(target: float, spectrum: Spectrum) -> float:
    """Return the ridge parameter for which the smoother has the target trace."""
    largest = spectrum.values.max(initial=0.0)
    if largest <= 0 or target <= 0:
        raise ValueError(
            "The kernel matrix is zero: all samples look alike to this kernel."
        )
    low, high = largest * 1e-14, largest * spectrum.counts.sum() * 1e4
    return solve_on_log_scale(
        lambda alpha: spectrum.trace_of_smoother(alpha) - target,
        np.log(low),
        np.log(high),
        xtol=1e-6,
    )


def solve_penalty(
    target: float,
    values: np.ndarray,
    counts: np.ndarray | None = None,
    bounds: tuple[float, float] = (-20.0, 40.0),
) -> float:
    """Return the penalty b with ``sum_i 1 / (1 + b l_i) = target``.

    That is the trace of ``(I + b L)^-1`` for a matrix ``L`` with the given eigenvalues
    and multiplicities. ``bounds`` are those of ``log b``.
    """

    def excess(penalty: float) -> float:
        terms = 1.0 / (1.0 + penalty * values)
        return float((terms.sum() if counts is None else counts @ terms) - target)

    return solve_on_log_scale(excess, *bounds)


def solve_on_log_scale(
    function: Callable[[float], float], low: float, high: float, xtol: float = 2e-12
) -> float:
    """Return the root x of a decreasing function, with ``log x`` in [low, high].

    Where the function has no root in the interval, the nearer end is returned.
    """
    if function(np.exp(low)) <= 0:
        return float(np.exp(low))
    if function(np.exp(high)) >= 0:
        return float(np.exp(high))
    return float(np.exp(brentq(lambda t: function(np.exp(t)), low, high, xtol=xtol)))


def estimate_spectrum(K: np.ndarray) -> Spectrum:
    """Estimate the eigenvalues of a symmetric matrix from some products with it.

    Small matrices are diagonalised. For others, the leading eigenvalues are those on a
    subspace found by two products with random vectors. The rest come from Lanczos
    quadrature: from a random sign vector ``v`` orthogonal to the subspace, the Lanczos
    process builds a small tridiagonal matrix, whose eigenvalues and first components
    give ``v' f(K) v`` for every smooth ``f``, and ``E v' f(K) v`` is the trace of
    ``f(K)`` on the complement [1]_. Removing the leading part first keeps the variance
    small [2]_. All this takes some hundred products with vectors, little compared with
    the ``n / 2`` of a Cholesky factor and its inverse.

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
    random = np.random.RandomState(0)  # fixed seed: alpha must be deterministic
    signs = random.choice([-1.0, 1.0], size=(n, N_LEADING + N_PROBES))
    subspace = qr(K @ (K @ signs[:, :N_LEADING]), mode="economic")[0]
    leading = eigvalsh(subspace.T @ (K @ subspace))
    probes = signs[:, N_LEADING:]
    probes = probes - subspace @ (subspace.T @ probes)
    mass = np.einsum("ns,ns->s", probes, probes)
    rest = lanczos_quadrature(K, probes / np.sqrt(mass), mass, N_STEPS, subspace)
    return Spectrum(
        np.concatenate([leading, rest.values]),
        np.concatenate([np.ones(N_LEADING), rest.counts]),
    )


def lanczos_quadrature(
    matrix: Any,
    vectors: np.ndarray,
    mass: np.ndarray,
    n_steps: int,
    subspace: np.ndarray | None = None,
) -> Spectrum:
    """Return the nodes and weights of Lanczos quadrature from several unit vectors.

    With ``subspace``, all vectors are kept orthogonal to it and to each other. Without,
    there is the three-term recurrence alone: orthogonality that rounding loses does not
    affect the quadrature.
    """
    n_probes = vectors.shape[1]
    diagonals, off_diagonals = np.zeros((2, n_steps, n_probes))
    basis = np.empty((n_steps if subspace is not None else 0, *vectors.shape))
    previous = np.zeros_like(vectors)
    for step in range(n_steps):
        product = matrix @ vectors
        if subspace is None:
            product -= previous * off_diagonals[step - 1]
        diagonals[step] = np.einsum("ns,ns->s", vectors, product)
        if subspace is None:
            product -= vectors * diagonals[step]
        else:
            basis[step] = vectors
            _orthogonalise(product, subspace, basis[: step + 1])
        off_diagonals[step] = np.linalg.norm(product, axis=0)
        previous = vectors
        vectors = product / np.maximum(off_diagonals[step], np.finfo(float).tiny)
    nodes, counts = [], []
    for s in range(n_probes):
        values, rotation = eigh_tridiagonal(diagonals[:, s], off_diagonals[:-1, s])
        nodes.append(values)
        counts.append(rotation[0] ** 2 * mass[s] / n_probes)
    return Spectrum(np.concatenate(nodes), np.concatenate(counts))


def _orthogonalise(product: np.ndarray, subspace: np.ndarray, basis) -> None:
    """Make vectors orthogonal to a subspace and to their predecessors, in place."""
    for _ in range(2):  # orthogonalised twice is enough
        product -= subspace @ (subspace.T @ product)
        for s in range(product.shape[1]):
            past = basis[:, :, s]
            product[:, s] -= past.T @ (past @ product[:, s])
