"""The samples that an estimator is given: arrays, tables, texts or several sources.

An estimator that needs all rows at once gets an array; `MaxMarginClustering` reads the
rows of a large table again for each step. If an estimator sets ``_encodes_tables``, a
table with categories or missing values is encoded, by a `TableEncoder` that is fitted
with the estimator and kept in ``_encoder``, and texts are encoded by their words, by a
`TextEncoder`; others refuse such samples.
"""

import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array, get_tags
from sklearn.utils.validation import validate_data

from maxmargin.engine.options import Options, needs_all_rows, search_size
from maxmargin.rows.blocks import ArraySource, RowSource, StreamSource
from maxmargin.rows.validation import (
    accepted_types,
    check_magnitude,
    check_not_masked,
    check_weights,
    join_samples,
    with_short_indices,
)
from maxmargin.smoothers.affinity_graph import check_affinities, check_affinity_rows
from maxmargin.smoothers.kernel import check_kernel_matrix
from maxmargin.tables.encoder import TableEncoder
from maxmargin.tables.frames import declared_kinds
from maxmargin.tables.objects import count_table_rows, is_table, open_table
from maxmargin.tables.table import NUMBER, number_blocks
from maxmargin.texts.encoder import TextEncoder, is_texts

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


def encode_texts(estimator: Any, X: Any, *, reset: bool) -> Any:
    """Return the features of texts X; the words are learned if ``reset``."""
    name = type(estimator).__name__
    if not getattr(estimator, "_encodes_tables", False):
        raise TypeError(
            f"{name} takes no texts: encode them with maxmargin.texts.TextEncoder."
        )
    if get_tags(estimator).input_tags.pairwise:
        raise TypeError("A precomputed kernel is a matrix of numbers: give no texts.")
    if reset:
        check_encoded_scale(estimator)
        set_encoder(estimator, TextEncoder().fit(X))
    encoder = getattr(estimator, "_encoder", None)
    if not isinstance(encoder, TextEncoder):
        raise ValueError(
            f"{name} was not fitted to a list of texts: give samples as in fit."
        )
    return encoder.transform(X)


def check_no_encoder(estimator: Any) -> None:
    """Raise an error if an estimator needs texts or a table, and got other samples."""
    encoder = getattr(estimator, "_encoder", None)
    name = type(estimator).__name__
    if isinstance(encoder, TextEncoder):
        raise ValueError(f"{name} was fitted to texts: give a list of texts.")
    if encoder is not None:
        raise ValueError(
            f"{name} was fitted to a table whose columns were encoded, so it needs a "
            "table with these columns: give a data frame."
        )


def validate_samples(estimator, X, *, reset, min_samples=2):
    """Return X as `validate_data` does, with the settings of this package.

    CSR matrices are accepted if the tags of the estimator allow sparse input, texts
    (`encode_texts`), tables of any library (`is_table`), see `TableRows`, and several
    sources, see `join_samples`.
    ``min_samples``, and the check of a kernel matrix, hold for ``fit``.
    """
    tags = get_tags(estimator).input_tags
    min_samples = min_samples if reset else 1
    check_not_masked(X)
    X = join_samples(estimator, X, reset=reset)
    if is_table(X):
        X = TableRows(estimator, X, reset=reset).to_array(min_samples)
    else:
        if is_texts(X):
            X = encode_texts(estimator, X, reset=reset)
        elif reset:
            set_encoder(estimator, None)
        else:
            check_no_encoder(estimator)
        X = validate_data(
            estimator,
            X,
            reset=reset,
            accept_sparse="csr" if tags.sparse else False,
            ensure_min_samples=min_samples,
            dtype=accepted_types(X),
            order="C",
        )
    X = with_short_indices(X)
    check_magnitude(X)
    if tags.pairwise:
        check_precomputed(estimator, X, reset=reset)
    return X


def check_precomputed(estimator, X, *, reset) -> None:
    """Raise an error if rows of a precomputed kernel or graph are not valid.

    A graph is sparse, and a kernel is not; what was fitted cannot be changed later.
    """
    if reset:
        estimator._of_graph = sp.issparse(X)
    elif getattr(estimator, "_of_graph", False) != sp.issparse(X):
        raise ValueError(
            f"{type(estimator).__name__} was fitted to a "
            f"{'sparse graph' if estimator._of_graph else 'dense kernel matrix'}, so "
            "it needs rows of the same kind: give them "
            f"{'sparse' if estimator._of_graph else 'dense'}."
        )
    if sp.issparse(X):
        check_affinities(X) if reset else check_affinity_rows(X)
    elif reset:
        check_kernel_matrix(X)


def map_samples(estimator, X, function: Callable[[Any], np.ndarray]) -> np.ndarray:
    """Return ``function(X)``; the rows of a table are passed to it in blocks."""
    results = [function(part) for part in sample_blocks(estimator, X, reset=False)]
    return results[0] if len(results) == 1 else np.concatenate(results)


def sample_blocks(estimator, X, *, reset, whole: bool = False) -> Iterator[Any]:
    """Yield the rows of a table in blocks, other samples at once; at least one row.

    ``whole`` reads a table at once, too.
    """
    if whole or not is_table(X):
        yield validate_samples(estimator, X, reset=reset, min_samples=1)
        return
    join_samples(estimator, X, reset=reset)  # a table is one source
    rows = TableRows(estimator, X, reset=reset)
    n_rows = 0
    for block in rows.blocks():
        yield block
        n_rows += block.shape[0]
    rows.check_number(n_rows, 1)


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
