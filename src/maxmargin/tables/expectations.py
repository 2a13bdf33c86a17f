r"""The expectation of each column given the others, of rows that it was not learned from.

A column of few values puts rows into islands: two rows are equal in it or far apart,
whatever its weight, and a graph of neighbours finds the islands instead of the groups.
That a column has separate values is no evidence of groups. Evidence is that columns
depend on each other: rows of one group are alike in many columns, so other columns tell
what a value will be. For a column :math:`c` with indicators :math:`e_v` of its values,
let

.. math:: m_v(x) = E\left[e_v \mid x_{-c}\right]

be the expectation given the other columns. It makes no islands of its own, it keeps what
the column shares with the others, and is constant if that is nothing. With the shares
:math:`p_v` of the values, the features of the column are

.. math:: f_v(x) = \frac{m_v(x) - p_v}{\sqrt{\sum_u p_u (1 - p_u)}},
   \qquad \sum_v \mathrm{Var} f_v
   = \frac{\sum_v \mathrm{Var}\, m_v}{\sum_v \mathrm{Var}\, e_v} = R_c^2.

By the law of total variance their variances add up to the explained share
:math:`R_c^2` of the column: to 1, as of a standardised number, if the other columns
predict it perfectly, and to 0 if they know nothing about it. They are not standardised
again. A number with few values is treated alike, with :math:`E[x_c \mid x_{-c}]`
divided by the standard deviation of :math:`x_c`; and a missing number is replaced by
that expectation.

**Estimate.** :math:`m` is a sum of functions of the single columns, the form that the
logarithm of the odds of groups has if columns are independent within them. With the
functions :math:`\varphi` of `maxmargin.tables.basis` and :math:`G = \Phi^T \Phi` it is
the ridge regression of the block :math:`\varphi_c` on all others. One inverse has the
coefficients of all columns: with :math:`Q = (G + a I)^{-1}`, by block inversion,

.. math:: B_c = (G_{-c,-c} + a I)^{-1} G_{-c,c} = -Q_{-c,c} Q_{c,c}^{-1}.

**Out of sample.** Rows are divided into five folds by a hash of their values, and the
coefficients of a fold are learned from the other four. Equal rows are in one fold, so
no row is learned from itself or a copy; and since a row carries its fold along, it has
the same features when it is transformed again as it had in the fit. An estimate of an
expectation out of sample still has noise. It is multiplied by the slope of the
regression of the column on it, at least 0, which is near 0 for noise alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from maxmargin.tables.basis import Block
from maxmargin.tables.roles import CATEGORY, FEW, NUMBER
from maxmargin.tables.table import Table

N_FOLDS = 5
RIDGE = 10.0  # rows; labels and weights hardly change between 1 and 50
CHUNK = 8192  # rows that are expanded at once


@dataclass(frozen=True)
class Expectations:
    """The coefficients of each fold, and the slope of each column."""

    blocks: tuple[Block, ...]
    coefficients: np.ndarray  # (n_folds, n_functions, n_functions)
    slopes: np.ndarray  # (n_blocks,)

    def given_others(self, table: Table, some: Sequence[int]) -> list[np.ndarray]:
        """Return the expectations of some blocks, each (n, 1) or (n, n_values)."""
        sizes = [_n_features(self.blocks[c]) for c in some]
        found = [np.empty((len(table), size)) for size in sizes]
        folds = fold_of_rows(table, self.blocks)
        phi = np.hstack([block.functions(table) for block in self.blocks])
        raw = predict_folds(phi, folds, self.coefficients, self._columns(some))
        start = 0
        for position, c in enumerate(some):
            block = self.blocks[c]
            own = raw[:, start : start + block.size]
            found[position] = self.slopes[c] * _in_units(own, block)
            start += block.size
        return found

    def _columns(self, some: Sequence[int]) -> np.ndarray:
        slices = block_slices(self.blocks)
        parts = [np.arange(slices[c].start, slices[c].stop) for c in some]
        return np.concatenate([*parts, np.empty(0, dtype=np.int64)])


def fit_expectations(table: Table, blocks: Sequence[Block]) -> Expectations:
    """Learn the expectations from the rows of a table."""
    blocks = tuple(blocks)
    phi = np.hstack([block.functions(table) for block in blocks])
    folds = fold_of_rows(table, blocks)
    slices = block_slices(blocks)
    grams = [phi[folds == fold].T @ phi[folds == fold] for fold in range(N_FOLDS)]
    total = np.sum(grams, axis=0)
    coefficients = np.stack([regress_blocks(total - g, slices) for g in grams])
    raw = predict_folds(phi, folds, coefficients, np.arange(phi.shape[1]))
    slopes = [
        _slope(phi[:, own], raw[:, own], block)
        for own, block in zip(slices, blocks, strict=True)
    ]
    return Expectations(blocks, coefficients, np.array(slopes))


def regress_blocks(gram: np.ndarray, slices: Sequence[slice]) -> np.ndarray:
    """Return the coefficients of all blocks on the others; those on themselves are 0."""
    inverse = np.linalg.inv(gram + RIDGE * np.eye(len(gram)))
    coefficients = np.zeros_like(inverse)
    for own in slices:
        coefficients[:, own] = -inverse[:, own] @ np.linalg.inv(inverse[own, own])
        coefficients[own, own] = 0.0
    return coefficients


def predict_folds(
    phi: np.ndarray, folds: np.ndarray, coefficients: np.ndarray, columns: np.ndarray
) -> np.ndarray:
    """Return the regression on rows, each with the coefficients of its fold."""
    found = np.empty((len(phi), len(columns)))
    for fold in range(N_FOLDS):
        rows = np.flatnonzero(folds == fold)
        found[rows] = phi[rows] @ coefficients[fold][:, columns]
    return found


def _slope(phi: np.ndarray, raw: np.ndarray, block: Block) -> float:
    """Return the slope of a column on its expectation, among rows that have a value."""
    known = phi.any(axis=1)
    truth, guess = (_in_units(part[known], block) for part in (phi, raw))
    square = float((guess**2).sum())
    return max(0.0, float((truth * guess).sum()) / square) if square > 0 else 0.0


def _in_units(raw: np.ndarray, block: Block) -> np.ndarray:
    """Return functions of a number as the standardised number, others as they are.

    A number between knots is the sum of the knots, weighted by their hat functions.
    """
    if block.role == CATEGORY:
        return raw
    return (raw @ block.knots * (block.divisor / block.scale))[:, None]


def _n_features(block: Block) -> int:
    return block.size if block.role == CATEGORY else 1


def block_slices(blocks: Sequence[Block]) -> list[slice]:
    """Return the columns of the functions of each block."""
    ends = np.cumsum([block.size for block in blocks])
    return [slice(e - b.size, e) for e, b in zip(ends.tolist(), blocks, strict=True)]


def fold_of_rows(table: Table, blocks: Sequence[Block]) -> np.ndarray:
    """Return the fold of each row, which depends on its values alone."""
    mixed = np.zeros(len(table), dtype=np.uint64)
    for block in blocks:
        if block.role in (NUMBER, FEW):
            x = block.numbers(table) + 0.0  # so that -0.0 is 0.0
            cells = np.where(np.isnan(x), np.nan, x).view(np.uint64)
        else:
            cells = block.codes(table).astype(np.int64).view(np.uint64)
        mixed = _scramble(mixed ^ cells)
    return (mixed % np.uint64(N_FOLDS)).astype(np.int64)


def _scramble(bits: np.ndarray) -> np.ndarray:
    """Return the finaliser of splitmix64, which spreads every bit over all others."""
    bits = bits + np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))
