"""Samples brought to standard form: mean zero, mean squared norm one.

Methods that work on them do not see a shift, a rotation or a change of scale of the
samples, and a constant of theirs means the same for every data set.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp


@dataclass(frozen=True)
class StandardFeatures:
    """The map ``f_i = W'(z_i - mean) / scale + b`` for samples z_i, dense or CSR.

    The coefficients v hold k columns: first W (d x k), then b (k). Centring is done on
    the products, so that sparse samples stay sparse.
    """

    samples: Any  # (n, d)
    shares: np.ndarray  # (n,), weights that add up to one
    mean: np.ndarray  # (d,)
    scale: float
    n_columns: int = 1

    @property
    def n_coefficients(self) -> int:
        """Return the length of v."""
        return (len(self.mean) + 1) * self.n_columns

    def decide(self, v: np.ndarray) -> np.ndarray:
        """Return the decision values (n,), or (n, k) for several columns."""
        W, b = self.split(v)
        W = W / self.scale
        f = self.samples @ W + (b - self.mean @ W)
        return f[:, 0] if self.n_columns == 1 else f

    def collect(self, g: np.ndarray) -> np.ndarray:
        """Return the derivative with respect to v, given that to the values."""
        g = g.reshape(len(g), self.n_columns)
        total = g.sum(axis=0)
        W = (self.samples.T @ g - np.outer(self.mean, total)) / self.scale
        return np.concatenate([W.ravel(), total])

    def split(self, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return W and b."""
        W = v[: -self.n_columns].reshape(len(self.mean), self.n_columns)
        return W, v[-self.n_columns :]

    def plain(self, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return coefficients and offsets for samples as they are."""
        W, b = self.split(v)
        W = W / self.scale
        return W, b - self.mean @ W

    def with_columns(self, n_columns: int) -> "StandardFeatures":
        """Return the same samples for another number of columns."""
        return replace(self, n_columns=n_columns)

    def take(self, rows: np.ndarray) -> "StandardFeatures":
        """Return some of the samples, in the same standard form."""
        shares = self.shares[rows]
        return replace(self, samples=self.samples[rows], shares=shares / shares.sum())

    def squared_norms(self) -> np.ndarray:
        """Return the squared distances from the mean, in units of the scale."""
        return _squared_norms(self.samples, self.mean) / self.scale**2


def standardise(samples, weights: np.ndarray, n_columns: int = 1) -> StandardFeatures:
    """Return the standard form of samples with weights."""
    shares = weights / weights.sum()
    mean = np.asarray(samples.T @ shares)
    scale = float(np.sqrt(shares @ _squared_norms(samples, mean)))
    if scale <= 1e-12 * np.linalg.norm(mean):
        raise ValueError(
            "All samples are equal in the space of the kernel: there is nothing to "
            "cluster. Use another kernel, or check how it was made."
        )
    return StandardFeatures(samples, shares, mean, scale, n_columns)


def _squared_norms(samples, mean: np.ndarray) -> np.ndarray:
    """Return squared distances from the mean."""
    if sp.issparse(samples):
        squares = np.asarray(samples.multiply(samples).sum(axis=1)).ravel()
        return np.maximum(squares - 2.0 * (samples @ mean) + mean @ mean, 0.0)
    norms = np.empty(len(samples))
    for start in range(0, len(samples), 4096):
        block = samples[start : start + 4096] - mean
        norms[start : start + 4096] = np.einsum("ij,ij->i", block, block)
    return norms
