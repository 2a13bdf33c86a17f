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
from maxmargin.tables.expectations import Expectations, fit_expectations
from maxmargin.tables.frames import take_rows
from maxmargin.tables.roles import CATEGORY, FEW, NUMBER, USED, Decision, decide
from maxmargin.tables.table import Table

MIN_SHARE = 0.001  # of a column that the others explain, if it has features
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

    @property
    def feature_names(self) -> list[str]:
        """Return the names of the features of the column."""
        if self.block is not None and self.share < MIN_SHARE:
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
        return (
            f"{kind} {self.name!r} counts by its expectation given the other columns, "
            f"which explain {self.share:.0%} of it"
        )


def learn_expectations(table: Table, names: Sequence[str]) -> Expectations | None:
    """Return the expectations of the columns of a table with text, if it has others."""
    if len(table) < MIN_ROWS or not any(name in table.texts for name in names):
        return None
    part = take_rows(table, np.arange(0, len(table), -(-len(table) // LEARNED_ROWS)))
    roles = {name: _role(part, name) for name in names}
    used = [name for name in names if roles[name].role in USED]
    blocks = [make_block(part, name, roles[name]) for name in used]
    if len(blocks) < 2:
        return None
    found = fit_expectations(part, blocks)
    numbers = any(block.role == NUMBER for block in blocks)
    return found if numbers or found.shares.max() >= MIN_SHARE else None


def _role(table: Table, name: str) -> Decision:
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
        )
        for number, block in enumerate(expectations.blocks)
        if block.role != NUMBER
    }


def expected_features(
    expectations: Expectations, table: Table, blocks: Sequence[int]
) -> list[np.ndarray]:
    """Return the features of some blocks."""
    rows = np.arange(len(table))
    parts = [
        expectations.features(take_rows(table, rows[start : start + CHUNK]), blocks)
        for start in range(0, len(rows), CHUNK)
    ]
    return [np.concatenate(own) for own in zip(*parts, strict=True)]


def units_of(
    encoding: ColumnEncoding, expectations: Expectations | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return factors and offsets that turn features into the units of the table.

    An expectation of text is turned into the expected shares of its values.
    """
    n_features = len(encoding.feature_names)
    if encoding.block is None or expectations is None:
        return np.full(n_features, encoding.scale), np.zeros(n_features)
    block = expectations.blocks[encoding.block]
    if n_features and block.role == CATEGORY:
        return np.full(n_features, block.divisor), block.mean
    return np.full(n_features, block.scale), np.full(n_features, block.center)


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
