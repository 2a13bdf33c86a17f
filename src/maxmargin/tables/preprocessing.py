"""The features of a table in a file: what a `TableEncoder` makes of its columns.

The encoder decides what the columns are and how they are compared, for files as for
data frames. A command or the page adds what its options say:

- Missing and infinite values raise an error, are filled by the encoder, or drop their
  row.
- Numbers alone are divided by their standard deviations with ``scale="on"``, and with
  ``scale="auto"`` by the rule of `maxmargin.rows.preparation`, which the estimators
  share. Counts (non-negative integers, nine in ten of them zero) are not, and the
  estimators handle them. Beside categories, numbers are standardised unless
  ``scale="off"``.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from maxmargin.rows.preparation import (
    ColumnStatistics,
    are_scales_different,
    column_statistics,
    divisors,
    is_count_data,
    join_columns,
    outweighing_column,
)
from maxmargin.tables.encoder import CHUNK, Column, TableEncoder
from maxmargin.tables.features import Cells
from maxmargin.tables.frames import (
    TableFrame,
    is_missing,
    take_table_rows,
    without_gaps,
)
from maxmargin.tables.roles import ID, NUMBER, TEXT
from maxmargin.tables.table import Table, TableError, Text, join_texts

TRUTH = {"0": "False", "1": "True"}  # of booleans, which are numbers in a table


class EncodedRows(NamedTuple):
    """The samples of a table, and the positions of their rows."""

    X: Any  # an array, or a sparse one of words
    rows: np.ndarray


@dataclass(frozen=True)
class Preprocessor:
    """The encoding of all columns, fitted to a table by `fit_preprocessor`."""

    encoder: TableEncoder
    missing: str = "median"
    divisors: np.ndarray | None = None  # of numbers alone, if they are scaled
    factors: np.ndarray | None = None  # of the features, if weights were given
    notes: tuple[str, ...] = ()

    @property
    def scaled(self) -> bool:
        """Return True if numbers are divided by their standard deviations."""
        plain = self.encoder.is_numeric_ or self.encoder.is_text_
        return self.divisors is not None if plain else self.encoder.scale

    @property
    def columns(self) -> list[str]:
        """Return the names of the columns that are used."""
        return list(self.encoder.features.columns)

    @property
    def text_columns(self) -> list[str]:
        """Return the names of the columns of text."""
        return list(self.encoder.features.text_columns)

    @property
    def feature_names(self) -> list[str]:
        """Return the names of the features; booleans are called by their names."""
        names = self.encoder.features.names
        truth = {
            f"{column}={number}": f"{column}={value}"
            for column, about in self.encoder.columns_.items()
            if about.is_boolean
            for number, value in TRUTH.items()
        }
        return [truth.get(name, name) for name in names] if truth else names

    def transform(self, table: Table) -> EncodedRows:
        """Return the features of a table.

        The matrix of the table is overwritten if it can hold them.
        """
        table = clean_table(table)
        rows = self.usable_rows(table)
        if len(rows) < len(table):
            table = take_table_rows(table, rows)
        if self.encoder.is_text_:
            return EncodedRows(self.encoder.features.encode(table), rows)
        if self.encoder.is_numeric_:
            X = self.encoder.features.encode(table)
        else:
            X = np.empty((len(rows), len(self.feature_names)))
            for start in range(0, len(rows), CHUNK):
                own = slice(start, start + CHUNK)
                X[own] = self.encoder.features.encode(take_table_rows(table, own))
        if self.divisors is not None:
            X /= self.divisors
        if self.factors is not None:
            X *= self.factors
        return EncodedRows(X, rows)

    def read_texts(self, table: Table, rows: np.ndarray) -> list[str] | None:
        """Return the texts of some rows if their words are the features, else None."""
        if not self.encoder.is_text_:
            return None
        return join_texts(take_table_rows(table, rows), self.columns)

    def cells_of(self, table: Table, rows: np.ndarray) -> dict[str, Cells]:
        """Return the columns of some rows of which features are expectations."""
        table = take_table_rows(clean_table(table), rows)
        columns = self.encoder.columns_
        return {
            name: replace(cells, values=tuple(TRUTH.get(v, v) for v in cells.values))
            if isinstance(cells, Text) and columns[name].is_boolean
            else cells
            for name, cells in self.encoder.features.cells(table).items()
        }

    def unseen(self, table: Table) -> dict[str, tuple[int, str]]:
        """Return values that the fit had not: by column, their rows and an example."""
        found = self.encoder.features.unseen(clean_table(table))
        return {name: (count, values[0]) for name, (count, values) in found.items()}

    def inverse_transform(self, X: np.ndarray) -> np.ndarray:
        """Return features (n x p) in the units of the table."""
        X = X if self.factors is None else X / self.factors
        return self.encoder.features.in_units(
            X if self.divisors is None else X * self.divisors
        )

    def usable_rows(self, table: Table) -> np.ndarray:
        """Return all rows, or with ``missing="drop"`` those without missing values."""
        if self.missing == "error":
            _check_missing(table, self.columns)
        if self.missing != "drop":
            return np.arange(len(table))
        gaps = np.any([is_missing(table, name) for name in self.columns], axis=0)
        rows = np.flatnonzero(~gaps)
        if len(rows) == 0:
            raise TableError(
                "Every row has a missing value: use --missing median, or --drop the "
                "columns with missing values."
            )
        return rows


def fit_preprocessor(
    table: Table,
    scale: str = "auto",
    missing: str = "median",
    named: Sequence[str] = (),
    text: Sequence[str] = (),
    roles: Mapping[str, str] | None = None,
    weights: Mapping[str, float] | None = None,
) -> Preprocessor:
    """Learn the encoding of the columns of a table.

    Columns in ``named`` are features even if they look like ids, and those in ``text``
    are no numbers even if they look like them. ``roles`` are those of `TableEncoder`.
    The features of a column are multiplied by the root of its weight, if it has one.
    """
    frame = TableFrame(clean_table(table), frozenset(text), frozenset(named))
    given = {n: role for n, role in (roles or {}).items() if n in table.names}
    encoder = _fit_encoder(frame, scale, given)
    rows = Preprocessor(encoder, missing).usable_rows(frame.table)
    if len(rows) < len(table):
        frame = replace(frame, table=take_table_rows(frame.table, rows))
        encoder = _fit_encoder(frame, scale, given)
    notes = [*table.notes, *_notes(encoder)]
    notes += gap_notes(count_gaps(frame.table, encoder.features.columns), encoder)
    factors = _divisors(frame.table, encoder, scale, notes)
    found = Preprocessor(encoder, missing, factors, _factors(encoder, weights or {}))
    if found.scaled:
        notes.append("numeric columns are divided by their standard deviations")
    return replace(found, notes=tuple(notes))


def _factors(encoder: TableEncoder, weights: Mapping[str, float]) -> np.ndarray | None:
    """Return the factor of each feature, None if no column has a weight."""
    columns = set(encoder.features.columns)
    if encoder.is_text_ or not any(weights.get(name, 1.0) != 1.0 for name in columns):
        return None
    names = [
        name if name in columns else name.partition("=")[0]
        for name in encoder.features.names
    ]
    return np.sqrt([weights.get(name, 1.0) for name in names])


def _fit_encoder(frame: TableFrame, scale: str, roles: dict[str, str]) -> TableEncoder:
    try:
        return TableEncoder(scale=scale != "off", roles=roles).fit_frame(frame)
    except ValueError as error:
        raise TableError(str(error)) from None


def clean_table(table: Table) -> Table:
    """Return a table whose missing values are gaps, as in data frames.

    Infinite numbers of its matrix are overwritten.
    """
    table.numbers[np.isinf(table.numbers)] = np.nan
    return without_gaps(table)


def _notes(encoder: TableEncoder) -> list[str]:
    """Return what is told the user about columns."""
    if encoder.is_text_:
        shown = ", ".join(map(repr, encoder.features.columns))
        n_words = len(encoder.features.names)
        return [f"texts in {shown} are compared by {n_words} words"]
    notes = [_note(name, column) for name, column in encoder.columns_.items()]
    return [note for note in notes if note]


def _note(name: str, column: Column) -> str:
    """Return what is told about a column, nothing about a number that is one."""
    if column.role == TEXT:
        return (
            f"column {name!r} holds texts and is not used beside other columns: "
            f"cluster it alone with --features {name}"
        )
    if column.role == ID:
        return f"column {name!r} looks like ids and is not used as a feature"
    if column.weight == 0:
        return f"column {name!r} is not used: {column.reason}"
    if column.role == NUMBER and column.weight == 1:
        return ""
    return f"column {name!r}: {column.role}, {column.reason}"


def _divisors(
    table: Table, encoder: TableEncoder, scale: str, notes: list[str]
) -> np.ndarray | None:
    """Return the standard deviations of numbers alone if they are to be divided.

    If they are not and one column outweighs the others, a note is added.
    """
    if not encoder.is_numeric_ or scale == "off":
        return None
    names = encoder.features.columns
    statistics = join_columns([_statistics(table.column(name)) for name in names])
    if scale == "auto":
        counts = not table.texts and is_count_data(table.numbers)
        if counts or not are_scales_different(statistics):
            if not counts and (j := outweighing_column(statistics)) is not None:
                notes.append(
                    f"column {names[j]!r} outweighs the other one, which hardly "
                    "counts: give --scale on if their units differ, or --scale off"
                )
            return None
    return divisors(statistics)


def _statistics(values: np.ndarray) -> ColumnStatistics:
    """Return the statistics of the finite values of a column."""
    values = values[np.isfinite(values)]
    return column_statistics(values[:, None], np.ones(len(values)))


def _check_missing(table: Table, names: Sequence[str]) -> None:
    """Raise an error if values are missing."""
    if gaps := count_gaps(table, names):
        raise TableError(
            f"Values are missing or infinite in {_listed(gaps)}: replace them with "
            "--missing median, or drop their rows with --missing drop."
        )


def count_gaps(table: Table, names: Sequence[str]) -> Counter[str]:
    """Return how many values are missing in the columns that have gaps."""
    return +Counter({name: int(is_missing(table, name).sum()) for name in names})


def gap_notes(gaps: Counter[str], encoder: TableEncoder) -> list[str]:
    """Return what is told about gaps that were filled, nothing if there are none."""
    shown = f"values are missing in {_listed(gaps)}: {encoder.features.filling}"
    return [shown] if gaps else []


def _listed(gaps: Counter[str]) -> str:
    return ", ".join(f"{name} ({count})" for name, count in gaps.items())
