"""Rows of a Dask array: their checks, and blocks that are reduced where they are."""

import sys
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from maxmargin.distributed.block_functions import (
    RemoteSource,
    check_weight_range,
    every_row,
    merge_blocks,
    reduce_block,
    replace_rows,
    take_all,
    take_weighted_rows,
)
from maxmargin.rows.blocks import BLOCK_ROWS, Blocks, Reduction
from maxmargin.rows.sample import draw_positions


def is_dask(X) -> bool:
    """Return True if X is a Dask collection, without importing Dask."""
    return "dask" in sys.modules and hasattr(X, "__dask_graph__")


def check_rows(X):
    """Return a Dask array of floats whose chunks are whole rows of known number."""
    if hasattr(X, "to_dask_array"):
        X = _numeric_frame(X).to_dask_array(lengths=True)
    if X.ndim != 2:
        raise ValueError(
            f"Expected a table of two dimensions, and this one has {X.ndim}: use "
            "X.reshape(-1, 1) if it has a single feature."
        )
    if len(X.chunks[1]) > 1:
        raise ValueError(
            f"The columns are cut into {len(X.chunks[1])} chunks, and a sample must be "
            "whole: use X.rechunk({1: -1})."
        )
    if X.dtype.kind not in "biuf":
        raise ValueError(
            f"The values are of type {X.dtype}, and samples are numbers: use "
            "X.astype(float), or leave columns of text out."
        )
    if X.dtype.kind != "f":
        X = X.astype(np.float64)
    if np.isnan(X.chunks[0]).any():
        X = X.compute_chunk_sizes()
    return X.map_blocks(_check_columns, X.shape[1], meta=X._meta)


def _check_columns(chunk, n_columns):
    """Return a chunk; raise an error if it has not as many columns as was declared.

    A single column would be taken for each of them.
    """
    if chunk.ndim != 2 or chunk.shape[1] != n_columns:
        raise ValueError(
            f"A chunk is of shape {chunk.shape}, and {n_columns} columns were "
            "declared: correct the chunks or meta that were given to Dask."
        )
    return chunk


def _numeric_frame(frame):
    """Return a data frame or series in which all columns are of types of NumPy.

    Bools and the types of pandas and Arrow become floats, missing values NaN.
    """
    from pandas.api.types import is_numeric_dtype

    if frame.ndim != 2:
        return frame
    dtypes = frame.dtypes.items()
    text = [
        f"{name} ({dtype})" for name, dtype in dtypes if not is_numeric_dtype(dtype)
    ]
    if text:
        raise ValueError(
            f"Columns are not numbers: {', '.join(text)}. Encode them as numbers, or "
            "leave them out."
        )
    return frame.astype(
        {
            name: np.float64
            for name, dtype in frame.dtypes.items()
            if not isinstance(dtype, np.dtype) or dtype.kind == "b"
        }
    )


def without_rows(X):
    """Return an empty table with the columns of a Dask collection."""
    if hasattr(X, "to_dask_array"):
        return X._meta
    return np.empty((0, X.shape[1]))


def check_dask_weights(weights, X):
    """Return weights as a Dask array in the chunks of X, or ``None``."""
    if weights is None:
        return None
    import dask.array as da

    if hasattr(weights, "to_dask_array"):
        weights = weights.astype(np.float64).to_dask_array(lengths=True)
    elif not is_dask(weights):
        weights = da.from_array(np.asarray(weights, dtype=float), chunks=(X.chunks[0],))
    if weights.shape != (X.shape[0],):
        raise ValueError(
            f"sample_weight has shape {weights.shape}: give one weight for each of the "
            f"{X.shape[0]} samples."
        )
    weights = weights.rechunk((X.chunks[0],))
    check_weight_range("sample_weight", *da.compute(weights.min(), weights.sum()))
    return weights


class DaskBlocks(Blocks):
    """Some rows of the chunks, as tasks or as results on workers.

    A task depends on its chunks alone. If a worker dies, its results are computed again
    by others, from the same rows, with the same result.
    """

    def __init__(self, parts: list):
        self.parts = parts  # delayed pairs (rows, weights)

    def map(self, function: Reduction) -> list:  # noqa: D102
        from dask.base import compute

        return list(compute(*self._tasks(reduce_block, function)))

    def transform(self, function: Callable[[Any], Any]) -> "DaskBlocks":  # noqa: D102
        from dask.base import persist

        return DaskBlocks(list(persist(*self._tasks(replace_rows, function))))

    def every(self, step: int) -> "DaskBlocks":  # noqa: D102
        return DaskBlocks(self._tasks(every_row, step))

    def _tasks(self, task: Callable, argument: Any) -> list:
        """Return a task for each part; the argument is sent once, not with each."""
        from dask.delayed import delayed

        task, argument = delayed(task, pure=False), delayed(argument, pure=False)
        return [task(argument, part) for part in self.parts]


class DaskSource(RemoteSource):
    """The rows of a Dask array whose chunks are whole rows of known number."""

    def __init__(self, X, weights=None):
        self.X = X
        self.sample_weight = weights
        self.chunks = X.to_delayed().ravel()
        self.weights = None if weights is None else weights.to_delayed().ravel()
        self.starts = np.concatenate([[0], np.cumsum(X.chunks[0])])
        self.n_samples = self.n_seen = int(self.starts[-1])
        self.n_features = self.row_length = int(X.shape[1])
        self.total_weight = (
            float(self.n_samples) if weights is None else float(weights.sum())
        )

    def draw(  # noqa: D102
        self, limit: int, random: np.random.RandomState
    ) -> DaskBlocks:
        from dask.delayed import delayed

        take, merge = (
            delayed(f, pure=False) for f in (take_weighted_rows, merge_blocks)
        )
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

    def map(self, function: Reduction) -> list:  # noqa: D102
        from dask.delayed import delayed

        take = delayed(take_all, pure=False)
        weights = [None] * len(self.chunks) if self.weights is None else self.weights
        return DaskBlocks(list(map(take, self.chunks, weights))).map(function)

    def transform(self, function: Callable[[Any], Any]) -> "DaskSource":  # noqa: D102
        rows = self.X.map_blocks(function, meta=self.X._meta)
        return DaskSource(rows, self.sample_weight)
