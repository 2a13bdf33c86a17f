"""A table in memory: numbers in one matrix, text as codes, and columns set aside."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from maxmargin import progress

NUMBER, TEXT, UNUSABLE = "number", "text", "unusable"


@dataclass(frozen=True)
class Text:
    """A column of text: ``values[codes]``, the code -1 being a gap."""

    codes: np.ndarray
    values: tuple[str, ...]

    def take(self, rows: np.ndarray) -> "Text":
        """Return the column for some rows."""
        return Text(self.codes[rows], self.values)


@dataclass(frozen=True)
class Batch:
    """Some rows: features as numbers and codes, and columns kept as they are."""

    n_rows: int
    numbers: Mapping[str, np.ndarray]  # float64, a gap is NaN
    texts: Mapping[str, Text]
    kept: Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Source:
    """A file that was opened: its columns, and a way to go through its rows.

    ``batches(names, keep, n_rows)`` goes through the file once, some rows at a time:
    the columns ``names`` as features, the columns ``keep`` as they are.
    """

    name: str  # of the file, for messages
    kinds: Mapping[str, str]  # of the columns, in their order
    n_rows: int | None  # None if it is known at the end alone
    batches: Callable[[Sequence[str], Sequence[str], int], Iterator[Batch]]
    aside: frozenset[str] = frozenset()  # columns that are used by name alone
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Table:
    """Numbers (n x p) with NaN for gaps, text columns, and columns kept as they are."""

    number_names: tuple[str, ...]
    numbers: np.ndarray
    texts: Mapping[str, Text] = field(default_factory=dict)
    kept: Mapping[str, np.ndarray] = field(default_factory=dict)
    names: tuple[str, ...] = ()  # of numbers and text, in the order of the file
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.numbers)


class _Codes:
    """Codes of texts that come in batches, each with a code list of its own."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {}
        self.parts: list[np.ndarray] = []

    def add(self, column: Text) -> None:
        places = [self.known.setdefault(v, len(self.known)) for v in column.values]
        self.parts.append(np.array([*places, -1], dtype=np.int32)[column.codes])

    def column(self) -> Text:
        codes = np.concatenate(self.parts) if self.parts else np.empty(0, np.int32)
        return Text(codes, tuple(self.known))


def collect(
    source: Source,
    names: Sequence[str],
    keep: Sequence[str],
    batches: Iterable[Batch],
    n_rows: int,
) -> Table:
    """Put batches together. Numbers go straight to their place in one matrix."""
    number_names = tuple(name for name in names if source.kinds[name] == NUMBER)
    numbers = np.empty((n_rows, len(number_names)))
    texts = {name: _Codes() for name in names if source.kinds[name] == TEXT}
    kept: dict[str, list[np.ndarray]] = {name: [] for name in keep}
    start = 0
    for batch in batches:
        stop = start + batch.n_rows
        for j, name in enumerate(number_names):
            numbers[start:stop, j] = batch.numbers[name]
        for name, codes in texts.items():
            codes.add(batch.texts[name])
        for name, parts in kept.items():
            parts.append(batch.kept[name])
        start = stop
        progress.update(start / max(n_rows, 1))
    return Table(
        number_names,
        numbers,
        {name: codes.column() for name, codes in texts.items()},
        {name: np.concatenate(parts) for name, parts in kept.items()},
        tuple(names),
        source.notes,
    )
