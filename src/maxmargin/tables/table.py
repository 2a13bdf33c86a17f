"""A table in memory: numbers in one matrix, text as codes, other columns unchanged."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Part = Mapping[str, Any]  # some rows of a file: their columns by name

NUMBER, TEXT, UNUSABLE = "number", "text", "unusable"  # kinds of columns


class TableError(ValueError):
    """A file that cannot be read as a table, or a column that cannot be used."""


class CellError(TableError):
    """A cell of a text file that is not a number."""

    def __init__(self, cell: str) -> None:
        super().__init__(f"{cell!r} is not a number.")
        self.cell = cell


@dataclass(frozen=True)
class Text:
    """A text column: ``values[codes]``, where the code -1 is a missing value."""

    codes: np.ndarray
    values: tuple[str, ...]

    def take(self, rows: np.ndarray | slice) -> "Text":
        """Return the column for some rows."""
        return Text(self.codes[rows], self.values)

    def with_gaps(self, missing: Collection[str]) -> "Text":
        """Return the column without some values, which are missing."""
        keep = [c for c, value in enumerate(self.values) if value not in missing]
        lookup = np.full(len(self.values) + 1, -1)
        lookup[keep] = np.arange(len(keep))
        return Text(lookup[self.codes], tuple(self.values[c] for c in keep))


@dataclass(frozen=True)
class Source:
    """The columns of an open file.

    ``parts(names, n_rows)`` reads some columns once, at most ``n_rows`` rows at a time.
    They are columns of pyarrow or numpy; ``numbers``, ``text`` and ``unchanged``
    convert them. ``check(names)`` raises an error if a column cannot be used, and
    ``cell_error(name, cell)`` returns the error about a cell.
    """

    name: str  # of the file, for messages
    kinds: Mapping[str, str]  # of the columns, in the order of the file
    n_rows: int | None  # None if it is only known after reading
    parts: Callable[[Sequence[str], int], Iterator[Part]]
    numbers: Callable[[Any], np.ndarray]  # float64, missing values are NaN
    text: Callable[[Any], Text]
    unchanged: Callable[[Any], np.ndarray]
    extra: frozenset[str] = frozenset()  # columns that are not used unless named
    notes: tuple[str, ...] = ()
    column_notes: Mapping[str, str] = field(default_factory=dict)  # by column
    check: Callable[[Sequence[str]], None] = lambda names: None
    cell_error: Callable[[str, str], TableError] = lambda name, cell: CellError(cell)
    groups: frozenset[str] = frozenset()  # columns of booleans and categories
    dates: frozenset[str] = frozenset()  # columns of dates and times, in days


@dataclass(frozen=True)
class Table:
    """The columns of a file that were read."""

    number_names: tuple[str, ...]  # of numeric columns
    numbers: np.ndarray  # (n_rows, n_numeric_columns), missing values are NaN
    texts: Mapping[str, Text] = field(default_factory=dict)
    kept: Mapping[str, np.ndarray] = field(default_factory=dict)  # unchanged columns
    names: tuple[str, ...] = ()  # of numeric and text columns, in the order of the file
    notes: tuple[str, ...] = ()  # messages for the user
    groups: frozenset[str] = frozenset()  # as in `Source`
    dates: frozenset[str] = frozenset()

    def __len__(self) -> int:
        return len(self.numbers)

    def column(self, name: str) -> np.ndarray:
        """Return a numeric column, a view of the matrix."""
        if name not in self.number_names:
            raise TableError(f"Column {name!r} must hold numbers: it holds text here.")
        return self.numbers[:, self.number_names.index(name)]

    def text(self, name: str) -> Text:
        """Return a text column; whole numbers are codes, written as text."""
        if name in self.texts:
            return self.texts[name]
        column = self.column(name)
        filled = np.isfinite(column)
        if not (column[filled] == np.rint(column[filled])).all():
            raise TableError(f"Column {name!r} must hold text: it holds numbers here.")
        values, found = np.unique(column[filled], return_inverse=True)
        codes = np.full(len(column), -1)
        codes[filled] = found
        return Text(codes, tuple(str(int(value)) for value in values))


def join_texts(table: Table, names: Sequence[str]) -> list[str]:
    """Return the texts of each row as one; missing ones are empty."""
    columns = []
    for name in names:
        text = table.text(name)
        values = np.array([*text.values, ""], dtype=object)
        columns.append(values[text.codes].tolist())
    return [" ".join(row) for row in zip(*columns, strict=True)]


def join_parts(parts: Iterable[Text]) -> Text:
    """Return a text column that is put together from parts with different codes."""
    codes: dict[str, int] = {}
    joined = []
    for part in parts:
        lookup = [codes.setdefault(value, len(codes)) for value in part.values]
        joined.append(np.array([*lookup, -1], dtype=np.int32)[part.codes])
    return Text(np.concatenate(joined), tuple(codes))


def count_rows_of(part: Part) -> int:
    """Return the number of rows of some columns."""
    return len(next(iter(part.values())))


def fill_numbers(
    source: Source, part: Part, names: Sequence[str], matrix: np.ndarray
) -> None:
    """Write numeric columns of a part into the columns of a matrix."""
    for j, name in enumerate(names):
        try:
            matrix[:, j] = source.numbers(part[name])
        except CellError as error:
            raise source.cell_error(name, error.cell) from None


def number_blocks(
    source: Source, names: Sequence[str], block_rows: int, dtype: Any = np.float64
) -> Iterator[np.ndarray]:
    """Yield numeric columns as matrices of ``block_rows`` rows, the last one of fewer.

    So the borders of the blocks do not depend on those of the parts.
    """
    for name in names:
        if source.kinds[name] != NUMBER:
            what = "text" if source.kinds[name] == TEXT else "no numbers"
            raise TableError(
                f"Column {name!r} of {source.name} holds {what}: encode it as numbers, "
                "or leave it out."
            )
    block = np.empty((block_rows, len(names)), dtype=dtype)
    filled = 0
    for part in source.parts(names, block_rows):
        n_rows = count_rows_of(part)
        start = 0
        while start < n_rows:
            size = min(n_rows - start, block_rows - filled)
            rows = slice(start, start + size)
            some = {name: column[rows] for name, column in part.items()}
            fill_numbers(source, some, names, block[filled : filled + size])
            start, filled = start + size, filled + size
            if filled == block_rows:
                yield block
                block, filled = np.empty_like(block), 0
    if filled:
        yield block[:filled]


def collect(
    source: Source,
    names: Sequence[str],
    keep: Sequence[str],
    parts: Iterable[Part],
    n_rows: int,
) -> Table:
    """Return a table of parts with ``n_rows`` >= 1 rows in total.

    Numbers are copied directly into one matrix.
    """
    number_names = tuple(name for name in names if source.kinds[name] == NUMBER)
    numbers = np.empty((n_rows, len(number_names)))
    texts: dict[str, list[Text]] = {n: [] for n in names if source.kinds[n] == TEXT}
    kept: dict[str, list[np.ndarray]] = {name: [] for name in keep}
    found = source.column_notes
    start = 0
    for part in parts:
        stop = start + count_rows_of(part)
        fill_numbers(source, part, number_names, numbers[start:stop])
        for name, column in texts.items():
            column.append(source.text(part[name]))
        for name, values in kept.items():
            values.append(source.unchanged(part[name]))
        start = stop
    return Table(
        number_names,
        numbers,
        {name: join_parts(column) for name, column in texts.items()},
        {name: np.concatenate(values) for name, values in kept.items()},
        tuple(names),
        (*source.notes, *(f"column {n!r}: {found[n]}" for n in names if n in found)),
        source.groups,
        source.dates,
    )
