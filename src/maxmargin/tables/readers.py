"""Open files with tables: with numpy, pyarrow or the standard library."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from maxmargin.tables.formats import InputFile, text_layout
from maxmargin.tables.table import (
    NUMBER,
    TEXT,
    UNUSABLE,
    Part,
    Source,
    TableError,
    Text,
)

MISSING = {"", "na", "n/a", "nan", "null", "none", "#n/a"}


def open_source(file: InputFile, whole: bool) -> Source:
    """Open a file for reading.

    If ``whole``, the type of a text column is that of all its rows, else that of the
    first megabyte.
    """
    if file.format == "npy":
        return _open_npy(file)
    if file.format == "npz":
        return _open_npz(file)
    if find_spec("pyarrow") is None:
        if file.format == "text":
            return _open_text(file)
        raise TableError(f"{file.name} needs pyarrow: pip install 'maxmargin[tables]'.")
    from maxmargin.tables import arrow

    if file.format == "parquet":
        return arrow.open_parquet(file)
    return (
        arrow.open_ipc(file) if file.format == "ipc" else arrow.open_text(file, whole)
    )


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


def _open_text(file: InputFile) -> Source:
    """Read a text file as a whole, without pyarrow."""
    layout = text_layout(file)
    with file.open() as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
        reader = csv.reader(text, delimiter=layout.delimiter)
        if layout.header:
            next(reader)
        rows = [row for row in reader if row]
    for number, row in enumerate(rows, 1 + layout.header):
        if len(row) != len(layout.names):
            raise TableError(
                f"{file.name} is not a table: line {number} has {len(row)} values "
                f"where {len(layout.names)} are expected."
            )
    cells = zip(*rows, strict=True) if rows else [()] * len(layout.names)
    columns = {
        name: _parse(column) for name, column in zip(layout.names, cells, strict=True)
    }
    return _source(file, columns, notes=layout.notes)


def _parse(cells: Sequence[str]) -> np.ndarray:
    """Return cells as numbers if all of them are, else as text; None is missing."""
    cells = [cell.strip() for cell in cells]
    try:
        return np.array([np.nan if c.lower() in MISSING else float(c) for c in cells])
    except ValueError:
        return np.array([None if c.lower() in MISSING else c for c in cells], object)


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
    notes: tuple[str, ...] = (),
) -> Source:
    """Return the source of arrays."""
    kinds = {}
    for name, column in columns.items():
        kind = column.dtype.kind
        kinds[name] = NUMBER if kind in "biuf" else TEXT if kind in "SUO" else UNUSABLE
    n_rows = len(next(iter(columns.values()), ()))

    def parts(names: Sequence[str], size: int) -> Iterator[Part]:
        for start in range(0, n_rows, size):
            yield {name: columns[name][start : start + size] for name in names}

    def numbers(column: np.ndarray) -> np.ndarray:
        return column.astype(float)

    return Source(
        file.name, kinds, n_rows, parts, numbers, _text, np.asarray, extra, notes
    )


def _text(column: np.ndarray) -> Text:
    filled = np.array([v is not None and str(v) != "" for v in column], dtype=bool)
    values, codes = np.unique(column[filled].astype(str), return_inverse=True)
    result = np.full(len(column), -1)
    result[filled] = codes
    return Text(result, tuple(values.tolist()))
