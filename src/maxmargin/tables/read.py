"""Read a table, as a whole or in blocks of rows."""

import csv
import sys
import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from gzip import BadGzipFile
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from maxmargin import progress
from maxmargin.tables.formats import InputFile, open_input
from maxmargin.tables.objects import is_table, open_table
from maxmargin.tables.readers import open_source
from maxmargin.tables.table import (
    UNUSABLE,
    Part,
    Source,
    Table,
    TableError,
    collect,
    count_rows_of,
    number_blocks,
)
from maxmargin.tables.text import TextOptions

BLOCK_ROWS = 65_536
_DAMAGED = (EOFError, BadZipFile, BadGzipFile, zlib.error, csv.Error)


def read_table(
    path: str | Path,
    features: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    text_options: TextOptions = TextOptions(),  # noqa: B008
) -> Table:
    """Read the columns of a file that are features, and others unchanged.

    Parameters
    ----------
    path : str or Path
        A file whose suffix determines its format: CSV, TSV, Parquet, Arrow or Feather,
        JSON lines, a spreadsheet, ``.npy`` or ``.npz``. Text may be compressed with
        gzip. ``"-"`` is standard input.
    features : sequence of str, default=None
        Names of the columns to use. By default all except those in ``drop`` and
        ``keep``.
    drop : sequence of str
        Names of columns that are not used.
    keep : sequence of str
        Names of columns that are not features and returned unchanged: ids, labels. In
        a text file they are text.
    text_options : TextOptions
        How a text file is written, if it shall not be found out.

    Returns
    -------
    table : Table
        Its attributes are ``number_names`` and ``numbers``, the numeric columns as a
        matrix; ``texts``, the text columns by name; ``kept``, the other columns by
        name.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> from maxmargin.tables import read_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "small.npy")
    ...     np.save(path, np.zeros((4, 2)))
    ...     table = read_table(path)
    >>> len(table)
    4
    """
    file = open_input(path)
    with _errors_in_one_line(file):
        source = open_source(file, True, text_options, keep)
        names = _choose_columns(source, features, drop, keep)
        if features is None:
            source = _note_left_out(source, {*drop, *keep, *names})
        size = max(1024, min(BLOCK_ROWS, (1 << 20) // len(names)))  # fits in the cache
        parts: Iterable[Part] = source.parts([*names, *keep], size)
        n_rows = source.n_rows
        if n_rows is None:
            parts = list(parts)
            n_rows = sum(map(count_rows_of, parts))
        table = _collect(source, names, keep, parts, n_rows)
    if "pyarrow" in sys.modules:  # return its unused memory to the operating system
        sys.modules["pyarrow"].default_memory_pool().release_unused()
    return table


def read_table_and_parts(
    path: str | Path, text_options: TextOptions
) -> tuple[Table, list[Part]]:
    """Read a file once: as `read_table` does, and all columns as they are stored.

    What only describes rows, such as the cell types of AnnData, is kept.
    """
    file = open_input(path)
    with _errors_in_one_line(file):
        source = open_source(file, True, text_options)
        names = _choose_columns(source, None, (), ())
        source = _note_left_out(source, names)
        parts = list(source.parts(list(source.kinds), BLOCK_ROWS))
        n_rows = sum(map(count_rows_of, parts))
        kept = [name for name in source.kinds if name in source.extra]
        return _collect(source, names, kept, parts, n_rows), parts


def _collect(
    source: Source,
    names: Sequence[str],
    keep: Sequence[str],
    parts: Iterable[Part],
    n_rows: int,
) -> Table:
    if n_rows == 0:
        raise TableError(f"{source.name} has a header and no rows: give a table.")
    return collect(source, names, keep, _with_progress(parts, n_rows), n_rows)


def read_columns(
    path: str | Path,
    text_options: TextOptions = TextOptions(),  # noqa: B008
) -> dict[str, np.ndarray]:
    """Read all columns of a file unchanged; those of a text file are text."""
    file = open_input(path)
    with _errors_in_one_line(file):
        names = list(open_source(file, False, text_options).kinds)
    file = open_input(path)
    with _errors_in_one_line(file):
        source = open_source(file, True, text_options, names)
        parts = list(source.parts(names, BLOCK_ROWS))
    return {
        name: np.concatenate([source.unchanged(part[name]) for part in parts])
        for name in names
    }


def read_table_blocks(
    path: str | Path,
    features: Sequence[str] | None = None,
    keep: Sequence[str] = (),
    block_rows: int = BLOCK_ROWS,
    text_options: TextOptions = TextOptions(),  # noqa: B008
) -> Iterator[Table]:
    """Read a file in blocks of rows; the memory does not grow with the file.

    In a text file, the kind of a column is that of its first megabyte.
    """
    file = open_input(path)
    with _errors_in_one_line(file):
        source = open_source(file, file.path is None, text_options, keep)
        if features is None:
            features = [name for name in source.kinds if name not in source.extra]
        names = _choose_columns(source, features, (), keep)
        for part in source.parts([*names, *keep], block_rows):
            yield collect(source, names, keep, [part], count_rows_of(part))


def read_blocks(
    table: Any, columns: Sequence[str] | None = None, block_rows: int = BLOCK_ROWS
) -> Iterator[np.ndarray]:
    """Read numbers from a table larger than memory, a block of rows at a time.

    Parquet files are read by row groups and Arrow files by record batches, ``.npy``
    files are memory-mapped, text files are streamed. A query, such as a LazyFrame of
    polars or a relation of DuckDB, is run as a stream.

    Parameters
    ----------
    table : str, Path or table
        A file, or any table that `fit` takes: a data frame of pandas or polars, a
        LazyFrame, a Table, Dataset or RecordBatchReader of pyarrow, a relation of
        DuckDB, or another object with the method ``__arrow_c_stream__``.
    columns : sequence of str, default=None
        Names of numeric columns; all columns by default.
    block_rows : int, default=65536
        Number of rows in a block; the last one may have fewer.

    Yields
    ------
    block : ndarray of shape (n_rows, n_columns)
        Missing values are NaN.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> from maxmargin import MaxMarginClustering
    >>> from maxmargin.tables import read_blocks
    >>> model = MaxMarginClustering(2, random_state=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "large.npy")
    ...     np.save(path, np.random.RandomState(0).randn(300, 2))
    ...     for block in read_blocks(path, block_rows=100):
    ...         model = model.partial_fit(block)
    >>> model.n_samples_seen_
    300
    """
    if is_table(table):
        opened = open_table(table)
        chosen = list(opened.source.kinds) if columns is None else columns
        names = _choose_columns(opened.source, chosen, (), ())
        yield from number_blocks(opened.source, names, block_rows, opened.dtype)
        return
    file = open_input(table)
    with _errors_in_one_line(file):
        source = open_source(file, file.path is None)
        if columns is None:
            columns = [name for name in source.kinds if name not in source.extra]
        names = _choose_columns(source, columns, (), ())
        yield from number_blocks(source, names, block_rows)


def declared_shape(path: str | Path) -> tuple[int, int]:
    """Return the numbers of rows and columns that a file declares.

    They are 0 where the file must be read for that.
    """
    if str(path) == "-":
        return 0, 0
    file = open_input(path)
    with _errors_in_one_line(file):
        if file.format in ("text", "json lines", "spreadsheet"):
            return 0, 0
        if file.format == "AnnData":
            from maxmargin.tables.anndata import used_shape

            return used_shape(file)
        source = open_source(file, whole=False)
        return source.n_rows or 0, len(source.kinds)


def _choose_columns(
    source: Source,
    features: Sequence[str] | None,
    drop: Sequence[str],
    keep: Sequence[str],
) -> list[str]:
    """Return the names of the features; raise an error if a name is unknown."""
    for name in [*(features or ()), *drop, *keep]:
        if name not in source.kinds:
            known = list(source.kinds)
            shown = ", ".join(known[:20]) + (", ..." if len(known) > 20 else "")
            raise TableError(f"{source.name} has no column {name!r}: it has {shown}.")
    if features is None:
        usable = [name for name, kind in source.kinds.items() if kind != UNUSABLE]
        left_out = {*drop, *keep, *source.extra}
    else:
        usable, left_out = list(dict.fromkeys(features)), set(drop)
    names = [name for name in usable if name not in left_out]
    for name in names:
        if source.kinds[name] == UNUSABLE:
            raise TableError(
                f"Column {name!r} of {source.name} holds neither numbers nor text: "
                "leave it out."
            )
    if not names:
        raise TableError(
            f"{source.name} has no columns left to use: drop fewer columns."
        )
    source.check(names)
    return names


def _note_left_out(source: Source, known: Collection[str]) -> Source:
    """Add a note on columns that are not used as they hold no numbers and no text."""
    left_out = [n for n, k in source.kinds.items() if k == UNUSABLE and n not in known]
    notes = [
        f"column {n!r} is not used: it has no numbers and no text" for n in left_out
    ]
    return replace(source, notes=(*source.notes, *notes))


@contextmanager
def _errors_in_one_line(file: InputFile) -> Iterator[None]:
    """Convert the errors of a library into one line that names the file."""
    try:
        yield
    except (ValueError, LookupError, RuntimeError, OSError, *_DAMAGED) as error:
        if isinstance(error, TableError | OSError) and not isinstance(error, _DAMAGED):
            raise
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise TableError(
            f"{file.name} cannot be read as a table ({file.format}): {reason}"
        ) from error


def _with_progress(parts: Iterable[Part], n_rows: int) -> Iterator[Part]:
    done = 0
    for part in parts:
        yield part
        done += count_rows_of(part)
        progress.update(done / n_rows)
