"""Tables with numbers and categories, read from the objects of any library.

`maxmargin.tables.objects` reads tables of numbers; here booleans, categories and text
are read too, as `Text`: codes and values.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from maxmargin.tables.numbers import MISSING
from maxmargin.tables.objects import OpenTable, count_table_rows, open_table
from maxmargin.tables.table import (
    NUMBER,
    TEXT,
    UNUSABLE,
    Table,
    TableError,
    Text,
    collect,
    count_rows_of,
    join_parts,
)

NO_VALUE = MISSING | {"?"}  # cells of categories that are missing values


@dataclass(frozen=True)
class Frame:
    """A table with columns of numbers and of text, which can be read repeatedly."""

    opened: OpenTable
    n_rows: int
    groups: frozenset[str]  # columns whose type is boolean or categorical
    dates: frozenset[str]  # columns of numbers that are dates or times, in days
    named: frozenset[str] = frozenset()  # columns that are used even if they are ids

    @property
    def names(self) -> list[str]:
        """Return the names of the columns."""
        return list(self.opened.source.kinds)

    @property
    def is_numeric(self) -> bool:
        """Return True if all columns hold numbers."""
        return set(self.opened.source.kinds.values()) == {NUMBER}

    def parts(self, names: Sequence[str], n_rows: int) -> Iterator[Table]:
        """Yield some columns as tables of at most ``n_rows`` rows."""
        source = self.opened.source
        for part in source.parts(names, n_rows):
            if size := count_rows_of(part):
                yield without_gaps(collect(source, names, (), [part], size))

    def sample(self, names: Sequence[str], max_rows: int) -> tuple[Table, np.ndarray]:
        """Return evenly spaced rows, and how many values of each column are missing."""
        return _sample(self, names, max_rows)


@dataclass(frozen=True)
class TableFrame:
    """A table that was read from a file, with what its user said about columns."""

    table: Table
    text: frozenset[str] = frozenset()  # columns that are categories as asked
    named: frozenset[str] = frozenset()  # columns that are used even if they are ids

    is_numeric: ClassVar[bool] = False  # ids and codes of a file are not numbers

    @property
    def groups(self) -> frozenset[str]:
        """Return the columns of booleans and categories."""
        return self.table.groups | self.text

    @property
    def dates(self) -> frozenset[str]:
        """Return the columns of numbers that are dates or times, in days."""
        return self.table.dates

    @property
    def names(self) -> list[str]:
        """Return the names of the columns."""
        return list(self.table.names)

    @property
    def n_rows(self) -> int:
        """Return the number of rows."""
        return len(self.table)

    def parts(self, names: Sequence[str], n_rows: int) -> Iterator[Table]:
        """Yield all columns as tables of at most ``n_rows`` rows, which are views."""
        for start in range(0, len(self.table), n_rows):
            yield take_table_rows(self.table, slice(start, start + n_rows))

    def sample(self, names: Sequence[str], max_rows: int) -> tuple[Table, np.ndarray]:
        """Return evenly spaced rows, and how many values of each column are missing."""
        return _sample(self, names, max_rows)


def _sample(
    frame: Frame | TableFrame, names: Sequence[str], max_rows: int
) -> tuple[Table, np.ndarray]:
    """Return evenly spaced rows, and the missing values of each column in all rows."""
    step = max(1, -(-frame.n_rows // max_rows))
    parts, start = [], 0
    n_missing = np.zeros(len(names), dtype=np.int64)
    for part in frame.parts(names, 65_536):
        n_missing += [is_missing(part, name).sum() for name in names]
        parts.append(take_table_rows(part, np.arange(-start % step, len(part), step)))
        start += len(part)
    return _join(parts, names), n_missing


def open_frame(X: Any) -> Frame:
    """Open a table; a stream, which can be read only once, is held in memory."""
    opened = open_table(X)
    if not opened.repeatable:
        import pyarrow as pa

        X = pa.RecordBatchReader.from_stream(X).read_all()
        opened = open_table(X)
    kinds, groups, dates = declared_kinds(opened)
    _check_usable(kinds, opened.source.name)
    text = _pandas_text if hasattr(opened.header, "iloc") else _arrow_text(opened)
    source = replace(opened.source, kinds=kinds, text=text)
    n_rows = count_table_rows(X, opened)
    assert n_rows is not None  # the table can be read repeatedly
    return Frame(replace(opened, source=source), n_rows, groups, dates)


def declared_kinds(
    opened: OpenTable,
) -> tuple[dict[str, str], frozenset[str], frozenset[str]]:
    """Return the kinds of the columns, and which of them are groups and dates.

    Groups, booleans and categories, are text here, whatever their values are.
    """
    kinds = dict(opened.source.kinds)
    groups, dates = (
        _pandas_types(opened.header)
        if hasattr(opened.header, "iloc")
        else (opened.source.groups, opened.source.dates)
    )
    for name in groups:
        if kinds[name] == NUMBER:
            kinds[name] = TEXT
    return kinds, groups, dates


def is_missing(table: Table, name: str) -> np.ndarray:
    """Return a mask of the rows in which a value is missing."""
    if name in table.texts:
        return table.texts[name].codes < 0
    return np.isnan(table.column(name))


def _check_usable(kinds: dict[str, str], table: str) -> None:
    for name, kind in kinds.items():
        if kind == UNUSABLE:
            raise TableError(
                f"Column {name!r} of {table} holds no numbers, categories or dates: "
                "convert it, or leave it out."
            )


def _pandas_types(header: Any) -> tuple[frozenset[str], frozenset[str]]:
    """Return the columns of booleans and categories, and those of dates."""
    from pandas.api import types

    groups, dates = [], []
    for name, dtype in header.dtypes.items():
        if hasattr(dtype, "categories") or types.is_bool_dtype(dtype):
            groups.append(name)
        elif types.is_datetime64_any_dtype(dtype):
            dates.append(name)
    return frozenset(groups), frozenset(dates)


def _pandas_text(column: Any) -> Text:
    import pandas as pd

    codes, values = pd.factorize(column)
    return Text(codes, tuple(str(value) for value in values))


def _arrow_text(opened: OpenTable) -> Any:
    """Return the function that reads text, made to read booleans as well."""

    def text(column: Any) -> Text:
        from pyarrow import string, types

        if types.is_boolean(column.type):
            column = column.cast(string())
            read = opened.source.text(column)
            return Text(read.codes, tuple(value.title() for value in read.values))
        read = opened.source.text(column)
        return Text(read.codes, tuple(str(value) for value in read.values))

    return text


def without_gaps(table: Table) -> Table:
    """Return a table in which the signs of missing values are missing values."""
    texts = {
        name: text.with_gaps(NO_VALUE) if NO_VALUE & set(text.values) else text
        for name, text in table.texts.items()
    }
    return replace(table, texts=texts)


def take_table_rows(table: Table, rows: np.ndarray | slice) -> Table:
    """Return some rows of a table."""
    texts = {name: text.take(rows) for name, text in table.texts.items()}
    return replace(table, numbers=table.numbers[rows], texts=texts)


def _join(parts: Sequence[Table], names: Sequence[str]) -> Table:
    """Return the rows of all parts as one table."""
    if not parts:
        return Table((), np.empty((0, 0)), names=tuple(names))
    numbers = np.concatenate([part.numbers for part in parts])
    texts = {
        name: join_parts(part.texts[name] for part in parts) for name in parts[0].texts
    }
    return replace(parts[0], numbers=numbers, texts=texts)


def regroup(parts: Iterator[np.ndarray], block_rows: int) -> Iterator[np.ndarray]:
    """Yield the rows of all parts in blocks of one size."""
    waiting: list[np.ndarray] = []
    n_waiting = 0
    for part in parts:
        while n_waiting + len(part) >= block_rows:
            cut = block_rows - n_waiting
            yield np.concatenate([*waiting, part[:cut]])
            part, waiting, n_waiting = part[cut:], [], 0
        waiting.append(part)
        n_waiting += len(part)
    if n_waiting:
        yield np.concatenate(waiting)
