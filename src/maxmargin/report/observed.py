"""What groups of rows have in the cells of columns: shares of values, and means."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from maxmargin.tables.features import Cells
from maxmargin.tables.table import Text


class Observed(NamedTuple):
    """A number, or one value of a category, of which shares are means, in groups."""

    means: np.ndarray
    sizes: np.ndarray  # numbers of rows with a cell that is not missing
    variance: float  # in all groups together

    @property
    def share_between(self) -> float:
        """Return the share of the variance that is between groups."""
        if not self.variance:
            return 0.0
        weights = self.sizes / self.sizes.sum()
        between = weights @ np.square(self.means - weights @ self.means)
        return float(between) / self.variance


def observed(
    cells: Mapping[str, Cells], groups: np.ndarray, n_groups: int
) -> dict[str, Observed]:
    """Return what groups of rows have in columns, by name or ``column=value``.

    Missing cells do not count, nor rows of group -1. A column is left out if it is
    missing in a whole group.
    """
    found = {}
    for name, column in cells.items():
        if isinstance(column, Text):
            n_values = len(column.values)
            known = (column.codes >= 0) & (groups >= 0)
            counted = groups[known] * n_values + column.codes[known]
            counts = np.bincount(counted, minlength=n_groups * n_values)
            counts = counts.reshape(n_groups, n_values)
            sizes = counts.sum(axis=1)
            if sizes.all():
                shares = (counts / sizes[:, None]).T
                whole = counts.sum(axis=0) / sizes.sum()
                variances = (whole * (1.0 - whole)).tolist()
                for value, *one in zip(column.values, shares, variances, strict=True):
                    found[f"{name}={value}"] = Observed(one[0], sizes, one[1])
        else:
            known = np.isfinite(column) & (groups >= 0)
            values, own = column[known], groups[known]
            sizes = np.bincount(own, minlength=n_groups)
            if sizes.all():
                means = np.bincount(own, values, minlength=n_groups) / sizes
                variance = float(values.var()) if np.ptp(values) else 0.0
                found[name] = Observed(means, sizes, variance)
    return found
