"""Turn the columns of a table into features.

- A numeric column is one feature. If features are scaled, it is divided by its standard
  deviation, as the estimators do; the expected squared difference of two random samples
  is then 2.
- A text column is replaced by its expectation given the other columns, and so is a
  number with few values in a table with text (`tables.column_encoding`). What the
  others tell nothing about is not used.
- If there are fewer than 20 rows, or nothing to tell, text is one-hot encoded: one
  feature for each of its 50 most frequent values, none for the others. The squared
  distance of two samples with different values is 2, as for a scaled numeric column.
- ``scale="auto"`` scales if there is text, so that numbers and text can be compared,
  or by the rule of `maxmargin.rows.preparation`, which the estimators share. Counts
  (non-negative integers, nine in ten of them zero) are not scaled; the estimators
  handle them.
- Which columns are ids, codes or texts is decided by `maxmargin.tables.roles`. Codes
  are text. Ids are not used as features unless they are named. Texts are not used
  beside other columns; without others, their words are the features
  (`maxmargin.tables.text_samples`).
- Missing and infinite values raise an error, are replaced by the median (in text by the
  most frequent value), or drop their row.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from maxmargin.rows.preparation import (
    ColumnStatistics,
    are_scales_different,
    column_statistics,
    divisors,
    is_count_data,
    join_columns,
)
from maxmargin.tables.basis import OTHER
from maxmargin.tables.column_encoding import (
    ColumnEncoding,
    evenly_spaced,
    expectations_from_json,
    expected_columns,
    expected_features,
    learn_expectations,
    number_weights,
    role_of,
    shares_of_values,
    to_json,
)
from maxmargin.tables.expectations import Expectations
from maxmargin.tables.frames import take_rows
from maxmargin.tables.roles import TEXT, USED
from maxmargin.tables.table import Table, TableError, Text
from maxmargin.tables.text_samples import (
    EncodedRows,
    TextPreprocessor,
    fit_text_preprocessor,
)
from maxmargin.tables.used_columns import choose_features, with_codes

MAX_VALUES = 50  # of a text column


@dataclass(frozen=True)
class Preprocessor:
    """The encoding of all columns, fitted to a table by `fit_preprocessor`."""

    features: tuple[ColumnEncoding, ...]
    missing: str
    scaled: bool
    notes: tuple[str, ...] = ()
    expectations: Expectations | None = None

    @property
    def columns(self) -> list[str]:
        """Return the names of the columns that are used."""
        return [encoding.name for encoding in self.features]

    @property
    def text_columns(self) -> list[str]:
        """Return the names of the columns of text."""
        return [encoding.name for encoding in self.features if encoding.values]

    @property
    def feature_names(self) -> list[str]:
        """Return the names of the features."""
        return [name for encoding in self.features for name in encoding.feature_names]

    def transform(self, table: Table) -> EncodedRows:
        """Return the features of a table.

        The matrix of the table is overwritten if it can hold them.
        """
        rows = self._usable_rows(table)
        numeric = all(encoding.values is None for encoding in self.features)
        if numeric and tuple(self.columns) == table.number_names:
            X = table.numbers if len(rows) == len(table) else table.numbers[rows]
            for j, encoding in enumerate(self.features):
                _encode_numbers(X, j, X[:, j], encoding)
            return EncodedRows(X, rows)
        X = np.zeros((len(rows), len(self.feature_names)))
        expected = self._expected(take_rows(table, rows))
        start = 0
        for encoding in self.features:
            size = len(encoding.feature_names)
            if encoding.block is not None:
                if size:
                    X[:, start : start + size] = expected[encoding.block]
            elif encoding.values is None:
                _encode_numbers(X, start, table.column(encoding.name)[rows], encoding)
            else:
                _encode_text(X, start, table.text(encoding.name).take(rows), encoding)
            start += size
        return EncodedRows(X, rows)

    def _expected(self, table: Table) -> dict[int, np.ndarray]:
        """Return the features of the columns that their expectations stand for."""
        if self.expectations is None or not self.expectations.featured:
            return {}
        return expected_features(self.expectations, table)

    def unseen(self, table: Table) -> dict[str, tuple[int, str]]:
        """Return the text that has no feature: by column, its rows and an example."""
        found = {}
        for encoding in self.features:
            if encoding.values is not None and encoding.feature_names:
                text = table.text(encoding.name)
                known = set(
                    text.values if OTHER in encoding.values else encoding.values
                )
                new = [c for c, value in enumerate(text.values) if value not in known]
                n_rows = int(np.isin(text.codes, new).sum())
                if n_rows:
                    found[encoding.name] = n_rows, text.values[new[0]]
        return found

    def inverse_transform(self, X: np.ndarray) -> np.ndarray:
        """Return features (n x p) in the units of the table."""
        X = np.array(X, dtype=float)
        expected, start = {}, 0
        for encoding in self.features:
            own = slice(start, start + len(encoding.feature_names))
            if encoding.block is None:
                X[:, own] *= encoding.scale
            elif encoding.feature_names:
                expected[encoding.block] = own
            start = own.stop
        if self.expectations is not None and expected:
            parts = {block: X[:, own] for block, own in expected.items()}
            for block, values in shares_of_values(self.expectations, parts).items():
                X[:, expected[block]] = values
        return X

    def to_json(self) -> dict[str, Any]:
        """Return all fields in a form that JSON can store."""
        rules: dict[str, Any] = to_json(self)
        return rules

    @staticmethod
    def from_json(data: dict[str, Any]) -> Any:
        """Return the preprocessor that `to_json` stored, that of texts if it did."""
        if "words" in data:
            return TextPreprocessor.from_json(data)
        features = []
        try:
            for field in data["features"]:
                values = None if field["values"] is None else tuple(field["values"])
                features.append(ColumnEncoding(**{**field, "values": values}))
            missing, scaled, notes = data["missing"], data["scaled"], data["notes"]
            expectations = expectations_from_json(data["expectations"])
        except (TypeError, KeyError):
            raise TableError(
                "The columns were stored by another release: fit and save again."
            ) from None
        return Preprocessor(
            tuple(features), missing, scaled, tuple(notes), expectations
        )

    def _usable_rows(self, table: Table) -> np.ndarray:
        """Return all rows, or with ``missing="drop"`` those without missing values."""
        if self.missing == "error":
            _check_missing(table, self.columns)
        if self.missing != "drop":
            return np.arange(len(table))
        usable = np.ones(len(table), dtype=bool)
        for name in self.columns:
            usable &= ~_is_missing(table, name)
        rows = np.flatnonzero(usable)
        if len(rows) == 0:
            raise TableError(
                "Every row has a missing value: use --missing median, or --drop the "
                "columns with missing values."
            )
        return rows


def fit_preprocessor(
    table: Table, scale: str = "auto", missing: str = "error", named: Sequence[str] = ()
) -> Any:
    """Choose the encoding of the columns of a table.

    It is a `Preprocessor`, or a `TextPreprocessor` if there is nothing but texts.

    Columns in ``named`` are features even if they look like ids. Counts are not scaled
    with ``scale="auto"``.
    """
    notes = list(table.notes)
    part = evenly_spaced(table)
    roles = {name: role_of(part, name).role for name in table.names}
    texts = [name for name in table.names if roles[name] == TEXT]
    if texts and not any(role in USED for role in roles.values()):
        if missing == "error":
            _check_missing(table, texts)
        return fit_text_preprocessor(table, texts, missing, notes)
    table = with_codes(table, roles, notes)
    names = choose_features(table, roles, named, notes)
    for name in names:
        if _is_missing(table, name).all():
            raise TableError(
                f"Column {name!r} has no values: leave it out with --drop."
            )
    if missing == "error":
        _check_missing(table, names)
    statistics = {n: _statistics(table, n) for n in names if n not in table.texts}
    scaled = scale == "on" or (
        scale == "auto" and _needs_scale(table, names, list(statistics.values()))
    )
    expectations = learn_expectations(table, names)
    expected = {} if expectations is None else expected_columns(expectations)
    weights = number_weights(expectations) if scaled else {}
    notes += [encoding.note() for encoding in expected.values()]
    features = [
        expected[name]
        if name in expected
        else _fit_text(table.texts[name], name, missing, notes)
        if name in table.texts
        else _fit_numbers(
            table.column(name),
            name,
            statistics[name] if scaled else None,
            missing,
            weights.get(name, 1.0),
        )
        for name in names
    ]
    if scaled:
        notes.append("numeric columns are divided by their standard deviations")
    return Preprocessor(tuple(features), missing, scaled, tuple(notes), expectations)


def _fit_numbers(
    values: np.ndarray,
    name: str,
    statistics: ColumnStatistics | None,
    missing: str,
    weight: float,
) -> ColumnEncoding:
    """Return the encoding of numbers, scaled if their statistics are given."""
    fill = None
    if missing == "median":
        fill = float(np.median(values[np.isfinite(values)]))
    if statistics is None:
        return ColumnEncoding(name, fill=fill)
    return ColumnEncoding(name, float(divisors(statistics)[0]) / weight**0.5, fill)


def _fit_text(text: Text, name: str, missing: str, notes: list[str]) -> ColumnEncoding:
    counts = np.bincount(text.codes[text.codes >= 0], minlength=len(text.values))
    order = sorted(range(len(counts)), key=lambda c: (-counts[c], text.values[c]))
    kept = tuple(text.values[c] for c in order[:MAX_VALUES] if counts[c])
    note = f"text column {name!r} is one-hot encoded as {len(kept)} features"
    if len(order) > len(kept):
        note += f", its {MAX_VALUES} most frequent values"
    notes.append(note)
    fill = kept[0] if missing == "median" else None
    return ColumnEncoding(name, fill=fill, values=kept)


def _statistics(table: Table, name: str) -> ColumnStatistics:
    """Return the statistics of the finite values of a column."""
    values = table.column(name)
    values = values[np.isfinite(values)]
    return column_statistics(values[:, None], np.ones(len(values)))


def _needs_scale(
    table: Table, names: Sequence[str], statistics: Sequence[ColumnStatistics]
) -> bool:
    """Return True if there is text, or if numbers are on different scales."""
    if any(name in table.texts for name in names):
        return True
    if not table.texts and is_count_data(table.numbers):
        return False
    return are_scales_different(join_columns(statistics))


def _check_missing(table: Table, names: Sequence[str]) -> None:
    """Raise an error if values are missing."""
    counts = {name: int(_is_missing(table, name).sum()) for name in names}
    shown = ", ".join(f"{name} ({count})" for name, count in counts.items() if count)
    if shown:
        raise TableError(
            f"Values are missing or infinite in {shown}: replace them with "
            "--missing median, or drop their rows with --missing drop."
        )


def _is_missing(table: Table, name: str) -> np.ndarray:
    """Return a mask of the rows in which a value is missing or infinite."""
    if name in table.texts:
        return table.texts[name].codes < 0
    return ~np.isfinite(table.column(name))


def _encode_numbers(
    X: np.ndarray, j: int, values: np.ndarray, encoding: ColumnEncoding
) -> None:
    """Write a numeric column to column ``j``, with missing values filled, scaled."""
    if encoding.fill is not None:
        values = np.where(np.isfinite(values), values, encoding.fill)
    X[:, j] = values / encoding.scale


def _encode_text(
    X: np.ndarray, start: int, text: Text, encoding: ColumnEncoding
) -> None:
    """Write the ones of a one-hot encoded column to the columns from ``start`` on."""
    assert encoding.values is not None
    positions = {value: position for position, value in enumerate(encoding.values)}
    missing = positions[str(encoding.fill)] if encoding.fill is not None else -1
    lookup = np.array([*(positions.get(value, -1) for value in text.values), missing])
    columns = lookup[text.codes]
    rows = np.flatnonzero(columns >= 0)
    X[rows, start + columns[rows]] = 1.0
