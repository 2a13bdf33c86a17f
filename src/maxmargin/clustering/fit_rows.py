"""The rows that are fitted: an array, or a table that is read in blocks."""

from typing import Any

from maxmargin.clustering.base import validate_samples
from maxmargin.clustering.source_rows import join_samples
from maxmargin.clustering.table_rows import TableRows
from maxmargin.distances import check_magnitude
from maxmargin.engine.checks import check_weights
from maxmargin.engine.options import Options, needs_all_rows
from maxmargin.engine.search_part import search_size
from maxmargin.rows.blocks import ArraySource, RowSource, StreamSource
from maxmargin.tables.objects import is_table


def rows_to_fit(
    estimator: Any, X: Any, sample_weight: Any, options: Options
) -> RowSource:
    """Return the rows to fit; a table is read in blocks if not all are searched."""
    if is_table(X):
        join_samples(estimator, X, reset=True)  # a table is one source
        rows = TableRows(estimator, X, reset=True)
        n_rows = rows.count() if rows.repeatable else None
        if n_rows is not None and not _fits_at_once(estimator, rows, n_rows, options):
            if n_rows > search_size(n_rows, rows.n_features, options):
                weights = check_weights(sample_weight, n_rows)
                return StreamSource(rows.blocks, n_rows, rows.n_features, weights)
        X = rows.to_array(2)
        check_magnitude(X)
    else:
        X = validate_samples(estimator, X, reset=True)
    return ArraySource(X, check_weights(sample_weight, X.shape[0]))


def _fits_at_once(
    estimator: Any, rows: TableRows, n_rows: int, options: Options
) -> bool:
    """Return True if all rows are needed at once, or if encoding them again costs.

    Encoded rows may take a quarter of the memory.
    """
    if rows.encoder is None:
        return needs_all_rows(estimator)
    size = 8.0 * n_rows * rows.n_features
    cheap = size < options.memory / 4 or rows.encoder.is_text_
    return needs_all_rows(estimator) or cheap
