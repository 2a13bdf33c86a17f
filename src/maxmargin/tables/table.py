"""A table in memory: numbers in one matrix, text as codes, other columns unchanged."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

NUMBER, TEXT, UNUSABLE = "number", "text", "unusable"  # kinds of columns


class TableError(ValueError):
    """A file that cannot be read as a table, or a column that cannot be used."""


@dataclass(frozen=True)
class Text:
    """A text column: ``values[codes]``, where the code -1 is a missing value."""

    codes: np.ndarray
    values: tuple[str, ...]

    def take(self, rows: np.ndarray) -> "Text":
        """Return the column for some rows."""
        return Text(self.codes[rows], self.values)


@dataclass(frozen=True)
class Batch:
    """Consecutive rows of a file."""

    n_rows: int
    numbers: Mapping[str, np.ndarray]  # float64, missing values are NaN
    texts: Mapping[str, Text]
    kept: Mapping[str, np.ndarray]  # columns that are not converted


@dataclass(frozen=True)
class Source:
    """The columns of an open file, and an iterator over its rows.

    ``batches(names, keep, n_rows)`` reads the file once, at most ``n_rows`` rows at a
    time: the columns ``names`` as numbers and text, the columns ``keep`` unchanged.
    """

    name: str  # of the file, for messages
    kinds: Mapping[str, str]  # of the columns, in the order of the file
    n_rows: int | None  # None if it is only known after reading
    batches: Callable[[Sequence[str], Sequence[str], int], Iterator[Batch]]
    extra: frozenset[str] = frozenset()  # columns that are not used unless named
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Table:
    """The columns of a file that were read.

    Attributes
    ----------
    number_names : tuple of str
        Names of the numeric columns.
    numbers : ndarray of shape (n_rows, n_numeric_columns)
        Missing values are NaN.
    texts : mapping of str to Text
        The text columns.
    kept : mapping of str to ndarray
        Columns that are not features, unchanged.
    names : tuple of str
        Names of numeric and text columns, in the order of the file.
    notes : tuple of str
        Messages for the user.
    """

    number_names: tuple[str, ...]
    numbers: np.ndarray
    texts: Mapping[str, Text] = field(default_factory=dict)
    kept: Mapping[str, np.ndarray] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.numbers)

    def column(self, name: str) -> np.ndarray:
        """Return a numeric column, a view of the matrix."""
        if name not in self.number_names:
            raise TableError(f"Column {name!r} must hold numbers: it holds text here.")
        return self.numbers[:, self.number_names.index(name)]

    def text(self, name: str) -> Text:
        """Return a text column."""
        if name not in self.texts:
            raise TableError(f"Column {name!r} must hold text: it holds numbers here.")
        return self.texts[name]


class _TextColumn:
    """A text column that is put together from batches with different codes."""

    def __init__(self) -> None:
        self.codes: dict[str, int] = {}
        self.parts: list[np.ndarray] = []

    def add(self, part: Text) -> None:
        codes = [self.codes.setdefault(v, len(self.codes)) for v in part.values]
        self.parts.append(np.array([*codes, -1], dtype=np.int32)[part.codes])

    def column(self) -> Text:
        codes = np.concatenate(self.parts) if self.parts else np.empty(0, np.int32)
        return Text(codes, tuple(self.codes))


def collect(
    source: Source,
    names: Sequence[str],
    keep: Sequence[str],
    batches: Iterable[Batch],
    n_rows: int,
) -> Table:
    """Return a table of batches with ``n_rows`` rows in total.

    Numbers are copied directly into one matrix.
    """
    number_names = tuple(name for name in names if source.kinds[name] == NUMBER)
    numbers = np.empty((n_rows, len(number_names)))
    texts = {name: _TextColumn() for name in names if source.kinds[name] == TEXT}
    kept: dict[str, list[np.ndarray]] = {name: [] for name in keep}
    start = 0
    for batch in batches:
        stop = start + batch.n_rows
        for j, name in enumerate(number_names):
            numbers[start:stop, j] = batch.numbers[name]
        for name, column in texts.items():
            column.add(batch.texts[name])
        for name, parts in kept.items():
            parts.append(batch.kept[name])
        start = stop
    return Table(
        number_names,
        numbers,
        {name: column.column() for name, column in texts.items()},
        {name: np.concatenate(parts) for name, parts in kept.items()},
        tuple(names),
        source.notes,
    )
