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

**Agreement of many columns.** Two columns that copy each other still make islands:
each is expected from the other. Rows are therefore compared by what they have in common
with all rows. With the features :math:`f` of all these columns, two rows have the
distance of their similarities to the others,

.. math:: d_{ij}^2 = \frac{g^2}{n} \sum_m \left(\langle f_i, f_m \rangle -
   \langle f_j, f_m \rangle\right)^2 = g^2 (f_i - f_j)^T C (f_i - f_j),
   \qquad C = \frac{1}{n} \sum_m f_m f_m^T,

which is the distance of the features :math:`g\, C^{1/2} f`. A direction counts by the
variance of all columns along it, so a difference on which many columns agree outweighs
one of two columns, as with the squared inertias of a multiple correspondence analysis.
The factor :math:`g` keeps the total variance.

**Columns without evidence.** A number that the others tell nothing about, in no
function of it, and that has a single mode (`maxmargin.tables.modes`), shows no groups:
it is noise to those that other columns show, and has a variance of 0.001. If no column
of the table tells anything about another and no number has two modes, the values of
the categories are all that can tell rows apart, and their indicators are the features.

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
from maxmargin.tables.modes import has_one_mode
from maxmargin.tables.roles import CATEGORY, NUMBER
from maxmargin.tables.table import Table

RIDGE = 10.0  # rows; 1 gave nearly the same labels, 50 worse ones of one table
MAX_LEVERAGE = 0.999  # so that a row alone in its place has a finite residual
MIN_SHARE = 0.001  # explained of a column that has features
FAINT = 0.001  # variance of a number without evidence: it divides equal rows only
# A squared correlation of n rows exceeds CHANCE / n by chance once in 600 times.
CHANCE = 10.0


@dataclass(frozen=True)
class Expectations:
    """What the columns tell about each other, and the features that follow from it."""

    blocks: tuple[Block, ...]
    coefficients: np.ndarray  # (n_functions, n_functions)
    shares: np.ndarray  # (n_blocks,), explained
    slopes: np.ndarray  # (n_blocks,), of the columns on their predictions
    variances: np.ndarray  # (n_blocks,), of the features of each; 0 if it has none
    maps: np.ndarray  # (n_functions, n_features), of functions to features
    back: np.ndarray  # (n_features, n_features), of features to fitted values

    @property
    def featured(self) -> list[int]:
        """Return the blocks with features, except numbers."""
        return _featured(self.blocks, self.variances)

    def functions(self, table: Table) -> np.ndarray:
        """Return the functions of all blocks, those of missing cells as expected."""
        phi = all_functions(table, self.blocks)
        fill_gaps(phi, self.coefficients, self.slopes, block_slices(self.blocks))
        return phi

    def fitted(self, features: np.ndarray) -> dict[int, np.ndarray]:
        """Return the expectations that features, side by side, were made from."""
        return self.split(features @ self.back)

    def split(self, columns: np.ndarray) -> dict[int, np.ndarray]:
        """Return columns of all featured blocks by block."""
        ends = np.cumsum([n_features(self.blocks[c]) for c in self.featured])
        parts = np.split(columns, ends[:-1], axis=1) if len(ends) else []
        return dict(zip(self.featured, parts, strict=True))

    def expected(self, phi: np.ndarray, number: int) -> np.ndarray:
        """Return the expectation of a standardised number."""
        own = block_slices(self.blocks)[number]
        units = in_units(self.coefficients[:, own], self.blocks[number])[:, 0]
        found: np.ndarray = self.slopes[number] * (phi @ units)
        return found


def fit_expectations(table: Table, blocks: Sequence[Block]) -> Expectations:
    """Learn the expectations from the rows of a table."""
    phi = all_functions(table, blocks)
    slices = block_slices(blocks)
    inverse = np.linalg.inv(phi.T @ phi + RIDGE * np.eye(phi.shape[1]))
    shares, slopes, told = _agreements(phi, inverse, slices, blocks)
    coefficients = regress_blocks(inverse, slices)
    fill_gaps(phi, coefficients, slopes, slices)
    variances = np.where(shares >= MIN_SHARE, shares, 0.0)
    for c, block in enumerate(blocks):
        if block.role == NUMBER:
            evident = told[c] or not has_one_mode(block.numbers(table))
            variances[c] = 1.0 if evident else FAINT
    if told.any() or any(
        b.role == NUMBER and v == 1.0 for b, v in zip(blocks, variances, strict=True)
    ):
        maps, back = _maps_of_fits(phi, coefficients, blocks, variances)
    else:
        variances = np.array([FAINT if b.role == NUMBER else 1.0 for b in blocks])
        maps = _own_functions(blocks, variances)
        back = np.eye(maps.shape[1])
    _set_variances(variances, (phi @ maps).var(axis=0), blocks)
    return Expectations(
        tuple(blocks), coefficients, shares, slopes, variances, maps, back
    )


def _agreements(
    phi: np.ndarray,
    inverse: np.ndarray,
    slices: Sequence[slice],
    blocks: Sequence[Block],
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return explained shares, slopes, and whether a column is told by the others.

    It is told if any of its functions is, beyond chance: a number may be expected to
    have the same value everywhere, and yet not the same spread.
    """
    found = []
    for (truth, guess), own, block in zip(
        leave_one_out(phi, inverse, slices), slices, blocks, strict=True
    ):
        gaps = gaps_of(phi[:, own])
        if len(gaps):
            truth, guess = (np.delete(one, gaps, axis=0) for one in (truth, guess))
        share, slope = _agreement(in_units(truth, block), in_units(guess, block))
        any_share = _agreement(truth, guess)[0]
        found.append((share, slope, any_share * max(len(truth), 1) >= CHANCE))
    shares, slopes, told = np.array(found, dtype=float).T
    return shares, slopes, told.astype(bool)


def _maps_of_fits(
    phi: np.ndarray,
    coefficients: np.ndarray,
    blocks: Sequence[Block],
    variances: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the maps of functions to features, and of features to fitted values."""
    slices = block_slices(blocks)
    chosen = _featured(blocks, variances)
    plain = [in_units(coefficients[:, slices[c]], blocks[c]) for c in chosen]
    if not plain:
        return np.empty((phi.shape[1], 0)), np.empty((0, 0))
    for number, c in enumerate(chosen):
        spread = np.sqrt(((phi @ plain[number]) ** 2).mean(axis=0).sum())
        if spread > 0:
            plain[number] *= np.sqrt(variances[c]) / spread
    maps = np.hstack(plain)
    root = similarity_root(phi @ maps)
    return maps @ root, np.linalg.pinv(root, rcond=1e-6, hermitian=True)


def similarity_root(F: np.ndarray) -> np.ndarray:
    """Return the matrix that makes distances of features those of similarities.

    It is the root of the covariance, scaled such that it keeps the total variance.
    """
    covariance = F.T @ F / len(F)
    values, vectors = np.linalg.eigh(covariance)
    values = np.maximum(values, 0.0)
    if not values.any():
        return np.eye(F.shape[1])
    values *= values.sum() / (values**2).sum()
    root: np.ndarray = (vectors * np.sqrt(values)) @ vectors.T
    return root


def _own_functions(blocks: Sequence[Block], variances: np.ndarray) -> np.ndarray:
    """Return the map of functions to the values of the columns themselves."""
    slices = block_slices(blocks)
    identity = np.eye(slices[-1].stop)
    chosen = _featured(blocks, variances)
    parts = [in_units(identity[:, slices[c]], blocks[c]) for c in chosen]
    return np.hstack(parts) if parts else identity[:, :0]


def _set_variances(
    variances: np.ndarray, found: np.ndarray, blocks: Sequence[Block]
) -> None:
    """Replace the variances of featured blocks by those of their features."""
    start = 0
    for c in _featured(blocks, variances):
        size = n_features(blocks[c])
        variances[c] = max(found[start : start + size].sum(), np.finfo(float).tiny)
        start += size


def n_features(block: Block) -> int:
    """Return the number of features of a block."""
    return block.size if block.role == CATEGORY else 1


def _featured(blocks: Sequence[Block], variances: np.ndarray) -> list[int]:
    return [
        c for c, block in enumerate(blocks) if block.role != NUMBER and variances[c] > 0
    ]


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


def _agreement(truth: np.ndarray, guess: np.ndarray) -> tuple[float, float]:
    """Return the explained share of columns, and their slope on the predictions."""
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
        block.write_functions(table, phi[:, own])
    return phi


def block_slices(blocks: Sequence[Block]) -> list[slice]:
    """Return the columns of the functions of each block."""
    ends = np.cumsum([block.size for block in blocks]).tolist()
    return [slice(e - b.size, e) for e, b in zip(ends, blocks, strict=True)]
