"""The rows of a table of any library, checked and read in blocks.

An estimator that needs all rows at once gets an array; `MaxMarginClustering` reads the
rows of a large table again for each step. If an estimator sets ``_encodes_tables``, a
table with categories or missing values is encoded, by a `TableEncoder` that is fitted
with the estimator and kept in ``_encoder``; others refuse such a table.
"""

import tempfile
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.utils import check_array, get_tags
from sklearn.utils.validation import validate_data

from maxmargin.distances import check_magnitude
from maxmargin.tables.encoder import TableEncoder
from maxmargin.tables.frames import declared_kinds
from maxmargin.tables.objects import count_table_rows, open_table
from maxmargin.tables.table import NUMBER, number_blocks

# Rows that are read and labelled at once. The blocks of `maxmargin.rows.blocks` divide
# it, so that sums over blocks do not depend on how the rows are read.
TABLE_ROWS = 65_536


class TableRows:
    """The rows of a table, whose columns are those of an estimator.

    Parameters
    ----------
    estimator : estimator
        Its ``feature_names_in_`` and ``n_features_in_`` are set if ``reset``, else
        compared with the columns. So is its encoder, if it has one.
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
        if reset:
            set_encoder(estimator, self._fit_encoder())
        self.encoder: TableEncoder | None = getattr(estimator, "_encoder", None)

    @property
    def n_features(self) -> int:
        """Return the number of features, that of the columns if they are numbers."""
        if self.encoder is None:
            return len(self.names)
        return len(self.encoder.get_feature_names_out())

    def _fit_encoder(self) -> TableEncoder | None:
        """Return the encoder of the columns, or None if they are complete numbers."""
        if not getattr(self.estimator, "_encodes_tables", False):
            return None
        if get_tags(self.estimator).input_tags.pairwise:
            return None
        if set(declared_kinds(self.table)[0].values()) == {NUMBER}:
            if not self.repeatable or not self._has_missing():
                return None
        if not self.repeatable:  # it is read for the encoder, and again for the rows
            import pyarrow as pa

            self.X = pa.RecordBatchReader.from_stream(self.X).read_all()
            self.table = open_table(self.X)
        check_encoded_scale(self.estimator)
        scale = getattr(self.estimator, "scale", True)
        return TableEncoder(scale=scale is not False).fit(self.X)

    def _has_missing(self) -> bool:
        table = self.table
        blocks = number_blocks(table.source, self.names, TABLE_ROWS, table.dtype)
        return any(bool(np.isnan(block).any()) for block in blocks)

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
        blocks = (
            number_blocks(table.source, self.names, TABLE_ROWS, table.dtype)
            if self.encoder is None
            else self.encoder.iter_parts(self.X)
            if self.encoder.is_text_
            else self.encoder.iter_blocks(self.X, TABLE_ROWS)
        )
        for block in blocks:
            yield self._checked(block)

    def _checked(self, block: Any) -> Any:
        check_array(
            block,
            dtype=None,
            input_name="X",
            estimator=self.estimator,
            copy=False,
            accept_sparse="csr",
        )
        check_magnitude(block, smallest=0.0)
        return block

    def to_array(self, min_samples: int = 1) -> Any:
        """Return all rows as one array, those of texts as a sparse one.

        If the number of rows is not known and there are many, they are written to a
        temporary file that is mapped into memory.
        """
        n_rows = self.table.source.n_rows
        if self.encoder is not None and self.encoder.is_text_:
            rows = self.encoder.transform(self.X)
            self.check_number(rows.shape[0], min_samples)
            return rows
        blocks = self.blocks()
        if self.encoder is not None and n_rows is not None:  # in parts of any size
            blocks = map(self._checked, self.encoder.iter_parts(self.X))
        if n_rows is not None:
            self.check_number(n_rows, min_samples)
            dtype = self.table.dtype if self.encoder is None else np.float64
            X = np.empty((n_rows, self.n_features), dtype=dtype)
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


def set_encoder(estimator: Any, encoder: Any) -> None:
    """Keep the encoder of an estimator, and tell what it made of columns."""
    if getattr(estimator, "_encodes_tables", False):
        estimator._encoder = encoder
        estimator.columns_ = getattr(encoder, "columns_", None)


def is_encoded(estimator: Any) -> bool:
    """Return True if features of an estimator have the scales of an encoder."""
    encoder = getattr(estimator, "_encoder", None)
    return encoder is not None and not encoder.is_numeric_


def scale_of(estimator: Any) -> Any:
    """Return the option ``scale``; features of an encoder keep their scales."""
    return False if is_encoded(estimator) else getattr(estimator, "scale", False)


def check_encoded_scale(estimator: Any) -> None:
    """Raise an error if an estimator has divisors of columns that are encoded."""
    if np.ndim(getattr(estimator, "scale", True)) > 0:
        raise ValueError(
            "scale has divisors of columns, and categories have none: set "
            "scale='auto', or divide the columns of numbers and set scale=False."
        )


def _to_file(first: np.ndarray, others: Iterator[np.ndarray]) -> np.ndarray:
    """Return blocks of rows as an array in a file, which has no name any more."""
    with tempfile.TemporaryFile() as file:
        first.tofile(file)
        for block in others:
            block.tofile(file)
        rows = np.memmap(file, first.dtype, mode="r")
    return rows.reshape(-1, first.shape[1]).view(np.ndarray)
