"""Tables that pyarrow reads: Parquet, Arrow (Feather) and text."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from maxmargin.tables.errors import TableError
from maxmargin.tables.opened import Opened, TextLayout
from maxmargin.tables.table import NUMBER, TEXT, UNUSABLE, Batch, Source, Text


def parquet_source(opened: Opened) -> Source:
    """Open a Parquet file; batches follow its row groups."""
    from pyarrow import parquet

    file = parquet.ParquetFile(opened.handle(), pre_buffer=False)

    def batches(names: Sequence[str], n_rows: int) -> Iterator[Any]:
        yield from file.iter_batches(n_rows, columns=list(names), use_threads=True)

    return _source(opened, file.schema_arrow, file.metadata.num_rows, batches)


def ipc_source(opened: Opened) -> Source:
    """Open an Arrow file, or a stream of record batches."""
    import pyarrow as pa

    handle = opened.handle()
    if opened.head.startswith(b"ARROW1"):
        if isinstance(handle, str):
            handle = pa.memory_map(handle)
        file = pa.ipc.open_file(handle)
        parts = map(file.get_batch, range(file.num_record_batches))
        n_rows = file.count_rows()
        schema = file.schema
    else:
        stream = pa.ipc.open_stream(
            pa.OSFile(handle) if isinstance(handle, str) else handle
        )
        parts, n_rows, schema = iter(stream), None, stream.schema

    def batches(names: Sequence[str], size: int) -> Iterator[Any]:
        for part in parts:
            for start in range(0, part.num_rows, size):
                yield part.slice(start, size).select(list(names))

    return _source(opened, schema, n_rows, batches)


def text_source(opened: Opened, layout: TextLayout, whole: bool) -> Source:
    """Open a text file; types are those of all rows, or of the first rows only."""
    from pyarrow import csv

    read = csv.ReadOptions(
        column_names=list(layout.names), skip_rows=1 if layout.header else 0
    )
    parse = csv.ParseOptions(delimiter=layout.delimiter)
    convert = csv.ConvertOptions(strings_can_be_null=True)
    if whole:
        with opened.stream() as stream:
            table = csv.read_csv(
                stream, read_options=read, parse_options=parse, convert_options=convert
            )

        def whole_batches(names: Sequence[str], size: int) -> Iterator[Any]:
            yield from table.select(list(names)).to_batches(max_chunksize=size)

        return _source(
            opened, table.schema, table.num_rows, whole_batches, layout.notes
        )
    with opened.stream() as stream:
        schema = csv.open_csv(
            stream, read_options=read, parse_options=parse, convert_options=convert
        ).schema
    types = {f.name: _stream_type(f.type) for f in schema}

    def batches(names: Sequence[str], size: int) -> Iterator[Any]:
        options = csv.ConvertOptions(
            column_types=types, strings_can_be_null=True, include_columns=list(names)
        )
        with opened.stream() as stream:
            for part in csv.open_csv(
                stream, read_options=read, parse_options=parse, convert_options=options
            ):
                for start in range(0, part.num_rows, size):
                    yield part.slice(start, size)

    return _source(opened, schema, None, batches, layout.notes)


def _stream_type(kind: Any) -> Any:
    """Return the type to hold a column of a stream: later rows may not be whole."""
    import pyarrow as pa

    if pa.types.is_integer(kind) or pa.types.is_null(kind):
        return pa.float64()
    return kind


def _source(opened, schema, n_rows, raw, notes=()) -> Source:  # type: ignore
    kinds = {}
    for field in schema:
        if field.name in kinds:
            raise TableError(
                f"{opened.name} has two columns named {field.name!r}: rename one."
            )
        kinds[field.name] = _kind(field.type)
    return Source(
        opened.name, kinds, n_rows, partial(_batches, kinds, raw), notes=tuple(notes)
    )


def _batches(kinds, raw, names, keep, n_rows) -> Iterator[Batch]:  # type: ignore
    wanted = list(dict.fromkeys([*names, *keep]))
    for part in raw(wanted, n_rows):
        columns = {name: part.column(name) for name in wanted}
        yield Batch(
            part.num_rows,
            {n: _numbers(columns[n]) for n in names if kinds[n] == NUMBER},
            {n: _text(columns[n]) for n in names if kinds[n] == TEXT},
            {n: _exact(columns[n]) for n in keep},
        )


def _kind(kind: Any) -> str:
    """Say what a column is taken for. Dates count as numbers, of days."""
    import pyarrow as pa

    types = pa.types
    if types.is_dictionary(kind):
        return _kind(kind.value_type)
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


def _numbers(column: Any) -> np.ndarray:
    """Return a column as float64, a gap as NaN, a date as days since 1970."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_dictionary(kind):
        column, kind = column.dictionary_decode(), kind.value_type
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        days = column.cast(pa.timestamp("us")).cast(pa.int64())
        return days.cast(pa.float64()).to_numpy(zero_copy_only=False) / 86_400e6
    if kind != pa.float64():
        # A decimal may hold more digits than a float: the nearest one is meant.
        if pa.types.is_boolean(kind):
            column = column.cast(pa.int8())
        column = column.cast(pa.float64(), safe=False)
    return column.to_numpy(zero_copy_only=False)


def _text(column: Any) -> Text:
    """Return a column as codes."""
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    values = tuple(column.dictionary.to_pylist())
    codes = column.indices.cast(pa.int64()).fill_null(-1)
    return Text(codes.to_numpy(zero_copy_only=False), values)


def _exact(column: Any) -> np.ndarray:
    """Return a column as numpy holds it."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    return column.to_numpy(zero_copy_only=False)
