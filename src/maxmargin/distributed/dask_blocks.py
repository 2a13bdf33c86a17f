"""Rows of a Dask array in blocks: functions go to the rows, sums come back."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from maxmargin.kernels.blocks import BLOCK_ROWS, Blocks, Reduction, RowSource
from maxmargin.kernels.sample import draw_positions
from maxmargin.kernels.threads import single_threaded_libraries


class DaskBlocks(Blocks):
    """Some rows of the chunks, as tasks that have not run or results on workers.

    A task depends on its chunks alone. If a worker dies, what it held is computed again
    by others, from the same rows, with the same result.
    """

    def __init__(self, parts: list):
        self.parts = parts  # delayed pairs (rows, weights)

    def map(self, function: Reduction) -> list:  # noqa: D102
        from dask.base import compute
        from dask.delayed import delayed

        reduce = delayed(_reduce, pure=False)
        function = delayed(function, pure=False)  # sent once, not with each task
        return list(compute(*[reduce(function, part) for part in self.parts]))

    def replaced(self, function: Callable[[Any], Any]) -> "DaskBlocks":  # noqa: D102
        from dask.base import persist
        from dask.delayed import delayed

        replace = delayed(_replace, pure=False)
        function = delayed(function, pure=False)
        return DaskBlocks(
            list(persist(*[replace(function, part) for part in self.parts]))
        )

    def thinned(self, every: int) -> "DaskBlocks":  # noqa: D102
        from dask.delayed import delayed

        thin = delayed(_thin, pure=False)
        return DaskBlocks([thin(part, every) for part in self.parts])


class DaskSource(RowSource):
    """The rows of a Dask array whose chunks are whole rows of known number."""

    def __init__(self, X, weights=None):
        self.chunks = X.to_delayed().ravel()
        self.weights = None if weights is None else weights.to_delayed().ravel()
        self.starts = np.concatenate([[0], np.cumsum(X.chunks[0])])
        self.n_samples = int(self.starts[-1])
        self.total_weight = (
            float(self.n_samples) if weights is None else float(weights.sum())
        )

    def some_weights(self) -> np.ndarray:
        """Return equal weights of the right total: limits of sizes are not for us."""
        n_weights = min(self.n_samples, 1000)
        return np.full(n_weights, self.total_weight / n_weights)

    def draw(  # noqa: D102
        self, limit: int, random: np.random.RandomState
    ) -> DaskBlocks:
        from dask.delayed import delayed

        take, merge = delayed(_take, pure=False), delayed(_merge, pure=False)
        positions = draw_positions(self.n_samples, limit, random)
        cuts = np.searchsorted(positions, self.starts)
        parts: list = []
        gathered: list = []
        n_gathered = 0
        for chunk, (first, last) in enumerate(pairwise(cuts)):
            if first == last:
                continue
            rows = positions[first:last] - self.starts[chunk]
            weights = None if self.weights is None else self.weights[chunk]
            gathered.append(take(self.chunks[chunk], weights, rows))
            n_gathered += len(rows)
            if n_gathered >= BLOCK_ROWS or last == len(positions):
                parts.append(merge(gathered))
                gathered, n_gathered = [], 0
        return DaskBlocks(parts)


def _take(chunk, weights, rows: np.ndarray) -> tuple[Any, np.ndarray]:
    """Return some rows of a chunk, and their weights; rows without weight are left."""
    taken = np.ones(len(rows)) if weights is None else np.asarray(weights)[rows]
    kept = taken > 0
    return chunk[rows[kept]], taken[kept].astype(np.float64)


def _merge(parts: list) -> tuple[Any, np.ndarray]:
    """Join rows of several chunks: of few rows each, one block has more use."""
    return (
        np.concatenate([rows for rows, _ in parts]),
        np.concatenate([weights for _, weights in parts]),
    )


def _thin(part: tuple[Any, np.ndarray], every: int) -> tuple[Any, np.ndarray]:
    rows, weights = part
    return rows[::every], weights[::every]


def _replace(function, part: tuple[Any, np.ndarray]) -> tuple[Any, np.ndarray]:
    rows, weights = part
    with single_threaded_libraries():
        return function(rows), weights


def _reduce(function, part: tuple[Any, np.ndarray]) -> Any:
    with single_threaded_libraries():
        return function(*part)
