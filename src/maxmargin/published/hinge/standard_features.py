"""Samples in standard form: mean zero and mean squared norm one.

A method that works on the standard form is invariant to shifts, rotations and changes
of scale of the samples, and its parameters mean the same for every data set.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.linalg import eigh
from scipy.sparse.linalg import LinearOperator, eigsh

from maxmargin.rows.sample import squared_norms
from maxmargin.smoothers.distances import central_point, shift

# Below these ratios of deviation and mean, products with the samples lose too many
# digits, and deviations are rounding errors.
FAR = 1e-6
EQUAL = 1e-12


class LinearFunctions(NamedTuple):
    """The functions ``x' coefficients + offsets``, one for each column."""

    coefficients: np.ndarray  # (d, k)
    offsets: np.ndarray  # (k,)

    def with_negative(self) -> "LinearFunctions":
        """Return the decision functions -f and f of two clusters, from f alone."""
        W, b = self.coefficients, self.offsets
        return LinearFunctions(np.concatenate([-W, W], axis=1), np.concatenate([-b, b]))


@dataclass(frozen=True)
class StandardFeatures:
    """The map ``f_i = W'(z_i - mean) / scale + b`` for samples z_i, dense or CSR.

    It is linear in the coefficients v, which hold W (d x k) and then b (k) for k
    functions. In the docstrings of this folder A is its matrix, ``f = A v``. The mean
    is subtracted from products with the samples, so that sparse samples stay sparse.
    """

    samples: Any  # (n, d)
    shares: np.ndarray  # (n,), weights that add up to one
    mean: np.ndarray  # (d,)
    scale: float
    n_functions: int = 1
    origin: np.ndarray | float = 0.0  # subtracted from the original samples

    @property
    def n_coefficients(self) -> int:
        """Return the length of v."""
        return (len(self.mean) + 1) * self.n_functions

    def decide(self, v: np.ndarray) -> np.ndarray:
        """Return the decision values ``A v``, (n,) for one function, else (n, k)."""
        W, b = self.standard_units(v)
        W = W / self.scale
        f = self.samples @ W + (b - self.mean @ W)
        return f[:, 0] if self.n_functions == 1 else f

    def transpose_dot(self, g: np.ndarray) -> np.ndarray:
        """Return ``A'g``: the gradient by v, given the gradient g by the values."""
        g = g.reshape(len(g), self.n_functions)
        total = g.sum(axis=0)
        W = (self.samples.T @ g - np.outer(self.mean, total)) / self.scale
        return np.concatenate([W.ravel(), total])

    def standard_units(self, v: np.ndarray) -> LinearFunctions:
        """Return W and b, the functions of samples in standard form."""
        k = self.n_functions
        return LinearFunctions(v[:-k].reshape(len(self.mean), k), v[-k:])

    def original_units(self, v: np.ndarray) -> LinearFunctions:
        """Return the same functions, of samples in their original form."""
        W, b = self.standard_units(v)
        W = W / self.scale
        return LinearFunctions(W, b - (self.mean + self.origin) @ W)

    def with_functions(self, n_functions: int) -> "StandardFeatures":
        """Return the same samples for another number of functions."""
        return replace(self, n_functions=n_functions)

    def take(self, rows: np.ndarray) -> "StandardFeatures":
        """Return a subset of the samples, with the mean and scale of all."""
        shares = self.shares[rows]
        return replace(self, samples=self.samples[rows], shares=shares / shares.sum())

    def squared_norms(self) -> np.ndarray:
        """Return the squared norms of the samples in standard form."""
        return _squared_distances(self.samples, self.mean) / self.scale**2


def standardise(samples, weights: np.ndarray) -> StandardFeatures:
    """Return the standard form of weighted samples, for one function."""
    shares = weights / weights.sum()
    features = _standard_form(samples, shares)
    if features.scale > FAR * np.linalg.norm(features.mean):
        return features
    origin = central_point(samples)
    near = shift(samples, origin)
    deviations = np.sqrt(_squares(near).T @ shares)
    if np.all(deviations <= EQUAL * np.abs(origin)):
        raise ValueError(
            "All samples are equal in the feature space of the kernel, so there is "
            "nothing to cluster: use another kernel or other kernel parameters."
        )
    return replace(_standard_form(near, shares), origin=origin)


def _standard_form(samples, shares: np.ndarray) -> StandardFeatures:
    mean = np.asarray(samples.T @ shares)
    scale = float(np.sqrt(shares @ _squared_distances(samples, mean)))
    return StandardFeatures(samples, shares, mean, scale)


def _squares(samples):
    return samples.multiply(samples) if sp.issparse(samples) else samples**2


def _squared_distances(samples, mean: np.ndarray) -> np.ndarray:
    """Return the squared distance of each sample from the mean."""
    if sp.issparse(samples):
        squares = squared_norms(samples)
        return np.maximum(squares - 2.0 * (samples @ mean) + mean @ mean, 0.0)
    norms = np.empty(len(samples))
    for start in range(0, len(samples), 4096):
        block = slice(start, start + 4096)
        norms[block] = squared_norms(samples[block] - mean)
    return norms


class PrincipalDirections(NamedTuple):
    """Principal directions of samples in standard form, by decreasing variance.

    The variances of all directions add up to one. Each direction points to the side
    with positive skewness, so that it rotates with the samples.
    """

    variances: np.ndarray  # (m,)
    axes: np.ndarray  # (d, m)

    def starts(
        self, n_init: int, random: np.random.RandomState
    ) -> Iterator[np.ndarray]:
        """Yield the directions one by one, then random combinations of them."""
        spreads = np.sqrt(self.variances)
        for start in range(n_init):
            if start < len(spreads):
                mixture = np.eye(len(spreads))[start]
            else:
                mixture = random.randn(len(spreads)) * spreads
                mixture /= np.linalg.norm(mixture)
            yield self.axes @ mixture / spreads[0]


def principal_directions(
    features: StandardFeatures, n_directions: int, random: np.random.RandomState
) -> PrincipalDirections:
    """Return at most ``n_directions`` principal directions of positive variance."""
    d = len(features.mean)
    one = features.with_functions(1)

    def covariance_dot(u: np.ndarray) -> np.ndarray:
        f = one.decide(np.append(u.ravel(), 0.0))
        return one.transpose_dot(features.shares * f)[:-1]

    if d <= 4 * n_directions + 20:
        variances, axes = eigh(np.stack([covariance_dot(u) for u in np.eye(d)]))
    else:
        # A random combination of the samples, which rotates with them.
        noise = random.randn(len(features.shares))
        start = one.transpose_dot(features.shares * noise)[:-1]
        operator = LinearOperator((d, d), matvec=covariance_dot, dtype=np.float64)
        variances, axes = eigsh(operator, k=n_directions, v0=start, tol=1e-8)
    order = np.argsort(variances)[::-1][:n_directions]
    variances, axes = variances[order], axes[:, order]
    kept = variances > 1e-12 * variances[0]
    variances, axes = variances[kept], axes[:, kept]
    for column in range(axes.shape[1]):
        f = one.decide(np.append(axes[:, column], 0.0))
        if features.shares @ f**3 < 0.0:
            axes[:, column] *= -1.0
    return PrincipalDirections(variances, axes)
