"""The columns of a table as functions, of which sums of any function are made.

A category has an indicator of each of its values. A number has hat functions: the k-th
is 1 at the k-th of its knots, 0 at the others, and linear between them. Sums of hats
are the continuous functions that are linear between knots, so unlike the indicators of
intervals they make no steps, at which near rows would become far ones.

All functions of a column together are a block. They are centred, and divided by one
number such that their variances add up to 1. Missing cells are 0, the mean.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from maxmargin.tables.roles import CATEGORY, Decision, read_numbers
from maxmargin.tables.table import Table, Text

KNOTS = 6  # fewer if there are many columns
MAX_FUNCTIONS = 1200  # of all numbers, if these have more than two knots
MAX_VALUES = 20  # of a category; rarer values are grouped
RARE_ROWS, RARE_SHARE = 5, 0.005  # a value in fewer rows is grouped
OTHER = "(other)"


@dataclass(frozen=True)
class Block:
    """The functions of a column: their mean and divisor, and its own."""

    name: str
    role: str
    form: str | None  # how numbers are read from text
    values: tuple[str, ...]  # of a category; `OTHER` stands for all that are rare
    knots: np.ndarray  # of a number
    mean: np.ndarray  # of the functions
    divisor: float  # of the functions
    center: float  # of the number
    scale: float  # of the number

    @property
    def size(self) -> int:
        """Return the number of functions."""
        return len(self.mean)

    def write_functions(self, table: Table, out: np.ndarray) -> None:
        """Write the functions of the rows, centred and divided, missing cells as 0.

        At most two functions of a row differ from what they are at 0.
        """
        out[:] = -self.mean / self.divisor
        if self.role == CATEGORY:
            codes = self.codes(table)
            known = codes >= 0
            rows = np.flatnonzero(known)
            out[rows, codes[rows]] += 1.0 / self.divisor
        else:
            x = self.numbers(table)
            known = ~np.isnan(x)
            rows = np.flatnonzero(known)
            left, part = _between_knots(x[rows], self.knots)
            out[rows, left] += (1.0 - part) / self.divisor
            out[rows, left + 1] += part / self.divisor
        if len(rows) < len(known):
            out[~known] = 0.0

    def numbers(self, table: Table) -> np.ndarray:
        """Return the column as numbers; missing values are NaN."""
        if self.name in table.texts:  # also numbers that are text in this table
            return read_numbers(table.text(self.name), self.form or "number")
        return table.column(self.name)

    def codes(self, table: Table) -> np.ndarray:
        """Return the position of each cell in ``values``; -1 is missing."""
        return self._lookup(text := _as_text(table, self.name))[text.codes]

    def unseen(self, table: Table) -> tuple[int, list[str]]:
        """Return how many rows have values that the fit did not have, and the values.

        These are values of a category, or text where the fit had numbers.
        """
        if self.role == CATEGORY:
            text = _as_text(table, self.name)
            found = np.flatnonzero(self._lookup(text)[:-1] < 0)
        elif self.form is None and self.name in table.texts:
            text = table.texts[self.name]
            found = np.unique(text.codes[np.isnan(self.numbers(table))])
            found = found[found >= 0]
        else:
            return 0, []
        n_rows = int(np.isin(text.codes, found).sum()) if len(found) else 0
        return n_rows, [text.values[code] for code in found]

    def _lookup(self, text: Text) -> np.ndarray:
        positions = {value: code for code, value in enumerate(self.values)}
        for number, truth in (("0", "False"), ("1", "True")):
            if truth in positions:  # booleans become numbers if some are missing
                positions.setdefault(number, positions[truth])
        other = positions.get(OTHER, -1)
        return np.array([*(positions.get(v, other) for v in text.values), -1])


def _as_text(table: Table, name: str) -> Text:
    """Return a column as text; numbers that are used as a category are written."""
    if name in table.texts:
        return table.texts[name]
    x = table.column(name)
    values, codes = np.unique(x[~np.isnan(x)], return_inverse=True)
    found = np.full(len(x), -1)
    found[~np.isnan(x)] = codes
    return Text(found, tuple(f"{value:.15g}" for value in values))


def make_blocks(
    table: Table, names: Sequence[str], decisions: Mapping[str, Decision]
) -> list[Block]:
    """Return the blocks of columns; those of many have fewer functions."""
    n_knots = int(np.clip(MAX_FUNCTIONS // max(len(names), 1), 2, KNOTS))
    return [make_block(table, name, decisions[name], n_knots) for name in names]


def make_block(
    table: Table, name: str, decision: Decision, n_knots: int = KNOTS
) -> Block:
    """Return the block of a column."""
    none = np.empty(0)
    first = Block(name, decision.role, decision.form, (), none, none, 1.0, 0.0, 1.0)
    if decision.role == CATEGORY:
        values = frequent_values(_as_text(table, name))
        codes = _with(first, values=values).codes(table)
        raw = category_indicators(codes, len(values))
        return _with(first, values=values, **_moments(raw))
    x = first.numbers(table)
    x = x[np.isfinite(x)]
    knots = make_knots(x, n_knots)
    center, scale = float(x.mean()), float(x.std()) or 1.0
    moments = _moments(hats(x, knots))
    return _with(first, knots=knots, center=center, scale=scale, **moments)


def _with(block: Block, **changes: object) -> Block:
    return Block(**(vars(block) | changes))


def _moments(raw: np.ndarray) -> dict[str, object]:
    known = raw[~np.isnan(raw).any(axis=1)]
    return {
        "mean": known.mean(axis=0),
        "divisor": float(np.sqrt(known.var(axis=0).sum())) or 1.0,
    }


def frequent_values(text: Text) -> tuple[str, ...]:
    """Return the values of a category, the most frequent first, rare ones as a group.

    A single rare value stays as it is, and so do all if each of them is rare.
    """
    counts = Counter[str]()
    for value, count in zip(
        text.values,
        np.bincount(text.codes[text.codes >= 0], minlength=len(text.values)),
        strict=True,
    ):
        counts[value] += int(count)
    order = sorted((v for v in counts if counts[v]), key=lambda v: (-counts[v], v))
    least = max(RARE_ROWS, RARE_SHARE * sum(counts.values()))
    common = [v for v in order if counts[v] >= least] or order
    common = common[:MAX_VALUES]
    if len(order) - len(common) <= 1:
        return tuple(order)
    return (*common, OTHER)


def category_indicators(codes: np.ndarray, n_values: int) -> np.ndarray:
    """Return the indicators of codes; rows with the code -1 are NaN."""
    raw = np.zeros((len(codes), n_values))
    known = np.flatnonzero(codes >= 0)
    raw[known, codes[known]] = 1.0
    raw[codes < 0] = np.nan
    return raw


def make_knots(x: np.ndarray, n_knots: int = KNOTS) -> np.ndarray:
    """Return quantiles of the different values, so that a frequent one has one knot.

    A constant has a second one, between which hats are linear.
    """
    knots = np.unique(np.quantile(np.unique(x), np.linspace(0.0, 1.0, n_knots)))
    return np.append(knots, knots[0] + 1.0) if len(knots) == 1 else knots


def hats(x: np.ndarray, knots: np.ndarray) -> np.ndarray:
    """Return the hat functions of numbers; rows of missing values are NaN."""
    raw = np.zeros((len(x), len(knots)))
    known = np.flatnonzero(~np.isnan(x))
    left, part = _between_knots(x[known], knots)
    raw[known, left] = 1.0 - part
    raw[known, left + 1] = part
    raw[np.isnan(x)] = np.nan
    return raw


def _between_knots(x: np.ndarray, knots: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the knot left of each number, and the part of the way to the next one."""
    inside = np.clip(x, knots[0], knots[-1])
    left = (inside[:, None] >= knots[1:-1]).sum(axis=1)  # there are few knots
    part = (inside - knots[left]) / np.diff(knots)[left]
    return left, part
