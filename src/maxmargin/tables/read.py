"""Read a table, whole or in blocks, whatever its format."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from maxmargin.tables.errors import TableError
from maxmargin.tables.opened import Opened, open_table, text_layout
from maxmargin.tables.plain import npy_source, npz_source, plain_text_source
from maxmargin.tables.table import NUMBER, UNUSABLE, Batch, Source, Table, collect

BLOCK_ROWS = 65_536


def read_table(
    path: str | Path,
    features: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
) -> Table:
    """Read the columns of a file that are features, and others as they are.

    Parameters
    ----------
    path : str or Path
        A file whose suffix tells its format: CSV, TSV, Parquet, Arrow or Feather,
        ``.npy`` or ``.npz``. ``"-"`` is standard input.
    features : sequence of str, default=None
        Names of the columns to use; all but those of ``drop`` and ``keep`` by default.
    drop : sequence of str
        Names of columns not to use.
    keep : sequence of str
        Names of columns that are no features, and wanted as they are: ids, labels.

    Returns
    -------
    table : Table

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
    opened = open_table(path)
    with _one_line_errors(opened):
        source = open_source(opened, whole=True)
        names = choose_columns(source, features, drop, keep)
        batches = source.batches(names, keep, _rows_at_once(names))
        if source.n_rows is None:
            held = list(batches)
            n_rows = sum(batch.n_rows for batch in held)
            table = collect(source, names, keep, held, n_rows)
        else:
            table = collect(source, names, keep, batches, source.n_rows)
    if len(table) == 0:
        raise TableError(f"{opened.name} has a header and no rows: give a table.")
    _give_back_memory()
    return table


def read_table_blocks(
    path: str | Path,
    features: Sequence[str] | None = None,
    keep: Sequence[str] = (),
    block_rows: int = BLOCK_ROWS,
) -> Iterator[Table]:
    """Read a file some rows at a time, as tables; memory does not grow with the file.

    In a text file, what a column holds is told from its first megabyte.
    """
    opened = open_table(path)
    with _one_line_errors(opened):
        source = open_source(opened, whole=opened.path is None)
        names = choose_columns(source, features, (), keep)
        for batch in source.batches(names, keep, block_rows):
            if batch.n_rows:
                yield _table_of(source, names, keep, batch)


def count_rows(path: str | Path) -> int | None:
    """Return the number of rows of a file that tells it without being read."""
    if str(path) == "-":
        return None
    opened = open_table(path)
    with _one_line_errors(opened):
        if opened.format == "text":
            return None
        return open_source(opened, whole=False).n_rows


def read_blocks(
    path: str | Path,
    columns: Sequence[str] | None = None,
    block_rows: int = BLOCK_ROWS,
) -> Iterator[np.ndarray]:
    """Read numbers from a file larger than memory, some rows at a time.

    Parquet files are read by row groups, Arrow files by record batches, ``.npy`` files
    are mapped, text files are streamed.

    Parameters
    ----------
    path : str or Path
    columns : sequence of str, default=None
        Names of columns that hold numbers; all by default.
    block_rows : int, default=65536
        Largest number of rows in a block.

    Yields
    ------
    block : ndarray of shape (n_rows, n_columns)
        A gap is NaN.

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
    for table in read_table_blocks(path, columns, block_rows=block_rows):
        if table.texts:
            name = next(iter(table.texts))
            raise TableError(
                f"Column {name!r} of {path} holds text: name columns of numbers."
            )
        yield table.numbers


def choose_columns(
    source: Source,
    features: Sequence[str] | None,
    drop: Sequence[str],
    keep: Sequence[str],
) -> list[str]:
    """Return the names of the features, having checked all names."""
    for name in [*(features or ()), *drop, *keep]:
        if name not in source.kinds:
            raise TableError(
                f"{source.name} has no column {name!r}: it has {_list(source.kinds)}."
            )
    if features is None:
        left_out = {*drop, *keep, *source.aside}
        names = [
            name
            for name, kind in source.kinds.items()
            if name not in left_out and kind != UNUSABLE
        ]
    else:
        names = [name for name in dict.fromkeys(features) if name not in drop]
        for name in names:
            if source.kinds[name] == UNUSABLE:
                raise TableError(
                    f"Column {name!r} of {source.name} holds neither numbers nor text: "
                    "leave it out."
                )
    if not names:
        raise TableError(f"{source.name} has no column left to use: name some.")
    return names


def open_source(opened: Opened, whole: bool) -> Source:
    """Open a file for reading by what its format asks for."""
    if opened.format == "npy":
        return npy_source(opened)
    if opened.format == "npz":
        return npz_source(opened)
    if find_spec("pyarrow") is None:
        if opened.format != "text":
            raise TableError(
                f"{opened.name} needs pyarrow: pip install 'maxmargin[tables]'."
            )
        return plain_text_source(opened, text_layout(opened))
    from maxmargin.tables.arrow import ipc_source, parquet_source, text_source

    if opened.format == "parquet":
        return parquet_source(opened)
    if opened.format == "ipc":
        return ipc_source(opened)
    return text_source(opened, text_layout(opened), whole)


@contextmanager
def _one_line_errors(opened: Opened) -> Iterator[None]:
    """Turn what a library says of a bad file into one line that names the file."""
    try:
        yield
    except (TableError, OSError, MemoryError):
        raise
    except (ValueError, LookupError, EOFError, RuntimeError, BadZipFile) as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise TableError(
            f"{opened.name} cannot be read as a table ({opened.format}): {reason}"
        ) from error


def _give_back_memory() -> None:
    """Let pyarrow, if it was used, return what it keeps for the next table."""
    if "pyarrow" in sys.modules:
        sys.modules["pyarrow"].default_memory_pool().release_unused()


def _table_of(
    source: Source, names: Sequence[str], keep: Sequence[str], batch: Batch
) -> Table:
    number_names = tuple(name for name in names if source.kinds[name] == NUMBER)
    numbers = np.empty((batch.n_rows, len(number_names)))
    for j, name in enumerate(number_names):
        numbers[:, j] = batch.numbers[name]
    return Table(
        number_names, numbers, batch.texts, batch.kept, tuple(names), source.notes
    )


def _rows_at_once(names: Sequence[str]) -> int:
    """Return how many rows to copy at a time: few enough to stay in the cache."""
    return max(1024, min(BLOCK_ROWS, (1 << 20) // max(len(names), 1)))


def _list(names: object) -> str:
    shown = [str(name) for name in names]  # type: ignore[attr-defined]
    return ", ".join(shown[:20]) + (", ..." if len(shown) > 20 else "")
