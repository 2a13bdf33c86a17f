"""Rows in blocks, in memory, on disk or on other machines.

A fit on many samples draws some rows, replaces them by kernel columns, which stay where
they are, and reduces each block to sums. Here the rows are an array, or a stream that
is read once for each step; `maxmargin.distributed` has the same for rows on other
machines.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from copy import copy, deepcopy
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from maxmargin import progress
from maxmargin.rows.preparation import (
    ColumnStatistics,
    column_statistics,
    merge_statistics,
)
from maxmargin.rows.sample import draw_rows
from maxmargin.rows.threads import map_blocks

BLOCK_ROWS = 4096
ROWS_AT_ONCE = 50_000  # rows that are copied to be labelled
ENTRY_FEATURES = 4  # dense features with the memory of an entry of a sparse row

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


class Drawn(NamedTuple):
    """Rows to search among, in this process."""

    X: Any
    weights: np.ndarray
    positions: np.ndarray | None  # among the rows of the source; None for all of them


class RowSource(ABC):
    """All samples: their number, their total weight, and parts of them as blocks."""

    n_samples: int
    n_features: int
    total_weight: float
    n_seen: int  # samples that these were drawn from
    row_length: int  # features with which memory grows

    @abstractmethod
    def fetch(self, limit: int, random: np.random.RandomState) -> Drawn:
        """Return rows of which at most ``limit`` are searched."""

    @abstractmethod
    def label(self, model: Any, drawn: Drawn, found: np.ndarray) -> np.ndarray | None:
        """Return the labels of all rows, or None if they stay where the rows are.

        ``found`` are those of the rows that were drawn, -1 where the model decides.
        """

    @abstractmethod
    def positive_weights(self) -> np.ndarray:
        """Return the positive weights, or a part that represents them."""

    @abstractmethod
    def draw(self, limit: int, random: np.random.RandomState) -> Blocks:
        """Draw at most ``limit`` rows with positive weight."""

    @abstractmethod
    def map(self, function: Reduction) -> list:
        """Return ``function(rows, weights)`` of every block of all rows, in order."""

    @abstractmethod
    def transform(self, function: Callable[[Any], Any]) -> "RowSource":
        """Return the source with ``function(rows)`` in place of the rows."""

    def column_statistics(self) -> ColumnStatistics:
        """Return the statistics of the columns, in one pass over all rows."""
        return merge_statistics(self.map(column_statistics))


class ArrayBlocks(Blocks):
    """Rows in memory, or of a file mapped into memory."""

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


class LocalSource(RowSource):
    """Rows that are read by this process, and their weights in memory."""

    def __init__(self, n_samples: int, n_features: int, weights: np.ndarray):
        self.weights = weights
        self.n_samples = self.n_seen = n_samples
        self.n_features = self.row_length = n_features
        self.total_weight = float(weights.sum())

    def positive_weights(self) -> np.ndarray:  # noqa: D102
        return self.weights if self.weights.all() else self.weights[self.weights > 0]

    def draw(  # noqa: D102
        self, limit: int, random: np.random.RandomState
    ) -> ArrayBlocks:
        return self.take(draw_rows(self.weights, limit, random))

    @abstractmethod
    def take(self, rows: np.ndarray) -> ArrayBlocks:
        """Return the rows at some positions, which are sorted."""


class ArraySource(LocalSource):
    """The rows of an array, which may be a file mapped into memory.

    ``n_seen`` is the number of rows that they were drawn from, if there were more.
    """

    def __init__(self, X, weights: np.ndarray, n_seen: int = 0):
        super().__init__(X.shape[0], X.shape[1], weights)
        self.X = X
        self.n_seen = max(n_seen, self.n_samples)
        self.row_length = row_length(X)

    def fetch(self, limit: int, random: np.random.RandomState) -> Drawn:  # noqa: D102
        return Drawn(self.X, self.weights, None)

    def label(  # noqa: D102
        self, model: Any, drawn: Drawn, found: np.ndarray
    ) -> np.ndarray:
        labels = found.copy()
        left_out = np.flatnonzero(labels < 0)
        for start in range(0, len(left_out), ROWS_AT_ONCE):  # each is a copy
            rows = left_out[start : start + ROWS_AT_ONCE]
            labels[rows] = model.label(self.X[rows])
            progress.update((start + len(rows)) / len(left_out))
        return labels

    def take(self, rows: np.ndarray) -> ArrayBlocks:  # noqa: D102
        return ArrayBlocks(
            [(self.X[cut], self.weights[cut]) for cut in _cut(rows, BLOCK_ROWS)]
        )

    def map(self, function: Reduction) -> list:  # noqa: D102
        return map_blocks(
            lambda block: function(self.X[block], self.weights[block]),
            self.n_samples,
            BLOCK_ROWS,
        )

    def transform(self, function: Callable[[Any], Any]) -> "ArraySource":  # noqa: D102
        return ArraySource(function(self.X), self.weights)


def row_length(X) -> int:
    """Return the number of features with which the memory of samples grows.

    An entry of a sparse sample is stored with its column, in the lists of
    `SparseNeighbors`, and in its dense columns if the feature is frequent.
    """
    if not sp.issparse(X):
        return int(X.shape[1])
    return int(np.ceil(ENTRY_FEATURES * X.nnz / max(X.shape[0], 1)))


class StreamSource(LocalSource):
    """Rows that are read from the first to the last each time that they are needed.

    Parameters
    ----------
    read : callable
        Returns an iterator over all rows in arrays, which may be of any length.
    n_samples, n_features : int
    weights : ndarray of shape (n_samples,)
    """

    def __init__(
        self,
        read: Callable[[], Iterable[Any]],
        n_samples: int,
        n_features: int,
        weights: np.ndarray,
    ):
        super().__init__(n_samples, n_features, weights)
        self.read = read

    def fetch(self, limit: int, random: np.random.RandomState) -> Drawn:  # noqa: D102
        positions = draw_rows(self.weights, limit, random)
        parts = self.take(positions).parts
        rows = np.concatenate([part for part, _ in parts])
        return Drawn(rows, self.weights[positions], positions)

    def label(  # noqa: D102
        self, model: Any, drawn: Drawn, found: np.ndarray
    ) -> np.ndarray:
        positions = drawn.positions
        assert positions is not None
        labels = np.empty(self.n_samples, dtype=np.int64)
        for start, block in self.blocks():
            labels[start : start + len(block)] = model.label(block)
            first, last = np.searchsorted(positions, [start, start + len(block)])
            _check_same(block[positions[first:last] - start], drawn.X[first:last])
            progress.update((start + len(block)) / self.n_samples)
        known = found >= 0
        labels[positions[known]] = found[known]
        return labels

    def blocks(self) -> Iterator[tuple[int, Any]]:
        """Yield the rows in arrays, each with the position of its first row."""
        start = 0
        for rows in self.read():
            yield start, rows
            start += rows.shape[0]
        if start != self.n_samples:
            raise ValueError(
                f"The table had {self.n_samples} rows and now has {start}: write it to "
                "a file first, so that it does not change during the fit."
            )

    def take(self, rows: np.ndarray) -> ArrayBlocks:  # noqa: D102
        found = []
        for start, block in self.blocks():
            first, last = np.searchsorted(rows, [start, start + block.shape[0]])
            if first < last:
                found.append(block[rows[first:last] - start])
        taken = np.concatenate(found)
        cuts = _cut(np.arange(len(rows)), BLOCK_ROWS)
        return ArrayBlocks([(taken[cut], self.weights[rows[cut]]) for cut in cuts])

    def map(self, function: Reduction) -> list:  # noqa: D102
        results = []
        for start, block in self.blocks():
            own = ArraySource(block, self.weights[start : start + block.shape[0]])
            results += own.map(function)
        return results

    def transform(self, function: Callable[[Any], Any]) -> "StreamSource":  # noqa: D102
        return StreamSource(
            lambda: map(function, self.read()),
            self.n_samples,
            self.n_features,
            self.weights,
        )


def _check_same(rows: np.ndarray, drawn: np.ndarray) -> None:
    """Raise an error if rows are not those that were drawn from the same positions."""
    if not np.array_equal(rows, drawn):
        raise ValueError(
            "The table has its rows in another order, or other rows, when it is read "
            "again: sort the query, or write its result to a file first."
        )


def _cut(rows: np.ndarray, size: int) -> list[np.ndarray]:
    """Return positions in groups of some size."""
    return [rows[start : start + size] for start in range(0, len(rows), size)]


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

    def copy(self) -> "Reservoir":
        """Return a copy to which blocks can be added; no row is copied."""
        other = copy(self)
        other.random = deepcopy(self.random)
        return other

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
