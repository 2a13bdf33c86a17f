"""What is done to rows before they are compared, decided here and nowhere else.

Counts become square roots of proportions, columns on different scales are divided by
their standard deviations. A fitted model owns the `Preparation` of its rows; whoever
compares further rows with them applies it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from maxmargin.rows.counts import hellinger, is_count_data
from maxmargin.rows.scaling import (
    ColumnStatistics,
    ScaledRows,
    choose_scale,
    divide_columns,
    is_automatic,
    is_forced,
)

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
        if self.scale is None or sp.issparse(X):
            return self(X)
        if self.transform is not None:
            X = TRANSFORMS[self.transform](X)
        return ScaledRows(X, self.scale)


def choose_preparation(
    X,
    statistics: Callable[[], ColumnStatistics],
    *,
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
    if not is_forced(scale) and (counts or is_automatic(scale)) and is_count_data(X):
        return Preparation("proportions" if counts else None)
    if is_automatic(scale) and (has_unit or sp.issparse(X)):
        return Preparation()
    return Preparation(transform, choose_scale(scale, X.shape[1], statistics))
