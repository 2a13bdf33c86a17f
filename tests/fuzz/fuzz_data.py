"""A generated table as an estimator takes it, and what is done to it."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from fuzz_inputs import SPARSE, kernel_matrix


class Data:
    """A table as an estimator takes it, and its rows as a dense array."""

    def __init__(self, recipe, parameters):
        kernel = parameters.get("kernel")
        inner = parameters.get("estimator")
        self.precomputed = kernel == "precomputed" or (
            getattr(inner, "kernel", None) == "precomputed"
        )
        self.recipe = recipe
        self.weights = recipe.sample_weight()
        self.rows = recipe.rows()
        if self.precomputed:
            self.rows = kernel_matrix(self.rows, ("rbf", "linear")[recipe.seed % 2])
        self.X = self.contain(self.rows)

    def contain(self, rows):
        if self.precomputed and self.recipe.container in SPARSE:
            return rows
        return self.recipe.contain(rows)

    @property
    def merged(self):
        """Return rows that are equal where an estimator merges samples."""
        return np.arange(len(self.rows))[:, None] if self.precomputed else self.rows

    @property
    def arguments(self):
        return {} if self.weights is None else {"sample_weight": self.weights}


def repeated_rows(rows):
    """Return the positions of rows that occur more than once."""
    _, groups, counts = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
    return np.flatnonzero(counts[groups.reshape(-1)] > 1)


def in_two_threads(fit):
    """Return the results of two calls at the same time."""
    with ThreadPoolExecutor(2) as threads:
        return [one.result() for one in [threads.submit(fit) for _ in range(2)]]
