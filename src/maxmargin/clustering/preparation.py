"""What is done to the rows before they are compared.

Counts become square roots of proportions, columns on different scales are divided by
their standard deviations. The model of the prepared rows is turned into one for rows as
they are given.
"""

import numbers
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from maxmargin.clustering.model import MarginModel
from maxmargin.clustering.parameters import Options
from maxmargin.rows.blocks import RowSource
from maxmargin.rows.counts import hellinger, is_count_data
from maxmargin.rows.scaling import (
    ScaledRows,
    choose_scale,
    divide_columns,
    is_automatic,
    is_forced,
)


@dataclass(frozen=True)
class Preparation:
    """The transformation of rows, and of what is fitted to them."""

    counts: bool = False
    scale: np.ndarray | None = None  # the divisors of the columns

    @property
    def empty(self) -> bool:
        """Return True if rows are left as they are."""
        return not self.counts and self.scale is None

    def rows(self, X) -> Any:
        """Return rows as they are compared; dense ones are divided when taken."""
        if self.scale is None or sp.issparse(X):
            return self.block(X)
        return ScaledRows(X, self.scale)

    def block(self, X) -> Any:
        """Return a copy of rows as they are compared, or the rows if left as is."""
        return hellinger(X) if self.counts else divide_columns(X, self.scale)

    def options(self, options: Options) -> Options:
        """Return the options, with landmarks that are points divided like the rows."""
        given = options.landmarks.given
        if self.scale is None or given is None or isinstance(given, str | int):
            return options
        points = divide_columns(given, self.scale)
        return replace(options, landmarks=options.landmarks._replace(given=points))

    def model(self, model: MarginModel) -> MarginModel:
        """Return a model for rows as they are given."""
        if self.counts:
            return model.for_counts()
        return model if self.scale is None else model.for_scaled(self.scale)


def prepare_rows(X, source: RowSource, options: Options) -> Preparation:
    """Choose the preparation from some rows X and the statistics of all rows."""
    scale = options.scale
    if options.kernel == "precomputed":
        return Preparation()
    if not is_forced(scale):
        by_proportions = options.kernel == "auto"
        if (by_proportions or is_automatic(scale)) and is_count_data(X):
            return Preparation(counts=by_proportions)
    if is_automatic(scale) and _has_given_unit(X, options):
        return Preparation()
    chosen = choose_scale(scale, X.shape[1], source.column_statistics)
    return Preparation(scale=chosen)


def _has_given_unit(X, options: Options) -> bool:
    """Return True if parameters depend on the unit of the columns, or X is sparse."""
    return (
        callable(options.kernel)
        or isinstance(options.gamma, numbers.Real)
        or sp.issparse(X)
    )
