"""Tables that are objects: data frames, Arrow tables and streams, lazy queries.

Anything that exports an Arrow stream (``__arrow_c_stream__``) is read a batch at a
time. Three kinds of objects are read through methods of their own: a LazyFrame of
polars and a Dataset of pyarrow do not export a stream, and that of a DuckDB relation
holds the whole result in memory. A data frame of pandas is cut into rows without Arrow.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

from maxmargin.tables.table import NUMBER, TEXT, UNUSABLE, Part, Source, TableError

# Record batches with columns of some names, of about so many rows.
Batches = Callable[[Sequence[str], int], Iterable[Any]]


@dataclass(frozen=True)
class OpenTable:
    """An object that is read as a table."""

    source: Source
    header: Any  # a table without rows, for the names of the features
    dtype: Any  # of the matrix: single precision if all columns have it
    repeatable: bool  # False for a stream, which is read only once


def is_table(X: Any) -> bool:
    """Return True if X is a table that `open_table` reads.

    No library is imported for that. Columns alone, and data frames of pandas with
    sparse columns, are none.
    """
    if _is_a(X, "pandas", "DataFrame"):
        sparse = sys.modules["pandas"].SparseDtype
        return not any(isinstance(dtype, sparse) for dtype in X.dtypes)
    if is_lazy(X):
        return True
    if not hasattr(X, "__arrow_c_stream__") or len(getattr(X, "shape", (0, 0))) != 2:
        return False
    # scikit-learn converts other data frames without pyarrow.
    return find_spec("pyarrow") is not None


def open_table(X: Any) -> OpenTable:
    """Open a table; nothing but the names and the types of its columns is read."""
    if _is_a(X, "pandas", "DataFrame"):
        return _open_pandas(X)
    if find_spec("pyarrow") is None:
        raise ImportError(
            f"A {type(X).__name__} needs pyarrow: pip install 'maxmargin[tables]'."
        )
    return _open_arrow(X)


def _is_a(X: Any, package: str, name: str) -> bool:
    """Return True if X is of a class of a package that is imported."""
    module = sys.modules.get(package)
    return module is not None and isinstance(X, getattr(module, name, ()))


def is_lazy(X: Any) -> bool:
    """Return True if X is a query or files, whose rows are read when needed."""
    return (
        _is_a(X, "polars", "LazyFrame")
        or _is_a(X, "pyarrow.dataset", "Dataset")
        or _is_a(X, "duckdb", "DuckDBPyRelation")
    )


def _open_arrow(X: Any) -> OpenTable:
    """Open an object whose batches of rows are read with pyarrow."""
    import pyarrow as pa

    from maxmargin.tables.arrow import batch_source

    schema, n_rows, batches = _batches(X)
    types = set(schema.types)
    name = f"the {type(X).__name__}"
    return OpenTable(
        batch_source(name, schema, n_rows, batches),
        schema.empty_table(),
        np.float32 if types == {pa.float32()} else np.float64,
        is_lazy(X)
        or isinstance(X, pa.Table | pa.RecordBatch)
        or _is_a(X, "polars", "DataFrame"),
    )


def _batches(X: Any) -> tuple[Any, int | None, Batches]:
    """Return the schema, the number of rows if it is known, and the batches."""
    import pyarrow as pa

    if _is_a(X, "polars", "LazyFrame"):
        empty = pa.RecordBatchReader.from_stream(X.collect_schema().to_frame())
        return empty.schema, None, lambda names, size: _lazy_batches(X, names, size)
    if _is_a(X, "pyarrow.dataset", "Dataset"):
        return (
            X.schema,
            None,
            lambda names, size: X.to_batches(columns=list(names), batch_size=size),
        )
    if _is_a(X, "duckdb", "DuckDBPyRelation"):
        schema = _duckdb_reader(X.limit(0), 1).schema
        return schema, None, lambda names, size: _duckdb_batches(X, names, size)
    try:
        reader = pa.RecordBatchReader.from_stream(X)
    except pa.ArrowInvalid as error:
        raise TableError(
            f"The {type(X).__name__} is not a table of columns with names: {error}"
        ) from None
    n_rows = int(X.shape[0]) if hasattr(X, "shape") else None
    opened = [reader]  # the stream that was opened for the schema is read first

    def batches(names: Sequence[str], size: int) -> Iterable[Any]:
        return opened.pop() if opened else pa.RecordBatchReader.from_stream(X)

    return reader.schema, n_rows, batches


def _lazy_batches(frame: Any, names: Sequence[str], size: int) -> Iterator[Any]:
    """Run the query of a LazyFrame of polars, some rows at a time."""
    import pyarrow as pa

    frame = frame.select(names)
    if hasattr(frame, "collect_batches"):
        parts = frame.collect_batches(chunk_size=size, maintain_order=True)
    else:
        parts = _lazy_slices(frame, size)
    for part in parts:
        yield from pa.RecordBatchReader.from_stream(part)


def _lazy_slices(frame: Any, size: int) -> Iterator[Any]:
    """Yield slices of a LazyFrame, for versions of polars without batches."""
    start = 0
    while len(part := frame.slice(start, size).collect()):
        yield part
        start += size


def _duckdb_batches(relation: Any, names: Sequence[str], size: int) -> Iterator[Any]:
    """Run the query of a relation; it is closed even if it was not read to its end."""
    columns = ", ".join('"' + name.replace('"', '""') + '"' for name in names)
    reader = _duckdb_reader(relation.project(columns), size)
    try:
        yield from reader
    finally:
        reader.close()


def _duckdb_reader(relation: Any, size: int) -> Any:
    named = getattr(relation, "to_arrow_reader", None)  # since DuckDB 1.4
    return (named or relation.fetch_arrow_reader)(size)


def count_table_rows(X: Any, table: OpenTable) -> int | None:
    """Return the number of rows; None if they must be read for that.

    Of a query the rows are counted by its own engine, which may not need to read them.
    """
    if _is_a(X, "polars", "LazyFrame"):
        import polars

        return int(X.select(polars.len()).collect().item())
    if _is_a(X, "pyarrow.dataset", "Dataset"):
        return int(X.count_rows())
    if _is_a(X, "duckdb", "DuckDBPyRelation"):
        return int(X.shape[0])
    return table.source.n_rows


def _open_pandas(frame: Any) -> OpenTable:
    """Open a data frame of pandas; rows are converted when they are read."""
    names = list(frame.columns)
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise TableError(f"the DataFrame has two columns named {twice!r}: rename one.")
    frame = _with_dates(frame)

    def parts(chosen: Sequence[str], size: int) -> Iterator[Part]:
        for start in range(0, len(frame), size):
            rows = frame.iloc[start : start + size]
            yield {name: rows[name] for name in chosen}

    source = Source(
        "the DataFrame",
        {name: _pandas_kind(frame[name]) for name in names},
        len(frame),
        parts,
        _pandas_numbers,
        _no_text,
        np.asarray,
    )
    single = all(dtype == np.float32 for dtype in frame.dtypes)
    return OpenTable(
        source, frame.iloc[:0], np.float32 if single else np.float64, repeatable=True
    )


def _with_dates(frame: Any) -> Any:
    """Return a data frame in which dates that are stored as objects are dates."""
    import pandas as pd
    from pandas.api import types

    dates = [
        name
        for name, dtype in frame.dtypes.items()
        if types.is_object_dtype(dtype)
        and types.infer_dtype(frame[name], skipna=True) in ("date", "datetime")
    ]
    return frame.assign(**{name: pd.to_datetime(frame[name]) for name in dates})


def _pandas_kind(column: Any) -> str:
    """Return the kind of a column of pandas; times are numbers, in days."""
    from pandas.api import types

    dtype = column.dtype
    if hasattr(dtype, "categories"):  # such as intervals, which are text at least
        return NUMBER if _pandas_kind(dtype.categories) == NUMBER else TEXT
    if types.is_complex_dtype(dtype):
        return UNUSABLE
    if types.is_numeric_dtype(dtype) or types.is_bool_dtype(dtype):
        return NUMBER
    if types.is_datetime64_any_dtype(dtype) or types.is_timedelta64_dtype(dtype):
        return NUMBER
    if types.is_object_dtype(dtype):
        found = types.infer_dtype(column, skipna=True)
        numbers = {"integer", "floating", "mixed-integer-float", "decimal", "boolean"}
        if found in numbers | {"empty"}:
            return NUMBER
        return TEXT if found == "string" else UNUSABLE
    return TEXT if types.is_string_dtype(dtype) else UNUSABLE


def _pandas_numbers(column: Any) -> np.ndarray:
    """Return a column of pandas as float64; a missing value is NaN."""
    from pandas.api import types

    if hasattr(column.dtype, "categories"):
        column = column.astype(column.dtype.categories.dtype)
    if types.is_datetime64_any_dtype(column.dtype):
        if column.dt.tz is not None:
            column = column.dt.tz_convert(None)
        column = column - np.datetime64(0, "D")
    if types.is_timedelta64_dtype(column.dtype):
        days: np.ndarray = (column / np.timedelta64(1, "D")).to_numpy()
        return days
    numbers: np.ndarray = column.to_numpy(dtype=np.float64, na_value=np.nan)
    return numbers


def _no_text(column: Any) -> Any:
    raise AssertionError("text is refused before it is read")
