"""Rows in blocks, wherever they are: what is computed of them is small.

A fit on many samples asks three things of their rows: to draw some, to replace them by
kernel columns and keep those where they are, and to reduce each block to sums. Here the
rows are an array; `maxmargin.distributed` has them on other machines.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from maxmargin.kernels.sample import draw_rows
from maxmargin.kernels.threads import map_blocks

BLOCK_ROWS = 4096

Reduction = Callable[[Any, np.ndarray], Any]


class Blocks(ABC):
    """Some rows with weights, in blocks."""

    @abstractmethod
    def map(self, function: Reduction) -> list:
        """Return ``function(rows, weights)`` of every block, in their order."""

    @abstractmethod
    def replaced(self, function: Callable[[Any], Any]) -> "Blocks":
        """Return the same with ``function(rows)`` in place of the rows."""

    @abstractmethod
    def thinned(self, every: int) -> "Blocks":
        """Return every second row of each block, every third, or as the number says."""


class RowSource(ABC):
    """All samples: their number, their weight, and parts of them as blocks."""

    n_samples: int
    total_weight: float

    @abstractmethod
    def some_weights(self) -> np.ndarray:
        """Return the weights that differ from zero, or a part that stands for them."""

    @abstractmethod
    def draw(self, limit: int, random: np.random.RandomState) -> Blocks:
        """Return at most ``limit`` rows that have weight, drawn at random."""


class ArrayBlocks(Blocks):
    """Rows of an array in memory or on disk."""

    def __init__(self, parts: list[tuple[Any, np.ndarray]], n_threads: int = 1):
        self.parts = parts
        self.n_threads = n_threads

    def map(self, function: Reduction) -> list:  # noqa: D102
        return map_blocks(
            lambda one: function(*self.parts[one.start]),
            len(self.parts),
            self.n_threads,
            block_rows=1,
        )

    def replaced(self, function: Callable[[Any], Any]) -> "ArrayBlocks":  # noqa: D102
        parts = self.map(lambda rows, weights: (function(rows), weights))
        return ArrayBlocks(parts, self.n_threads)

    def thinned(self, every: int) -> "ArrayBlocks":  # noqa: D102
        parts = [(rows[::every], weights[::every]) for rows, weights in self.parts]
        return ArrayBlocks(parts, self.n_threads)


class ArraySource(RowSource):
    """The rows of an array, which may be a file mapped into memory."""

    def __init__(self, X, weights: np.ndarray, n_threads: int = 1):
        self.X = X
        self.weights = weights
        self.n_samples = X.shape[0]
        self.total_weight = float(weights.sum())
        self.n_threads = n_threads

    def some_weights(self) -> np.ndarray:  # noqa: D102
        return self.weights if self.weights.all() else self.weights[self.weights > 0]

    def draw(  # noqa: D102
        self, limit: int, random: np.random.RandomState
    ) -> ArrayBlocks:
        rows = draw_rows(self.weights, limit, random)
        cuts = [
            rows[start : start + BLOCK_ROWS]
            for start in range(0, len(rows), BLOCK_ROWS)
        ]
        parts = [(self.X[cut], self.weights[cut]) for cut in cuts]
        return ArrayBlocks(parts, self.n_threads)
