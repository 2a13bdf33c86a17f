"""The features of a table, as a `TableEncoder` makes them of its cells.

There are three kinds, with the same methods: numbers as they are, columns that are
compared by what they tell about each other, and the words of texts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from maxmargin.tables.basis import Block
from maxmargin.tables.donors import Donors, choose_donors
from maxmargin.tables.expectations import Expectations, fit_expectations, n_features
from maxmargin.tables.frames import take_table_rows
from maxmargin.tables.roles import CATEGORY, NUMBER
from maxmargin.tables.table import Table, Text, join_texts
from maxmargin.texts.encoder import TextEncoder

Cells = Text | np.ndarray  # of a column: values and codes of a category, or numbers


class _OwnUnits:
    """Features that are in the units of the table, and know all values."""

    def in_units(self, X: np.ndarray) -> np.ndarray:
        """Return features in the units of the table."""
        return X

    def unseen(self, table: Table) -> dict[str, tuple[int, list[str]]]:
        """Return nothing: there is no value that is not known."""
        return {}

    def cells(self, table: Table) -> dict[str, Cells]:
        """Return nothing: the features say it."""
        return {}


@dataclass(frozen=True)
class PlainNumbers(_OwnUnits):
    """Numbers as they are, learned from rows without missing values."""

    columns: tuple[str, ...]
    medians: np.ndarray  # fill the missing values of other rows

    filling = "numbers are the medians of their columns"
    text_columns = ()  # those that are text in a file

    @property
    def names(self) -> list[str]:
        """Return the names of the features."""
        return list(self.columns)

    def encode(self, table: Table) -> np.ndarray:
        """Return the features; the matrix of the table is overwritten if it can be."""
        X = numbers_of(table, self.columns)
        rows, columns = np.nonzero(np.isnan(X))
        X[rows, columns] = self.medians[columns]
        return X


@dataclass(frozen=True)
class TextColumns(_OwnUnits):
    """The words of columns of texts."""

    columns: tuple[str, ...]
    encoder: TextEncoder

    filling = "a missing text has no words"

    @property
    def text_columns(self) -> tuple[str, ...]:
        """Return the columns that are text in a file."""
        return self.columns

    @property
    def names(self) -> list[str]:
        """Return the words."""
        found: list[str] = self.encoder.get_feature_names_out().tolist()
        return found

    def encode(self, table: Table) -> Any:
        """Return sparse features; a missing text has no words."""
        return self.encoder.transform(join_texts(table, self.columns))


@dataclass(frozen=True)
class ExpectedColumns:
    """Numbers, and categories by their expectations given the other columns."""

    expectations: Expectations
    weights: np.ndarray  # variance of the features of each block; 0 if it has none
    keeps_numbers: bool  # as they are in the table, not standardised
    donors: Donors

    filling = "numbers are those of similar rows, text needs no value"

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the columns that the features depend on."""
        return tuple(block.name for block in self.expectations.blocks)

    def cells(self, table: Table) -> dict[str, Cells]:
        """Return the columns of which the features are expectations."""
        return {
            block.name: Text(block.codes(table), block.values)
            if block.role == CATEGORY
            else block.numbers(table)
            for block in self.expectations.blocks
            if block.role != NUMBER
        }

    @property
    def text_columns(self) -> tuple[str, ...]:
        """Return the columns that are text in a file."""
        return tuple(
            block.name
            for block in self.expectations.blocks
            if block.role == CATEGORY or block.form is not None
        )

    @property
    def names(self) -> list[str]:
        """Return the names of the features; ``column=value`` is an expectation."""
        found: list[str] = []
        for _, block, _ in _places(self.expectations, self.weights):
            if block.role == CATEGORY:
                found += [f"{block.name}={value}" for value in block.values]
            else:
                found.append(str(block.name))
        return found

    def encode(self, table: Table) -> np.ndarray:
        """Return the features; the matrix of the table is overwritten if it can be."""
        places = _places(self.expectations, self.weights)
        if not self.keeps_numbers or any(b.role != NUMBER for _, b, _ in places):
            return self._encode(table)
        X = numbers_of(table, [block.name for _, block, _ in places])
        broken = np.flatnonzero(np.isnan(X).any(axis=1))
        if len(broken):
            X[broken] = self._encode(take_table_rows(table, broken))
        return X

    def _encode(self, table: Table) -> np.ndarray:
        phi = self.expectations.functions(table)
        X = _standardised(self.expectations, self.weights, table, phi)
        if np.isnan(X).any():
            self.donors.fill(X, _expected(self.expectations, self.weights, phi, X))
        if self.keeps_numbers:
            for _, block, own in _places(self.expectations, self.weights):
                if block.role == NUMBER:
                    known = block.numbers(table)
                    filled = X[:, own.start] * block.scale + block.center
                    X[:, own.start] = np.where(np.isnan(known), filled, known)
        return X

    def in_units(self, X: np.ndarray) -> np.ndarray:
        """Return features in the units of the table: numbers, and shares of values."""
        X = np.array(X, dtype=float)
        places = {c: own for c, _, own in _places(self.expectations, self.weights)}
        featured = self.expectations.featured
        fitted = self.expectations.fitted(
            np.hstack([X[:, places[c]] for c in featured] or [X[:, :0]])
        )
        for c, own in places.items():
            block = self.expectations.blocks[c]
            if block.role == CATEGORY:
                X[:, own] = fitted[c] * block.divisor + block.mean
            elif block.role != NUMBER:
                X[:, own] = fitted[c] * block.scale + block.center
            elif not self.keeps_numbers:
                scale = block.scale / np.sqrt(self.weights[c])
                X[:, own] = X[:, own] * scale + block.center
        return X

    def unseen(self, table: Table) -> dict[str, tuple[int, list[str]]]:
        """Return values that the fit had not: by column, their rows and themselves."""
        blocks = self.expectations.blocks
        found = {block.name: block.unseen(table) for block in blocks}
        return {name: unseen for name, unseen in found.items() if unseen[1]}


Features = PlainNumbers | ExpectedColumns | TextColumns


def fit_columns(
    table: Table, blocks: Sequence[Block], standardise: bool
) -> ExpectedColumns:
    """Learn the features of columns from the rows of a table.

    Numbers that are not standardised all count alike.
    """
    expectations = fit_expectations(table, blocks)
    weights = np.array(
        [
            1.0 if block.role == NUMBER and not standardise else variance
            for block, variance in zip(blocks, expectations.variances, strict=True)
        ]
    )
    phi = expectations.functions(table)
    X = _standardised(expectations, weights, table, phi)
    donors = choose_donors(X, _expected(expectations, weights, phi, X))
    return ExpectedColumns(expectations, weights, not standardise, donors)


def _places(
    expectations: Expectations, weights: np.ndarray
) -> list[tuple[int, Block, slice]]:
    """Return the blocks that have features: their numbers, themselves, and where."""
    found, start = [], 0
    for c in np.flatnonzero(weights > 0).tolist():
        block = expectations.blocks[c]
        found.append((c, block, slice(start, start + n_features(block))))
        start = found[-1][2].stop
    return found


def _standardised(
    expectations: Expectations, weights: np.ndarray, table: Table, phi: np.ndarray
) -> np.ndarray:
    """Return the features with standardised numbers, those missing as NaN."""
    places = _places(expectations, weights)
    maps = expectations.split(expectations.maps)
    number = np.zeros((phi.shape[1], 1))
    parts = [maps.get(c, number) for c, _, _ in places]
    X: np.ndarray = phi @ np.hstack([phi.T[:, :0], *parts])
    for c, block, own in places:
        if block.role == NUMBER:
            divisor = block.scale / np.sqrt(weights[c])
            X[:, own.start] = (block.numbers(table) - block.center) / divisor
    return X


def _expected(
    expectations: Expectations, weights: np.ndarray, phi: np.ndarray, X: np.ndarray
) -> np.ndarray:
    """Return standardised features with all missing numbers as expected."""
    filled = X.copy()
    for c, _, own in _places(expectations, weights):
        rows = np.flatnonzero(np.isnan(X[:, own.start]))
        if len(rows):
            number = expectations.expected(phi[rows], c)
            filled[rows, own.start] = np.sqrt(weights[c]) * number
    return filled


def numbers_of(table: Table, names: Sequence[str]) -> np.ndarray:
    """Return columns of numbers, the matrix of the table itself if it has no others."""
    if tuple(names) == table.number_names:
        return table.numbers
    return np.column_stack([table.column(name) for name in names])
