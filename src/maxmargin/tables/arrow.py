"""Read and write tables with pyarrow, which this module needs to be imported."""

import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import IO, Any

import numpy as np
import pyarrow as pa
from pyarrow import compute, csv, json, parquet, types

from maxmargin.tables.formats import InputFile
from maxmargin.tables.numbers import (
    CODE,
    MISSING,
    NumberFormat,
    TextColumn,
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
    TextLayout,
    TextOptions,
    check_quotes,
    encoding_error,
    find_error,
    text_layout,
    text_source,
)

_JSON_BYTES = 1 << 23  # of lines that are read at once

_IS_NUMBER = (
    types.is_integer,
    types.is_floating,
    types.is_boolean,
    types.is_decimal,
    types.is_null,
    types.is_timestamp,
    types.is_date,
    types.is_time,
    types.is_duration,
)
_IN_DAYS = {
    types.is_timestamp: pa.timestamp("us"),
    types.is_date: pa.timestamp("us"),
    types.is_time: pa.time64("us"),
    types.is_duration: pa.duration("us"),
}
_IS_TEXT = (
    types.is_string,
    types.is_large_string,
    getattr(types, "is_string_view", types.is_string),
)


def open_parquet(file: InputFile) -> Source:
    """Open a Parquet file; batches follow its row groups."""
    reader = parquet.ParquetFile(file.path_or_buffer(), pre_buffer=False)
    return batch_source(
        file.name,
        reader.schema_arrow,
        reader.metadata.num_rows,
        lambda names, size: reader.iter_batches(size, columns=names, use_threads=True),
    )


def open_ipc(file: InputFile) -> Source:
    """Open an Arrow file, or a stream of record batches."""
    place = file.path_or_buffer()
    on_disk = isinstance(place, str)
    if file.head.startswith(b"ARROW1"):
        reader = pa.ipc.open_file(pa.memory_map(place) if on_disk else place)
        numbers = range(reader.num_record_batches)
        batches = map(reader.get_batch, numbers)
        # In a mapped file, only the heads of the batches are read for this.
        n_rows = sum(reader.get_batch(number).num_rows for number in numbers)
    else:
        reader = pa.ipc.open_stream(pa.OSFile(place) if on_disk else place)
        batches, n_rows = iter(reader), None
    return batch_source(file.name, reader.schema, n_rows, lambda names, size: batches)


def open_json_lines(file: InputFile, whole: bool) -> Source:
    """Open a file with an object of JSON in each line, which has the columns by name.

    If ``whole``, the type of a column is that of all its rows, else that of the first
    lines.
    """
    tables = list(islice(_json_tables(file), None if whole else 1))
    try:
        table = pa.concat_tables(tables, promote_options="permissive")
    except (pa.ArrowTypeError, pa.ArrowInvalid) as error:
        raise TableError(
            f"{file.name} has columns of numbers and of text in one: {error}"
        ) from None

    def batches(names: list[str], size: int) -> Iterator[Any]:
        parts = [table] if whole else _json_tables(file)
        for part in parts:
            for name in names:
                if name not in part.column_names:  # in none of these lines
                    nulls = pa.nulls(part.num_rows, table.schema.field(name).type)
                    part = part.append_column(name, nulls)
            yield from part.select(names).combine_chunks().to_batches()

    return batch_source(
        file.name, table.schema, table.num_rows if whole else None, batches
    )


def _json_tables(file: InputFile) -> Iterator[Any]:
    """Read a file of JSON lines, some megabytes at a time."""
    first = 1
    with file.open() as stream:
        while lines := stream.readlines(_JSON_BYTES):
            last = first + len(lines) - 1
            if any(line.strip() for line in lines):
                try:
                    yield json.read_json(io.BytesIO(b"".join(lines)))
                except pa.ArrowInvalid as error:
                    reason = str(error).splitlines()[0]
                    raise TableError(
                        f"{file.name}, lines {first} to {last}: {reason}"
                    ) from None
            first = last + 1


def open_text(
    file: InputFile, whole: bool, options: TextOptions, keep: Sequence[str]
) -> Source:
    """Read a text file as a whole, or open it to read it in blocks.

    The columns in ``keep`` are read as text.
    """
    layout = text_layout(file, options, keep)
    strings = dict.fromkeys([*keep, *options.text], pa.string())
    with _errors_with_lines(layout), layout.open() as stream:
        zeros = check_quotes(layout)
        convert = _text_options(layout, column_types=strings)
        if whole:
            table = csv.read_csv(stream, **convert)
            table = _with_codes(layout, table) if zeros else table
        else:
            reader = csv.open_csv(stream, **convert)
            table = pa.Table.from_batches(islice(reader, 1), reader.schema)
    if any(types.is_binary(field.type) for field in table.schema):
        raise encoding_error(layout)
    layout, found = _examine(layout, table, options, keep, whole)
    kinds = {field.name: _stream_type(field.type) for field in table.schema}

    def batches(names: list[str], size: int) -> Iterator[Any]:
        if whole:
            yield from table.select(names).to_batches(max_chunksize=size)
            return
        convert = _text_options(layout, column_types=kinds, include_columns=names)
        with _errors_with_lines(layout), layout.open() as stream:
            yield from csv.open_csv(stream, **convert)

    n_rows = table.num_rows if whole else None
    source = batch_source(file.name, table.schema, n_rows, batches)
    numbers = partial(_numbers_of_text, layout.numbers)
    return text_source(layout, found, replace(source, numbers=numbers))


def _with_codes(layout: TextLayout, table: Any) -> Any:
    """Return the table with columns of codes such as 01067 as they are written."""
    names = [field.name for field in table.schema if types.is_integer(field.type)]
    if not names:
        return table
    strings = dict.fromkeys(names, pa.string())
    convert = _text_options(layout, column_types=strings, include_columns=names)
    with layout.open() as stream:
        written = csv.read_csv(stream, **convert)
    for name in names:
        column = written.column(name)
        if compute.any(compute.match_substring_regex(column, CODE.pattern)).as_py():
            table = table.set_column(table.column_names.index(name), name, column)
    return table


def _text_options(layout: TextLayout, **convert: Any) -> dict[str, Any]:
    return {
        "read_options": csv.ReadOptions(
            column_names=list(layout.names), skip_rows=layout.skip
        ),
        "parse_options": csv.ParseOptions(
            delimiter=layout.delimiter, newlines_in_values=True
        ),
        "convert_options": csv.ConvertOptions(
            null_values=sorted(MISSING), decimal_point=layout.numbers.decimal, **convert
        ),
    }


def _stream_type(kind: Any) -> Any:
    """Return text for numbers: later rows may have other signs than the first ones."""
    numbers = (types.is_integer, types.is_floating, types.is_null)
    return pa.string() if any(test(kind) for test in numbers) else kind


@contextmanager
def _errors_with_lines(layout: TextLayout) -> Iterator[None]:
    """Name the line in errors of pyarrow."""
    try:
        yield
    except (pa.ArrowInvalid, UnicodeError) as error:
        raise find_error(layout) or error from None


def _examine(
    layout: TextLayout,
    table: Any,
    options: TextOptions,
    keep: Sequence[str],
    whole: bool,
) -> tuple[TextLayout, dict[str, TextColumn]]:
    """Return what the text columns hold, and the number format if they show it."""
    cells = {}
    for field in table.schema:
        if types.is_string(field.type) and field.name not in options.text:
            counts = compute.value_counts(table.column(field.name))
            values, numbers = counts.flatten()
            cells[field.name] = dict(
                zip(values.to_pylist(), numbers.to_pylist(), strict=True)
            )
    format = layout.numbers
    if not format.certain:
        voters = [counts for name, counts in cells.items() if name not in keep]
        found = choose_format(voters, None, options.thousands)
        floats = any(types.is_floating(field.type) for field in table.schema)
        if found.decimal == format.decimal or not floats:
            format = found
    columns = {name: examine(counts, format, whole) for name, counts in cells.items()}
    return layout.with_numbers(format), columns


def _numbers_of_text(format: NumberFormat, column: Any) -> np.ndarray:
    if not types.is_string(column.type):
        return _numbers(column)
    if format.decimal == ".":
        gaps = compute.is_in(column, value_set=pa.array(sorted(MISSING)))
        with suppress(pa.ArrowInvalid):
            return _numbers(compute.if_else(gaps, None, column))
    coded = column.dictionary_encode()
    values = parse_numbers(coded.dictionary.to_pylist(), format)
    return values[coded.indices.to_numpy(zero_copy_only=False)]


def batch_source(
    name: str,
    schema: Any,
    n_rows: int | None,
    batches: Callable[[list[str], int], Iterable[Any]],
) -> Source:
    """Return the source of record batches with columns of some names.

    ``name`` is that of the file or object, for messages.
    """
    kinds: dict[str, str] = {}
    for field in schema:
        if field.name in kinds:
            raise TableError(
                f"{name} has two columns named {field.name!r}: rename one."
            )
        kinds[field.name] = _kind(field.type)

    def parts(names: Sequence[str], size: int) -> Iterator[Part]:
        names = list(dict.fromkeys(names))
        for batch in batches(names, size):
            for start in range(0, batch.num_rows, size):
                part = batch.slice(start, size)
                yield {name: part.column(name) for name in names}

    groups, dates = declared_types(schema)
    return Source(
        name,
        kinds,
        n_rows,
        parts,
        _numbers,
        _text,
        _unchanged,
        groups=groups,
        dates=dates,
    )


def declared_types(schema: Any) -> tuple[frozenset[str], frozenset[str]]:
    """Return the columns of booleans and categories, and those of dates and times."""
    groups, dates = set(), set()
    for field in schema:
        if types.is_boolean(field.type) or types.is_dictionary(field.type):
            groups.add(field.name)
        elif types.is_temporal(field.type):
            dates.add(field.name)
    return frozenset(groups), frozenset(dates)


def _kind(kind: Any) -> str:
    """Return the kind of a column. Dates, times and durations are numbers, in days."""
    if types.is_dictionary(kind):
        return _kind(kind.value_type)
    if any(test(kind) for test in _IS_NUMBER):
        return NUMBER
    return TEXT if any(test(kind) for test in _IS_TEXT) else UNUSABLE


def _numbers(column: Any) -> np.ndarray:
    """Return a column as float64, dates as days since 1970."""
    kind = column.type
    if types.is_dictionary(kind):
        column, kind = column.dictionary_decode(), kind.value_type
    for test, unit in _IN_DAYS.items():
        if test(kind):
            # Nanoseconds are rounded.
            days = column.cast(unit, safe=False).cast(pa.int64()).cast(pa.float64())
            return days.to_numpy(zero_copy_only=False) / 86_400e6
    if kind != pa.float64():
        # Decimals may have more digits than a float: they are rounded.
        if types.is_boolean(kind):
            column = column.cast(pa.int8())
        column = column.cast(pa.float64(), safe=False)
    return column.to_numpy(zero_copy_only=False)


def _text(column: Any) -> Text:
    if not types.is_dictionary(column.type):
        column = column.dictionary_encode()
    values = tuple(column.dictionary.to_pylist())
    codes = column.indices.cast(pa.int64()).fill_null(-1)
    return Text(codes.to_numpy(zero_copy_only=False), values)


def _unchanged(column: Any) -> np.ndarray:
    if types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if column.null_count and types.is_integer(column.type):
        return np.array(column.to_pylist(), dtype=object)  # a float would round it
    return column.to_numpy(zero_copy_only=False)


def write_arrow(
    columns: Mapping[str, np.ndarray], kind: str, delimiter: str, file: IO[bytes]
) -> None:
    """Write columns as text, Parquet or Arrow (``"ipc"``)."""
    table = pa.table({name: pa.array(values) for name, values in columns.items()})
    if kind == "parquet":
        parquet.write_table(table, file)
    elif kind == "ipc":
        with pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)
    elif _needs_quotes(table, delimiter):
        csv.write_csv(table, file, csv.WriteOptions(delimiter=delimiter))
    else:
        file.write((delimiter.join(columns) + "\n").encode())
        options = csv.WriteOptions(
            include_header=False, delimiter=delimiter, quoting_style="none"
        )
        csv.write_csv(table, file, options)


def _needs_quotes(table: Any, delimiter: str) -> bool:
    """Return True if a text has a delimiter, a quote or a line break."""
    texts = [pa.array(table.column_names)]
    texts += [c for c in table.columns if types.is_string(c.type)]
    special = f'[{delimiter}"\r\n]'
    found = [compute.match_substring_regex(text, special) for text in texts]
    return any(compute.any(mask).as_py() for mask in found)
