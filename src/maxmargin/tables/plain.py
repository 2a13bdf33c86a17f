"""Tables that numpy reads: `.npy`, `.npz`, and text where pyarrow is not installed."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from maxmargin.tables.errors import TableError
from maxmargin.tables.opened import Opened, TextLayout
from maxmargin.tables.table import NUMBER, TEXT, UNUSABLE, Batch, Source, Text

GAPS = {"", "na", "n/a", "nan", "null", "none", "#n/a"}


def npy_source(opened: Opened) -> Source:
    """Open an array; from a file, rows are read when they are used."""
    mode = "r" if opened.path is not None else None
    array = np.load(opened.handle(), mmap_mode=mode, allow_pickle=False)  # type: ignore
    if array.dtype.names:
        return _source(opened, {name: array[name] for name in array.dtype.names})
    return _source(opened, _matrix(opened, array))


def npz_source(opened: Opened) -> Source:
    """Open an archive: its array X, or its only matrix, and columns beside it.

    Arrays of one number for each row are columns that are used by name alone; they may
    be labels. ``feature_names`` names the columns of the matrix.
    """
    arrays = {}
    with np.load(opened.handle(), allow_pickle=False) as archive:
        for key in archive.files:
            try:
                arrays[key] = archive[key]
            except ValueError:  # an array of Python objects
                continue
    wide = [key for key, array in arrays.items() if array.ndim == 2]
    main = "X" if "X" in wide else wide[0] if len(wide) == 1 else None
    if main is None:
        raise TableError(
            f"{opened.name} has no array X and {len(wide)} matrices: store one matrix "
            "as X."
        )
    columns = _matrix(opened, arrays[main], arrays.get("feature_names"))
    aside = {
        key: array
        for key, array in arrays.items()
        if array.shape == arrays[main].shape[:1] and key not in columns
    }
    return _source(opened, {**columns, **aside}, frozenset(aside))


def plain_text_source(opened: Opened, layout: TextLayout) -> Source:
    """Read a text file without pyarrow, all at once."""
    with opened.stream() as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
        reader = csv.reader(text, delimiter=layout.delimiter)
        if layout.header:
            next(reader)
        rows = [row for row in reader if row]
    for number, row in enumerate(rows, 1 + layout.header):
        if len(row) != len(layout.names):
            raise TableError(
                f"{opened.name} is not a table: line {number} has {len(row)} values "
                f"where {len(layout.names)} are expected."
            )
    cells = zip(*rows, strict=True) if rows else [()] * len(layout.names)
    columns = {
        name: _parse(column) for name, column in zip(layout.names, cells, strict=True)
    }
    return _source(opened, columns, notes=layout.notes)


def _matrix(opened: Opened, array: np.ndarray, names: Any = None) -> dict[str, Any]:
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2 or array.dtype.kind not in "biufSU":
        raise TableError(
            f"{opened.name} holds an array of shape {array.shape} and type "
            f"{array.dtype}: give a matrix of numbers, a row for each sample."
        )
    if names is None or len(names) != array.shape[1]:
        names = [f"x{j}" for j in range(array.shape[1])]
    columns = {str(name): array[:, j] for j, name in enumerate(names)}
    if len(columns) < array.shape[1]:
        raise TableError(f"{opened.name} has two columns of one name: rename one.")
    return columns


def _parse(cells: Sequence[str]) -> np.ndarray:
    """Return cells as numbers if all are, else as text, a gap as None."""
    cleaned = [cell.strip() for cell in cells]
    try:
        return np.array([np.nan if c.lower() in GAPS else float(c) for c in cleaned])
    except ValueError:
        return np.array(
            [None if c.lower() in GAPS else c for c in cleaned], dtype=object
        )


def _source(
    opened: Opened,
    columns: Mapping[str, np.ndarray],
    aside: frozenset[str] = frozenset(),
    notes: tuple[str, ...] = (),
) -> Source:
    kinds = {}
    for name, column in columns.items():
        kind = column.dtype.kind
        kinds[name] = NUMBER if kind in "biuf" else TEXT if kind in "SUO" else UNUSABLE
    n_rows = len(next(iter(columns.values()), ()))
    return Source(
        opened.name, kinds, n_rows, partial(_batches, columns, kinds), aside, notes
    )


def _batches(
    columns: Mapping[str, np.ndarray],
    kinds: Mapping[str, str],
    names: Sequence[str],
    keep: Sequence[str],
    n_rows: int,
) -> Iterator[Batch]:
    total = len(next(iter(columns.values()), ()))
    for start in range(0, total, n_rows):
        part = slice(start, start + n_rows)
        yield Batch(
            min(n_rows, total - start),
            {n: columns[n][part].astype(float) for n in names if kinds[n] == NUMBER},
            {n: _text(columns[n][part]) for n in names if kinds[n] == TEXT},
            {n: np.asarray(columns[n][part]) for n in keep},
        )


def _text(column: np.ndarray) -> Text:
    filled = np.array([v is not None and str(v) != "" for v in column], dtype=bool)
    values, codes = np.unique(column[filled].astype(str), return_inverse=True)
    result = np.full(len(column), -1)
    result[filled] = codes
    return Text(result, tuple(values.tolist()))
