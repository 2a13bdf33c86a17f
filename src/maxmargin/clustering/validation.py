"""The input of the estimators: arrays, sparse matrices and tables of any kind.

The rows of a table are read in blocks. An estimator that needs all of them at once gets
an array; `MaxMarginClustering` reads the rows of a large table again for each step.
"""

import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.utils import check_array, get_tags
from sklearn.utils.validation import validate_data

from maxmargin.distances import check_magnitude
from maxmargin.kernels.kernel import check_kernel_matrix
from maxmargin.tables.objects import count_table_rows, is_table, open_table
from maxmargin.tables.table import number_blocks

# Rows that are read and labelled at once. The blocks of `maxmargin.rows.blocks` divide
# it, so that sums over blocks do not depend on how the rows are read.
TABLE_ROWS = 65_536


def validate_samples(estimator, X, *, reset, min_samples=2):
    """Return X as `validate_data` does, with the settings of this package.

    CSR matrices are accepted if the tags of the estimator allow sparse input, and
    tables of any library (`is_table`). ``min_samples``, and the check of a kernel
    matrix, hold for ``fit``.
    """
    tags = get_tags(estimator).input_tags
    min_samples = min_samples if reset else 1
    if is_table(X):
        X = TableRows(estimator, X, reset=reset).to_array(min_samples)
    else:
        X = validate_data(
            estimator,
            X,
            reset=reset,
            accept_sparse="csr" if tags.sparse else False,
            ensure_min_samples=min_samples,
            dtype=[np.float64, np.float32],
            order="C",
        )
    check_magnitude(X)
    if reset and tags.pairwise:
        check_kernel_matrix(X)
    return X


def map_samples(estimator, X, function: Callable[[Any], np.ndarray]) -> np.ndarray:
    """Return ``function(X)``; the rows of a table are passed to it in blocks."""
    results = [function(part) for part in sample_blocks(estimator, X, reset=False)]
    return results[0] if len(results) == 1 else np.concatenate(results)


def sample_blocks(estimator, X, *, reset) -> Iterator[Any]:
    """Yield the rows of a table in blocks, other samples at once; at least one row."""
    if not is_table(X):
        yield validate_samples(estimator, X, reset=reset, min_samples=1)
        return
    rows = TableRows(estimator, X, reset=reset)
    n_rows = 0
    for block in rows.blocks():
        yield block
        n_rows += len(block)
    rows.check_number(n_rows, 1)


class TableRows:
    """The rows of a table, whose columns are those of an estimator.

    Parameters
    ----------
    estimator : estimator
        Its ``feature_names_in_`` and ``n_features_in_`` are set if ``reset``, else
        compared with the columns.
    X : table
    reset : bool
    """

    def __init__(self, estimator: Any, X: Any, *, reset: Any) -> None:
        self.estimator = estimator
        self.X = X
        self.table = open_table(X)
        self.names = list(self.table.source.kinds)
        if not self.names:
            raise ValueError("The table has no columns: give at least one feature.")
        validate_data(estimator, self.table.header, reset=reset, skip_check_array=True)

    @property
    def n_features(self) -> int:
        """Return the number of columns."""
        return len(self.names)

    @property
    def repeatable(self) -> bool:
        """Return True if the rows can be read more than once."""
        return self.table.repeatable

    def count(self) -> int | None:
        """Return the number of rows, or None if it is not known before reading."""
        return count_table_rows(self.X, self.table)

    def blocks(self) -> Iterator[np.ndarray]:
        """Read the rows in blocks of numbers that are finite."""
        table = self.table
        for block in number_blocks(table.source, self.names, TABLE_ROWS, table.dtype):
            check_array(
                block, dtype=None, input_name="X", estimator=self.estimator, copy=False
            )
            check_magnitude(block, smallest=0.0)
            yield block

    def to_array(self, min_samples: int = 1) -> np.ndarray:
        """Return all rows as one array.

        If the number of rows is not known and there are many, they are written to a
        temporary file that is mapped into memory.
        """
        n_rows = self.table.source.n_rows
        blocks = self.blocks()
        if n_rows is not None:
            self.check_number(n_rows, min_samples)
            X = np.empty((n_rows, self.n_features), dtype=self.table.dtype)
            start = 0
            for block in blocks:
                X[start : start + len(block)] = block
                start += len(block)
            return X
        first = next(blocks, np.empty((0, self.n_features)))
        if len(first) < TABLE_ROWS:
            self.check_number(len(first), min_samples)
            return first
        return _to_file(first, blocks)

    def check_number(self, n_rows: int, min_samples: int) -> None:
        """Raise an error if there are too few rows."""
        if n_rows < min_samples:
            raise ValueError(
                f"Found array with {n_rows} sample(s) (shape=({n_rows}, "
                f"{self.n_features})) while a minimum of {min_samples} is required."
            )


def _to_file(first: np.ndarray, others: Iterator[np.ndarray]) -> np.ndarray:
    """Return blocks of rows as an array in a file, which has no name any more."""
    with tempfile.TemporaryFile() as file:
        first.tofile(file)
        for block in others:
            block.tofile(file)
        rows = np.memmap(file, first.dtype, mode="r")
    return rows.reshape(-1, first.shape[1]).view(np.ndarray)
