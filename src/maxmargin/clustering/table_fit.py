"""One fit of the rows of a large table, which are read again for each step.

The steps are those of `maxmargin.clustering.fit`, for rows that are not in memory.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from maxmargin import progress
from maxmargin.clustering.base import check_n_samples
from maxmargin.clustering.fit import (
    FitResult,
    fit_drawn,
    label_by_sample,
    search_size,
)
from maxmargin.clustering.parameters import Options, check_weights
from maxmargin.clustering.table_rows import TableRows
from maxmargin.resources import single_threaded_libraries
from maxmargin.rows.blocks import StreamSource
from maxmargin.rows.sample import draw_rows


def fit_table(
    rows: TableRows, sample_weight: Any, options: Options, random_state: Any
) -> FitResult | None:
    """Cluster some rows of a table, and label all.

    The result is None if the rows are needed as an array: all of them are searched, or
    they can be read only once.
    """
    n_rows = rows.count() if rows.repeatable else None
    if n_rows is None:
        return None
    size = search_size(n_rows, rows.n_features, options)
    if n_rows <= size:
        return None
    check_n_samples(n_rows, options.n_clusters)
    weights = check_weights(sample_weight, n_rows)
    with single_threaded_libraries():
        source = StreamSource(rows.blocks, n_rows, weights)
        return fit_stream(source, size, options, check_random_state(random_state))


def fit_stream(
    source: StreamSource, size: int, options: Options, random: np.random.RandomState
) -> FitResult:
    """Cluster ``size`` rows of a stream, and label all.

    The rows and the labels are those of `fit_samples` for the same rows in an array.
    """
    positions = draw_rows(source.weights, size, random)
    drawn = source.take(positions)
    rows = np.concatenate([part for part, _ in drawn.parts])
    result = fit_drawn(drawn, source, options, random)
    with progress.stage(0.9, 1.0, "labels"):
        labels = np.empty(source.n_samples, dtype=np.int64)
        for start, block in source.blocks():
            labels[start : start + len(block)] = result.model.label(block)
            first, last = np.searchsorted(positions, [start, start + len(block)])
            _check_same(block[positions[first:last] - start], rows[first:last])
            progress.update((start + len(block)) / source.n_samples)
        candidate = result.clusters.candidate
        if candidate.sample.complete or candidate.graph is not None:
            found = result.clusters
            labels[positions] = label_by_sample(
                found.sample, found.labels, result.model, found.X
            )
    return replace(result, labels=labels)


def _check_same(rows: np.ndarray, drawn: np.ndarray) -> None:
    """Raise an error if rows are not those that were drawn from the same positions."""
    if not np.array_equal(rows, drawn):
        raise ValueError(
            "The table has its rows in another order, or other rows, when it is read "
            "again: sort the query, or write its result to a file first."
        )
