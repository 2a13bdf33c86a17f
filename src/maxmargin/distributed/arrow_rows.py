"""Rows in an Arrow column of arrays, one array for each row."""

from collections.abc import Collection
from typing import Any

import numpy as np
from pyarrow import compute

NOT_FINITE = (
    "Input X contains NaN, null or infinity: fill the missing values, or drop their "
    "rows with DataFrame.dropna()."
)


def matrix_of(column: Any) -> np.ndarray:
    """Return an Arrow column of arrays as a matrix.

    Null arrays, arrays of different lengths, and values that are not finite raise an
    error. Their other values would be taken for those of other rows.
    """
    if column.null_count:
        raise ValueError(NOT_FINITE)
    check_lengths(set(compute.unique(compute.list_value_length(column)).to_pylist()))
    values = column.flatten().to_numpy(zero_copy_only=False)
    if not np.isfinite(values).all():
        raise ValueError(NOT_FINITE)
    matrix: np.ndarray = values.reshape(len(column), -1)
    return matrix


def check_lengths(lengths: Collection[int]) -> None:
    """Raise an error if rows have no features, or different numbers of them."""
    if len(lengths) > 1:
        raise ValueError(
            f"Rows have {min(lengths)} to {max(lengths)} features: give vectors or "
            "arrays of one length."
        )
    if 0 in lengths:
        raise ValueError("Rows have no features: give arrays of at least one number.")
