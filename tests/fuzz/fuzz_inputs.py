"""Tables of samples of all kinds, each described by a small recipe."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st
from sklearn.datasets import load_digits, make_moons
from sklearn.metrics.pairwise import linear_kernel, rbf_kernel

CLEAR = {"apart": 3, "moons": 2}  # shapes with clusters that nobody doubts
SHAPES = (*CLEAR, "blobs", "digits", "counts", "noise", "grid", "tails", "line")
TINY, SMALL = (2, 3, 5, 8), (12, 17, 24, 31, 40, 60, 100)
LARGE, LARGEST = (150, 250, 400), (1000, 2000)
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
    tiny: bool  # whether a column of tiny values is added
    repeated: bool  # whether a third of the rows repeat others
    shift: float
    scale: float
    container: str
    weights: str
    seed: int

    def rows(self):
        """Return the values as a dense array."""
        random = np.random.RandomState(self.seed)
        X = self._values(random)
        if self.shape not in ("counts", "grid"):
            X = self.scale * X + self.shift
        if self.constant:
            X = np.column_stack([np.full(self.n_rows, self.shift), X])
        if self.tiny:
            X = np.column_stack([X, 1e-7 * random.randn(self.n_rows)])
        if self.repeated:
            X[random.randint(self.n_rows, size=self.n_rows // 3)] = X[0]
        return X.astype(np.float32).astype(float) if self.single else X

    def _values(self, random):
        """Return the values of a shape, in units of one."""
        size = self.n_rows, self.n_features
        if self.shape == "apart":
            groups = np.arange(self.n_rows) % CLEAR["apart"]
            return 12.0 * np.outer(groups, np.ones(self.n_features)) + random.randn(
                *size
            )
        if self.shape == "moons":
            return make_moons(self.n_rows, noise=0.05, random_state=random)[0]
        if self.shape == "digits":
            rows = load_digits().data
            return rows[random.randint(len(rows), size=self.n_rows)]
        if self.shape == "blobs":
            centers = 6 * random.randn(3, self.n_features)
            return centers[random.randint(3, size=self.n_rows)] + random.randn(*size)
        if self.shape == "noise":
            return random.randn(*size)
        if self.shape == "grid":
            return random.randint(3, size=size).astype(float)
        if self.shape == "tails":
            return random.standard_cauchy(size)
        if self.shape == "counts":
            topics = random.gamma(0.1, size=(3, 8 * self.n_features))
            rates = 0.8 * topics[random.randint(3, size=self.n_rows)]
            return random.poisson(rates).astype(float)
        return np.outer(np.linspace(0, 1, self.n_rows), random.randn(self.n_features))

    @property
    def clear(self):
        """Return the number of clusters that nobody doubts, or None."""
        enough = self.n_rows >= (30 if self.shape == "apart" else 200)
        plain = not self.repeated and self.weights in ("none", "ones")
        return CLEAR.get(self.shape) if enough and plain else None

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


def sizes(most):
    """Return numbers of rows up to some number, few of them tiny or large."""
    drawn = 2 * SMALL + LARGE + TINY + LARGEST + LARGE + 2 * SMALL
    return st.sampled_from([size for size in drawn if size <= most])


def recipes(weights=WEIGHTS, most=LARGEST[-1]):
    return st.builds(
        Recipe,
        shape=st.sampled_from(SHAPES),
        n_rows=sizes(most),
        n_features=st.sampled_from((1, 2, 3, 4, 10)),
        constant=st.sampled_from((False, False, True)),
        tiny=st.sampled_from((False, False, False, True)),
        repeated=st.sampled_from((False, False, True)),
        shift=st.sampled_from((0.0, 0.0, -3.0, 1e4)),
        scale=st.sampled_from((1.0, 1.0, 1e-5, 1e5)),
        container=st.sampled_from(tuple(CONTAINERS)),
        weights=st.sampled_from(("none", "none", *weights)),
        seed=st.integers(0, 999),
    )


def kernel_matrix(X, kind):
    """Return a kernel matrix of samples for ``kernel="precomputed"``."""
    if kind == "linear":
        return linear_kernel(X)
    spread = max(X.var(axis=0).sum(), np.finfo(float).tiny)
    return rbf_kernel(X, gamma=0.5 / spread)
