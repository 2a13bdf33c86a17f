"""Open files with tables: with numpy, pyarrow or the standard library."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import numpy as np

from maxmargin.tables.excel import read_sheet
from maxmargin.tables.formats import InputFile
from maxmargin.tables.numbers import (
    choose_format,
    examine,
    parse_numbers,
)
from maxmargin.tables.table import (
    NUMBER,
    TEXT,
    UNUSABLE,
    Part,
    Source,
    TableError,
    Text,
)
from maxmargin.tables.text import (
    TextOptions,
    check_quotes,
    find_error,
    text_layout,
    text_source,
)


def open_source(
    file: InputFile,
    whole: bool,
    options: TextOptions = TextOptions(),  # noqa: B008
    keep: Sequence[str] = (),
) -> Source:
    """Open a file for reading; in a text file the columns in ``keep`` are text.

    If ``whole``, the type of a column of a text file is that of all its rows, else that
    of the first megabyte.
    """
    if file.format == "npy":
        return _open_npy(file)
    if file.format == "npz":
        return _open_npz(file)
    if file.format == "spreadsheet":
        columns, notes = read_sheet(file)
        return replace(_source(file, columns), notes=notes)
    if file.format == "AnnData":
        from maxmargin.tables.anndata import read_cells

        columns, extra, notes = read_cells(file)
        found = _source(file, {**columns, **extra}, frozenset(extra))
        return replace(found, notes=notes)
    if find_spec("pyarrow") is None:
        if file.format == "text":
            return _open_text(file, whole, options, keep)
        raise TableError(f"{file.name} needs pyarrow: pip install 'maxmargin[tables]'.")
    from maxmargin.tables import arrow

    if file.format == "parquet":
        return arrow.open_parquet(file)
    if file.format == "ipc":
        return arrow.open_ipc(file)
    if file.format == "json lines":
        return arrow.open_json_lines(file, whole)
    return arrow.open_text(file, whole, options, keep)


def _open_npy(file: InputFile) -> Source:
    """Open an array; the rows of a file are read when they are used."""
    array = np.load(
        file.path_or_buffer(),
        mmap_mode=None if file.path is None else "r",
        allow_pickle=False,
    )
    if array.dtype.names:
        return _source(file, {name: array[name] for name in array.dtype.names})
    return _source(file, _matrix_columns(file, array))


def _open_npz(file: InputFile) -> Source:
    """Open an archive: its array ``X``, or its only matrix.

    Arrays with one value for each row, such as labels, are columns that are not used
    unless they are named. ``feature_names`` has the names of the columns of the matrix.
    """
    arrays = {}
    with np.load(file.path_or_buffer(), allow_pickle=False) as archive:
        for key in archive.files:
            try:
                arrays[key] = archive[key]
            except ValueError:  # an array of Python objects
                continue
    matrices = [key for key, array in arrays.items() if array.ndim == 2]
    main = "X" if "X" in matrices else matrices[0] if len(matrices) == 1 else None
    if main is None:
        raise TableError(
            f"{file.name} has no array X and {len(matrices)} matrices: store one "
            "matrix as X."
        )
    columns = _matrix_columns(file, arrays[main], arrays.get("feature_names"))
    extra = {
        key: array
        for key, array in arrays.items()
        if array.shape == arrays[main].shape[:1] and key not in columns
    }
    return _source(file, {**columns, **extra}, frozenset(extra))


def _open_text(
    file: InputFile, whole: bool, options: TextOptions, keep: Sequence[str]
) -> Source:
    """Read a text file as a whole, without pyarrow."""
    layout = text_layout(file, options, keep)
    check_quotes(layout)
    error = find_error(layout)
    if error is not None:
        raise error
    table = np.array([cells for _, cells in layout.rows()], dtype=object)
    columns = dict(
        zip(layout.names, table.reshape(-1, len(layout.names)).T, strict=True)
    )
    counts = {
        n: Counter(c.tolist()) for n, c in columns.items() if n not in options.text
    }
    format = layout.numbers
    if not format.certain:
        voters = [cells for name, cells in counts.items() if name not in keep]
        format = choose_format(voters, None, options.thousands)
    found = {name: examine(cells, format, whole) for name, cells in counts.items()}
    source = replace(
        _source(file, columns),
        numbers=lambda column: parse_numbers(column.tolist(), format),
    )
    return text_source(layout.with_numbers(format), found, source)


def _matrix_columns(
    file: InputFile, array: np.ndarray, names: Any = None
) -> dict[str, np.ndarray]:
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2 or array.dtype.kind not in "biufSU":
        raise TableError(
            f"{file.name} has an array of shape {array.shape} and type "
            f"{array.dtype}: give a matrix of numbers, a row for each sample."
        )
    if names is None or len(names) != array.shape[1]:
        names = [f"x{j}" for j in range(array.shape[1])]
    columns = {str(name): array[:, j] for j, name in enumerate(names)}
    if len(columns) < array.shape[1]:
        raise TableError(f"{file.name} has two columns of the same name: rename one.")
    return columns


def _source(
    file: InputFile,
    columns: Mapping[str, np.ndarray],
    extra: frozenset[str] = frozenset(),
) -> Source:
    """Return the source of arrays."""
    kinds = {}
    for name, column in columns.items():
        kind = column.dtype.kind
        kinds[name] = (
            NUMBER if kind in "biufmM" else TEXT if kind in "SUO" else UNUSABLE
        )
    n_rows = len(next(iter(columns.values()), ()))

    def parts(names: Sequence[str], size: int) -> Iterator[Part]:
        for start in range(0, n_rows, size):
            yield {name: columns[name][start : start + size] for name in names}

    source = Source(file.name, kinds, n_rows, parts, _numbers, _text, np.asarray, extra)
    of_kind = {
        sign: frozenset(n for n, column in columns.items() if column.dtype.kind in sign)
        for sign in ("b", "mM")
    }
    return replace(source, groups=of_kind["b"], dates=of_kind["mM"])


def _numbers(column: np.ndarray) -> np.ndarray:
    """Return a column as float64, times as days, dates as days since 1970."""
    if column.dtype.kind == "M":
        column = column - np.datetime64(0, "D")
    if column.dtype.kind == "m":
        days: np.ndarray = column / np.timedelta64(1, "D")
        return days
    return column.astype(float)


def _text(column: np.ndarray) -> Text:
    filled = np.array([v is not None and str(v) != "" for v in column], dtype=bool)
    values, codes = np.unique(column[filled].astype(str), return_inverse=True)
    result = np.full(len(column), -1)
    result[filled] = codes
    return Text(result, tuple(values.tolist()))
