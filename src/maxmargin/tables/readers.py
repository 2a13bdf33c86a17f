"""Readers of the file formats.

pyarrow reads Parquet, Arrow (Feather) and text; numpy reads ``.npy`` and ``.npz``.
Without pyarrow, text is read with the standard library.
"""

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

from maxmargin.tables.formats import InputFile, TextLayout, text_layout
from maxmargin.tables.table import (
    NUMBER,
    TEXT,
    UNUSABLE,
    Batch,
    Source,
    TableError,
    Text,
)

MISSING = {"", "na", "n/a", "nan", "null", "none", "#n/a"}

# Called with column names and a number of rows; yields the columns of some rows.
Parts = Callable[[Sequence[str], int], Iterator[Mapping[str, Any]]]


def open_source(file: InputFile, whole: bool) -> Source:
    """Open a file for reading.

    If ``whole``, the type of a text column is that of all its rows, else that of the
    first megabyte.
    """
    if file.format == "npy":
        return _npy_source(file)
    if file.format == "npz":
        return _npz_source(file)
    if find_spec("pyarrow") is None:
        if file.format == "text":
            return _csv_source(file, text_layout(file))
        raise TableError(f"{file.name} needs pyarrow: pip install 'maxmargin[tables]'.")
    if file.format == "parquet":
        return _parquet_source(file)
    if file.format == "ipc":
        return _ipc_source(file)
    if whole:
        return _arrow_text_source(file, text_layout(file))
    return _arrow_text_stream_source(file, text_layout(file))


class _Conversion(NamedTuple):
    """How the columns of a library are converted."""

    numbers: Callable[[Any], np.ndarray]  # float64, missing values are NaN
    text: Callable[[Any], Text]
    unchanged: Callable[[Any], np.ndarray]


def _batches(
    kinds: Mapping[str, str],
    parts: Parts,
    convert: _Conversion,
    names: Sequence[str],
    keep: Sequence[str],
    n_rows: int,
) -> Iterator[Batch]:
    for columns in parts(list(dict.fromkeys([*names, *keep])), n_rows):
        yield Batch(
            len(next(iter(columns.values()))),
            {n: convert.numbers(columns[n]) for n in names if kinds[n] == NUMBER},
            {n: convert.text(columns[n]) for n in names if kinds[n] == TEXT},
            {n: convert.unchanged(columns[n]) for n in keep},
        )


# pyarrow


def _parquet_source(file: InputFile) -> Source:
    """Open a Parquet file; batches follow its row groups."""
    from pyarrow import parquet

    reader = parquet.ParquetFile(file.path_or_buffer(), pre_buffer=False)

    def parts(names: Sequence[str], size: int) -> Iterator[Mapping[str, Any]]:
        for part in reader.iter_batches(size, columns=list(names), use_threads=True):
            yield _columns(part, names)

    return _arrow_source(file, reader.schema_arrow, reader.metadata.num_rows, parts)


def _ipc_source(file: InputFile) -> Source:
    """Open an Arrow file, or a stream of record batches."""
    import pyarrow as pa

    place = file.path_or_buffer()
    if file.head.startswith(b"ARROW1"):
        reader = pa.ipc.open_file(
            pa.memory_map(place) if isinstance(place, str) else place
        )
        batches = map(reader.get_batch, range(reader.num_record_batches))
        n_rows = reader.count_rows()
    else:
        reader = pa.ipc.open_stream(
            pa.OSFile(place) if isinstance(place, str) else place
        )
        batches, n_rows = iter(reader), None

    def parts(names: Sequence[str], size: int) -> Iterator[Mapping[str, Any]]:
        for batch in batches:
            for start in range(0, batch.num_rows, size):
                yield _columns(batch.slice(start, size), names)

    return _arrow_source(file, reader.schema, n_rows, parts)


def _arrow_text_source(file: InputFile, layout: TextLayout) -> Source:
    """Read a text file as a whole."""
    from pyarrow import csv as arrow_csv

    with file.open() as stream:
        table = arrow_csv.read_csv(stream, **_text_options(layout))

    def parts(names: Sequence[str], size: int) -> Iterator[Mapping[str, Any]]:
        for part in table.select(list(names)).to_batches(max_chunksize=size):
            yield _columns(part, names)

    return _arrow_source(file, table.schema, table.num_rows, parts, layout.notes)


def _arrow_text_stream_source(file: InputFile, layout: TextLayout) -> Source:
    """Open a text file that is read in blocks."""
    from pyarrow import csv as arrow_csv

    with file.open() as stream:
        schema = arrow_csv.open_csv(stream, **_text_options(layout)).schema
    types = {field.name: _stream_type(field.type) for field in schema}

    def parts(names: Sequence[str], size: int) -> Iterator[Mapping[str, Any]]:
        options = _text_options(layout, column_types=types, include_columns=list(names))
        with file.open() as stream:
            for part in arrow_csv.open_csv(stream, **options):
                for start in range(0, part.num_rows, size):
                    yield _columns(part.slice(start, size), names)

    return _arrow_source(file, schema, None, parts, layout.notes)


def _text_options(layout: TextLayout, **convert: Any) -> dict[str, Any]:
    from pyarrow import csv as arrow_csv

    return {
        "read_options": arrow_csv.ReadOptions(
            column_names=list(layout.names), skip_rows=1 if layout.header else 0
        ),
        "parse_options": arrow_csv.ParseOptions(delimiter=layout.delimiter),
        "convert_options": arrow_csv.ConvertOptions(
            strings_can_be_null=True, **convert
        ),
    }


def _stream_type(kind: Any) -> Any:
    """Return float64 for integers and empty columns: later rows may have fractions."""
    import pyarrow as pa

    if pa.types.is_integer(kind) or pa.types.is_null(kind):
        return pa.float64()
    return kind


def _columns(part: Any, names: Sequence[str]) -> Mapping[str, Any]:
    return {name: part.column(name) for name in names}


def _arrow_source(
    file: InputFile,
    schema: Any,
    n_rows: int | None,
    parts: Parts,
    notes: tuple[str, ...] = (),
) -> Source:
    kinds: dict[str, str] = {}
    for field in schema:
        if field.name in kinds:
            raise TableError(
                f"{file.name} has two columns named {field.name!r}: rename one."
            )
        kinds[field.name] = _arrow_kind(field.type)
    convert = _Conversion(_arrow_numbers, _arrow_text, _arrow_unchanged)
    batches = partial(_batches, kinds, parts, convert)
    return Source(file.name, kinds, n_rows, batches, notes=notes)


def _arrow_kind(kind: Any) -> str:
    """Return the kind of a column. Dates are numbers, in days."""
    import pyarrow as pa

    types = pa.types
    if types.is_dictionary(kind):
        return _arrow_kind(kind.value_type)
    if (
        types.is_integer(kind)
        or types.is_floating(kind)
        or types.is_boolean(kind)
        or types.is_decimal(kind)
        or types.is_null(kind)
        or types.is_timestamp(kind)
        or types.is_date(kind)
    ):
        return NUMBER
    if types.is_string(kind) or types.is_large_string(kind):
        return TEXT
    if hasattr(types, "is_string_view") and types.is_string_view(kind):
        return TEXT
    return UNUSABLE


def _arrow_numbers(column: Any) -> np.ndarray:
    """Return a column as float64, dates as days since 1970."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_dictionary(kind):
        column, kind = column.dictionary_decode(), kind.value_type
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        days = column.cast(pa.timestamp("us")).cast(pa.int64())
        return days.cast(pa.float64()).to_numpy(zero_copy_only=False) / 86_400e6
    if kind != pa.float64():
        # Decimals may have more digits than a float: they are rounded.
        if pa.types.is_boolean(kind):
            column = column.cast(pa.int8())
        column = column.cast(pa.float64(), safe=False)
    return column.to_numpy(zero_copy_only=False)


def _arrow_text(column: Any) -> Text:
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    values = tuple(column.dictionary.to_pylist())
    codes = column.indices.cast(pa.int64()).fill_null(-1)
    return Text(codes.to_numpy(zero_copy_only=False), values)


def _arrow_unchanged(column: Any) -> np.ndarray:
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    return column.to_numpy(zero_copy_only=False)


# numpy and the standard library


def _npy_source(file: InputFile) -> Source:
    """Open an array; the rows of a file are read when they are used."""
    array = np.load(
        file.path_or_buffer(),
        mmap_mode=None if file.path is None else "r",
        allow_pickle=False,
    )
    if array.dtype.names:
        return _numpy_source(file, {name: array[name] for name in array.dtype.names})
    return _numpy_source(file, _matrix_columns(file, array))


def _npz_source(file: InputFile) -> Source:
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
    return _numpy_source(file, {**columns, **extra}, frozenset(extra))


def _csv_source(file: InputFile, layout: TextLayout) -> Source:
    """Read a text file as a whole, without pyarrow."""
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
    return _numpy_source(file, columns, notes=layout.notes)


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


def _parse(cells: Sequence[str]) -> np.ndarray:
    """Return cells as numbers if all of them are, else as text; None is missing."""
    cells = [cell.strip() for cell in cells]
    try:
        return np.array([np.nan if c.lower() in MISSING else float(c) for c in cells])
    except ValueError:
        return np.array([None if c.lower() in MISSING else c for c in cells], object)


def _numpy_source(
    file: InputFile,
    columns: Mapping[str, np.ndarray],
    extra: frozenset[str] = frozenset(),
    notes: tuple[str, ...] = (),
) -> Source:
    kinds = {}
    for name, column in columns.items():
        kind = column.dtype.kind
        kinds[name] = NUMBER if kind in "biuf" else TEXT if kind in "SUO" else UNUSABLE
    n_rows = len(next(iter(columns.values()), ()))

    def parts(names: Sequence[str], size: int) -> Iterator[Mapping[str, Any]]:
        for start in range(0, n_rows, size):
            yield {name: columns[name][start : start + size] for name in names}

    convert = _Conversion(lambda column: column.astype(float), _numpy_text, np.asarray)
    batches = partial(_batches, kinds, parts, convert)
    return Source(file.name, kinds, n_rows, batches, extra, notes)


def _numpy_text(column: np.ndarray) -> Text:
    filled = np.array([v is not None and str(v) != "" for v in column], dtype=bool)
    values, codes = np.unique(column[filled].astype(str), return_inverse=True)
    result = np.full(len(column), -1)
    result[filled] = codes
    return Text(result, tuple(values.tolist()))
