r"""The expectation of each column given the others, and how far it can be trusted.

A column of few values puts rows into islands: two rows are equal in it or far apart,
whatever its weight, and a graph of neighbours finds the islands instead of the groups.
That a column has separate values is no evidence of groups. Evidence is that columns
depend on each other: rows of one group are alike in many columns, so other columns tell
what a value will be. For a column :math:`c` with indicators :math:`e_v` of its values,
let

.. math:: m_v(x) = E\left[e_v \mid x_{-c}\right]

be the expectation given the other columns. It makes no islands of its own, keeps what
the column shares with the others, and is constant if that is nothing. With the shares
:math:`p_v` of the values, the features of the column are

.. math:: f_v(x) = \frac{m_v(x) - p_v}{\sqrt{\sum_u p_u (1 - p_u)}},
   \qquad \sum_v \mathrm{Var} f_v
   = \frac{\sum_v \mathrm{Var}\, m_v}{\sum_v \mathrm{Var}\, e_v} = R_c^2.

By the law of total variance their variances add up to the explained share
:math:`R_c^2` of the column: to 1, as of a standardised number, if the other columns
predict it perfectly, and to 0 if they know nothing about it. They are not standardised
again. A number with few values is treated alike, with :math:`E[x_c \mid x_{-c}]`
divided by the standard deviation of :math:`x_c`.

**Estimate.** :math:`m` is a sum of functions of the single columns, the form that the
logarithm of the odds of groups has if columns are independent within them. With the
functions :math:`\varphi` of `maxmargin.tables.basis` and :math:`G = \Phi^T \Phi` it is
the ridge regression of the block :math:`\varphi_c` on all others. One inverse has the
coefficients of all columns: with :math:`Q = (G + a I)^{-1}`, by block inversion,

.. math:: B_c = (G_{-c,-c} + a I)^{-1} G_{-c,c} = -Q_{-c,c} Q_{c,c}^{-1}.

The estimate is a smooth function of the other columns, so that near rows have near
values, whatever their own value is.

**Out of sample.** Fitted values of the rows that they are learned from look better than
they are. Explained shares are therefore those of predictions of each row from all
others. With the rows :math:`Z = \Phi Q`, the residuals of block :math:`c` and the
leverages in its regression are

.. math:: r_c = Z_c Q_{c,c}^{-1}, \qquad
   h_c = \varphi^T Q \varphi - Z_c Q_{c,c}^{-1} Z_c^T,

and the residual without the row itself is :math:`r_c / (1 - h_c)`. With the predictions
:math:`\hat m` without the row itself, the explained share is the squared correlation
:math:`R_c^2 = \langle e, \hat m \rangle^2 / (\langle e, e \rangle \langle \hat m,
\hat m \rangle)`, or 0 if the two are not positively correlated, as is usual for noise.
The fitted values are scaled such that their variances add up to it. A missing number is
expected to be the fitted value times the slope :math:`\langle e, \hat m \rangle /
\langle \hat m, \hat m \rangle`.

**Missing cells.** The functions of a missing cell are 0, their mean, while coefficients
and shares are learned. For the features they are replaced by their expectations given
all other cells of the row, and then the fitted values are computed.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from maxmargin.tables.basis import Block
from maxmargin.tables.roles import CATEGORY
from maxmargin.tables.table import Table

RIDGE = 10.0  # rows; 1 gave nearly the same labels, 50 worse ones of one table
MAX_LEVERAGE = 0.999  # so that a row alone in its place has a finite residual


@dataclass(frozen=True)
class Expectations:
    """The coefficients of the functions of all columns, and what they explain."""

    blocks: tuple[Block, ...]
    coefficients: np.ndarray  # (n_functions, n_functions)
    shares: np.ndarray  # (n_blocks,), explained
    slopes: np.ndarray  # (n_blocks,), of the columns on their predictions
    spreads: np.ndarray  # (n_blocks,), standard deviations of the fitted values

    def features(self, table: Table, some: Sequence[int]) -> list[np.ndarray]:
        """Return the fitted values of some blocks, with the explained variance.

        They are (n, n_values) for a category, and (n, 1) for a number.
        """
        factors = np.sqrt(self.shares) / self.spreads
        return self._fitted(table, some, factors)

    def expected(self, table: Table, some: Sequence[int]) -> list[np.ndarray]:
        """Return the expectations of some blocks, numbers as standardised ones."""
        return self._fitted(table, some, self.slopes)

    def _fitted(
        self, table: Table, some: Sequence[int], factors: np.ndarray
    ) -> list[np.ndarray]:
        slices = block_slices(self.blocks)
        phi = all_functions(table, self.blocks)
        fill_gaps(phi, self.coefficients, self.slopes, slices)
        columns = [np.arange(slices[c].start, slices[c].stop) for c in some]
        fitted = phi @ self.coefficients[:, np.concatenate(columns)]
        parts, start = [], 0
        for c in some:
            own = fitted[:, start : start + self.blocks[c].size]
            parts.append(factors[c] * in_units(own, self.blocks[c]))
            start += self.blocks[c].size
        return parts


def fit_expectations(table: Table, blocks: Sequence[Block]) -> Expectations:
    """Learn the expectations from the rows of a table."""
    phi = all_functions(table, blocks)
    slices = block_slices(blocks)
    inverse = np.linalg.inv(phi.T @ phi + RIDGE * np.eye(phi.shape[1]))
    gaps = [gaps_of(phi[:, own]) for own in slices]
    fitted = [
        _agreement(np.delete(truth, rows, axis=0), np.delete(out, rows, axis=0), block)
        for (truth, out), rows, block in zip(
            leave_one_out(phi, inverse, slices), gaps, blocks, strict=True
        )
    ]
    coefficients = regress_blocks(inverse, slices)
    shares, slopes = np.array(fitted).T
    fill_gaps(phi, coefficients, slopes, slices)
    fits = phi @ coefficients
    spreads = [
        float(np.sqrt((in_units(fits[:, own], block) ** 2).mean(axis=0).sum()))
        for own, block in zip(slices, blocks, strict=True)
    ]
    shares = np.where(np.array(spreads) > 0, shares, 0.0)
    return Expectations(
        tuple(blocks),
        coefficients,
        shares,
        slopes,
        np.where(np.array(spreads) > 0, spreads, 1.0),
    )


def regress_blocks(inverse: np.ndarray, slices: Sequence[slice]) -> np.ndarray:
    """Return the coefficients of each block on the others; on itself they are 0."""
    coefficients = np.zeros_like(inverse)
    for own in slices:
        coefficients[:, own] = -inverse[:, own] @ np.linalg.inv(inverse[own, own])
        coefficients[own, own] = 0.0
    return coefficients


def fill_gaps(
    phi: np.ndarray, coefficients: np.ndarray, slopes: np.ndarray, slices: list[slice]
) -> None:
    """Replace the functions of missing cells by their expectations, in place."""
    gaps = [gaps_of(phi[:, own]) for own in slices]
    if not any(map(len, gaps)):
        return
    filled = [
        slope * (phi[rows] @ coefficients[:, own])
        for rows, own, slope in zip(gaps, slices, slopes, strict=True)
    ]
    for rows, own, values in zip(gaps, slices, filled, strict=True):
        phi[rows, own] = values


def gaps_of(functions: np.ndarray) -> np.ndarray:
    """Return the rows in which all functions of a block are 0: the cell is missing."""
    rows = np.flatnonzero(functions[:, 0] == 0)  # hardly any but those
    return rows[~functions[rows].any(axis=1)]


def leave_one_out(
    phi: np.ndarray, inverse: np.ndarray, slices: Sequence[slice]
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the functions of each block, and their predictions from other rows."""
    Z = phi @ inverse
    total = np.einsum("ij,ij->i", Z, phi)
    pairs = []
    for own in slices:
        residuals = Z[:, own] @ np.linalg.inv(inverse[own, own])
        leverage = total - np.einsum("ij,ij->i", Z[:, own], residuals)
        left = 1.0 - np.clip(leverage, 0.0, MAX_LEVERAGE)
        pairs.append((phi[:, own], phi[:, own] - residuals / left[:, None]))
    return pairs


def _agreement(
    truth: np.ndarray, guess: np.ndarray, block: Block
) -> tuple[float, float]:
    """Return the explained share of a column, and its slope on the predictions."""
    truth, guess = in_units(truth, block), in_units(guess, block)
    product = float((truth * guess).sum())
    squares = float((guess**2).sum())
    if product <= 0 or squares == 0:
        return 0.0, 0.0
    return product**2 / (squares * float((truth**2).sum())), product / squares


def in_units(functions: np.ndarray, block: Block) -> np.ndarray:
    """Return functions of a number as the standardised number, others as they are.

    A number between knots is the sum of the knots, weighted by their hat functions.
    """
    if block.role == CATEGORY:
        return functions
    return (functions @ block.knots * (block.divisor / block.scale))[:, None]


def all_functions(table: Table, blocks: Sequence[Block]) -> np.ndarray:
    """Return the functions of all blocks, side by side."""
    phi = np.empty((len(table), sum(block.size for block in blocks)))
    for own, block in zip(block_slices(blocks), blocks, strict=True):
        phi[:, own] = block.functions(table)
    return phi


def block_slices(blocks: Sequence[Block]) -> list[slice]:
    """Return the columns of the functions of each block."""
    ends = np.cumsum([block.size for block in blocks]).tolist()
    return [slice(e - b.size, e) for e, b in zip(ends, blocks, strict=True)]
