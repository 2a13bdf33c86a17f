"""A fair sample of rows that come in blocks and are not kept."""

from typing import Any

import numpy as np
import scipy.sparse as sp


class Reservoir:
    """Keeps a random part of all rows that were added, each row with the same chance.

    Every row gets a random key when it comes; the rows with the smallest keys stay. So
    the sample does not depend on how the rows were cut into blocks.

    Parameters
    ----------
    size : int
        How many rows to keep.
    random : RandomState
    """

    def __init__(self, size: int, random: np.random.RandomState):
        self.size = size
        self.random = random
        self.n_seen = 0
        self.keys = np.empty(0)
        self.weights = np.empty(0)
        self.rows: Any = None

    def add(self, X, weights: np.ndarray) -> None:
        """Take in a block of rows."""
        keys = self.random.random_sample(X.shape[0])
        self.n_seen += X.shape[0]
        if len(self.keys) == self.size:
            coming = np.flatnonzero(keys < self.keys.max())
            X, keys, weights = X[coming], keys[coming], weights[coming]
        if self.rows is None:
            self.rows = X.copy()
        elif sp.issparse(X):
            self.rows = sp.vstack([self.rows, X], format="csr")
        else:
            self.rows = np.concatenate([self.rows, X])
        self.keys = np.concatenate([self.keys, keys])
        self.weights = np.concatenate([self.weights, weights])
        if len(self.keys) > self.size:
            kept = np.sort(np.argpartition(self.keys, self.size)[: self.size])
            self.keys, self.weights = self.keys[kept], self.weights[kept]
            self.rows = self.rows[kept]
