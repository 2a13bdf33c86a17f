"""Rows in blocks, in memory, on disk or on other machines.

A fit on many samples draws some rows, replaces them by kernel columns, which stay where
they are, and reduces each block to sums. Here the rows are an array;
`maxmargin.distributed` has the same for rows on other machines.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from maxmargin.resources import map_blocks
from maxmargin.rows.sample import draw_rows
from maxmargin.rows.scaling import (
    ColumnStatistics,
    column_statistics,
    merge_statistics,
)

BLOCK_ROWS = 4096

Reduction = Callable[[Any, np.ndarray], Any]


class Blocks(ABC):
    """Some rows with weights, in blocks."""

    @abstractmethod
    def map(self, function: Reduction) -> list:
        """Return ``function(rows, weights)`` of every block, in order."""

    @abstractmethod
    def transform(self, function: Callable[[Any], Any]) -> "Blocks":
        """Return the blocks with ``function(rows)`` in place of the rows."""

    @abstractmethod
    def every(self, step: int) -> "Blocks":
        """Return the blocks with every ``step``-th row."""


class RowSource(ABC):
    """All samples: their number, their total weight, and parts of them as blocks."""

    n_samples: int
    total_weight: float

    @abstractmethod
    def positive_weights(self) -> np.ndarray:
        """Return the positive weights, or a part that represents them."""

    @abstractmethod
    def draw(self, limit: int, random: np.random.RandomState) -> Blocks:
        """Draw at most ``limit`` rows with positive weight."""

    @abstractmethod
    def map(self, function: Reduction) -> list:
        """Return ``function(rows, weights)`` of every block of all rows, in order."""

    def column_statistics(self) -> ColumnStatistics:
        """Return the statistics of the columns, in one pass over all rows."""
        return merge_statistics(self.map(column_statistics))


class ArrayBlocks(Blocks):
    """Rows of an array in memory or on disk."""

    def __init__(self, parts: list[tuple[Any, np.ndarray]]):
        self.parts = parts

    def map(self, function: Reduction) -> list:  # noqa: D102
        return map_blocks(
            lambda one: function(*self.parts[one.start]), len(self.parts), block_rows=1
        )

    def transform(self, function: Callable[[Any], Any]) -> "ArrayBlocks":  # noqa: D102
        return ArrayBlocks(self.map(lambda rows, weights: (function(rows), weights)))

    def every(self, step: int) -> "ArrayBlocks":  # noqa: D102
        return ArrayBlocks(
            [(rows[::step], weights[::step]) for rows, weights in self.parts]
        )


class ArraySource(RowSource):
    """The rows of an array, which may be a file mapped into memory."""

    def __init__(self, X, weights: np.ndarray):
        self.X = X
        self.weights = weights
        self.n_samples = X.shape[0]
        self.total_weight = float(weights.sum())

    def positive_weights(self) -> np.ndarray:  # noqa: D102
        return self.weights if self.weights.all() else self.weights[self.weights > 0]

    def draw(  # noqa: D102
        self, limit: int, random: np.random.RandomState
    ) -> ArrayBlocks:
        rows = draw_rows(self.weights, limit, random)
        cuts = [
            rows[start : start + BLOCK_ROWS]
            for start in range(0, len(rows), BLOCK_ROWS)
        ]
        return ArrayBlocks([(self.X[cut], self.weights[cut]) for cut in cuts])

    def map(self, function: Reduction) -> list:  # noqa: D102
        return map_blocks(
            lambda block: function(self.X[block], self.weights[block]),
            self.n_samples,
            BLOCK_ROWS,
        )


class Reservoir:
    """A random part of all rows that were added, each row with the same probability.

    Every row gets a random key when it is added; the rows with the smallest keys are
    kept. So the sample does not depend on the borders of the blocks.

    Parameters
    ----------
    size : int
        Number of rows to keep.
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
        """Add a block of rows."""
        keys = self.random.random_sample(X.shape[0])
        self.n_seen += X.shape[0]
        if len(self.keys) == self.size:
            smaller = np.flatnonzero(keys < self.keys.max())
            X, keys, weights = X[smaller], keys[smaller], weights[smaller]
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
