"""Tables of samples of all kinds, each described by a small recipe."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st
from sklearn.metrics.pairwise import linear_kernel, rbf_kernel

SHAPES = ("blobs", "noise", "grid", "tails", "counts", "line")
CONTAINERS = {
    "array": np.asarray,
    "float32": lambda X: X.astype(np.float32),
    "fortran": np.asfortranarray,
    "list": lambda X: X.tolist(),
    "csr_matrix": sp.csr_matrix,
    "csc_array": sp.csc_array,
    "coo_matrix": sp.coo_matrix,
}
SPARSE = ("csr_matrix", "csc_array", "coo_matrix")
WEIGHTS = ("none", "ones", "integers", "zeros", "floats", "small")

try:
    import pandas

    CONTAINERS["frame"] = lambda X: pandas.DataFrame(
        X, columns=[f"column {number}" for number in range(X.shape[1])]
    )
except ImportError:
    pass


@dataclass(frozen=True)
class Recipe:
    """How to make a table; equal recipes make equal tables."""

    shape: str
    n_rows: int
    n_features: int
    constant: bool  # whether a column of equal values is added
    repeated: bool  # whether a third of the rows repeat others
    shift: float
    scale: float
    container: str
    weights: str
    seed: int

    def rows(self):
        """Return the values as a dense array."""
        random = np.random.RandomState(self.seed)
        size = self.n_rows, self.n_features
        if self.shape == "blobs":
            centers = 6 * random.randn(3, self.n_features)
            X = centers[random.randint(3, size=self.n_rows)] + random.randn(*size)
        elif self.shape == "noise":
            X = random.randn(*size)
        elif self.shape == "grid":
            X = random.randint(3, size=size).astype(float)
        elif self.shape == "tails":
            X = random.standard_cauchy(size)
        elif self.shape == "counts":
            X = random.poisson(0.1, (self.n_rows, 8 * self.n_features)).astype(float)
        else:
            X = np.outer(np.linspace(0, 1, self.n_rows), random.randn(self.n_features))
        if self.shape not in ("counts", "grid"):
            X = self.scale * X + self.shift
        if self.constant:
            X = np.column_stack([np.full(self.n_rows, self.shift), X])
        if self.repeated:
            X[random.randint(self.n_rows, size=self.n_rows // 3)] = X[0]
        return X.astype(np.float32).astype(float) if self.single else X

    @property
    def single(self):
        return self.container == "float32"

    def sample_weight(self):
        """Return the weights, or None."""
        random = np.random.RandomState(self.seed + 1)
        if self.weights == "none":
            return None
        if self.weights == "ones":
            return np.ones(self.n_rows)
        if self.weights in ("integers", "zeros"):
            low = 0 if self.weights == "zeros" else 1
            weights = random.randint(low, 4, self.n_rows)
            weights[:2] += 1  # not all zero
            return weights
        factor = 1e-6 if self.weights == "small" else 1.0
        return factor * random.uniform(0.5, 2.0, self.n_rows)

    def contain(self, X):
        return CONTAINERS[self.container](X)


def recipes(weights=WEIGHTS):
    return st.builds(
        Recipe,
        shape=st.sampled_from(SHAPES),
        n_rows=st.sampled_from((2, 3, 5, 8, 12, 17, 24, 31, 40)),
        n_features=st.sampled_from((1, 2, 3, 4)),
        constant=st.booleans(),
        repeated=st.booleans(),
        shift=st.sampled_from((0.0, 0.0, -3.0, 1e4)),
        scale=st.sampled_from((1.0, 1.0, 1e-5, 1e5)),
        container=st.sampled_from(tuple(CONTAINERS)),
        weights=st.sampled_from(weights),
        seed=st.integers(0, 999),
    )


def kernel_matrix(X, kind):
    """Return a kernel matrix of samples for ``kernel="precomputed"``."""
    if kind == "linear":
        return linear_kernel(X)
    spread = max(X.var(axis=0).sum(), np.finfo(float).tiny)
    return rbf_kernel(X, gamma=0.5 / spread)
