"""What is done to rows before they are compared, decided here and nowhere else.

Counts, such as words in documents, become square roots of proportions. Columns on
different scales are divided by their standard deviations. A fitted model owns the
`Preparation` of its rows; whoever compares further rows with them applies it.

Distances add up the columns. In a table of different quantities, a column of large
numbers outweighs the others only because of its unit, and each column should count
alike. If all columns have the same unit, as pixels, spectra and coordinates do, their
differences in size are information, and the columns are left as they are.

The unit is not known, but its effect is. A column is *negligible* if its range and its
standard deviation are both below a tenth of the largest ones: it then adds less than a
hundredth of what the largest adds to squared distances. ``scale="auto"`` divides if
more than half of the columns are negligible, so that distances would ignore most of the
table. Both measures and the majority have a reason:

- Pixels at the border of images have small standard deviations, but few of them have a
  small range, because the columns share the limits of the pixel values.
- Standardised columns have equal standard deviations, even if outliers make their
  ranges differ. They are never divided again.
- In the plane one of two columns may be short, as in an elongated shape; the columns
  are left as they are.

A shift does not change distances, so columns are divided but not centred.
"""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize

MIN_SPARSITY = 0.9
COUNT_ROUNDING = 1e-6  # of multiples of a unit, also in single precision
SMALL = 0.1  # an order of magnitude below the largest column
MAJORITY = 0.5
# A standard deviation below this share of the largest absolute value is rounding error.
ROUNDING = 1e-12
# Digits of the divisors. The last digits of a sum depend on the order of the rows, and
# the clusters should not.
BITS = 26


def is_count_data(X, weights: np.ndarray | None = None) -> bool:
    """Return True if X holds non-negative integers, at least 90 % of them zero.

    A row counts by its weight, as if it were repeated. A common factor does not matter:
    the unit is the smallest positive value.
    """
    values = X.data if sp.issparse(X) else X
    if values.size == 0:
        return False
    in_rows = np.ravel((X != 0).sum(axis=1))
    if np.average(in_rows, weights=weights) > (1 - MIN_SPARSITY) * X.shape[1]:
        return False
    if values.min() < 0 or not in_rows.any():
        return False
    counts = values / values[values > 0].min()
    return bool(np.all(np.abs(counts - np.rint(counts)) <= COUNT_ROUNDING * counts))


def hellinger(X) -> Any:
    """Return the square roots of each row's proportions.

    The Euclidean distance between two of these rows is, up to a factor, the Hellinger
    distance of the distributions that the counts were drawn from: documents are
    compared independently of their length, and frequent words do not dominate.
    """
    return np.sqrt(normalize(X, norm="l1"))


class ColumnStatistics(NamedTuple):
    """Statistics of the columns of some rows with weights."""

    weight: float  # of all rows
    mean: np.ndarray  # (d,)
    variance: np.ndarray  # (d,)
    low: np.ndarray  # (d,), the smallest value
    high: np.ndarray  # (d,)

    @property
    def deviation(self) -> np.ndarray:
        """Return the standard deviations, 0 for constant columns."""
        size = np.maximum(np.abs(self.low), np.abs(self.high))
        deviation = np.sqrt(self.variance)
        deviation[deviation <= ROUNDING * size] = 0.0
        return deviation


def column_statistics(X, weights: np.ndarray) -> ColumnStatistics:
    """Return the statistics of dense or sparse rows; rows of weight 0 do not count."""
    kept = weights > 0
    if not kept.all():
        X, weights = X[kept], weights[kept]
    n_rows, n_columns = X.shape
    if n_rows == 0:
        zeros, largest = np.zeros(n_columns), np.full(n_columns, np.inf)
        return ColumnStatistics(0.0, zeros, zeros, largest, -largest)
    total = float(weights.sum())
    shares = weights / total
    if sp.issparse(X):
        mean, variance = _sparse_moments(X.tocsr(), shares)
        low, high = (X.min(axis=0).toarray(), X.max(axis=0).toarray())
        return ColumnStatistics(total, mean, variance, low.ravel(), high.ravel())
    X = np.asarray(X, dtype=np.float64)
    mean = shares @ X
    variance = shares @ (X - mean) ** 2
    return ColumnStatistics(total, mean, variance, X.min(axis=0), X.max(axis=0))


def _sparse_moments(X, shares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and variance of the columns of CSR rows."""
    n_columns = X.shape[1]
    own = np.repeat(shares, np.diff(X.indptr))
    mean = np.bincount(X.indices, own * X.data, n_columns)
    stored = np.bincount(X.indices, own, n_columns)
    squares = own * (X.data - mean[X.indices]) ** 2
    zeros = np.maximum(1.0 - stored, 0.0) * mean**2
    return mean, np.bincount(X.indices, squares, n_columns) + zeros


def merge_statistics(parts: Sequence[ColumnStatistics]) -> ColumnStatistics:
    """Return the statistics of all rows, given those of blocks of rows."""
    weights = np.array([part.weight for part in parts])
    shares = weights / weights.sum()
    means = np.stack([part.mean for part in parts])
    mean = shares @ means
    within = shares @ np.stack([part.variance for part in parts])
    return ColumnStatistics(
        float(weights.sum()),
        mean,
        within + shares @ (means - mean) ** 2,
        np.min([part.low for part in parts], axis=0),
        np.max([part.high for part in parts], axis=0),
    )


def join_columns(columns: Sequence[ColumnStatistics]) -> ColumnStatistics:
    """Return the statistics of a table, given those of single columns."""
    names = ("mean", "variance", "low", "high")
    joined = (np.concatenate([getattr(one, name) for one in columns]) for name in names)
    return ColumnStatistics(columns[0].weight, *joined)


def check_scale(scale: Any) -> None:
    """Raise an error if the option ``scale`` is none of those that are known."""
    if is_automatic(scale) or isinstance(scale, bool | np.bool_):
        return
    if isinstance(scale, str) or np.ndim(scale) != 1:
        raise ValueError(
            f"scale={scale!r} must be 'auto', True, False, or one divisor per column."
        )
    given = np.asarray(scale, dtype=np.float64)
    if not (np.isfinite(given) & (given > 0)).all():
        raise ValueError(f"scale={scale!r} must have positive, finite divisors.")


def is_automatic(scale: Any) -> bool:
    """Return True if the option ``scale`` is ``"auto"``."""
    return isinstance(scale, str) and scale == "auto"


def is_forced(scale: Any) -> bool:
    """Return True if the option ``scale`` divides columns in any case."""
    return not isinstance(scale, str) and (np.ndim(scale) > 0 or bool(scale))


def choose_scale(
    scale: Any, n_columns: int, statistics: Callable[[], ColumnStatistics]
) -> np.ndarray | None:
    """Return the divisors of the columns for the option ``scale``, or None.

    ``statistics`` is called only if they are needed, as it reads all rows.
    """
    if np.ndim(scale) == 0:
        if not is_automatic(scale) and not is_forced(scale):
            return None
        found = statistics()
        if is_automatic(scale) and not are_scales_different(found):
            _warn_of_outweighing(found)
            return None
        return divisors(found)
    given = np.asarray(scale, dtype=np.float64)
    if len(given) != n_columns:
        raise ValueError(
            f"scale has {len(given)} divisors: give one for each of the {n_columns} "
            "columns."
        )
    return given


def are_scales_different(statistics: ColumnStatistics) -> bool:
    """Return True if more than half of the columns are negligible in distances.

    Constant columns are left out.
    """
    varying = statistics.deviation > 0
    return bool(varying.any() and _negligible(statistics)[varying].mean() > MAJORITY)


def outweighing_column(statistics: ColumnStatistics) -> int | None:
    """Return the one column beside which all others are negligible, if there is one.

    If there are two others or more, their scales are different, and they are divided.
    """
    others = _negligible(statistics)
    left = np.flatnonzero(~others & (statistics.deviation > 0))
    return int(left[0]) if others.any() and len(left) == 1 else None


def _warn_of_outweighing(statistics: ColumnStatistics) -> None:
    if (column := outweighing_column(statistics)) is not None:
        warnings.warn(
            f"Column {column} outweighs the other one, which hardly counts: set "
            "scale=True if their units differ, or scale=False if not.",
            UserWarning,
            stacklevel=2,
        )


def _negligible(statistics: ColumnStatistics) -> np.ndarray:
    """Return a mask of the columns that vary, but add next to nothing to distances."""
    ranges, deviation = statistics.high - statistics.low, statistics.deviation
    small = ranges < SMALL * ranges.max(initial=0.0)
    small &= deviation < SMALL * deviation.max(initial=0.0)
    return small & (deviation > 0)


def divisors(statistics: ColumnStatistics) -> np.ndarray:
    """Return the standard deviations of the columns, 1 for constant columns."""
    deviation = statistics.deviation
    return round_digits(np.where(deviation > 0, deviation, 1.0))


def round_digits(values: Any) -> np.ndarray:
    """Return numbers without the digits that depend on the order of a sum."""
    mantissa, exponent = np.frexp(values)
    rounded: np.ndarray = np.ldexp(np.rint(np.ldexp(mantissa, BITS)), exponent - BITS)
    return rounded


def divide_columns(X, scale: np.ndarray | None) -> Any:
    """Return dense or sparse rows with each column divided, in the same precision.

    Without divisors the rows themselves are returned.
    """
    if scale is None:
        return X
    if sp.issparse(X):
        divided = X.tocsr(copy=True)
        divided.data /= scale[divided.indices]
        return divided
    return np.divide(X, scale, out=np.empty_like(X), casting="same_kind")


class ScaledRows:
    """Dense rows whose columns are divided when rows are taken.

    So rows in a file that is mapped into memory are not copied at once.
    """

    def __init__(self, X: np.ndarray, scale: np.ndarray):
        self.X = X
        self.scale = scale
        self.shape = X.shape
        self.dtype = X.dtype

    def __getitem__(self, rows) -> np.ndarray:
        """Return some rows, divided."""
        divided: np.ndarray = divide_columns(self.X[rows], self.scale)
        return divided


# What may be done to a row as a whole, by the names that a `Preparation` has.
TRANSFORMS: dict[str, Callable[[Any], Any]] = {"proportions": hellinger}


@dataclass(frozen=True)
class Preparation:
    """The transformation of rows: of each row as a whole, then of the columns."""

    transform: str | None = None  # a name in `TRANSFORMS`
    scale: np.ndarray | None = None  # the divisors of the columns

    @property
    def empty(self) -> bool:
        """Return True if rows are left as they are."""
        return self.transform is None and self.scale is None

    def __call__(self, X) -> Any:
        """Return a copy of rows as they are compared, or the rows if left as is."""
        if self.transform is not None:
            X = TRANSFORMS[self.transform](X)
        return divide_columns(X, self.scale)

    def lazily(self, X) -> Any:
        """Return rows as they are compared; columns are divided when rows are taken."""
        if self.empty:
            return X
        if self.scale is None or sp.issparse(X):
            return self(X)
        if self.transform is not None:
            X = TRANSFORMS[self.transform](X)
        return ScaledRows(X, self.scale)


def choose_preparation(
    X,
    statistics: Callable[[], ColumnStatistics],
    *,
    weights: np.ndarray | None = None,
    scale: Any = "auto",
    transform: str | None = None,
    counts: bool = True,
    has_unit: bool = False,
) -> Preparation:
    """Choose the preparation from some rows X and the statistics of all rows.

    Parameters
    ----------
    X : {ndarray, sparse matrix} of shape (n_rows, n_features)
    statistics : callable
        Returns the statistics of the columns; called only if they are needed.
    weights : ndarray of shape (n_rows,), optional
        Those of X.
    scale : "auto", bool or array-like
        See `MaxMarginClustering`.
    transform : str or None
        What the similarity does to each row in any case.
    counts : bool
        Whether counts are compared as proportions.
    has_unit : bool
        Whether parameters depend on the unit of the columns; then ``scale="auto"``
        leaves them as they are, and so it leaves sparse rows and counts.
    """
    if transform is not None and not is_forced(scale):
        return Preparation(transform)
    asked = not is_forced(scale) and (counts or is_automatic(scale))
    if asked and is_count_data(X, weights):
        return Preparation("proportions" if counts else None)
    if is_automatic(scale) and (has_unit or sp.issparse(X)):
        return Preparation()
    return Preparation(transform, choose_scale(scale, X.shape[1], statistics))
