"""The encoding of single columns, and of those that others tell something about.

Where a table has text, a text column and a number with few values are replaced by their
expectations given the other columns (`maxmargin.tables.expectations`), as
`maxmargin.tables.TableEncoder` does. Else the values would make groups of their own.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from maxmargin.tables.basis import Block, make_block
from maxmargin.tables.expectations import MIN_SHARE, Expectations, fit_expectations
from maxmargin.tables.frames import take_rows
from maxmargin.tables.roles import CATEGORY, FEW, NUMBER, USED, Decision, decide
from maxmargin.tables.table import Table

LEARNED_ROWS = 10_000  # from which expectations are learned
MIN_ROWS = 20  # with fewer, nothing can be learned
CHUNK = 4096  # rows that are encoded at once


@dataclass(frozen=True)
class ColumnEncoding:
    """The encoding of a column: ``x / scale``, one-hot for text, or its expectation."""

    name: str
    scale: float = 1.0
    fill: float | str | None = None  # replaces missing values
    values: tuple[str, ...] | None = None  # of text
    block: int | None = None  # of the expectations, if these are the features
    share: float = 1.0  # that the other columns explain
    variance: float = 1.0  # of its features; 0 if it has none

    @property
    def feature_names(self) -> list[str]:
        """Return the names of the features of the column."""
        if self.variance == 0:
            return []
        if self.values is None:
            return [self.name]
        return [f"{self.name}={value}" for value in self.values]

    def note(self) -> str:
        """Return what is told the user about an expectation."""
        kind = "column" if self.values is None else "text column"
        if not self.feature_names:
            return (
                f"{kind} {self.name!r} is not used: the other columns tell nothing "
                "about it"
            )
        if self.share < MIN_SHARE:
            return f"{kind} {self.name!r} counts: no column tells about another"
        return (
            f"{kind} {self.name!r} counts by its expectation given the other columns, "
            f"which explain {self.share:.0%} of it"
        )


def evenly_spaced(table: Table) -> Table:
    """Return the rows of a table that roles and expectations are learned from."""
    step = max(1, -(-len(table) // LEARNED_ROWS))
    return take_rows(table, np.arange(0, len(table), step)) if step > 1 else table


def learn_expectations(table: Table, names: Sequence[str]) -> Expectations | None:
    """Return the expectations of the columns of a table with text, if it has others."""
    if len(table) < MIN_ROWS or not any(name in table.texts for name in names):
        return None
    part = evenly_spaced(table)
    roles = {name: role_of(part, name) for name in names}
    used = [name for name in names if roles[name].role in USED]
    blocks = [make_block(part, name, roles[name]) for name in used]
    if len(blocks) < 2:
        return None
    return fit_expectations(part, blocks)


def role_of(table: Table, name: str) -> Decision:
    """Return the role of a column; digits that were read as text stay text."""
    found = decide(table, name)
    if name in table.texts and found.role in (NUMBER, FEW):
        return decide(table, name, CATEGORY)
    return found


def expected_columns(expectations: Expectations) -> dict[str, ColumnEncoding]:
    """Return the encodings of the columns that their expectations stand for."""
    return {
        block.name: ColumnEncoding(
            block.name,
            values=block.values if block.role == CATEGORY else None,
            block=number,
            share=float(expectations.shares[number]),
            variance=float(expectations.variances[number]),
        )
        for number, block in enumerate(expectations.blocks)
        if block.role != NUMBER
    }


def number_weights(expectations: Expectations | None) -> dict[str, float]:
    """Return the variances of numbers, by column; less than 1 for those of noise."""
    if expectations is None:
        return {}
    return {
        block.name: float(variance)
        for block, variance in zip(
            expectations.blocks, expectations.variances, strict=True
        )
        if block.role == NUMBER
    }


def expected_features(
    expectations: Expectations, table: Table
) -> dict[int, np.ndarray]:
    """Return the features of the columns that their expectations stand for."""
    rows = np.arange(len(table))
    parts = [
        expectations.functions(take_rows(table, rows[start : start + CHUNK]))
        @ expectations.maps
        for start in range(0, len(rows), CHUNK)
    ]
    return expectations.split(np.concatenate(parts))


def shares_of_values(
    expectations: Expectations, features: dict[int, np.ndarray]
) -> dict[int, np.ndarray]:
    """Return features in the units of the table: expected shares, or numbers."""
    found = expectations.fitted(np.hstack([features[c] for c in expectations.featured]))
    for c, values in found.items():
        block = expectations.blocks[c]
        text = block.role == CATEGORY
        factor, offset = (
            (block.divisor, block.mean) if text else (block.scale, block.center)
        )
        found[c] = values * factor + offset
    return found


def to_json(record: Any) -> Any:
    """Return a record in a form that JSON can store."""
    if isinstance(record, np.ndarray):
        return record.tolist()
    if isinstance(record, dict):
        return {name: to_json(value) for name, value in record.items()}
    if isinstance(record, list | tuple):
        return [to_json(value) for value in record]
    return (
        record
        if not hasattr(record, "__dataclass_fields__")
        else to_json(asdict(record))
    )


def expectations_from_json(data: dict[str, Any] | None) -> Expectations | None:
    """Return the expectations that `to_json` stored."""
    if data is None:
        return None
    arrays = {
        name: np.array(data[name], dtype=float) for name in data if name != "blocks"
    }
    blocks = [
        Block(
            **{
                **block,
                "values": tuple(block["values"]),
                "knots": np.array(block["knots"], dtype=float),
                "mean": np.array(block["mean"], dtype=float),
            }
        )
        for block in data["blocks"]
    ]
    return Expectations(blocks=tuple(blocks), **arrays)
