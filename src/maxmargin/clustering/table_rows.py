"""The rows of a table of any library, checked and read in blocks.

An estimator that needs all rows at once gets an array; `MaxMarginClustering` reads the
rows of a large table again for each step.
"""

import tempfile
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.utils import check_array
from sklearn.utils.validation import validate_data

from maxmargin.distances import check_magnitude
from maxmargin.tables.objects import count_table_rows, open_table
from maxmargin.tables.table import number_blocks

# Rows that are read and labelled at once. The blocks of `maxmargin.rows.blocks` divide
# it, so that sums over blocks do not depend on how the rows are read.
TABLE_ROWS = 65_536


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
